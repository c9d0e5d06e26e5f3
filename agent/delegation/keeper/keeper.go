package keeper

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ojud/agent/delegation"
)

const (
	maxSeen  = 100_000 // calls that are remembered
	maxOpen  = 10_000  // calls that run or wait
	maxLinks = 100_000 // links with spending, and links that were taken back
	maxLife  = 24 * 60 * 60
	skew     = int64(delegation.Skew / 1e9)
	// maxPassed bounds what one Passed ends and forgets, so that its writes fit one transaction.
	maxPassed = 256
	// answerTime is how long a call waits for a person, in seconds.
	answerTime = 15 * 60
)

// The prefixes of keys.
const (
	seenKey    = "n/"
	callKey    = "c/"
	spentKey   = "s/"
	revokedKey = "r/"
)

// Occurrence is something that happened.
type Occurrence interface{ event() }

// Asked says that a call was checked, and asks whether it may run.
type Asked struct {
	Call     string // CID
	Permit   delegation.Permit
	Caller   delegation.Principal
	Executor delegation.Principal
	Expires  int64    // of the call, Unix seconds
	Domains  []string // that the call is in, as the executor knows it
	Now      int64
}

// Settled says what a call did spend. A call that did nothing spent nothing.
type Settled struct {
	Call  string
	Spent delegation.Amounts
}

// Answered says that a person answered a call that waits.
type Answered struct {
	Call string
	Yes  bool
	Now  int64
}

// Revoked says that a link was taken back.
type Revoked struct{ Link string }

// Passed says that time passed.
type Passed struct{ Now int64 }

func (Asked) event()    {}
func (Settled) event()  {}
func (Answered) event() {}
func (Revoked) event()  {}
func (Passed) event()   {}

// Effect is something to do.
type Effect interface{ effect() }

// Put writes a value under a key.
type Put struct {
	Key   string
	Value []byte
}

// Delete removes a key.
type Delete struct{ Key string }

// Admit lets a call run.
type Admit struct{ Call string }

// Wait says that a person must answer before the call may run.
type Wait struct {
	Call    string
	Domains []string
	Until   int64
}

// Refuse says that a call must not run.
type Refuse struct {
	Call string
	Why  *delegation.Refusal
}

func (Put) effect()    {}
func (Delete) effect() {}
func (Admit) effect()  {}
func (Wait) effect()   {}
func (Refuse) effect() {}

// OpenCall is a call that was admitted and not settled, or that waits for a person.
type OpenCall struct {
	Caller   delegation.Principal `json:"caller"`
	Executor delegation.Principal `json:"executor"`
	Command  string               `json:"command"`
	Links    []string             `json:"links"`
	Spend    delegation.Amounts   `json:"spend"`
	Waiting  bool                 `json:"waiting"`
	Domains  []string             `json:"domains"`
	Until    int64                `json:"until"` // when waiting ends, Unix seconds
}

// spending is what was spent under a link, with what open calls may still spend.
type spending struct {
	Spent    delegation.Amounts `json:"spent"`
	Reserved delegation.Amounts `json:"reserved"`
}

// Register is what the executor remembers.
type Register struct {
	seen    map[string]int64 // until when, Unix seconds
	calls   map[string]OpenCall
	spent   map[string]spending
	revoked map[string]bool
}

// New returns a Register that remembers nothing.
func New() *Register {
	return &Register{seen: map[string]int64{}, calls: map[string]OpenCall{}, spent: map[string]spending{}, revoked: map[string]bool{}}
}

// Load takes back one value that Put wrote.
func (s *Register) Load(key string, value []byte) error {
	read := func(v any) error {
		if err := json.Unmarshal(value, v); err != nil {
			return fmt.Errorf("keeper: the value of %.80q is damaged: %w", key, err)
		}
		return nil
	}
	prefix, id := key[:min(2, len(key))], key[min(2, len(key)):]
	switch prefix {
	case seenKey:
		var until int64
		err := read(&until)
		s.seen[id] = until
		return err
	case callKey:
		var c OpenCall
		err := read(&c)
		s.calls[id] = c
		return err
	case spentKey:
		var sp spending
		err := read(&sp)
		s.spent[id] = sp
		return err
	case revokedKey:
		s.revoked[id] = true
		return nil
	}
	return fmt.Errorf("keeper: %.80q is no key of this version", key)
}

// IsRevoked reports whether a link was taken back.
func (s *Register) IsRevoked(link string) bool { return s.revoked[link] }

// Open returns the calls that were admitted and not settled, and those that wait.
func (s *Register) Open() map[string]OpenCall { return maps.Clone(s.calls) }

// Spent returns what was spent under a link, and what open calls may still spend.
func (s *Register) Spent(link string) (spent, reserved delegation.Amounts) {
	sp := s.spent[link]
	return sp.Spent, sp.Reserved
}

// Step takes an event and returns what to do, writes first.
func (s *Register) Step(e Occurrence) []Effect {
	switch e := e.(type) {
	case Asked:
		return s.ask(e)
	case Settled:
		return s.settle(e)
	case Answered:
		return s.answer(e)
	case Revoked:
		if s.revoked[e.Link] {
			return nil
		}
		s.revoked[e.Link] = true
		return []Effect{put(revokedKey+e.Link, true)}
	case Passed:
		return s.pass(e.Now)
	}
	return nil
}

func (s *Register) ask(e Asked) []Effect {
	if why := s.refusal(e); why != nil {
		return []Effect{Refuse{e.Call, why}}
	}
	c := OpenCall{Caller: e.Caller, Executor: e.Executor, Command: e.Permit.Command, Spend: e.Permit.Spend, Links: []string{}, Domains: []string{}}
	for _, l := range e.Permit.Links {
		c.Links = append(c.Links, l.ID)
	}
	for _, d := range e.Domains {
		if slices.Contains(e.Permit.Approval, d) {
			c.Domains = append(c.Domains, d)
		}
	}
	var decision Effect = Admit{e.Call}
	if len(c.Domains) > 0 {
		c.Waiting, c.Until = true, min(e.Now+answerTime, e.Expires)
		decision = Wait{e.Call, c.Domains, c.Until}
	}
	s.seen[e.Call] = e.Expires + 2*skew
	s.calls[e.Call] = c
	out := []Effect{put(seenKey+e.Call, s.seen[e.Call]), put(callKey+e.Call, c)}
	return append(append(out, s.book(c, delegation.Amounts{}, 1)...), decision)
}

// refusal says why a call must not run, or nil.
func (s *Register) refusal(e Asked) *delegation.Refusal {
	if _, ok := s.seen[e.Call]; ok {
		return delegation.Refuse(delegation.Replayed, "nonce", "this call was seen before; sign a new one")
	}
	if e.Expires > e.Now+maxLife+skew {
		return delegation.Refuse(delegation.InvalidClaim, "exp", "the call may wait for more than 24 hours; give it an earlier expiry")
	}
	switch {
	case len(s.seen) >= maxSeen:
		return delegation.Refuse(delegation.Busy, "", "%d calls are remembered, at most %d; try later", len(s.seen), maxSeen)
	case len(s.calls) >= maxOpen:
		return delegation.Refuse(delegation.Busy, "", "%d calls run or wait, at most %d; try later", len(s.calls), maxOpen)
	case len(s.spent)+len(e.Permit.Links) > maxLinks:
		return delegation.Refuse(delegation.Busy, "", "spending under %d links is counted, at most %d", len(s.spent), maxLinks)
	}
	for n, l := range e.Permit.Links {
		if s.revoked[l.ID] {
			return link(n, l.ID, delegation.Refuse(delegation.Revoked, "", "it was taken back"))
		}
		spent, reserved := s.Spent(l.ID)
		for unit, most := range l.Budget {
			left := most - spent[unit] - reserved[unit]
			if most != delegation.Unlimited && e.Permit.Spend[unit] > left {
				return link(n, l.ID, delegation.Refuse(delegation.OverBudget, "budget."+delegation.Unit(unit), "the call may spend %d, and %d of %d are left", e.Permit.Spend[unit], max(0, left), most))
			}
		}
	}
	return nil
}

func link(n int, id string, r *delegation.Refusal) *delegation.Refusal {
	r.Link, r.Token = n, id
	return r
}

// book reserves what a call may spend under each of its links (by 1), or gives it back (by -1) and
// counts what it did spend.
func (s *Register) book(c OpenCall, spent delegation.Amounts, by int64) (out []Effect) {
	for _, id := range c.Links {
		sp := s.spent[id]
		for unit := range sp.Spent {
			sp.Reserved[unit] += by * c.Spend[unit]
			sp.Spent[unit] += spent[unit]
		}
		s.spent[id] = sp
		out = append(out, put(spentKey+id, sp))
	}
	return out
}

func (s *Register) settle(e Settled) []Effect {
	c, ok := s.calls[e.Call]
	if !ok || c.Waiting {
		return []Effect{Refuse{e.Call, delegation.Refuse(delegation.InvalidClaim, "call", "no such call runs")}}
	}
	for unit, n := range e.Spent {
		if n < 0 || n > c.Spend[unit] {
			return []Effect{Refuse{e.Call, delegation.Refuse(delegation.OverBudget, "spend."+delegation.Unit(unit), "the call spent %d, and it said at most %d", n, c.Spend[unit])}}
		}
	}
	return s.end(e.Call, c, e.Spent)
}

// end forgets an open call.
func (s *Register) end(id string, c OpenCall, spent delegation.Amounts) []Effect {
	delete(s.calls, id)
	return append(s.book(c, spent, -1), Delete{callKey + id})
}

func (s *Register) answer(e Answered) []Effect {
	c, ok := s.calls[e.Call]
	if ok && !c.Waiting && e.Yes { // the answer was taken, and a crash left its file
		return []Effect{Admit{e.Call}}
	}
	if !ok || !c.Waiting {
		return []Effect{Refuse{e.Call, delegation.Refuse(delegation.InvalidClaim, "call", "no such call waits for an answer")}}
	}
	refuse := func(why *delegation.Refusal) []Effect {
		return append(s.end(e.Call, c, delegation.Amounts{}), Refuse{e.Call, why})
	}
	for n, id := range c.Links {
		if s.revoked[id] {
			return refuse(link(n, id, delegation.Refuse(delegation.Revoked, "", "it was taken back while the call waited")))
		}
	}
	switch {
	case e.Now >= c.Until:
		return refuse(unanswered())
	case !e.Yes:
		return refuse(delegation.Refuse(delegation.NotApproved, "approval", "a person said no"))
	}
	c.Waiting = false
	s.calls[e.Call] = c
	return []Effect{put(callKey+e.Call, c), Admit{e.Call}}
}

func unanswered() *delegation.Refusal {
	return delegation.Refuse(delegation.NotApproved, "approval", "no person answered in time")
}

// pass refuses calls that waited too long, and forgets calls that expired: some of them if they are
// many, and the others the next time.
func (s *Register) pass(now int64) (out []Effect) {
	var refused []Effect
	var late, old []string
	for id, c := range s.calls {
		if c.Waiting && now >= c.Until {
			late = append(late, id)
		}
	}
	for id, until := range s.seen {
		if _, open := s.calls[id]; !open && now > until {
			old = append(old, id)
		}
	}
	slices.Sort(late)
	slices.Sort(old)
	for _, id := range late[:min(len(late), maxPassed)] {
		out = append(out, s.end(id, s.calls[id], delegation.Amounts{})...)
		refused = append(refused, Refuse{id, unanswered()})
	}
	for _, id := range old[:min(len(old), 16*maxPassed)] {
		delete(s.seen, id)
		out = append(out, Delete{seenKey + id})
	}
	return append(out, refused...)
}

// put writes a value, which JSON can always say.
func put(key string, v any) Effect {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("keeper: " + strings.TrimSpace(err.Error()))
	}
	return Put{key, raw}
}
