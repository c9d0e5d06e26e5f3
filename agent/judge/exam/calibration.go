package exam

import (
	"math"

	"ojud/casefile"
	"ojud/voting"
)

// bins is the number of ranges of confidence, as usual for the ECE.
const bins = 10

// Calibration says whether a judge that is 80 % certain is right in 80 of 100 disputes.
type Calibration struct {
	Stated int     `json:"stated"` // opinions with a probability; other votes count as certain, abstentions as 1/2
	Brier  float64 `json:"brier"`  // mean squared error of the probability over all opinions: 0 is best, a coin has 0.25
	ECE    float64 `json:"ece"`    // mean gap between confidence and share of right votes
	Bins   []Bin   `json:"bins"`   // without empty ones
}

// Bin has the votes of one range of confidence.
type Bin struct {
	From       float64 `json:"from"` // and up to 0.1 more; the last holds 1 too
	Votes      int     `json:"votes"`
	Confidence float64 `json:"confidence"` // mean
	Right      float64 `json:"right"`      // share
}

// calibrate compares the judge's probabilities with the labels.
func calibrate(heard []Attempt) (c Calibration) {
	var parts [bins]struct {
		votes, right int
		sum          float64
	}
	opinions, square := 0, 0.0
	for _, h := range heard {
		if h.Err != nil {
			continue
		}
		p, stated := probability(h)
		if stated {
			c.Stated++
		}
		opinions++
		gap := p - truth(h)
		square += gap * gap
		if h.Choice() == voting.Abstain {
			continue
		}
		sure := p
		if h.Choice() == voting.Reject {
			sure = 1 - p
		}
		b := &parts[min(int(sure*bins), bins-1)]
		b.votes++
		b.sum += sure
		if h.Opinion.Choice == h.Item.Label {
			b.right++
		}
	}
	if opinions > 0 {
		c.Brier = square / float64(opinions)
	}
	c.Bins = []Bin{}
	votes, gaps := 0, 0.0
	for i, b := range parts {
		if b.votes == 0 {
			continue
		}
		one := Bin{From: float64(i) / bins, Votes: b.votes, Confidence: b.sum / float64(b.votes), Right: Share(b.right, b.votes)}
		c.Bins = append(c.Bins, one)
		votes += one.Votes
		gaps += float64(one.Votes) * math.Abs(one.Confidence-one.Right)
	}
	if votes > 0 {
		c.ECE = gaps / float64(votes)
	}
	return c
}

// probability returns the judge's probability of accept.
func probability(h Attempt) (p float64, stated bool) {
	const _ = uint(3 - voting.Choices) // one probability describes two sides and the doubt between them
	if a := h.Account.Accept; a != nil && *a >= 0 && *a <= 1 {
		return *a, true
	}
	switch h.Choice() {
	case voting.Accept:
		return 1, false
	case voting.Reject:
		return 0, false
	}
	return 0.5, false
}

// truth returns 1 if accept is right, otherwise 0.
func truth(h Attempt) float64 {
	if h.Item.Label == casefile.Choice(voting.Accept) {
		return 1
	}
	return 0
}

// Share returns n of all as a number from 0 to 1, or 0 if all is 0.
func Share(n, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}

// wilson returns the 95 % interval of a share (Wilson 1927), which holds for small numbers, too.
func wilson(n, all int) (low, high float64) {
	if all == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, a := Share(n, all), float64(all)
	middle := (p + z*z/(2*a)) / (1 + z*z/a)
	half := z / (1 + z*z/a) * math.Sqrt(p*(1-p)/a+z*z/(4*a*a))
	return max(0, middle-half), min(1, middle+half)
}
