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

func (p paper) says(text string) bool { return strings.Contains(p.asks, text) }

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

// answers solve the documents, by template.
var answers = map[string]func(p paper) map[string]any{
	"ledger": func(p paper) map[string]any {
		g := p.find(`category (\w+) with the status (\w+), from (\S+) to (\S+),`)
		sum, n := 0, 0
		for _, line := range p.lines[2:] {
			f := regexp.MustCompile(` \| |; |\t`).Split(line, -1)
			cents := p.money(f[4])
			last := f[0] == g[3] && p.says("the last day not included")
			if f[2] != g[0] || f[3] != g[1] || f[0] < g[2] || f[0] > g[3] || last || cents < 0 && p.says("leave it out") {
				continue
			}
			sum, n = sum+cents, n+1
		}
		return map[string]any{"total_cents": sum, "count": n}
	},
	"bill": func(p paper) map[string]any {
		rate := p.find(`Class A is taxed with (\d+) %, class B with (\d+) %`)
		less := p.number(p.find(`a discount of (\d+) %`)[0])
		net, tax, exact := 0, 0, map[string]int{}
		for _, line := range p.lines[1:] {
			g := regexp.MustCompile(`: (\d+) x ([\d.]+), class (\w)$`).FindStringSubmatch(line)
			price := p.number(g[1]) * p.money(g[2])
			if p.says("on all lines") || g[3] == "A" {
				price = int(math.Ceil(float64(price*(100-less)) / 100))
			}
			percent := p.number(rate[map[string]int{"A": 0, "B": 1}[g[3]]])
			net, tax, exact[g[3]] = net+price, tax+price*percent/100, exact[g[3]]+price*percent
		}
		if p.says("for the sum of each class") {
			tax = exact["A"]/100 + exact["B"]/100
		}
		return map[string]any{"net_cents": net, "tax_cents": tax, "total_cents": net + tax}
	},
	"shifts": func(p paper) map[string]any {
		who := p.find(`paid to (.+?)\? `)[0]
		long, sum := 0, 0
		limit, bonus := p.number(p.find(`than (\d+) minutes`)[0]), p.number(p.find(`adds (\d+) minutes`)[0])
		at := func(text string) int {
			h, m, _ := strings.Cut(text, ":")
			return 60*p.number(h) + p.number(m)
		}
		for _, line := range p.lines[2:] {
			f := strings.Split(line, ", ")
			if f[1] != who {
				continue
			}
			minutes := at(f[3]) - at(f[2])
			if minutes > limit || minutes == limit && p.says("as long as or") {
				long++
				sum += bonus
			}
			if sum += minutes; p.says("not paid") {
				sum -= p.number(f[4])
			}
		}
		return map[string]any{"person": who, "minutes": sum, "long_shifts": long}
	},
	"parcels": func(p paper) map[string]any {
		bands := regexp.MustCompile(`below (\d+) g ([\d.]+);`).FindAllStringSubmatch(p.asks, -1)
		dearest := p.money(p.find(`above that ([\d.]+)\.`)[0])
		more, many := p.number(p.find(`far costs (\d+) %`)[0]), p.number(p.find(`From (\d+) parcels`)[0])
		sum := 0
		for _, line := range p.lines[1:] {
			f := strings.Fields(line)
			price := dearest
			for _, b := range slices.Backward(bands) {
				if limit := p.number(b[1]); p.number(f[1]) < limit || p.number(f[1]) == limit && p.says("price below that limit") {
					price = p.money(b[2])
				}
			}
			if f[2] == "far" {
				price += price * more / 100
			}
			if sum += price; len(p.lines)-1 >= many {
				sum -= 10
			}
		}
		return map[string]any{"parcels": len(p.lines) - 1, "total_cents": sum}
	},
	"letter": func(p paper) map[string]any {
		text := strings.Join(p.lines, "\n")
		get := func(pattern string) string { return regexp.MustCompile(pattern).FindStringSubmatch(text)[1] }
		day := func(text string) string {
			form := "01/02/2006"
			if get(`dates are (\w+)`) == "day" {
				form = "02/01/2006"
			}
			on, err := time.Parse(form, text)
			if err != nil {
				p.t.Fatal(err)
			}
			return on.Format(time.DateOnly)
		}
		return map[string]any{
			"seller": get(`^(.+?) to `), "number": get(`invoice (\S+), of`), "date": day(get(`, of (\S+)`)), "due": day(get(`pay by (\S+)\.`)),
			"total_cents": p.money(get(`Amount of this invoice: ([\d.]+)`)), "contact": get(`answered by (.+)\.`),
		}
	},
	"log": func(p paper) map[string]any {
		g := p.find(`below (\S+)/ that ended with an error of the (\w+), not .* took (more than|at least) (\d+) ms`)
		first := map[string]string{"server": "5", "client": "4"}[g[1]]
		ids := []string{}
		for _, line := range p.lines {
			f := strings.Fields(line)
			ms := p.number(strings.TrimSuffix(f[5], "ms"))
			if strings.HasPrefix(f[3], g[0]+"/") && f[4][:1] == first && (ms > p.number(g[3]) || ms == p.number(g[3]) && g[2] == "at least") {
				ids = append(ids, f[1])
			}
		}
		return map[string]any{"ids": ids}
	},
	"thread": func(p paper) map[string]any {
		order, said := []string{}, map[string][]map[string]string{}
		for _, line := range p.lines {
			g := regexp.MustCompile(`^Chair: (?:agreed, (.+?): (.+), until (\S+)|(.+?) goes to (.+), by (\S+))\.$`).FindStringSubmatch(line)
			if g == nil {
				continue
			}
			name := g[1] + g[4]
			if said[name] == nil {
				order = append(order, name)
			}
			said[name] = append(said[name], map[string]string{"job": name, "owner": g[2] + g[5], "due": g[3] + g[6]})
		}
		jobs := []map[string]string{}
		for _, name := range order {
			if len(said[name]) != 2 {
				p.t.Fatalf("%d messages about %s", len(said[name]), name)
			}
			jobs = append(jobs, said[name][map[bool]int{true: 0, false: 1}[p.says("The first agreement")]])
		}
		return map[string]any{"jobs": jobs}
	},
	"contract": func(p paper) map[string]any {
		asked, text := p.find(`holds on (\S+):`)[0], strings.Join(p.lines, "\n")
		get := func(pattern string) string { return regexp.MustCompile(pattern).FindStringSubmatch(text)[1] }
		holds := map[string]string{"Notice": get(`notice of (\d+) days`), "Fee": get(`fee is EUR ([\d.]+)\.`), "Liability": get(`limited to EUR ([\d.]+) in`)}
		all := regexp.MustCompile(`The clause "(\w+)" is changed to (?:EUR )?([\d.]+)(?: days)?\. Takes effect on (\S+)\.`).FindAllStringSubmatch(text, -1)
		if len(all) != 4 {
			p.t.Fatalf("%d amendments", len(all))
		}
		days := map[string]bool{}
		for _, m := range all {
			if days[m[3]] {
				p.t.Fatal("two amendments of one day")
			}
			days[m[3]] = true
		}
		slices.SortFunc(all, func(a, b []string) int { return strings.Compare(a[3], b[3]) })
		for _, m := range all {
			if m[3] < asked || m[3] == asked && p.says("already on the day") {
				holds[m[1]] = m[2]
			}
		}
		return map[string]any{
			"provider": get(`^Agreement between (.+) \(provider\)`), "customer": get(`\(provider\) and (.+) \(customer\)`),
			"notice_days": p.number(holds["Notice"]), "fee_cents": p.money(holds["Fee"]), "cap_cents": p.money(holds["Liability"]),
		}
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
			var text string
			var result map[string]any
			if json.Unmarshal(d.Task, &task) != nil || json.Unmarshal(task.InputData[0], &text) != nil || json.Unmarshal(d.Result, &result) != nil {
				t.Fatal("not readable")
			}
			want := answers[d.Template](paper{t: t, asks: strings.Join(task.Instruction, " "), lines: strings.Split(text, "\n")})
			want["note"] = result["note"]
			a, b := plain(t, want), plain(t, result)
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

func plain(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var again any
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(again)
}
