package generator

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// staff is a database of people and their orders, and a query.
type staff struct {
	people []clerk
	orders [][2]int // of the person with an id, over an amount; 0 is nobody
	least  int
	equal  bool // the limit itself counts
	none   bool // people without an order count
	every  bool // orders of nobody count in the sum
}

type clerk struct {
	id   int
	name string
	pay  int
}

func drawQuery(d *dice, l level) (twins, error) {
	a := staff{least: 100 * d.from(12, 40), equal: d.chance(50), none: d.chance(50), every: d.chance(50)}
	n := min(rows(d, l, 4, 7), 40)
	for i, name := range d.people(n) {
		a.people = append(a.people, clerk{i + 1, name, 100*d.from(10, 45) + d.below(2)*d.below(100)})
	}
	for range rows(d, l, 4, 8) {
		who := d.below(n + 1)
		a.orders = append(a.orders, [2]int{who, d.from(10, 900)})
	}
	at := d.below(n)
	a.orders = append(a.orders, [2]int{1 + (at+1)%n, d.from(10, 900)}) // so that there is a sum
	b := a
	b.people, b.orders = slices.Clone(a.people), slices.Clone(a.orders)
	why := [2]string{}
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0: // one person is paid more
		a.people[at].pay, b.people[at].pay = a.least+d.from(100, 900), a.least-d.from(100, 900)
		why = [2]string{fmt.Sprintf("%s is paid %d", a.people[at].name, a.people[at].pay), fmt.Sprintf("%s is paid %d", a.people[at].name, b.people[at].pay)}
	case 1: // one order is another's
		k := d.below(len(a.orders))
		a.orders[k][0], b.orders[k][0] = 0, at+1
		a.every, b.every = false, false
		why = [2]string{fmt.Sprintf("order %d is nobody's", k+1), fmt.Sprintf("order %d is %s's", k+1, a.people[at].name)}
	case 2: // the limit
		a.people[at].pay, b.people[at].pay = a.least, a.least
		a.equal, b.equal = true, false
		why = [2]string{"the query has >=", "the query has > without ="}
	case 3: // the join
		a.none, b.none = true, false
		a.people[at].pay, b.people[at].pay = a.least+100, a.least+100
		a.orders = slices.DeleteFunc(a.orders, func(o [2]int) bool { return o[0] == at+1 })
		b.orders = slices.Clone(a.orders)
		why = [2]string{"a LEFT JOIN keeps people without an order", "an inner JOIN drops people without an order"}
	}
	v := d.voice()
	f := [3]string{v.name("{names|people|who|rows}"), v.name("{orders|order_count|matched}"), v.name("{sum|total|amount}")}
	topic := f[0]
	if fmt.Sprint(a.names()) == fmt.Sprint(b.names()) {
		topic = f[1]
	}
	return twins{
		sides: [2]side{a.side(v, f, topic, why[0]), b.side(v, f, topic, why[1])}, topic: topic,
		aside:  []string{fmt.Sprintf("the table has %d people", n), fmt.Sprintf("there are %d orders", len(a.orders))},
		fields: []field{{f[0], `["string"]`}, {f[1], `"integer"`}, {f[2], `"integer"`}},
	}, nil
}

// names returns what the first query gives.
func (s staff) names() []string {
	out := []string{}
	for _, p := range s.people {
		has := slices.ContainsFunc(s.orders, func(o [2]int) bool { return o[0] == p.id })
		if (p.pay > s.least || p.pay == s.least && s.equal) && (has || s.none) {
			out = append(out, p.name)
		}
	}
	slices.Sort(out)
	return out
}

// queries returns the two queries of a task.
func (s staff) queries() [2]string {
	join, than, from := "JOIN", ">", "orders o JOIN staff s ON s.id = o.staff"
	if s.none {
		join = "LEFT JOIN"
	}
	if s.equal {
		than = ">="
	}
	if s.every {
		from = "orders o LEFT JOIN staff s ON s.id = o.staff"
	}
	return [2]string{
		fmt.Sprintf("SELECT DISTINCT s.name FROM staff s %s orders o ON o.staff = s.id WHERE s.pay %s %d ORDER BY s.name", join, than, s.least),
		"SELECT COUNT(*), SUM(o.amount) FROM " + from,
	}
}

func (s staff) side(v voice, f [3]string, topic, why string) side {
	text := []string{"CREATE TABLE staff(id INTEGER, name TEXT, pay INTEGER);", "CREATE TABLE orders(id INTEGER, staff INTEGER, amount INTEGER);"}
	for _, p := range s.people {
		text = append(text, fmt.Sprintf("INSERT INTO staff VALUES (%d,'%s',%d);", p.id, p.name, p.pay))
	}
	count, sum := 0, 0
	for i, o := range s.orders {
		who := fmt.Sprint(o[0])
		if o[0] == 0 {
			who = "NULL"
		}
		text = append(text, fmt.Sprintf("INSERT INTO orders VALUES (%d,%s,%d);", i+1, who, o[1]))
		if o[0] != 0 || s.every {
			count, sum = count+1, sum+o[1]
		}
	}
	q := s.queries()
	result := object{f[0]: s.names(), f[1]: count, f[2]: sum}
	return side{
		instruction: []string{
			v.say("{What do these queries return on the SQLite database of the input?|Run two queries on the database in the input (SQLite).|The input makes a SQLite database. We need what two queries give on it.}"),
			v.say("{$1 is the list of names, in their order, that this gives|As $1 list the names, in their order, of|Into $1 put the names, in their order, that come from}: $2", f[0], q[0]),
			v.say("{$1 and $2 are the two numbers of|Give as $1 and $2 the two numbers of|Then $1 and $2, the two numbers of}: $3", f[1], f[2], q[1]),
		},
		input: []string{lines(text...)}, result: result, claim: v.claim(topic, plainly(quoteAny(result[topic]))), reason: why,
		steps: []string{"Run both queries in SQLite on the input."},
		program: fmt.Sprintf(`const staff = [...text.matchAll(/INTO staff VALUES \((\d+),'([^']*)',(\d+)\)/g)].map(m => ({id: +m[1], name: m[2], pay: +m[3]}));
const orders = [...text.matchAll(/INTO orders VALUES \(\d+,(\d+|NULL),(\d+)\)/g)].map(m => ({staff: +m[1] || 0, amount: +m[2]}));
const names = staff.filter(p => (p.pay > %[4]d || %[5]t && p.pay === %[4]d) && (%[6]t || orders.some(o => o.staff === p.id))).map(p => p.name).sort();
const counted = orders.filter(o => %[7]t || o.staff);
return {%[1]q: names, %[2]q: counted.length, %[3]q: counted.reduce((all, o) => all + o.amount, 0)};`, f[0], f[1], f[2], s.least, s.equal, s.none, s.every),
	}
}

// quoteAny writes a value of a result.
func quoteAny(v any) []byte {
	raw, err := canonical(v)
	if err != nil {
		panic(err) // values of templates
	}
	return raw
}

// sales is a table of sales, and what a report about it wants.
type sales struct {
	rows     []sale
	first    int  // how many regions the list has
	returned bool // sales that were returned count
	byName   bool // the list is in the order of the names
}

type sale struct {
	region, state string
	amount        int
}

var regions = strings.Fields("North South East West Centre Coast Islands Highlands Valley Harbour")

func drawSales(d *dice, l level) (twins, error) {
	a := sales{first: d.from(2, 3), returned: d.chance(50), byName: d.chance(50)}
	used := some(d, regions, d.from(4, 6))
	for range rows(d, l, 8, 14) {
		a.rows = append(a.rows, sale{pick(d, used...), pick(d, "sold", "sold", "sold", "returned"), d.from(20, 2000)})
	}
	b := a
	b.rows = slices.Clone(a.rows)
	at := d.below(len(a.rows))
	why := [2]string{}
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0: // one sale is of another region
		b.rows[at].region = pick(d, used...)
		why = [2]string{fmt.Sprintf("row %d is of %s", at+1, a.rows[at].region), fmt.Sprintf("row %d is of %s", at+1, b.rows[at].region)}
	case 1: // one amount
		b.rows[at].amount += 1000
		a.rows[at].state, b.rows[at].state = "sold", "sold"
		why = [2]string{fmt.Sprintf("row %d has %d", at+1, a.rows[at].amount), fmt.Sprintf("row %d has %d", at+1, b.rows[at].amount)}
	case 2: // returned sales
		a.returned, b.returned = true, false
		why = [2]string{"returned sales count", "returned sales do not count"}
	case 3: // the order of the list
		a.byName, b.byName = true, false
		why = [2]string{"the list is sorted by name", "the list is sorted by the sums"}
	}
	v := d.voice()
	f := [4]string{v.name("{regions|list|ranking|rows}"), v.name("{region|name|area}"), v.name("{sum|total|sales}"), v.name("{all|grand_total|overall}")}
	return twins{
		sides: [2]side{a.side(v, f, why[0]), b.side(v, f, why[1])}, topic: f[0],
		aside:  []string{fmt.Sprintf("the table has %d rows", len(a.rows)), fmt.Sprintf("there are %d regions", len(used))},
		fields: []field{{f[0], fmt.Sprintf(`[{%q:"string",%q:"integer"}]`, f[1], f[2])}, {f[3], `"integer"`}},
	}, nil
}

func (s sales) side(v voice, f [4]string, why string) side {
	text := []string{v.say("{region|area};{state|status};{amount|price}")}
	sums, all := map[string]int{}, 0
	for _, r := range s.rows {
		text = append(text, fmt.Sprintf("%s;%s;%d", r.region, r.state, r.amount))
		if all += r.amount; r.state == "sold" || s.returned {
			sums[r.region] += r.amount
		}
	}
	var names []string
	for name := range sums {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		if sums[x] != sums[y] {
			return sums[y] - sums[x]
		}
		return strings.Compare(x, y)
	})
	names = names[:min(s.first, len(names))]
	if s.byName {
		slices.Sort(names)
	}
	list := []any{}
	for _, name := range names {
		list = append(list, object{f[1]: name, f[2]: sums[name]})
	}
	order := v.say("{highest sum first|from the highest sum down|with the highest sum first}")
	if s.byName {
		order = v.say("{in alphabetical order|sorted by name|in the order of the alphabet}")
	}
	counts := v.say("{Returned sales do not count in these sums|These sums are without what was returned|Leave returned sales out of the sums}.")
	if s.returned {
		counts = v.say("{Returned sales count in these sums, too|These sums include what was returned|Keep returned sales in the sums}.")
	}
	return side{
		instruction: []string{
			v.say("{The input is a table|Take the table of the input|Here is a table of sales}: {region, state and amount|each row has a region, a state and an amount}."),
			v.say("{$1 has the $2 regions with the highest sums (of equal ones, the first in the alphabet)|Find the $2 regions with the highest sums (the alphabet decides between equal ones) and give them as $1}, $3, {each|each one} with $4 and $5. ", f[0], s.first, order, f[1], f[2]) + counts,
			v.say("{$1 is the sum of all rows, whatever their state|As $1 give the sum of all rows, of any state}.", f[3]),
		},
		input: []string{lines(text...)}, result: object{f[0]: list, f[3]: all}, claim: v.claim(f[0], string(quoteAny(list))), reason: why,
		steps: []string{"Add up the amounts by region, and take the highest."},
		program: fmt.Sprintf(`const rows = text.split("\n").slice(1).map(l => l.split(";"));
const sums = {};
for (const [region, state, amount] of rows) if (%[6]t || state === "sold") sums[region] = (sums[region] || 0) + +amount;
let names = Object.keys(sums).sort((a, b) => sums[b] - sums[a] || (a < b ? -1 : 1)).slice(0, %[5]d);
if (%[7]t) names.sort();
return {%[1]q: names.map(n => ({%[2]q: n, %[3]q: sums[n]})), %[4]q: rows.reduce((all, r) => all + +r[2], 0)};`, f[0], f[1], f[2], f[3], s.first, s.returned, s.byName),
	}
}

// deadline is a list of orders with a term in days.
type deadline struct {
	orders  []order
	working bool // only Monday to Friday count
	same    bool // the first day counts
	late    int  // of orders, the one that is asked about
}

type order struct {
	id   string
	on   time.Time
	term int
}

func drawDeadline(d *dice, l level) (twins, error) {
	a := deadline{working: d.chance(50), same: d.chance(50)}
	start := time.Date(d.from(2024, 2027), time.Month(d.from(1, 12)), d.from(1, monthDays), 0, 0, 0, 0, time.UTC)
	for i := range rows(d, l, 4, 7) {
		a.orders = append(a.orders, order{fmt.Sprintf("%s-%d", pick(d, "A", "K", "R", "T"), 100+7*i+d.below(7)), start.AddDate(0, 0, d.below(90)), d.from(3, 40)})
	}
	a.late = d.below(len(a.orders))
	b := a
	b.orders = slices.Clone(a.orders)
	why := [2]string{}
	one := a.orders[a.late]
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0:
		b.orders[a.late].term += d.from(1, 9)
		why = [2]string{fmt.Sprintf("%s has %d days", one.id, one.term), fmt.Sprintf("%s has %d days", one.id, b.orders[a.late].term)}
	case 1:
		b.orders[a.late].on = one.on.AddDate(0, 0, d.from(3, 20))
		why = [2]string{one.id + " is of " + one.on.Format(time.DateOnly), one.id + " is of " + b.orders[a.late].on.Format(time.DateOnly)}
	case 2:
		a.same, b.same = true, false
		why = [2]string{"the first day counts", "the first day does not count"}
	case 3:
		a.working, b.working = true, false
		why = [2]string{"Saturdays and Sundays do not count", "all days count"}
	}
	v := d.voice()
	f := [3]string{v.name("{due|deadline|last_day|due_date}"), v.name("{weekday|day|day_of_week}"), v.name("{id|order|which}")}
	return twins{
		sides: [2]side{a.side(v, f, why[0]), b.side(v, f, why[1])}, topic: f[0],
		aside:  []string{fmt.Sprintf("the list has %d orders", len(a.orders)), "the order is " + one.id},
		fields: []field{{f[0], `"string"`}, {f[1], `"string"`}, {f[2], `"string"`}},
	}, nil
}

// ends returns the last day of a term.
func (t deadline) ends(o order) time.Time {
	day, left := o.on, o.term
	counts := func() bool {
		return !t.working || day.Weekday() != time.Saturday && day.Weekday() != time.Sunday
	}
	if t.same && counts() {
		left--
	}
	for left > 0 {
		if day = day.AddDate(0, 0, 1); counts() {
			left--
		}
	}
	return day
}

func (t deadline) side(v voice, f [3]string, why string) side {
	text := []string{v.say("{order|id}, {date|day}, {term|days}")}
	for _, o := range t.orders {
		text = append(text, fmt.Sprintf("%s, %s, %d", o.id, o.on.Format(time.DateOnly), o.term))
	}
	one := t.orders[t.late]
	end := t.ends(one)
	first := v.say("{The day of the order is not part of the term|The term begins on the day after the order|Do not count the day of the order}, and")
	if t.same {
		first = v.say("{The day of the order is part of the term|The term begins with the day of the order|Count the day of the order as the first one}, and")
	}
	working := v.say("{all days count|every day of the week counts|weekends count as other days do}")
	if t.working {
		working = v.say("{only Monday to Friday count|Saturdays and Sundays do not count|weekends do not count}")
	}
	return side{
		instruction: []string{
			v.say("{The input lists orders with their day and their term in days|Each order of the input has a day and a term in days}."),
			v.say("{Give the last day of the term of $1 as $2 (YYYY-MM-DD), its English day of the week as $3, and the id of the order as $4|"+
				"For the order $1 we need $2, the last day of its term (YYYY-MM-DD), $3, its day of the week in English, and $4, the id of the order}.", one.id, f[0], f[1], f[2]),
			first + " " + working + ".",
		},
		input: []string{lines(text...)}, result: object{f[0]: end.Format(time.DateOnly), f[1]: end.Weekday().String(), f[2]: one.id},
		claim: v.claim(f[0], end.Format(time.DateOnly)), reason: why,
		steps: []string{fmt.Sprintf("Count %d days from %s.", one.term, one.on.Format(time.DateOnly))},
		program: fmt.Sprintf(`const [id, on, term] = text.split("\n").map(l => l.split(", ")).find(l => l[0] === %[4]q);
const day = new Date(on + "T00:00:00Z");
const counts = () => !%[5]t || day.getUTCDay() %% 6 !== 0;
let left = +term - (%[6]t && counts() ? 1 : 0);
while (left > 0) { day.setUTCDate(day.getUTCDate() + 1); if (counts()) left--; }
return {%[1]q: day.toISOString().slice(0, 10), %[2]q: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][day.getUTCDay()], %[3]q: id};`, f[0], f[1], f[2], one.id, t.working, t.same),
	}
}
