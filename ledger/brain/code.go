package brain

import "fmt"

// Denial is why the program refused an instruction.
type Denial uint32

const firstCode = 6000

// refusals are the names and meanings of the codes, from the first on.
var refusals = [...][2]string{
	{"BadInstruction", "The instruction is unknown, or its data has the wrong length."},
	{"NotEnoughAccounts", "Fewer accounts than the instruction names."},
	{"NotSigner", "An account that has to sign did not."},
	{"NotWritable", "An account that is written to was passed read-only."},
	{"WrongOwner", "Not an account of this program, or the wrong system program."},
	{"WrongAccount", "Another kind of account, another version or another size."},
	{"WrongAddress", "Not the address that it has to be."},
	{"DuplicateAccount", "One account was passed for two writable roles."},
	{"AlreadyExists", "The account to create exists already."},
	{"Overflow", "A number does not fit, or an account holds less than is taken from it."},
	{"NotAuthority", "The signer is not the authority, or not the requester."},
	{"DataTooLarge", "More bytes than an account may grow by."},
	{"BadParameter", "A parameter is out of its range."},
	{"BadRole", "A role is 1 (worker) or 2 (evaluator)."},
	{"ClassFull", "The class has as many members as it can have."},
	{"NotMember", "The signer is not registered for the class in this role."},
	{"Leaving", "The member is leaving already."},
	{"StakeTooSmall", "The stake is below the least of the class, or more than there can be."},
	{"StakeLocked", "Stake is locked in a task."},
	{"NothingToWithdraw", "The member has earned nothing, and its stake is not free yet."},
	{"WrongStatus", "The status of the task does not allow this."},
	{"TooEarly", "The time for this has not come."},
	{"TooLate", "The time for this is over."},
	{"TooFewMembers", "Fewer members than the task needs are free and independent."},
	{"NotSeated", "The signer was not drawn for this task."},
	{"AlreadyCommitted", "The seat has committed."},
	{"NotCommitted", "The seat has not committed, or is revealed."},
	{"WrongOpening", "Does not hash to the commitment."},
	{"BadSummary", "A summary has at most 500 characters and 700 bytes of UTF-8."},
	{"TooLong", "A description, a proof or metadata is too long."},
	{"BadScore", "A score or a confidence is more than 100."},
	{"BadOutcome", "The outcome contradicts the commitments, or a number is out of its range."},
	{"BadStake", "A stake is not from the class's share of the budget to twice that, or below the bond."},
	{"BadBudget", "The budget is below 0.001 SOL or too large, or the extension costs more."},
	{"BadDeadline", "The deadline is not one to four submission windows after the latest draw."},
	{"MissingHash", "An all-zero hash."},
	{"OwnOutcome", "A dispute names another outcome, and is not the poster's own."},
	{"NotFinal", "The court has not decided yet."},
	{"AlreadyExtended", "The task was extended once."},
	{"NotGolden", "The class has no golden tasks, no result has the answer, or it was opened."},
	{"NoOffer", "The sponsor neither offers to vouch for the member, nor does."},
	{"BadVoucher", "Nobody vouches for itself, twice, on another's word, or with over 2,500 basis points."},
	{"NotFailed", "Who appeals has failed the golden task."},
}

// Name is the name of the code in the IDL.
func (c Denial) Name() string {
	if i := int(c) - firstCode; i >= 0 && i < len(refusals) {
		return refusals[i][0]
	}
	return fmt.Sprintf("Custom(%d)", uint32(c))
}

// Error says what the code means.
func (c Denial) Error() string {
	if i := int(c) - firstCode; i >= 0 && i < len(refusals) {
		return refusals[i][1]
	}
	return fmt.Sprintf("the program refused with the code %d, which this version does not know", uint32(c))
}
