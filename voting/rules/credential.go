package rules

import "ojud/voting"

// The numbers of an exam before the court, which anybody can take.
const (
	ExamItems = 40
	ExamPass  = 28 // right answers; of the hard items the same share
)

const _ = uint(ExamItems - ExamPass)

// The numbers of the exam in the court, which are a judge's first golden cases. Its score is
// RightScore for each right vote less WrongScore for each wrong one. Whatever a coin does, also if
// it abstains when it is ahead, it reaches PassScore once in a hundred at most: 1.1787 to the
// power of the score never rises in the mean, and 1.1787 to the power of 28 is 100 (ADR 0099).
const (
	RightScore = 2
	WrongScore = 3
	PassScore  = 28 // the judge is proven
	FailScore  = 14 // so far below zero the novice has failed
)

// The numbers of a credential.
const (
	KeepPercent   = 65  // of right and wrong together must be right
	votePercent   = 50  // of seen must be right or wrong
	leastSeen     = 20  // before, the shares say nothing
	halveAt       = 64  // seen
	halveNoviceAt = 200 // likewise; a novice's score must not be forgotten
)

// Credential is a judge's record in golden cases.
type Credential struct {
	Right, Wrong, Seen uint16
	Passed             bool // the judge was proven before
}

// Score is what a novice has so far of PassScore.
func (c Credential) Score() int { return RightScore*int(c.Right) - WrongScore*int(c.Wrong) }

// Proven reports whether the judge has passed. Until then it is a novice.
func (c Credential) Proven() bool { return c.Passed || c.Score() >= PassScore }

// Admit grades an exam of 40 items of which hard are of a hard kind: 28 right answers pass, and the
// same share is needed of the hard ones alone. It returns the record of the answers.
func Admit(right, wrong, hard, hardRight uint16) (c Credential, passed bool) {
	easyEnough := right >= ExamPass && right+wrong <= ExamItems
	hardEnough := uint32(hardRight)*ExamItems >= uint32(hard)*ExamPass
	return Credential{Right: right, Wrong: wrong, Seen: ExamItems}, easyEnough && hardEnough
}

// After is the record after one more golden case. Old cases count less and less, so that a good
// name cannot be used up by voting blindly for long.
func (c Credential) After(s *voting.Seat, answer voting.Choice) Credential {
	c.Seen++
	switch {
	case !sided(s):
	case s.Choice == answer:
		c.Right++
	default:
		c.Wrong++
	}
	most := uint16(halveNoviceAt)
	if c.Passed = c.Proven(); c.Passed {
		most = halveAt
	}
	if c.Seen >= most {
		c.Right, c.Wrong, c.Seen = c.Right/2, c.Wrong/2, c.Seen/2
	}
	return c
}

// Holds reports whether the judge may be drawn: a novice has not failed, a proven judge is still
// right often enough, and neither abstains too often.
func (c Credential) Holds() bool {
	return c.Able() && (c.Seen < leastSeen || 100*(uint32(c.Right)+uint32(c.Wrong)) >= votePercent*uint32(c.Seen))
}

// Able reports whether the votes for a side let the judge sit.
func (c Credential) Able() bool {
	if !c.Proven() {
		return c.Score() > -FailScore
	}
	return c.Seen < leastSeen || 100*uint32(c.Right) >= KeepPercent*(uint32(c.Right)+uint32(c.Wrong))
}
