// Package keep is a memory node on its disk: a log of promises that only grows, and the artifacts.
//
// A folder has these files:
//
//	entries   the leaves of the log, memory.LeafSize bytes each
//	hashes    the hashes of the tree, in the order of tlog.StoredHashIndex; they follow from entries
//	head      the tree head that was signed last
//	content   the artifacts, by hash
//
// What is acknowledged is on the device: first the artifact, then entries and hashes, then the head
// that covers them. Open verifies the whole log against the head, and cuts off what no head covers.
// A log that does not have what its head says is not opened: a node that went on with it would sign
// a second history.
package keep
