package ground

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"ojud/casefile/canon"
)

// Counterexample is a call of a function of a program, or the tables of a query, on which a party
// says that it fails.
type Counterexample struct {
	Function string            `json:"function,omitempty"`
	Args     []json.RawMessage `json:"args,omitzero"`
	// Tables are for a query in SQL, in the place of a call. Its rows have an order only if Ordered
	// says so.
	Tables  map[string]json.RawMessage `json:"tables,omitempty"`
	Ordered bool                       `json:"ordered,omitempty"`
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
	for _, rows := range c.Tables {
		bytes += len(rows)
	}
	switch {
	case len(c.Tables) > 0 && (c.Function != "" || len(c.Args) > 0):
		return "has tables and a call; a query takes tables alone"
	case len(c.Tables) > 0 && bytes > maxCall:
		return fmt.Sprintf("has tables of %d bytes; find some of at most %d on which it fails", bytes, maxCall)
	case len(c.Tables) > 0:
		field, problem := Tables(c.Tables)
		return strings.TrimSpace(field + " " + problem)
	case c.Ordered:
		return "has an order and no tables"
	case !IsFunction(c.Function):
		return fmt.Sprintf("calls %.70q, which is not the name of a function", c.Function)
	case len(c.Args) > MaxArgs:
		return fmt.Sprintf("has %d arguments; at most %d are allowed", len(c.Args), MaxArgs)
	case bytes > maxCall:
		return fmt.Sprintf("has arguments of %d bytes; find a call that fails with at most %d", bytes, maxCall)
	}
	return ""
}

// String writes a call as people do, median([3,1,2]), and tables as JSON.
func (c *Counterexample) String() string {
	if c == nil {
		return "no call"
	}
	if len(c.Tables) > 0 {
		raw, err := json.Marshal(c.Tables)
		if err != nil {
			return "tables that are no JSON"
		}
		return map[bool]string{true: inOrder}[c.Ordered] + string(raw)
	}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = string(a)
	}
	return c.Function + "(" + strings.Join(args, ", ") + ")"
}

var errCall = errors.New(`is no call; write the name of a function and its arguments as JSON, such as median([3, 1, 2]), or the tables of a query, such as {"people": [{"age": 7}]}`)

// inOrder stands before tables if the order of the rows counts.
const inOrder = "ordered "

// ReadCall reads a call or tables as String writes them, of at most 16 KiB.
func ReadCall(text string) (*Counterexample, error) {
	const most = 2 * maxCall
	if rows, ordered := strings.CutPrefix(strings.TrimSpace(text), inOrder); len(text) <= most && strings.HasPrefix(strings.TrimSpace(rows), "{") {
		c := &Counterexample{Ordered: ordered}
		if json.Unmarshal([]byte(rows), &c.Tables) != nil || len(c.Tables) == 0 {
			return nil, errCall
		}
		return c.canonical()
	}
	name, rest, ok := strings.Cut(strings.TrimSpace(text), "(")
	inside, closed := strings.CutSuffix(strings.TrimSuffix(rest, ";"), ")")
	c := &Counterexample{Function: strings.TrimSpace(name)}
	if !ok || !closed || len(text) > most || json.Unmarshal([]byte("["+inside+"]"), &c.Args) != nil {
		return nil, errCall
	}
	return c.canonical()
}

// canonical checks a call and writes its values in canonical form, in which they stand in a
// document: the words of a ground must not change when it is read again.
func (c *Counterexample) canonical() (*Counterexample, error) {
	if problem := c.problem(); problem != "" {
		return nil, errors.New(problem)
	}
	var err error
	for i, a := range c.Args {
		if c.Args[i], err = canon.JSON(a, maxCall); err != nil {
			return nil, err
		}
	}
	for name, rows := range c.Tables {
		if c.Tables[name], err = canon.JSON(rows, maxCall); err != nil {
			return nil, err
		}
	}
	return c, nil
}
