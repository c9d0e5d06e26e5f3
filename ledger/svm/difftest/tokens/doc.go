// Package tokens compares the token programs on two runtimes: those that the embedded chain begins
// with, on ledger/svm, and those that LiteSVM brings, on Agave's runtime. It has tests only.
package tokens
