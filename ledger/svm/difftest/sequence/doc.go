// Package sequence attacks the oju program with random sequences of its instructions on ledger/svm:
// good calls, and calls by the wrong person, at the wrong time, with wrong amounts, wrong accounts
// or wrong bytes. A model of docs/protocol.md, sections 4 to 6, says for each call whether it is
// lawful and what its effect is. The program must do exactly that: refuse unlawful calls, carry out
// lawful ones, and change nothing else. After each call the accounts must satisfy the invariants:
// lamports in equal lamports out, every account holds its rent and the lamports that it counts, and
// totals are the sums of their entries.
//
// The package has only tests.
//
//	go test ./ledger/svm/difftest/sequence      # a few hundred sequences
//	go test ./ledger/svm/difftest/sequence -run Sequences -sequences 1000000 \
//	  -timeout 5h                               # make sequences
//	go test ./ledger/svm/difftest/sequence -run Sequences -only 42 -v
//	                                            # replays one sequence and logs every call
//	go test ./ledger/svm/difftest/sequence -run LiteSVM -lite 1000
//	                                            # the same calls on LiteSVM, if installed
//
// Package voting computes the draw, the settlement and the slash. Nodes use it, and its own tests
// compare it with naive implementations. So program and nodes are compared in every state that a
// sequence reaches.
package sequence
