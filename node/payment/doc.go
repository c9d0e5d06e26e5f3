// Package payment pays for data and receives payments, through the payment channels of the oju
// program (docs/adr/0014, docs/protocol.md sections 3 and 12). A payer signs vouchers. Each
// promises the payee a total of lamports. The payee sends the latest one to the program, which
// moves the missing lamports from the payer's vault to the payee's.
//
// Purse is the payer's side (exchange.Purse), Till the payee's (exchange.Till and exchange.Debts).
// Functions of numbers alone make their decisions (promise.go, account.go); the rest reads the
// chain and keeps records. A voucher leaves a Purse only after it is on disk, and a Till accepts a
// voucher only by writing it to disk. Both read their records anew for every decision, so a killed
// process goes on where it was.
//
// The caller must:
//
//  1. Open one Purse and one Till for a store. After an error of Store.Put the values may be kept
//     or not, so stop the node.
//  2. Run the Till as long as the node runs. It pulls vouchers that are worth their fee, and does
//     so before they expire.
//  3. Register an agent for the authority of each side (ojud agent register), because payments go
//     from vault to vault. Purse.Room and Till.Ready say if one is missing.
//
// A Purse that has lost its records keeps its lamports: it continues from the amount that the chain
// has paid, and promises nothing twice. The payee refuses its vouchers until the earlier ones,
// which the payee still has, are pulled or have expired.
//
// What an operator may ask, and which metric answers:
//
//   - What did data cost and earn? counters ojud_payment_promised_lamports_total,
//     ojud_payment_paid_lamports_total (drawn from this vault), ojud_payment_earned_lamports_total,
//     ojud_payment_pulled_lamports_total.
//   - Are there debtors? gauge ojud_payment_owed_lamports. Vouchers that expired unused: counter
//     ojud_payment_lost_lamports_total.
//   - Do pulls work? counter ojud_payment_pulls_total, by result.
package payment
