package console

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/node/market"
)

// wish is what a reader looks for in the market. Its empty fields fit all.
type wish struct {
	words  string
	state  string // of stages
	by     string // of deciders
	source string // name
	sol    string // the least reward, as it was written
	least  uint64 // lamports
	odd    bool   // sol is no amount
}

// The limits of a search.
const (
	maxWords   = 200 // bytes of each field
	maxChoices = 100 // sources to choose from
)

// deciders are who may decide a dispute about a task.
func deciders() []choice {
	return []choice{{Value: "court", Name: "judges of this court"}, {Value: "engine", Name: "an engine that the creator names"}}
}

// wishOf reads a query. What it does not know fits all.
func wishOf(query url.Values) wish {
	field := func(name string) string {
		text := query.Get(name)
		return strings.ToValidUTF8(text[:min(len(text), maxWords)], "")
	}
	w := wish{words: field("q"), state: field("state"), by: field("by"), source: field("source"), sol: strings.TrimSpace(field("least"))}
	if !slices.ContainsFunc(stages(), func(s stageOfTask) bool { return s.value == w.state }) {
		w.state = ""
	}
	if !slices.ContainsFunc(deciders(), func(c choice) bool { return c.Value == w.by }) {
		w.by = ""
	}
	if w.sol != "" {
		n, err := onchain.ParseSOL(strings.TrimSuffix(strings.ToLower(w.sol), "sol") + "sol")
		w.least, w.odd = n, err != nil
	}
	return w
}

// fits reports whether a reader looks for an offer.
func (w wish) fits(o market.Listing) bool {
	engine := !o.Terms.Engine.IsZero()
	return (w.state == "" || stageAt(o.Terms).value == w.state) && (w.by == "" || (w.by == "engine") == engine) &&
		(w.source == "" || slices.Contains(o.Sources, w.source)) && o.Price >= w.least && o.Has(w.words)
}

// query returns the wish as the query of an address.
func (w wish) query() map[string]string {
	out := map[string]string{"q": w.words, "state": w.state, "by": w.by, "source": w.source, "least": w.sol}
	maps.DeleteFunc(out, func(_, value string) bool { return value == "" })
	return out
}

// ask fills in the form: what was asked for, and what can be.
func (p *marketPage) ask(w wish, m market.Market) {
	p.Words, p.Least, p.Odd = picture.Line(w.words), picture.Line(w.sol), w.odd
	p.Narrowed = w.words+w.state+w.by+w.source+w.sol != ""
	for _, s := range stages() {
		p.States = append(p.States, choice{s.value, s.name, s.value == w.state})
	}
	for _, d := range deciders() {
		d.Chosen = d.Value == w.by
		p.Deciders = append(p.Deciders, d)
	}
	named := map[string]bool{}
	for _, o := range m.Offers {
		for _, s := range o.Sources {
			named[s] = true
		}
	}
	all := slices.Sorted(maps.Keys(named))
	for _, s := range all[:min(len(all), maxChoices)] {
		p.Sources = append(p.Sources, choice{s, picture.Line(s), s == w.source})
	}
	if w.source != "" && !slices.ContainsFunc(p.Sources, func(c choice) bool { return c.Chosen }) {
		p.Sources = append(p.Sources, choice{w.source, picture.Line(w.source), true})
	}
}
