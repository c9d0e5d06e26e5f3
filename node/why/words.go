package why

import (
	"fmt"
	"strconv"
	"time"

	"ojud/casefile"
	"ojud/voting"
)

// clock writes a time for people.
func clock(at int64) string { return time.Unix(at, 0).UTC().Format("2006-01-02 15:04:05 UTC") }

// span writes a duration, given in seconds.
func span(seconds int64) string { return (time.Duration(seconds) * time.Second).String() }

func number(n uint64) string { return strconv.FormatUint(n, 10) }

// brief returns enough of a hash to find it in a file.
func brief(h voting.Hash) string { return casefile.Digest(h).String()[:16] + "…" }

// times says how often, and until when, an event happened.
func (e LogEntry) times() string {
	if e.Times < 2 {
		return "at " + clock(e.At)
	}
	return fmt.Sprintf("%d times from %s to %s", e.Times, clock(e.At), clock(e.Last))
}

// quoted returns text of somebody else without characters that control a terminal.
func quoted(text string) string { return strconv.Quote(cut(text, maxText)) }
