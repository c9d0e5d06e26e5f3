// Package rulebook is for the person who keeps a court's keys. It shows the versions of the court's
// rules and who has the authority over them, and it plans the acts of that authority. It checks a
// plan with the program's own rules before anything is signed.
package rulebook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/config/bounds"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
)

// errNotNow means that the state of the court does not allow the act.
var errNotNow = errors.New("rulebook: not possible")

// Version is a version of the rules.
type Version struct {
	Number     uint32      `json:"number"`
	State      string      `json:"state"`           // in_force or announced
	From       int64       `json:"from"`            // Unix seconds of the chain
	Until      int64       `json:"until,omitempty"` // 0: no successor is announced
	Parameters []Parameter `json:"parameters"`
	// Changes are the differences to the version before it. The first version has none.
	Changes []Difference `json:"changes"`
}

// Parameter is a value of a version.
type Parameter struct {
	Name    string `json:"name"`
	Value   uint64 `json:"value,string"` // lamports, seconds, hundredths of a percent, or a number
	Text    string `json:"text"`         // as people write it
	Meaning string `json:"meaning,omitempty"`
}

// Difference is a difference between two versions.
type Difference struct {
	Name   string `json:"name"`
	Old    uint64 `json:"old,string"`
	New    uint64 `json:"new,string"`
	Text   string `json:"text"`   // in words
	Judges bool   `json:"judges"` // it concerns judges
}

// Book is the rules of a court at a moment.
type Book struct {
	Court    string    `json:"court"`
	Time     int64     `json:"time"`     // of the chain, Unix seconds
	Versions []Version `json:"versions"` // the one in force, and the announced one if there is one
}

// Keys says who has the authority over a court.
type Keys struct {
	Court     string `json:"court"`
	Program   string `json:"program"`
	Authority string `json:"authority"` // empty: given up, for ever
	// Pending may accept the authority; empty: nobody.
	Pending string `json:"pending,omitempty"`
	Paused  bool   `json:"paused"`
	Listed  bool   `json:"listed"` // only judges that the authority admits may join
}

// Read reads the rules of a court.
func Read(ctx context.Context, c *client.Client) (Book, error) {
	r, err := law.Read(ctx, client.OfficeOf(c))
	if err != nil {
		return Book{}, err
	}
	b := Book{Court: c.Network().Name, Time: r.Time}
	before := r.Now
	if r.Now.Number > program.FirstRules {
		if before, err = law.Version(ctx, client.OfficeOf(c), r.Now.Number-1); err != nil {
			return Book{}, err
		}
	}
	b.Versions = append(b.Versions, version(r.Now, before, "in_force"))
	if r.Next != nil {
		b.Versions = append(b.Versions, version(r.Next, r.Now, "announced"))
	}
	return b, nil
}

func version(r, before *program.Rules, state string) Version {
	v := Version{Number: r.Number, State: state, From: r.From, Until: r.Until, Changes: changes(before.Params, r.Params)}
	for _, p := range r.List() {
		v.Parameters = append(v.Parameters, Parameter{Name: p.Name, Value: p.Value, Text: law.UnitOf(p).Text(p.Value), Meaning: law.Meaning(p.Name)})
	}
	return v
}

func changes(old, next program.Params) []Difference {
	out := []Difference{}
	for _, c := range law.Changes(old, next) {
		out = append(out, Difference{Name: c.Name, Old: c.Old, New: c.New, Text: c.String(), Judges: c.ForJudges()})
	}
	return out
}

// ReadKeys reads who has the authority over a court.
func ReadKeys(ctx context.Context, c *client.Client) (Keys, error) {
	r, err := law.Read(ctx, client.OfficeOf(c))
	if err != nil {
		return Keys{}, err
	}
	return Keys{
		Court: c.Network().Name, Program: client.OfficeOf(c).Program().ID().String(), Authority: text(r.Config.Authority),
		Pending: text(r.Config.PendingAuthority), Paused: r.Config.Paused != 0, Listed: r.Config.Listed != 0,
	}, nil
}

// text returns base58, or an empty text for the zero address.
func text(a onchain.Address) string {
	if a.IsZero() {
		return ""
	}
	return a.String()
}

// Set is a parameter and its new value.
type Set struct {
	Name  string
	Value uint64
}

// Proposal is a plan to announce a version.
type Proposal struct {
	Plan
	Number  uint32       `json:"number"`
	From    int64        `json:"from"`   // about: it counts from the block that takes the announcement
	Notice  string       `json:"notice"` // from the announcement until then
	Changes []Difference `json:"changes"`
}

// Propose plans to announce the next version: the latest one with other values. The error names the
// first parameter that the program would refuse.
func Propose(ctx context.Context, c *client.Client, values []Set) (Proposal, error) {
	office := client.OfficeOf(c)
	r, err := law.Read(ctx, office)
	if err != nil {
		return Proposal{}, err
	}
	if r.Next != nil {
		return Proposal{}, fmt.Errorf("%w: version %d is announced already; the next one can be announced when it is in force, %s, or before, after: ojud court rules withdraw",
			errNotNow, r.Next.Number, At(r.Next.From, r.Time))
	}
	next := r.Now.Params
	for _, v := range values {
		set, err := next.With(v.Name, v.Value)
		if err != nil {
			return Proposal{}, law.Bound(next, err)
		}
		next = set
	}
	if err := next.Follows(r.Now.Params); err != nil {
		return Proposal{}, law.Bound(next, err)
	}
	out := Proposal{
		Number: r.Now.Number + 1, From: r.Time + int64(r.Now.CooldownSeconds), Notice: law.Span.Text(uint64(r.Now.CooldownSeconds)),
		Changes: changes(r.Now.Params, next),
	}
	if len(out.Changes) == 0 {
		return out, fmt.Errorf("%w: these are the values of version %d, which is in force; give another value", errNotNow, r.Now.Number)
	}
	by, err := authority(r)
	if err != nil {
		return out, err
	}
	out.Plan = plan(by, client.Order{
		Name:         fmt.Sprintf("announce version %d of the rules", out.Number),
		Instructions: one(office.Program().ProposeRules(by, r.Now.Number, program.ProposeRules{Params: next})),
		Done: shown(office, func(r *law.Rules) bool {
			return r.Next != nil && r.Next.Number == out.Number && r.Next.Params == next
		}),
	})
	return out, nil
}

// Withdraw plans to take the announced version back.
func Withdraw(ctx context.Context, c *client.Client) (Plan, error) {
	office := client.OfficeOf(c)
	r, by, err := read(ctx, office)
	if err != nil {
		return Plan{}, err
	}
	if r.Next == nil {
		return Plan{}, fmt.Errorf("%w: no version of the rules is announced, and version %d, which is in force, cannot be withdrawn", errNotNow, r.Now.Number)
	}
	number := r.Next.Number
	return plan(by, client.Order{
		Name:         fmt.Sprintf("withdraw version %d of the rules", number),
		Instructions: one(office.Program().WithdrawRules(by, number)),
		Done:         shown(office, func(r *law.Rules) bool { return r.Config.Rules < number }),
	}), nil
}

// At writes a time, and how far it is from now; both are Unix seconds.
func At(at, now int64) string {
	day := time.Unix(at, 0).UTC().Format("2006-01-02 15:04:05 UTC")
	away := time.Duration(at-now) * time.Second
	if away < 0 {
		return day + ", " + bounds.Duration(-away) + " ago"
	}
	return day + ", in " + bounds.Duration(away)
}
