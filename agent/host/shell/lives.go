package shell

import (
	"context"
	"errors"
	"fmt"

	"ojud/agent/host"
	"ojud/agent/host/keep"
	"ojud/agent/host/manifest"
	"ojud/casefile"
)

// Seed is a new agent: the text of a file, or the agent on this host of which it is a copy. An
// agent can only spawn copies, because a text can name any program.
type Seed struct {
	ID            string `json:"id"`
	Like          string `json:"like,omitempty"`
	Text          string `json:"text,omitempty"`
	manifest.Less        // of a copy

	lease host.Lease
}

// Spawn makes a new agent.
func (h *Host) Spawn(by Caller, s Seed) error {
	form := func(err error) error { return &host.Refused{Code: host.Form, Words: err.Error()} }
	if (s.Like == "") == (s.Text == "") {
		return form(errors.New("a new agent has a text, or is like another agent; give one of them"))
	}
	if s.Text != "" && s.Any() {
		return form(errors.New("limits, autonomy and capabilities are for a copy; write those of a new agent into its text"))
	}
	if s.Text != "" && by.ID != host.Operator {
		return &host.Refused{Code: host.Denied, Words: "an agent can only spawn copies of agents of this host; give the id of one in like"}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.Like != "" {
		_, _, refused := h.core.Look(s.Like)
		if by.ID != host.Operator { // who may have ended it, so that nobody runs it
			refused = h.core.Living(s.Like)
		}
		if refused != nil {
			return refused
		}
		if err := h.mayCopy(by, s); err != nil {
			return err
		}
		var err error
		if s.Text, err = h.files[s.Like].Copy(s.Less); err != nil {
			return &host.Refused{Code: host.Denied, Words: err.Error()}
		}
	}
	m, err := directory(h.dir).parse(s.ID, s.Text)
	if err != nil {
		return form(err)
	}
	if _, _, refused := h.core.Look(m.ID); refused == nil { // before it gets a key
		return &host.Refused{Code: host.Conflict, Words: fmt.Sprintf("this host has an agent %s already, or had one; take another id", m.ID)}
	}
	if refused := h.core.MaySpawn(by.ID, s.lease.Delegate, m.Definition); refused != nil {
		return refused
	}
	key, err := h.identity(m, false)
	if err != nil {
		return err
	}
	did := casefile.DID(key.Address()).String()
	for _, v := range h.core.Portraits() {
		if v.DID == did {
			return &host.Refused{Code: host.Conflict, Words: fmt.Sprintf("agent %s of this host has the key of %s, or had it; no two agents have one key", v.ID, m.ID)}
		}
	}
	h.files[m.ID], h.keys[m.ID] = m, key
	h.warden.Add(Signer{key})
	ref := words()
	err = h.settle(ref, host.Spawned{By: by.ID, Lease: s.lease, Definition: m.Definition, DID: did, Text: m.Text, Ref: ref, Now: now()})
	if err != nil {
		delete(h.files, m.ID)
		delete(h.keys, m.ID)
	}
	return err
}

// Ask changes the life of an agent. A demand to wake waits until the agent is open.
func (h *Host) Ask(ctx context.Context, by Caller, id string, what host.Demand) error {
	awake := make(chan string, 1)
	ref := words()
	h.mu.Lock()
	err := h.settle(ref, host.Asked{By: by.ID, Agent: id, What: what, Ref: ref, Now: now()})
	waits := err == nil && what == host.Wake && h.workers[id] == nil
	if waits {
		h.waking[id] = append(h.waking[id], awake)
	}
	h.mu.Unlock()
	if !waits {
		return err
	}
	select {
	case problem := <-awake:
		if problem != "" {
			return fmt.Errorf("agent %s cannot be woken: %s", id, problem)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-h.life.Done():
		return context.Cause(h.life)
	}
}

// List returns all agents.
func (h *Host) List(by Caller) ([]host.Portrait, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if refused := h.core.May(by.ID, host.ActLook, ""); refused != nil {
		return nil, refused
	}
	all := h.core.Portraits()
	for i := range all {
		all[i] = withHealth(h, all[i])
	}
	return all, nil
}

// Look returns one agent.
func (h *Host) Look(by Caller, id string) (host.Portrait, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if refused := h.core.May(by.ID, host.ActLook, ""); refused != nil {
		return host.Portrait{}, refused
	}
	v, _, refused := h.core.Look(id)
	if refused != nil {
		return v, refused
	}
	return withHealth(h, v), nil
}

// Recall returns memories of an agent: the operator sees all of them, and the agent those
// that it knows in its present call.
func (h *Host) Recall(by Caller, id, kind, text string, most int) ([]keep.Recollection, error) {
	if kind != "" && kind != keep.Working && kind != keep.Pattern {
		return nil, &host.Refused{Code: host.Form, Words: fmt.Sprintf("kind is %.40q; write %q or %q, or leave it out", kind, keep.Working, keep.Pattern)}
	}
	if most < 1 || most > 100 {
		return nil, &host.Refused{Code: host.Form, Words: fmt.Sprintf("limit is %d; set it to 1 to 100", most)}
	}
	h.mu.Lock()
	_, refused := h.remembers(by, id)
	c, open := h.core.Open(by.Call)
	h.mu.Unlock()
	switch {
	case refused != nil:
		return nil, refused
	case by.ID == host.Operator:
		return h.disk.Recall(id, nil, kind, text, most)
	case !open:
		return nil, &host.Refused{Code: host.Gone, Words: "the call in which the agent asks is over"}
	}
	return h.disk.Recall(id, keep.Known(c.Behalf), kind, text, most)
}

// Learn keeps what the operator taught an agent, or what it learned in a call, for such calls.
func (h *Host) Learn(by Caller, id, when, then string) error {
	for field, text := range map[string]string{"when": when, "then": then} {
		if text == "" || len(text) > keep.MaxMemory {
			return &host.Refused{Code: host.Form, Words: fmt.Sprintf("%s has %d bytes; write 1 to %d", field, len(text), keep.MaxMemory)}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	d, refused := h.remembers(by, id)
	if refused != nil {
		return refused
	}
	if h.broken != nil {
		return h.broken
	}
	of := keep.Taught
	if by.ID != host.Operator {
		c, open := h.core.Open(by.Call)
		if !open {
			return &host.Refused{Code: host.Gone, Words: "the call in which the agent asks is over"}
		}
		of = c.Circle()
	}
	return h.disk.Learn(id, keep.Recollection{Kind: keep.Pattern, Of: of, When: when, Then: then, At: now()}, d.Quota.Memories)
}

// forgetting is the input of agent.forget.
type forgetting struct {
	Agent string `json:"agent"` // empty: all agents
	Of    string `json:"of"`    // did:key of a guest, or of the delegate of guests
}

// Forgotten says what agent.forget has erased.
type Forgotten struct {
	Agent    string `json:"agent,omitempty"`
	Of       string `json:"of"`
	Memories int    `json:"memories"`
	Calls    int    `json:"calls"`
}

// forget ends the calls of a guest that are under way, and erases the guest's calls and what agents
// remember of the guest.
func forget(h *Host, by Caller, f forgetting) (out Forgotten, err error) {
	if by.ID != host.Operator {
		return out, &host.Refused{Code: host.Denied, Words: "only the operator erases what agents remember"}
	}
	if _, err := casefile.ParseDID(f.Of); err != nil {
		return out, &host.Refused{Code: host.Form, Words: fmt.Sprintf("of is %.80q, which is no did:key of a guest", f.Of)}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	ids := []string{f.Agent}
	if f.Agent == "" {
		ids = nil
		for _, v := range h.core.Portraits() {
			ids = append(ids, v.ID)
		}
	} else if _, _, refused := h.core.Look(f.Agent); refused != nil {
		return out, refused
	}
	out = Forgotten{Agent: f.Agent, Of: f.Of}
	for _, id := range ids {
		for _, c := range h.core.Of(id) {
			if c.Guest != f.Of && c.Delegate != f.Of {
				continue
			}
			if err := h.step(host.TakenBack{Call: c.ID, Why: "what was said is forgotten", Now: now()}); err != nil {
				return out, err
			}
		}
		memories, calls, err := h.disk.ForgetGuest(id, f.Of)
		if err != nil {
			return out, err
		}
		out.Memories, out.Calls = out.Memories+memories, out.Calls+calls
	}
	return out, nil
}

// remembers returns the definition of an agent whose memory somebody wants. The caller holds mu.
func (h *Host) remembers(by Caller, id string) (host.Definition, *host.Refused) {
	v, d, refused := h.core.Look(id)
	switch {
	case refused != nil:
		return d, refused
	case v.Life == host.Terminated || v.Missing:
		return d, &host.Refused{Code: host.Gone, Words: fmt.Sprintf("agent %s is terminated, or its file is gone", id)}
	}
	return d, h.core.May(by.ID, host.ActRecall, id)
}
