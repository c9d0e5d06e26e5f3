// Package ledger is the oju program's client, for a node and for the command line. It speaks to any
// Solana RPC node: our own devnet, solana-test-validator, a public cluster. Package ledger/program
// defines the layouts of accounts, instructions and events.
//
//   - Client reads accounts, lists and transactions, each with the slot of the answer, and never
//     goes back in time.
//   - Watcher follows the program: its transactions (Events), the state of the cases (Looks) and
//     the chain's time (Clock).
//   - Sender gets a transaction into the chain exactly once for a purpose, even if the process
//     crashes.
//   - Keypair is the key that signs.
//
// Package rpc carries the calls to the node, transact has what a transaction is without a node, and
// looks has the chain's time and the looks.
//
// What a caller must do:
//
//  1. Call Client.CheckChain before anything else, with the genesis hash of the network's
//     descriptor. If the node later serves another chain, every call returns ErrOtherChain. Stop
//     then.
//  2. Decide by looks, not by events. At commitment "confirmed" a transaction may be undone. The
//     next look then shows an older state, perhaps with a newer slot.
//  3. Receive everything that the Watcher sends, and store Occurred.Cursor after you have handled
//     it. After a restart from that cursor nothing is missing, but the Watcher repeats transactions
//     of about the last Watch.Overlap slots.
//  4. Give voting's events the time of Clock.Last or of the Look, never that of this machine.
//  5. Give a Sender an Outbox that is on disk when it returns, and stop on ErrOutbox. Close the
//     Sender before the Outbox.
//  6. Name the Purpose of a transaction so that the same act has the same name after a restart. If
//     the program would accept the act twice (a deposit, a transfer), set Once too, and call Forget
//     after you have handled the outcome.
//  7. After an error of Submit do not assume that nothing was sent. Submit again with the same
//     Purpose: it waits for the transaction under way.
//
// # Questions of an operator
//
// All metrics begin with ojud_ledger_.
//
//   - Does the node answer? rate(ojud_ledger_calls_total{result!="ok"}[5m]), by result:
//     unavailable, rate_limited, stale …
//   - Is it slow? histogram_quantile(0.9, rate(ojud_ledger_call_seconds_bucket[5m]))
//   - Is it behind, or does the chain stand still? time() - ojud_ledger_chain_seconds; alert above
//     30.
//   - Is my clock right? abs(ojud_ledger_skew_seconds) > 30. A wrong clock costs nothing here:
//     deadlines are the chain's.
//   - Does the websocket work? ojud_ledger_socket_up, rate(ojud_ledger_socket_dials_total[1h]) for
//     how often it is opened.
//   - Does it tell everything? rate(ojud_ledger_transactions_total{by="sweep"}[1h]) while socket_up
//     is 1 counts the transactions that it missed.
//   - Do I read too slowly? rate(ojud_ledger_socket_dropped_total[5m]) > 0: the Watcher's events
//     are not taken fast enough.
//   - Do my transactions land? rate(ojud_ledger_submits_total[5m]) by class, and
//     rate(ojud_ledger_resigned_total[1h]): above 0, raise send.priority_fee.
//   - Is something stuck? ojud_ledger_outbox_pending above 0 for more than 3 minutes.
//   - Can I still pay? ojud_ledger_payer_lamports < 10000000
package ledger
