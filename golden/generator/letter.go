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
	v := d.voice()
	f := [6]string{
		v.name("{seller|supplier|issuer|firm}"), v.name("{number|invoice_number|invoice_no|invoice}"), v.name("{date|invoice_date|issued}"),
		v.name("{due|due_date|pay_by|deadline}"), v.name("{total_cents|amount_cents|cents|charged_cents}"), v.name("{contact|contact_person|person|ask}"),
	}
	topic, claims, why := f[1], [2]string{}, [2]string{}
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0: // invoice and order
		b.number, b.order = a.order, a.number
		claims = [2]string{"the invoice has the number " + a.number, "the invoice has the number " + b.number}
		why = [2]string{a.order + " is the number of the order", b.order + " is the number of the order"}
	case 1: // who is to be asked
		topic = f[5]
		b.contact, b.signer = a.signer, a.contact
		claims = [2]string{"the contact is " + a.contact, "the contact is " + b.contact}
		why = [2]string{a.signer + " only signed the letter", b.signer + " only signed the letter"}
	case 2: // the dates
		topic = f[2]
		a.dayFirst, b.dayFirst = true, false
		b.issued, b.due = date{a.issued.year, a.issued.day, a.issued.month}, date{a.due.year, a.due.day, a.due.month}
		claims = [2]string{f[2] + " is " + a.issued.String(), f[2] + " is " + b.issued.String()}
		why = [2]string{"the letter writes the day first", "the letter writes the month first"}
	case 3: // what is open
		topic = f[4]
		b.total, b.previous = a.previous, a.total
		b.swapped = !a.swapped
		claims = [2]string{"the amount of this invoice is " + cents(a.total), "the amount of this invoice is " + cents(b.total)}
		why = [2]string{cents(a.previous) + " is the balance of the invoice before", cents(b.previous) + " is the balance of the invoice before"}
	}
	out := twins{
		sides: [2]side{a.side(v, f, claims[0], why[0]), b.side(v, f, claims[1], why[1])}, topic: topic,
		aside: []string{"the seller is " + a.seller, "the buyer is " + a.buyer, fmt.Sprintf("the letter lists %d goods", len(a.goods))},
	}
	for i, name := range f {
		out.fields = append(out.fields, field{name, map[bool]string{true: `"integer"`, false: `"string"`}[i == 4]})
	}
	return out, nil
}

func (a letter) side(v voice, f [6]string, claim, why string) side {
	written, form := func(t date) string { return fmt.Sprintf("%02d/%02d/%d", t.month, t.day, t.year) }, "month/day/year"
	if a.dayFirst {
		written, form = func(t date) string { return fmt.Sprintf("%02d/%02d/%d", t.day, t.month, t.year) }, "day/month/year"
	}
	text := []string{
		v.say("{$1 to $2|From $1 to $2|$1, for $2}", a.seller, a.buyer),
		v.say("{Order $1, invoice $2, of $3 (dates are $4)|Invoice $2 of $3, your order $1. Our dates are $4.|Your order: $1. Our invoice $2 is of $3 (dates are $4).}", a.order, a.number, written(a.issued), form), "",
		v.say("{Dear customer, for your order we charge|Thank you for your order. We delivered|We invoice the following|Please find below what we sent you|Our delivery}:"),
	}
	row := v.say("{  $1  $2, $3 pieces|$1. $2 ($3)|- $3 x $2|* $2: $3}")
	for i, g := range a.goods {
		text = append(text, fill(row, i+1, g.name, g.many))
	}
	now := v.say("{Amount of this invoice|To pay for this invoice|This invoice}: {$1 EUR|EUR $1}.", cents(a.total))
	before := v.say("{Still open from the invoice before|Not yet paid of an earlier invoice|Balance of the invoice before}: {$1 EUR|EUR $1}.", cents(a.previous))
	if a.swapped {
		now, before = before, now
	}
	text = append(text, now, before, v.say("{Please pay by $1|Payable by $1|Due on $1 at the latest}. {Questions are answered by $2|If you have questions, ask $2|Contact: $2}.", written(a.due), a.contact), v.say("{Signed: $1|$1 (signature)|Yours, $1}", a.signer))
	return side{
		instruction: []string{
			v.say("{Take from the letter|Read the letter and give|Extract from the letter|From this letter we need|What does the letter say? Return}"+
				"{: $1, the number of the invoice as $2, its date as $3, the day by which it is due as $4, $5 and $6|: $1 is the firm that sells, $2 the invoice's number, $3 its date, $4 the last day to pay, then $5 and $6|"+
				" $1 (who sells), $2 (of the invoice), $3 (when it was written), $4 (the last day to pay), $5 and $6}.", f[0], f[1], f[2], f[3], f[4], f[5]),
			v.say("{Dates are YYYY-MM-DD|Write dates as YYYY-MM-DD|Use the form YYYY-MM-DD for dates}. {$1 is the amount of this invoice in cents, without what is open from earlier ones|Put only this invoice's amount into $1, in cents, not older balances|"+
				"In $1 give what this invoice charges, in cents}. {The $2 answers questions|$2 is the person who answers questions|As $2 name whom to ask}.", f[4], f[5]),
		},
		input: []string{lines(text...)},
		result: object{
			f[0]: a.seller, f[1]: a.number, f[2]: a.issued.String(), f[3]: a.due.String(), f[4]: a.total, f[5]: a.contact,
		},
		claim: claim, reason: why,
		program: a.program(f),
		steps:   []string{"Read the second line of the letter, the lines with amounts, and the last two lines."},
	}
}
