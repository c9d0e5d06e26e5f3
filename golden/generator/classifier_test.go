package generator

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// sample is what a classifier sees: a text, and whether it belongs to the class that it looks for.
type sample struct {
	text string
	yes  bool
}

// features turn a text into what a classifier counts.
var features = map[string]func(text string) []string{
	"words": func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	},
	"word pairs": func(text string) (out []string) {
		all := strings.Fields(text)
		for i := 1; i < len(all); i++ {
			out = append(out, all[i-1]+" "+all[i])
		}
		return out
	},
	"4 characters": func(text string) (out []string) {
		for i := 4; i <= len(text); i++ {
			out = append(out, text[i-4:i])
		}
		return out
	},
	"shape": func(text string) []string { // lengths and signs, in steps
		count := func(name string, n int) string { return name + strings.Repeat("+", int(3*math.Log2(float64(n+1)))) }
		digits := strings.Count(strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return '0'
			}
			return r
		}, text), "0")
		return []string{
			count("bytes", len(text)), count("lines", strings.Count(text, "\\n")), count("digits", digits), count("dots", strings.Count(text, ".")),
			count("words", len(strings.Fields(text))), count("quotes", strings.Count(text, `"`)),
		}
	},
}

// bayes is a naive Bayes classifier over the features that a text has.
type bayes struct {
	split func(string) []string
	seen  map[string]*[2]float64
	texts [2]float64
}

func learn(split func(string) []string, samples []sample) *bayes {
	b := &bayes{split: split, seen: map[string]*[2]float64{}}
	for _, s := range samples {
		side := 0
		if s.yes {
			side = 1
		}
		b.texts[side]++
		for _, f := range unique(split(s.text)) {
			if b.seen[f] == nil {
				b.seen[f] = &[2]float64{}
			}
			b.seen[f][side]++
		}
	}
	return b
}

func unique(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

// score is the log of the odds for yes.
func (b *bayes) score(text string) (sum float64) {
	for _, f := range unique(b.split(text)) {
		if n := b.seen[f]; n != nil && n[0]+n[1] > 2 {
			sum += math.Log((n[1]+1)/(b.texts[1]+2)) - math.Log((n[0]+1)/(b.texts[0]+2))
		}
	}
	return sum
}

// auc is how often a text of the class has a higher score than another one: 0.5 is chance.
func auc(b *bayes, samples []sample) float64 {
	type scored struct {
		score float64
		yes   bool
	}
	var all []scored
	for _, s := range samples {
		all = append(all, scored{b.score(s.text), s.yes})
	}
	slices.SortFunc(all, func(x, y scored) int { return cmp.Compare(x.score, y.score) })
	var ranks, yes, no float64
	for i := 0; i < len(all); {
		k := i
		for k < len(all) && all[k].score == all[i].score {
			k++
		}
		for _, s := range all[i:k] {
			if s.yes {
				ranks += float64(i+k+1) / 2
				yes++
			} else {
				no++
			}
		}
		i = k
	}
	return (ranks - yes*(yes+1)/2) / (yes * no)
}

// best trains every classifier on two thirds and returns the AUC on the rest that is the farthest
// from chance, with the name of the classifier.
func best(t *testing.T, what string, samples []sample) (value float64) {
	t.Helper()
	value = 0.5
	name := ""
	for _, kind := range []string{"words", "word pairs", "4 characters", "shape"} {
		var train, rest []sample
		for i, s := range samples {
			if i/3%3 == 2 { // not by kind of work, which is i%3
				rest = append(rest, s)
			} else {
				train = append(train, s)
			}
		}
		if v := auc(learn(features[kind], train), rest); math.Abs(v-0.5) >= math.Abs(value-0.5) {
			value, name = v, kind
		}
	}
	t.Logf("%-32s AUC %.3f by %s", what, value, name)
	return value
}
