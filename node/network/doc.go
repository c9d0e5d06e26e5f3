// Package network holds a node's knowledge of the other nodes: the Roster of the court, the keys of
// its judges, the links to them, the form of messages, and the bytes that a peer may send.
package network
