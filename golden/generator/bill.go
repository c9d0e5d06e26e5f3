package generator

import (
	"fmt"
	"slices"
)

// bill is a list of goods with taxes, and the question about it.
type bill struct {
	rows     []good
	rates    [2]int // percent of class A and B
	discount int    // percent
	classes  string // which classes have a discount: "all" or "A"
	late     bool   // the tax is rounded once for each class, not for each line
}

type good struct {
	name       string
	many, each int
	class      int // 0: A, 1: B
}

func drawBill(d *dice, l level) (twins, error) {
	b := bill{
		rates: [2]int{d.from(4, 9), d.from(17, 25)}, discount: pick(d, 0, 2, 3, 5, 10), classes: pick(d, "all", "A"), late: d.chance(50),
	}
	for range rows(d, l, 5, 9) {
		b.rows = append(b.rows, good{pick(d, goods...), d.from(1, 24), d.from(99, 9_999), d.below(2)})
	}
	other := b
	other.rows = slices.Clone(b.rows)
	why := [2]string{}
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0: // two lines exchange their classes
		i, k := d.two(len(b.rows))
		b.rows[i].class, b.rows[k].class = 0, 1
		other.rows[i].class, other.rows[k].class = 1, 0
		why = [2]string{fmt.Sprintf("line %d (%s) is of class A", i+1, b.rows[i].name), fmt.Sprintf("line %d (%s) is of class B", i+1, b.rows[i].name)}
	case 1: // the discount
		b.classes, other.classes = "all", "A"
		b.discount = max(b.discount, 2)
		other.discount = b.discount
		why = [2]string{"class B is cheaper, too", "class B is not cheaper"}
	case 2: // the rounding
		b.late, other.late = true, false
		why = [2]string{"rounding comes last", "rounding comes first"}
	case 3: // two lines exchange their numbers
		i, k := d.two(len(b.rows))
		other.rows[i].many, other.rows[k].many = b.rows[k].many, b.rows[i].many
		why = [2]string{fmt.Sprintf("line %d has %d pieces", i+1, b.rows[i].many), fmt.Sprintf("line %d has %d pieces", i+1, other.rows[i].many)}
	}
	firm, number := d.firm(), fmt.Sprintf("%s-%d", pick(d, "Q", "OF", "PO", "B"), d.from(1000, 99999))
	v := d.voice()
	f := [3]string{v.name("{net_cents|net|subtotal_cents|subtotal|before_tax}"), v.name("{tax_cents|tax|vat_cents|vat|taxes}"), v.name("{total_cents|total|gross_cents|to_pay|gross}")}
	return twins{
		sides: [2]side{b.side(v, f, firm, number, why[0]), other.side(v, f, firm, number, why[1])}, topic: f[2],
		aside:  []string{"the number of the document is " + number, fmt.Sprintf("there are %d lines", len(b.rows)), fmt.Sprintf("class B pays %d %%", b.rates[1])},
		fields: []field{{f[0], `"integer"`}, {f[1], `"integer"`}, {f[2], `"integer"`}},
	}, nil
}

func (b bill) side(v voice, f [3]string, firm, number, why string) side {
	text := []string{v.say("{$1, offer $2|Offer $2 by $1|$1 - quotation $2|Quotation no. $2, $1|Order $2 at $1}", firm, number)}
	row := v.say("{$1. $2: $3 x $4, class $5|$1) $2, $3 pcs at $4 [$5]|$2; $3; $4; $5|$1 $2 - $3 x $4 ($5)}")
	net, exact, tax := 0, [2]int{}, 0
	for i, g := range b.rows {
		text = append(text, fill(row, i+1, g.name, g.many, cents(g.each), string(rune('A'+g.class))))
		line := g.many * g.each
		if b.classes == "all" || g.class == 0 {
			line -= line * b.discount / 100
		}
		net += line
		exact[g.class] += line * b.rates[g.class]
		tax += line * b.rates[g.class] / 100
	}
	rounding := "{The tax of each line is rounded down to a cent, and then added up|Round the tax down to a cent line by line, then add|Each line has its own tax, rounded down to a cent}."
	if b.late {
		tax = exact[0]/100 + exact[1]/100
		rounding = "{The tax is computed for the sum of each class, and rounded down to a cent there|Add up each class first; its tax is rounded down to a cent|Round the tax down to a cent once for each class, on its sum}."
	}
	less := "{There is a discount of $1 % on all lines|Every line is $1 % cheaper|All lines get $1 % off}"
	if b.classes == "A" {
		less = "{There is a discount of $1 % on the lines of class A, and none on class B|Only class A gets $1 % off|Lines of class A are $1 % cheaper, those of class B are not}"
	}
	return side{
		instruction: []string{
			v.say("{Compute|Work out|Calculate|Price} the {offer|quotation|order|list of goods}: $1 {after discount|after the discount|with the discount taken off}, $2{| for the tax| (tax)| as tax|, which is the tax|: the tax}, "+
				"{and $3, which is both together|and $3 for the two together|and $3 as their sum}. {All are in cents|Everything in cents|Amounts are cents|Give cents}.", f[0], f[1], f[2]),
			v.say("{Class A is taxed with $1 %, class B with $2 %|The tax is $1 % for class A and $2 % for class B|Tax on A: $1 %, on B: $2 %}{, after the discount|, on what remains after the discount|, of the reduced price}.", b.rates[0], b.rates[1]),
			v.say(less, b.discount) + v.say("{; what remains of a line is rounded up to a cent|, and the reduced line is rounded up to a full cent|; round each reduced line up to a cent|, then round the line up to a cent|. A reduced line goes up to a cent}."), v.say(rounding),
		},
		input: []string{lines(text...)}, result: object{f[0]: net, f[1]: tax, f[2]: net + tax},
		claim: v.claim(f[2], net+tax), reason: why,
		program: b.program(f),
		steps:   []string{fmt.Sprintf("The lines after discount sum up to %s.", cents(net)), fmt.Sprintf("The tax is %s.", cents(tax))},
	}
}
