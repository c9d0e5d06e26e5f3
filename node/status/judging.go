package status

import (
	"sync"
	"time"

	"ojud/agent/judge/places"
	"ojud/voting"
)

// Reason says why a node abstained.
type Reason string

// The reasons for abstentions.
const (
	NoPlace   Reason = "no_place"   // more cases came than the judge can judge in time
	NoTime    Reason = "no_time"    // the judge had no opinion before the deadline
	NoOpinion Reason = "no_opinion" // the judge or its documents failed
	Undecided Reason = "undecided"  // the judge looked, and could not tell
)

// Reasons lists the reasons for abstentions.
func Reasons() (out []Reason) {
	for _, r := range reasons {
		out = append(out, r.is)
	}
	return out
}

// reasons has all of them, with the words for people.
var reasons = [...]struct {
	is   Reason
	text string
}{
	{NoPlace, "it was full: more cases came than it can judge in time, and these paid least after costs; " +
		"judge.max_parallel_cases lets it judge more at once"},
	{NoTime, "its judge had no opinion in time"},
	{NoOpinion, `its judge gave no opinion; "ojud case why" says why`},
	{Undecided, "its judge looked and could not tell"},
}

// Judging says what a judge did with its cases since its node began, and what it does now.
type Judging struct {
	Places      int          `json:"places"`       // cases that are judged at once
	AtWork      int          `json:"at_work"`      // cases that have a place now
	Waiting     int          `json:"waiting"`      // cases that wait for one
	CaseSeconds float64      `json:"case_seconds"` // how long a case takes at present; 0: not known yet
	Voted       uint64       `json:"voted"`        // votes for accept or reject
	Abstained   []Abstention `json:"abstained"`    // without those that never happened
}

// Abstention counts the abstentions for one reason.
type Abstention struct {
	Reason Reason `json:"reason"`
	Cases  uint64 `json:"cases"`
	Why    string `json:"why"`
}

// maxNoted bounds the opinions whose votes are not cast yet.
const maxNoted = 4096

// VoteCounter counts the votes of a node by the reasons of its abstentions. Several goroutines may
// use it at once.
type VoteCounter struct {
	mu        sync.Mutex
	noted     map[voting.Hash]Reason // by opinion
	voted     uint64
	abstained map[Reason]uint64
}

// NewVoteCounter returns a counter at zero.
func NewVoteCounter() *VoteCounter {
	return &VoteCounter{noted: map[voting.Hash]Reason{}, abstained: map[Reason]uint64{}}
}

// Note remembers why an opinion abstains until its vote is cast. A vote that is never cast does not
// count.
func (t *VoteCounter) Note(opinion voting.Hash, why Reason) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.noted) == maxNoted {
		clear(t.noted)
	}
	t.noted[opinion] = why
}

// Cast counts a vote, and returns the reason if it is an abstention.
func (t *VoteCounter) Cast(o voting.Opening) (why Reason) {
	t.mu.Lock()
	defer t.mu.Unlock()
	why = t.noted[o.Opinion]
	delete(t.noted, o.Opinion)
	const _ = uint(3 - voting.Choices) // accept and reject are votes for a side
	if o.Choice != voting.Abstain {
		t.voted++
		return ""
	}
	if why == "" {
		why = Undecided
	}
	t.abstained[why]++
	return why
}

// judging returns the counts, with the state of the places.
func (t *VoteCounter) judging(d places.State) Judging {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := Judging{
		Places: d.Places, AtWork: d.AtWork, Waiting: d.Waiting, CaseSeconds: d.Took.Round(time.Millisecond).Seconds(), Voted: t.voted,
		Abstained: []Abstention{},
	}
	for _, r := range reasons {
		if n := t.abstained[r.is]; n > 0 {
			out.Abstained = append(out.Abstained, Abstention{r.is, n, r.text})
		}
	}
	return out
}
