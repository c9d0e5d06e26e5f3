package generator

import (
	"fmt"
	"slices"
)

// load is a list of parcels with a tariff, and the question about their price.
type load struct {
	rows    []parcel
	limits  []int // grams
	prices  []int // cents; one more than limits
	abroad  int   // percent on top for the zone "far"
	upper   bool  // a parcel of exactly a limit pays the price above it
	minimum int   // parcels from which each parcel is 10 cents cheaper
}

type parcel struct {
	id    string
	grams int
	far   bool
}

func drawParcels(d *dice, l level) (twins, error) {
	p := load{limits: []int{250 * d.from(1, 3), 1000 * d.from(1, 2), 1000 * d.from(4, 6)}, abroad: pick(d, 20, 25, 40, 50), upper: d.chance(50)}
	price := d.from(180, 320)
	for range len(p.limits) + 1 {
		p.prices = append(p.prices, price)
		price += d.from(90, 450)
	}
	many := rows(d, l, 7, 12)
	for i := range many {
		grams := 10 * d.from(5, 800)
		if d.chance(12) {
			grams = pick(d, p.limits...)
		}
		p.rows = append(p.rows, parcel{fmt.Sprintf("%c%03d", 'A'+d.below(26), 100+(i*37+d.below(37))%900), grams, d.chance(35)})
	}
	p.minimum = many + d.from(-2, 3)
	other := p
	other.rows = slices.Clone(p.rows)
	why := [2]string{}
	at := d.below(many)
	one, two := &p.rows[at], &other.rows[at]
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0: // one parcel goes elsewhere
		one.far, two.far = true, false
		why = [2]string{"parcel " + one.id + " goes far", "parcel " + one.id + " stays near"}
	case 1: // two parcels exchange their weights
		next := (at + 1) % many
		one.far, p.rows[next].far = true, false
		other.rows[next] = p.rows[next]
		two.far, two.grams, other.rows[next].grams = true, p.rows[next].grams, one.grams
		why = [2]string{fmt.Sprintf("parcel %s weighs %d g", one.id, one.grams), fmt.Sprintf("parcel %s weighs %d g", one.id, two.grams)}
	case 2: // the limit
		one.grams = pick(d, p.limits...)
		two.grams = one.grams
		p.upper, other.upper = true, false
		why = [2]string{"at a limit it gets dearer", "at a limit it is not dearer yet"}
	case 3: // the reduction
		p.minimum, other.minimum = many, many+1
		why = [2]string{"there are enough for the reduction", "there are too few for the reduction"}
	}
	return twins{
		sides: [2]side{p.side(why[0]), other.side(why[1])}, topic: "total_cents",
		aside:  []string{fmt.Sprintf("there are %d parcels", many), "the weights are in grams", fmt.Sprintf("the zone far costs %d %% more", p.abroad)},
		schema: `{"parcels":"integer","total_cents":"integer","note":"string"}`,
	}, nil
}

func (p load) side(why string) side {
	text := []string{"Parcels (id, weight in g, zone)"}
	total, less := 0, 0
	if len(p.rows) >= p.minimum {
		less = 10
	}
	for _, r := range p.rows {
		band := 0
		for band < len(p.limits) && (r.grams > p.limits[band] || r.grams == p.limits[band] && p.upper) {
			band++
		}
		price, zone := p.prices[band], "near"
		if r.far {
			price, zone = price+price*p.abroad/100, "far"
		}
		total += price - less
		text = append(text, fmt.Sprintf("%s  %d  %s", r.id, r.grams, zone))
	}
	tariff := "Tariff:"
	for i, limit := range p.limits {
		tariff += fmt.Sprintf(" below %d g %s;", limit, cents(p.prices[i]))
	}
	tariff += " above that " + cents(p.prices[len(p.limits)]) + "."
	edge := "A parcel of exactly a limit pays the price below that limit."
	if p.upper {
		edge = "A parcel of exactly a limit pays the price above that limit."
	}
	return side{
		instruction: []string{
			"What does it cost to send these parcels? Return the number of parcels, and total_cents.", tariff, edge,
			fmt.Sprintf("The zone far costs %d %% more, rounded down to a cent for each parcel.", p.abroad),
			fmt.Sprintf("From %d parcels on, each parcel costs 10 cents less.", p.minimum),
		},
		input: []string{lines(text...)}, result: object{"parcels": len(p.rows), "total_cents": total},
		claim: fmt.Sprintf("total_cents is %d", total), reason: why,
		steps: []string{fmt.Sprintf("Price each of the %d parcels by the tariff: together they cost %s.", len(p.rows), cents(total))},
	}
}
