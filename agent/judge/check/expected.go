package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ojud/agent/judge/prose"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/schema"
	"ojud/schema/pointer"
)

// target is the value of a check. Its derived forms are computed once for many checks.
type target struct {
	value  any
	raw    []byte // canonical JSON
	folded string // of a string
}

// Document is a decoded document with the values that checks look at, by path.
type Document struct {
	papers Papers
	root   any
	bad    error // why it is no JSON; then every check fails
	seen   map[string]*target
}

// In returns what checks look at: the result among the papers, or the answer of a source.
func In(root any, papers Papers) Document {
	return Document{papers: papers, root: root, seen: map[string]*target{}}
}

// Answer returns what checks look at in the answer of a source. A check of an answer that is not
// JSON fails.
func Answer(content []byte, papers Papers) Document {
	root, err := schema.Limits{ValueBytes: casefile.MaxBlob, Depth: canon.MaxDepth, Values: casefile.MaxBlob}.Decode(content)
	out := In(root, papers)
	if err != nil {
		out.bad = fmt.Errorf("the answer is not JSON: %s", schema.Reason(err))
	}
	return out
}

// Question completes the request of a check on data with parts of the result.
func Question(l casefile.Lookup, papers Papers) (json.RawMessage, error) {
	return l.Fill(func(at string) (any, error) { return pointer.Find(papers.Result, at) })
}

// Read decodes a task and a result. Both are canonical, so that their sizes are bounded.
func Read(task, result []byte) (p Papers, err error) {
	if p.Task, err = decoded(task); err != nil {
		return p, fmt.Errorf("the task: %w", err)
	}
	if p.Result, err = decoded(result); err != nil {
		return p, fmt.Errorf("the result: %w", err)
	}
	return p, nil
}

// Made is what code found by a check of a task.
type Made struct {
	Index   int                   // among the task's checks
	Outcome casefile.CheckOutcome // unknown if code cannot tell
	Detail  string                // with the place
}

// Every makes the checks of a task that need neither a source nor a program nor a seal, in order.
func Every(task casefile.Task, papers Papers) (out []Made) {
	places := In(papers.Result, papers)
	for i, k := range task.Expected {
		if k.Data != nil || k.Runs() || k.Sealed != nil {
			continue
		}
		outcome, detail := places.Make(k)
		if outcome == casefile.Unknown {
			detail += "; it decides nothing"
		}
		out = append(out, Made{i, outcome, detail})
	}
	return out
}

// Make makes one of the task's checks. It says how it ended, and what was found at which place.
func (d Document) Make(k casefile.Check) (casefile.CheckOutcome, string) {
	found, err := d.Expect(k)
	switch {
	case errors.Is(err, ErrCannotTell):
		return casefile.Unknown, fmt.Sprintf("at %q: %v", k.Path, err)
	case err != nil:
		return casefile.Fail, fmt.Sprintf("at %q: %v", k.Path, err)
	}
	return casefile.Pass, fmt.Sprintf("at %q: %s", k.Path, found)
}

func (d Document) at(path string) (*target, error) {
	if known := d.seen[path]; known != nil {
		return known, nil
	}
	v, err := pointer.Find(d.root, path)
	if err != nil {
		return nil, err
	}
	d.seen[path] = &target{value: v}
	return d.seen[path], nil
}

// Canonical writes a decoded value in its canonical form.
func Canonical(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // escapes would make six bytes of one
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return canon.JSON(b.Bytes(), casefile.MaxBlob) // the size of an answer; a result is smaller
}

func (s *target) canonical() (_ []byte, err error) {
	if s.raw == nil {
		s.raw, err = Canonical(s.value)
	}
	return s.raw, err
}

// content returns the bytes to hash and count: those of a string, otherwise the canonical JSON.
func (s *target) content() ([]byte, error) {
	if text, ok := s.value.(string); ok {
		return []byte(text), nil
	}
	return s.canonical()
}

// Expect makes one of the task's expected checks (docs/protocol.md, section 2). It returns its
// finding, or an error that names the difference, or ErrCannotTell.
func (d Document) Expect(k casefile.Check) (string, error) {
	if d.bad != nil {
		return "", d.bad
	}
	at, err := d.at(k.Path)
	if err != nil {
		return "", err
	}
	var found []string
	for _, expect := range []func(casefile.Check, *target) (string, error){expectCount, expectLines, expectBytes, expectHash, expectEqual, expectText} {
		text, err := expect(k, at)
		if err != nil {
			return "", err
		}
		if text != "" {
			found = append(found, text)
		}
	}
	more, err := Make(k.Demands, at.value, d.papers)
	return strings.Join(append(found, more...), ", "), err
}

func expectCount(k casefile.Check, at *target) (string, error) {
	if k.Count == nil && k.MinCount == nil && k.MaxCount == nil {
		return "", nil
	}
	switch v := at.value.(type) {
	case []any:
		return within(uint64(len(v)), "items", k.Count, k.MinCount, k.MaxCount)
	case map[string]any:
		return within(uint64(len(v)), "items", k.Count, k.MinCount, k.MaxCount)
	}
	return "", fmt.Errorf("it is %s; only an array or an object has a count", pointer.Describe(at.value))
}

func expectLines(k casefile.Check, at *target) (string, error) {
	if k.Lines == nil && k.MinLines == nil && k.MaxLines == nil {
		return "", nil
	}
	s, ok := at.value.(string)
	if !ok {
		return "", fmt.Errorf("it is %s; only a string has lines", pointer.Describe(at.value))
	}
	return within(uint64(prose.Lines(s)), "lines", k.Lines, k.MinLines, k.MaxLines)
}

func expectBytes(k casefile.Check, at *target) (string, error) {
	if k.Bytes == nil && k.MinBytes == nil && k.MaxBytes == nil {
		return "", nil
	}
	raw, err := at.content()
	if err != nil {
		return "", err
	}
	return within(uint64(len(raw)), "bytes", k.Bytes, k.MinBytes, k.MaxBytes)
}

func expectHash(k casefile.Check, at *target) (string, error) {
	if k.SHA256 == nil {
		return "", nil
	}
	raw, err := at.content()
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(raw); sum != *k.SHA256 {
		return "", fmt.Errorf("its SHA-256 is %s instead of %s", hex.EncodeToString(sum[:]), k.SHA256)
	}
	return "the SHA-256 agrees", nil
}

func expectEqual(k casefile.Check, at *target) (string, error) {
	if len(k.Equals) == 0 {
		return "", nil
	}
	raw, err := at.canonical()
	if err != nil {
		return "", err
	}
	if string(raw) != string(k.Equals) {
		return "", fmt.Errorf("it is %s instead of %s", prose.Quote(string(raw)), prose.Quote(string(k.Equals)))
	}
	return "it equals " + prose.Quote(string(raw)), nil
}

func expectText(k casefile.Check, at *target) (string, error) {
	if k.Contains == nil {
		return "", nil
	}
	s, ok := at.value.(string)
	if !ok {
		return "", fmt.Errorf("it is %s; only a string contains text", pointer.Describe(at.value))
	}
	if at.folded == "" {
		at.folded = prose.Fold(s)
	}
	if !strings.Contains(at.folded, prose.Fold(*k.Contains)) {
		return "", fmt.Errorf("it does not contain %s", prose.Quote(*k.Contains))
	}
	return "it contains " + prose.Quote(*k.Contains), nil
}

// within compares a number with the expected ones.
func within(n uint64, unit string, exactly, least, most *uint64) (string, error) {
	switch {
	case exactly != nil && n != *exactly:
		return "", fmt.Errorf("it has %d %s instead of %d", n, unit, *exactly)
	case least != nil && n < *least:
		return "", fmt.Errorf("it has %d %s; at least %d are expected", n, unit, *least)
	case most != nil && n > *most:
		return "", fmt.Errorf("it has %d %s; at most %d are expected", n, unit, *most)
	}
	return fmt.Sprintf("it has %d %s", n, unit), nil
}
