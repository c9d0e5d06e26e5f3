// Package oju judges ledger/svm by LiteSVM (Agave's SVM, see package difftest) with the oju program
// itself: its ELF runs every instruction to success and into every error of protocol section 8, in
// tasks and cases brought from beginning to end, and both sides must agree on result, compute
// units, return data, logs, inner instructions and account bytes.
//
// There is nothing here to be used by others: the tests are all of it. The clients' encodings are
// those of ledger/program, so that a test describes what happens as a client would.
//
//	go test ./ledger/svm/difftest/oju            compares with LiteSVM where it is installed, else with the recording
//	go test ./ledger/svm/difftest/oju -replay    compares with the recording
//	go test ./ledger/svm/difftest/oju -rewrite   compares with LiteSVM and writes the recording
//
// The recording, testdata/oju.json.gz, has what LiteSVM made of each case, with the SHA-256 of the
// program and of the case's inputs. The inputs are made again by each run. The caller must record
// again when the program or the cases change; until then the tests fail and say so.
//
// # Attacks
//
// TestExploit…, TestAttack… and TestSubstitution attack the program, on ledger/svm alone;
// docs/attacks.md lists them. What is said to each wrong account in each place, and what each
// instruction costs, are golden files:
//
//	go test ./ledger/svm/difftest/oju -run 'TestSubstitution$|TestCost' -rewrite
//
// With -elf FILE the attacks are made on another program file: programs/oju/tests/mutants.sh makes
// such files, each without one check.
//
// # What is left out
//
//   - The program data account is not compared after a transaction: it is the ELF itself, and
//     nothing here writes it.
package oju
