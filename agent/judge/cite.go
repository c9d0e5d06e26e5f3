package judge

import (
	"slices"
	"strconv"
	"strings"
)

// minQuote is the shortest quote that proves anything, in bytes: a letter stands everywhere.
const minQuote = 3

// maxCitations bounds those of one requirement that are looked at.
const maxCitations = 8

// cite checks what a model cites: the name of a fact or of an answer, or words that stand in a part which can prove something. What
// does not match is dropped: a model that makes up its evidence has none. It returns how an opinion names what is left, and whether
// that is enough: a fact alone is not, for what facts decide was decided before a model was asked.
func (d *dossier) cite(citations []string) (refs []string, enough bool) {
	for _, c := range citations[:min(len(citations), maxCitations)] {
		ref := d.named(strings.TrimSpace(c))
		if ref == "" {
			ref = d.quoted(c)
		}
		enough = enough || ref != "" && !strings.HasPrefix(ref, "finding:")
		if ref != "" && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs, enough || !d.on.quotes
}

// named resolves "F2" and "D1".
func (d *dossier) named(id string) string {
	if number, ok := strings.CutPrefix(id, "F"); ok {
		if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= len(d.facts) {
			return "finding:" + d.facts[n-1].Check
		}
	}
	if p, ok := d.find(id); ok && id[0] == 'D' {
		return p.ref
	}
	return ""
}

// quoted finds the part in which words stand. White space may differ.
func (d *dossier) quoted(words string) string {
	words, _ = visibly(words)
	words = strings.Join(strings.Fields(strings.Trim(words, "\"'“”‘’ \n\t")), " ")
	if len(words) < minQuote {
		return ""
	}
	for _, p := range d.parts {
		if p.proof && strings.Contains(strings.Join(strings.Fields(p.text), " "), words) {
			return p.ref
		}
	}
	return ""
}
