package ground

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Counterexample is a call of a function of a program, on which a party says that it fails.
type Counterexample struct {
	Function string            `json:"function"`
	Args     []json.RawMessage `json:"args"`
}

// The limits of calls.
const (
	// MaxArgs bounds the arguments of a call.
	MaxArgs = 16
	// MaxCounterexamples bounds the counterexamples of a pleading.
	MaxCounterexamples = 4
	// maxCall bounds the arguments of a counterexample together, in bytes.
	maxCall = 8192
)

var functionName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]{0,63}$`)

// IsFunction reports whether a text is the name of a function.
func IsFunction(name string) bool { return functionName.MatchString(name) }

func (c *Counterexample) problem() string {
	if c == nil {
		return "missing; name a call, such as {\"function\": \"median\", \"args\": [[3, 1, 2]]}"
	}
	bytes := 0
	for _, a := range c.Args {
		bytes += len(a)
	}
	switch {
	case !IsFunction(c.Function):
		return fmt.Sprintf("calls %.70q, which is not the name of a function", c.Function)
	case len(c.Args) > MaxArgs:
		return fmt.Sprintf("has %d arguments; at most %d are allowed", len(c.Args), MaxArgs)
	case bytes > maxCall:
		return fmt.Sprintf("has arguments of %d bytes; find a call that fails with at most %d", bytes, maxCall)
	}
	return ""
}

// String writes a call as people do: median([3,1,2]).
func (c *Counterexample) String() string {
	if c == nil {
		return "no call"
	}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = string(a)
	}
	return c.Function + "(" + strings.Join(args, ", ") + ")"
}

var errCall = errors.New("is no call; write the name of a function and its arguments as JSON, such as median([3, 1, 2])")

// ReadCall reads a call as String writes it, of at most 16 KiB.
func ReadCall(text string) (*Counterexample, error) {
	const most = 2 * maxCall
	name, rest, ok := strings.Cut(strings.TrimSpace(text), "(")
	inside, closed := strings.CutSuffix(strings.TrimSuffix(rest, ";"), ")")
	c := &Counterexample{Function: strings.TrimSpace(name)}
	if !ok || !closed || len(text) > most || json.Unmarshal([]byte("["+inside+"]"), &c.Args) != nil {
		return nil, errCall
	}
	if problem := c.problem(); problem != "" {
		return nil, errors.New(problem)
	}
	return c, nil
}
