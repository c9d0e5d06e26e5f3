// Package difftest compares ledger/svm with LiteSVM (npm litesvm 1.5.0, which is Agave's own SVM),
// the judge. The same accounts, sysvars, programs and transactions go through both, and everything
// that a user can see must agree: errors, compute units, logs, return data, inner instructions,
// account bytes.
//
// A test describes its runs as Cases and gives them to Judge.Check. If `npm install` was run in
// harness/, the judge starts node once and compares live. Otherwise it replays an earlier trace
// with the same comparison. It logs which of the two it did. Programs elsewhere in the repository
// use this package for their own tests.
//
// Use `npm install`, which keeps to the lock file, and not `npm ci`. The latter insists on lock
// entries for LiteSVM's builds for other platforms, and the registry did not have those when the
// lock file was made (404 on 2026-11-21).
//
// The caller must
//
//  1. keep the intended differences between the two out of its cases (see Deviations below);
//  2. record traces again (Options.Record) if LiteSVM or the cases change.
//
// # Deviations
//
// The cases avoid the following points, so LiteSVM confirms none of them.
//
// In these points ledger/svm follows Agave 4.2's source and LiteSVM does not:
//
//   - A top-level program that does not exist is ProgramAccountNotFound and pays the fee; LiteSVM
//     says InvalidProgramForExecution and takes nothing. Loading failures pay the fee.
//   - A program account is recognised by its owner; LiteSVM insists on the executable flag.
//   - The code of an upgradeable program counts towards the loaded accounts data size; in LiteSVM
//     it does not.
//   - More than 64 instructions, or an instruction with more than 255 accounts, are a
//     SanitizeFailure before anything is loaded.
//   - The rent state of the fee payer is taken after the fee.
//   - A failed transaction that advanced a durable nonce still advances it.
//   - Durable nonces advance to the environment's blockhash; LiteSVM takes the transaction's own.
//   - The stake history account has its full size; LiteSVM's is empty.
//
// In these points ledger/svm departs from Agave and LiteSVM alike:
//
//   - Files of sBPF versions 1 and 2 are refused, although LiteSVM's mainnet feature set runs them.
//   - Of the loaders, the upgradeable one alone takes instructions, in package ledger/svm/loader
//     with a comparison of its own. Those of the others are refused (UnsupportedProgramId, with
//     words of our own in the log).
package difftest
