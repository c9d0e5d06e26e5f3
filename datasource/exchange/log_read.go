package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"ojud/casefile"
)

// Filter selects entries of the log. Zero fields select all.
type Filter struct {
	Source string
	Case   casefile.Address
	Judge  casefile.Address
	Asker  casefile.DID
	Result string
	Since  time.Time
	Limit  int // at most so many, the latest; 0: 1000
}

func (f Filter) takes(e LogEntry) bool {
	return (f.Source == "" || f.Source == e.Source) && (f.Case == casefile.Address{} || f.Case == e.Case) &&
		(f.Judge == casefile.Address{} || f.Judge == e.Judge) && (f.Asker == casefile.DID{} || f.Asker == e.Asker) &&
		(f.Result == "" || f.Result == e.Result) && !e.Time.Before(f.Since)
}

// ReadLog reads the latest entries that match a filter, the oldest first, from the log at path and
// the previous file. skipped counts lines that are not entries, because a crash may have cut one
// short. A log that does not exist has no entries.
func ReadLog(path string, f Filter) (entries []LogEntry, skipped int, err error) {
	if f.Limit <= 0 {
		f.Limit = 1000
	}
	for _, name := range []string{old(path), path} {
		more, bad, err := readFile(name, f)
		if err != nil {
			return nil, 0, fmt.Errorf("exchange: log: %w", err)
		}
		entries, skipped = append(entries, more...), skipped+bad
	}
	return entries[max(0, len(entries)-f.Limit):], skipped, nil
}

func readFile(name string, f Filter) (entries []LogEntry, skipped int, err error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, maxLine+1)
	for {
		line, err := nextLine(lines)
		if errors.Is(err, io.EOF) {
			return entries, skipped, nil
		}
		if err != nil {
			return nil, 0, err
		}
		e, err := ParseLogEntry(line)
		if err != nil {
			skipped++
			continue
		}
		if !f.takes(e) {
			continue
		}
		if entries = append(entries, e); len(entries) >= 2*f.Limit {
			entries = append(entries[:0], entries[f.Limit:]...)
		}
	}
}

// nextLine returns a line, or nil for one longer than any entry: a power cut can leave a hole in a
// file, and the lines after it count. io.EOF comes after the last line.
func nextLine(lines *bufio.Reader) ([]byte, error) {
	line, err := lines.ReadSlice('\n')
	for long := false; ; long = true {
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			_, err = lines.ReadSlice('\n')
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
			return nil, err
		case long:
			return nil, nil
		default:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		}
	}
}

// ParseLogEntry reads a line of the log.
func ParseLogEntry(line []byte) (LogEntry, error) {
	if len(line) > maxLine {
		return LogEntry{}, fmt.Errorf("exchange: log: a line of %d bytes; at most %d", len(line), maxLine)
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	var e LogEntry
	if err := d.Decode(&e); err != nil {
		return LogEntry{}, fmt.Errorf("exchange: log: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return LogEntry{}, errors.New("exchange: log: more than one value in a line")
	}
	if e.Time.IsZero() || e.Source == "" || e.Result == "" {
		return LogEntry{}, errors.New("exchange: log: time, source or result is missing")
	}
	return e, nil
}
