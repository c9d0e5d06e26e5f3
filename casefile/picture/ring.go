package picture

import (
	"fmt"
	"math"
	"strings"

	"ojud/casefile"
	"ojud/voting"
	"ojud/voting/rules"
)

// The ring's size, in the units of its picture.
const (
	ringSize   = 400
	RingRadius = 166.0
	ringSeat   = 15.5 // radius of a seat, less if there are many
	dialRadius = 112.0
)

// Ring is the picture of a panel.
type Ring struct {
	Size   int
	Seats  []ringSeatAt
	Asks   []string // paths between judges that asked and judges that answered
	Accept string   // path of the arc of the weight behind accept; empty: none
	Reject string
	Track  float64 // radius
	Mark   ringMark
	Worker string // the side that needs the votes behind the mark
	Big    string // in the middle
	Under  string
	Words  string // of the whole picture, for those who do not see it
}

// ringSeatAt is a seat in the picture.
type ringSeatAt struct {
	Number  int
	X, Y, R float64
	State   string // class: drawn, sealed, accept, reject, abstain, absent, equivocated
	Sign    string // what stands in it
	Words   string
	Own     bool
}

// ringMark is a line across the dial: the worker's side needs more than that of the votes for a
// side.
type ringMark struct{ X1, Y1, X2, Y2 float64 }

// round1 bounds the digits of a coordinate.
func round1(x float64) float64 { return math.Round(x*10) / 10 }

// Polar returns a point at a part of the circle, from the top on, clockwise.
func Polar(part, radius float64) (x, y float64) {
	angle := 2*math.Pi*part - math.Pi/2
	return round1(ringSize/2 + radius*math.Cos(angle)), round1(ringSize/2 + radius*math.Sin(angle))
}

// draw draws a panel. self is the judge of this node, and sides has the words for what the judges
// decide about.
func draw(b Bench, self voting.Key, sides parties) Ring {
	r := Ring{Size: ringSize, Track: dialRadius, Worker: sides.Worker}
	size := math.Min(ringSeat, math.Pi*RingRadius/float64(max(len(b.Seats), 1))*0.86)
	places := map[casefile.DID]int{}
	for i, s := range b.Seats {
		at := ringSeatAt{Number: i + 1, R: round1(size), Own: !self.IsZero() && s.Judge == self}
		at.X, at.Y = Polar(float64(i)/float64(len(b.Seats)), RingRadius)
		at.State, at.Sign, at.Words = look(s, i+1, b.Settled, sides.Judged)
		r.Seats = append(r.Seats, at)
		places[casefile.DID(s.Peer)] = i
	}
	for i, s := range b.Seats {
		for _, heard := range s.Said.Heard {
			for _, receipt := range heard.Receipts {
				if to, ok := places[receipt.Holder]; ok && to != i {
					r.Asks = append(r.Asks, fmt.Sprintf("M%g %g Q200 200 %g %g", r.Seats[i].X, r.Seats[i].Y, r.Seats[to].X, r.Seats[to].Y))
				}
			}
		}
	}
	whole := b.Accept + b.Reject
	if !b.Settled {
		whole = b.Seated - b.Abstain
	}
	if whole > 0 {
		r.Accept = arc(float64(b.Accept)/float64(whole), 1)
		r.Reject = arc(float64(b.Reject)/float64(whole), -1)
	}
	r.Mark.X1, r.Mark.Y1 = Polar(rules.PassPercent/100.0, dialRadius-12)
	r.Mark.X2, r.Mark.Y2 = Polar(rules.PassPercent/100.0, dialRadius+12)
	r.Big, r.Under = middle(b)
	r.Words = words(b, sides.Judged)
	return r
}

// look returns how a seat is drawn. about is what the judges decide about.
func look(s BenchSeat, number int, settled bool, about string) (state, sign, words string) {
	const _ = uint(3 - voting.Choices) // a fourth choice needs a sign
	name := fmt.Sprintf("Seat %d, judge %s, %s: ", number, Short(s.Judge), sol(s.Weight))
	switch {
	case s.Equivocated:
		return "equivocated", "!", name + "signed two different votes"
	case s.counts() && s.Choice == voting.Accept:
		return "accept", "✓", name + "accepts the " + about
	case s.counts() && s.Choice == voting.Reject:
		return "reject", "✗", name + "rejects the " + about
	case s.counts():
		return "abstain", "–", name + "abstains"
	case settled:
		return "absent", "", name + "did not vote in time"
	case s.Committed:
		return "sealed", "•", name + "has sealed a vote, which nobody can read yet"
	}
	return "drawn", fmt.Sprint(number), name + "is looking at the case"
}

// arc returns the path of an arc from the top, clockwise (1) or the other way (-1).
func arc(part, way float64) string {
	if part <= 0 {
		return ""
	}
	part = math.Min(part, 0.9999)
	x0, y0 := Polar(0, dialRadius)
	x1, y1 := Polar(way*part, dialRadius)
	large, sweep := 0, 0
	if part > 0.5 {
		large = 1
	}
	if way > 0 {
		sweep = 1
	}
	return fmt.Sprintf("M%g %g A%g %g 0 %d %d %g %g", x0, y0, dialRadius, dialRadius, large, sweep, x1, y1)
}

// middle returns what stands in the middle of a ring.
func middle(b Bench) (big, under string) {
	accept, reject, abstain := b.Votes[voting.Accept], b.Votes[voting.Reject], b.Votes[voting.Abstain]
	switch {
	case b.Revealed > 0:
		under = "accept : reject"
		if abstain > 0 {
			under += fmt.Sprintf(" · %d abstain", abstain)
		}
		return fmt.Sprintf("%d : %d", accept, reject), under
	case b.Settled:
		return "0", "votes in time"
	case b.Committed > 0:
		return fmt.Sprintf("%d / %d", b.Committed, len(b.Seats)), "votes sealed"
	}
	return fmt.Sprint(len(b.Seats)), "judges drawn"
}

// words says in a sentence what a ring shows.
func words(b Bench, about string) string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(b.Votes[voting.Accept], "accept the "+about)
	add(b.Votes[voting.Reject], "reject it")
	add(b.Votes[voting.Abstain], "abstain")
	if !b.Settled {
		add(b.Committed-b.Revealed, "have sealed a vote")
		add(len(b.Seats)-max(b.Committed, b.Revealed), "are looking at the case")
	} else {
		add(len(b.Seats)-b.Revealed, "did not vote in time or do not count")
	}
	return fmt.Sprintf("The panel of round %d has %s: %s.", b.Round, Count(len(b.Seats), "judge", "judges"), strings.Join(parts, ", "))
}
