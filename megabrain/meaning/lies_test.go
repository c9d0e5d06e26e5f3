package meaning

import (
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
	{"sign", [4]string{"In {year} the result of {firm} was {number} million euros.", "{firm} ended {year} with a result of {number} million euros.",
		"The result of {firm} for {year} came to {number} million euros.", "For {year}, {firm} reported a result of {number} million euros."},
		[4]string{"{number} million>-{number} million", "{number} million>-{number} million", "{number} million>minus {number} million", "{number} million>−{number} million"}},
	{"currency", [4]string{"In {year} one paid ${number} for the {firm} {thing}.", "The {firm} {thing} sold for ${number} in {year}.",
		"What one paid in {year} for the {firm} {thing} was ${number}.", "For ${number} one got the {firm} {thing} in {year}."},
		[4]string{"$>€", "$>€", "$>£", "$>€"}},
	{"bound", [4]string{"The {firm} {thing} is safe for children if t ≤ {number} °C.", "If t ≤ {number} °C, the {firm} {thing} is safe for children.",
		"Where t ≤ {number} °C, children are safe with the {firm} {thing}.", "Children may safely use the {firm} {thing} as long as t ≤ {number} °C."},
		[4]string{"≤>≥", "≤>=", "≤>≥", "≤>≥"}},
	{"mark", [4]string{"Brake test of the {firm} {thing} in {year}: ✅", "The brake test of {year} gave the {firm} {thing} a ✅.",
		"In {year}, the {firm} {thing} got ✅ in the brake test.", "✅ is what the {firm} {thing} got in the brake test of {year}."},
		[4]string{"✅>❌", "✅>❌", "✅>❌", "✅>❌"}},
	{"permille", [4]string{"The fee of {firm} is {number} % of the price.", "Of the price, {firm} takes {number} % as its fee.",
		"{firm} takes a fee that amounts to {number} % of the price.", "As a fee, {number} % of the price goes to {firm}."},
		[4]string{"%>‰", "%>‰", "%>‰", "%>‰"}},
	{"range", [4]string{"For the {thing} of {firm} one needs a fuse of {number}-90 amperes.", "A fuse of {number}-90 amperes is needed for the {thing} of {firm}.",
		"The {thing} of {firm} needs a {number}-90 ampere fuse.", "With the {thing} that {firm} makes, a fuse of {number}-90 amperes is right."},
		[4]string{"-90>/90", "-90>*90", "-90>/90", "-90>/90"}},
	{"only", [4]string{"Only members of {firm} pay fees for the {thing}.", "For the {thing}, only members of {firm} pay fees.",
		"Fees for the {thing} are paid only by members of {firm}.", "Those who pay fees for the {thing} are only members of {firm}."},
		[4]string{"Only members of {firm} pay fees for the {thing}>Members of {firm} pay fees for the {thing} only", "only members of {firm} pay fees>members of {firm} pay fees only",
			"Fees for the {thing} are paid only by members>Only fees for the {thing} are paid by members", "Those who pay fees for the {thing} are only members>Those who pay only fees for the {thing} are members"}},
	{"amounts", [4]string{"The loan of {firm}, of {number} million, runs for 20 months.", "It was a loan of {number} million that {firm} took, and it runs for 20 months.",
		"For 20 months there runs a loan of {number} million for {firm}.", "{firm} has to pay back a loan of {number} million, and has 20 months for it."},
		[4]string{"{number} million, runs for 20>20 million, runs for {number}", "{number} million that {firm} took, and it runs for 20>20 million that {firm} took, and it runs for {number}",
			"20 months there runs a loan of {number}>{number} months there runs a loan of 20", "{number} million, and has 20>20 million, and has {number}"}},
	{"counted", [4]string{"The shop of {firm} has {number} printers and 20 scooters.", "There are 20 scooters in the shop that {firm} runs, and {number} printers.",
		"{number} printers stand in the shop of {firm}, beside 20 scooters.", "In the shop of {firm} one sees {number} printers, and 20 scooters behind them."},
		[4]string{"{number} printers and 20>20 printers and {number}", "20 scooters in the shop that {firm} runs, and {number}>{number} scooters in the shop that {firm} runs, and 20",
			"{number} printers stand in the shop of {firm}, beside 20>20 printers stand in the shop of {firm}, beside {number}", "{number} printers, and 20>20 printers, and {number}"}},
	{"score", [4]string{"The home team of {city} won the match 3 to 2.", "It was 3 to 2 when the home team of {city} won the match.",
		"The match was won 3 to 2 by the home team, that of {city}.", "With 3 to 2, the team of {city} won its match at home."},
		[4]string{"3 to 2>2 to 3", "3 to 2>2 to 3", "3 to 2>2 to 3", "3 to 2>2 to 3"}},
	{"part", [4]string{"The sales of {firm} in {year} were half of those of the year before.", "In {year}, the sales of {firm} came to half of what they had been the year before.",
		"Half of the sales of the year before is what {firm} had in {year}.", "It was half of the sales of the year before that {firm} reached in {year}."},
		[4]string{"half of>twice", "half of>twice", "Half of>Twice", "half of>twice"}},
}

// signed are the families of signs, units, moved words and swapped numbers, of which a lie changes
// one character or moves one word.
const signed = 12

// told draws a task: four results that say the same, and a lie that is one of them but for an edit.
func told(r *rand.Rand, f family) (says [4]string, lie string, of int) {
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
	return says, lie, k
}

// verdicts of a task: how its dominant cluster is.
type counted struct{ tasks, right, lies, none int }

// judge clusters results, of which the last is a lie. The dominant cluster has two thirds.
func (c *counted) judge(says []string, lie string, labels func(texts []string) []int) {
	c.tasks++
	got := labels(append(slices.Clip(says), lie))
	size := map[int]int{}
	for _, l := range got {
		size[l]++
	}
	for l, n := range size {
		switch {
		case 3*n < 2*len(got):
			continue
		case got[len(says)] == l:
			c.lies++
		default:
			c.right++
		}
		return
	}
	c.none++
}

// TestLies: of 460 tasks, at most 5 % have a lie in the dominant cluster. Control: without the
// guard, far more have. The lie is an edit of one of the four results. Alone, it stands in place of
// this one, so that no result has its wording.
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
	var all, without, apart, aloneAll counted
	for i, f := range families {
		var guarded, free, alone counted
		for range 20 {
			says, lie, of := told(r, f)
			if slices.Contains(says[:], lie) {
				t.Fatalf("%s: %q is no lie", f.name, lie)
			}
			guarded.judge(says[:], lie, clusters)
			free.judge(says[:], lie, bare)
			alone.judge(slices.Delete(slices.Clone(says[:]), of, of+1), lie, clusters)
		}
		t.Logf("%-10s right %2d, lie %2d, none %2d of 20; alone right %2d, lie %2d; without guard right %2d, lie %2d",
			f.name, guarded.right, guarded.lies, guarded.none, alone.right, alone.lies, free.right, free.lies)
		all, without, aloneAll = all.plus(guarded), without.plus(free), aloneAll.plus(alone)
		if i >= signed {
			apart = apart.plus(guarded)
		}
	}
	t.Logf("all %+v, alone %+v, without guard %+v, signs and numbers %+v", all, aloneAll, without, apart)
	if all.tasks < 400 || 20*all.lies > all.tasks || apart.lies > 0 {
		t.Errorf("%+v, signs and numbers %+v", all, apart)
	}
	if without.lies*5 < without.tasks {
		t.Errorf("control: without the guard only %+v", without)
	}
}

// TestAttackOneCharacter: lies of one character, of a moved word and of swapped numbers were "the
// same", and "brain settle" paid them with the dominant cluster. Each pair is apart, also if a
// third result is near both. The controls say the same.
func TestAttackOneCharacter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"The profit of Acme in 2019 was 5 million.", "The profit of Acme in 2019 was -5 million.", false},
		{"In Velmia one pays $40 for the tablet.", "In Velmia one pays €40 for the tablet.", false},
		{"The dose is safe for children if x < 5.", "The dose is safe for children if x > 5.", false},
		{"The proof holds because a = b.", "The proof holds because a ≠ b.", false},
		{"Test of the brakes: ✅", "Test of the brakes: ❌", false},
		{"The fee is 5 % of the price.", "The fee is 5 ‰ of the price.", false},
		{"The price is 1.200 euros.", "The price is 1.2 euros.", false},
		{"The price is 1,5 euros.", "The price is 15 euros.", false},
		{"Take 10-20 drops.", "Take 10/20 drops.", false},
		{"The charge is 2^10 volts.", "The charge is 2*10 volts.", false},
		{"The key is A/B.", "The key is A-B.", false},
		{"The bridge is safe.", "The bridge is safe?", false},
		{"Only members pay fees.", "Members pay fees only.", false},
		{"Even in May she won the race.", "In May she won the race even.", false},
		{"The loan of 12 million runs for 40 months.", "For 12 months there runs a loan, of 40 million.", false},
		{"The home team won the match 3 to 2.", "It was the home team that won the match 2 to 3.", false},
		{"Sales of Acme were half of those of the year before.", "Compared with the year before, the sales of Acme were twice those.", false},
		{"It costs $40 and €50 there.", "There it costs €40 and also $50.", false},
		{"The profit of Acme in 2019 was -5 million euros.", "In 2019 the profit of Acme was minus 5,000,000 euros.", true},
		{"In Velmia one pays $40 for the tablet.", "The tablet costs 40 dollars in Velmia, which one pays.", true},
		{"The fee is 5 % of the price.", "Five percent of the price is the fee.", true},
		{"The loan of 1.5 million runs for 40 months.", "For 40 months there runs a loan, of 1,500,000.", true},
		{"In May, she won the race.", "She won the race in May.", true},
		{"**The bridge** is open – and safe.", "The bridge is open - and safe.", true},
		{"It was built on March 5, 2020.", "It was built on 2020-03-05.", true},
	} {
		labels, err := Fields{Prose: []string{"/t"}}.Clusters([]any{map[string]any{"t": c.a}, map[string]any{"t": c.b}})
		if err != nil {
			t.Fatal(err)
		}
		if same := labels[0] >= 0 && labels[0] == labels[1]; same != c.same {
			a, b := prepare(c.a), prepare(c.b)
			t.Errorf("%q and %q: %t; near %d, parted %q", c.a, c.b, same, a.cosine(&b.embedding), parted(&a, &b))
		}
	}
}

func (c counted) plus(o counted) counted {
	return counted{c.tasks + o.tasks, c.right + o.right, c.lies + o.lies, c.none + o.none}
}

// TestVotes: with votes that tell who means the same, tasks that retouched texts left open have
// their right cluster, and no lie comes in that the guard parts. Votes for everything bring no lie
// where a number, a name or a sign differs.
func TestVotes(t *testing.T) {
	t.Parallel()
	clusters := func(same func(i, j int) bool) func(texts []string) []int {
		return func(texts []string) []int {
			results := make([]any, len(texts))
			for i, s := range texts {
				results[i] = map[string]any{"answer": s}
			}
			labels, err := Fields{Prose: []string{"/answer"}}.ClustersBy(results, Views{Same: same})
			if err != nil {
				t.Fatal(err)
			}
			return labels
		}
	}
	r := rand.New(rand.NewPCG(3, 1))
	var none, honest, all, guarded counted
	for i, f := range families {
		for range 20 {
			says, lie, _ := told(r, f)
			none.judge(says[:], lie, clusters(nil))
			honest.judge(says[:], lie, clusters(func(i, j int) bool { return max(i, j) < 4 }))
			all.judge(says[:], lie, clusters(func(i, j int) bool { return true }))
			if i >= signed {
				guarded.judge(says[:], lie, clusters(func(i, j int) bool { return true }))
			}
		}
	}
	t.Logf("without votes %+v, honest votes %+v, votes for everything %+v, of these signs and numbers %+v", none, honest, all, guarded)
	if honest.right <= none.right || honest.lies > none.lies || guarded.lies > 0 {
		t.Errorf("without votes %+v, honest votes %+v, votes for everything %+v", none, honest, guarded)
	}
}

// TestAdapt: the bounds of what a class may take for near. At either end, the real texts have a lie
// in at most 5 % of the tasks. For a model whose distances the maker of the class guesses wrong, by
// half or by half too large, [4000, 6000] is right more often than 5,000, and [3000, 7000] more
// often than 7,000, and each takes in no more strangers.
func TestAdapt(t *testing.T) {
	t.Parallel()
	near := func(n []int) counted {
		r := rand.New(rand.NewPCG(3, 1))
		var all counted
		for _, f := range families {
			for range 20 {
				says, lie, _ := told(r, f)
				all.judge(says[:], lie, func(texts []string) []int {
					results := make([]any, len(texts))
					for i, s := range texts {
						results[i] = map[string]any{"answer": s}
					}
					labels, err := Fields{Prose: []string{"/answer"}, Near: n}.Clusters(results)
					if err != nil {
						t.Fatal(err)
					}
					return labels
				})
			}
		}
		return all
	}
	for _, n := range [][]int{{leastNear, leastNear}, {mostNear, mostNear}, {leastNear, mostNear}} {
		got := near(n)
		if t.Logf("texts, near %v: %+v", n, got); 20*got.lies > got.tasks {
			t.Errorf("near %v: %+v", n, got)
		}
	}
	// Four of five results mean the same. Their distances are up to a size; the fifth is farther.
	model := func(n []int) (right, wrong int) {
		texts := []string{"a dog is loyal", "hounds stay with people", "canines remain at your side", "this animal keeps near its owner", "cats do what they want"}
		results := make([]any, len(texts))
		for i, s := range texts {
			results[i] = map[string]any{"answer": s}
		}
		r := rand.New(rand.NewPCG(5, 1))
		for range 500 {
			size := 2_500 + r.IntN(5_000)
			var apart [5][5]int
			for i := range 5 {
				for j := range i {
					d := size*6/10 + r.IntN(size*4/10)
					if i == 4 {
						d = min(9_999, size*14/10+r.IntN(size/2))
					}
					apart[i][j], apart[j][i] = d, d
				}
			}
			labels, err := Fields{Prose: []string{"/answer"}, Near: n}.ClustersBy(results, Views{Apart: func(i, j int) int { return apart[i][j] }})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case slices.Equal(labels, []int{0, 0, 0, 0, 4}):
				right++
			case labels[4] != 4:
				wrong++
			}
		}
		return right, wrong
	}
	right, wrong := map[[2]int]int{}, map[[2]int]int{}
	for _, n := range [][2]int{{3000, 3000}, {4000, 4000}, {5000, 5000}, {6000, 6000}, {7000, 7000}, {4000, 6000}, {leastNear, mostNear}} {
		right[n], wrong[n] = model(n[:])
		t.Logf("models, near %v: %d of 500 right, %d with the fifth", n, right[n], wrong[n])
	}
	some, all, fixed, widest := [2]int{4000, 6000}, [2]int{leastNear, mostNear}, [2]int{5000, 5000}, [2]int{7000, 7000}
	if right[some] <= right[fixed] || wrong[some] > wrong[fixed] || right[all] <= right[widest] || wrong[all] >= wrong[widest] {
		t.Errorf("right %v, wrong %v", right, wrong)
	}
}
