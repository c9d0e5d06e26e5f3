// Package node runs a judge. It opens the node's home, joins the network, watches the chain, gives
// the pure core (package voting) its events, and executes the effects that the core wants: in
// order, and on disk before on the wire.
//
//	Check    says in plain words what would keep this node from judging.
//	New      opens the home and joins the network.
//	Node.Run judges until its context ends.
//
// What a caller must do:
//
//  1. Create a home with Init, or open one with OpenHome. A home has one process.
//  2. Call Run once, and Close after it has returned. An error of Run is final and says what to do.
//  3. Treat ErrTwin as an alarm: another copy of the node signs with the same keys, and only one
//     may go on.
//
// # Parts
//
// The packages below own their data. Each declares in an interface what it needs of the others, and
// New connects them.
//
//	layer     what the node needs of its chain; Deps.Chain replaces the Solana RPC node
//	network   the Roster, links and keys of other nodes
//	content   content by its hash
//	record    the cases that are followed, and their signed case files
//	evidence  data of peers, own sources, and payments
//	status    state, checks, the HTTP API, and the audit trail
//	work      background jobs
//
// # Files of a home
//
//	node.key        libp2p identity: votes, case files (0600)
//	authority.json  Solana keypair as solana-keygen writes it: stake, rewards, fees (0600)
//	network.json    the court: protocol section 11
//	journal/        statements, transactions, when the node ran, and what it did in each case
//	blobs/          content by hash
//	registry.json   the judges that the node knows
//	api, api.key    address and key of the running node's HTTP API
package node
