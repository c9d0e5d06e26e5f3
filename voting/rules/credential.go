package rules

import "ojud/voting"

// The numbers of an entry exam.
const (
	ExamItems = 40
	ExamPass  = 28 // right answers; of the hard items the same share
)

// The numbers of a credential.
const (
	KeepPercent = 65 // of right and wrong together must be right
	votePercent = 50 // of seen must be right or wrong
	halveAt     = 64 // seen
)

const _ = uint(ExamItems - ExamPass)

// Credential is a judge's record in golden cases. It begins with the entry exam.
type Credential struct {
	Right, Wrong, Seen uint16
}

// Admit grades an entry exam of 40 items of which hard are of a hard kind: 28 right answers pass,
// and the same share is needed of the hard ones alone. It returns the record that the judge begins
// with.
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
	if c.Seen >= halveAt {
		c.Right, c.Wrong, c.Seen = c.Right/2, c.Wrong/2, c.Seen/2
	}
	return c
}

// Holds reports whether the judge may be drawn.
func (c Credential) Holds() bool {
	voted := uint32(c.Right) + uint32(c.Wrong)
	return 100*uint32(c.Right) >= KeepPercent*voted && 100*voted >= votePercent*uint32(c.Seen)
}
