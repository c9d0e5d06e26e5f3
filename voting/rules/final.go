package rules

import (
	"errors"
	"fmt"

	"ojud/voting"
)

// Level is a level of a case as its last round left it: the first panel, or the appeal.
type Level struct {
	Verdict   voting.Verdict // ForWorker, ForCreator or Undecided
	Seats     []voting.Seat
	Standings []Standing // of the judges of Seats, in the same order
}

// CaseEnd is all that ending a case of version 2 depends on. The reward is Terms.Escrow.
type CaseEnd struct {
	Terms      Terms
	First      Level
	Appeal     *Level // nil: the loser did not appeal
	AppealBond uint64 // of the loser of First; if First is undecided it is part of the bond in Terms
}

// Final lists the payments at the end of a case. Every lamport of the terms, of the appeal's bond
// and of the slashes is in Payments, in what seats earn, or in Golden.
type Final struct {
	Verdict  voting.Verdict
	Outcome  voting.Outcome
	Payments []Payment
	First    []SeatEnd // what the seats earn, and lose now; Close has their results
	Appeal   []SeatEnd
	Golden   uint64 // for the golden pot, beside its share of what the worker is paid
	Reversed bool   // the appeal clearly reversed the first verdict, with weight enough
}

// Finish pays the parties and the seats when nothing can change the verdict any more.
func (l Law) Finish(in CaseEnd) (Final, error) {
	if err := in.check(); err != nil {
		return Final{}, err
	}
	out := Final{Verdict: in.First.Verdict, First: make([]SeatEnd, len(in.First.Seats))}
	deciding, decides := in.First.Seats, in.Appeal != nil && in.Appeal.Verdict != voting.Undecided
	if in.Appeal != nil {
		out.Appeal = make([]SeatEnd, len(in.Appeal.Seats))
	}
	if decides {
		deciding, out.Verdict = in.Appeal.Seats, in.Appeal.Verdict
	}
	tally, err := Count(deciding)
	if err != nil {
		return Final{}, err
	}
	e := ending{law: l, in: in, out: &out, appealed: decides}
	given, err := in.First.Given()
	if err != nil {
		return Final{}, err
	}
	e.clear = out.Verdict != voting.Undecided && given.clear(tally)
	turned := given.Verdict != voting.Undecided && out.Verdict != given.Verdict
	out.Reversed = e.clear && turned && mulLess(2, given.Votes(), 3, tally.Votes(out.Verdict))
	purse, err := l.parties(in, &out)
	if err != nil {
		return Final{}, err
	}
	err = e.seats(purse)
	return out, err
}

func (in *CaseEnd) check() error {
	expired := len(in.First.Seats) == 0 && in.First.Verdict == voting.Undecided // before the first draw
	if err := seatable(in.First.Seats, in.First.Standings); err != nil && !expired {
		return err
	}
	if in.First.Verdict == voting.NoVerdict || in.First.Verdict > voting.Undecided {
		return fmt.Errorf("voting: a level that ended with verdict %s cannot be paid", in.First.Verdict)
	}
	switch {
	case in.Appeal == nil && in.AppealBond != 0:
		return errors.New("voting: a bond for no appeal")
	case in.Appeal == nil:
		return nil
	case in.First.Verdict == voting.Undecided && in.AppealBond != 0:
		return errors.New("voting: the bond of an appeal against no verdict is part of its party's bond")
	case in.Appeal.Verdict == voting.NoVerdict || in.Appeal.Verdict > voting.Undecided:
		return fmt.Errorf("voting: an appeal that ended with verdict %s cannot be paid", in.Appeal.Verdict)
	}
	return seatable(in.Appeal.Seats, in.Appeal.Standings)
}

// parties pays the parties and returns what their lost bonds leave for the seats.
func (l Law) parties(in CaseEnd, out *Final) (purse uint64, err error) {
	toWorker, creatorBack, workerBack := uint64(0), in.Terms.CreatorBond, in.Terms.WorkerBond
	switch out.Verdict {
	case voting.ForWorker:
		out.Outcome, toWorker, creatorBack = voting.Paid, in.Terms.Escrow, 0
	case voting.ForCreator:
		out.Outcome, workerBack = voting.Refunded, 0
	default:
		if out.Outcome, toWorker, creatorBack, workerBack, err = in.Terms.profits(); err != nil {
			return 0, err
		}
	}
	if in.Terms.Prepaid {
		creatorBack, workerBack = 0, 0
	}
	trade, err := Trade(toWorker, l.TradeBps)
	if err != nil {
		return 0, err
	}
	appealLost := in.AppealBond
	pay := []Payment{
		{Worker, voting.PayReward, toWorker - trade}, {Pot, voting.PayTrade, trade}, {Creator, voting.PayRefund, in.Terms.Escrow - toWorker},
		{Creator, voting.PayBondBack, creatorBack}, {Worker, voting.PayBondBack, workerBack}, in.Terms.claim(),
	}
	if out.Verdict != in.First.Verdict { // the appeal was right
		appealLost = 0
		pay = append(pay, Payment{loser(in.First.Verdict), voting.PayBondBack, in.AppealBond})
	}
	out.Payments = payments(pay...)
	return sum(in.Terms.CreatorBond-creatorBack, in.Terms.WorkerBond-workerBack, appealLost)
}

// loser is the party that a verdict is against, which alone may appeal.
func loser(v voting.Verdict) Party {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its loser
	if v == voting.ForWorker {
		return Creator
	}
	return Worker
}

// profits ends an undecided case by the task's own term. The side that profits pays: its bond does
// not come back, or half of each if the escrow is split.
func (t Terms) profits() (o voting.Outcome, toWorker, creatorBack, workerBack uint64, err error) {
	switch t.OnUndecided {
	case voting.RefundCreator:
		return voting.Refunded, 0, 0, t.WorkerBond, nil
	case voting.PayWorker:
		return voting.Paid, t.Escrow, t.CreatorBond, 0, nil
	case voting.SplitEscrow:
		return voting.Split, t.Escrow / 2, t.CreatorBond - t.CreatorBond/2, t.WorkerBond - t.WorkerBond/2, nil
	}
	return 0, 0, 0, 0, fmt.Errorf("voting: on_undecided %d is none of 1, 2, 3", t.OnUndecided)
}

// due says which pay a seat gets at the end of a case.
type due uint8

const (
	nothing  due = iota
	flat         // its pay
	shared       // a share of the loser's bond, by weight
	reversed     // it loses Reversal pays
	outvoted     // it loses Minority pays
)

// ending is the end of a case while its seats are slashed and paid.
type ending struct {
	law      Law
	in       CaseEnd
	out      *Final
	clear    bool // the verdict's side has more than two thirds
	appealed bool // the appeal gave the verdict
}

// due says what a seat of the first level or of the appeal is due.
func (e ending) due(s *voting.Seat, first bool) due {
	clearMajority := e.law.Preset == PayMajority && e.clear && first != e.appealed
	switch {
	case !sided(s):
		return nothing
	case first && e.out.Reversed && s.Choice == e.in.First.Verdict.Choice():
		return reversed
	case clearMajority && s.Choice == e.out.Verdict.Choice():
		return shared
	case clearMajority:
		return outvoted
	}
	return flat
}

// earner is a seat that ends the case with something.
type earner struct {
	due     due
	weight  uint64
	pay     uint64
	present bool
	end     *SeatEnd
}

// slash slashes the seats of a level that lose something, and returns those that earn something.
func (e ending) slash(level Level, ends []SeatEnd, first bool) (earn []earner, slashed uint64, err error) {
	reward := e.in.Terms.Escrow
	for i := range level.Seats {
		weight, loss := level.Seats[i].Weight, uint64(0)
		due := e.due(&level.Seats[i], first)
		switch due {
		case reversed:
			loss, err = e.law.atRisk(reward, weight, e.law.Reversal)
		case outvoted:
			loss, err = e.law.atRisk(reward, weight, e.law.Minority)
		case flat, shared:
			seat := earner{due: due, weight: weight, present: level.Standings[i].Present, end: &ends[i]}
			seat.pay, err = e.law.pay(reward, weight)
			earn = append(earn, seat)
		}
		if err != nil {
			return nil, 0, err
		}
		ends[i].Slashed = min(loss, level.Standings[i].stake())
		if slashed, err = sum(slashed, ends[i].Slashed); err != nil {
			return nil, 0, err
		}
	}
	return earn, slashed, nil
}

// seats slashes and pays all seats from the purse; the golden pot gets the rest.
func (e ending) seats(purse uint64) error {
	earn, slashed, err := e.slash(e.in.First, e.out.First, true)
	if err != nil {
		return err
	}
	if e.in.Appeal != nil {
		more, also, err := e.slash(*e.in.Appeal, e.out.Appeal, false)
		if err != nil {
			return err
		}
		earn = append(earn, more...)
		if slashed, err = sum(slashed, also); err != nil {
			return err
		}
	}
	if purse, err = sum(purse, slashed); err != nil {
		return err
	}
	rest, err := earnings(earn, purse)
	if err != nil {
		return err
	}
	e.out.Golden, err = sum(e.out.Golden, rest)
	return err
}

// earnings pays each seat that is due its pay, or an equal part of the purse if that is less, then
// divides the rest among those that share. It returns the rest of the purse. A judge that left the
// Roster gets nothing.
func earnings(earn []earner, purse uint64) (rest uint64, err error) {
	var weights []uint64
	for _, e := range earn {
		if e.due == shared {
			weights = append(weights, e.weight)
		}
	}
	part, left := purse, purse
	if paid := uint64(len(earn) - len(weights)); paid > 0 {
		part = purse / paid
	}
	for i := range earn {
		if e := &earn[i]; e.due != shared {
			e.pay = min(e.pay, part)
			left -= e.pay
		}
	}
	shares, err := Shares(left, weights)
	if err != nil {
		return 0, err
	}
	for _, e := range earn {
		if e.due == shared {
			e.pay, shares = shares[0], shares[1:]
		}
		if e.present {
			e.end.Earned, purse = e.pay, purse-e.pay
		}
	}
	return purse, nil
}
