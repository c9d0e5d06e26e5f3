// Package network is what a node knows of the other nodes: the Roster of the court and the keys of
// its judges, the links that are kept to them, the form of messages, and how much a peer may send.
package network
