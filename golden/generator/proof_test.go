package generator

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/voting"
)

// paper is a task as a reader sees it. The proofs below share nothing with the generator.
type paper struct {
	t     *testing.T
	asks  string   // all instructions
	lines []string // of the document
}

// find returns the groups of a pattern in the instructions.
func (p paper) find(pattern string) []string {
	p.t.Helper()
	g := regexp.MustCompile(pattern).FindStringSubmatch(p.asks)
	if g == nil {
		p.t.Fatalf("no %s in %s", pattern, p.asks)
	}
	return g[1:]
}

func (p paper) number(text string) int {
	p.t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// money reads an amount in cents.
func (p paper) money(text string) int {
	p.t.Helper()
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return int(math.Round(v * 100))
}

// has reports whether a pattern is in the instructions.
func (p paper) has(pattern string) bool { return regexp.MustCompile(pattern).MatchString(p.asks) }

// all returns the first group of every match in the instructions.
func (p paper) all(pattern string) (out []string) {
	for _, g := range regexp.MustCompile(pattern).FindAllStringSubmatch(p.asks, -1) {
		out = append(out, g[1])
	}
	return out
}

// answers solve the documents, by template. They return values, because tasks call them as they
// like.
var answers = map[string]func(p paper) []any{
	"ledger": func(p paper) []any {
		category, status := p.find(`\b(travel|office|freight|software|training|repairs|rent|catering|insurance|postage)\b`)[0], p.find(`\b(paid|pending)\b`)[0]
		days := p.all(`(\d{4}-\d\d-\d\d)`)
		sum, n := 0, 0
		for _, line := range p.lines[2:] {
			f := regexp.MustCompile(` \| |; ?|\t|, `).Split(line, -1)
			cents := p.money(f[4])
			last := f[0] == days[1] && p.has(`not included|without the last|excluded|does not count`)
			if f[2] != category || f[3] != status || f[0] < days[0] || f[0] > days[1] || last || cents < 0 && p.has(`leave it out|skip them|Ignore negative|not part of`) {
				continue
			}
			sum, n = sum+cents, n+1
		}
		return []any{sum, n}
	},
	"bill": func(p paper) []any {
		percents := p.all(`(\d+) %`)
		rate, less := map[string]int{"A": p.number(percents[0]), "B": p.number(percents[1])}, p.number(percents[2])
		net, tax, exact := 0, 0, map[string]int{}
		for _, line := range p.lines[1:] {
			g := regexp.MustCompile(`(\d+)(?: x | pcs at |; )([\d.]+)(?:, class | \[|; | \()(\w)[\])]?$`).FindStringSubmatch(line)
			price := p.number(g[1]) * p.money(g[2])
			if p.has(`on all lines|Every line|All lines`) || g[3] == "A" {
				price = int(math.Ceil(float64(price*(100-less)) / 100))
			}
			net, tax, exact[g[3]] = net+price, tax+price*rate[g[3]]/100, exact[g[3]]+price*rate[g[3]]
		}
		if p.has(`for the sum of each class|Add up each class|once for each class`) {
			tax = exact["A"]/100 + exact["B"]/100
		}
		return []any{net, tax, net + tax}
	},
	"shifts": func(p paper) []any {
		who := p.find(`(?:paid to|minutes is|minutes of|for which) (\w+ \w+)`)[0]
		long, sum := 0, 0
		minutes := p.all(`(\d+) minutes`)
		limit, bonus := p.number(minutes[0]), p.number(minutes[1])
		at := func(text string) int {
			h, m, _ := strings.Cut(text, ":")
			return 60*p.number(h) + p.number(m)
		}
		for _, line := range p.lines[2:] {
			f := regexp.MustCompile(`, |; | / `).Split(line, -1)
			if f[1] != who {
				continue
			}
			worked := at(f[3]) - at(f[2])
			if worked > limit || worked == limit && p.has(`at least|no less than|as long as or`) {
				long++
				sum += bonus
			}
			if sum += worked; p.has(`not paid|Take the breaks off|no working time|Subtract breaks`) {
				sum -= p.number(f[4])
			}
		}
		return []any{who, sum, long}
	},
	"parcels": func(p paper) []any {
		bands := regexp.MustCompile(`(?:below|under|less than) (\d+) g ([\d.]+);`).FindAllStringSubmatch(p.asks, -1)
		dearest := p.money(p.find(`(?:above that|heavier ones|all others) ([\d.]+)\.`)[0])
		more, many := p.number(p.find(`(\d+) %`)[0]), p.number(p.find(`(?:From|are|With) (\d+) (?:parcels|or more)`)[0])
		zone := p.find(`zone (\w+)`)[0]
		sum := 0
		for _, line := range p.lines[1:] {
			f := regexp.MustCompile(`[ ,;]+`).Split(line, -1)
			price := dearest
			for _, b := range slices.Backward(bands) {
				if limit := p.number(b[1]); p.number(f[1]) < limit || p.number(f[1]) == limit && p.has(`price below that limit|lower price|band below`) {
					price = p.money(b[2])
				}
			}
			if f[2] == zone {
				price += price * more / 100
			}
			if sum += price; len(p.lines)-1 >= many {
				sum -= 10
			}
		}
		return []any{len(p.lines) - 1, sum}
	},
	"letter": func(p paper) []any {
		text := strings.Join(p.lines, "\n")
		get := func(pattern string) string {
			p.t.Helper()
			g := regexp.MustCompile(pattern).FindStringSubmatch(text)
			if g == nil {
				p.t.Fatalf("no %s in %s", pattern, text)
			}
			return g[1]
		}
		day := func(text string) string {
			form := "01/02/2006"
			if get(`dates are (\w+)/`) == "day" {
				form = "02/01/2006"
			}
			on, err := time.Parse(form, text)
			if err != nil {
				p.t.Fatal(err)
			}
			return on.Format(time.DateOnly)
		}
		return []any{
			get(`^(?:From )?(.+?)(?: to |, for )`), get(`[iI]nvoice ([\d-]+)`), day(get(`of (\d\d/\d\d/\d+)`)), day(get(`(?:pay by|Payable by|Due on) ([\d/]+)`)),
			p.money(get(`(?:Amount of this invoice|To pay for this invoice|This invoice): (?:EUR )?(\d+\.\d\d)`)), get(`(?:answered by|questions, ask|Contact:) (\w+ \w+)`),
		}
	},
	"log": func(p paper) []any {
		path, whose := p.find(`(?:below|under) (/\w+)/`)[0], p.find(`(?:error of the|error that the|a) (server|client)`)[0]
		least := p.find(`(more than|longer than|over|at least|no less than) (\d+) ms`)
		first, equal := map[string]string{"server": "5", "client": "4"}[whose], least[0] == "at least" || least[0] == "no less than"
		ids := []string{}
		for _, line := range p.lines {
			f := regexp.MustCompile(`[ \t|]+`).Split(line, -1)
			ms := p.number(strings.TrimSuffix(f[5], "ms"))
			if strings.HasPrefix(f[3], path+"/") && f[4][:1] == first && (ms > p.number(least[1]) || ms == p.number(least[1]) && equal) {
				ids = append(ids, f[1])
			}
		}
		return []any{ids}
	},
	"thread": func(p paper) []any {
		order, said := []string{}, map[string][][]string{}
		for _, line := range p.lines {
			g := regexp.MustCompile(`^(?:Chair|Moderator|Lead|Boss): (?:agreed, (.+?): (.+), until (\S+)|(.+?) goes to (.+), by (\S+)|(.+?) does (.+), deadline (\S+)|(.+?) is for (.+), to be ready on (\S+))\.$`).FindStringSubmatch(line)
			if g == nil {
				continue
			}
			name, owner := g[1]+g[4]+g[8]+g[10], g[2]+g[5]+g[7]+g[11]
			if said[name] == nil {
				order = append(order, name)
			}
			said[name] = append(said[name], []string{name, owner, g[3] + g[6] + g[9] + g[12]})
		}
		jobs := []any{}
		for _, name := range order {
			if len(said[name]) != 2 {
				p.t.Fatalf("%d messages about %s", len(said[name]), name)
			}
			one := said[name][map[bool]int{true: 0, false: 1}[p.has(`the (first|earlier) (one|decision)|The (first|earlier) agreement`)]]
			jobs = append(jobs, map[string]any{"job": one[0], "owner": one[1], "due": one[2]})
		}
		return []any{jobs}
	},
	"contract": func(p paper) []any {
		asked, text := p.find(`(\d{4}-\d\d-\d\d)`)[0], strings.Join(p.lines, "\n")
		get := func(pattern string) string { return regexp.MustCompile(pattern).FindStringSubmatch(text)[1] }
		holds := map[string]string{"Notice": get(`Notice\. [^\n]*?(\d+) days`), "Fee": get(`Fee\. [^\n]*?EUR (\d+\.\d\d)`), "Liability": get(`Liability\. [^\n]*?EUR (\d+\.\d\d)`)}
		type change struct{ title, value, on string }
		var all []change
		for _, line := range p.lines {
			if !regexp.MustCompile(`^\(\w\) `).MatchString(line) {
				continue
			}
			group := func(pattern string) string { return regexp.MustCompile(pattern).FindStringSubmatch(line)[1] }
			all = append(all, change{group(`"(\w+)"`), group(`(?:EUR )?(\d+\.\d\d|\d+ days)`), group(`(\d{4}-\d\d-\d\d)`)})
		}
		if len(all) != 4 {
			p.t.Fatalf("%d amendments", len(all))
		}
		days := map[string]bool{}
		for _, m := range all {
			if days[m.on] {
				p.t.Fatal("two amendments of one day")
			}
			days[m.on] = true
		}
		slices.SortFunc(all, func(a, b change) int { return strings.Compare(a.on, b.on) })
		for _, m := range all {
			if m.on < asked || m.on == asked && p.has(`already|very day`) {
				holds[m.title] = strings.TrimSuffix(m.value, " days")
			}
		}
		parties := regexp.MustCompile(`^(?:Agreement between (.+) \(provider\) and (.+) \(customer\)|Contract\. Provider: (.+)\. Customer: (.+)\.|Service agreement of (.+), provider, with (.+), customer)$`).FindStringSubmatch(p.lines[0])
		return []any{parties[1] + parties[3] + parties[5], parties[2] + parties[4] + parties[6], p.number(holds["Notice"]), p.money(holds["Fee"]), p.money(holds["Liability"])}
	},
}

// TestProofs solves documents again from their text, and comes to the same answers.
func TestProofs(t *testing.T) {
	seen := map[string]int{}
	for _, s := range sources()[:2] {
		for i := range 1500 {
			d, err := s.Make(seedOf("proofs", i))
			if err != nil {
				t.Fatal(err)
			}
			var task casefile.Task
			var result map[string]any
			if json.Unmarshal(d.Task, &task) != nil || json.Unmarshal(d.Result, &result) != nil {
				t.Fatal("not readable")
			}
			asks := strings.Join(task.Instruction, " ")
			for name := range result {
				if regexp.MustCompile(`^(notes?|remarks?|comments?|hint|message)$`).MatchString(name) {
					delete(result, name)
				} else if !strings.Contains(asks, name) {
					t.Fatalf("%s %d: the task does not speak of %q: %s", d.Template, i, name, asks)
				}
			}
			want := answers[d.Template](paper{t: t, asks: asks, lines: document(t, task)})
			a, b := bare(want), bare(slices.Collect(maps.Values(result)))
			if choice := map[bool]voting.Choice{true: voting.Accept, false: voting.Reject}[a == b]; choice != d.Answer {
				t.Fatalf("%s %d: the generator says %s\n%s\n%s\n%s", d.Template, i, d.Answer, d.Task, a, b)
			}
			seen[d.Template]++
		}
	}
	if len(seen) != len(answers) {
		t.Errorf("%v, of %v", seen, slices.Sorted(maps.Keys(answers)))
	}
}

// document returns the lines of a task's document, in whatever form it is given.
func document(t *testing.T, task casefile.Task) []string {
	t.Helper()
	var texts []string
	for _, raw := range task.InputData {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		if packed, ok := v.(map[string]any); ok {
			for _, v = range packed {
				break
			}
		}
		texts = append(texts, v.(string))
	}
	return strings.Split(strings.Join(texts, "\n"), "\n")
}

// bare writes values without the names of fields. Lists keep their order.
func bare(values []any) string {
	var out []string
	for _, v := range values {
		out = append(out, flat(v))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func flat(v any) string {
	switch v := v.(type) {
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, flat(e))
		}
		return "[" + strings.Join(out, " ") + "]"
	case map[string]any:
		return bare(slices.Collect(maps.Values(v)))
	case float64:
		return fmt.Sprint(int(v))
	case []string:
		return "[" + strings.Join(v, " ") + "]"
	}
	return fmt.Sprint(v)
}
