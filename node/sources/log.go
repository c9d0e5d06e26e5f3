package sources

import (
	"path/filepath"
	"time"

	"ojud/casefile"
	"ojud/datasource/exchange"
)

// Entry is one line of the log of peers' requests.
type Entry = exchange.LogEntry

// LogFilter selects entries of the log. Empty fields select all.
type LogFilter struct {
	Source, Case, Judge, Asker, Result string
	Since                              time.Time
	Limit                              int // at most so many, the latest; 0: 1000
}

// Log reads the requests of peers to this home's node, the oldest first. skipped counts lines that
// are not entries, because a crash may have cut one short. It is no error if there is no log: the
// node has not answered yet.
func (h *Home) Log(f LogFilter) (entries []Entry, skipped int, err error) {
	filter := exchange.Filter{Source: f.Source, Result: f.Result, Since: f.Since, Limit: f.Limit}
	for flag, address := range map[string]struct {
		text string
		into *casefile.Address
	}{"case": {f.Case, &filter.Case}, "judge": {f.Judge, &filter.Judge}} {
		if address.text == "" {
			continue
		}
		if *address.into, err = casefile.ParseAddress(address.text); err != nil {
			return nil, 0, wrong(flag, "%.64q is not an address; write base58 of 32 bytes", address.text)
		}
	}
	if f.Asker != "" {
		if filter.Asker, err = casefile.ParseDID(f.Asker); err != nil {
			return nil, 0, wrong("asker", "%.80q is not a node; write its did:key", f.Asker)
		}
	}
	if f.Limit < 0 || f.Limit > mostEntries {
		return nil, 0, wrong("limit", "is %d; set it to 1 to %d", f.Limit, mostEntries)
	}
	return exchange.ReadLog(h.LogFile(), filter)
}

// mostEntries bounds one reading of the log.
const mostEntries = 100_000

// LogFile returns the path of the log.
func (h *Home) LogFile() string { return filepath.Join(h.deps.Dir, exchange.LogFile) }
