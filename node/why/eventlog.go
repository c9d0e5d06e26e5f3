package why

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Deed is a kind of entry in an EventLog.
type Deed string

// These are the deeds that a node writes down.
const (
	Asked      Deed = "asked"      // the judge was asked for an opinion; What: until when, in Unix seconds
	Thought    Deed = "thought"    // an opinion is there; What: its choice
	Failed     Deed = "failed"     // no opinion came; Text: why
	Abstained  Deed = "abstained"  // code wrote an abstention; Text: why
	Cast       Deed = "cast"       // the vote was signed; What: its choice
	Sent       Deed = "sent"       // a transaction for the own seat ended; What: commit, reveal, claim; How: a word below; Text: the answer
	Requested  Deed = "pleaded"    // others were asked to bring a transaction of the own seat to the chain; What: commit
	Shown      Deed = "shown"      // two statements of this judge were shown on the chain; What: lamports slashed
	Twin       Deed = "twin"       // another copy of the node was seen at work; Text: the traces
	PassedOver Deed = "passedover" // the judge could not be drawn; How: one of the words below; Text: the entry on the roster
)

// These are the outcomes of a transaction (Sent).
const (
	Landed  = "landed"  // it is in a block, or the chain shows that its purpose is fulfilled
	NoFunds = "nofunds" // the authority cannot pay the fee
	Refused = "refused" // by the program or the runtime
	Others  = "others"  // the chain shows it done, and this node has sent nothing
	NotSent = "notsent" // the RPC node did not take it
	InVain  = "invain"  // it did not land while it was useful
)

// NoPlace says of an abstention that the node was full (Abstained).
const NoPlace = "noplace"

// These are the reasons why a judge could not be drawn (PassedOver).
const (
	NoEntry   = "noentry"   // it was not on the roster
	Leaving   = "leaving"   // it had asked to leave
	LowStake  = "lowstake"  // its stake was below the minimum
	Fresh     = "fresh"     // its stake came after the season began
	IsParty   = "party"     // it is a party, or its operator is
	SatBefore = "satbefore" // it had a seat in the first panel
)

// LogEntry is one event of a node. Repetitions are counted.
type LogEntry struct {
	Round uint8  `json:"round"`
	Deed  Deed   `json:"deed"`
	What  string `json:"what,omitempty"`
	How   string `json:"how,omitempty"`
	Text  string `json:"text,omitempty"` // at most MaxText bytes
	At    int64  `json:"at"`             // Unix seconds of the chain's clock, the first time
	Last  int64  `json:"last"`           // the last time
	Times int    `json:"times"`          // from 1
}

// EventLog is the node's record of one case for Explain. The zero value is empty.
type EventLog struct {
	Entries []LogEntry `json:"entries"` // oldest first, at most MaxEntries
	Lost    int        `json:"lost"`    // number of entries that did not fit
}

// These are the limits of an event log.
const (
	maxEntries  = 64
	maxText     = 300       // bytes
	maxEventLog = 192 << 10 // bytes, encoded
	maxWord     = 40        // bytes of What and How
)

// Note records an event of a time. It reports whether the event log changed and must be stored.
func (d *EventLog) Note(at int64, e LogEntry) bool {
	e.shorten()
	for i := range d.Entries {
		if same := &d.Entries[i]; same.Round == e.Round && same.Deed == e.Deed && same.What == e.What && same.How == e.How && same.Text == e.Text {
			same.Last, same.Times = max(same.Last, at), same.Times+1
			return true
		}
	}
	if len(d.Entries) >= maxEntries {
		d.Lost++
		return d.Lost == 1
	}
	e.At, e.Last, e.Times = at, at, 1
	d.Entries = append(d.Entries, e)
	return true
}

// Encode returns the bytes to keep, at most maxEventLog.
func (d EventLog) Encode() ([]byte, error) { return encode("event log", d, maxEventLog) }

// DecodeEventLog is the inverse of Encode. No bytes are an empty event log.
func DecodeEventLog(raw []byte) (EventLog, error) {
	d, err := decode[EventLog]("event log", raw, maxEventLog)
	if err == nil && len(d.Entries) > maxEntries {
		err = fmt.Errorf("why: event log of %d entries; at most %d", len(d.Entries), maxEntries)
	}
	if err != nil {
		return EventLog{}, err
	}
	for i := range d.Entries {
		d.Entries[i].shorten()
	}
	return d, nil
}

// encode returns the bytes of a record to keep.
func encode(what string, record any, most int) ([]byte, error) {
	raw, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("why: %s: %w", what, err)
	}
	if len(raw) > most {
		return nil, fmt.Errorf("why: %s of %d bytes; at most %d", what, len(raw), most)
	}
	return raw, nil
}

// decode is the inverse of encode. No bytes are an empty record.
func decode[T any](what string, raw []byte, most int) (record T, err error) {
	if len(raw) > most {
		return record, fmt.Errorf("why: %s of %d bytes; at most %d", what, len(raw), most)
	}
	if len(raw) == 0 {
		return record, nil
	}
	if err := json.Unmarshal(raw, &record); err != nil {
		return *new(T), fmt.Errorf("why: %s: %w", what, err)
	}
	return record, nil
}

// shorten cuts an entry to its limits.
func (e *LogEntry) shorten() {
	e.What, e.How, e.Text, e.Deed = cut(e.What, maxWord), cut(e.How, maxWord), cut(e.Text, maxText), Deed(cut(string(e.Deed), maxWord))
}

// find returns the entries of a round and deed, and of What if it is given.
func (d EventLog) find(round uint8, deed Deed, what ...string) (out []LogEntry) {
	for _, e := range d.Entries {
		if e.Round == round && e.Deed == deed && (len(what) == 0 || slices.Contains(what, e.What)) {
			out = append(out, e)
		}
	}
	return out
}

// cut shortens a text to at most that many bytes of valid UTF-8.
func cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	const dots = "…"
	end := most - len(dots)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + dots
}
