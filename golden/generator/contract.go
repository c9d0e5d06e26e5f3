package generator

import (
	"fmt"
	"slices"
	"strings"
)

// contract is a contract with amendments, and the question what holds on a day.
type contract struct {
	values  [3]int // notice in days, fee in cents, cap in cents
	changes []amendment
	asked   date
	same    bool // an amendment holds on the very day on which it takes effect
}

type amendment struct {
	on    date
	which int // of values
	value int
}

var clauses = [3]struct{ title, name, text string }{
	{"Notice", "{notice_days|notice|days_of_notice|notice_period}", "{Either party may end this agreement with a notice of $1|The agreement ends $1 after either party says so in writing|Each party may leave; the period is $1}."},
	{"Fee", "{fee_cents|monthly_fee_cents|fee|monthly_fee}", "{The monthly fee is $1|The customer pays $1 a month|For its services the provider gets $1 each month}."},
	{"Liability", "{cap_cents|liability_cents|limit_cents|cap}", "{The liability of the provider is limited to $1 in a year|In any year the provider is liable for $1 at most|Damages are paid up to $1 a year|The provider pays for damage, up to $1 each year|No more than $1 a year can be claimed}."},
}

var filler = []string{
	"The provider keeps the equipment in good order and replaces parts that fail within a reasonable time.",
	"The customer names one person who may give instructions, and tells the provider if this changes.",
	"Neither party is liable for what it cannot foresee or prevent, such as storms, strikes or failures of the public network.",
	"Drafts, plans and lists remain the property of the party that made them, unless the parties agree otherwise in writing.",
	"Both parties keep secret what they learn about each other's business, also after the end of this agreement.",
	"Work outside usual hours is announced two days ahead, unless there is danger for people or things.",
	"If a part of this agreement is void, the other parts remain in force.",
	"The provider may have parts of the work done by others and answers for them as for itself.",
	"Notices are sent by e-mail and count as received on the next working day.",
	"The customer provides access, power and a place to store tools without charge.",
}

func written(which, value int) string {
	if which == 0 {
		return fmt.Sprintf("%d days", value)
	}
	return "EUR " + cents(value)
}

func drawContract(d *dice, l level) (twins, error) {
	draw := func(which int) int {
		return [...]int{pick(d, 14, 30, 45, 60, 90), 100 * d.from(80, 900), 100_000 * d.from(5, 90)}[which]
	}
	a := contract{asked: d.date(), same: d.chance(50)}
	for i := range a.values {
		a.values[i] = draw(i)
	}
	which, days := d.below(len(clauses)), []int{-60, -25, 20, 50}
	for i, gap := range days {
		k := d.below(len(clauses))
		if i == 1 || i == 2 {
			k = which
		}
		a.changes = append(a.changes, amendment{shifted(a.asked, gap+d.from(-9, 9)), k, draw(k)})
	}
	b := a
	b.changes = slices.Clone(a.changes)
	var why [2]string
	if l.subtle { // an amendment of the very day
		a.changes[1].on, b.changes[1].on = a.asked, a.asked
		a.same, b.same = true, false
		why = [2]string{"the very day counts", "the very day does not count"}
	} else { // two amendments exchange their dates
		b.changes[1].on, b.changes[2].on = a.changes[2].on, a.changes[1].on
		why = [2]string{
			fmt.Sprintf("the change to %s was before %s", written(which, a.changes[1].value), a.asked),
			fmt.Sprintf("the change to %s was before %s", written(which, a.changes[2].value), a.asked),
		}
	}
	claim := func(c contract) string {
		return fmt.Sprintf("%s is %s on that day", strings.ToLower(clauses[which].title), written(which, c.holding()[which]))
	}
	provider, customer := d.firm(), d.firm()
	v := d.voice()
	f := [5]string{v.name("{provider|supplier|contractor}"), v.name("{customer|client|buyer}"), v.name(clauses[0].name), v.name(clauses[1].name), v.name(clauses[2].name)}
	order, texts := some(d, []int{0, 1, 2}, 3), some(d, filler, d.from(3, 6))
	if l.long {
		for len(texts) < 60 {
			texts = append(texts, some(d, filler, len(filler))...)
		}
	}
	return twins{
		sides: [2]side{a.side(v, f, provider, customer, order, texts, claim(a), why[0]), b.side(v, f, provider, customer, order, texts, claim(b), why[1])},
		topic: clauses[which].name, aside: []string{"the provider is " + provider, "the customer is " + customer, fmt.Sprintf("there are %d amendments", len(days))},
		fields: []field{{f[0], `"string"`}, {f[1], `"string"`}, {f[2], `"integer"`}, {f[3], `"integer"`}, {f[4], `"integer"`}},
	}, nil
}

// shifted is a day so many days later, in months of 27 days.
func shifted(t date, days int) date {
	n := (t.year*12+t.month-1)*monthDays + t.day - 1 + days
	return date{n / monthDays / 12, n/monthDays%12 + 1, n%monthDays + 1}
}

// holding is what holds on the day that is asked for.
func (c contract) holding() [3]int {
	values := c.values
	all := slices.Clone(c.changes)
	slices.SortStableFunc(all, func(x, y amendment) int { return x.on.number() - y.on.number() })
	for _, m := range all {
		if m.on.number() < c.asked.number() || m.on == c.asked && c.same {
			values[m.which] = m.value
		}
	}
	return values
}

func (c contract) side(v voice, f [5]string, provider, customer string, order []int, texts []string, claim, why string) side {
	text := []string{v.say("{Agreement between $1 (provider) and $2 (customer)|Contract. Provider: $1. Customer: $2.|Service agreement of $1, provider, with $2, customer}", provider, customer), ""}
	section, other := 0, v.say("{General|Other terms|Miscellaneous|Common rules}")
	add := func(title, body string) {
		section++
		text = append(text, fmt.Sprintf("%d. %s. %s", section, title, body))
	}
	each := len(texts) / len(order)
	for i, which := range order {
		for _, body := range texts[i*each : (i+1)*each] {
			add(other, body)
		}
		add(clauses[which].title, v.say(clauses[which].text, written(which, c.values[which])))
	}
	text = append(text, "", v.say("{Amendments|Changes|What was agreed later}"))
	row := v.say("{($1) The clause \"$2\" is changed to $3. Takes effect on $4.|($1) Clause \"$2\": now $3, in effect on $4.|($1) With effect on $4, the clause \"$2\" says $3.}")
	for i, m := range c.changes {
		text = append(text, fill(row, string(rune('a'+i)), clauses[m.which].title, written(m.which, m.value), m.on))
	}
	holds := c.holding()
	rule := "{An amendment holds only from the day after the one on which it takes effect|On the day it takes effect an amendment does not count yet|An amendment counts from the following day on}."
	if c.same {
		rule = "{An amendment holds already on the day on which it takes effect|On the day it takes effect an amendment counts already|An amendment counts from its very day on}."
	}
	return side{
		instruction: []string{
			v.say("{Take from the contract what holds on $1|What does the contract say on $1? Give|State what is in force on $1|We need the terms as of $1}: $2, $3, $4{, | (in days), }$5 {(monthly)|(a month)|(per month)} and $6{, amounts in cents|. Amounts are in cents|; money in cents}.", c.asked, f[0], f[1], f[2], f[3], f[4]),
			v.say(rule) + " " + v.say("{A later amendment of a clause replaces earlier ones; the dates decide, not the letters|Of several amendments of a clause the one with the latest date replaces the others|Go by the dates of the amendments, not by their letters: later ones replace earlier ones}."),
		},
		input:  []string{lines(text...)},
		result: object{f[0]: provider, f[1]: customer, f[2]: holds[0], f[3]: holds[1], f[4]: holds[2]},
		claim:  claim, reason: why,
		program: c.program(f),
		steps:   []string{fmt.Sprintf("Apply the amendments in the order of their dates up to %s.", c.asked)},
	}
}
