package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Exit statuses.
const (
	exitOK         = 0
	exitFailed     = 1
	exitUsage      = 2
	exitUnverified = 3
)

// errUnverified: a case file did not verify. The report says why.
var errUnverified = errors.New("the case file does not verify")

// fault is an error for people, with the next step.
type fault struct {
	text, step string
	usage      bool
}

func (f *fault) Error() string {
	if f.step == "" {
		return f.text
	}
	return f.text + "; " + f.step
}

// next adds what to do about it.
func (f *fault) next(step string) *fault {
	f.step = step
	return f
}

// fail is an error of what was tried, usage one of the command line.
func fail(format string, args ...any) *fault { return &fault{text: fmt.Sprintf(format, args...)} }

func usage(format string, args ...any) *fault {
	return &fault{text: fmt.Sprintf(format, args...), usage: true}
}

func exitCode(err error) int {
	var f *fault
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errUnverified):
		return exitUnverified
	case errors.As(err, &f) && f.usage:
		return exitUsage
	}
	return exitFailed
}

// plain takes the names of packages out: a person wants to know what is wrong, not where it was noticed.
func plain(err error) string {
	lines := strings.Split(err.Error(), "\n")
	for i, l := range lines {
		parts := strings.Split(l, ": ")
		what := parts[len(parts)-1]
		lines[i] = strings.Join(append(slices.DeleteFunc(parts[:len(parts)-1], isPackage), what), ": ")
	}
	return strings.Join(lines, "\n")
}

// isPackage says whether it is the name of a package that begins its errors with it.
func isPackage(name string) bool {
	return slices.Contains([]string{
		"agent", "anex", "bank", "blob", "casefile", "chair", "client", "cluster", "datasource", "devnet", "doctor", "durable", "exam", "exchange", "journal", "judge", "kind", "ledger", "memory", "model", "node", "p2p", "payment", "persona", "program", "redteam", "sbpf", "schema", "sources", "svm",
		"trial", "voting", "why", "wire",
	}, name)
}
