// Package devnet is the embedded Solana cluster: a chain of one validator (ledger/devnet/bank, on
// ledger/svm) behind Solana's JSON-RPC and websocket. It is exact enough that solana-go,
// @solana/web3.js, @solana/kit and solders can send and confirm. It needs only this program, and
// every client that speaks Solana RPC may use it.
//
// The caller must
//
//  1. give New a Config from DefaultConfig and Deps with a logger;
//  2. either call Serve, which listens and moves the slots until its context ends, or, without
//     sockets, call Run for the slots (or Seal, in manual mode) and reach the server through
//     Handler, Transport or Dial;
//  3. treat an error from Serve, Run or Seal as the end of the chain: a write failed, and nothing
//     more is acknowledged;
//  4. call Close at the end.
//
// Any program that can reach the RPC port can take airdrops and, unless Config.NoWarp is set, move
// the clock: it is a chain for play. Pages of other sites in a browser can do neither.
//
// # Differences from a cluster
//
//   - One validator, no forks, no votes: a slot is confirmed when it is sealed and finalized
//     Chain.FinalityBlocks blocks later. Every slot has a block, which may be empty; only a warp
//     and downtime skip slots.
//   - A transaction is executed when it arrives. Notifications at the processed level come at once,
//     one for each transaction, not at the end of the slot. maxRetries means nothing.
//   - Fees go whole to the validator identity. The faucet is an account of the genesis, and each
//     airdrop is its own transaction with a transfer from it. There is no inflation, no stake, no
//     vote account.
//   - A blockhash is valid for 150 blocks after its own, and its lastValidBlockHeight says exactly
//     that at every commitment level. Agave accepts it one block longer than it says at the
//     confirmed level.
//   - jsonParsed has no parser for any program, so accounts come as base64 and instructions partly
//     decoded.
//   - sendTransaction refuses trailing bytes. There are no block limits (compute units, accounts).
//   - Method devnet_warp, with seconds, is ours. There are no methods about tokens, inflation,
//     stake and block production, and no blockSubscribe and voteSubscribe. Config.QueueBytes bounds
//     the notifications of a connection.
package devnet
