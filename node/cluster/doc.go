// Package cluster runs a whole court in one process: the embedded chain with the oju program, and
// the nodes of its judges, from package node. "ojud devnet" and tests of the whole use it.
//
//	Start        starts the chain, puts up the judges' stakes, and starts their nodes.
//	Cluster.Wait blocks until the caller's context ends or a part fails.
//	Cluster.Play lets a creator and a worker bring a dispute before the court, and tells its events.
//	Cluster.Stop ends everything.
//
// A caller should:
//
//  1. Take DefaultConfig, perhaps Fast or Warped, then Reasoned and Asking for judges that ask
//     models, and set Dir.
//  2. Call Stop if Start returned a cluster, even after an error.
//  3. Treat an error of Wait or Play as the end, because a part of the cluster has stopped.
//
// # Files
//
//	DIR/chain            the chain
//	DIR/keys             deployer, creator, worker: Solana keypairs (0600)
//	DIR/nodes/NN         the homes of the judges' nodes, for "ojud run --home DIR/nodes/07"
//	DIR/<case>.case.json the case files of Play
//
// A second Start in the same Dir continues with the same chain and the same judges, and gives
// judges back the stake that they lost.
//
// # Time limits
//
// The limits of Fast are far longer than 28 judges need on an idle machine. A round ends as soon as
// all judges have voted, and Play moves the clock if only absent judges are missing. If the start
// of the nodes was slow, the limits grow with it (Config.Adapt).
//
// # Faults
//
// Config.Absent, Contrary and Equivocating make the last judges misbehave, to show slashes. Their
// nodes are honest: this package gives them a judge or a broadcaster that misbehaves.
package cluster
