package guide

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ojud/casefile/demand"
	"ojud/schema/pointer"
)

var (
	// identity is how members that name an item are called.
	identity = regexp.MustCompile(`(?i)^(id|key|sku|isbn|uuid)$`)
	// address is how members with an address are called.
	address = regexp.MustCompile(`(?i)^(url|link|href|.*_url)$`)
	// isoDate is how instructions speak of the form of dates.
	isoDate = regexp.MustCompile(`(?i)YYYY-MM-DD|ISO 8601|RFC 3339`)
	// strict is how instructions say that nothing may be added.
	strict = regexp.MustCompile(`(?i)\b(use|uses|name|take) only what\b|\bdo not (invent|make up)\b`)
)

func (g *guide) unique(p place) {
	if p.list && identity.MatchString(p.name) {
		g.propose(p, demand.Demands{Unique: &demand.Unique{By: p.by}}, fmt.Sprintf("%q names an item, so no two items should have the same", p.name))
	}
}

// sorted looks for an order in the instruction: "by date", "in the order of their dates".
func (g *guide) sorted(p place) {
	if !p.list || p.name == "" {
		return
	}
	asked := `(?:sorted|ordered|sort|order)` // without the word, an example has to show the order
	if g.shown {
		asked += "?"
	}
	order := regexp.MustCompile(`(?i)\b` + asked + `\s*(?:by|in(?: the)? order of)(?: the| their| its)? ` + regexp.QuoteMeta(p.name) + `s?\b`)
	down := regexp.MustCompile(`(?i)\b(descending|newest first|latest first|largest first|highest first)\b`)
	for _, text := range g.task.Instruction {
		if order.MatchString(text) {
			g.propose(p, demand.Demands{Sorted: &demand.Sorted{By: p.by, Descending: down.MatchString(text)}}, fmt.Sprintf("the instruction says %q", strings.TrimSpace(order.FindString(text))))
			return
		}
	}
}

// set looks for a list of the same things in the input.
func (g *guide) set(p place) {
	if !p.list {
		return
	}
	for _, l := range g.inputs() {
		alike := strings.EqualFold(l.name, p.name) || strings.EqualFold(l.name, p.name+"s")
		if !alike || !identity.MatchString(p.name) && !g.shown {
			continue
		}
		from := l.path
		relation := demand.Subset // the work may be to choose some
		if g.shown {
			relation = demand.Equal
		}
		g.propose(p, demand.Demands{Set: &demand.Set{Relation: relation, By: p.by, From: &from, FromBy: l.by}},
			fmt.Sprintf("the input lists the same things at %q; use \"equal\" if the result has to have all of them, and \"subset\" if it may leave some out", from))
		return
	}
}

// inputs are the lists of the task's input.
func (g *guide) inputs() (out []place) {
	const most = 200
	task, _ := g.papers.Task.(map[string]any)
	var walk func(v any, path, name string, depth int)
	walk = func(v any, path, name string, depth int) {
		if depth > maxDepth || len(out) > most {
			return
		}
		switch v := v.(type) {
		case []any:
			for _, p := range places(shapeOf(v, maxDepth-1), path, []string{name}) {
				if p.list {
					out = append(out, p)
				}
			}
			for i, item := range v[:min(len(v), most)] {
				walk(item, path+"/"+strconv.Itoa(i), "", depth+1)
			}
		case map[string]any:
			for _, m := range slices.Sorted(maps.Keys(v)) {
				walk(v[m], string(pointer.Append([]byte(path), m)), m, depth+1)
			}
		}
	}
	walk(task["input_data"], "/input_data", "input_data", 0)
	return out
}

// dates proposes that a date is one. The bounds are the creator's to set: an example shows some of
// the dates that are right.
func (g *guide) dates(p place) {
	if p.kind != "string" {
		return
	}
	bounds := demand.Dates{Min: "0001-01-01", Max: "9999-12-31"}
	formatted := p.format == "date" || p.format == "date-time"
	named := strings.Contains(strings.ToLower(p.name), "date") && slices.ContainsFunc(g.task.Instruction, isoDate.MatchString)
	if len(p.values) > 0 {
		for _, v := range p.values {
			text, _ := v.(string)
			if _, _, ok := demand.Date(text); !ok {
				return
			}
		}
	} else if !formatted && !named {
		return
	}
	g.propose(p, demand.Demands{Dates: &bounds}, fmt.Sprintf("%q is a date; set the bounds that you mean", p.name))
}

func (g *guide) url(p place) {
	text := func(v any) bool {
		s, _ := v.(string)
		return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
	}
	all := len(p.values) > 0 && !slices.ContainsFunc(p.values, func(v any) bool { return !text(v) })
	if p.kind == "string" && (all || !g.shown && (p.format == "uri" || address.MatchString(p.name))) {
		g.propose(p, demand.Demands{URL: &demand.URL{}}, fmt.Sprintf("%q is an address; add \"hosts\" if it has to be of certain hosts", p.name))
	}
}

var (
	wordsBetween = regexp.MustCompile(`(?i)\b(\d{1,6})(?: to |-|–)(\d{1,6}) words\b`)
	wordsMost    = regexp.MustCompile(`(?i)\b(?:at most|up to|no more than) (\d{1,6}) words\b`)
	wordsLeast   = regexp.MustCompile(`(?i)\b(?:at least|no fewer than|no less than) (\d{1,6}) words\b`)
)

// words looks for a sentence of the instruction that names the place and bounds its words.
func (g *guide) words(p place) {
	if p.kind != "string" {
		return
	}
	for _, text := range g.task.Instruction {
		for sentence := range strings.SplitSeq(text, ". ") {
			var w demand.Words
			if m := wordsBetween.FindStringSubmatch(sentence); m != nil {
				w.Min, w.Max = number(m[1]), number(m[2])
			} else {
				if m := wordsMost.FindStringSubmatch(sentence); m != nil {
					w.Max = number(m[1])
				}
				if m := wordsLeast.FindStringSubmatch(sentence); m != nil {
					w.Min = number(m[1])
				}
			}
			named := p.name != "" && regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(p.name)+`s?\b`).MatchString(sentence)
			if (w.Min != nil || w.Max != nil) && named {
				g.propose(p, demand.Demands{Words: &w}, "the instruction bounds the words of "+strconv.Quote(p.name))
				return
			}
		}
	}
}

func number(digits string) *uint64 {
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return nil
	}
	return &n
}

// grounded proposes the kinds of things that the example takes from the input alone. Without an
// example, only quotations, and only if the instruction forbids anything else: numbers may be
// computed, and code cannot tell names from other words with a capital letter.
func (g *guide) grounded() {
	if len(g.task.InputData) == 0 || !g.shown && !slices.ContainsFunc(g.task.Instruction, strict.MatchString) {
		return
	}
	for _, what := range []demand.Named{demand.Numbers, demand.Names, demand.Quotes} {
		if what != demand.Quotes && !g.shown {
			continue
		}
		g.propose(place{}, demand.Demands{Grounded: &demand.Grounded{In: []string{"/input_data"}, What: []demand.Named{what}}},
			fmt.Sprintf("the %s of the result should stand in the input", what))
	}
}
