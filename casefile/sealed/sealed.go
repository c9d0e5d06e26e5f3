// Package sealed has check programs and tests that a creator shows only in a dispute (protocol
// section 2, ADR 0097). A task names one by the hash of its opening, so that its creator cannot
// change it, and no worker can write a result for it. Each is for one result: a worker that works
// again has seen those that the objection opened.
package sealed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/runs"
)

// opening is what a sealed check is the hash of, as canonical JSON. The salt keeps others from
// guessing it.
type opening struct {
	Salt    string             `json:"salt"` // 64 hex digits
	Program *runs.CheckProgram `json:"program,omitempty"`
	Tests   *runs.Tests        `json:"tests,omitempty"`
}

// MaxOpening bounds an opening, in bytes.
const MaxOpening = 256 << 10

// For says which result a sealed check is for, for people.
func For(k casefile.Check) string {
	if k.Rework == 0 {
		return "the first result"
	}
	return fmt.Sprintf("the result of rework %d", k.Rework)
}

// Name is how an objection calls the opening of check i of its task.
func Name(i int) string { return fmt.Sprintf("opening of expected[%d]", i) }

// Seal seals a check that runs code with a salt. It returns what stands in the task, and the
// opening.
func Seal(k casefile.Check, salt [32]byte) (casefile.Check, []byte, error) {
	raw, err := json.Marshal(opening{Salt: fmt.Sprintf("%x", salt), Program: k.Program, Tests: k.Tests})
	if err != nil {
		return casefile.Check{}, nil, fmt.Errorf("sealed: %w", err)
	}
	if raw, err = canon.JSON(raw, MaxOpening); err != nil {
		return casefile.Check{}, nil, fmt.Errorf("sealed: %w", err)
	}
	if _, err := read(raw); err != nil {
		return casefile.Check{}, nil, err
	}
	hash := casefile.Digest(casefile.HashOf(raw))
	return casefile.Check{Path: k.Path, Sealed: &hash, Rework: k.Rework, Settles: k.Settles}, raw, nil
}

// read reads an opening. Its author is a party.
func read(raw []byte) (opening, error) {
	var o opening
	if len(raw) > MaxOpening {
		return o, fmt.Errorf("sealed: it has %d bytes; at most %d are allowed", len(raw), MaxOpening)
	}
	if err := canon.Exact(raw, MaxOpening); err != nil {
		return o, fmt.Errorf("sealed: %w", err)
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return o, fmt.Errorf("sealed: it is no opening: %w", err)
	}
	var problem string
	switch {
	case len(o.Salt) != 64 || strings.Trim(o.Salt, "0123456789abcdef") != "":
		problem = "its salt is not 64 lower-case hex digits"
	case (o.Program == nil) == (o.Tests == nil):
		problem = "it needs one of program and tests"
	case o.Program != nil && o.Program.WASI != "":
		problem = "a module cannot be sealed, because judges would learn of it too late; seal JavaScript, SQL or tests"
	case o.Program != nil:
		_, problem = o.Program.Problem()
	default:
		_, problem = o.Tests.Problem()
	}
	if problem != "" {
		return o, fmt.Errorf("sealed: it is no opening: %s", problem)
	}
	return o, nil
}

// Opened is a task with the programs and tests of its sealed checks, as far as their creator opened
// them: its objection names the opening among its evidence, and the content is one.
type Opened struct {
	Task casefile.Task
	// Unopened says of each sealed check for this result that is not open why, by its index. It
	// runs nothing.
	Unopened map[int]string
	// Other are the sealed checks for another result, by their indexes. They settle nothing,
	// because an objection to an earlier result may have opened them. They run if this objection
	// opens them, too.
	Other map[int]bool
	// Absent are those whose opening the objection names, and is not here.
	Absent map[int]bool
	// Unsettled are the instructions that no check of the task settles for this result, because a
	// check that was sealed for an earlier result settles them, too, and none that is sealed for
	// this one. The creator did not trust its open checks alone.
	Unsettled []int
	// Lacks says that checks were sealed for an earlier result, and none for this one.
	Lacks bool
	// Exhibit names what the objection shows besides openings, if it is here; empty: nothing.
	Exhibit string
}

// Open opens the sealed checks of a task for a result. reworks is how often the worker worked again
// before it.
func Open(task casefile.Task, reworks uint8, objection casefile.Objection, content func(casefile.Digest) ([]byte, bool)) Opened {
	out := Opened{Task: task, Unopened: map[int]string{}, Other: map[int]bool{}, Absent: map[int]bool{}, Unsettled: unsettled(task, reworks)}
	out.Lacks = slices.ContainsFunc(seals(task), func(k casefile.Check) bool { return k.Rework < reworks }) && len(Hashes(task, reworks)) == 0
	for _, e := range objection.Evidence {
		if raw, here := content(e.SHA256); out.Exhibit == "" && here && casefile.HashOf(raw) == [32]byte(e.SHA256) &&
			!slices.ContainsFunc(seals(task), func(k casefile.Check) bool { return *k.Sealed == e.SHA256 }) {
			out.Exhibit = e.Name
		}
	}
	out.Task.Expected = slices.Clone(task.Expected)
	for i, k := range task.Expected {
		out.Task.Expected[i].Settles = slices.DeleteFunc(slices.Clone(k.Settles), func(n int) bool { return slices.Contains(out.Unsettled, n) })
		if k.Sealed == nil {
			continue
		}
		if k.Rework != reworks {
			out.Other[i], out.Task.Expected[i].Settles = true, nil
		}
		raw, here := content(*k.Sealed)
		switch {
		case !slices.ContainsFunc(objection.Evidence, func(e casefile.Exhibit) bool { return e.SHA256 == *k.Sealed }):
			out.closed(i, "the objection does not name the opening among its evidence")
		case !here || casefile.HashOf(raw) != [32]byte(*k.Sealed):
			out.Absent[i] = true
			out.closed(i, "no node has the opening; the creator must make it available")
		default:
			o, err := read(raw)
			if err != nil {
				out.closed(i, "what it was sealed with proves nothing: "+strings.TrimPrefix(err.Error(), "sealed: "))
				continue
			}
			out.Task.Expected[i].Program, out.Task.Expected[i].Tests = o.Program, o.Tests
		}
	}
	return out
}

// seals are the sealed checks of a task.
func seals(t casefile.Task) []casefile.Check {
	return slices.DeleteFunc(slices.Clone(t.Expected), func(k casefile.Check) bool { return k.Sealed == nil })
}

// unsettled returns the instructions that a check sealed for an earlier result settles, and none
// that is sealed for this one.
func unsettled(t casefile.Task, reworks uint8) (out []int) {
	by := map[bool]map[int]bool{true: {}, false: {}} // for this result, or for an earlier one
	for _, k := range seals(t) {
		for _, n := range k.Settles {
			if k.Rework <= reworks {
				by[k.Rework == reworks][n] = true
			}
		}
	}
	for n := range by[false] {
		if !by[true][n] {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// closed says why a sealed check is not open. One for another result need not be.
func (o Opened) closed(i int, why string) {
	if !o.Other[i] {
		o.Unopened[i] = why
	}
}

// Hashes are those of the openings of a task's sealed checks for a result, each once.
func Hashes(t casefile.Task, reworks uint8) (out []casefile.Digest) {
	for _, k := range t.Expected {
		if k.Sealed != nil && k.Rework == reworks && !slices.Contains(out, *k.Sealed) {
			out = append(out, *k.Sealed)
		}
	}
	return out
}

// Text returns the program or the tests of an opening, for people.
func Text(raw []byte) (string, bool) {
	o, err := read(raw)
	if err != nil {
		return "", false
	}
	if o.Program != nil {
		return o.Program.Text(), true
	}
	text, err := json.Marshal(o.Tests)
	return string(text), err == nil
}
