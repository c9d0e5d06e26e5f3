package talk

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/agent/talk/meeting"
	"ojud/agent/talk/owner"
	keys "ojud/cmd/ojud/delegation"
	"ojud/datasource/anex"
	"ojud/ledger/journal/durable"
)

// sayable explains what a person may type in a meeting.
const sayable = `  say TEXT                say something
  tell {...}              tell data
  query TEXT              ask a question
  propose KEY=VALUE...    propose terms: about= promise= deal={...} parties=DID,DID (all who may speak)
  accept HASH             sign terms, also those that you proposed; their hash stands beside them
  reject HASH             say no to them
  leave                   leave the meeting
  remove DID [TEXT]       remove a member (as convener)
  end                     close the meeting (as convener)
  await WHAT              wait until somebody else does that: joined, spoke, proposal, accept, reject,
                          removed, left, or until terms are agreed`

// seat is where one agent sits in a meeting. It owns the minutes (meeting.Owner).
type seat struct {
	room  *room
	mu    sync.Mutex // of what is below
	file  *os.File
	fault error
	whats []string
	news  chan struct{}
	over  chan struct{}
}

func newSeat(r *room) *seat {
	return &seat{room: r, news: make(chan struct{}), over: make(chan struct{})}
}

func (s *seat) greeting() string {
	o := owner.Owner{Name: s.room.manners.owner}
	return o.Greeting()
}

// entryShown is a line of the output with --json.
type entryShown struct {
	Entry int `json:"entry"`
	// Event is opening, joined, spoke, proposal, terms, sign, accept, reject, removed, left,
	// closed, agreed, minutes or refused.
	Event   string          `json:"event"`
	From    string          `json:"from,omitempty"`
	Text    string          `json:"text,omitempty"`
	Message json.RawMessage `json:"message,omitempty"`
}

func (s *seat) show(e entryShown) {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	err := s.room.a.Show(e, func(w io.Writer) error {
		text := e.Text
		if strings.ContainsFunc(text, unicode.IsControl) {
			text = strconv.Quote(text) // it stays one line, whoever wrote it
		}
		_, err := fmt.Fprintf(w, "%d %-8s %s %s\n", e.Entry, e.Event, e.From, text)
		return err
	})
	s.mu.Lock()
	s.fault = errors.Join(s.fault, err)
	s.mu.Unlock()
}

// Refused implements meeting.Owner.
func (s *seat) Refused(err error) { s.show(entryShown{Event: "refused", Text: err.Error()}) }

// Entry implements meeting.Owner.
func (s *seat) Entry(raw []byte, h meeting.Noted) error {
	if err := s.keep(raw, h); err != nil {
		return err
	}
	text, self := string(h.Message.Content), s.room.key.Principal().String()
	s.show(entryShown{h.Index, string(h.What), h.From, text, h.Message.Content})
	if h.Terms != nil && h.What == meeting.Proposed { // on a line of its own, which no speaker writes
		sign := "to sign: accept %s"
		if h.From == self {
			sign = "nobody is bound before you sign, too: accept %s"
		}
		s.show(entryShown{Entry: h.Index, Event: "terms", Text: fmt.Sprintf(sign, h.Terms.Hash()[:16])})
	}
	if a := h.Agreed; a != nil && slices.Contains(a.Parties, self) {
		c := conversation{room: s.room}
		canonical, err := a.Canonical()
		if err == nil {
			err = os.MkdirAll(filepath.Dir(c.file(a)), 0o700)
		}
		if err == nil {
			err = durable.WriteFile(c.file(a), append(canonical, '\n'))
		}
		if err != nil {
			return err
		}
		s.show(entryShown{h.Index, "agreed", "", c.file(a), canonical})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.From != self {
		s.whats = append(s.whats, string(h.What))
	}
	if h.Agreed != nil {
		s.whats = append(s.whats, "agreed")
	}
	close(s.news)
	s.news = make(chan struct{})
	return s.fault
}

// keep writes an entry to the minutes, and that it was said to the audit log.
func (s *seat) keep(raw []byte, h meeting.Noted) (err error) {
	if s.file == nil {
		dir := filepath.Join(s.room.home, "meetings")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		self := s.room.key.Principal().String()
		name := fmt.Sprintf("%s-%s-*.jsonl", time.Now().UTC().Format("20060102-150405"), self[len(self)-6:])
		if s.file, err = os.CreateTemp(dir, name); err != nil {
			return err
		}
	}
	if _, err := s.file.Write(append(raw, '\n')); err != nil {
		return err
	}
	sum := sha256.Sum256(raw)
	act := audit.AgentInvoke{Capability: "anex.meeting", Call: "sha256:" + hex.EncodeToString(sum[:]), Result: string(h.What), To: s.room.key.Principal(), Conversation: audit.Conversation(h.Message.Conversation)}
	if act.From, err = delegation.ParsePrincipal(h.From); err != nil {
		return err
	}
	return s.room.trail.Append(act)
}

// close ends the minutes, and says where they are.
func (s *seat) close() error {
	close(s.over)
	if s.file == nil {
		return s.fault
	}
	err := errors.Join(s.fault, s.file.Sync(), s.file.Close())
	s.show(entryShown{Event: "minutes", Text: s.file.Name()})
	return err
}

// typedLine is what a person typed.
type typedLine struct {
	message     anex.Message
	terms       string // hash of terms that it answers
	sign        delegation.Signer
	propose     map[string]any
	remove, why string
	show        func(entryShown)
}

// prepare completes a message, which needs the minutes.
func (l *typedLine) prepare(m *meeting.Minutes) error {
	switch {
	case l.propose != nil:
		parties, _ := l.propose["parties"].([]string)
		if parties == nil {
			parties = m.Speakers()
		}
		promise, _ := l.propose["promise"].([]string)
		deal, _ := l.propose["deal"].(json.RawMessage)
		about, _ := l.propose["about"].(string)
		if about == "" {
			about = m.Opening().Topic
		}
		a := talk.Several(m.ID(), l.sign.Principal().String(), about, parties, promise, deal, time.Now().UTC().Format(time.RFC3339))
		l.message = message(anex.ActPropose, anex.ContractNet, map[string]any{"terms": a})
	case l.terms != "":
		a, ok := m.Terms(l.terms)
		if !ok {
			return fmt.Errorf("no terms begin with %.64q; write at least 8 characters of the hash that stands below them", l.terms)
		}
		content := map[string]string{"terms": a.Hash()}
		if l.message.Performative == anex.ActAcceptProposal {
			text, err := a.Canonical()
			if err != nil {
				return err
			}
			l.show(entryShown{Event: "sign", Text: string(text), Message: text})
			content["signature"] = a.Sign(l.sign)
		}
		l.message = message(l.message.Performative, anex.ContractNet, content)
	}
	return nil
}

func message(act anex.Performative, protocol anex.Protocol, content any) anex.Message {
	raw, err := json.Marshal(content)
	if err != nil {
		raw = nil // the message is refused
	}
	return anex.Message{Performative: act, Protocol: protocol, Content: raw}
}

// line reads what a person typed.
func (s *seat) line(text string) (l typedLine, await string, err error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	l.sign, l.show = s.room.key, s.show
	switch word {
	case "say":
		l.message = message(anex.ActInform, anex.DataExchange, map[string]string{"message": rest})
	case "query":
		l.message = message(anex.ActQueryIf, talk.FIPAQuery, map[string]string{"query": rest})
	case "tell":
		var all map[string]json.RawMessage
		if json.Unmarshal([]byte(rest), &all) != nil || all == nil {
			return l, "", errors.New(`a JSON object is needed, such as {"schedule":["2026-12-01T10:00:00Z"]}`)
		}
		l.message = message(anex.ActInform, anex.DataExchange, all)
	case "propose":
		if l.propose, err = owner.Keys(rest, "about", "promise", "deal", "parties"); err == nil && l.propose["deal"] == nil && l.propose["promise"] == nil {
			err = errors.New("terms need promise= or deal=")
		}
	case "accept":
		l.terms, l.message.Performative = rest, anex.ActAcceptProposal
	case "reject":
		l.terms, l.message.Performative = rest, anex.ActRejectProposal
	case "remove":
		who, why, _ := strings.Cut(rest, " ")
		p, readErr := keys.Principal("remove", who)
		l.remove, l.why, err = p.String(), why, readErr
	case "leave", "end":
		l.message = message(anex.ActInform, anex.Termination, map[string]string{"message": "Session terminated."})
	case "await":
		return l, rest, nil
	default:
		return l, "", fmt.Errorf("%.20q is no command; type help", word)
	}
	if err == nil && rest == "" && word != "leave" && word != "end" {
		err = fmt.Errorf("%s needs more words", word)
	}
	return l, "", err
}

// read hands what people type to the meeting.
func (s *seat) read(ctx context.Context, in io.Reader, say func(typedLine) error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxTyped)
	for ctx.Err() == nil && lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if text == "help" {
			s.room.mu.Lock()
			_, _ = fmt.Fprintln(s.room.a.Err, sayable)
			s.room.mu.Unlock()
			continue
		}
		l, await, err := s.line(text)
		switch {
		case err != nil:
		case await != "":
			s.await(ctx, await)
		default:
			err = say(l)
		}
		if err != nil {
			s.Refused(err)
		}
	}
}

// await waits until something happens that was not awaited before.
func (s *seat) await(ctx context.Context, what string) {
	for {
		s.mu.Lock()
		for len(s.whats) > 0 {
			first := s.whats[0]
			s.whats = s.whats[1:]
			if first == what {
				s.mu.Unlock()
				return
			}
		}
		news := s.news
		s.mu.Unlock()
		select {
		case <-news:
		case <-s.over:
			return
		case <-ctx.Done():
			return
		}
	}
}
