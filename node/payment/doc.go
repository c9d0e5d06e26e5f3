// Package payment pays for data and is paid for it, through the payment channels of the oju program
// (ADR 0014, protocol sections 3 and 12). A payer signs vouchers, each of which promises the payee
// so many lamports in all; the payee shows the latest to the program, which moves what is missing
// from the payer's vault to the payee's.
//
// Purse is the payer's side (exchange.Purse), Till the payee's (exchange.Till and exchange.Debts).
// What they decide is computed by functions of numbers alone (promise.go, account.go); the rest
// reads the chain and keeps records. Nothing leaves a Purse before it is on disk, and a Till has
// accepted what is on disk and nothing else: both read their records anew for every decision, so
// that a process that is killed at any point goes on where it was.
//
// What a caller must do:
//
//  1. Open one Purse and one Till for a store; a Store that returned an error from Put may have kept the values or not, and the node stops.
//  2. Run the Till as long as the node runs: it pulls what is worth its fee, and all that is worth it before it expires.
//  3. Have an agent at the authority of each side (ojud agent register): payments go from vault to vault. Purse.Room and Till.Ready say
//     what is missing.
//
// Who has lost its records keeps its lamports: a Purse then counts on from what the chain has paid,
// and promises nothing twice. The payee refuses those vouchers until the earlier ones, which it
// still has, are pulled or have expired.
//
// What an operator may ask, and where the answer is:
//
//   - What did data cost, what did it bring? counters ojud_payment_promised_lamports_total, ojud_payment_paid_lamports_total (drawn from this
//     vault), ojud_payment_earned_lamports_total, ojud_payment_pulled_lamports_total.
//   - Does anybody owe? gauge ojud_payment_owed_lamports; vouchers that expired unused: counter ojud_payment_lost_lamports_total.
//   - Do pulls work? counter ojud_payment_pulls_total, by result.
package payment
