// Package wire holds the byte formats of the network layer and nothing else:
// frames on a stream, the signed announcement of a judge, and the messages with
// which two nodes compare their directories.
//
// It imports no libp2p package, so that its decoders fuzz at full speed (a
// package that imports libp2p fuzzes about twenty times slower).
// Every decoder takes its limits as arguments or constants, checks them
// before it allocates, and accepts exactly one encoding of each value.
//
// The caller verifies signatures: this package does not know keys.
package wire
