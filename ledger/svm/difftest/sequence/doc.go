// Package sequence attacks the oju program with random sequences of its instructions on ledger/svm:
// good calls, calls by the wrong person, at the wrong time, with wrong amounts, wrong accounts,
// wrong bytes. A model of docs/protocol.md, sections 4 to 6, says of each call whether it is lawful
// and what it does, and the program must do exactly that: refuse what is not lawful, carry out what
// is, and change nothing else. After each call the accounts have to satisfy what holds whatever was
// called: lamports in equal lamports out, every account holds its rent and what it counts, totals
// are the sums of their entries.
//
// There is nothing here to be used by others: the tests are all of it.
//
//	go test ./ledger/svm/difftest/sequence                                 a few hundred sequences
//	go test ./ledger/svm/difftest/sequence -run Sequences -sequences 1000000 -timeout 5h    (make sequences)
//	go test ./ledger/svm/difftest/sequence -run Sequences -only 42 -v      replays one sequence, every call in the log
//	go test ./ledger/svm/difftest/sequence -run LiteSVM -lite 1000         the same calls on LiteSVM, where it is installed
//
// The arithmetic of a draw, a settlement and a slash is that of package voting, which nodes use and
// which has naive implementations of its own to answer to; so program and nodes are compared in
// every state that is reached.
package sequence
