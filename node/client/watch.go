package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
)

// Change is an event in a case. Case is the state after it, and Text describes it.
type Change struct {
	At     int64  `json:"at"`   // Unix seconds of the chain's clock; 0: before the watch, and not known
	Kind   string `json:"kind"` // opened, drawn, committed, revealing, revealed, equivocated, void, appealable, appealed, decided, undecided, waiting
	Round  uint8  `json:"round"`
	Judge  string `json:"judge,omitempty"`
	Choice string `json:"choice,omitempty"`
	Text   string `json:"text"`
	Seats  int    `json:"-"` // of the panel
}

const (
	// waitingEvery is how many seconds pass without a change before Watch says what it waits for.
	waitingEvery  = 30
	kindDecided   = "decided"
	kindUndecided = "undecided"
)

// Watch calls emit with what has happened in a case, as far as the node tells it, and with every
// later change. It ends if the case is over, emit fails, or ctx ends. It looks at the chain every
// Config.Poll, and waits for an RPC node that does not answer.
func (c *Client) Watch(ctx context.Context, task onchain.Address, emit func(Change) error) (CaseView, error) {
	view, before, err := c.past(ctx, task)
	if err != nil {
		return CaseView{}, err
	}
	seen, tick := view, time.NewTicker(c.cfg.Poll)
	defer tick.Stop()
	for told, fresh := view.Now, before; ; fresh = news(seen, view, told) {
		for _, change := range fresh {
			if err := emit(change); err != nil {
				return view, err
			}
			told = view.Now
		}
		if seen = view; seen.Over {
			return seen, nil
		}
		select {
		case <-ctx.Done():
			return seen, ctx.Err()
		case <-tick.C:
		}
		if view, err = c.again(ctx, task, seen); err != nil {
			return seen, err
		}
	}
}

// news returns the changes between two views, or the present state if the last line is old.
func news(seen, view CaseView, told int64) []Change {
	out := changes(seen, view)
	if len(out) == 0 && view.Now >= told+waitingEvery {
		out = []Change{{At: view.Now, Kind: "waiting", Round: view.Round, Text: "waiting: " + view.What}}
	}
	return out
}

// again reads the case once more. If the chain does not answer, it returns the old state.
func (c *Client) again(ctx context.Context, task onchain.Address, seen CaseView) (CaseView, error) {
	view, err := c.Case(ctx, task)
	if errors.Is(err, ledger.ErrUnavailable) || errors.Is(err, ledger.ErrRateLimited) || errors.Is(err, ledger.ErrStale) {
		return seen, ctx.Err()
	}
	return view, err
}

// changes returns the events between two views. The zero view is before the case was opened. If a
// rollback leads to an earlier state, its events are repeated.
func changes(old, now CaseView) (out []Change) {
	say := func(kind string, s *SeatView, format string, args ...any) {
		change := Change{At: now.Now, Kind: kind, Round: now.Round, Text: fmt.Sprintf(format, args...)}
		if s != nil {
			change.Judge = s.Judge
		}
		out = append(out, change)
	}
	if old.Case == "" {
		out = append(out, Change{At: now.OpenedAt, Kind: "opened", Round: 1, Text: "the case was opened"})
	}
	if now.Status == "appealable" && old.Status != now.Status {
		say("appealable", nil, "%s", now.What)
	}
	switch appealed := len(now.First) > 0; {
	case appealed && old.Round != 0 && old.Level == 1:
		say("appealed", nil, "the loser appealed; judges that did not sit hear it in round %d", now.Round)
	case old.Round != 0 && now.Round > old.Round:
		say("void", nil, "round %d had no quorum; round %d begins", old.Round, now.Round)
	}
	fresh := old.Round != now.Round || len(old.Seats) != len(now.Seats)
	drawn := now.Status != "draw" && len(now.Seats) > 0
	if drawn && (fresh || old.Status == "draw") {
		say("drawn", nil, "round %d: %d judges were drawn", now.Round, len(now.Seats))
	}
	if drawn {
		out = append(out, seatChanges(old, now, fresh || old.Status == "draw")...)
	}
	if now.Over && !old.Over {
		kind := map[bool]string{true: kindUndecided, false: kindDecided}[now.Verdict == "undecided"]
		say(kind, nil, "%s: accept %s, reject %s, abstain %s of %s seated (%s)", now.What, now.Weights.Accept, now.Weights.Reject,
			now.Weights.Abstain, now.Weights.Seated, now.votes())
	}
	return out
}

// votes counts the votes of the seats.
func (v CaseView) votes() string {
	n := map[string]int{}
	for _, s := range v.Seats {
		if n[s.Choice]++; !s.voted() {
			n["absent"]++
		}
	}
	return fmt.Sprintf("%d accept, %d reject, %d abstain, %d absent", n["accept"], n["reject"], n["abstain"], n["absent"])
}

// count says how many seats have committed and revealed.
func (v CaseView) count() (committed, revealed int) {
	for _, s := range v.Seats {
		if s.Committed {
			committed++
		}
		if s.voted() {
			revealed++
		}
	}
	return committed, revealed
}

// voted reports whether the seat has revealed.
func (s SeatView) voted() bool { return s.Choice != "none" && s.Choice != "" }

// name returns the beginning of a judge's address, as a devnet does, and its seat, counted from 1.
func name(judge string, seat, seats int) string {
	return fmt.Sprintf("judge %.8s (seat %d of %d)", judge, seat+1, seats)
}

// seatChanges returns the changes of the seats. With fresh, the old view has another panel.
func seatChanges(old, now CaseView, fresh bool) (out []Change) {
	var commits, reveals []Change
	committed, revealed := 0, 0
	if !fresh {
		committed, revealed = old.count()
	}
	for i, s := range now.Seats {
		var was SeatView
		if !fresh {
			was = old.Seats[i]
		}
		base := Change{At: now.Now, Round: now.Round, Judge: s.Judge, Seats: len(now.Seats)}
		if s.Committed && !was.Committed {
			committed++
			base.Kind, base.Text = "committed", fmt.Sprintf("%s committed, %d of %d", name(s.Judge, i, len(now.Seats)), committed, len(now.Seats))
			commits = append(commits, base)
		}
		if s.voted() && !was.voted() {
			revealed++
			base.Kind, base.Choice = "revealed", s.Choice
			base.Text = fmt.Sprintf("%s voted %s, %d of %d", name(s.Judge, i, len(now.Seats)), s.Choice, revealed, len(now.Seats))
			reveals = append(reveals, base)
		}
		if s.Equivocated && !was.Equivocated {
			base.Kind, base.Text = "equivocated", fmt.Sprintf("%s signed two different votes and is slashed", name(s.Judge, i, len(now.Seats)))
			reveals = append(reveals, base)
		}
	}
	out = append(out, commits...)
	if now.Status == "reveal" && (fresh || old.Status != "reveal") {
		out = append(out, Change{At: now.Now, Kind: "revealing", Round: now.Round, Text: "the commits are over, the judges reveal"})
	}
	return append(out, reveals...)
}
