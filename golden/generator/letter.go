package generator

import "fmt"

// letter is an invoice as a firm writes it, with numbers beside those that are asked for.
type letter struct {
	seller, buyer   string
	number, order   string
	issued, due     date
	total, previous int // cents
	dayFirst        bool
	contact, signer string
	goods           []good
	swapped         bool // the two amounts are named in the other order
}

func drawLetter(d *dice, l level) (twins, error) {
	people := d.people(2)
	a := letter{
		seller: d.firm(), buyer: d.firm(), number: fmt.Sprintf("%d-%04d", d.from(2024, 2027), d.from(1, 9999)),
		order: fmt.Sprintf("%d-%04d", d.from(2024, 2027), d.from(1, 9999)), contact: people[0], signer: people[1],
		total: d.from(20_000, 900_000), previous: d.from(20_000, 900_000), dayFirst: d.chance(50),
	}
	year, month := d.from(2024, 2027), d.from(1, 11)
	day := d.from(1, 12)
	a.issued, a.due = date{year, month, day}, date{year, month + 1, d.from(1, 12)}
	for range rows(d, l, 4, 7) {
		a.goods = append(a.goods, good{name: pick(d, goods...), many: d.from(1, 40), each: d.from(99, 9_999)})
	}
	b := a
	topic, claims, why := "number", [2]string{}, [2]string{}
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0: // invoice and order
		b.number, b.order = a.order, a.number
		claims = [2]string{"the invoice has the number " + a.number, "the invoice has the number " + b.number}
		why = [2]string{a.order + " is the number of the order", b.order + " is the number of the order"}
	case 1: // who is to be asked
		topic = "contact"
		b.contact, b.signer = a.signer, a.contact
		claims = [2]string{"the contact is " + a.contact, "the contact is " + b.contact}
		why = [2]string{a.signer + " only signed the letter", b.signer + " only signed the letter"}
	case 2: // the dates
		topic = "date"
		a.dayFirst, b.dayFirst = true, false
		b.issued, b.due = date{a.issued.year, a.issued.day, a.issued.month}, date{a.due.year, a.due.day, a.due.month}
		claims = [2]string{"date is " + a.issued.String(), "date is " + b.issued.String()}
		why = [2]string{"the letter writes the day first", "the letter writes the month first"}
	case 3: // what is open
		topic = "total_cents"
		b.total, b.previous = a.previous, a.total
		b.swapped = !a.swapped
		claims = [2]string{"the amount of this invoice is " + cents(a.total), "the amount of this invoice is " + cents(b.total)}
		why = [2]string{cents(a.previous) + " is the balance of the invoice before", cents(b.previous) + " is the balance of the invoice before"}
	}
	return twins{
		sides: [2]side{a.side(claims[0], why[0]), b.side(claims[1], why[1])}, topic: topic,
		aside:  []string{"the seller is " + a.seller, "the buyer is " + a.buyer, fmt.Sprintf("the letter lists %d goods", len(a.goods))},
		schema: `{"seller":"string","number":"string","date":"string","due":"string","total_cents":"integer","contact":"string","note":"string"}`,
	}, nil
}

func (a letter) side(claim, why string) side {
	written, form := func(t date) string { return fmt.Sprintf("%02d/%02d/%d", t.month, t.day, t.year) }, "month/day/year"
	if a.dayFirst {
		written, form = func(t date) string { return fmt.Sprintf("%02d/%02d/%d", t.day, t.month, t.year) }, "day/month/year"
	}
	text := []string{
		a.seller + " to " + a.buyer,
		fmt.Sprintf("Order %s, invoice %s, of %s (dates are %s)", a.order, a.number, written(a.issued), form), "",
		"Dear customer, for your order we charge:",
	}
	for i, g := range a.goods {
		text = append(text, fmt.Sprintf("  %d  %s, %d pieces", i+1, g.name, g.many))
	}
	now, before := "Amount of this invoice: "+cents(a.total)+" EUR.", "Still open from the invoice before: "+cents(a.previous)+" EUR."
	if a.swapped {
		now, before = before, now
	}
	text = append(text, now, before, fmt.Sprintf("Please pay by %s. Questions are answered by %s.", written(a.due), a.contact), "Signed: "+a.signer)
	return side{
		instruction: []string{
			"Take from the letter: seller, the number of the invoice, its date, the day by which it is due, total_cents, and the contact.",
			"Dates are YYYY-MM-DD. total_cents is the amount of this invoice in cents, without what is open from earlier ones. The contact answers questions.",
		},
		input: []string{lines(text...)},
		result: object{
			"seller": a.seller, "number": a.number, "date": a.issued.String(), "due": a.due.String(), "total_cents": a.total, "contact": a.contact,
		},
		claim: claim, reason: why,
		steps: []string{"Read the second line of the letter, the lines with amounts, and the last two lines."},
	}
}
