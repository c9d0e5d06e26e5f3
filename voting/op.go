package voting

import "fmt"

// Op is what a node asks the chain to do (protocol section 5).
type Op uint8

// The operations.
const (
	OpDraw   Op = iota + 1 // draw
	OpCommit               // commit the own vote
	OpReveal               // reveal the own vote
	OpRelay                // reveal the vote of another seat
	OpSettle               // settle
	OpExpire               // expire_case
	OpSlash                // slash_equivocation
	OpClaim                // claim_reward
	OpCarry                // commit the vote of another seat that asked for it (relay_commit)
)

// String names o for traces and metrics.
func (o Op) String() string {
	names := [...]string{"none", "draw", "commit", "reveal", "relay", "settle", "expire", "slash", "claim", "carry"}
	if int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("op(%d)", uint8(o))
}

// urgent operations concern a seat's stake and have minutes.
func (o Op) urgent() bool { return o == OpCommit || o == OpReveal || o.charity() }

// charity is what a node pays for another judge's sake.
func (o Op) charity() bool { return o == OpRelay || o == OpCarry }

// SubmitClass is how a Submit ended, as far as the machine must tell.
type SubmitClass uint8

// The ends of a Submit.
const (
	// Landed: the transaction was confirmed without an error.
	Landed SubmitClass = iota + 1
	// Moot: the program refused it because the chain is no longer, or not yet, as the machine thought (WrongStatus, TooEarly,
	// TooLate, AlreadyCommitted, AlreadyRevealed, TooFewJudges …). Somebody else was faster, or the look is old.
	Moot
	// Failed: it did not get that far (no answer from the RPC, blockhash expired, no lamports for the fee).
	Failed
	// Hopeless: the program will never take it (BadEvidence, WrongOpening, NotSeated). It is not tried again.
	Hopeless
)

// String names c for traces and metrics.
func (c SubmitClass) String() string {
	names := [...]string{"none", "landed", "moot", "failed", "hopeless"}
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}
