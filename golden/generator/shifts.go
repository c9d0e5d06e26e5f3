package generator

import (
	"fmt"
	"slices"
	"strings"
)

// roster is a sheet of shifts and the question about one person.
type roster struct {
	rows    []shift
	person  string
	unpaid  bool // breaks are not paid
	beyond  int  // minutes of a day; what is beyond counts half as much again
	reached bool // a shift of exactly that length is counted as a long one
	bonus   int  // minutes that a long shift adds
}

type shift struct {
	on            date
	person        string
	begin, length int // minutes
	pause         int
}

func drawShifts(d *dice, l level) (twins, error) {
	people := d.people(d.from(3, 5))
	r := roster{person: people[0], unpaid: d.chance(50), beyond: pick(d, 420, 450, 480), reached: d.chance(50), bonus: pick(d, 15, 20, 30)}
	year, month := d.from(2024, 2027), d.from(1, 12)
	for range rows(d, l, 8, 14) {
		r.rows = append(r.rows, shift{date{year, month, d.from(1, monthDays)}, pick(d, people...), 15 * d.from(20, 48), 15 * d.from(12, 36), pick(d, 0, 15, 20, 30, 45)})
	}
	slices.SortStableFunc(r.rows, func(x, y shift) int { return x.on.number() - y.on.number() })
	other := r
	other.rows = slices.Clone(r.rows)
	why := [2]string{}
	at := d.below(len(r.rows))
	one, two := &r.rows[at], &other.rows[at]
	name := fmt.Sprintf("the shift of %s at %s", one.on, clock(one.begin))
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0: // one shift is somebody else's
		one.person, two.person = people[0], people[1]
		why = [2]string{name + " was " + people[0] + "'s", name + " was " + people[1] + "'s"}
	case 1: // breaks
		one.person, two.person = people[0], people[0]
		one.pause, two.pause = 30, 30
		r.unpaid, other.unpaid = true, false
		why = [2]string{"a break is no work", "a break is work"}
	case 2: // a shift of exactly the length
		one.person, two.person = people[0], people[0]
		one.length, two.length = r.beyond, r.beyond
		r.reached, other.reached = true, false
		why = [2]string{fmt.Sprintf("a shift of exactly %d minutes is a long one", r.beyond), fmt.Sprintf("a shift of exactly %d minutes is no long one", r.beyond)}
	case 3: // two shifts exchange their ends
		next := (at + 1) % len(r.rows)
		r.rows[next].person, r.rows[next].begin = people[1], one.begin
		other.rows[next] = r.rows[next]
		one.person, two.person = people[0], people[0]
		two.length, other.rows[next].length = r.rows[next].length, one.length
		why = [2]string{name + " ended at " + clock(one.begin+one.length), name + " ended at " + clock(two.begin+two.length)}
	}
	firm, v := d.firm(), d.voice()
	f := [3]string{v.name("{person|name|employee|who}"), v.name("{minutes|minutes_paid|paid_minutes|total_minutes}"), v.name("{long_shifts|long|shifts_above_limit|number_of_long_shifts}")}
	return twins{
		sides: [2]side{r.side(v, f, firm, why[0]), other.side(v, f, firm, why[1])}, topic: f[1],
		aside:  []string{"the person is " + people[0], "the sheet is of " + firm, fmt.Sprintf("the sheet has %d shifts", len(r.rows))},
		fields: []field{{f[0], `"string"`}, {f[1], `"integer"`}, {f[2], `"integer"`}},
	}, nil
}

func clock(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

func (r roster) side(v voice, f [3]string, firm, why string) side {
	text := []string{
		v.say("{Shifts at $1|Time sheet of $1|$1 - working hours|Who worked when, $1|$1: shifts}", firm),
		v.say("{day|date}, {name|who|employee}, {from, to|start, end|begin, end}, {break in minutes|break (min)|minutes of break}"),
	}
	separator := v.say("{, |; | / }")
	text[1] = strings.ReplaceAll(text[1], ", ", separator)
	total, long, sum := 0, 0, 0
	for _, s := range r.rows {
		text = append(text, strings.Join([]string{s.on.String(), s.person, clock(s.begin), clock(s.begin + s.length), fmt.Sprint(s.pause)}, separator))
		if s.person != r.person {
			continue
		}
		worked := s.length
		if r.unpaid {
			worked -= s.pause
		}
		sum++
		total += worked
		if s.length > r.beyond || s.length == r.beyond && r.reached {
			long++
			total += r.bonus
		}
	}
	breaks, limit := "{Breaks are paid|Breaks count as work|A break is working time|Do not take breaks off}.", "{more than|longer than|over}"
	if r.unpaid {
		breaks = "{Breaks are not paid: take them off|Take the breaks off|Breaks are no working time|Subtract breaks}."
	}
	if r.reached {
		limit = "{at least|no less than|as long as or longer than}"
	}
	return side{
		instruction: []string{
			v.say("{How many minutes have to be paid to $1?|For how many minutes is $1 paid?|Work out the paid minutes of $1.|Count the minutes for which $1 is paid.}", r.person) + " " + v.say(breaks),
			v.say("{A shift is a long one|A shift counts as long|We call a shift long} if it lasts $1 $2 minutes{ from beginning to end| with its break|, break included}. "+
				"{Each long shift adds $3 minutes|For each long shift add $3 minutes|A long one is rewarded with $3 minutes more}.", v.say(limit), r.beyond, r.bonus),
			v.say("{Return|Give|Hand in|Report} $1, $2, and {as|in} $3 {the number of that person's long shifts|how many long shifts that person had|the count of long shifts of that person}.", f[0], f[1], f[2]),
		},
		input: []string{lines(text...)}, result: object{f[0]: r.person, f[1]: total, f[2]: long},
		claim: v.say("{$1 has $2 minutes with $3 long shifts|for $1 it is $2 minutes and $3 long shifts|$2 minutes and $3 long shifts are right for $1}", r.person, total, long), reason: why,
		program: r.program(f),
		steps:   []string{fmt.Sprintf("Read the %d shifts of %s. They are %d minutes with %d long shifts.", sum, r.person, total, long)},
	}
}
