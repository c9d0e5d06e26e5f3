package exam

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ojud/casefile/canon"
)

//go:embed own.jsonl
var own []byte

// The limits of an exam file.
const (
	MaxItems = 10_000
	maxLine  = 2 << 20  // bytes
	maxFile  = 64 << 20 // bytes
)

// ErrFile is wrapped by errors about a whole exam file.
var ErrFile = errors.New("exam: not an exam file")

// Own returns the shipped exam.
func Own() ([]Item, error) { return Read(bytes.NewReader(own)) }

// Read reads an exam of at most 64 MiB and validates it. Errors name the line.
func Read(r io.Reader) ([]Item, error) {
	var out []Item
	known := map[string]bool{}
	err := lines(r, func(number int, line []byte) error {
		i, err := parse(line)
		if err != nil {
			return err
		}
		if known[i.ID] {
			return fmt.Errorf("%w: there are two items %q", ErrFile, i.ID)
		}
		known[i.ID] = true
		out = append(out, i)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%w: there is no item in it", ErrFile)
	}
	return out, err
}

// lines calls see with every line that is not empty.
func lines(r io.Reader, see func(number int, line []byte) error) error {
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	scanner := bufio.NewScanner(limited)
	scanner.Buffer(make([]byte, 0, 64<<10), maxLine)
	items := 0
	for n := 1; scanner.Scan(); n++ {
		if limited.N <= 0 {
			break
		}
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		if items++; items > MaxItems {
			return fmt.Errorf("%w: it has more than %d items", ErrFile, MaxItems)
		}
		if err := see(n, line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%w: a line of more than %d bytes", ErrFile, maxLine)
	case err != nil:
		return fmt.Errorf("exam: %w", err)
	case limited.N <= 0:
		return fmt.Errorf("%w: it has more than %d bytes", ErrFile, maxFile)
	}
	return nil
}

// parse reads a line. The canonical form bounds its depth and has no repeated keys.
func parse(line []byte) (Item, error) {
	raw, err := canon.JSON(line, maxLine)
	if err != nil {
		return Item{}, fmt.Errorf("%w: %w", errItem, err)
	}
	var i Item
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&i); err != nil {
		return Item{}, fmt.Errorf("%w: %w", errItem, err)
	}
	return i, i.Validate()
}

// Write writes items in the form that Read reads.
func Write(w io.Writer, items []Item) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, i := range items {
		if err := enc.Encode(i); err != nil {
			return fmt.Errorf("exam: %s: %w", i.ID, err)
		}
	}
	return nil
}
