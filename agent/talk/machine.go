package talk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ojud/datasource/anex"
)

// phase is how far a conversation is.
type phase uint8

const (
	begins  phase = iota
	met           // the first party has introduced itself
	willing       // both agreed to talk
	bound         // there is an agreement
	ending        // one side has ended
	over
)

// A side is 0 for the party that began the conversation, and 1 for the other.

// pending is a message that is not answered yet.
type pending struct {
	what  What
	by    int    // side that sent it
	id    string // its reply-with
	until int64  // Unix ms; 0 waits as long as the conversation

	// Of a subscription.
	topic  string
	active bool
	credit int
	held   []json.RawMessage
	missed int
}

// Session is one party of one conversation.
type Session struct {
	caps   Caps
	self   string
	peer   string
	side   int
	conv   string
	now    int64
	last   int64 // message
	until  int64
	phase  phase
	closer int // side that ended
	open   []*pending
	used   [2]map[string]bool
	serial int

	spent  spent
	call   *CFP // that is negotiated, or was agreed about
	asker  int  // side of its author
	offer  *Agreement
	agreed *Agreement
	out    Done
}

// spent is what a conversation has used of its caps.
type spent struct{ messages, bytes, rounds, unknown int }

// New returns a party. first begins the conversation, whose id is conversation; the other takes the
// id of the first message. An empty id leaves the seed's seven fields alone. At is Unix ms.
func New(caps Caps, self, peer, conversation string, first bool, at int64) *Session {
	s := &Session{caps: caps, self: self, peer: peer, conv: conversation, now: at, last: at, until: at + caps.Total.Milliseconds(), side: 1}
	if first {
		s.side = 0
	}
	s.used = [2]map[string]bool{{}, {}}
	return s
}

// Conversation is the id of the conversation. Who did not begin it knows it by the first message.
func (s *Session) Conversation() string { return s.conv }

// Next returns the time of the next move Clock.
func (s *Session) Next() (at int64, ok bool) {
	at = s.until
	idle := s.caps.Idle
	if s.phase == begins && s.side == 1 && s.spent.messages == 0 {
		idle = s.caps.First
	}
	for _, p := range s.open {
		if p.until != 0 && (p.by == s.side) {
			at = min(at, p.until)
		}
		if p.active {
			idle = 0 // an update may come at any time
		}
	}
	if idle > 0 {
		at = min(at, s.last+idle.Milliseconds())
	}
	return at + 1, s.phase != over
}

// Step makes a move. If it returns an error, the move was the owner's, and changed nothing.
func (s *Session) Step(m Move) (Done, error) {
	if s.phase == over {
		if m.Kind == Say || m.Kind == Write || m.Kind == Publish {
			return Done{}, fmt.Errorf("%w: it has ended", errPhase)
		}
		return Done{}, nil
	}
	s.now, s.out = max(s.now, m.At), Done{}
	switch m.Kind {
	case Frame:
		s.receive(m.Raw)
	case Say:
		if err := s.say(m.Message); err != nil {
			return Done{}, err
		}
	case Write:
		if err := s.write(m.Raw); err != nil {
			return Done{}, err
		}
	case Publish:
		if err := s.publish(m.Message); err != nil {
			return Done{}, err
		}
	case Clock:
		if at, _ := s.Next(); s.now >= at {
			s.fail(errSilence, false)
		}
	case Hangup:
		s.end("broken", errHangup, false)
	}
	return s.out, nil
}

func (s *Session) end(how string, err error, theirs bool) {
	s.phase = over
	s.out.Ended = &Ending{How: how, Err: err, Theirs: theirs, Erase: s.agreed != nil && slices.Contains(s.agreed.Promise, NoRetention)}
}

// fail tells the peer of an error, and ends the conversation.
func (s *Session) fail(err error, theirs bool) {
	act := anex.ActNotUnderstood
	if !theirs {
		act = anex.ActCancel
	}
	s.tell(act, anex.Handshaking, "", err)
	s.end("broken", err, theirs)
}

// tell sends a message that is no part of the table.
func (s *Session) tell(act anex.Performative, protocol anex.Protocol, to string, err error) {
	field := "error"
	if act == anex.ActCancel {
		field = "message"
	}
	text, encodeErr := json.Marshal(map[string]string{field: clip(err.Error())})
	if encodeErr != nil {
		return
	}
	m := anex.Message{Performative: act, Sender: s.self, Receiver: s.peer, Content: text, Protocol: protocol, Conversation: s.conv, InReplyTo: to}
	if raw, err := anex.Encode(m); err == nil {
		s.out.Send = append(s.out.Send, raw)
	}
}

// receive takes a frame of the peer.
func (s *Session) receive(raw []byte) {
	s.spent.messages, s.spent.bytes, s.last = s.spent.messages+1, s.spent.bytes+len(raw), s.now
	if s.spent.messages > s.caps.Messages || s.spent.bytes > s.caps.Bytes {
		s.fail(errBound, true)
		return
	}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		s.read(raw)
		return
	}
	m, err := anex.Parse(raw)
	if err == nil && (m.Sender != s.peer || m.Receiver != s.self) {
		err = fmt.Errorf("%w: from %.80q to %.80q", anex.ErrParty, m.Sender, m.Receiver)
	}
	if err == nil && s.phase == begins && s.side == 1 && s.spent.messages == 1 {
		s.conv = m.Conversation
	}
	var heard Heard
	if err == nil {
		heard, err = s.apply(1-s.side, m)
	}
	switch {
	case errors.Is(err, anex.ErrUnknown):
		if s.spent.unknown++; s.spent.unknown > s.caps.Misunderstood {
			s.fail(errBound, true)
			return
		}
		s.tell(anex.ActNotUnderstood, anex.Handshaking, m.ReplyWith, err)
	case err != nil:
		s.fail(err, true)
	default:
		s.out.Heard = append(s.out.Heard, heard)
		s.flush()
	}
}

// say sends a message of the owner.
func (s *Session) say(m anex.Message) error {
	if s.spent.messages >= s.caps.Messages {
		return errBound
	}
	m.Sender, m.Receiver, m.Conversation = s.self, s.peer, s.conv
	content, err := anex.Spell(m.Content, anex.MaxInform)
	if err != nil {
		return err
	}
	m.Content = content
	if s.conv != "" {
		if m.InReplyTo == "" {
			m.InReplyTo = s.answered(m)
		}
		if m.ReplyWith == "" && wants(m) {
			m.ReplyWith = string("ab"[s.side]) + strconv.Itoa(s.serial+1)
		}
		if m.ReplyBy == 0 && wants(m) {
			m.ReplyBy = s.now + s.caps.Reply.Milliseconds()
		}
	}
	raw, err := anex.Encode(m)
	if err != nil {
		return err
	}
	h, err := s.apply(s.side, m)
	if err != nil {
		return err
	}
	if h.What == Proposal {
		s.out.Proposed = h.Terms
	}
	if h.What == Accept && len(h.Terms.Signatures) > 0 {
		s.out.Signed = h.Terms
	}
	s.spent.messages, s.serial, s.last = s.spent.messages+1, s.serial+1, s.now
	// The end that confirms is sent before the conversation is over.
	s.out.Send = append(s.out.Send, raw)
	s.flush()
	return nil
}

// wants reports whether a message waits for an answer.
func wants(m anex.Message) bool {
	switch m.Performative {
	case anex.ActRequest:
		return m.Protocol != FIPASubscribe && (m.Protocol != anex.Handshaking || !has(m.Content, "message"))
	case anex.ActPropose, anex.ActCFP, anex.ActQueryIf, ActSubscribe:
		return true
	case anex.ActAcceptProposal:
		return has(m.Content, "signature")
	}
	return false
}

// answered finds the message of the peer that an own message answers.
func (s *Session) answered(m anex.Message) string {
	for _, p := range slices.Backward(s.open) {
		if p.by != s.side && slices.Contains(answers(p.what), verb{m.Protocol, m.Performative}) && !(p.what == Subscription && p.active && m.Performative == anex.ActAgree) {
			return p.id
		}
	}
	for _, p := range slices.Backward(s.open) {
		if p.by != s.side && anyway(p.what, m) {
			return p.id
		}
	}
	if m.Protocol == FIPASubscribe && (m.Performative == anex.ActRequest || m.Performative == anex.ActCancel) {
		for _, p := range slices.Backward(s.open) {
			if p.by == s.side && p.what == Subscription {
				return p.id
			}
		}
	}
	return ""
}

// Plain text is for recipients that do not speak ANEX.

// maxText is the length of a plain text in bytes.
const maxText = 2000

// write sends a plain text.
func (s *Session) write(raw []byte) error {
	if err := s.text(s.side, raw); err != nil {
		return err
	}
	s.spent.messages, s.last = s.spent.messages+1, s.now
	s.out.Send = append(s.out.Send, slices.Clone(raw))
	return nil
}

// read takes a plain text of the peer.
func (s *Session) read(raw []byte) {
	if err := s.text(1-s.side, raw); err != nil {
		s.fail(err, true)
		return
	}
	s.out.Heard = append(s.out.Heard, Heard{What: PlainText, Text: string(raw)})
}

// text follows a plain text: one with the marker introduces and asks, and a yes or a no to that is
// an answer. Any other text changes nothing.
func (s *Session) text(by int, raw []byte) error {
	words := string(raw)
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if len(raw) > maxText || strings.TrimSpace(words) == "" || !utf8.ValidString(words) || strings.ContainsFunc(words, control) {
		return fmt.Errorf("%w: a plain text has 1 to %d bytes of UTF-8 without control characters", anex.ErrMalformed, maxText)
	}
	if s.phase == ending {
		return errPhase
	}
	if s.phase == begins && by == 0 && strings.Contains(words, anex.Marker) {
		s.phase = met
		s.open = append(s.open, &pending{what: Engagement, by: 0, until: s.now + s.caps.Reply.Milliseconds()})
		return nil
	}
	i := slices.IndexFunc(s.open, func(p *pending) bool { return p.what == Engagement && p.by != by })
	if i < 0 {
		return nil
	}
	switch strings.Trim(strings.ToLower(strings.TrimSpace(words)), ".!") {
	case "yes", "y", "ok", "okay", "sure":
		s.open, s.phase = slices.Delete(s.open, i, i+1), willing
	case "no", "n", "no thanks":
		s.end("declined", errors.New("talk: refused"), false)
	default:
		s.open[i].until = s.now + s.caps.Reply.Milliseconds()
	}
	return nil
}

// clip shortens a text to what a message may hold.
func clip(text string) string {
	text = strings.ToValidUTF8(text, "�")
	for len(text) > maxText {
		_, n := utf8.DecodeLastRuneInString(text[:maxText+1])
		text = text[:maxText+1-n]
	}
	return text
}

// has reports whether an object has a member.
func has(content json.RawMessage, name string) bool {
	var all map[string]json.RawMessage
	return json.Unmarshal(content, &all) == nil && all[name] != nil
}
