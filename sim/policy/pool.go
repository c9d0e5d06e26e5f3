package policy

import (
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"ojud/voting"
)

// rate is how often a kind of judge is right and wrong in a case; otherwise it abstains.
type rate struct{ right, wrong float64 }

// family is a kind of judges of a pool.
type family struct {
	name   string
	weight float64 // of the pool; the weights add up to 1
}

// item is a case as judges see it.
type item struct {
	families []rate // in the order of the pool's families
	best     rate   // of the best single judge
}

// population is a pool of judges, and cases for them. In a case of the pool one side is right.
type population struct {
	name     string
	families []family
	// holds says that the judges pass the entry exam, also in its hard kinds counted apart.
	holds bool
	draw  func(r *rand.Rand, truth voting.Choice) item
}

// average is the rate of a judge drawn from the pool.
func (p *population) average(i *item) (sum rate) {
	for n, f := range p.families {
		sum.right += f.weight * i.families[n].right
		sum.wrong += f.weight * i.families[n].wrong
	}
	return sum
}

// The recorded rates. rates/README.md says where they come from.
var (
	//go:embed rates/llmbar.csv
	llmbar string
	//go:embed rates/agentcourt.csv
	agentcourt string
)

// table reads a file of rates: names, and a row of cells for each case.
func table(text string) (names []string, rows [][]string, err error) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		cells := strings.Split(line, ",")
		switch {
		case strings.HasPrefix(line, "#"):
		case names == nil:
			names = cells
		case len(cells) != len(names):
			return nil, nil, fmt.Errorf("policy: a row of %d cells below %d names", len(cells), len(names))
		default:
			rows = append(rows, cells)
		}
	}
	return names, rows, nil
}

// rateOf reads a cell "right:wrong:all".
func rateOf(cell string) (rate, error) {
	parts := strings.Split(cell, ":")
	if len(parts) != 3 {
		return rate{}, fmt.Errorf("policy: %q is no rate; write right:wrong:all", cell)
	}
	var n [3]float64
	for i, p := range parts {
		x, err := strconv.Atoi(p)
		if err != nil {
			return rate{}, fmt.Errorf("policy: %q is no rate: %w", cell, err)
		}
		n[i] = float64(x)
	}
	return rate{n[0] / n[2], n[1] / n[2]}, nil
}

// equal gives families the same weight.
func equal(names []string) (out []family) {
	for _, n := range names {
		out = append(out, family{n, 1 / float64(len(names))})
	}
	return out
}

// pools returns all pools of the lab.
func pools() ([]*population, error) {
	recorded, err := llmbarPools()
	if err != nil {
		return nil, err
	}
	court, err := agentcourtPools()
	if err != nil {
		return nil, err
	}
	all := append(recorded, court...)
	for _, accuracy := range []float64{.60, .70, .85, .95} {
		for _, correlation := range []float64{.2, .5} {
			all = append(all, drawnPool(accuracy, correlation))
		}
	}
	return all, nil
}

// popular is the family that most judges of a herd run, and popularShare how many.
const (
	popular      = "ChatGPT"
	popularShare = .7
)

// llmbarPools are the six families, one popular model, and judges that passed an exam, each on the
// natural and on the adversarial items.
func llmbarPools() (all []*population, err error) {
	names, rows, err := table(llmbar)
	if err != nil {
		return nil, err
	}
	sixth := len(names) - 3 // then exam, hard exam, best
	mixed := equal(names[1:sixth])
	herd := equal(names[1:sixth])
	for i := range herd {
		herd[i].weight *= 1 - popularShare
		if herd[i].name == popular {
			herd[i].weight += popularShare
		}
	}
	for _, adversarial := range []bool{false, true} {
		kind := map[bool]string{false: "natural", true: "adversarial"}[adversarial]
		add := func(name string, families []family, first int, holds bool) error {
			items, err := items(rows, adversarial, first, len(families), len(names)-1)
			all = append(all, &population{name: name + ", " + kind, families: families, holds: holds, draw: symmetric(items)})
			return err
		}
		if err := add("six families", mixed, 1, false); err != nil {
			return nil, err
		}
		if err := add("popular model", herd, 1, false); err != nil {
			return nil, err
		}
		if err := add("exam", equal([]string{"exam"}), sixth, !adversarial); err != nil {
			return nil, err
		}
		if !adversarial {
			continue // the natural items have no harder kind: both exams are one
		}
		if err := add("hard exam", equal([]string{"hard exam"}), sixth+1, true); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// items reads the rates of the families from column first on, and of the best judge.
func items(rows [][]string, adversarial bool, first, families, best int) (out []item, err error) {
	for _, row := range rows {
		if adversarial == (row[0] == "natural") {
			continue
		}
		i := item{families: make([]rate, families)}
		for n := range i.families {
			if i.families[n], err = rateOf(row[first+n]); err != nil {
				return nil, err
			}
		}
		if i.best, err = rateOf(row[best]); err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

// symmetric draws from items whose rates do not depend on the side that is right.
func symmetric(items []item) func(*rand.Rand, voting.Choice) item {
	return func(r *rand.Rand, _ voting.Choice) item { return items[r.IntN(len(items))] }
}

// agentcourtPools are five models of 2026. The truth of their cases is unknown; the majority of all
// runs stands for it. The cases are played both ways round.
func agentcourtPools() (all []*population, err error) {
	names, rows, err := table(agentcourt)
	if err != nil {
		return nil, err
	}
	var yes, no []item // the majority finds it demonstrated, or not; right: the majority's answer
	for _, row := range rows {
		i, said := item{families: make([]rate, len(names))}, rate{}
		for n, cell := range row {
			if i.families[n], err = rateOf(cell); err != nil {
				return nil, err
			}
			said.right += i.families[n].right
			said.wrong += i.families[n].wrong
		}
		demonstrated := said.right >= said.wrong
		if !demonstrated {
			for n, f := range i.families {
				i.families[n] = rate{f.wrong, f.right}
			}
			no = append(no, i)
		} else {
			yes = append(yes, i)
		}
	}
	best := bestFamily(append(append([]item{}, yes...), no...))
	for _, way := range []struct {
		name           string
		accept, reject []item
	}{{"2026, accept if shown", yes, no}, {"2026, reject if shown", no, yes}} {
		all = append(all, &population{name: way.name, families: equal(names), draw: func(r *rand.Rand, truth voting.Choice) item {
			const _ = uint(3 - voting.Choices) // the truth is a side
			from := way.accept
			if truth == voting.Reject {
				from = way.reject
			}
			i := from[r.IntN(len(from))]
			i.best = i.families[best]
			return i
		}})
	}
	return all, nil
}

// bestFamily is the family that is right most often.
func bestFamily(items []item) (best int) {
	right := make([]float64, len(items[0].families))
	for _, i := range items {
		for n, f := range i.families {
			if right[n] += f.right; right[n] > right[best] {
				best = n
			}
		}
	}
	return best
}

// abstention is how often a drawn judge abstains, whatever the case.
const abstention = .1

// drawnPool has judges of one accuracy whose errors are correlated (of the normal variables behind
// them): in a case, all are right with one probability, which varies between cases.
func drawnPool(accuracy, correlation float64) *population {
	threshold := math.Sqrt2 * math.Erfinv(2*accuracy-1)
	name := fmt.Sprintf("drawn %.0f %%, corr. %.1f", 100*accuracy, correlation)
	return &population{name: name, families: equal([]string{"drawn"}), holds: accuracy >= .7, draw: func(r *rand.Rand, _ voting.Choice) item {
		z := (threshold - math.Sqrt(correlation)*r.NormFloat64()) / math.Sqrt(1-correlation)
		p := (1 + math.Erf(z/math.Sqrt2)) / 2
		voted := 1 - abstention
		one := rate{voted * p, voted * (1 - p)}
		return item{families: []rate{one}, best: one}
	}}
}
