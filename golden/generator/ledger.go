package generator

import (
	"fmt"
	"slices"
	"strings"
)

// book is a statement of an account and the question about it.
type book struct {
	rows      []entry
	category  string
	status    string
	from, to  date
	open      bool // the last day does not count
	noRefunds bool // negative amounts do not count
}

type entry struct {
	on               date
	payee            string
	category, status string
	cents            int
}

var statuses = []string{"paid", "pending", "disputed"}

func drawLedger(d *dice, l level) (twins, error) {
	year, month := d.from(2024, 2027), d.from(1, 12)
	b := book{
		category: pick(d, categories...), status: pick(d, statuses[:2]...), from: date{year, month, d.from(3, 8)}, to: date{year, month, d.from(18, 24)},
		open: d.chance(50), noRefunds: d.chance(50),
	}
	used := append(some(d, slices.DeleteFunc(slices.Clone(categories), func(c string) bool { return c == b.category }), 3), b.category, b.category)
	firms := make([]string, d.from(4, 7))
	for i := range firms {
		firms[i] = d.firm()
	}
	for range rows(d, l, 9, 16) {
		e := entry{on: date{year, month, d.from(1, monthDays)}, payee: pick(d, firms...), category: pick(d, used...), status: pick(d, statuses...), cents: d.from(300, 48_000)}
		if d.chance(12) {
			e.cents = -e.cents
		}
		b.rows = append(b.rows, e)
	}
	slices.SortStableFunc(b.rows, func(x, y entry) int { return x.on.number() - y.on.number() })
	other := b
	other.rows = slices.Clone(b.rows)
	why := [2]string{}
	at := d.below(len(b.rows))
	one, two := &b.rows[at], &other.rows[at]
	name := fmt.Sprintf("the row of %s with %s over %s", one.on, one.payee, cents(one.cents))
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0: // one row has another status
		one.category, two.category = b.category, b.category
		one.status, two.status = b.status, pick(d, statuses...)
		why[0], why[1] = name+" is "+one.status, name+" is "+two.status
	case 1: // one row has another category
		one.status, two.status = b.status, b.status
		one.category, two.category = b.category, pick(d, used[:3]...)
		why[0], why[1] = name+" belongs to "+one.category, name+" belongs to "+two.category
	case 2: // the last day counts, or not
		one.category, two.category, one.status, two.status = b.category, b.category, b.status, b.status
		b.open, other.open = true, false
		b.to, other.to = one.on, one.on
		why[0], why[1] = "the task leaves out the "+b.to.String(), "the task includes the "+b.to.String()
	case 3: // refunds count, or not
		one.category, two.category, one.status, two.status = b.category, b.category, b.status, b.status
		b.noRefunds, other.noRefunds = true, false
		one.cents, two.cents = -max(one.cents, -one.cents), -max(one.cents, -one.cents)
		why[0], why[1] = "the task leaves refunds out", "the task subtracts refunds"
	}
	v := d.voice()
	f := [2]string{v.name("{total_cents|sum_cents|amount_cents|cents|sum|total|sum_in_cents}"), v.name("{count|rows|entries|number_of_rows|matches|how_many}")}
	firm, currency := d.firm(), pick(d, "EUR", "CHF", "USD", "GBP")
	return twins{
		sides:  [2]side{b.side(v, f, firm, currency, why[0]), other.side(v, f, firm, currency, why[1])},
		topic:  f[0],
		aside:  []string{"the amounts are in " + currency, "the dates were read in the right order", fmt.Sprintf("the document has %d rows", len(b.rows))},
		fields: []field{{f[0], `"integer"`}, {f[1], `"integer"`}},
	}, nil
}

// rows draws how many rows a document has.
func rows(d *dice, l level, least, most int) int {
	if l.vast {
		return d.from(30*least, 40*most)
	}
	if l.long {
		return d.from(8*least, 8*most)
	}
	return d.from(least, most)
}

// changes are the ways in which twins of a level may differ.
func changes(l level, plain, subtle []int) []int {
	if l.subtle {
		return subtle
	}
	return plain
}

// side answers the question.
func (b book) side(v voice, f [2]string, firm, currency, why string) side {
	text := []string{
		v.say("{$1: statement of account|Statement of $1|$1, account statement|Transactions of $1|Account of $1|$1 - bookings}", firm),
		v.say("{date|day|booked} | {payee|paid to|firm|name} | {category|kind|type} | {status|state} | {$1|amount in $1|amount ($1)}", currency),
	}
	separator := v.say("{ ¦ |; |\t|, |;}")
	text[1] = strings.ReplaceAll(text[1], " | ", separator)
	total, count := 0, 0
	for _, e := range b.rows {
		text = append(text, strings.Join([]string{e.on.String(), e.payee, e.category, e.status, cents(e.cents)}, separator))
		if b.counts(e) {
			total, count = total+e.cents, count+1
		}
	}
	until := "{both days included|both days count|first and last day included|the last day counts, too}"
	if b.open {
		until = "{the last day not included|without the last day|the last day excluded|the last day does not count}"
	}
	refunds := "{A refund is a negative amount: subtract it|Refunds are negative and are subtracted|Negative amounts reduce the sum|Take refunds (negative amounts) off}."
	if b.noRefunds {
		refunds = "{A refund is a negative amount: leave it out|Refunds are negative; skip them|Ignore negative amounts|Negative amounts are not part of the sum}."
	}
	return side{
		instruction: []string{
			v.say("{Add up|Sum up|Total|What is the sum of} {the amounts of|the amounts in|all amounts of} the {statement|list|document|input} "+
				"{in the category $1 with the status $2|that have the status $2 and the category $1|of category $1 that are $2}"+
				"{, from $3 to $4, $5|. Only rows from $3 to $4 count, $5|, dated $3 to $4 ($5)}.", b.category, b.status, b.from, b.to, v.say(until)),
			v.say(refunds),
			v.say("{{Give|Return|Write|Report} the sum in cents as $1{, and|, and also|;} as $2 {how many rows it has|the number of rows that count|how many rows that is}.|"+
				"$1 is the sum in cents, $2 {is the number of rows in it|how many rows it has}.|{Fill in|Return|We need} $1, the sum in cents, and $2, the number of rows{ behind it| that count|}.}", f[0], f[1]),
		},
		input: []string{lines(text...)}, result: object{f[0]: total, f[1]: count},
		claim: v.claim(f[0], total), reason: why,
		program: b.program(f),
		steps:   []string{fmt.Sprintf("Add up the %d rows that count: the sum is %s.", count, cents(total))},
	}
}

func (b book) counts(e entry) bool {
	day, last := e.on.number(), b.to.number()
	inTime := day >= b.from.number() && (day < last || day == last && !b.open)
	return inTime && e.category == b.category && e.status == b.status && (e.cents >= 0 || !b.noRefunds)
}
