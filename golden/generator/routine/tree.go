// Package routine has the small functions of generated tasks: what they do, in two ways that are
// easily mistaken for each other, and how Go, JavaScript and Python write them.
package routine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The programs of generated tasks are functions f(xs, t) from a list of integers and an integer to
// an integer. They are trees, which the generator runs itself and writes in three languages. All
// numbers are small and not negative where it matters (division), so that the languages agree.

// expr is a number, a variable, an operation, or an element of xs.
type expr struct {
	op   string // "num", "var", "len", "at", or an operator
	num  int
	name string
	args []expr
}

func num(n int) expr                    { return expr{op: "num", num: n} }
func ref(name string) expr              { return expr{op: "var", name: name} }
func at(i expr) expr                    { return expr{op: "at", args: []expr{i}} }
func length() expr                      { return expr{op: "len"} }
func do(a expr, op string, b expr) expr { return expr{op: op, args: []expr{a, b}} }

// step is a statement.
type step struct {
	op   string // "let" (first use), "set", "if", "for" (name from a to below b), "return"
	name string
	a, b expr
	then []step
	none []step // else
}

func let(name string, v expr) step   { return step{op: "let", name: name, a: v} }
func set(name string, v expr) step   { return step{op: "set", name: name, a: v} }
func give(v expr) step               { return step{op: "return", a: v} }
func when(c expr, then ...step) step { return step{op: "if", a: c, then: then} }
func (s step) otherwise(none ...step) step {
	s.none = none
	return s
}

func each(name string, from, below expr, body ...step) step {
	return step{op: "for", name: name, a: from, b: below, then: body}
}

// machine runs a program.
type machine struct {
	vars  map[string]int
	xs    []int
	steps int
}

// maxSteps bounds a run.
const maxSteps = 10_000

var errRun = errors.New("routine: a program of the generator does not run")

// Tree is a function of a list and a number.
type Tree struct{ steps []step }

// Run returns f(xs, t).
func (p Tree) Run(xs []int, t int) (int, error) {
	m := &machine{vars: map[string]int{"t": t}, xs: xs}
	v, done, err := m.all(p.steps)
	if err == nil && !done {
		err = fmt.Errorf("%w: it returns nothing", errRun)
	}
	return v, err
}

func (m *machine) all(body []step) (v int, done bool, err error) {
	for _, s := range body {
		if v, done, err = m.one(s); done || err != nil {
			return v, done, err
		}
	}
	return 0, false, nil
}

func (m *machine) one(s step) (int, bool, error) {
	if m.steps++; m.steps > maxSteps {
		return 0, false, fmt.Errorf("%w: it takes too many steps", errRun)
	}
	v, err := m.value(s.a)
	if err != nil {
		return 0, false, err
	}
	switch s.op {
	case "let", "set":
		m.vars[s.name] = v
		return 0, false, nil
	case "return":
		return v, true, nil
	case "if":
		if v != 0 {
			return m.all(s.then)
		}
		return m.all(s.none)
	}
	end, err := m.value(s.b)
	if err != nil {
		return 0, false, err
	}
	for i := v; i < end; i++ {
		m.vars[s.name] = i
		if v, done, err := m.all(s.then); done || err != nil {
			return v, done, err
		}
	}
	return 0, false, nil
}

func (m *machine) value(e expr) (int, error) {
	switch e.op {
	case "num":
		return e.num, nil
	case "var":
		return m.vars[e.name], nil
	case "len":
		return len(m.xs), nil
	case "at":
		i, err := m.value(e.args[0])
		if err == nil && (i < 0 || i >= len(m.xs)) {
			err = fmt.Errorf("%w: xs[%d] of %d", errRun, i, len(m.xs))
		}
		if err != nil {
			return 0, err
		}
		return m.xs[i], nil
	}
	if len(e.args) != 2 {
		return 0, nil // a statement without a second expression
	}
	a, err := m.value(e.args[0])
	if err != nil || e.op == "and" && a == 0 {
		return 0, err
	}
	if e.op == "or" && a != 0 {
		return 1, nil
	}
	b, err := m.value(e.args[1])
	if err != nil {
		return 0, err
	}
	return calculate(e.op, a, b)
}

func calculate(op string, a, b int) (int, error) {
	truth := func(yes bool) (int, error) {
		if yes {
			return 1, nil
		}
		return 0, nil
	}
	switch op {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "/", "%":
		if a < 0 || b <= 0 {
			return 0, fmt.Errorf("%w: %d %s %d", errRun, a, op, b)
		}
		if op == "/" {
			return a / b, nil
		}
		return a % b, nil
	case "<":
		return truth(a < b)
	case "<=":
		return truth(a <= b)
	case ">":
		return truth(a > b)
	case ">=":
		return truth(a >= b)
	case "==":
		return truth(a == b)
	case "!=":
		return truth(a != b)
	case "and", "or":
		return truth(b != 0)
	}
	return 0, fmt.Errorf("%w: no operation %q", errRun, op)
}

// Dialect is how a language writes a program.
type Dialect struct {
	Name                            string
	head, tail, indent              string
	let, set, give, when, other     string // with %[1]s and %[2]s
	loop, end                       string
	length, and, or, divide, eq, ne string
}

// Dialects returns the languages.
func Dialects() []Dialect { return slices.Clone(dialects) }

var dialects = []Dialect{
	{
		Name: "Go", head: "func %s(xs []int, t int) int {", tail: "}", indent: "\t", let: "%s := %s", set: "%s = %s", give: "return %s",
		when: "if %s {", other: "} else {", loop: "for %[1]s := %[2]s; %[1]s < %[3]s; %[1]s++ {", end: "}",
		length: "len(xs)", and: "&&", or: "||", divide: "(%s / %s)", eq: "==", ne: "!=",
	},
	{
		Name: "JavaScript", head: "function %s(xs, t) {", tail: "}", indent: "  ", let: "let %s = %s;", set: "%s = %s;", give: "return %s;",
		when: "if (%s) {", other: "} else {", loop: "for (let %[1]s = %[2]s; %[1]s < %[3]s; %[1]s++) {", end: "}",
		length: "xs.length", and: "&&", or: "||", divide: "Math.floor(%s / %s)", eq: "===", ne: "!==",
	},
	{
		Name: "Python", head: "def %s(xs, t):", indent: "    ", let: "%s = %s", set: "%s = %s", give: "return %s",
		when: "if %s:", other: "else:", loop: "for %[1]s in range(%[2]s, %[3]s):",
		length: "len(xs)", and: "and", or: "or", divide: "(%s // %s)", eq: "==", ne: "!=",
	},
}

// Write writes a program as a function of the given name.
func (l Dialect) Write(name string, program Tree) string {
	out := append([]string{fmt.Sprintf(l.head, name)}, l.body(program.steps, l.indent)...)
	if l.tail != "" {
		out = append(out, l.tail)
	}
	return strings.Join(out, "\n") + "\n"
}

func (l Dialect) body(body []step, pad string) (out []string) {
	for _, s := range body {
		switch s.op {
		case "let":
			out = append(out, pad+fmt.Sprintf(l.let, s.name, l.value(s.a)))
		case "set":
			out = append(out, pad+fmt.Sprintf(l.set, s.name, l.value(s.a)))
		case "return":
			out = append(out, pad+fmt.Sprintf(l.give, l.value(s.a)))
		case "if":
			out = append(append(out, pad+fmt.Sprintf(l.when, l.value(s.a))), l.body(s.then, pad+l.indent)...)
			if len(s.none) > 0 {
				out = append(append(out, pad+l.other), l.body(s.none, pad+l.indent)...)
			}
		case "for":
			out = append(append(out, pad+fmt.Sprintf(l.loop, s.name, l.value(s.a), l.value(s.b))), l.body(s.then, pad+l.indent)...)
		}
		if l.end != "" && (s.op == "if" || s.op == "for") {
			out = append(out, pad+l.end)
		}
	}
	return out
}

func (l Dialect) value(e expr) string {
	switch e.op {
	case "num":
		return fmt.Sprint(e.num)
	case "var":
		return e.name
	case "len":
		return l.length
	case "at":
		return "xs[" + l.value(e.args[0]) + "]"
	}
	a, b := l.inner(e.args[0]), l.inner(e.args[1])
	switch e.op {
	case "/":
		return fmt.Sprintf(l.divide, a, b)
	case "and":
		return a + " " + l.and + " " + b
	case "or":
		return a + " " + l.or + " " + b
	case "==":
		return a + " " + l.eq + " " + b
	case "!=":
		return a + " " + l.ne + " " + b
	}
	return a + " " + e.op + " " + b
}

// inner writes an operand, in brackets if it is an operation.
func (l Dialect) inner(e expr) string {
	if len(e.args) == 2 && e.op != "/" { // a division brings its own
		return "(" + l.value(e) + ")"
	}
	return l.value(e)
}
