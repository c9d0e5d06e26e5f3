// Package warden decides about the calls of an agent host by delegations: it signs for the agents
// and the operator of the host, checks each chain with agent/delegation/keep, and writes the audit
// logs of the agents.
//
// A call on the host adds one link from its caller to the agent that is called. The agent's own
// signed call under the whole chain is then admitted, and reserves what it may spend under each
// link. The caller of a call from outside signs it itself. The id of an admitted call is the CID of
// that invocation.
package warden

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/agent/delegation/keeper"
	"ojud/agent/host"
)

const (
	// waitTime is how long a link and a call of the host last beside the time of the call: the time
	// that a person has, and a minute.
	waitTime  = 16 * time.Minute
	maxTrails = 64 // audit logs that are open at once
)

// Warden decides about calls by delegations. Several goroutines may use it.
type Warden struct {
	keep   *keep.Keep
	folder string // of keep
	owner  delegation.Signer
	logs   string

	mu     sync.Mutex
	keys   map[delegation.Principal]delegation.Signer
	trails map[delegation.Principal]*audit.Trail
	pace   pace
}

// Open opens what the home remembers of delegations. The operator owns the host: chains begin at
// the operator, or at an agent of the host. The operator answers calls that wait for a person.
func Open(home string, operator delegation.Signer) (*Warden, error) {
	w := &Warden{
		owner: operator, logs: filepath.Join(home, "audit"), folder: filepath.Join(home, "delegations"),
		keys: map[delegation.Principal]delegation.Signer{operator.Principal(): operator}, trails: map[delegation.Principal]*audit.Trail{},
	}
	var err error
	person := func(p delegation.Principal) bool { return p == operator.Principal() }
	w.keep, err = keep.Open(w.folder, time.Now, person, logbook{w})
	return w, err
}

// Waiting are the calls that wait for the operator.
type Waiting struct {
	folder string
	owner  delegation.Signer
}

// Waiting returns the calls that wait for the operator.
func (w *Warden) Waiting() Waiting { return Waiting{w.folder, w.owner} }

// Waits returns them by their ids.
func (w Waiting) Waits() (map[string]keeper.OpenCall, error) { return keep.Waits(w.folder) }

// Question returns what the operator is asked about one, or keep.ErrNotWaiting.
func (w Waiting) Question(call string) (keep.AskedCall, error) { return keep.Question(w.folder, call) }

// Answer signs the operator's answer to one. The next Look takes it.
func (w Waiting) Answer(call string, yes bool) error {
	_, err := keep.Answer(w.folder, w.owner, call, yes, time.Now())
	return err
}

// Close closes the store and the audit logs.
func (w *Warden) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.keep.Close(), w.shut())
}

// shut closes the audit logs.
func (w *Warden) shut() (err error) {
	for _, t := range w.trails {
		err = errors.Join(err, t.Close())
	}
	clear(w.trails)
	return err
}

// Add takes the key of an agent of the host.
func (w *Warden) Add(s delegation.Signer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keys[s.Principal()] = s
}

// Operator returns who owns the host.
func (w *Warden) Operator() delegation.Principal { return w.owner.Principal() }

func (w *Warden) signer(p delegation.Principal) delegation.Signer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.keys[p]
}

// logbook is the audit log of the executor, or of the operator if there is none.
type logbook struct{ *Warden }

// Append implements keep.Logbook.
func (l logbook) Append(act audit.AgentInvoke) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(act.To, act)
}

// Complete implements keep.Logbook.
func (l logbook) Complete(act audit.AgentInvoke) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, err := l.trail(act.To)
	if err != nil {
		return err
	}
	return t.Complete(act)
}

// Spent returns what calls did spend under a link, and what those that run or wait may still spend.
func (w *Warden) Spent(link string) (spent, reserved delegation.Amounts) { return w.keep.Spent(link) }

// called writes into the audit log of a caller on this host that it called.
func (w *Warden) called(act audit.AgentInvoke) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.append(act.From, act)
}

// Inner writes into the audit logs of two agents of the host what becomes of a call that one makes
// of the other without a delegation.
func (w *Warden) Inner(from, to delegation.Principal, c host.Invocation, result string) error {
	command, err := Command(c.Target)
	if err != nil {
		return err
	}
	act := audit.AgentInvoke{From: from, To: to, Capability: command, Call: c.ID, Chain: []string{}, Result: result, Reason: c.Status, Outcome: c.Outcome()}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.append(to, act); err != nil || from == to {
		return err
	}
	return w.append(from, act)
}

// append writes an entry. The caller holds mu.
func (w *Warden) append(of delegation.Principal, act audit.AgentInvoke) error {
	t, err := w.trail(of)
	if err != nil {
		return err
	}
	return t.Append(act)
}

// trail opens an audit log. The caller holds mu.
func (w *Warden) trail(of delegation.Principal) (*audit.Trail, error) {
	key := w.keys[of]
	if key == nil {
		key = w.owner
	}
	t := w.trails[key.Principal()]
	if t == nil {
		if len(w.trails) >= maxTrails {
			if err := w.shut(); err != nil {
				return nil, err
			}
		}
		var err error
		if t, err = audit.Open(w.logs, key, func() int64 { return time.Now().Unix() }); err != nil {
			return nil, err
		}
		w.trails[key.Principal()] = t
	}
	return t, nil
}

// admit asks the store.
func (w *Warden) admit(c keep.Incoming, own delegation.Amounts, g Granted) (Granted, error) {
	v, err := w.keep.Admit(c)
	if err != nil {
		return g, err
	}
	if v.State == keep.Refused {
		return g, asked(refused(v.Why), c.Invocation.Command)
	}
	g.Call, g.Waits, g.Tokens, g.Micros = v.Call, v.State == keep.Waiting, int(own[1]), uint64(own[2])
	return g, nil
}

// Settle ends what a call reserved. It spent no more than it had reserved.
func (w *Warden) Settle(c host.Invocation, tokens int, micros uint64) error {
	_, err := w.keep.Settle(c.ID, delegation.Amounts{0, int64(min(tokens, c.MayTokens)), int64(min(micros, c.MayMicros))}, c.Outcome())
	return err // a call that was settled before is not an error
}

// Recover settles calls that the last host left behind. Find finds what that host saved of a call.
// A call that was never accepted spent nothing. One that was broken off spent all that it may,
// because the host cannot know what it did.
func (w *Warden) Recover(find func(id string) (host.Invocation, bool, error)) error {
	if err := w.keep.Complete(); err != nil {
		return err
	}
	for id, open := range w.keep.Open() {
		c, found, err := find(id)
		if err != nil {
			return err
		}
		if open.Waiting || found && c.Stage != host.Over {
			continue
		}
		c.ID = id
		tokens, micros := c.Tokens, c.Micros
		if c.Started > 0 && (c.Status == host.Cancelled || c.Status == host.Interrupted) {
			tokens, micros = c.MayTokens, c.MayMicros
		}
		if err := w.Settle(c, tokens, micros); err != nil {
			return err
		}
	}
	return nil
}

// State says what became of a call that waited for a person: it still waits, or may be made.
func (w *Warden) State(id string) (waits, admitted bool) {
	c, open := w.keep.Open()[id]
	return open && c.Waiting, open && !c.Waiting
}

// PersonSaid is what became of a call that waited for a person. Problem is empty if it may be made.
// Stop says that it runs and must end, because a link was taken back.
type PersonSaid struct {
	Call, Problem string
	Stop          bool
}

// Look takes answers and revocations, and lets time pass.
func (w *Warden) Look() (out []PersonSaid, err error) {
	all, err := w.keep.Look()
	for _, v := range all {
		a := PersonSaid{Call: v.Call, Stop: v.State == keep.Stopped}
		if v.Why != nil {
			a.Problem = v.Why.Error()
		}
		out = append(out, a)
	}
	return out, err
}

// Allows reports whether a chain allows the agent at its end a capability or a tool. Without a
// chain everything is allowed.
func Allows(chain json.RawMessage, name string) error {
	if len(chain) == 0 {
		return nil
	}
	all, err := links(chain)
	if err != nil {
		return refused(err)
	}
	command, err := delegation.ParseCommand(name)
	if err == nil {
		err = delegation.Allows(all, command, delegation.Amounts{})
	}
	return asked(refused(err), command)
}

// Lease is that of an agent that is deployed under a chain: it ends with the first link.
func Lease(chain json.RawMessage) (out host.Lease, err error) {
	all, err := links(chain)
	if err != nil || len(all) == 0 {
		return out, refused(err)
	}
	first := all[0]
	out = host.Lease{Delegate: first.Audience.String(), Link: first.ID()}
	if first.Expires <= math.MaxInt64/1000 {
		out.Until = first.Expires * 1000
	}
	return out, nil
}

// Revoked reports whether a link was taken back.
func (w *Warden) Revoked(link string) bool { return w.keep.Revoked(link) }

// asked adds to a refusal what was asked for.
func asked(err error, command string) error {
	if r, ok := err.(*host.Refused); ok { //nolint:errorlint // it was made here, and nothing wraps it
		r.Words += "; the call is " + command
	}
	return err
}

// Tool returns the name of a tool in a delegation.
func Tool(name string) string { return "tool." + name }

// Command returns the command of a call: /writer/draft for agent://writer/draft.
func Command(t host.Target) (string, error) {
	return delegation.ParseCommand("/" + t.Agent + "/" + strings.ReplaceAll(t.Capability, ".", "/"))
}

// links reads the file of a chain; nil is none.
func links(chain json.RawMessage) ([]*delegation.Delegation, error) {
	if len(chain) == 0 {
		return nil, nil
	}
	return delegation.ParseChain(chain)
}

// refused turns a refusal of a delegation into one of the host, which keeps its name.
func refused(err error) error {
	if err == nil {
		return nil
	}
	var r *delegation.Refusal
	if !errors.As(err, &r) {
		return &host.Refused{Code: host.Form, Words: err.Error()}
	}
	code := host.Denied
	switch r.Name {
	case delegation.OverBudget:
		code = host.Budget
	case delegation.Busy:
		code = host.Busy
	case delegation.Replayed:
		code = host.Conflict
	case delegation.Malformed, delegation.TooLarge, delegation.TooDeep:
		code = host.Form
	}
	return &host.Refused{Code: code, Words: r.Error(), Name: string(r.Name)}
}

func digest(payload []byte) string {
	sum := sha256.Sum256(payload)
	return hex.EncodeToString(sum[:])
}

func nonce() []byte {
	out := make([]byte, 16)
	rand.Read(out)
	return out
}
