package meaning

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// family is a kind of statement: four ways to say it, and edits that make a lie of each of them.
// Slots in braces are filled from a list; the lie of a slot is another word of the list.
type family struct {
	name string
	says [4]string
	lies [4]string // the edit "old>new" of each; "{slot}" alone fills in another word
}

var slots = map[string][]string{
	"city":    {"Lisbon", "Ottawa", "Nairobi", "Oslo", "Lima", "Hanoi", "Quito", "Vienna"},
	"country": {"Norland", "Velmia", "Ostia", "Karun", "Tarsia", "Belgravia", "Moldoria", "Zubria"},
	"firm":    {"Acme", "Globex", "Initech", "Umbra", "Hooli", "Vandelay", "Stark", "Wonka"},
	"person":  {"Miller", "Okafor", "Tanaka", "Silva", "Novak", "Haddad", "Larsen", "Chen"},
	"rival":   {"Borealis", "Meridian", "Zenith", "Polaris", "Vertex", "Quanta", "Helix", "Nimbus"},
	"year":    {"1957", "1962", "1971", "1984", "1990", "2003", "2011", "2019"},
	"number":  {"12", "17", "25", "31", "40", "58", "64", "73"},
	"month":   {"March", "April", "June", "July", "August", "October", "November", "December"},
	"thing":   {"phone", "tablet", "camera", "watch", "laptop", "printer", "scooter", "speaker"},
}

var families = []family{
	{"name", [4]string{"{city} is the capital of {country}.", "The capital city of {country} is {city}.", "The government of {country} has its capital at {city}.",
		"In {country}, {city} serves as the capital."}, [4]string{"{city}", "{city}", "{city}", "{city}"}},
	{"year", [4]string{"The company {firm} was founded by {person} in {year}.", "{person} founded the company {firm} in {year}.",
		"It was {person} who founded {firm}, a company that dates from {year}.", "In {year} a company named {firm} was founded by {person}."},
		[4]string{"{year}", "{year}", "{year}", "{year}"}},
	{"direction", [4]string{"Sales of {firm} rose by {number} percent in {year}.", "In {year}, sales at {firm} increased {number} percent.",
		"{firm} reported that its sales grew {number} percent in {year}.", "A rise of {number} percent in sales was what {firm} saw in {year}."},
		[4]string{"rose>fell", "increased>decreased", "grew>shrank", "rise>fall"}},
	{"negation", [4]string{"The board of {firm} approved the merger in {month}.", "In {month} the merger was approved by the board of {firm}.",
		"The merger found the approval of the board of {firm} in {month}.", "Approval of the merger came from the board of {firm} in {month}."},
		[4]string{"approved>never approved", "was approved>was not approved", "found>never found", "came>never came"}},
	{"roles", [4]string{"{firm} sued {rival} over the patent in {year}.", "In {year}, {rival} was sued over the patent by {firm}.",
		"Over the patent, {firm} sued its competitor {rival} in {year}.", "{firm} took {rival} to court and sued over the patent in {year}."},
		[4]string{"{firm} sued {rival}>{rival} sued {firm}", "{rival} was sued over the patent by {firm}>{firm} was sued over the patent by {rival}",
			"{firm} sued its competitor {rival}>{rival} sued its competitor {firm}", "{firm} took {rival}>{rival} took {firm}"}},
	{"swap", [4]string{"Customers of {firm} like the delivery but not the packaging.", "Customers like the delivery of {firm}, though they do not like its packaging.",
		"The delivery of {firm} pleases customers, but the packaging does not.", "With {firm}, customers like delivery and not packaging."},
		[4]string{"delivery but not the packaging>packaging but not the delivery", "delivery of {firm}, though they do not like its packaging>packaging of {firm}, though they do not like its delivery",
			"delivery of {firm} pleases customers, but the packaging>packaging of {firm} pleases customers, but the delivery", "delivery and not packaging>packaging and not delivery"}},
	{"noun", [4]string{"The battery of the {firm} {thing} lasts two days, and the screen is sharp.", "The {firm} {thing} has a sharp screen and a battery that lasts two days.",
		"With a battery lasting two days and a sharp screen, the {firm} {thing} does well.", "The screen of the {firm} {thing} is sharp, while its battery lasts two days."},
		[4]string{"screen>lens", "screen>lens", "screen>lens", "screen>lens"}},
	{"count", [4]string{"Three of the five members voted for {person} in {month}.", "In {month}, {person} got the votes of three of the five members.",
		"{person} won three votes in {month} from the five members.", "Of the five members, three gave {person} their votes in {month}."},
		[4]string{"Three>Two", "three>two", "three>two", "three>two"}},
	{"order", [4]string{"{person} left {firm} before the audit in {month}.", "Before the audit in {month}, {person} left {firm}.",
		"{person} had already left {firm} before the {month} audit.", "In {month}, before the audit, {person} left the firm {firm}."},
		[4]string{"before>after", "Before>After", "before>after", "before>after"}},
	{"unit", [4]string{"The {firm} {thing} costs {number} euros in {country}.", "In {country} the price of the {firm} {thing} is {number} euros.",
		"Buyers in {country} pay {number} euros for the {firm} {thing}.", "For {number} euros one gets the {firm} {thing} in {country}."},
		[4]string{"euros>dollars", "euros>dollars", "euros>dollars", "euros>dollars"}},
	{"all", [4]string{"All branches of {firm} in {country} closed in {year}.", "In {year}, {firm} closed all of its branches in {country}.",
		"The branches of {firm} in {country} were all closed in {year}.", "The year {year} saw all branches of {firm} in {country} closed."},
		[4]string{"All>Some", "all>some", "all>some", "all>some"}},
	{"cause", [4]string{"Higher wages drove inflation in {country} in {year}.", "In {year}, inflation in {country} was driven by higher wages.",
		"It was higher wages that drove inflation in {country} in {year}.", "Inflation in {country} was driven in {year} by higher wages."},
		[4]string{"Higher wages drove inflation>Inflation drove higher wages", "inflation in {country} was driven by higher wages>higher wages in {country} were driven by inflation",
			"higher wages that drove inflation>inflation that drove higher wages", "Inflation in {country} was driven in {year} by higher wages>Higher wages in {country} were driven in {year} by inflation"}},
}

// told draws a task: four results that say the same, and a lie that is one of them but for an edit.
func told(r *rand.Rand, f family) (says [4]string, lie string) {
	var fill, other []string
	for _, slot := range slices.Sorted(maps.Keys(slots)) {
		words := slots[slot]
		i := r.IntN(len(words))
		fill = append(fill, "{"+slot+"}", words[i])
		other = append(other, "{"+slot+"}", words[(i+1+r.IntN(len(words)-1))%len(words)])
	}
	filled, lied := strings.NewReplacer(fill...), strings.NewReplacer(other...)
	k := r.IntN(4)
	for i, s := range f.says {
		says[i] = filled.Replace(s)
	}
	if old, changed, ok := strings.Cut(f.lies[k], ">"); ok {
		lie = filled.Replace(strings.Replace(f.says[k], old, changed, 1))
	} else {
		lie = filled.Replace(strings.ReplaceAll(f.says[k], f.lies[k], lied.Replace(f.lies[k])))
	}
	return says, lie
}

// verdicts of a task: how its dominant cluster is.
type counted struct{ tasks, right, lies, none int }

// judge clusters five results, of which the last is a lie. The dominant cluster has two thirds.
func (c *counted) judge(says [4]string, lie string, labels func(texts []string) []int) {
	c.tasks++
	got := labels(append(says[:], lie))
	size := map[int]int{}
	for _, l := range got {
		size[l]++
	}
	for l, n := range size {
		switch {
		case 3*n < 2*len(got):
			continue
		case got[4] == l:
			c.lies++
		default:
			c.right++
		}
		return
	}
	c.none++
}

// TestLies: of 240 tasks, at most 5 % have a lie in the dominant cluster. Control: without the
// guard, far more have.
func TestLies(t *testing.T) {
	clusters := func(texts []string) []int {
		results := make([]any, len(texts))
		for i, s := range texts {
			results[i] = map[string]any{"answer": s}
		}
		labels, err := Fields{Prose: []string{"/answer"}}.Clusters(results)
		if err != nil {
			t.Fatal(err)
		}
		return labels
	}
	bare := func(texts []string) []int {
		n := len(texts)
		d := make([]uint16, n*n)
		for i := range texts {
			for j := range texts {
				a, b := embed(texts[i]), embed(texts[j])
				d[i*n+j] = uint16(a.cosine(&b))
			}
		}
		return complete(n, d)
	}
	r := rand.New(rand.NewPCG(3, 1))
	var all, without counted
	for _, f := range families {
		var guarded, free counted
		for range 20 {
			says, lie := told(r, f)
			if slices.Contains(says[:], lie) {
				t.Fatalf("%s: %q is no lie", f.name, lie)
			}
			guarded.judge(says, lie, clusters)
			free.judge(says, lie, bare)
		}
		t.Logf("%-10s right %2d, lie %2d, none %2d of 20; without guard right %2d, lie %2d", f.name, guarded.right, guarded.lies, guarded.none, free.right, free.lies)
		all, without = all.plus(guarded), without.plus(free)
	}
	t.Log(fmt.Sprintf("%+v", all), fmt.Sprintf("%+v", without))
	if all.tasks < 200 || 20*all.lies > all.tasks {
		t.Errorf("%+v", all)
	}
	if without.lies*5 < without.tasks {
		t.Errorf("control: without the guard only %+v", without)
	}
}

func (c counted) plus(o counted) counted {
	return counted{c.tasks + o.tasks, c.right + o.right, c.lies + o.lies, c.none + o.none}
}
