package generator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
)

// library has reports that say different things about places.
type library struct {
	reports []report
	asked   []string // places
	first   bool     // the earliest report counts
	drafts  bool     // drafts count
}

type report struct {
	on    date
	draft bool
	says  map[string]string // of each place, a sentence
	order []string
}

var sights = strings.Fields("Torvik Bellmere Ashford Quint Lowmoor Sankt-Elm Varna-Nord Orsay-Port Tarn Kilbride Mossley Dunmore")

func drawLibrary(d *dice, l level) (twins, error) {
	a := library{first: d.chance(50), drafts: d.chance(50)}
	places := some(d, sights, d.from(3, 4))
	a.asked = places[:2]
	year := d.from(2015, 2022)
	pattern := pick(d, "The bridge at %s is %d metres long.", "%s has %d inhabitants.", "The tower of %s is %d metres high.", "The library of %s owns %d books.")
	number := d.from(100, 9_000)
	for i := range min(rows(d, l, 3, 5), mostRows) {
		r := report{on: date{year + i/12, i%12 + 1, d.from(1, monthDays)}, draft: d.chance(25), says: map[string]string{}, order: some(d, places, len(places))}
		for _, p := range places {
			number += d.from(1, 40)
			r.says[p] = fmt.Sprintf(pattern, p, number)
		}
		a.reports = append(a.reports, r)
	}
	last := len(a.reports) - 1
	a.reports[0].draft, a.reports[last].draft = false, false
	b := a
	b.reports = slices.Clone(a.reports)
	why := [2]string{}
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0: // one report says something else
		at := last
		if a.first {
			at = 0
		}
		says := map[string]string{}
		for _, p := range places {
			says[p] = fmt.Sprintf(pattern, p, number+d.from(50, 90))
		}
		for _, p := range places[1:] {
			says[p] = a.reports[at].says[p]
		}
		b.reports[at].says = says
		why = [2]string{fmt.Sprintf("report %d says: %s", at+1, a.reports[at].says[places[0]]), fmt.Sprintf("report %d says: %s", at+1, says[places[0]])}
	case 1: // two reports exchange their days
		b.reports[0].on, b.reports[last].on = a.reports[last].on, a.reports[0].on
		why = [2]string{fmt.Sprintf("report 1 is of %s", a.reports[0].on), fmt.Sprintf("report 1 is of %s", b.reports[0].on)}
	case 2:
		a.first, b.first = true, false
		why = [2]string{"the earliest report counts", "the latest report counts"}
	case 3: // drafts
		a.first, b.first = false, false
		a.reports[last].draft, b.reports[last].draft = true, true
		a.drafts, b.drafts = true, false
		why = [2]string{"drafts count", "drafts do not count"}
	}
	v := d.voice()
	f := [4]string{v.name("{answers|citations|findings|statements}"), v.name("{quote|quotation|sentence}"), v.name("{report|source|number}"), v.name("{reports|sources_count|read}")}
	return twins{
		sides: [2]side{a.side(v, f, why[0]), b.side(v, f, why[1])}, topic: f[0],
		aside:  []string{fmt.Sprintf("there are %d reports", len(a.reports)), "the quotations are word for word"},
		fields: []field{{f[0], fmt.Sprintf(`[{%q:"string",%q:"integer"}]`, f[1], f[2])}, {f[3], `"integer"`}},
	}, nil
}

// counts returns the report that counts.
func (s library) counts() int {
	best := -1
	for i, r := range s.reports {
		if r.draft && !s.drafts {
			continue
		}
		if best < 0 || (r.on.number() < s.reports[best].on.number()) == s.first {
			best = i
		}
	}
	return best
}

func (s library) side(v voice, f [4]string, why string) side {
	var text []string
	for i, r := range s.reports {
		state := "final"
		if r.draft {
			state = "draft"
		}
		body := []string{}
		for _, p := range r.order {
			body = append(body, r.says[p])
		}
		text = append(text, fmt.Sprintf("[%d] %s (%s). %s", i+1, r.on, state, strings.Join(body, " ")))
	}
	n := s.counts()
	out := []any{}
	for _, p := range s.asked {
		out = append(out, object{f[1]: s.reports[n].says[p], f[2]: n + 1})
	}
	which, drafts := "{the latest|the newest}", "{Drafts do not count|Leave drafts out|A draft is no report}"
	if s.first {
		which = "{the earliest|the oldest}"
	}
	if s.drafts {
		drafts = "{Drafts count as final reports do|A draft counts, too}"
	}
	return side{
		instruction: []string{
			v.say("{What do the reports say about $1 and, second, about $2?|Write down what the reports say about $1, and then about $2.} {Answer in $3|Give $3}: {for each place|for both places, in this order,} {the sentence, word for word, as $4, and the number of its report as $5|$4, the sentence word for word, and $5, the number of its report}.", s.asked[0], s.asked[1], f[0], f[1], f[2]),
			v.say("{If reports differ, $1 one counts|Of several reports, take $1 one|Only $1 report counts}. ", v.say(which)) + v.say(drafts) + ".",
			v.say("{$1 is how many reports the input has, drafts included|As $1 give the number of all reports in the input, drafts too}.", f[3]),
		},
		input: []string{lines(text...)}, result: object{f[0]: out, f[3]: len(s.reports)},
		claim: fmt.Sprintf("report %d counts", n+1), reason: why,
		steps: []string{fmt.Sprintf("Find the report that counts: it is number %d.", n+1)},
		program: fmt.Sprintf(`const all = [...text.matchAll(/^\[(\d+)\] (\S+) \((\w+)\)\. (.*)$/gm)].map(m => ({n: +m[1], on: m[2], state: m[3], says: m[4].match(/[^.]+\./g).map(s => s.trim())}));
const r = all.filter(r => %[6]t || r.state === "final").sort((a, b) => (a.on < b.on ? -1 : 1) * (%[5]t ? 1 : -1))[0];
return {%[1]q: [%[7]q, %[8]q].map(p => ({%[2]q: r.says.find(s => s.includes(p)), %[3]q: r.n})), %[4]q: all.length};`, f[0], f[1], f[2], f[3], s.first, s.drafts, s.asked[0], s.asked[1]),
	}
}

// deed is a payment or a post that a data source knows.
type deed struct {
	source, id string // the field of requests
	facts      map[string]any
	name       string // by which it is found
}

func drawDeed(d *dice, l level) (twins, error) {
	post := d.chance(40)
	id := func() string {
		sum := sha256.Sum256([]byte(fmt.Sprint(d.word())))
		return hex.EncodeToString(sum[:10])
	}
	a := deed{source: pick(d, "chain.tx", "ledger.transactions"), id: "signature", name: id(), facts: map[string]any{
		"to": id(), "lamports": 1000 * d.from(10, 900_000), "memo": fmt.Sprintf("%s-%d", pick(d, "INV", "ORDER", "REF"), d.from(1000, 99_999)), "status": "finalized",
	}}
	change, subtle := []string{"to", "lamports"}, []string{"memo", "lamports"}
	if post {
		a = deed{source: pick(d, "site.post", "feed.items"), id: "post", name: id(), facts: map[string]any{
			"author": strings.ToLower(strings.ReplaceAll(d.person(), " ", "_")), "text": fmt.Sprintf("%s opens on %s, %d seats.", pick(d, sights...), d.date(), d.from(20, 900)), "place": pick(d, "front page", "news", "archive"),
		}}
		change, subtle = []string{"author", "text"}, []string{"text", "place"}
	}
	if l.subtle {
		change = subtle
	}
	b := a
	b.name, b.facts = id(), map[string]any{}
	for k, v := range a.facts {
		b.facts[k] = v
	}
	what := pick(d, change...)
	switch v := a.facts[what].(type) {
	case int:
		b.facts[what] = v + pick(d, 1000, 10_000)
	case string:
		at := strings.LastIndexAny(v, "0123456789")
		switch {
		case what == "place":
			a.facts[what], b.facts[what] = "news", "archive"
		case at >= 0:
			b.facts[what] = v[:at] + string(rune('0'+(v[at]-'0'+byte(d.from(1, 9)))%10)) + v[at+1:]
		default:
			b.facts[what] = v + "_" + strings.ToLower(pick(d, familyNames...))
		}
	}
	v := d.voice()
	f := [2]string{v.name("{" + a.id + "|id|reference|proof}"), v.name("{source|where|system}")}
	replies := []reply{}
	for _, one := range []deed{a, b} {
		content := object{}
		for k, v := range one.facts {
			content[k] = v
		}
		replies = append(replies, reply{source: one.source, request: object{one.id: one.name}, content: content})
	}
	if d.chance(50) {
		slices.Reverse(replies)
	}
	return twins{
		sides: [2]side{a.side(v, f, what, replies), b.side(v, f, what, replies)}, topic: f[0],
		aside:  []string{"the source is " + a.source, a.source + " answers"},
		fields: []field{{f[0], `"string"`}, {f[1], `"string"`}},
	}, nil
}

func (a deed) side(v voice, f [2]string, what string, replies []reply) side {
	var asks string
	if a.id == "post" {
		asks = v.say("{Publish|Post|Have published} \"$1\" {as|under the name of} $2, {at the place|on the page called} \"$3\"", a.facts["text"], a.facts["author"], a.facts["place"])
	} else {
		asks = v.say("{Pay|Send|Transfer} $1 lamports to $2 with the memo $3{, and wait until it is finalized|; it has to be finalized}", a.facts["lamports"], a.facts["to"], a.facts["memo"])
	}
	out := side{
		instruction: []string{
			asks + ". " + v.say("{Return its $1 as $2|$2 is its $1|Give us the $1 as $2}, {and the name of the source as $3|and as $3 the name of the source}.", a.id, f[0], f[1]),
			v.say("{The source $1 takes {\"$2\": …} and says what it is|$1 answers to {\"$2\": …}|Ask $1 with {\"$2\": …} to see it}.", a.source, a.id),
		},
		input: []string{v.say("{Order|Job|Work order} ") + a.source}, result: object{f[0]: a.name, f[1]: a.source}, replies: replies,
		claim: v.claim(f[0], a.name), reason: fmt.Sprintf("%s of %s is %v", what, a.name, a.facts[what]),
		steps: []string{fmt.Sprintf("Ask %s for %s and compare.", a.source, a.name)},
	}
	for _, name := range sortedKeys(a.facts) {
		out.checks = append(out.checks, casefile.Check{
			Path: "/" + name, Equals: quoteAny(a.facts[name]),
			Data: &casefile.Lookup{Source: a.source, Request: json.RawMessage("{}"), FromResult: map[string]string{a.id: "/" + f[0]}},
		})
	}
	out.checks = append(out.checks, casefile.Check{Path: "/" + f[1], Equals: quoteAny(a.source)})
	return out
}

// sortedKeys returns the names of facts in their order.
func sortedKeys(facts map[string]any) (names []string) {
	for name := range facts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
