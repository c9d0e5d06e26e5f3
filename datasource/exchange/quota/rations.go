package quota

import (
	"sync"

	"ojud/casefile"
	"ojud/datasource"
)

// Ask is a request whose asker may ask for the source, by the chain.
type Ask struct {
	// Task and Round are those of the judge's seat. Outside of a round, Round is 0, and Task is the
	// task of which an outsider is a party, or zero.
	Task     casefile.Address
	Round    uint8
	Asker    casefile.Address // the judge, or the key of an outsider
	Outsider bool             // it is no judge
	Source   string
}

// Rations bound the requests to a holder by the terms of its sources. Identities cost nothing, so
// what outsiders do must not take from judges: they have memory of their own everywhere. Half of a
// source's total rate is kept for seats of live rounds, and outsiders have a quarter at most.
type Rations struct {
	judges, outsiders people
	total, outside    *Meter[string]
	rounds, tasks     *Counter
	strangers         *Meter[struct{}]
}

// people are the meters of a kind of askers: by asker and source, and by peer.
type people struct {
	each    *bySource
	opening *Meter[casefile.DID]
	all     *Meter[string]
}

// bySource has a meter of askers for each source, whichever nodes speak for them. So the askers of
// a slow source, which must be remembered for long, take no memory from those of another one.
type bySource struct {
	mu     sync.Mutex
	meters map[string]*Meter[casefile.Address]
}

// of returns the meter of a source. Sources beyond maxSources share one.
func (b *bySource) of(source string) *Meter[casefile.Address] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.meters[source]; !ok && len(b.meters) >= maxSources {
		source = ""
	}
	if b.meters[source] == nil {
		b.meters[source] = newMeter[casefile.Address](maxAskers)
	}
	return b.meters[source]
}

// These bound the memory for rates.
const (
	maxAskers  = 8192 // of one source
	maxSources = 128
)

// NewRations returns rations that remember so many rounds of cases, and as many tasks.
func NewRations(most int) *Rations {
	fresh := func() people {
		return people{&bySource{meters: map[string]*Meter[casefile.Address]{}}, newMeter[casefile.DID](maxAskers), newMeter[string](maxAskers)}
	}
	return &Rations{
		judges: fresh(), outsiders: fresh(), total: newMeter[string](maxAskers), outside: newMeter[string](maxAskers),
		rounds: newCounter(most), tasks: newCounter(most), strangers: newMeter[struct{}](1),
	}
}

// Open reports whether a peer may begin a conversation: it may begin each in a minute, and all
// peers that are no judges together strangers.
func (l *Rations) Open(peer casefile.DID, judge bool, each, strangers int) bool {
	minute := func(n int) datasource.Rate { return datasource.Rate{Requests: n, Seconds: 60} }
	if judge {
		return l.judges.opening.Take(peer, minute(each))
	}
	// All of them first, so that few keys are remembered.
	return l.strangers.Take(struct{}{}, minute(strangers)) && l.outsiders.opening.Take(peer, minute(each))
}

// Rate reports whether the terms' rates allow one more request, and counts it then.
func (l *Rations) Rate(a Ask, t datasource.Terms) bool {
	of := l.judges
	if a.Outsider {
		of = l.outsiders
	}
	each := of.each.of(a.Source)
	switch {
	case each.Waits(a.Asker, t.Rate):
		return false
	// All of them first, so that few keys are remembered.
	case a.Outsider && !of.all.Take(a.Source, part(t.TotalRate, 4)):
		return false
	case a.Round == 0 && !l.outside.Take(a.Source, part(t.TotalRate, 2)):
		return false
	}
	return l.total.Take(a.Source, t.TotalRate) && each.Take(a.Asker, t.Rate)
}

// part is one of so many equal parts of a rate.
func part(r datasource.Rate, of int) datasource.Rate {
	if r.Requests >= of {
		return datasource.Rate{Requests: r.Requests / of, Seconds: r.Seconds}
	}
	return datasource.Rate{Requests: 1, Seconds: r.Seconds * of / max(r.Requests, 1)}
}

// parties is the number of parties of a task.
const parties = 2

// Share reports whether a round of a case, or the parties of a task, may make one more request of
// the terms' quota, and counts it then. seats is the number of seats in the round.
func (l *Rations) Share(a Ask, seats, quota int) bool {
	key := Share{Task: a.Task, Round: a.Round, Source: a.Source}
	switch {
	case a.Round != 0:
		return l.rounds.Take(key, a.Asker, seats, quota)
	case a.Task != casefile.Address{}:
		return l.tasks.Take(key, a.Asker, parties, quota)
	}
	return true
}
