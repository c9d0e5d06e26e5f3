package program

import (
	"fmt"
	"slices"
)

// Code is a custom error of the program (protocol section 8). It is an error itself: errors.Is(err,
// program.ErrTooEarly).
type Code uint32

var _ error = Code(0)

// Known reports whether c is a code of this version of the program.
func (c Code) Known() bool { return c >= firstCode && c <= lastCode }

// Name is the code's name in the protocol and in the IDL, as "TooEarly".
func (c Code) Name() string {
	if !c.Known() {
		return fmt.Sprintf("Custom(%d)", uint32(c))
	}
	return codeNames()[c-firstCode]
}

// Meaning names the fault in plain words.
func (c Code) Meaning() string {
	if !c.Known() {
		return "the program failed with a code that this version of ojud does not know"
	}
	return codeMeanings()[c-firstCode]
}

// Next says what a person can do about it.
func (c Code) Next() string {
	if !c.Known() {
		return "check that ojud is of the same version as the program on this network"
	}
	return nextSteps()[c-firstCode]
}

// Error is one line with name, number, meaning and next step.
func (c Code) Error() string {
	return fmt.Sprintf("%s (%d): %s; %s", c.Name(), uint32(c), c.Meaning(), c.Next())
}

// ParseCode returns the code of a name.
func ParseCode(name string) (Code, bool) {
	i := slices.Index(codeNames(), name)
	return firstCode + Code(max(i, 0)), i >= 0
}

// Limit states the limit that an error is about, as a court's parameters have it; empty if they do
// not state it.
func (c Code) Limit(p Params) string {
	switch c {
	case ErrBadReward:
		return fmt.Sprintf("the lowest reward is %d lamports", p.MinReward)
	case ErrStakeTooSmall:
		return fmt.Sprintf("the lowest stake is %d lamports", p.MinStake)
	case ErrReworksExhausted:
		return fmt.Sprintf("a task of the rules in force can be reworked %d times", p.MaxReworks)
	case ErrRosterFull:
		return fmt.Sprintf("there is room for %d judges", p.MaxJudges)
	}
	return ""
}
