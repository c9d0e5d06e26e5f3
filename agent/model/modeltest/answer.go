package modeltest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// decided is an item of an answer, as judges ask for it.
type decided struct {
	ID       string   `json:"id"`
	Reason   string   `json:"reason"`
	Evidence []string `json:"evidence"`
	Met      string   `json:"met"`
}

// answer returns a plausible answer: it satisfies the schema, and equal questions get equal
// answers. Personas disagree. Those for facts and provenance say that a requirement is not met,
// those for fairness are unclear, all others say that it is met. Each quotes a line of the result.
// Of the 28 shipped personas 17 say yes, 8 no and 3 unclear.
func answer(q question) string {
	items := q.Items()
	switch {
	case q.action:
		return `{"thought":"nothing has to be looked up","action":"finish","result":{"done":true}}`
	case len(items) == 0:
		return `{"ok":true}`
	}
	var out []decided
	for _, id := range items {
		out = append(out, q.decide(id))
	}
	return encode(map[string]any{"items": out})
}

// year finds a year.
var year = regexp.MustCompile(`\b(19|20)\d\d\b`)

// knows answers by what a model knows of one bridge, whatever its persona is.
func knows(q question) string {
	items, lines := q.Items(), q.Result()
	if q.action || len(items) == 0 || len(lines) == 0 {
		return answer(q)
	}
	d := decided{Reason: "the bridge opened in 1931, as it says", Evidence: lines[:1], Met: "yes"}
	for _, line := range lines {
		if at := year.FindString(line); at != "" && at != "1931" {
			d = decided{Reason: "the bridge opened in 1931", Evidence: []string{line}, Met: "no"}
		}
	}
	var out []decided
	for _, id := range items {
		d.ID = id
		out = append(out, d)
	}
	return encode(map[string]any{"items": out})
}

// decide returns the persona's answer about one item.
func (q question) decide(id string) decided {
	name, dimension := q.Persona()
	lines := q.Result()
	if len(lines) == 0 {
		return decided{ID: id, Reason: "nothing is shown of the result", Evidence: []string{}, Met: "unclear"}
	}
	line, wrong := lines[chosen(name+id, len(lines))], lines[len(lines)*2/3]
	if element := q.Element(id); element != "" {
		line = element
	}
	switch {
	case (dimension == "facts" || dimension == "provenance") && (q.Element(id) == "" || q.Element(id) == wrong):
		line = wrong
		return decided{id, fmt.Sprintf("%q is not what was asked for", line), []string{line}, "no"}
	case dimension == "fairness":
		return decided{id, "the words allow both readings", []string{line}, "unclear"}
	default:
		return decided{id, fmt.Sprintf("%q is what was asked for, and the other lines are like it", line), []string{line}, "yes"}
	}
}

// chosen returns one of n, the same for the same text.
func chosen(text string, n int) int {
	sum := sha256.Sum256([]byte(text))
	return int(sum[0]) % n
}

func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // texts and lists of them
	}
	return strings.TrimSpace(b.String())
}
