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
	return twins{
		sides: [2]side{b.side(firm, number, why[0]), other.side(firm, number, why[1])}, topic: "total_cents",
		aside:  []string{"the number of the document is " + number, fmt.Sprintf("there are %d lines", len(b.rows)), fmt.Sprintf("class B pays %d %%", b.rates[1])},
		schema: `{"net_cents":"integer","tax_cents":"integer","total_cents":"integer","note":"string"}`,
	}, nil
}

func (b bill) side(firm, number, why string) side {
	text := []string{fmt.Sprintf("%s, offer %s", firm, number)}
	net, exact, tax := 0, [2]int{}, 0
	for i, g := range b.rows {
		text = append(text, fmt.Sprintf("%d. %s: %d x %s, class %c", i+1, g.name, g.many, cents(g.each), 'A'+g.class))
		line := g.many * g.each
		if b.classes == "all" || g.class == 0 {
			line -= line * b.discount / 100
		}
		net += line
		exact[g.class] += line * b.rates[g.class]
		tax += line * b.rates[g.class] / 100
	}
	rounding := "The tax of each line is rounded down to a cent, and then added up."
	if b.late {
		tax = exact[0]/100 + exact[1]/100
		rounding = "The tax is computed for the sum of each class, and rounded down to a cent there."
	}
	less := fmt.Sprintf("There is a discount of %d %% on all lines; what remains of a line is rounded up to a cent.", b.discount)
	if b.classes == "A" {
		less = fmt.Sprintf("There is a discount of %d %% on the lines of class A, and none on class B; what remains of a line is rounded up to a cent.", b.discount)
	}
	return side{
		instruction: []string{
			"Compute the offer: net_cents after discount, tax_cents, and total_cents, which is both together. All are in cents.",
			fmt.Sprintf("Class A is taxed with %d %%, class B with %d %%, after the discount.", b.rates[0], b.rates[1]), less, rounding,
		},
		input: []string{lines(text...)}, result: object{"net_cents": net, "tax_cents": tax, "total_cents": net + tax},
		claim: fmt.Sprintf("total_cents is %d", net+tax), reason: why,
		steps: []string{fmt.Sprintf("The lines after discount sum up to %s.", cents(net)), fmt.Sprintf("The tax is %s.", cents(tax))},
	}
}
