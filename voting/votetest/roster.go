package votetest

import (
	"ojud/voting"
	"ojud/voting/rules"
)

// Entry is a judge on the Roster (protocol section 4). Free entries do not occur: a judge that
// withdrew keeps its place with Gone set.
type Entry struct {
	Judge, Peer, Operator voting.Key
	Stake, Rewards        uint64
	Locked                uint64 // the most that its live seats can lose
	Live                  uint16
	Exiting, Gone         bool
	ExitAt                int64

	Seated, Majority, Minority, Absent, Abstained, Equivocated uint32
}

// Season has the weights of the judges from a slot on, by Roster index. A draw with a later seed
// slot sees them, whatever happens to the stakes (protocol section 6).
type Season struct {
	Number  int
	Slot    uint64
	At      int64
	Weights []uint64
}

// window is for how many slots a seed slot can be drawn with (protocol section 5).
const window = 512

// answersUntil keeps the stake of a judge that leaves for the evidence about a seat that ends now.
func (e *Entry) answersUntil(end int64) {
	if e.Exiting && !e.Gone {
		e.ExitAt = max(e.ExitAt, end)
	}
}

// Roster is the account that holds all stakes.
type Roster struct {
	Entries     []Entry
	Now, Before Season // the zero value of a Season: there was none
}

// seasonOf returns the season that a draw with that seed slot sees; nil: it is forgotten.
func (r *Roster) seasonOf(seed uint64) *Season {
	switch {
	case r.Now.Slot < seed:
		return &r.Now
	case r.Before.Slot < seed:
		return &r.Before
	}
	return nil
}

// numbered returns the season of that number; nil: it is forgotten.
func (r *Roster) numbered(number int) *Season {
	for _, s := range []*Season{&r.Now, &r.Before} {
		if s.Number == number {
			return s
		}
	}
	return nil
}

// counted reports whether an entry has a weight in one of the two seasons.
func (r *Roster) counted(entry int) bool {
	return r.Now.weight(entry) > 0 || r.Before.weight(entry) > 0
}

// weight is that of an entry. A judge that came later has none.
func (s *Season) weight(entry int) uint64 {
	if entry < len(s.Weights) {
		return s.Weights[entry]
	}
	return 0
}

// Candidates returns the roster's judges as the draw of a first panel with that seed slot sees
// them.
func (r *Roster) Candidates(seed uint64) []voting.Candidate {
	season := r.seasonOf(seed)
	if season == nil {
		return nil
	}
	return r.in(season)
}

// in returns the judges with their weights in a season.
func (r *Roster) in(season *Season) []voting.Candidate {
	out := make([]voting.Candidate, len(r.Entries))
	for i := range r.Entries {
		e := &r.Entries[i]
		out[i] = voting.Candidate{
			Index: uint16(i), Judge: e.Judge, Peer: e.Peer, Operator: e.Operator, Stake: season.weight(i),
			Whole: e.Stake, Free: e.Stake - min(e.Stake, e.Locked), Active: !e.Gone,
		}
	}
	return out
}

// BeginSeason gives all judges their weights, if the season before is over.
func (c *Chain) BeginSeason() error {
	r, next := &c.State.Roster, Season{Number: c.State.Roster.Now.Number + 1, Slot: c.Slot, At: c.Now}
	may, now := 0, 0 // judges that a draw may still seat, and those of this season
	for i := range r.Entries {
		e := &r.Entries[i]
		if r.counted(i) {
			may++
		}
		if r.Now.weight(i) > 0 {
			now++
		}
		weight := min(e.Stake, c.Law.MaxSeatWeight)
		if e.Gone || e.Exiting || e.Stake < max(1, c.Law.MinStake/2) {
			weight = 0
		}
		next.Weights = append(next.Weights, weight)
	}
	lasts := c.Law.SeasonSeconds
	if now < int(c.Law.Rules.MinSeats) {
		lasts = min(lasts, c.Law.longestCase())
	}
	due := c.Now >= r.Now.At+int64(lasts) || may < int(c.Law.Rules.MinSeats)
	if !due || r.Now.Slot > 0 && c.Slot <= r.Now.Slot+min(window, uint64(c.Law.SeasonSeconds)) {
		return moot("SeasonRuns")
	}
	r.Before, r.Now = r.Now, next
	return nil
}

// longestCase is how long a case takes with all its rounds and those of its appeal, in seconds.
func (l *Law) longestCase() uint32 {
	r := &l.Rules
	level := uint32(r.MaxRounds) * (r.DrawSeconds + r.CommitSeconds + r.RevealSeconds)
	if r.AppealSeconds == 0 {
		return level
	}
	return 2*level + r.AppealSeconds
}

// Standings returns the judges of seats as a settlement sees them.
func (r *Roster) Standings(seats []voting.Seat) []rules.Standing {
	out := make([]rules.Standing, len(seats))
	for i := range seats {
		e := &r.Entries[seats[i].Index]
		out[i] = rules.Standing{
			Present: !e.Gone && e.Judge == seats[i].Judge,
			Stake:   e.Stake,
		}
	}
	return out
}

// Lamports is all that the account holds.
func (r *Roster) Lamports() uint64 {
	total := uint64(0)
	for i := range r.Entries {
		total += r.Entries[i].Stake + r.Entries[i].Rewards
	}
	return total
}

// count adds a result to the judge's record. An equivocation was counted when it was shown.
func (e *Entry) count(r voting.Result) {
	e.Seated++
	switch r {
	case voting.Majority:
		e.Majority++
	case voting.Minority:
		e.Minority++
	case voting.Absent:
		e.Absent++
	case voting.Abstained:
		e.Abstained++
	}
}
