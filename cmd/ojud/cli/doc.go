// Package cli holds the code that all commands of ojud share: the flags of the program, amounts and
// times, errors with a next step, and the output as text or JSON. Each command gets an App, which
// knows where to read and write.
package cli
