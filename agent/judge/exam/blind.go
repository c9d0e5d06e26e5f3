package exam

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"

	"ojud/casefile"
	"ojud/voting"
)

// Blind is what judges reach that never look at a task. If one of them is far from a half, an exam
// can be passed without judging.
type Blind struct {
	Always    float64 `json:"always_accept"`      // right of all
	Pleading  float64 `json:"longest_pleading"`   // the party that says more is right
	Result    float64 `json:"longest_result"`     // long results are right
	Pleadings float64 `json:"words_of_pleadings"` // naive Bayes, which learned from another exam
}

// another marks the seed of the exam from which the naive Bayes judge learns.
const another = ":another"

// Blind holds the exam of a plan with judges that never look at a task.
func (p Syllabus) Blind(items []Item) (out Blind, err error) {
	p.Seed += another
	before, err := Fresh(p)
	if err != nil {
		return out, err
	}
	var lengths []int
	for _, i := range before {
		lengths = append(lengths, len(i.Result))
	}
	slices.Sort(lengths)
	words := train(before)
	share := func(accept func(Item) bool) float64 {
		right := 0
		for _, i := range items {
			if accept(i) == (i.Label == casefile.Choice(voting.Accept)) {
				right++
			}
		}
		return Share(right, len(items))
	}
	return Blind{
		Always:    share(func(Item) bool { return true }),
		Pleading:  share(func(i Item) bool { return len(i.Counter) > len(i.Objection) }),
		Result:    share(func(i Item) bool { return len(i.Result) > lengths[len(lengths)/2] }),
		Pleadings: share(func(i Item) bool { return words.odds(i) > 0 }),
	}, nil
}

// bag is a naive Bayes judge of the words that parties use.
type bag struct {
	seen  map[string]*[2]float64 // in how many pleadings of rejected and accepted results
	items [2]float64
}

func train(items []Item) bag {
	b := bag{seen: map[string]*[2]float64{}}
	const _ = uint(3 - voting.Choices) // an answer is a side
	for _, i := range items {
		side := 0
		if i.Label == casefile.Choice(voting.Accept) {
			side = 1
		}
		b.items[side]++
		for _, w := range i.pleaded() {
			if b.seen[w] == nil {
				b.seen[w] = &[2]float64{}
			}
			b.seen[w][side]++
		}
	}
	return b
}

// odds is the logarithm of the odds for accept.
func (b bag) odds(i Item) (sum float64) {
	for _, w := range i.pleaded() {
		if n := b.seen[w]; n != nil && n[0]+n[1] > 2 {
			sum += math.Log((n[1]+1)/(b.items[1]+2)) - math.Log((n[0]+1)/(b.items[0]+2))
		}
	}
	return sum
}

// pleaded returns the words of the objection and of the answer, apart.
func (i Item) pleaded() (out []string) {
	for side, raw := range map[string]json.RawMessage{"creator ": i.Objection, "worker ": i.Counter} {
		for w := range strings.FieldsFuncSeq(strings.ToLower(string(raw)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			out = append(out, side+w)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
