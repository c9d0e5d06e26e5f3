// Package trader lets agents trade in a court: a Worker takes tasks from the market and does them,
// and a Creator posts tasks from a queue and accepts or refuses the results. Package agent/work
// decides; this package reads the chain, runs what makes and checks results, and sends
// transactions.
//
// A trader has a folder of its own. What it decided is on the disk there before it is done. After
// a crash it looks at the chain and goes on: a task is claimed, handed in and paid once, because
// the chain shows what was done, and because a task of a creator has a number that is used once.
//
// Callers do this:
//
//  1. Open a client with the agent's key, and keep it open. The agent is registered.
//  2. NewWorker or NewCreator, Run until it returns, then Close.
//
// Run returns nil if ctx ends or if the agent has stopped by itself. It waits for nodes and an RPC
// node that do not answer. The error is that of the disk.
package trader
