package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ojud/agent"
	"ojud/agent/judge/prose"
	"ojud/agent/judge/sheet"
	"ojud/casefile"
	"ojud/casefile/canon"
)

// word is a model's answer about a requirement.
type word string

const (
	yes     word = "yes"
	no      word = "no"
	unclear word = "unclear"
)

// said is one sample of one item.
type said struct {
	word    word
	reason  string
	refs    []string // citations that match
	swapped bool
	vague   bool // the model itself says that it is unclear
}

// poll has the samples of each item, by its id.
type poll map[string][]said

// answer is the form of a model's answer.
type answer struct {
	Items []line `json:"items"`
}

type line struct {
	ID       string   `json:"id"`
	Reason   string   `json:"reason"`
	Evidence []string `json:"evidence"`
	Met      word     `json:"met"`
}

// maxAnswer bounds an answer of a model, in bytes.
const maxAnswer = 256 << 10

// decodeAnswer reads a model's answer: an object with these fields, about these items. Small models
// name one item twice and forget another. Only the items that it names once are returned.
func decodeAnswer(text string, items []item) (answer, error) {
	if len(text) > maxAnswer {
		return answer{}, fmt.Errorf("%w: %d bytes", agent.ErrGarbled, len(text))
	}
	canonical, err := canon.JSON([]byte(strings.TrimSpace(text)), maxAnswer)
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", agent.ErrGarbled, err)
	}
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.DisallowUnknownFields()
	var a answer
	if err := d.Decode(&a); err != nil {
		return answer{}, fmt.Errorf("%w: %w", agent.ErrGarbled, err)
	}
	count := map[string]int{}
	for _, i := range a.Items {
		if !slices.ContainsFunc(items, func(it item) bool { return it.id == i.ID }) {
			return answer{}, fmt.Errorf("%w: it is about %.20q, which was not asked", agent.ErrGarbled, i.ID)
		}
		if i.Met != yes && i.Met != no && i.Met != unclear {
			return answer{}, fmt.Errorf("%w: %s is %.20q", agent.ErrGarbled, i.ID, i.Met)
		}
		count[i.ID]++
	}
	if a.Items = slices.DeleteFunc(a.Items, func(i line) bool { return count[i.ID] > 1 }); len(a.Items) == 0 {
		return answer{}, fmt.Errorf("%w: it names no item exactly once", agent.ErrGarbled)
	}
	return a, nil
}

// take counts an answer. A yes or no without matching evidence counts as unclear.
func (p poll) take(a answer, d *material, items []item, swapped bool) {
	for _, i := range a.Items {
		s := said{word: i.Met, reason: prose.OneLine(i.Reason, 300), swapped: swapped, vague: i.Met == unclear}
		it := items[slices.IndexFunc(items, func(it item) bool { return it.id == i.ID })]
		var enough bool
		if s.refs, enough = d.cite(i.Evidence, it, i.Met); s.word != unclear && !enough {
			s.word, s.reason = unclear, "(what it cites does not stand in the material) "+s.reason
		}
		p[i.ID] = append(p[i.ID], s)
	}
}

// settled is the result of all samples of an item.
type settled struct {
	outcome casefile.CheckOutcome
	flip    bool
	both    bool // both orders of the sides were asked
	met     int  // samples that say yes
	open    int  // samples that are unclear
	vague   int  // samples of which the model says so itself
	agree   int  // samples that agree with the result
	of      int
	said    said // one of them
	why     string
}

// settle decides an item. Enough samples in both orders of the sides must agree. If there are some,
// those that are missing to least count as unclear.
func (p poll) settle(id string, agreement float64, least int) settled {
	count := map[bool]map[word]int{false: {}, true: {}}
	samples := p[id]
	out := settled{outcome: casefile.Unknown, of: len(samples)}
	for _, s := range samples {
		count[s.swapped][s.word]++
		if s.vague {
			out.vague++
		}
	}
	leads := func(swapped bool) word {
		c := count[swapped]
		switch {
		case c[yes] > c[no] && c[yes] >= c[unclear]:
			return yes
		case c[no] > c[yes] && c[no] >= c[unclear]:
			return no
		}
		return unclear
	}
	first, second := leads(false), leads(true)
	out.flip = first != second && first != unclear && second != unclear
	total := map[word]int{yes: count[false][yes] + count[true][yes], no: count[false][no] + count[true][no]}
	best := yes
	if total[no] > total[yes] {
		best = no
	}
	if out.of > 0 {
		out.of = max(out.of, least)
	}
	out.agree, out.met, out.open = total[best], total[yes], out.of-total[yes]-total[no]
	out.both = sum(count[false]) > 0 && sum(count[true]) > 0
	for _, s := range samples {
		if s.word == best || out.said.word == "" {
			out.said = s
			if s.word == best {
				break
			}
		}
	}
	switch {
	case !out.both:
		out.why = "the model answered in one order of the sides at most"
	case out.flip:
		out.why = "it depends on whose side is shown first"
	case float64(out.agree) < agreement*float64(out.of) || total[best] == 0 || total[yes] == total[no]:
		out.why = "too few samples agree"
	default:
		out.outcome = map[word]casefile.CheckOutcome{yes: casefile.Pass, no: casefile.Fail}[best]
	}
	return out
}

// fold returns the result of a requirement about several elements or with several demands, and the
// item that decided it. One fails it, if all samples say so: of ten, a model errs about one more
// often. It is met if each is. An element that may not be meant fails nothing, unless none is right
// and the whole is not. One that is unclear, such as a closing line, is not meant if all samples
// say that the whole is met. Of open ones, the first with an answer decides.
func fold(all []settled, items []item) (out settled, which int) {
	for i, s := range all {
		agreed := s.outcome == casefile.Fail && s.agree == s.of
		switch {
		case items[i].unsure && 2*s.vague > s.of && s.missed() == 0 && wholeMet(all, items, items[i].part):
			continue
		case s.outcome == casefile.Pass && items[i].partly:
			s.outcome, s.why = casefile.Unknown, "there are too many elements to ask about each"
		case len(all) == 1 && !items[i].partly:
		case s.outcome == casefile.Fail && items[i].unsure:
			s.outcome, s.why = casefile.Unknown, "this element may not be meant"
		case agreed, s.outcome == casefile.Fail && items[i].whole && allRefused(all, items, items[i].part):
			return s, i
		case s.outcome == casefile.Fail:
			s.outcome, s.why = casefile.Unknown, "not all samples agree"
		}
		if i == 0 || out.outcome == casefile.Pass || out.of == 0 && s.of > 0 && s.outcome != casefile.Pass {
			out, which = s, i
		}
	}
	return out, which
}

// wholeMet reports whether all samples say that a demand is met by the whole result.
func wholeMet(all []settled, items []item, part string) bool {
	i := slices.IndexFunc(items, func(it item) bool { return it.whole && it.part == part })
	return i >= 0 && all[i].outcome == casefile.Pass && all[i].agree == all[i].of
}

// allRefused reports whether all samples say no to each element that a demand is asked about.
func allRefused(all []settled, items []item, part string) bool {
	some := false
	for i, s := range all {
		if items[i].of == 0 || items[i].part != part {
			continue
		}
		if s.outcome != casefile.Fail || s.agree != s.of {
			return false
		}
		some = true
	}
	return some
}

// sure returns the share of samples that say yes. An unclear sample counts one half.
func (s settled) sure() float64 { return (float64(s.met) + float64(s.open)/2) / float64(s.of) }

// missed returns how many samples say no.
func (s settled) missed() int { return s.of - s.met - s.open }

func sum(c map[word]int) (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// maxCitations bounds the citations of one requirement.
const maxCitations = 8

// minQuotes is the number of different quotes that a yes about several things needs if code cannot
// tell these apart.
const minQuotes = 3

// cite checks a model's citations: names of facts or answers, and words from parts that can prove
// something. It drops those that do not match, so that a model cannot make up evidence. It returns
// how an opinion names the others, and whether they suffice for an answer about an item: data, or
// words of the result, and of the element if the item is about one. Facts and the task's input
// alone do not, because code has decided what facts prove, and the input is the same whatever the
// worker did.
func (d *material) cite(citations []string, it item, answer word) (refs []string, enough bool) {
	var quotes []string
	for _, c := range citations[:min(len(citations), maxCitations)] {
		ref := d.named(strings.TrimSpace(c))
		proves := ref != "" && !strings.HasPrefix(ref, "finding:")
		if ref == "" {
			ref, proves = d.quoted(c, it)
			if quote := prose.Normal(c); proves && !slices.ContainsFunc(quotes, func(q string) bool { return strings.Contains(q, quote) || strings.Contains(quote, q) }) {
				quotes = append(quotes, quote)
			}
		}
		enough = enough || proves
		if ref != "" && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	if it.several && answer == yes && len(quotes) < minQuotes {
		enough = false
	}
	return refs, enough || !d.on.quotes
}

func (d *material) named(id string) string {
	if number, ok := strings.CutPrefix(id, "F"); ok {
		if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= len(d.facts) {
			return "finding:" + d.facts[n-1].Check
		}
	}
	if p, ok := d.find(id); ok && (p.proof && id[0] == 'D' || id[0] == 'C') {
		return p.ref
	}
	return ""
}

// quoted returns the part that contains some words, and whether that proves something about an
// item. White space and fonts may differ.
func (d *material) quoted(words string, it item) (ref string, proves bool) {
	words = prose.Normal(strings.Trim(words, "\"'“”‘’ \n\t"))
	if words == "" {
		return "", false
	}
	for _, p := range d.parts {
		switch {
		case !p.proof || !sheet.Has(p.text, words):
		case p.id == "result" && it.of > 0:
			if sheet.Has(it.element, words) {
				return p.ref, true
			}
			ref = p.ref
		case p.id == "result", p.id[0] == 'D':
			return p.ref, true
		case ref == "":
			ref = p.ref
		}
	}
	return ref, false
}
