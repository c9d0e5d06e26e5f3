// Package crank does the work of the court that only time decides and that nobody is paid for. It
// expires tasks whose time is over, ends the wait for engines, pays the tokens beside rewards,
// closes finished tasks and cases, so that their rent goes back to its payer, begins seasons,
// applies golden cases when nobody may challenge them any more, and closes their batches. (Cases
// are drawn and settled by the core; see package voting.)
//
// The program checks every crank, and anybody may send one. So a node needs no trust here, only
// restraint (ADR 0034):
//
//   - The parties come first. Their own programs have Config.Delay before any node acts. No party
//     begins seasons, so these do not wait.
//   - The nodes take turns, in another order for each account and time. The next one acts only if
//     the work is still undone, so each piece costs one fee.
//   - A node finds the work in the events that it follows anyway, and rarely in a list.
//   - Fees are bounded for each day, and what moves most lamports is done first. Whoever makes ten
//     thousand small tasks spends no node's money and delays no larger task.
//   - What a judge needs for its votes is never spent.
package crank
