// Package verify checks a case file offline: its form, its signatures, the hash chain of each
// judge, the draw, the votes, the tally and the money. The Report says which checks passed, which
// failed, which could not run because of them, and what a reader should know besides.
//
// The caller should give Anchors: without them a file proves only that its signers agree with each
// other, not that they are the judges of a certain court.
//
// # What it proves, and what it takes on trust
//
// Verify recomputes all that can be computed: hashes, signatures, chains, openings against
// commitments, the draw from its candidates, the tally, quorum and verdict, slashes, shares and
// payments. If any byte of the file is changed, the seal fails, and only the exporter can make
// another seal.
//
// The exporter may be the liar. What he cannot do without the keys of others: write, change or
// reorder a judge's events; pair an event with other content than it names; make a vote that does
// not open its commitment count. What he can do: leave out the end of a judge's chain, or all of
// it, or content; and say what he likes about earlier rounds of a panel, which can only make its
// votes look worth less than its families do (ADR 0017).
//
// What the chain said (who was eligible, the slot hash, who committed and revealed, who was paid)
// is testimony. It counts if more than half of the seats of the round concerned, with more than
// half of its weight, signed events that name the same fact documents; otherwise verification
// fails. Package testimony has the rules, and a judge's word about a round that it did not sit in
// is nothing. So an attacker that wants false facts verified needs the keys of more than half of a
// panel, and two files with different facts of the same panel show a seat that signed both. A
// choice for which the file has a vote that opens the commitment is proven beyond testimony; Verify
// notes those for which it has not. Two amounts are not in any fact and are inferred, with a note:
// stake that was too small to be slashed in full, and what the Roster carried over.
//
// That the keys in the file are those of judges of a real court is beyond any file: somebody may
// invent a court. The case id is the address of a task of that creator under that program; whether
// program, roster and transactions exist is for the chain to say. FileWith compares network,
// program and judges with what the caller knows, and every fact document names its transaction.
//
// Faults of judges and parties (an opinion that is not in the file, a fork, a vote that does not
// open what stands on the chain, a result that is not JSON) are notes: one bad judge must not be
// able to spoil the record of a case.
package verify
