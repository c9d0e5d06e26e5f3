package program

import "fmt"

// Code is a custom error of the program (protocol section 8). It is an error itself: errors.Is(err, program.ErrTooEarly).
type Code uint32

// The errors of the program.
const (
	ErrBadInstruction Code = 6000 + iota
	ErrNotEnoughAccounts
	ErrNotSigner
	ErrNotWritable
	ErrWrongOwner
	ErrWrongAccount
	ErrWrongAddress
	ErrDuplicateAccount
	ErrAlreadyExists
	ErrOverflow
	ErrNotAuthority
	ErrBadConfig
	ErrPaused
	ErrWrongPage
	ErrNotEnoughInVault
	ErrZeroAmount
	ErrBadName
	ErrDataTooLarge
	ErrGrantsFull
	ErrNoGrant
	ErrBadFlags
	ErrWrongStatus
	ErrBadReward
	ErrBadDuration
	ErrBadTerm
	ErrWrongEngine
	ErrMissingHash
	ErrNotCreator
	ErrNotWorker
	ErrOwnTask
	ErrWorkerBarred
	ErrPriceTooLow
	ErrTooLate
	ErrTooEarly
	ErrReworksExhausted
	ErrAlreadyOnRoster
	ErrPeerTaken
	ErrBadPeerProof
	ErrStakeTooSmall
	ErrRosterFull
	ErrNotOnRoster
	ErrAlreadyExiting
	ErrNotExiting
	ErrStakeLocked
	ErrWrongRound
	ErrTooFewJudges
	ErrNotSeated
	ErrAlreadyCommitted
	ErrNotCommitted
	ErrAlreadyRevealed
	ErrWrongOpening
	ErrBadChoice
	ErrBadSealed
	ErrNotYetSettleable
	ErrBadEvidence
	ErrEquivocated
	ErrNothingToClaim
	ErrBadVoucher
	ErrVoucherExpired
	ErrVoucherSpent
	ErrVaultEmpty
	ErrBadRelay
	ErrStillFresh
)

var _ error = Code(0)

// Known reports whether c is a code of this version of the program.
func (c Code) Known() bool { return c >= ErrBadInstruction && c <= ErrStillFresh }

// Name is the code's name in the protocol and in the IDL, as "TooEarly".
func (c Code) Name() string {
	if !c.Known() {
		return fmt.Sprintf("Custom(%d)", uint32(c))
	}
	return words()[c-ErrBadInstruction].name
}

// Meaning says in plain words what is wrong.
func (c Code) Meaning() string {
	if !c.Known() {
		return "the program failed with a code that this version of ojud does not know"
	}
	return words()[c-ErrBadInstruction].meaning
}

// Next says what a person can do about it.
func (c Code) Next() string {
	if !c.Known() {
		return "check that ojud is of the same version as the program on this network"
	}
	return words()[c-ErrBadInstruction].next
}

// Error is one line with name, number, meaning and next step.
func (c Code) Error() string {
	return fmt.Sprintf("%s (%d): %s; %s", c.Name(), uint32(c), c.Meaning(), c.Next())
}

// ParseCode returns the code of a name.
func ParseCode(name string) (Code, bool) {
	for i, w := range words() {
		if w.name == name {
			return ErrBadInstruction + Code(i), true
		}
	}
	return 0, false
}
