package bounds

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// OneOf returns the range of a setting that is one of some words. Outside of it, the error lists
// the words and names the nearest one. An empty word is allowed if it is in the list.
func OneOf(name, value string, words ...string) Range {
	var list []string
	for _, w := range words {
		list = append(list, strconv.Quote(w))
	}
	last := len(list) - 1
	limits := strings.Join(list[:last], ", ") + " or " + list[last]
	if best := Nearest(value, words); best != "" {
		limits += fmt.Sprintf("; did you mean %q?", best)
	}
	return Range{name, fmt.Sprintf("%.40q", value), limits, slices.Contains(words, value)}
}

// Nearest returns the word that needs the fewest edits, or nothing if all need too many.
func Nearest(word string, known []string) string {
	best, distance := "", len(word)/2+1
	for _, k := range known {
		if d := Edits(word, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// longest bounds the words that Edits compares. All names of settings and fields are shorter.
const longest = 128

// Edits returns the Levenshtein distance of two words: the insertions, deletions and changes of
// bytes that make b of a. A word that is too long is far from everything.
func Edits(a, b string) int {
	if len(a) > longest {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
