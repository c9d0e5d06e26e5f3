package talk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/agent/talk/owner"
	"ojud/cmd/ojud/cli"
	"ojud/datasource/anex"
	"ojud/ledger/journal/durable"
)

// conversation is one that is under way. It owns what it says (link.Owner).
type conversation struct {
	room          *room
	number        int
	peer, address string
	about         string // the peer in the store
	session       *talk.Session
	owner         *owner.Owner
	moves         chan talk.Move
	over          chan struct{}
	thought       *thought // of a mind; nil: there is none

	mu     sync.Mutex
	unseen string        // the part of terms that the person has not seen
	whats  []talk.What   // heard and not awaited yet
	news   chan struct{} // closed when something is heard
	said   *os.File
	kept   int  // bytes of said in the store
	full   bool // the store has no room for more
	marked bool // its name says that it is to be deleted
	fault  error
	ended  *talk.Ending
}

// event is a line of the output with --json.
type event struct {
	Conversation int             `json:"conversation"`
	Event        string          `json:"event"` // begin, sent, heard, call, terms, propose, show, sign, agreed, refused, full, erased, end, mind, unknown, unfit, or decide
	Text         string          `json:"text,omitempty"`
	Message      json.RawMessage `json:"message,omitempty"`
}

// tell shows something.
func (c *conversation) tell(what, text string, message []byte) {
	c.room.mu.Lock()
	defer c.room.mu.Unlock()
	e := event{Conversation: c.number, Event: what, Text: text}
	if json.Valid(message) {
		e.Message = message
	}
	err := c.room.a.Show(e, func(w io.Writer) error {
		if strings.ContainsFunc(text, unicode.IsControl) {
			text = strconv.Quote(text) // it stays one line, whoever wrote it
		}
		_, err := fmt.Fprintf(w, "%d %-8s %s\n", c.number, what, text)
		return err
	})
	if err != nil && c.fault == nil {
		c.fault = err
	}
}

// See implements link.Owner.
func (c *conversation) See(m talk.Move, done talk.Done, refused error) (out []talk.Move) {
	if refused != nil {
		c.tell("refused", refused.Error(), nil)
		return nil
	}
	if a := done.Proposed; a != nil {
		c.mu.Lock()
		c.owner.Proposed(a)
		c.mu.Unlock()
		c.terms("propose", a)
	}
	for _, raw := range done.Send {
		c.tell("sent", short(raw), raw)
		c.remember("you", short(raw))
		c.record("sent", raw, c.room.key.Principal().String(), c.peer, words(raw))
	}
	if m.Kind == talk.Frame && len(done.Heard) == 0 {
		c.record("refused", m.Raw, c.peer, c.room.key.Principal().String(), "")
	}
	for _, h := range done.Heard {
		text := string(h.What)
		if h.What != talk.Call && h.What != talk.Proposal { // their terms follow below
			text += " " + short(m.Raw)
		}
		c.tell("heard", text, m.Raw)
		c.record("heard", m.Raw, c.peer, c.room.key.Principal().String(), string(h.What))
		c.unknown(h)
		switch h.What {
		case talk.Call:
			c.page("call", string(h.Message.Content), "")
		case talk.Proposal:
			c.terms("terms", h.Terms)
		}
	}
	if a := done.Agreed; a != nil {
		c.mu.Lock()
		c.owner.Agreed(a)
		c.mu.Unlock()
		c.agreed(a)
	}
	for _, h := range done.Heard {
		c.remember("peer", string(h.What)+" "+short(m.Raw))
		c.mu.Lock()
		replies, ask := c.owner.Reply(h)
		c.mu.Unlock()
		out = append(out, replies...)
		if ask || c.pursues(h.What) && len(replies) == 0 {
			out = append(out, c.think(h, ask)...)
		}
		c.mu.Lock()
		if c.whats = append(c.whats, h.What); len(c.whats) > 1024 {
			c.whats = c.whats[1:]
		}
		if c.news != nil {
			close(c.news)
			c.news = nil
		}
		c.mu.Unlock()
	}
	if e := done.Ended; e != nil {
		c.ended = e
		text := e.How
		if e.Err != nil {
			text += ": " + e.Err.Error()
		}
		c.tell("end", text, nil)
		// No words of the peer: the log stays, also if both promised to keep nothing.
		c.record("end", nil, c.peer, c.room.key.Principal().String(), e.How)
		out = nil
	}
	return out
}

func words(raw []byte) string {
	m, err := anex.Parse(raw)
	if err != nil {
		return "text"
	}
	return strings.ToLower(string(m.Performative))
}

// file is where an agreement is kept.
func (c *conversation) file(a *talk.Agreement) string {
	return filepath.Join(c.room.home, "agreements", a.Hash()+".json")
}

// alone ends the name of a file with terms that the owner has signed and the other side has not.
const alone = ".signed-by-you.json"

// Keep implements link.Owner. Agreements without signatures are not kept. Terms that the owner
// alone has signed are: whatever the other side says after that, it has the signature.
func (c *conversation) Keep(a *talk.Agreement) error {
	lone := strings.TrimSuffix(c.file(a), ".json") + alone
	if self := c.room.key.Principal().String(); len(a.Signatures) == 1 && a.SignedBy(self) {
		return c.save(a, lone)
	}
	if c.thought != nil && erases(a) {
		if err := c.thought.mustForget(c.room.store, c.room.home); err != nil {
			return c.fail(err)
		}
	}
	if erases(a) && c.said != nil && !c.marked {
		// A command that was killed leaves a file that the next one deletes.
		if err := os.Rename(c.said.Name(), c.said.Name()+erased); err != nil {
			return c.fail(err)
		}
		c.marked = true
	}
	if a.Verify() != nil {
		return nil
	}
	if err := c.save(a, c.file(a)); err != nil {
		return err
	}
	if err := os.Remove(lone); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c.fail(err)
	}
	return nil
}

// save writes the file of an agreement.
func (c *conversation) save(a *talk.Agreement, file string) error {
	raw, err := a.Canonical()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		err = durable.WriteFile(file, append(raw, '\n'))
	}
	if err != nil {
		return c.fail(fmt.Errorf("the agreement %s cannot be kept: %w", a.Hash(), err))
	}
	return nil
}

// agreed tells of an agreement that was kept.
func (c *conversation) agreed(a *talk.Agreement) {
	raw, err := a.Canonical()
	if err != nil {
		_ = c.fail(err) // the conversation goes on; its exit status says it
		return
	}
	text := "not signed: " + a.Hash()
	if a.Verify() == nil {
		text = c.file(a)
	}
	c.tell("agreed", text, raw)
	c.record("agreed", nil, a.Asker, a.Holder, a.Hash())
}

// fail remembers a failure for the exit status, shows it, and returns it.
func (c *conversation) fail(err error) error {
	c.room.mu.Lock()
	if c.fault == nil {
		c.fault = err
	}
	c.room.mu.Unlock()
	c.tell("refused", err.Error(), nil)
	return err
}

// record writes what was said to the home, and that it was said to the audit log. Of a frame that
// is refused only the hash is kept, so that a stranger's junk fills no disk.
func (c *conversation) record(what string, raw []byte, from, to, reason string) {
	act := audit.AgentInvoke{Capability: "anex." + what, Result: what, Reason: fmt.Sprintf("%.300s", reason), Conversation: audit.Conversation(c.session.Conversation())}
	var errs error
	for _, side := range []struct {
		name string
		into *delegation.Principal
	}{{from, &act.From}, {to, &act.To}} {
		// A peer of plain text has no key; it stays the zero key.
		if p, err := delegation.ParsePrincipal(side.name); err == nil {
			*side.into = p
		}
	}
	if raw != nil {
		sum := sha256.Sum256(raw)
		act.Call = "sha256:" + hex.EncodeToString(sum[:])
		if what != "refused" {
			errs = c.write(what, raw)
		}
	}
	if errs = errors.Join(errs, c.room.trail.Append(act)); errs != nil {
		_ = c.fail(errs) // the conversation goes on; its exit status says it
	}
}

// forgetTime is how long an agent host may take to forget.
const forgetTime = 30 * time.Second

// fileCost is what a file costs besides its content.
const fileCost = 4 << 10

// write appends to the file with what was said, if the store has room for it.
func (c *conversation) write(what string, raw []byte) error {
	line, err := json.Marshal(map[string]any{"at": time.Now().UnixMilli(), "what": what, "raw": string(raw), "peer": c.peer})
	if err != nil {
		return err
	}
	n := len(line) + 1
	if c.said == nil {
		n += fileCost
	}
	if !c.room.store.take(c.about, n) {
		if !c.full {
			c.full = true
			c.tell("full", errFull.Error(), nil)
		}
		return nil
	}
	c.kept += n
	if c.said == nil {
		if c.said, err = c.room.store.create(c.about); err != nil {
			return err
		}
	}
	_, err = c.said.Write(append(line, '\n'))
	return err
}

// close ends a conversation: it deletes what was said if that was promised.
func (c *conversation) close() error {
	c.room.mu.Lock()
	err := c.fault
	c.room.mu.Unlock()
	if c.said != nil {
		err = errors.Join(err, c.said.Close())
		if c.marked {
			err = errors.Join(err, os.Remove(c.said.Name()+erased))
			c.room.store.free(c.about, c.kept)
			c.tell("erased", c.said.Name(), nil)
		}
	}
	if c.thought != nil && c.thought.erase {
		ctx, stop := context.WithTimeout(context.Background(), forgetTime)
		defer stop()
		if failed := c.room.mind.forget(ctx, c.room.store, c.room.home, c.thought.key.Principal().String()); failed != nil {
			c.tell("refused", failed.Error(), nil)
			err = errors.Join(err, failed)
		}
	}
	if err == nil && c.ended != nil && c.ended.How != "completed" {
		err = cli.Fail("the conversation ended as %s: %v", c.ended.How, c.ended.Err)
	}
	return err
}

// erases reports whether an agreement demands that data is deleted.
func erases(a *talk.Agreement) bool {
	for _, p := range a.Promise {
		if p == talk.NoRetention {
			return true
		}
	}
	return false
}

// unknown says which vocabularies of terms the owner does not have, so that nobody signs words that
// are in none without knowing it, and which data do not fit those of the agreement.
func (c *conversation) unknown(h talk.Heard) {
	var names []string
	switch {
	case h.What == talk.Call && h.CFP != nil:
		names = c.room.words.Unknown(h.CFP.Ontologies)
	case h.What == talk.Proposal:
		names = c.room.words.Unknown(h.Terms.Ontologies)
	case h.What == talk.Data || h.What == talk.Update:
		c.mu.Lock()
		err := c.owner.Fits(h.Message.Content)
		c.mu.Unlock()
		if err != nil {
			c.tell("unfit", err.Error(), nil)
		}
	}
	for _, name := range names {
		c.tell("unknown", "the vocabulary "+name+" is not here, so nothing compares the terms with it; --ontology loads it", nil)
	}
}
