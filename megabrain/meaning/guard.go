package meaning

import (
	"slices"
	"strings"
)

// crowds is why two texts are not compared.
const crowds = "they have too many names or numbers to compare"

// parted says in which way two texts say different things, or nothing. What is compared before
// crowds is complete in every text.
func parted(a, b *text) string {
	if !slices.Equal(a.numbers, b.numbers) {
		return "numbers or dates differ"
	}
	if clash(a.signs, b.signs) {
		return "signs or units differ"
	}
	if a.negated != b.negated {
		return "one denies more than the other"
	}
	if (a.one|a.two)&(b.one|b.two)&((a.one^b.one)|(a.two^b.two)) != 0 {
		return "they have opposite words"
	}
	if (a.crowded || b.crowded) && !slices.Equal(a.tokens, b.tokens) {
		return crowds
	}
	if miscounted(a, b) {
		return "numbers are of other things"
	}
	if !slices.Equal(a.alone, b.alone) {
		return "only is said of other things"
	}
	if missing(a, b) || missing(b, a) {
		return "names differ"
	}
	if swapped(a, b) {
		return "names have other roles"
	}
	return ""
}

// maxRotated is how many words a text has at most of which the end may stand at the beginning.
const maxRotated = 64

// retouched reports whether one text is the other but for a few words, or the same words in another
// order. Workers that did not see each other's texts do not write so; an edit of one word does.
//
// It takes its steps from a budget. Without one, it says yes, because that joins nothing.
func retouched(a, b *text, budget *int) bool {
	if slices.Equal(a.tokens, b.tokens) {
		return false
	}
	if slices.Equal(a.sorted, b.sorted) {
		return len(a.tokens) > maxRotated || !rotated(a, b)
	}
	few := min(max(2, min(len(a.tokens), len(b.tokens))/8), 8)
	if !similar(a.sorted, b.sorted, 2*few) {
		return false
	}
	*budget -= len(a.tokens) * (2*few + 1)
	return *budget < 0 || edits(a.tokens, b.tokens, few)
}

// rotated reports whether the end of one text stands at the beginning of the other, as in "in May,
// she won" and "she won in May". One of the two parts has to begin with a word such as "in", and
// none may begin or end with one such as "only", which says something else elsewhere.
func rotated(a, b *text) bool {
	n := len(a.tokens)
	for cut := 1; cut < n; cut++ {
		leading := a.seams[0] == leads || a.seams[cut] == leads
		if focus := a.seams[0] == focuses || a.seams[cut-1] == focuses || a.seams[cut] == focuses || a.seams[n-1] == focuses; !leading || focus {
			continue
		}
		if slices.Equal(a.tokens[cut:], b.tokens[:n-cut]) && slices.Equal(a.tokens[:cut], b.tokens[n-cut:]) {
			return true
		}
	}
	return false
}

// similar reports whether two sorted lists differ in at most so many elements.
func similar(a, b []uint32, most int) bool {
	i, j := 0, 0
	for i < len(a) && j < len(b) && most >= 0 {
		switch {
		case a[i] == b[j]:
			i, j = i+1, j+1
		case a[i] < b[j]:
			i, most = i+1, most-1
		default:
			j, most = j+1, most-1
		}
	}
	return len(a)-i+len(b)-j <= most
}

// edits reports whether at most so many words have to be put in, taken out or replaced.
func edits(a, b []uint32, most int) bool {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return false
	}
	far := most + 1
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = min(j, far)
	}
	for i, x := range a {
		low, high := max(1, i+1-most), min(len(b), i+1+most)
		before := row[low-1]
		row[low-1] = far
		if low == 1 {
			row[0] = min(i+1, far)
		}
		least := row[low-1]
		for j := low; j <= high; j++ {
			cost := before
			if x != b[j-1] {
				above := far
				if j < i+1+most || j == len(b) && j <= i+most {
					above = row[j]
				}
				cost = 1 + min(before, above, row[j-1])
			}
			before, row[j] = row[j], min(cost, far)
			least = min(least, row[j])
		}
		if least >= far {
			return false
		}
	}
	return row[len(b)] <= most
}

// missing reports whether a text has a name that another has not. The word that begins a text may
// stand for another form of a word that both have, such as "approval" for "approved".
func missing(a, b *text) bool {
	for _, n := range a.names {
		if b.words[n] || b.words[stem(n)] {
			continue
		}
		if n != a.opening || len(n) < 6 || !begins(b.words, n[:5]) {
			return true
		}
	}
	return false
}

func begins(words map[string]bool, with string) bool {
	for w := range words {
		if strings.HasPrefix(w, with) {
			return true
		}
	}
	return false
}

// swapped compares the order of the names that both texts have. It may be reversed if one text says
// what the other says in the passive or with "of".
func swapped(a, b *text) bool {
	common := slices.DeleteFunc(slices.Clone(a.names), func(n string) bool { return !slices.Contains(b.names, n) })
	if len(common) < 2 {
		return false
	}
	other := slices.DeleteFunc(slices.Clone(b.names), func(n string) bool { return !slices.Contains(common, n) })
	if slices.Equal(common, other) {
		return len(common) == 2 && a.inverted != b.inverted
	}
	return len(common) > 2 || a.inverted == b.inverted
}
