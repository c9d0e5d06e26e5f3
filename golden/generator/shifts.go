package generator

import (
	"fmt"
	"slices"
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
	firm := d.firm()
	return twins{
		sides: [2]side{r.side(firm, why[0]), other.side(firm, why[1])}, topic: "minutes",
		aside:  []string{"the person is " + people[0], "the sheet is of " + firm, fmt.Sprintf("the sheet has %d shifts", len(r.rows))},
		schema: `{"person":"string","minutes":"integer","long_shifts":"integer","note":"string"}`,
	}, nil
}

func clock(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

func (r roster) side(firm, why string) side {
	text := []string{"Shifts at " + firm, "day, name, from, to, break in minutes"}
	total, long, sum := 0, 0, 0
	for _, s := range r.rows {
		text = append(text, fmt.Sprintf("%s, %s, %s, %s, %d", s.on, s.person, clock(s.begin), clock(s.begin+s.length), s.pause))
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
	breaks, limit := "Breaks are paid.", "is longer than"
	if r.unpaid {
		breaks = "Breaks are not paid: take them off."
	}
	if r.reached {
		limit = "is as long as or longer than"
	}
	return side{
		instruction: []string{
			"How many minutes have to be paid to " + r.person + "? " + breaks,
			fmt.Sprintf("A shift is a long one if it %s %d minutes from beginning to end. Each long shift adds %d minutes.", limit, r.beyond, r.bonus),
			"Return person, minutes, and as long_shifts the number of that person's long shifts.",
		},
		input: []string{lines(text...)}, result: object{"person": r.person, "minutes": total, "long_shifts": long},
		claim: fmt.Sprintf("%s has %d minutes with %d long shifts", r.person, total, long), reason: why,
		steps: []string{fmt.Sprintf("Read the %d shifts of %s. They are %d minutes with %d long shifts.", sum, r.person, total, long)},
	}
}
