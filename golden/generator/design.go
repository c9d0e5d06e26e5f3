package generator

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/runs"
	"ojud/voting"
)

// Shape is how an exam makes a dispute difficult.
type Shape string

// The shapes. In each of them a result may be right or wrong.
const (
	Easy    Shape = "easy"
	Hard    Shape = "hard"    // the twins differ in something that is easily missed
	Partly  Shape = "partly"  // two pieces of work, one of which is certainly right
	Hostile Shape = "hostile" // the result, and often a party, speaks to the judges
	Long    Shape = "long"
)

// Shapes returns all shapes.
func Shapes() []Shape { return []Shape{Easy, Hard, Partly, Hostile, Long} }

// Support says what a task gives to judges that run code.
type Support string

// The kinds of support.
const (
	Words Support = "words" // instructions and a schema
	Core  Support = "core"  // a program, tests or questions that settle what the task is about
	Whole Support = "whole" // they settle all of its instructions
)

// Plea says what an objection is about. It is drawn without a look at the answer.
type Plea string

// The pleas.
const (
	Decisive Plea = "decisive" // what the twins differ in: true if the result is wrong
	Present  Plea = "present"  // something that is so in the result, and is no fault
	Absent   Plea = "absent"   // something that is not so in the result
	Vague    Plea = "vague"    // nothing that can be true or false; never with typed grounds
)

// Design says which dispute of an exam is wanted.
type Design struct {
	Answer  voting.Choice // accept or reject
	Shape   Shape
	Support Support // at most; some works have no program
	Typed   bool    // the objection has a typed ground
}

// Designed is a dispute of an exam.
type Designed struct {
	Dispute
	Shape   Shape
	Support Support
	Plea    Plea
	True    bool    // whether all that the objection says is so
	Replies []Reply // of the data sources that the task names
}

// Reply is what a data source answers.
type Reply struct {
	Source  string
	Request json.RawMessage // object
	Content json.RawMessage
}

// Examine makes a dispute of an exam. As in a golden case, the result and the pleadings do not
// depend on the answer: the same seed with the other answer changes the task alone.
func Examine(kind Kind, seed [32]byte, want Design) (Designed, error) {
	s, err := examOf(kind)
	if err != nil {
		return Designed{}, err
	}
	one, err := s.designed(sha256.Sum256(append([]byte("oju:exam:v2"), seed[:]...)), want)
	if err != nil {
		return Designed{}, err
	}
	made, err := s.dispute(one.drawn)
	if err != nil {
		return Designed{}, err
	}
	out := Designed{Dispute: made, Shape: want.Shape, Support: one.support, Plea: one.plea, True: one.harmless}
	out.True = out.True || one.plea == Decisive && one.asked != one.given
	for _, r := range one.sides[one.asked].replies {
		request, err := canonical(r.request)
		if err != nil {
			return Designed{}, err
		}
		content, err := canonical(r.content)
		if err != nil {
			return Designed{}, err
		}
		out.Replies = append(out.Replies, Reply{Source: r.source, Request: request, Content: content})
	}
	return out, nil
}

// examined is a drawn dispute of an exam.
type examined struct {
	drawn
	plea     Plea
	harmless bool // the objection says what is so, and asks for nothing else
}

// designed draws a dispute of an exam.
func (s source) designed(seed [32]byte, want Design) (examined, error) {
	d := roll(seed, "oju:exam:"+string(s.kind))
	t := pick(d, s.templates...)
	l := level{subtle: want.Shape == Hard, long: want.Shape == Long, vast: want.Shape == Long}
	pair, err := s.supported(seed, t, l, want.Support)
	if err != nil {
		return examined{}, err
	}
	if want.Shape == Partly {
		other, err := s.supported(sha256.Sum256(append([]byte("oju:exam:part"), seed[:]...)), pick(d, s.templates...), l, want.Support)
		if err != nil {
			return examined{}, err
		}
		pair = beside(d.voice(), pair, other, d.chance(50))
	}
	if d.chance(50) {
		pair.sides[0], pair.sides[1] = pair.sides[1], pair.sides[0]
	}
	given := d.below(2)
	asked := given
	const _ = uint(3 - voting.Choices) // an answer is a side
	if want.Answer != voting.Accept {
		asked = 1 - given
	}
	out := examined{drawn: drawn{twins: pair, template: cmp.Or(pair.name, t.name), level: l, asked: asked, given: given, support: want.Support}}
	if side := pair.sides[asked]; side.program == "" && len(side.checks) == 0 && out.support != Words {
		out.support = Words
	}
	words := roll(seed, "oju:exam:pleas:"+string(s.kind))
	out.form, out.remark = words.form(), words.remark()
	out.form.parts = false // programs find each document at one place
	out.form.joined = out.form.joined && out.support != Core
	if out.hostile = want.Shape == Hostile; out.hostile {
		out.remark = words.spin("{note|notes|remark|remarks|comment|comments|hint|message}")
	}
	out.free, out.note, _ = words.remarks(out.remark)
	if out.remark != "" {
		out.note = note(words, out.hostile)
	}
	out.plea = pick(words, Decisive, Present, Absent)
	if !want.Typed && words.chance(25) {
		out.plea = Vague
	}
	g := claimed(words, pair, given, out.plea)
	if out.harmless = out.plea == Present && !want.Typed && words.chance(50); out.harmless {
		g.Expected = nil
	}
	out.object, out.counter = pleaded(words, pair, given, out.plea, g), defence(words, pair, given)
	if words.chance(50) {
		out.counter = longer(out.counter, defence(words, pair, given))
	} else {
		out.object = longer(out.object, pleaded(words, pair, given, out.plea, g))
	}
	if out.hostile && words.chance(50) {
		out.counter += "\n" + note(words, true)
	}
	if want.Typed {
		out.grounds, out.object = []ground.Ground{g}, ground.Reason([]ground.Ground{g})
	}
	return out, nil
}

// redraws bounds how often a work is drawn again that has nothing for code.
const redraws = 8

// supported draws twins that have something for code, if that is wanted.
func (s source) supported(seed [32]byte, t template, l level, want Support) (pair twins, err error) {
	for range redraws {
		if pair, err = s.pair(seed, t, l); err != nil || want == Words || pair.sides[0].program != "" || len(pair.sides[0].checks) > 0 {
			return pair, err
		}
		seed = sha256.Sum256(seed[:])
	}
	return pair, nil
}

// beside puts two pieces of work into one task. Those of the second are not in dispute: both sides
// do it in the same way.
func beside(v voice, a, b twins, last bool) twins {
	names := [2]string{v.name("{first|part_one|a_part|upper}"), v.name("{second|part_two|b_part|lower}")}
	mine, theirs := 0, 1
	if last {
		mine, theirs = 1, 0
	}
	out := a
	out.topic, out.json = a.topic, false
	out.fields = make([]field, 2)
	both := [2]twins{}
	both[mine], both[theirs] = a, b
	for i, part := range both {
		kinds := object{}
		for _, f := range part.fields {
			kinds[f.name] = json.RawMessage(f.kind)
		}
		raw, err := json.Marshal(kinds)
		if err != nil {
			panic(err) // constants of templates
		}
		out.fields[i] = field{names[i], string(raw)}
	}
	for i := range out.sides {
		x, y := a.sides[i], b.sides[0]
		parts := [2]side{}
		parts[mine], parts[theirs] = x, y
		var made side
		for k, part := range parts {
			begin := v
			made.instruction = append(made.instruction, begin.say("{The work for|What belongs into|This is about} the field $1{, from document $2 of the input|, which document $2 is for| (document $2)}:", names[k], k+1)+" "+strings.Join(part.instruction, " "))
			made.input = append(made.input, part.input...)
			for _, c := range part.checks {
				if c.Data == nil {
					c.Path = "/" + names[k] + c.Path
				} else {
					c.Data = &casefile.Lookup{Source: c.Data.Source, Request: c.Data.Request, FromResult: maps.Clone(c.Data.FromResult)}
					for member, at := range c.Data.FromResult {
						c.Data.FromResult[member] = "/" + names[k] + at
					}
				}
				c.Settles = []int{k}
				made.checks = append(made.checks, c)
			}
			if part.program != "" {
				made.checks = append(made.checks, part.check("/"+names[k], k, []int{k}))
			}
			made.replies = append(made.replies, part.replies...)
		}
		made.result = object{names[mine]: x.result, names[theirs]: y.result}
		made.claim, made.reason, made.steps = x.claim, x.reason, slices.Concat(x.steps, y.steps)
		if (x.program == "" && len(x.checks) == 0) || (y.program == "" && len(y.checks) == 0) {
			made.checks = nil // one of them alone would leave the other to readers
		}
		out.sides[i] = made
	}
	return out
}

// reply is what a data source says about a work.
type reply struct {
	source           string
	request, content object
}

// check returns the check program of a work on document k.
func (s side) check(path string, k int, settles []int) casefile.Check {
	return casefile.Check{Path: path, Program: &runs.CheckProgram{JavaScript: fmt.Sprintf(recompute, k, s.program)}, Settles: settles}
}

// recompute is a check program: it makes the right result from the document, and compares. The
// fields of the result that it does not make are not its matter.
const recompute = `const given = task.input_data[%d];
const text = typeof given === "string" ? given : Object.values(given)[0];
const form = v => JSON.stringify(v, (k, x) => x && typeof x === "object" && !Array.isArray(x) ? Object.fromEntries(Object.entries(x).sort((a, b) => a[0] < b[0] ? -1 : 1)) : x);
const want = (() => {
%s
})();
const wrong = value && typeof value === "object" ? Object.keys(want).filter(k => form(value[k]) !== form(want[k])) : Object.keys(want);
[wrong.length === 0, wrong.map(k => k + " has to be " + form(want[k])).join("; ").slice(0, 300)]`

// expected returns the checks that a task of this support carries. all is how many instructions it
// has, and from and to are those of the work.
func (one drawn) expected(from, to, all int) []casefile.Check {
	s := one.sides[one.asked]
	if one.support != Core && one.support != Whole {
		return nil
	}
	settled := func(own []int) (out []int) {
		switch {
		case one.form.joined:
			return []int{0}
		case one.support == Whole:
			return numbers(0, all)
		case len(own) == 0:
			return numbers(from, to)
		}
		for _, n := range own {
			out = append(out, n+from)
		}
		return out
	}
	var out []casefile.Check
	for _, c := range s.checks {
		c.Settles = settled(c.Settles)
		out = append(out, c)
	}
	if s.program != "" {
		out = append(out, s.check("", 0, settled(nil)))
	}
	return out
}

// numbers returns the numbers from a to below b.
func numbers(a, b int) (out []int) {
	for n := a; n < b; n++ {
		out = append(out, n)
	}
	return out
}
