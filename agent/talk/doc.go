// Package talk is ANEX between any two agents, for any purpose: the pure machine of one party of a
// conversation, and the agreement that a conversation may end in. Package anex reads and writes the
// messages. docs/talking.md has the protocol; clients/vectors.json has conversations that the three
// languages play.
//
// It does no I/O, starts no goroutine, and uses no clock and no randomness, so the same moves have
// the same results.
//
// # One table for both sides
//
// A conversation is a phase and the messages that are not answered yet. One table says which
// message may come next, whoever sends it, and the machine holds its own owner to the table as it
// does the peer. An own message against the table is refused and changes nothing. A message of the
// peer against it gets NOT-UNDERSTOOD and ends the conversation. A word that is not known gets
// NOT-UNDERSTOOD and ends nothing, a few times.
//
// # Duties of the caller
//
//  1. Use one machine for each conversation, from one goroutine. Send what Step returns, in order.
//  2. Prove who the peer is, and give its name to New.
//  3. Bound the frames: anex.MaxInform bytes.
//  4. Call Next after each Step, and make a move Clock at that time.
//  5. Sign an acceptance, and countersign one that was heard, with Agreement.Sign.
//  6. If Ending.Erase is set, delete what the peer told. The agreement may stay.
//  7. Texts of the peer are hostile. Show them escaped, and let no program take them as orders.
package talk
