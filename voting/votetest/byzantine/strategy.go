package byzantine

import (
	"ojud/sim/fault"
	"ojud/voting"
)

// Strategy is the behaviour of a panel's byzantine judges. The first eight are those that go-f3's
// simulator plays against its consensus, translated to commit and reveal on a chain.
type Strategy uint8

// The strategies.
const (
	// Missing never does anything (go-f3: absent).
	Missing Strategy = iota + 1
	// Decide wants the end at once: it draws, settles and ends the case whenever it can, shows
	// votes early, and opens others' seats with guesses.
	Decide
	// Deny holds everything that six honest judges say or are told until the case is over, and
	// votes against.
	Deny
	// Drop loses 40 % of the messages between honest judges, and votes against.
	Drop
	// Repeat signs what it hears from others as its own, again and again.
	Repeat
	// Spam answers every notice with forged, foreign and impossible ones.
	Spam
	// Validated sends useless notices that every check lets pass: its own notices again and again,
	// and requests to commit for it although it can.
	Validated
	// Withhold commits and never reveals.
	Withhold
	// Equivocate shows each half of the others another statement, and commits the first.
	Equivocate
	// SplitVote does that while the same halves cannot reach each other until the case is over.
	SplitVote
	// LateReveal commits and reveals in the last second, and tells no judge before.
	LateReveal
	// CopyVote commits what an honest judge committed, and tries to open it with that judge's
	// opening.
	CopyVote
	// Replays repeats in this round the notices of other rounds, and those of this one, and sends
	// others' transactions as its own.
	Replays
	// WrongCase signs for other cases, rounds and networks, and commits there.
	WrongCase
	// ClockLiar makes the chain's clock run fast or slow by up to half, reveals before and commits
	// after the time.
	ClockLiar
	// Adaptive commits half and half, sees every vote of the honest first, and then reveals in the
	// last second only what hurts.
	Adaptive
	// Collude votes against, all alike.
	Collude
	// TwoRequests asks others for two commitments, each half for another.
	TwoRequests
	// LateEquivocate shows the second statement when the case is over.
	LateEquivocate
	// Halves tells two honest judges one statement each in the last second of the commits, and
	// cuts these two off until long after the case. Judges with even numbers commit one of the
	// statements and never reveal; the others commit none. No other messages get lost.
	Halves
	// Mixed: each judge has another strategy.
	Mixed
)

// kind is a strategy's name in the vocabulary of package fault, and what it does.
type kind struct {
	name fault.Kind
	plan plan
}

func (s Strategy) kind() kind {
	return [...]kind{
		{"", idle{}},
		Missing:        {fault.Absent, idle{}},
		Decide:         {fault.Hasty, decide{}},
		Deny:           {fault.Denier, deny{}},
		Drop:           {fault.MessageLoss, dropping{}},
		Repeat:         {fault.Echo, repeat{}},
		Spam:           {fault.Spammer, spam{}},
		Validated:      {fault.Chatterer, validated{}},
		Withhold:       {fault.Withholder, withhold{}},
		Equivocate:     {fault.Equivocator, equivocate{}},
		SplitVote:      {fault.VoteSplitter, splitVote{}},
		LateReveal:     {fault.Late, lateReveal{}},
		CopyVote:       {fault.Copier, copyVote{}},
		Replays:        {fault.Replayer, replays{}},
		WrongCase:      {fault.WrongCase, wrongCase{}},
		ClockLiar:      {fault.ClockSkew, clockLiar{}},
		Adaptive:       {fault.Adaptive, adaptive{}},
		Collude:        {fault.Colluder, against{}},
		TwoRequests:    {fault.RelayEquivocator, twoRequests{}},
		LateEquivocate: {fault.LateEquivocator, lateEquivocate{}},
		Halves:         {fault.HalfTeller, halves{}},
		Mixed:          {"mixed", idle{}},
	}[s]
}

// String returns the name of s in the vocabulary of package fault.
func (s Strategy) String() string { return string(s.kind().name) }

// plan is how a strategy takes its turns. The adversary calls closing a second before the commits
// end and ending a second before the reveals do.
type plan interface {
	begin(j *corrupt)
	drawn(j *corrupt)
	told(j *corrupt, from int, n voting.Notice)
	closing(j *corrupt)
	revealing(j *corrupt)
	ending(j *corrupt)
	settled(j *corrupt)
	answer(j *corrupt) (says []voting.Notice, ok bool)
}

// idle does nothing.
type idle struct{}

func (idle) begin(*corrupt)                          {}
func (idle) drawn(*corrupt)                          {}
func (idle) told(*corrupt, int, voting.Notice)       {}
func (idle) closing(*corrupt)                        {}
func (idle) revealing(*corrupt)                      {}
func (idle) ending(*corrupt)                         {}
func (idle) settled(*corrupt)                        {}
func (idle) answer(*corrupt) ([]voting.Notice, bool) { return nil, false }

// against votes for the other answer and keeps to the rules otherwise.
type against struct{ idle }

func (against) drawn(j *corrupt) {
	c := j.choose(j.adversary.against())
	j.tell(c, 0, 1)
	j.must(j.commit(c.Commitment))
}

func (against) revealing(j *corrupt) {
	j.may(j.reveal(j.Judge, j.opening))
	j.tell(j.vote(j.opening), 0, 1)
}

func (against) answer(j *corrupt) ([]voting.Notice, bool) { return j.said, true }

// silent is against, and answers no catch-up.
type silent struct{ against }

func (silent) answer(*corrupt) ([]voting.Notice, bool) { return nil, false }

// must reports a fault if the chain refuses a transaction of a judge that still has its seat.
// mustNot reports one if the chain takes a transaction that it should refuse, and may reports none.
func (j *corrupt) must(err error) {
	k := j.onChain()
	if i := k.SeatOf(j.Judge); err != nil && i >= 0 && !k.Seats[i].Equivocated {
		j.ref.fault("%s by judge %d refused: %v", j.strategy, j.id, err)
	}
}

func (j *corrupt) mustNot(what string, err error) {
	if err == nil {
		j.ref.fault("%s by judge %d: the chain takes %s", j.strategy, j.id, what)
	}
}

func (j *corrupt) may(err error) {
	if err != nil {
		j.note(j.id, 0, "refused")
	}
}
