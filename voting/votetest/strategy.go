package votetest

import (
	"ojud/sim/fault"
	"ojud/voting"
)

// Strategy is what the byzantine judges of a panel do. The first eight are those that go-f3's
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
	// Drop loses 40 % of what honest judges tell each other, and votes against.
	Drop
	// Repeat signs what it hears from others as its own, again and again.
	Repeat
	// Spam answers whatever it hears with forged, foreign and impossible notices.
	Spam
	// Validated says what every check lets pass and what is of no use: its own notices again and
	// again, and requests to commit for it although it can.
	Validated
	// Withhold commits and never reveals.
	Withhold
	// Equivocate shows each half of the others another statement, and commits the first.
	Equivocate
	// SplitVote does that while the same halves cannot reach each other until the case is over.
	SplitVote
	// LateReveal commits and reveals in the last second, and tells nobody before.
	LateReveal
	// CopyVote commits what an honest judge committed, and tries to open it with that judge's
	// opening.
	CopyVote
	// Replays says again in this round what was said in others, and what was said already, and
	// sends others' transactions as its own.
	Replays
	// WrongCase signs for other cases, rounds and networks, and commits there.
	WrongCase
	// ClockLiar has the chain's clock run fast or slow by up to half, reveals before and commits
	// after the time.
	ClockLiar
	// Adaptive commits half and half, sees every vote of the honest first, and then reveals in the
	// last second only what hurts.
	Adaptive
	// Collude votes against, all alike.
	Collude
	// Beg asks others for two commitments, each half for another.
	Beg
	// LateEquivocate shows the second statement when the case is over.
	LateEquivocate
	// Mixed: each judge has another strategy.
	Mixed
)

// String returns the name of s in the vocabulary of package fault.
func (s Strategy) String() string {
	kinds := [...]fault.Kind{"", fault.Absent, fault.Hasty, fault.Denier, fault.MessageLoss, fault.Echo, fault.Spammer,
		fault.Chatterer, fault.Withholder, fault.Equivocator, fault.VoteSplitter, fault.Late, fault.Copier, fault.Replayer,
		fault.WrongCase, fault.ClockSkew, fault.Adaptive, fault.Colluder, fault.RelayEquivocator, fault.LateEquivocator, "mixed"}
	return string(kinds[s])
}

// plan is how a strategy takes its turns. The mob calls closing a second before the commits end and
// ending a second before the reveals do.
type plan interface {
	hired(f *felon)
	drawn(f *felon)
	told(f *felon, from int, n voting.Notice)
	closing(f *felon)
	revealing(f *felon)
	ending(f *felon)
	settled(f *felon)
	answer(f *felon) (says []voting.Notice, ok bool)
}

func (s Strategy) plan() plan {
	switch s {
	case Decide:
		return decide{}
	case Deny:
		return deny{}
	case Drop:
		return dropping{}
	case Repeat:
		return repeat{}
	case Spam:
		return spam{}
	case Validated:
		return validated{}
	case Withhold:
		return withhold{}
	case Equivocate:
		return equivocate{}
	case SplitVote:
		return splitVote{}
	case LateReveal:
		return lateReveal{}
	case CopyVote:
		return copyVote{}
	case Replays:
		return replays{}
	case WrongCase:
		return wrongCase{}
	case ClockLiar:
		return clockLiar{}
	case Adaptive:
		return adaptive{}
	case Collude:
		return against{}
	case Beg:
		return beg{}
	case LateEquivocate:
		return lateEquivocate{}
	}
	return idle{}
}

// idle does nothing.
type idle struct{}

func (idle) hired(*felon)                          {}
func (idle) drawn(*felon)                          {}
func (idle) told(*felon, int, voting.Notice)       {}
func (idle) closing(*felon)                        {}
func (idle) revealing(*felon)                      {}
func (idle) ending(*felon)                         {}
func (idle) settled(*felon)                        {}
func (idle) answer(*felon) ([]voting.Notice, bool) { return nil, false }

// against votes for the other answer and keeps to the rules otherwise.
type against struct{ idle }

func (against) drawn(f *felon) {
	c := f.choose(f.mob.against())
	f.tell(c, 0, 1)
	f.must(f.commit(c.Commitment))
}

func (against) revealing(f *felon) {
	f.may(f.reveal(f.judge, f.opening))
	f.tell(f.vote(f.opening), 0, 1)
}

func (against) answer(f *felon) ([]voting.Notice, bool) { return f.said, true }

// must is for a transaction that the chain has to take of a judge that has its seat still; mustNot
// for one that it has to refuse; of others nobody cares.
func (f *felon) must(err error) {
	k := &f.panel.chain.Task(f.panel.task).Case
	if i := k.SeatOf(f.judge); err != nil && i >= 0 && !k.Seats[i].Equivocated {
		f.panel.ref.fault("%s by judge %d refused: %v", f.strategy, f.id, err)
	}
}

func (f *felon) mustNot(what string, err error) {
	if err == nil {
		f.panel.ref.fault("%s by judge %d: the chain takes %s", f.strategy, f.id, what)
	}
}

func (f *felon) may(err error) {
	if err != nil {
		f.panel.note(f.id, 0, "refused")
	}
}
