package quota

import (
	"encoding/binary"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource"
)

func key(n int) (a casefile.Address) {
	binary.BigEndian.PutUint64(a[:], uint64(n)+1)
	return a
}

// TestAttackOutsidersStarve: keys that cost nothing ask for a source that anyone may ask for, as
// much as they can, while 28 seats ask ten times a minute each. Every request of a seat goes
// through. If outsiders counted as seats (the control), many would not.
func TestAttackOutsidersStarve(t *testing.T) {
	for _, control := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l, terms := NewRations(16), datasource.DefaultTerms()
			asked, refused, taken := 0, 0, 0
			for minute := range 5 {
				for second := range 60 {
					for n := range 100 { // new keys all the time: 30,000 in all
						flood := Ask{Asker: key(1e6 + minute*6000 + second*100 + n), Outsider: true, Source: "posts"}
						if control {
							flood.Outsider, flood.Round = false, 1
						}
						if l.Rate(flood, terms) {
							taken++
						}
					}
					for n := second % 6; n < 28; n += 6 {
						asked++
						if !l.Rate(Ask{Task: key(0), Round: 1, Asker: key(n), Source: "posts"}, terms) {
							refused++
						}
					}
					time.Sleep(time.Second)
				}
			}
			if control != (refused > 0) || !control && taken > 6*terms.TotalRate.Requests/4 {
				t.Errorf("control %t: %d of %d requests of seats refused; the flood got %d", control, refused, asked, taken)
			}
		})
	}
}

// TestAttackJudgesOutsideStarve: judges that ask outside of any case leave half of the total rate
// to seats.
func TestAttackJudgesOutsideStarve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, terms := NewRations(16), datasource.DefaultTerms()
		for n := range 1000 {
			l.Rate(Ask{Asker: key(n), Source: "posts"}, terms)
		}
		for n := range terms.TotalRate.Requests / 2 {
			if !l.Rate(Ask{Task: key(0), Round: 1, Asker: key(n % 28), Source: "posts"}, terms) {
				t.Fatalf("request %d of seats is refused", n)
			}
		}
	})
}

// TestSmallRates: a part of a small rate is one request in a longer time.
func TestSmallRates(t *testing.T) {
	for _, c := range []struct{ whole, quarter datasource.Rate }{
		{datasource.Rate{Requests: 600, Seconds: 60}, datasource.Rate{Requests: 150, Seconds: 60}},
		{datasource.Rate{Requests: 1, Seconds: 60}, datasource.Rate{Requests: 1, Seconds: 240}},
		{datasource.Rate{Requests: 3, Seconds: 60}, datasource.Rate{Requests: 1, Seconds: 80}},
	} {
		if got := part(c.whole, 4); got != c.quarter {
			t.Errorf("a quarter of %v is %v, want %v", c.whole, got, c.quarter)
		}
	}
}

// TestAttackPartiesUseUpTheQuota: what the parties of a task ask takes nothing of the judges' quota
// of its case, and one party leaves the other its half.
func TestAttackPartiesUseUpTheQuota(t *testing.T) {
	l, most := NewRations(1), 10
	take := func(round uint8, task, who int) bool {
		return l.Share(Ask{Task: key(task), Round: round, Asker: key(who), Source: "posts"}, 5, most)
	}
	if !take(1, 0, 0) {
		t.Fatal("the first judge is refused")
	}
	got := 0
	for range 100 {
		if take(0, 0, 7) {
			got++
		}
	}
	if got != most/2 || !take(0, 0, 8) {
		t.Errorf("one party got %d of %d, and the other one nothing", got, most)
	}
	for task := range 100 { // tasks cost little; rounds that are under way must not be forgotten
		take(0, task, 7)
	}
	for judge := range 5 {
		for n := range 2 {
			if first := judge == 0 && n == 0; !first && !take(1, 0, judge) {
				t.Errorf("judge %d is refused", judge)
			}
		}
	}
	if take(1, 0, 4) {
		t.Error("the round was forgotten")
	}
}

// TestAttackManyPeers: peers that are no judges cannot fill the memory that judges need, and all of
// them together begin a bounded number of conversations.
func TestAttackManyPeers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, begun := NewRations(1), 0
		for n := range 3 * maxAskers {
			if l.Open(casefile.DID(key(n)), false, 120, 240) {
				begun++
			}
		}
		if begun != 240 || !l.Open(casefile.DID(key(1e6)), true, 120, 240) {
			t.Errorf("%d conversations, or no judge", begun)
		}
	})
}

// TestAttackSlowSource: strangers with new keys ask for a source that each may ask once a day.
// Their keys filled the memory of all sources, and an agent that had asked for nothing was refused
// at another source for a day. Now it is not.
func TestAttackSlowSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, slow, other := NewRations(16), datasource.DefaultTerms(), datasource.DefaultTerms()
		slow.Rate = datasource.Rate{Requests: 1, Seconds: 86400}
		asked, answered := 0, 0
		for range 70 * 60 { // seconds
			for range 4 {
				if asked++; l.Rate(Ask{Asker: key(asked), Outsider: true, Source: "weather"}, slow) {
					answered++
				}
			}
			time.Sleep(time.Second)
		}
		weather := l.outsiders.each.of("weather")
		if weather.room(time.Now()) || answered != maxAskers {
			t.Errorf("%d of %d keys were answered and fill no memory, so this test shows nothing", answered, asked)
		}
		for n := range 10 { // each of 10 agents
			if !l.Rate(Ask{Asker: key(1e6 + n), Outsider: true, Source: "prices"}, other) {
				t.Error("an agent is refused at another source")
			}
		}
		if !l.Rate(Ask{Task: key(0), Round: 1, Asker: key(1), Source: "weather"}, slow) {
			t.Error("a seat is refused at the source")
		}
	})
}

// TestAttackDeniedKeysAreRemembered: keys that get no answer, because outsiders together have used
// up their part, take no memory. One that has used up its own rate takes nothing of their part.
func TestAttackDeniedKeysAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, terms := NewRations(16), datasource.DefaultTerms()
		terms.Rate, terms.TotalRate = datasource.Rate{Requests: 5, Seconds: 60}, datasource.Rate{Requests: 80, Seconds: 60}
		ask := func(n int) bool { return l.Rate(Ask{Asker: key(n), Outsider: true, Source: "posts"}, terms) }
		for range 1000 {
			ask(0)
		}
		got := 0
		for n := range 1000 {
			if ask(1 + n) {
				got++
			}
		}
		if known := len(l.outsiders.each.of("posts").due); got != 15 || known != 16 {
			t.Errorf("one key got 5 answers, %d others one, and %d keys are remembered", got, known)
		}
	})
}

// TestManySources: the memory is bounded also if there are very many sources.
func TestManySources(t *testing.T) {
	l := NewRations(16)
	for n := range 10 * maxSources {
		l.Rate(Ask{Asker: key(1), Outsider: true, Source: fmt.Sprint(n)}, datasource.DefaultTerms())
	}
	if n := len(l.outsiders.each.meters); n != maxSources+1 {
		t.Errorf("%d meters", n)
	}
}
