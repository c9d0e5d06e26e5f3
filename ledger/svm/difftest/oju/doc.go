// Package oju compares ledger/svm with LiteSVM (Agave's SVM, see package difftest) on the oju
// program itself. Its ELF runs every instruction to success and into every error of protocol
// section 8, in whole tasks and cases. Both sides must agree on result, compute units, return data,
// logs, inner instructions and account bytes.
//
// The package has only tests. The clients' encodings are those of ledger/program, so that a test
// shows the same requests as a client.
//
//	go test ./ledger/svm/difftest/oju            compares with LiteSVM, or else the recording
//	go test ./ledger/svm/difftest/oju -replay    compares with the recording
//	go test ./ledger/svm/difftest/oju -rewrite   compares with LiteSVM and writes the recording
//
// The recording, testdata/oju.json.gz, has LiteSVM's report of each case, with the SHA-256 of the
// program and of the case's inputs. Each run makes the inputs again. Record again if the program or
// the cases change; until then the tests fail and say so.
//
// # Attacks
//
// TestExploit…, TestAttack… and TestSubstitution attack the program on ledger/svm alone;
// docs/attacks.md lists them. Golden files hold the error for each wrong account in each place, and
// the cost of each instruction:
//
//	go test ./ledger/svm/difftest/oju -run 'TestSubstitution$|TestCost' -rewrite
//
// With -elf FILE the attacks run on another program file. programs/oju/tests/mutants.sh makes such
// files, each without one check.
//
// # Limits
//
//   - The program data account is not compared after a transaction: it is the ELF itself, and
//     nothing here writes it.
package oju
