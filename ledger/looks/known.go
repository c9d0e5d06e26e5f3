package looks

import (
	"bytes"
	"slices"
	"sync/atomic"
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

// Where the sums of stakes and of rewards stand in the head.
const (
	stakesAt   = 24
	stakesEnd  = stakesAt + 8
	rewardsEnd = stakesEnd + 8
)

const (
	// wholeEvery is how often the Roster is read whole though its head is as it was.
	wholeEvery = 10 * time.Minute
	// stakeEvery is how often it is read if only stakes seem to have changed. Everybody with a
	// stake can change it by a lamport, again and again.
	stakeEvery = 15 * time.Second
)

// KnownRoster is the Roster that was read whole last. With 10,240 judges it has 2.3 MB, and most
// looks bring nothing new of it: what a draw sees (weights, seasons, who joins and leaves) changes
// the head, too. What an entry says of rewards, of live seats and of its record may be older, by
// wholeEvery at most.
type KnownRoster struct {
	roster *program.Roster
	head   []byte
	at     time.Time
	moved  atomic.Bool // a stake moved, or a judge began to leave
}

// Hear takes an event. Who leaves and who joins may cancel out in the head.
func (k *KnownRoster) Hear(e program.Event) {
	switch e.(type) {
	case *program.StakeMoved, *program.JudgeExiting, *program.Slashed:
		k.moved.Store(true)
	}
}

// Still returns the Roster that is known if the beginning of its account, of the length of a Part,
// says that it is that one. Or else it is nil, and the whole is to be read.
func (k *KnownRoster) Still(data []byte) *program.Roster {
	if !Cut(data) || k.roster == nil {
		return nil
	}
	same := bytes.Equal(data[:stakesAt], k.head[:stakesAt]) && bytes.HasPrefix(data[rewardsEnd:], k.head[rewardsEnd:])
	moved := k.moved.Load() || !bytes.Equal(data[stakesAt:stakesEnd], k.head[stakesAt:stakesEnd])
	if age := time.Since(k.at); age >= wholeEvery || age >= stakeEvery && moved || !same {
		k.roster = nil
		k.moved.Store(false) // before the read: what is heard from now on may be newer
	}
	return k.roster
}

// Keep takes a Roster that was read whole.
func (k *KnownRoster) Keep(data []byte, r *program.Roster) {
	k.roster, k.head, k.at = r, slices.Clone(data[:program.RosterSize(0)]), time.Now()
}
