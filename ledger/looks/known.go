package looks

import (
	"bytes"
	"slices"
	"time"

	"ojud/ledger/program"
)

// Slice is the part of an account that a request is for (dataSlice).
type Slice struct {
	Offset int `json:"offset"`
	Length int `json:"length"`
}

const partLength = 8 << 10

// Part is how much of each account a look reads: all of a task, a case and the clock, and the head
// of the Roster. A Roster of up to 30 judges is shorter.
func Part() *Slice { return &Slice{Length: partLength} }

// Cut reports whether there may be more of an account than a Part.
func Cut(data []byte) bool { return len(data) == partLength }

// wholeEvery is how often the Roster is read whole though its head is as it was.
const wholeEvery = 10 * time.Minute

// KnownRoster is the Roster that was read whole last. With 10,240 judges it has 2.3 MB, and most
// looks bring nothing new of it: what a draw sees (stakes, weights, seasons, who joins and leaves)
// changes the head, too. What an entry says of live seats and of its record may be older, by
// wholeEvery at most.
type KnownRoster struct {
	roster *program.Roster
	head   []byte
	at     time.Time
}

// Still returns the Roster that is known if the beginning of its account, of the length of a Part,
// says that it is that one; or else nil.
func (k *KnownRoster) Still(data []byte) *program.Roster {
	if !Cut(data) || k.roster == nil || time.Since(k.at) >= wholeEvery || !bytes.HasPrefix(data, k.head) {
		return nil
	}
	return k.roster
}

// Keep takes a Roster that was read whole.
func (k *KnownRoster) Keep(data []byte, r *program.Roster) {
	k.roster, k.head, k.at = r, slices.Clone(data[:program.RosterSize(0)]), time.Now()
}
