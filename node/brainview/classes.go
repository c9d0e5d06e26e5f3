package brainview

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
)

// Membership is a worker or an evaluator of a class.
type Membership struct {
	Agent      string          `json:"agent"`
	Operator   string          `json:"operator,omitempty"`
	Role       string          `json:"role"`
	Class      string          `json:"class"`
	ClassName  string          `json:"class_name,omitempty"`
	Stake      casefile.Amount `json:"stake"`
	Locked     casefile.Amount `json:"locked"`            // by tasks
	Earned     casefile.Amount `json:"earned"`            // and not withdrawn
	Reputation int             `json:"reputation"`        // of 10,000, in a draw that begins now
	Sponsor    string          `json:"sponsor,omitempty"` // who vouches for it
	Vouched    casefile.Amount `json:"vouched,omitempty"` // what its sponsor loses with it
	Frozen     int64           `json:"frozen_until,omitempty"`
	Leaving    bool            `json:"leaving,omitempty"`
	Restores   int             `json:"paid_tasks_until_restored,omitempty"`
	LastActive int64           `json:"last_active,omitempty"`
}

// named is a class with the name in its document.
type named struct {
	*brain.ClassAccount
	name string
	of   finding.TaskClass
	has  bool // its document is here
}

// classBytes are those of a class before its members.
const classBytes = 64

// classes reads the classes, by their addresses.
func (r *TaskReader) classes(ctx context.Context) (map[string]named, error) {
	heads, err := r.from.Chain.Heads(ctx, "Class", r.filter(), 0, classBytes)
	if err != nil {
		return nil, err
	}
	return r.classesAt(ctx, weighty(heads)...)
}

// classesAt reads classes by their addresses. What is no class is left out.
func (r *TaskReader) classesAt(ctx context.Context, at ...onchain.Address) (map[string]named, error) {
	out := map[string]named{}
	for some := range slices.Chunk(at, maxAtOnce) {
		all, _, err := r.from.Chain.Accounts(ctx, some...)
		if err != nil {
			return nil, err
		}
		for i, a := range all {
			if a == nil || a.Owner != r.prog.ID() {
				continue
			}
			c, err := brain.DecodeClass(a.Data)
			if err != nil {
				continue // of another version
			}
			n := named{ClassAccount: c}
			if raw := r.content(ctx, c.ID); raw != nil {
				n.take(raw)
			}
			out[some[i].String()] = n
		}
	}
	return out, nil
}

// Where a class has its creator, and how many classes of one creator are read.
const (
	creatorAt  = 16
	maxOfMaker = 8
)

// weighty are the classes that are read: those whose members have most at stake, and few of one
// creator. So a stranger pushes no class out of lists by making many, but by stakes alone.
func weighty(heads []*ledger.Account) (at []onchain.Address) {
	heads = slices.Clone(heads)
	slices.SortFunc(heads, func(a, b *ledger.Account) int {
		return cmp.Or(cmp.Compare(b.Lamports, a.Lamports), slices.Compare(a.Address[:], b.Address[:]))
	})
	made := map[onchain.Address]int{}
	for _, a := range heads {
		if len(a.Data) < creatorAt+len(onchain.Address{}) || len(at) == maxClasses {
			continue
		}
		by := onchain.Address(a.Data[creatorAt:][:len(onchain.Address{})])
		if made[by]++; made[by] <= maxOfMaker {
			at = append(at, a.Address)
		}
	}
	return at
}

// take takes the document of a class.
func (n *named) take(raw []byte) {
	if of, _, err := finding.ReadClass(raw); err == nil {
		n.of, n.name, n.has = of, of.Name, true
	}
}

// Members lists the members of all classes, those with the best reputation first. An answer is
// shown again for two seconds.
func (r *TaskReader) Members(ctx context.Context) ([]Membership, error) {
	if r == nil {
		return nil, nil
	}
	r.mu.Lock()
	last := r.members
	r.mu.Unlock()
	if last.fresh() {
		return last.value, nil
	}
	return together(ctx, &r.flights, "members", last, r.memberships)
}

// memberships lists the members anew.
func (r *TaskReader) memberships(ctx context.Context) ([]Membership, error) {
	all, err := r.classes(ctx)
	if err != nil {
		return nil, err
	}
	now, err := r.now(ctx)
	if err != nil {
		return nil, err
	}
	out := []Membership{}
	for at, c := range all {
		out = append(out, membersOf(at, c, all, now)...)
	}
	sortMembers(out)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members = answered[[]Membership]{out, time.Now()}
	return out, nil
}

// MembersOf lists the members of a class, those with the best reputation first. It is read anew,
// whether its members are in the list of all or not.
func (r *TaskReader) MembersOf(ctx context.Context, at onchain.Address) ([]Membership, error) {
	if r == nil {
		return nil, ErrNone
	}
	all, err := r.classesAt(ctx, at)
	if err != nil {
		return nil, err
	}
	c, ok := all[at.String()]
	if !ok {
		return nil, ErrNone
	}
	near, err := r.classesAt(ctx, c.nearKeys()...)
	if err != nil {
		return nil, err
	}
	now, err := r.now(ctx)
	if err != nil {
		return nil, err
	}
	out := membersOf(at.String(), c, near, now)
	sortMembers(out)
	return out, nil
}

// nearKeys are the classes that a class names as near.
func (n named) nearKeys() (out []onchain.Address) {
	for _, at := range n.Near {
		if !at.IsZero() {
			out = append(out, at)
		}
	}
	return out
}

// membersOf are the members of a class, with what they are worth by it and by those of its near
// classes that are in all.
func membersOf(at string, c named, all map[string]named, now int64) (out []Membership) {
	var near []*brain.ClassAccount
	for _, key := range c.Near {
		near = append(near, all[key.String()].ClassAccount)
	}
	for i, worth := range c.Reputations(math.MaxUint64, now, near) {
		m := &c.Members[i]
		if m.State == 0 {
			continue
		}
		is := membership(at, c.name, *m, worth)
		if by, ok := c.Sponsor(m, now); ok {
			is.Sponsor, is.Vouched = by.Agent.String(), casefile.Amount(m.Surety.Stake)
		}
		out = append(out, is)
	}
	return out
}

func sortMembers(all []Membership) {
	slices.SortFunc(all, func(a, b Membership) int {
		return cmp.Or(cmp.Compare(b.Reputation, a.Reputation), strings.Compare(a.Agent+a.Class+a.Role, b.Agent+b.Class+b.Role))
	})
}

func membership(at, name string, m brain.Member, worth int) Membership {
	out := Membership{
		Agent: m.Agent.String(), Role: roleName(m.Role), Class: at, ClassName: name, Stake: casefile.Amount(m.Stake), Locked: casefile.Amount(m.Locked),
		Earned: casefile.Amount(m.Earned), Reputation: worth, Frozen: m.FrozenUntil, Leaving: m.State == 2, Restores: int(m.Restore), LastActive: m.LastActive,
	}
	if !m.Operator.IsZero() && m.Operator != m.Agent {
		out.Operator = m.Operator.String()
	}
	return out
}

// roleName is a role as people write it.
func roleName(r brain.Role) string {
	if r == brain.EvaluatorRole {
		return "evaluator"
	}
	return "worker"
}
