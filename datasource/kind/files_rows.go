package kind

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// content adds a file's content to the answer.
func (f *folder) content(answer map[string]any, raw []byte, from, count int) error {
	if !utf8.Valid(raw) {
		return fmt.Errorf("%w: the file is no UTF-8", ErrSchema)
	}
	switch f.Format {
	case "json":
		doc, err := parse(raw, f.maxBytes)
		answer["content"] = doc
		return err
	case "csv":
		return f.rows(answer, csvRows(raw), from, count)
	case "lines":
		return f.rows(answer, lineRows(raw), from, count)
	}
	answer["content"] = string(raw)
	return nil
}

// rows takes rows from next until there are enough; next ends with io.EOF.
func (f *folder) rows(answer map[string]any, next func() (any, int, error), from, count int) error {
	rows, size := []any{}, 0
	for i := 0; ; i++ {
		row, n, err := next()
		if errors.Is(err, io.EOF) {
			answer["content"], answer["more"] = rows, false
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: row %d: %w", ErrSchema, i, err)
		}
		if i < from {
			continue
		}
		if len(rows) == count {
			answer["content"], answer["more"] = rows, true
			return nil
		}
		if size += n; size > f.maxBytes {
			return fmt.Errorf("%w: ask for fewer rows", ErrLarge)
		}
		rows = append(rows, row)
	}
}

func lineRows(raw []byte) func() (any, int, error) {
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, len(raw)+1)
	return func() (any, int, error) {
		if !lines.Scan() {
			if lines.Err() != nil {
				return nil, 0, lines.Err()
			}
			return nil, 0, io.EOF
		}
		return lines.Text(), len(lines.Bytes()) + 3, nil
	}
}

func csvRows(raw []byte) func() (any, int, error) {
	table := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\ufeff"))))
	var names []string
	return func() (any, int, error) {
		if names == nil {
			var err error
			if names, err = table.Read(); err != nil {
				return nil, 0, err
			}
			if twice(names) {
				return nil, 0, errors.New("two columns have one name")
			}
		}
		record, err := table.Read()
		if err != nil {
			return nil, 0, err
		}
		row, size := map[string]any{}, 2
		for i, value := range record { // the reader has refused rows of another length
			row[names[i]] = value
			size += len(names[i]) + len(value) + 6
		}
		return row, size, nil
	}
}

// twice reports whether a name occurs more than once.
func twice(names []string) bool {
	in := slices.Clone(names)
	slices.Sort(in)
	return len(slices.Compact(in)) < len(names)
}
