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
	"strconv"
	"strings"
	"sync"
	"time"

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

	mu     sync.Mutex
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
	Event        string          `json:"event"` // begin, sent, heard, agreed, refused, full, end, or decide
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
	for _, raw := range done.Send {
		c.tell("sent", short(raw), raw)
		c.record("sent", raw, c.room.key.Principal().String(), c.peer, words(raw))
	}
	if m.Kind == talk.Frame && len(done.Heard) == 0 {
		c.record("refused", m.Raw, c.peer, c.room.key.Principal().String(), "")
	}
	for _, h := range done.Heard {
		c.tell("heard", string(h.What)+" "+short(m.Raw), m.Raw)
		c.record("heard", m.Raw, c.peer, c.room.key.Principal().String(), string(h.What))
	}
	if a := done.Agreed; a != nil {
		c.mu.Lock()
		c.owner.Agreed(a)
		c.mu.Unlock()
		c.keep(a)
	}
	for _, h := range done.Heard {
		c.mu.Lock()
		replies, ask := c.owner.Reply(h)
		c.mu.Unlock()
		out = append(out, replies...)
		if ask {
			c.room.mu.Lock()
			c.room.asked = c.number
			c.room.mu.Unlock()
			c.tell("decide", "what do you say? help lists it", nil)
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
		c.record("end", nil, c.peer, c.room.key.Principal().String(), text)
		out = nil
	}
	return out
}

// short is a message as people read it: what it does, and its content.
func short(raw []byte) string {
	m, err := anex.Parse(raw)
	if err != nil && m.Performative == "" {
		return string(raw[:min(len(raw), 300)])
	}
	return fmt.Sprintf("%s %.600s", m.Performative, m.Content)
}

func words(raw []byte) string {
	m, err := anex.Parse(raw)
	if err != nil {
		return "text"
	}
	return strings.ToLower(string(m.Performative))
}

// keep stores an agreement.
func (c *conversation) keep(a *talk.Agreement) {
	raw, err := a.Canonical()
	dir := filepath.Join(c.room.home, "agreements")
	path := filepath.Join(dir, a.Hash()+".json")
	text := "not signed: " + a.Hash()
	if err == nil && a.Verify() == nil {
		text = path
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = durable.WriteFile(path, append(raw, '\n'))
		}
	}
	if err != nil {
		c.fail(err)
		return
	}
	if erases(a) && c.said != nil && !c.marked {
		// A command that was killed leaves a file that the next one deletes.
		if err := os.Rename(c.said.Name(), c.said.Name()+erased); err != nil {
			c.fail(err)
			return
		}
		c.marked = true
	}
	c.tell("agreed", text, raw)
	c.record("agreed", nil, a.Asker, a.Holder, a.Hash())
}

func (c *conversation) fail(err error) {
	c.room.mu.Lock()
	if c.fault == nil {
		c.fault = err
	}
	c.room.mu.Unlock()
	c.tell("refused", err.Error(), nil)
}

// record writes what was said to the home, and that it was said to the audit log. Of a frame that
// is refused only the hash is kept, so that a stranger's junk fills no disk.
func (c *conversation) record(what string, raw []byte, from, to, reason string) {
	act := audit.AgentInvoke{Capability: "anex." + what, Result: what, Reason: fmt.Sprintf("%.300s", reason)}
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
		c.fail(errs)
	}
}

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

// maxTyped is the longest line that a person may type.
const maxTyped = 1 << 20

// read hands what people type to conversations. A line may begin with the number of one.
func (r *room) read(ctx context.Context, in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxTyped)
	for ctx.Err() == nil && lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if line == "help" {
			r.mu.Lock()
			_, _ = fmt.Fprintln(r.a.Err, owner.Commands)
			r.mu.Unlock()
			continue
		}
		c, rest := r.addressed(ctx, line)
		if c == nil {
			r.mu.Lock()
			_, _ = fmt.Fprintln(r.a.Err, "no conversation is open")
			r.mu.Unlock()
			continue
		}
		c.typed(ctx, rest)
	}
}

// addressed finds the conversation of a line. It waits for the first one.
func (r *room) addressed(ctx context.Context, line string) (*conversation, string) {
	select {
	case <-ctx.Done():
		return nil, ""
	case <-r.begun:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if word, rest, found := strings.Cut(line, " "); found {
		if n, err := strconv.Atoi(word); err == nil && r.all[n] != nil {
			return r.all[n], rest
		}
	}
	return r.all[r.asked], line
}

// typed says what a person typed.
func (c *conversation) typed(ctx context.Context, line string) {
	c.mu.Lock()
	said, err := c.owner.ReadLine(line)
	c.mu.Unlock()
	if err != nil {
		c.tell("refused", err.Error(), nil)
		return
	}
	if said.Await != "" {
		c.await(ctx, said.Await)
		return
	}
	select {
	case c.moves <- said.Move:
	case <-c.over:
	case <-ctx.Done():
	}
}

// await waits until something is heard that was not awaited before.
func (c *conversation) await(ctx context.Context, what talk.What) {
	for {
		c.mu.Lock()
		for len(c.whats) > 0 {
			first := c.whats[0]
			c.whats = c.whats[1:]
			if first == what {
				c.mu.Unlock()
				return
			}
		}
		if c.news == nil {
			c.news = make(chan struct{})
		}
		news := c.news
		c.mu.Unlock()
		select {
		case <-news:
		case <-c.over:
			return
		case <-ctx.Done():
			return
		}
	}
}
