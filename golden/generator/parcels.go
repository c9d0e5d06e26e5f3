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
	abroad  int   // percent on top for the second zone
	upper   bool  // a parcel of exactly a limit pays the price above it
	minimum int   // parcels from which each parcel is 10 cents cheaper
	zones   [2]string
}

type parcel struct {
	id    string
	grams int
	far   bool
}

func drawParcels(d *dice, l level) (twins, error) {
	p := load{limits: []int{250 * d.from(1, 3), 1000 * d.from(1, 2), 1000 * d.from(4, 6)}, abroad: pick(d, 20, 25, 40, 50), upper: d.chance(50)}
	p.zones = pick(d, [2]string{"near", "far"}, [2]string{"inland", "abroad"}, [2]string{"local", "remote"}, [2]string{"town", "island"})
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
		why = [2]string{"parcel " + one.id + " is of the zone " + p.zones[1], "parcel " + one.id + " is of the zone " + p.zones[0]}
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
	v := d.voice()
	f := [2]string{v.name("{parcels|count|pieces|number_of_parcels|how_many}"), v.name("{total_cents|price_cents|cost_cents|postage|total|price}")}
	return twins{
		sides: [2]side{p.side(v, f, why[0]), other.side(v, f, why[1])}, topic: f[1],
		aside:  []string{fmt.Sprintf("there are %d parcels", many), "the weights are in grams", fmt.Sprintf("the zone %s costs %d %% more", p.zones[1], p.abroad)},
		fields: []field{{f[0], `"integer"`}, {f[1], `"integer"`}},
	}, nil
}

func (p load) side(v voice, f [2]string, why string) side {
	text := []string{v.say("{Parcels (id, weight in g, zone)|Load list: id, grams, zone|id / weight (g) / zone|Shipment; each line has id, grams and zone|To be sent (number, grams, zone)}")}
	row := v.say("{$1  $2  $3|$1, $2, $3|$1;$2;$3|$1 $2 $3}")
	total, less := 0, 0
	if len(p.rows) >= p.minimum {
		less = 10
	}
	for _, r := range p.rows {
		band := 0
		for band < len(p.limits) && (r.grams > p.limits[band] || r.grams == p.limits[band] && p.upper) {
			band++
		}
		price, zone := p.prices[band], p.zones[0]
		if r.far {
			price, zone = price+price*p.abroad/100, p.zones[1]
		}
		total += price - less
		text = append(text, fill(row, r.id, r.grams, zone))
	}
	tariff, below := v.say("{Tariff|Prices|Rates|Price list}:"), v.say("{below|under|less than}")
	for i, limit := range p.limits {
		tariff += fmt.Sprintf(" %s %d g %s;", below, limit, cents(p.prices[i]))
	}
	tariff += " " + v.say("{above that|heavier ones|all others}") + " " + cents(p.prices[len(p.limits)]) + "."
	edge := "{A parcel of exactly a limit pays the price below that limit|Exactly at a limit the lower price still applies|A weight of exactly a limit belongs to the band below}."
	if p.upper {
		edge = "{A parcel of exactly a limit pays the price above that limit|Exactly at a limit the next price applies|A weight of exactly a limit belongs to the next band}."
	}
	return side{
		instruction: []string{
			v.say("{What does it cost to send these parcels? Return|What is the postage of this load? Give|Price this shipment and return|We want to send the parcels of the list. Tell us} "+
				"{the number of parcels as $1, and the price in cents as $2|$1, the number of parcels, and $2, the price in cents|as $2 the price in cents, and as $1 the number of parcels}.", f[0], f[1]),
			tariff, v.say(edge),
			v.say("{The zone $2 costs $1 % more|Parcels to the zone $2 cost $1 % more|Add $1 % for the zone $2}{, rounded down to a cent for each parcel|; round that price down to a cent|, each rounded down to a cent}.", p.abroad, p.zones[1]),
			v.say("{From $1 parcels on|If there are $1 parcels or more|With $1 or more parcels}, {each costs 10 cents less|every parcel is 10 cents cheaper|take 10 cents off each}.", p.minimum),
		},
		input: []string{lines(text...)}, result: object{f[0]: len(p.rows), f[1]: total},
		claim: v.claim(f[1], total), reason: why,
		program: p.program(f),
		steps:   []string{fmt.Sprintf("Price each of the %d parcels by the tariff: together they cost %s.", len(p.rows), cents(total))},
	}
}
