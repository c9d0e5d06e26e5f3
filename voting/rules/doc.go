// Package rules is the arithmetic of the court: who sits, who won, who pays, who is paid, and what
// a task costs.
//
// Each rule is one function of plain data and equals section 6 of docs/protocol.md to the lamport.
// The simulated chain and the offline verifier call them, and tests compare them with the program:
//
//   - Eligible and Draw choose the seats of a round;
//   - Count, Tally.Quorum and Tally.Passes say what the panel decided;
//   - Settle, Expire, SlashEquivocation and Shares say who pays and who is paid;
//   - Offer.Price and Bond say what a task and an objection cost.
//
// The package imports the standard library and package voting, whose types it computes with. It
// does no I/O, and has no clock and no randomness.
package rules
