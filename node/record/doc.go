// Package record keeps the cases that a node follows and their signed record, the case file
// (protocol section 10).
//
//	Cases      holds what the node knows of cases: looks, seats, and votes that must stay hidden.
//	Keeper     brings case files together: it exchanges events and content with the other seats.
//	Witness    signs the statements of this node in a case: votes, and facts of the final chain.
//	CatchUp    exchanges the notices of a round with other nodes.
//	Reader     gives what the node has of a case: status, panel, file, and why it went as it did.
//	Decisions  remembers how judges voted in decided rounds.
//	RoundData  keeps what the judge asked and was answered in a round.
package record
