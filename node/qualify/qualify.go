// Package qualify says what stands between a judge and its credential, and waits for it. The exam
// of a judge is its first golden cases (ADR 0066). Nobody asks for them: its node judges what it is
// drawn for. So all of this is read from the chain, and it changes nothing.
//
// It is a package of its own, because it puts together what the Roster, the rules, the Pot and the
// batches of proctors say, and no other part of a client needs all four.
package qualify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/voting"
	"ojud/voting/rules"
)

// Phase is how far a judge is.
type Phase string

// The phases.
const (
	NotAsked Phase = "not_asked" // the court's rules ask for no record
	NoGolden Phase = "no_golden" // the rules ask, and admit no golden cases
	Leaving  Phase = "leaving"   // the judge leaves the court
	NoStake  Phase = "no_stake"  // the stake is too small for a seat
	NoRoom   Phase = "no_room"   // the novices before it leave too little of what novices may weigh
	Waiting  Phase = "waiting"   // the next season gives it a weight
	Novice   Phase = "novice"    // it is drawn, and its golden cases have not proven it yet
	Proven   Phase = "proven"    // it holds the credential
	Failed   Phase = "failed"    // its record does not let it sit
)

// Standing says where a judge stands.
type Standing struct {
	Judge string `json:"judge"`
	Phase Phase  `json:"phase"`
	Text  string `json:"text"` // what the phase means for this judge
	Next  string `json:"next"` // what its owner can do
	// Golden is its record, and Missing the right votes that prove it if no wrong one comes
	// between.
	Golden  client.Golden `json:"golden"`
	Missing int           `json:"missing"`
	// Growth is the golden cases that a proven judge must see before its weight doubles again. It
	// is 0 if its record does not bound its weight.
	Growth int `json:"growth"`
	// Rule is the rule "credential": 0, 1 or 2.
	Rule       uint8           `json:"rule"`
	Weight     client.Lamports `json:"weight"`
	NextWeight client.Lamports `json:"next_weight"`
	SeasonNext string          `json:"season_next"`
	Court      Supply          `json:"court"`
}

// Supply is what the court has for novices.
type Supply struct {
	Proven   int             `json:"proven"`   // judges
	Needed   int             `json:"needed"`   // proven and novices with room, so that novices are apart
	Novices  int             `json:"novices"`  // that the next season gives a weight
	Before   int             `json:"before"`   // of these, they stand before the judge
	Room     client.Lamports `json:"room"`     // what all novices may weigh together, if they are kept apart
	Running  int             `json:"running"`  // leaves of batches that are not applied yet
	Possible int             `json:"possible"` // leaves that proctors may commit now
}

// Done reports whether the phase needs no more waiting: more golden cases would not end it.
func (p Phase) Done() bool { return p != NoRoom && p != Waiting && p != Novice }

// newest is how many batches are looked at, the newest ones. One lasts hours.
const newest = 64

// Look says where a judge stands. Zero means the client's own key.
func Look(ctx context.Context, c *client.Client, judge onchain.Address) (Standing, error) {
	view, err := c.Judge(ctx, judge)
	if err != nil {
		return Standing{}, err
	}
	office := client.OfficeOf(c)
	inForce, err := law.Read(ctx, office)
	if err != nil {
		return Standing{}, err
	}
	roster, _, err := ledger.Read(ctx, office, office.Program().Roster(), program.DecodeRoster)
	if err != nil {
		return Standing{}, err
	}
	pot, _, err := ledger.Read(ctx, office, office.Program().Pot(), program.DecodePot)
	if err != nil {
		return Standing{}, err
	}
	s := stand(view, roster, inForce.Now.Params)
	s.Court.Possible = int(pot.Leaves())
	if s.Court.Running, err = running(ctx, office, pot.Batches); err != nil {
		return Standing{}, err
	}
	s.explain(view, inForce.Now.Params)
	return s, nil
}

// stand counts.
func stand(view client.JudgeView, roster *program.Roster, p program.Params) Standing {
	novices := roster.Novices(p)
	s := Standing{
		Judge: view.Judge, Golden: view.Golden, Rule: p.Credential,
		Weight: view.Weight, NextWeight: view.NextWeight, SeasonNext: view.SeasonNext,
		Court: Supply{Proven: novices.Proven, Needed: int(p.MinSeats)},
	}
	if novices.Apart {
		s.Court.Room = client.Lamports(novices.Room)
	}
	self, before := address(view), true
	for i, next := range roster.Next(p) {
		e := &roster.Entries[i]
		if voting.Key(e.Authority) == self {
			before = false
			if !e.Proven() {
				s.Missing = (rules.PassScore - e.Credential().Score() + rules.RightScore - 1) / rules.RightScore
			}
			if most := min(e.Stake, p.MaxSeatWeight); novices.Apart && e.Proven() && next > 0 && next < most {
				s.Growth = e.Growth()
			}
			continue
		}
		if next > 0 && !e.Proven() {
			s.Court.Novices++
			if before {
				s.Court.Before++
			}
		}
	}
	if view.NextWeight > 0 && s.Missing > 0 {
		s.Court.Novices++
	}
	return s
}

// address is the key of a judge in a view.
func address(v client.JudgeView) voting.Key {
	key, err := onchain.ParseAddress(v.Judge)
	if err != nil {
		return voting.Key{} // no judge: the view is the client's own, and has an address
	}
	return voting.Key(key)
}

// explain finds the phase, and says what it means.
func (s *Standing) explain(view client.JudgeView, p program.Params) {
	say := func(phase Phase, next, text string, args ...any) {
		s.Phase, s.Next, s.Text = phase, next, fmt.Sprintf(text, args...)
	}
	switch {
	case view.State == program.EntryExiting.String():
		say(Leaving, "to come back: ojud judge withdraw, and then: ojud judge register", "the judge leaves the court: the next season gives it no weight; keep its node running until then")
	case view.Missing > 0:
		say(NoStake, "ojud judge top-up "+view.Missing.Argument(), "the stake of %s is too small for a seat", view.Stake)
	case p.Credential == 0:
		say(NotAsked, "keep its node running: ojud run", "this court asks for no record; %s", s.Golden.Why)
	case !s.Golden.Holds:
		say(Failed, "find out what it gets wrong: ojud judge exam --carry words; its record ends if it leaves and joins again (ojud judge exit)",
			"%s, so it gets no seat", s.Golden.Why)
	case s.Growth > 0:
		say(Proven, fmt.Sprintf("keep its node running: ojud run; its weight may double after %d more golden cases", s.Growth),
			"it holds the credential: %s; its stake of %s counts as %s in the next season, because its weight grows with its record", s.Golden.Why, view.Stake, s.NextWeight)
	case s.Missing == 0:
		say(Proven, "keep its node running: ojud run", "it holds the credential: %s", s.Golden.Why)
	case p.BatchSeconds == 0 || p.GoldenBps == 0:
		say(NoGolden, "ask the court's authority; see: ojud court rules", "the rules ask for a record in golden cases, and admit none of them; until then it is drawn as a new judge")
	case s.Weight == 0 && s.NextWeight == 0:
		say(NoRoom, "wait: each novice has its turn, until its golden cases have proven it or put it out",
			"novices may weigh %s in all, and the %d before it leave too little of that", s.Court.Room, s.Court.Before)
	case s.Weight == 0:
		say(Waiting, "keep its node running: ojud run", "it is drawn from the next season on; %s", s.SeasonNext)
	default:
		say(Novice, s.golden(), "it is drawn, and has seen %d golden cases; its score is %d, and %d more right votes prove it if none is wrong: right is +%d, wrong -%d, and it must vote in half of them",
			s.Golden.Seen, rules.RightScore*int(s.Golden.Right)-rules.WrongScore*int(s.Golden.Wrong), s.Missing, rules.RightScore, rules.WrongScore)
	}
}

// golden says where golden cases may come from.
func (s *Standing) golden() string {
	switch {
	case s.Court.Running > 0:
		return fmt.Sprintf("keep its node running (ojud run); %d golden cases are under way", s.Court.Running)
	case s.Court.Possible > 0:
		return fmt.Sprintf("keep its node running (ojud run); no golden case is under way, and a proctor may commit to %d: ojud court proctor list says who they are", s.Court.Possible)
	}
	return "keep its node running (ojud run); no golden case is under way, and the court admits more when further cases have ended"
}

// running counts the leaves of batches that are not applied yet. Batches that are closed are gone.
func running(ctx context.Context, office client.Office, batches uint64) (leaves int, err error) {
	var at []onchain.Address
	for n := batches - min(batches, newest); n < batches; n++ {
		at = append(at, office.Program().Batch(n))
	}
	if len(at) == 0 {
		return 0, nil
	}
	accounts, _, err := office.Accounts(ctx, at...)
	if err != nil {
		return 0, err
	}
	for _, a := range accounts {
		if a == nil || a.Owner != office.Program().ID() {
			continue
		}
		b, err := program.DecodeBatch(a.Data)
		if err != nil {
			return 0, fmt.Errorf("%w: %s: %w", ledger.ErrForeign, a.Address, err)
		}
		leaves += int(b.Leaves) - int(min(b.Leaves, b.Void+b.Applied))
	}
	return leaves, nil
}

// Wait calls look every so often, and tell with each standing that says something else than the one
// before. It ends with the first that is done. A chain that does not answer is asked again.
func Wait(ctx context.Context, every time.Duration, look func(context.Context) (Standing, error), tell func(Standing) error) (Standing, error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	var told Standing
	for {
		s, err := look(ctx)
		switch {
		case errors.Is(err, ledger.ErrUnavailable), errors.Is(err, ledger.ErrRateLimited), errors.Is(err, ledger.ErrStale):
		case err != nil:
			return s, err
		default:
			if s.differs(told) {
				if err := tell(s); err != nil {
					return s, err
				}
				told = s
			}
			if s.Phase.Done() {
				return s, nil
			}
		}
		select {
		case <-ctx.Done():
			return told, ctx.Err()
		case <-tick.C:
		}
	}
}

// differs reports whether a person wants to know of the change. The time to the next season passes,
// and that is no news.
func (s Standing) differs(told Standing) bool {
	s.SeasonNext, told.SeasonNext, s.Text, told.Text = "", "", "", ""
	return s != told
}
