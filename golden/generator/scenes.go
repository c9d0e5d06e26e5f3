package generator

import (
	"fmt"
	"slices"
	"strings"
)

// picture is an image in gray, as the format PGM writes it, and what is asked about it.
type picture struct {
	wide, high int
	pixels     []int
	limit      int
	equal      bool // a pixel of exactly the limit is dark
	bottom     bool // rows are counted from the bottom
}

func drawPicture(d *dice, l level) (twins, error) {
	a := picture{wide: d.from(5, 9), high: d.from(4, 8), limit: d.from(60, 160), equal: d.chance(50), bottom: d.chance(50)}
	if l.long {
		a.wide, a.high = d.from(40, 60), d.from(30, 50)
	}
	for range a.wide * a.high {
		a.pixels = append(a.pixels, d.below(240))
	}
	light := d.below(len(a.pixels))
	a.pixels[light] = 255
	b := a
	b.pixels = slices.Clone(a.pixels)
	at := (light + 1 + d.below(len(a.pixels)-1)) % len(a.pixels)
	topic, why := 2, [2]string{}
	switch pick(d, changes(l, []int{0, 1}, []int{2, 3})...) {
	case 0:
		a.pixels[at], b.pixels[at] = a.limit-d.from(1, 50), a.limit+d.from(1, 50)
		why = [2]string{fmt.Sprintf("pixel %d is %d", at+1, a.pixels[at]), fmt.Sprintf("pixel %d is %d", at+1, b.pixels[at])}
	case 1: // another shape
		topic = 0
		b.wide, b.high = a.high, a.wide
		why = [2]string{fmt.Sprintf("its head says %d %d", a.wide, a.high), fmt.Sprintf("its head says %d %d", b.wide, b.high)}
	case 2:
		a.pixels[at], b.pixels[at] = a.limit, a.limit
		a.equal, b.equal = true, false
		why = [2]string{fmt.Sprintf("a pixel of %d is dark", a.limit), fmt.Sprintf("a pixel of %d is not dark", a.limit)}
	case 3:
		topic = 3
		a.bottom, b.bottom = true, false
		why = [2]string{"rows are counted from the bottom", "rows are counted from the top"}
	}
	v := d.voice()
	f := [4]string{v.name("{width|wide|columns}"), v.name("{height|high|lines_count}"), v.name("{dark|dark_pixels|dark_count}"), v.name("{row|brightest_row|light_row}")}
	return twins{
		sides: [2]side{a.side(v, f, topic, why[0]), b.side(v, f, topic, why[1])}, topic: f[topic],
		aside:  []string{"the format is PGM", fmt.Sprintf("there are %d pixels", len(a.pixels))},
		fields: []field{{f[0], `"integer"`}, {f[1], `"integer"`}, {f[2], `"integer"`}, {f[3], `"integer"`}},
	}, nil
}

func (p picture) side(v voice, f [4]string, topic int, why string) side {
	text := []string{"P2", fmt.Sprintf("%d %d", p.wide, p.high), "255"}
	dark, light := 0, 0
	for i, value := range p.pixels {
		if i%p.wide == 0 {
			text = append(text, "")
		}
		text[len(text)-1] = strings.TrimSpace(fmt.Sprintf("%s %d", text[len(text)-1], value))
		if value < p.limit || value == p.limit && p.equal {
			dark++
		}
		if value > p.pixels[light] {
			light = i
		}
	}
	row := light/p.wide + 1
	if p.bottom {
		row = p.high - light/p.wide
	}
	than, from := "{less than|below|under}", "{from the top|from above}"
	if p.equal {
		than = "{at most|no more than|up to}"
	}
	if p.bottom {
		from = "{from the bottom|from below}"
	}
	values := [4]int{p.wide, p.high, dark, row}
	return side{
		instruction: []string{
			v.say("{The input is an image in the format PGM (P2)|The image of the input is a PGM (P2)|Look at the image in the input, a PGM (P2)}. {$1 and $2 are its width and height in pixels|Give its width and height in pixels as $1 and $2}.", f[0], f[1]),
			v.say("{$1 is the number of dark pixels: those of $2 $3|As $1 count the dark pixels, which have a value of $2 $3}.", f[2], v.say(than), p.limit),
			v.say("{$1 is the row with the brightest pixel, counted $2, the first one being 1|Give as $1 in which row the brightest pixel is: count $2, beginning with 1}.", f[3], v.say(from)),
		},
		input: []string{lines(text...)}, result: object{f[0]: p.wide, f[1]: p.high, f[2]: dark, f[3]: row},
		claim: v.claim(f[topic], values[topic]), reason: why,
		steps: []string{fmt.Sprintf("Count the pixels: %d are dark, and the brightest is in row %d.", dark, row)},
		program: fmt.Sprintf(`const n = text.split(/\s+/).slice(1).map(Number), [wide, high] = n, pixels = n.slice(3);
const row = Math.floor(pixels.indexOf(Math.max(...pixels)) / wide);
return {%[1]q: wide, %[2]q: high, %[3]q: pixels.filter(p => p < %[5]d || %[6]t && p === %[5]d).length, %[4]q: %[7]t ? high - row : row + 1};`, f[0], f[1], f[2], f[3], p.limit, p.equal, p.bottom),
	}
}

// story tells who had a thing. Some sentences say what nearly happened.
type story struct {
	thing, place string
	people       []string
	steps        []turn
}

type turn struct {
	from, to int
	done     bool
	how      int
}

var things = strings.Fields("key ring letter lantern compass ledger violin map")

// told are the ways to say that a thing changed hands, and that it did not.
var told = [2][]string{
	{"$1 wanted to give the $3 to $2, but $2 had left already.", "$2 asked $1 for the $3 and went away without it.", "$1 nearly handed the $3 to $2.", "$1 promised the $3 to $2, and kept it all the same."},
	{"$1 gave the $3 to $2.", "$2 took the $3 from $1, who did not mind.", "$1 left the $3 with $2.", "The $3 went from $1 to $2, as agreed."},
}

func drawStory(d *dice, l level) (twins, error) {
	a := story{thing: pick(d, things...), place: pick(d, sights...), people: d.people(6)}
	for i, name := range a.people {
		a.people[i], _, _ = strings.Cut(name, " ")
	}
	has := 0
	for range min(rows(d, l, 4, 7), mostRows) {
		s := turn{from: has, to: (has + 1 + d.below(len(a.people)-1)) % len(a.people), done: d.chance(60), how: d.below(4)}
		if s.done {
			has = s.to
		}
		a.steps = append(a.steps, s)
	}
	// The last two sentences decide. The first of them is a handover.
	other := func(not ...int) int {
		for {
			if n := d.below(len(a.people)); !slices.Contains(not, n) {
				return n
			}
		}
	}
	one := turn{from: has, to: other(has), done: true, how: d.below(4)}
	two := turn{from: one.to, to: other(has, one.to), done: true, how: d.below(4)}
	a.steps = append(a.steps, one, two)
	b := a
	b.steps = slices.Clone(a.steps)
	last := len(a.steps) - 1
	var why [2]string
	if l.subtle { // it happened, or nearly
		b.steps[last].done = false
		why = [2]string{fmt.Sprintf("%s got the %s at last", a.people[two.to], a.thing), fmt.Sprintf("%s did not get the %s", a.people[two.to], a.thing)}
	} else { // somebody else
		b.steps[last].to = other(one.from, one.to, two.to)
		why = [2]string{"the last one named is " + a.people[two.to], "the last one named is " + a.people[b.steps[last].to]}
	}
	v := d.voice()
	f := [3]string{v.name("{holder|who|owner|has_it}"), v.name("{hands|handovers|changes}"), v.name("{thing|object|what}")}
	return twins{
		sides: [2]side{a.side(v, f, why[0]), b.side(v, f, why[1])}, topic: f[0],
		aside:  []string{"the story is about a " + a.thing, "it happens in " + a.place},
		fields: []field{{f[0], `"string"`}, {f[1], `"integer"`}, {f[2], `"string"`}},
	}, nil
}

func (s story) side(v voice, f [3]string, why string) side {
	text := []string{v.say("{It was a cold morning in|Nothing much happens in|This is a story from} $1. {At first|In the beginning} $2 had the $3.", s.place, s.people[0], s.thing)}
	has, hands := 0, 0
	for i, t := range s.steps {
		done := 0
		if t.done {
			done, has, hands = 1, t.to, hands+1
		}
		begin := ""
		if i%3 == 2 {
			begin = v.say("{It rained.|A dog barked.|Time went by.|The bells rang.|Nobody spoke.} ")
		}
		text = append(text, begin+fill(told[done][t.how], s.people[t.from], s.people[t.to], s.thing))
	}
	return side{
		instruction: []string{
			v.say("{Read the story|Read what happened}. {$1 is who has the $2 in the end|Say as $1 who has the $2 in the end}, {by the first name|one first name}.", f[0], s.thing),
			v.say("{$1 is how often it changed hands|Count as $1 how often it changed hands}. {What was only tried or promised does not count|Only what happened counts}. {Name the thing as $2|$2 is the thing}, {in one word|as the story calls it}.", f[1], f[2]),
		},
		input: []string{lines(text...)}, result: object{f[0]: s.people[has], f[1]: hands, f[2]: s.thing},
		claim: v.claim(f[0], s.people[has]), reason: why,
		steps: []string{fmt.Sprintf("Follow the %s through the story: it changed hands %d times.", s.thing, hands)},
		program: fmt.Sprintf(`let has = text.match(/(?:At first|In the beginning) (\w+) had/)[1], hands = 0;
for (const l of text.split("\n").slice(1)) {
	const m = l.match(/(\w+) gave the \w+ to (\w+)\.$/) || l.match(/(\w+) left the \w+ with (\w+)\.$/) || l.match(/went from (\w+) to (\w+), as agreed/);
	const t = l.match(/(\w+) took the \w+ from \w+, who/);
	if (m || t) { has = m ? m[2] : t[1]; hands++; }
}
return {%[1]q: has, %[2]q: hands, %[3]q: %[4]q};`, f[0], f[1], f[2], s.thing),
	}
}
