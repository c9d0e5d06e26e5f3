// Package svm executes Solana transactions as Agave's SVM (4.2, mainnet feature set of August 2026)
// does: result, compute units, logs, return data, inner instructions and account bytes. It is the
// part of the embedded chain that runs programs. The bank (ledger/devnet) has slots, blockhashes,
// statuses, persistence and JSON-RPC.
//
// It has legacy transactions, those of version 0 with address lookup tables, and those of version 1
// (SIMD-0385). It has sBPF v0 and v3 programs owned by loader-v2 or loader-v3, the System and
// ComputeBudget programs, deployment and upgrades by loader-v3 without ExtendProgram, the Ed25519
// precompile, the instructions sysvar, cross-program invocation, fees, rent and durable nonces. It
// refuses loader-v1 and -v4, sBPF v1 and v2, other builtins, and elliptic-curve system calls.
//
// The caller must
//
//  1. decode transactions with DecodeTransaction, which bounds and checks the bytes;
//  2. pass the chain's state in Environment and Source; the package has no clock and no randomness
//     of its own, so equal inputs give equal results;
//  3. answer Source with every account, including sysvars and builtin programs (Sysvars and
//     Builtins of package accounts), and never change the bytes that it returned;
//  4. record recent blockhashes and processed signatures itself (Environment.BlockhashValid);
//  5. write back Result.Writes, and nothing else, if Result.Status is not Rejected.
//
// LiteSVM judges this package. If LiteSVM is known to differ from Agave's source, the source wins;
// package difftest lists those points, which no judge has confirmed.
package svm
