// Package node is the shell of a judiciary node: it opens the node's home, joins the network, watches the chain, gives the pure
// core (package voting) its events and does what the core wants done, in order, on disk before on the wire.
//
//	Check    says in plain words what would stop this node from judging: keys, chain, program, funds, stake, clock.
//	New      opens the home and joins the network.
//	Node.Run judges until its context ends.
//
// What a caller must do:
//
//  1. Create a home with Init, or Open one; one process a home.
//  2. Call Run once, and Close when it returned. An error of Run is final and says what to do.
//  3. Treat ErrTwin as an alarm: another copy of the node signs with the same keys, and only one may go on.
//
// # Files of a home
//
//	node.key        libp2p identity: votes, case files (0600)
//	authority.json  Solana keypair as solana-keygen writes it: stake, rewards, fees (0600)
//	network.json    which court: protocol section 11
//	journal/        what was signed, heard and sent, when the node ran, and what it met in each case (for Why)
//	blobs/          content by hash
//	registry.json   the judges we know
//	api             address of the running node's HTTP API
package node
