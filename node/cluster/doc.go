// Package cluster is a whole court in one process: the embedded chain with the oju program, and the nodes of its judges, which
// are those of package node. It is what "ojud devnet" runs, and what tests of the whole use.
//
//	Start        brings up the chain, the judges' stakes and their nodes.
//	Cluster.Wait blocks until the caller's context ends or a part fails.
//	Cluster.Play has a creator and a worker fight over a task before the court, and tells what the chain says as it happens.
//	Cluster.Stop ends everything.
//
// What a caller must do:
//
//  1. Take DefaultConfig, perhaps Fast or Warped, then for judges who ask models Reasoned and Asking, and set Dir.
//  2. Call Stop when Start returned a cluster, whatever happened since.
//  3. Take an error of Wait or Play as the end: a part of the cluster stands still.
//
// # Files
//
//	DIR/chain            the chain
//	DIR/keys             deployer, creator, worker: Solana keypairs (0600)
//	DIR/nodes/NN         the homes of the judges' nodes; "ojud run --home DIR/nodes/07" works, too
//	DIR/<case>.case.json the case files of Play
//
// A second Start in the same Dir goes on with the same chain and the same judges. Judges that lost stake are given it back.
//
// # Faults
//
// Config.Absent, Contrary and Equivocating make the last judges misbehave, so that slashes can be seen. The nodes themselves are
// honest: what misbehaves is the judge or the broadcaster that this package hands them.
package cluster
