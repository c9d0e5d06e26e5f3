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
// Law is version 2 of the rules, which docs/rules.md explains. No court has it yet; the lab of
// package sim/policy plays with it:
//
//   - Tally.Decides, Tally.Clear and Law.Close say what a panel decided;
//   - Law.Finish pays a case that nothing can change any more, Law.Golden a golden case;
//   - Law.Fee, Law.Raised, Law.Bonds, Law.AppealBond, AppealSeats, Equivocation, Law.Claim,
//     Law.Cover, Law.SeatWeight, Law.Exposure, Law.Deposit, Law.Leaves and Balanced are what tasks,
//     seats and batches cost and may be;
//   - Admit and Credential say who may be drawn.
//
// The package imports the standard library and package voting, whose types it computes with. It
// does no I/O, and has no clock and no randomness.
package rules
