// Package casefile is the record of a case: canonical JSON, the documents that parties and judges
// write, votes, the signed and hash-chained events of the judges, and the bundle that anybody can
// verify without a network (protocol sections 1, 2, 3 and 10).
//
// # Events
//
// Each judge that sits in a case writes a chain of signed events about it; a Log is the set of
// these chains. Nodes exchange the events that the other lacks (Heads, Since, Add) until they
// agree. Whether an event is taken depends only on the draw and on the actor's own chain, so all
// honest nodes take the same. The caller must
//
//  1. tell the log who sits in a round (Seat) as soon as the chain shows it; before, events of that
//     round are refused with ErrStranger and have to be asked for again,
//  2. Load before anything else, and after the loss of the store fetch its own chain from its peers
//     before it appends,
//  3. write facts from a finalized look at the chain, with the builders of this package, so that
//     all write the same bytes,
//  4. give a Store whose Put is durable: an event that was sent and is then forgotten makes a fork.
package casefile
