package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client/when"
	"ojud/voting"
)

// CaseView is a case on the chain. Times are Unix seconds of the chain's clock.
type CaseView struct {
	Case       string   `json:"case"` // address of the task
	Status     string   `json:"status"`
	Now        int64    `json:"now"`
	What       string   `json:"what"` // the next step, in words
	Round      uint8    `json:"round"`
	MaxRounds  uint8    `json:"max_rounds"`
	Verdict    string   `json:"verdict"`
	Over       bool     `json:"over"`
	Committed  uint8    `json:"committed"`
	Revealed   uint8    `json:"revealed"`
	Weights    Weights  `json:"weights"`
	Fee        Lamports `json:"fee"` // the cost of a seat for the loser
	OpenedAt   int64    `json:"opened_at"`
	DrawBy     int64    `json:"draw_by"`
	CommitEnds int64    `json:"commit_ends,omitempty"`
	RevealEnds int64    `json:"reveal_ends,omitempty"`
	SettledAt  int64    `json:"settled_at,omitempty"`
	CaseAppeal
	Golden GoldenCase `json:"golden,omitzero"` // zero: no leaf of the case is open
	Seats  []SeatView `json:"seats,omitempty"` // of this round; during Draw after a void round, of the round before; empty in lists
}

// CaseAppeal is what the two levels of a case tell: its first panel decides, and the loser may
// appeal once to other judges.
type CaseAppeal struct {
	Level        uint8      `json:"level"`                   // that is heard now, or gave the verdict: 1 the first panel, 2 the appeal
	AppealBy     int64      `json:"appeal_by,omitempty"`     // until then the loser may appeal
	FirstVerdict string     `json:"first_verdict,omitempty"` // if it was appealed
	First        []SeatView `json:"first,omitempty"`         // the first panel, if its verdict was appealed; empty in lists
}

// GoldenCase is what a proctor knew of a case before anybody voted in it.
type GoldenCase struct {
	Answer  string `json:"answer"`  // accept or reject
	Batch   uint64 `json:"batch"`   // its number
	Applied bool   `json:"applied"` // the seats were paid by the answer
}

// Weights are the tally of the round.
type Weights struct {
	Seated  Lamports `json:"seated"`
	Accept  Lamports `json:"accept"`
	Reject  Lamports `json:"reject"`
	Abstain Lamports `json:"abstain"`
}

// SeatView is a judge drawn into the round.
type SeatView struct {
	Seat        int      `json:"seat"`
	Judge       string   `json:"judge"`
	Weight      Lamports `json:"weight"`
	Committed   bool     `json:"committed"`
	Choice      string   `json:"choice"` // "none" before the judge reveals
	Equivocated bool     `json:"equivocated,omitempty"`
	Result      string   `json:"result"`
	Slashed     Lamports `json:"slashed"`
	Earned      Lamports `json:"earned"`
}

// Case shows the case of a task.
func (c *court) Case(ctx context.Context, task onchain.Address) (CaseView, error) {
	d, _, err := c.chain.Case(ctx, task)
	if errors.Is(err, ledger.ErrNotFound) {
		return CaseView{}, c.noCase(ctx, task)
	}
	if err != nil {
		return CaseView{}, err
	}
	now, err := c.chain.Now(ctx)
	return caseView(task, d, now.Unix), err
}

// noCase says why a task has no case.
func (c *court) noCase(ctx context.Context, task onchain.Address) error {
	t, err := c.task(ctx, task)
	if err != nil {
		return err
	}
	if t.Status.Over() {
		return fmt.Errorf("%w: task %s has no case, or it was closed; %s", errNotNow, task, ending(t))
	}
	if t.IsDispute() {
		return fmt.Errorf("%w: the dispute %s has no case yet; its respondent may answer it, and then, or when the time to answer is over, a case is opened", errNotNow, task)
	}
	return fmt.Errorf("%w: task %s has no case; it is %s, and a counter-objection opens a case", errNotNow, task, t.Status)
}

// Cases lists cases without their seats, the newest first. With live, it leaves out cases that are
// over.
func (c *court) Cases(ctx context.Context, live bool) ([]CaseView, error) {
	all, _, err := c.chain.Cases(ctx, 0)
	if err != nil {
		return nil, err
	}
	now, err := c.chain.Now(ctx)
	if err != nil {
		return nil, err
	}
	out := []CaseView{}
	for _, k := range all {
		if live && k.Value.Status.Over() {
			continue
		}
		view := caseView(k.Value.Task, k.Value, now.Unix)
		view.Seats, view.First = nil, nil
		out = append(out, view)
	}
	slices.SortStableFunc(out, func(a, b CaseView) int { return cmp.Compare(b.OpenedAt, a.OpenedAt) })
	return out, nil
}

func caseView(task onchain.Address, d *program.Case, now int64) CaseView {
	v := CaseView{
		Case: task.String(), Status: d.Status.String(), Now: now, What: caseTurn(d, now), Round: d.Round, MaxRounds: d.Rules.MaxRounds,
		Verdict: d.Verdict.String(), Over: d.Status.Over(), Committed: d.Committed, Revealed: d.Revealed,
		Weights: Weights{Lamports(d.SeatedWeight), Lamports(d.AcceptWeight), Lamports(d.RejectWeight), Lamports(d.AbstainWeight)},
		Fee:     Lamports(d.Rules.Fee), OpenedAt: d.OpenedAt, DrawBy: d.DrawBy, CommitEnds: d.CommitEnds, RevealEnds: d.RevealEnds, SettledAt: d.SettledAt,
		CaseAppeal: CaseAppeal{Level: d.Level, AppealBy: d.AppealBy},
		Seats:      seatViews(d.Seats),
	}
	if d.Golden != voting.NoChoice {
		v.Golden = GoldenCase{Answer: d.Golden.String(), Batch: d.Batch, Applied: d.Applied == 1}
	}
	if d.AppealSeats > 0 {
		v.FirstVerdict, v.First = d.FirstVerdict.String(), seatViews(d.First)
	}
	if v.Level == 0 {
		v.Level = 1
		if d.AppealSeats > 0 {
			v.Level = 2
		}
	}
	return v
}

func seatViews(seats []program.Seat) []SeatView {
	out := make([]SeatView, len(seats))
	for i, s := range seats {
		out[i] = SeatView{
			Seat: i, Judge: s.Judge.String(), Weight: Lamports(s.Weight), Committed: s.Flags&program.SeatCommitted != 0,
			Choice: s.Choice.String(), Equivocated: s.Flags&program.SeatEquivocated != 0, Result: s.Result.String(),
			Slashed: Lamports(s.Slashed), Earned: Lamports(s.Earned),
		}
	}
	return out
}

// caseTurn describes the next step of a case.
func caseTurn(d *program.Case, now int64) string {
	const _ = uint(6 - voting.Statuses) // a seventh status needs its sentence
	switch d.Status {
	case voting.AwaitingDraw:
		if now >= d.DrawBy && d.AppealSeats > 0 {
			return "no panel could be drawn for the appeal in time; anyone may end the case, and the first verdict stands"
		}
		if now >= d.DrawBy {
			return "no panel could be drawn in time; anyone may end the case undecided"
		}
		return "a panel has to be drawn " + when.In(d.DrawBy, now)
	case voting.Committing:
		if now >= d.CommitEnds {
			return "the commits are over, the judges reveal; ends " + when.In(d.RevealEnds, now)
		}
		return fmt.Sprintf("%d of %d judges have committed; ends %s", d.Committed, len(d.Seats), when.In(d.CommitEnds, now))
	case voting.Revealing:
		return fmt.Sprintf("%d of %d judges have revealed; ends %s", d.Revealed, len(d.Seats), when.In(d.RevealEnds, now))
	case voting.Appealable:
		if now >= d.AppealBy {
			return "the time to appeal is over; anyone may make the verdict final"
		}
		return fmt.Sprintf("%s, may be appealed; that ends %s", verdictWords(d.Verdict), when.In(d.AppealBy, now))
	case voting.Decided:
		return verdictWords(d.Verdict) + decidedBy(d)
	}
	return "ended undecided"
}

// decidedBy says which panel gave a verdict, if it was appealed.
func decidedBy(d *program.Case) string {
	switch {
	case d.AppealSeats == 0:
		return ""
	case d.Level == 1:
		return ", by its first panel; the appeal decided nothing"
	case d.FirstVerdict == d.Verdict:
		return ", by the appeal and by its first panel"
	}
	return ", by the appeal, against its first panel"
}

// verdictWords says what a panel did.
func verdictWords(v voting.Verdict) string {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its words
	if v == voting.ForWorker {
		return "decided for the worker"
	}
	return "decided for the creator"
}
