// Package devnet is the embedded Solana cluster: a chain of one validator (ledger/devnet/bank, on
// ledger/svm) with Solana's JSON-RPC and websocket in front, exact enough for solana-go,
// @solana/web3.js and @solana/kit to send and confirm against. It needs nothing but this program,
// and everything that speaks Solana RPC may use it.
//
// The caller must
//
//  1. give New a Config from DefaultConfig and Deps with a logger;
//  2. either call Serve, which listens and moves the slots until its context ends, or, without
//     sockets, call Run for the slots (or Seal, in manual mode) and reach the server through
//     Handler, Transport or Dial;
//  3. take an error from Serve, Run or Seal as the end of the chain: a write failed, nothing more
//     is acknowledged;
//  4. call Close when done.
//
// Whoever reaches the RPC port can take airdrops and, unless Config.NoWarp, move the clock: it is a
// chain for play.
//
// # What is not as on a cluster
//
//   - One validator, no forks, no votes: a slot is confirmed when it is sealed and finalized
//     Chain.FinalityBlocks blocks later. Every slot has a block, empty or not; only a warp and
//     downtime skip slots.
//   - A transaction is executed when it arrives. Notifications at the processed level come at once,
//     one for each transaction, not at the end of the slot. maxRetries means nothing.
//   - Fees go whole to the validator identity. The faucet is an account of the genesis; an airdrop
//     is a transfer from it and each is a transaction of its own. There is no inflation, no stake,
//     no vote account.
//   - A blockhash is good for 150 blocks after its own and its lastValidBlockHeight says exactly
//     that at every commitment level; Agave takes it one block longer than it says at the confirmed
//     level.
//   - jsonParsed has parsers for no program at all, so accounts come as base64 and instructions
//     partly decoded.
//   - sendTransaction refuses trailing bytes. Block limits (compute units, accounts) do not exist.
//   - Method devnet_warp, with seconds, is ours. Methods about tokens, inflation, stake, block
//     production, and blockSubscribe and voteSubscribe, do not exist. Notifications are bounded by
//     Config.QueueBytes a connection.
package devnet
