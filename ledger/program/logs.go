package program

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// errLogs is returned for log lines that no Solana runtime writes.
var errLogs = errors.New("program: malformed transaction logs")

// maxEventBytes bounds the base64 of a log line. The longest event is RoundSettled: 102 bytes and a
// few for each seat.
const maxEventBytes = 4_096

// The longest event fits.
const _ = uint(maxEventBytes - 4*(102+seatSettledSize*voting.MaxSeats+2)/3)

// Log has the program's messages in one transaction.
type Log struct {
	Events []Event // in order
	// Complete is false when lines are missing: the RPC kept none, or the runtime cut them at its
	// limit of 10,000 bytes. Other programs of the same transaction can bring that about, so that
	// events alone are never enough: read the accounts.
	Complete bool
	// Failed: the transaction failed, so that nothing of it happened and Events is empty.
	Failed bool
	// Unknown counts what the program logged and this version does not know.
	Unknown int
}

// Events reads the log lines of a transaction (meta.logMessages). Only `Program data:` lines that
// were written while this program was the innermost running one count: everybody else may write the
// same bytes.
func (p Program) Events(lines []string) (Log, error) {
	l := &logReader{program: p.id.String(), Log: Log{Complete: lines != nil}}
	for i, line := range lines {
		if line == "Log truncated" {
			l.Complete = false
			break // what comes after it lacks lines in between: nobody knows who wrote it
		}
		if err := l.line(line); err != nil {
			return Log{}, fmt.Errorf("%w: line %d: %w", errLogs, i+1, err)
		}
	}
	if l.Complete && !l.Failed && len(l.stack) != 0 {
		return Log{}, fmt.Errorf("%w: they end inside of %s", errLogs, l.stack[len(l.stack)-1])
	}
	if l.Failed {
		l.Events = nil
	}
	return l.Log, nil
}

// logReader follows which program runs.
type logReader struct {
	Log
	program string
	stack   []string // of programs, the innermost last
}

// maxDepth bounds how deep programs call each other; the runtime allows 5, or 9 with a feature of
// 2025.
const maxDepth = 16

func (l *logReader) line(line string) error {
	rest, ok := strings.CutPrefix(line, "Program ")
	if !ok {
		return nil // of a builtin program
	}
	if data, ok := strings.CutPrefix(rest, "data: "); ok {
		l.data(data)
		return nil
	}
	// Programs write what they like after "log: " and "return: ".
	if strings.HasPrefix(rest, "log: ") || strings.HasPrefix(rest, "return: ") {
		return nil
	}
	id, what, _ := strings.Cut(rest, " ")
	if _, err := onchain.ParseAddress(id); err != nil {
		return nil // "Program failed to complete: …" and the like
	}
	switch {
	case strings.HasPrefix(what, "invoke ["):
		return l.invoke(id, what)
	case what == "success":
		return l.leave(id)
	case strings.HasPrefix(what, "failed: "), what == "failed":
		l.Failed = true
		return l.leave(id)
	}
	return nil // "consumed … of … compute units", "is not deployed", …
}

func (l *logReader) invoke(id, what string) error {
	depth, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(what, "invoke ["), "]"))
	if err != nil || depth != len(l.stack)+1 || depth > maxDepth {
		return fmt.Errorf("%s invoked at depth %q inside of %d programs", id, what, len(l.stack))
	}
	l.stack = append(l.stack, id)
	return nil
}

func (l *logReader) leave(id string) error {
	n := len(l.stack)
	if n == 0 || l.stack[n-1] != id {
		return fmt.Errorf("%s ends, but it is not the one that runs", id)
	}
	l.stack = l.stack[:n-1]
	return nil
}

// data takes an event if it is the program's.
func (l *logReader) data(encoded string) {
	if n := len(l.stack); n == 0 || l.stack[n-1] != l.program {
		return
	}
	if len(encoded) > maxEventBytes {
		l.Unknown++
		return
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err == nil {
		var e Event
		if e, err = DecodeEvent(raw); err == nil {
			l.Events = append(l.Events, e)
			return
		}
	}
	l.Unknown++
}
