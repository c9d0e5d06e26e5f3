package cli

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The exit statuses of the program.
const (
	ExitOK         = 0
	ExitFailed     = 1
	ExitUsage      = 2
	ExitUnverified = 3
)

// ErrUnverified means that a case file is not verified. The report says why.
var ErrUnverified = errors.New("the case file does not verify")

// Fault is an error with the next step for the user.
type Fault struct {
	text, step string
	usage      bool
}

func (f *Fault) Error() string {
	if f.step == "" {
		return f.text
	}
	return f.text + "; " + f.step
}

// Next adds the next step.
func (f *Fault) Next(step string) *Fault {
	f.step = step
	return f
}

// Fail returns the error of an attempt.
func Fail(format string, args ...any) *Fault { return &Fault{text: fmt.Sprintf(format, args...)} }

// Usage returns an error of the command line.
func Usage(format string, args ...any) *Fault {
	return &Fault{text: fmt.Sprintf(format, args...), usage: true}
}

// ExitCode returns the exit code of the command for an error: 0 for none.
func ExitCode(err error) int {
	var f *Fault
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrUnverified):
		return ExitUnverified
	case errors.As(err, &f) && f.usage:
		return ExitUsage
	}
	return ExitFailed
}

// packages lists the packages that begin errors with their names, one on each line. TestPackages
// derives it from the sources.
//
//go:embed packages.txt
var packages string

// Plain returns the text of an error without package names, because users do not know these.
func Plain(err error) string {
	known := strings.Fields(packages)
	isPackage := func(name string) bool { return slices.Contains(known, name) }
	lines := strings.Split(err.Error(), "\n")
	for i, l := range lines {
		parts := strings.Split(l, ": ")
		what := parts[len(parts)-1]
		lines[i] = strings.Join(append(slices.DeleteFunc(parts[:len(parts)-1], isPackage), what), ": ")
	}
	return strings.Join(lines, "\n")
}
