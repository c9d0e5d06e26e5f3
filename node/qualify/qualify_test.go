package qualify

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
)

// court has a Roster with novices, proven judges, and one with a bad record. All have one SOL.
func court(p program.Params) (*program.Roster, func(place int) client.JudgeView) {
	r := &program.Roster{}
	for i, seen := range []uint8{0, 19, 20, 20, 20, 20, 20, 20, 20, 20, 20, 5, 5} {
		e := program.RosterEntry{Authority: onchain.Address{31: byte(i + 1)}, State: program.EntryActive, Stake: 1_000_000_000, Seen: seen, Right: seen}
		switch i {
		case 1:
			e.Right = 5
		case 10:
			e.Right, e.Wrong, e.Owned = 12, 8, program.OwnProven
		}
		r.Entries = append(r.Entries, e)
	}
	return r, func(place int) client.JudgeView {
		e := &r.Entries[place]
		return client.JudgeView{
			Judge: e.Authority.String(), State: e.State.String(), Stake: client.Lamports(e.Stake), NextWeight: client.Lamports(r.Next(p)[place]),
			SeasonNext: "soon", Golden: client.Golden{Right: e.Right, Wrong: e.Wrong, Seen: e.Seen, Holds: e.Holds(), Why: e.Record(), Asked: p.Credential != 0},
		}
	}
}

func params() program.Params {
	p := program.DefaultParams()
	p.Credential, p.MinSeats, p.MinStake, p.BatchSeconds = program.CredentialApart, 7, 1_000_000_000, 43_200
	return p
}

// TestPhases: every phase follows from the chain, and says what it means and what to do.
func TestPhases(t *testing.T) {
	for name, c := range map[string]struct {
		place  int
		change func(*program.Params, *client.JudgeView)
		phase  Phase
		text   string
		next   string
	}{
		"proven":     {2, nil, Proven, "holds the credential: 20 of its 20 votes", "ojud run"},
		"failed":     {10, nil, Failed, "only 12 of its last 20 votes", "ojud judge exam"},
		"waiting":    {0, nil, Waiting, "from the next season on; soon", "ojud run"},
		"no room":    {12, nil, NoRoom, "0.888888888 SOL in all, and the 3 before it", "have proven it"},
		"novice":     {1, func(_ *program.Params, v *client.JudgeView) { v.Weight = 1 }, Novice, "seen 19 golden cases; its score is 10, and 9 more right votes prove it", "no golden case is under way"},
		"not asked":  {10, func(p *program.Params, _ *client.JudgeView) { p.Credential = 0 }, NotAsked, "asks for no record", ""},
		"no golden":  {0, func(p *program.Params, _ *client.JudgeView) { p.BatchSeconds = 0 }, NoGolden, "admit none", "ojud court rules"},
		"leaving":    {2, func(_ *program.Params, v *client.JudgeView) { v.State = program.EntryExiting.String() }, Leaving, "leaves", "ojud judge register"},
		"no stake":   {2, func(_ *program.Params, v *client.JudgeView) { v.Missing = 1_000_000_000 }, NoStake, "too small", "ojud judge top-up 1sol"},
		"few proven": {11, func(p *program.Params, v *client.JudgeView) { p.MinSeats, v.NextWeight = 12, 1_000_000_000 }, Waiting, "next season", ""},
	} {
		p := params()
		roster, view := court(p)
		v := view(c.place)
		if c.change != nil {
			c.change(&p, &v)
		}
		s := stand(v, roster, p)
		s.explain(v, p)
		if s.Phase != c.phase || !strings.Contains(s.Text, c.text) || !strings.Contains(s.Next, c.next) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestCounts: the judge sees how many novices stand before it, and what they may weigh together.
func TestCounts(t *testing.T) {
	p := params()
	roster, view := court(p)
	for place, want := range map[int]Supply{
		0:  {Proven: 8, Needed: 7, Novices: 3, Room: 888_888_888},
		11: {Proven: 8, Needed: 7, Novices: 3, Before: 2, Room: 888_888_888},
		12: {Proven: 8, Needed: 7, Novices: 3, Before: 3, Room: 888_888_888},
	} {
		if s := stand(view(place), roster, p); s.Court != want {
			t.Errorf("%d: %+v, want %+v", place, s.Court, want)
		}
	}
	p.MinSeats = 12
	if s := stand(view(11), roster, p); s.Court.Novices < 2 || s.Court.Before != 2 || s.Court.Room != 0 {
		t.Errorf("%+v", s.Court)
	}
}

// TestGrowth: a proven judge with more stake than its record bears sees when its weight may grow.
func TestGrowth(t *testing.T) {
	p := params()
	p.MaxSeatWeight = 10_000_000_000
	for name, c := range map[string]struct {
		stake  uint64
		since  uint8
		apart  bool
		growth int
		text   string
	}{
		"whole stake":  {1_000_000_000, 0, true, 0, "20 of its 20 votes in golden cases were right"},
		"first season": {10_000_000_000, 0, true, 5, "stake of 10 SOL counts as 1 SOL"},
		"two more":     {10_000_000_000, 3, true, 2, "counts as 1 SOL"},
		"doubles":      {10_000_000_000, 5, true, 5, "counts as 2 SOL"},
		"doubles all":  {2_000_000_000, 5, true, 0, ""},
		"not apart":    {10_000_000_000, 0, false, 0, ""},
	} {
		if p.Credential = program.CredentialApart; !c.apart {
			p.Credential = 1
		}
		roster, view := court(p)
		roster.Entries[2].Stake, roster.Entries[2].Since = c.stake, c.since
		s := stand(view(2), roster, p)
		s.explain(view(2), p)
		grows := strings.Contains(s.Next, "may double")
		if s.Phase != Proven || s.Growth != c.growth || grows != (c.growth > 0) || !strings.Contains(s.Text, c.text) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestWait: every change is told once, a chain that does not answer is asked again, and the time to
// the next season is no news.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := []Standing{
			{Phase: NoRoom}, {Phase: NoRoom, SeasonNext: "in 1 h"}, {}, {Phase: Novice, Missing: 3}, {Phase: Novice, Missing: 3}, {Phase: Novice, Missing: 1}, {Phase: Proven},
		}
		at, told := 0, []Phase{}
		look := func(context.Context) (Standing, error) {
			s := looks[at]
			at++
			if s.Phase == "" {
				return s, ledger.ErrUnavailable
			}
			return s, nil
		}
		began := time.Now()
		s, err := Wait(t.Context(), time.Second, look, func(s Standing) error { told = append(told, s.Phase); return nil })
		if err != nil || s.Phase != Proven || len(told) != 4 || time.Since(began) != 6*time.Second {
			t.Errorf("%+v %v: %v after %s", s, err, told, time.Since(began))
		}
		broken := errors.New("broken")
		if _, err := Wait(t.Context(), time.Second, func(context.Context) (Standing, error) { return Standing{}, broken }, nil); !errors.Is(err, broken) {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		same := func(context.Context) (Standing, error) { return Standing{Phase: Waiting}, nil }
		if s, err := Wait(ctx, time.Second, same, func(Standing) error { return nil }); !errors.Is(err, context.DeadlineExceeded) || s.Phase != Waiting {
			t.Errorf("%+v %v", s, err)
		}
	})
}
