package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/ground"
	"ojud/voting"
)

// twins are two tasks that differ in one thing, each with its right result. The right result of one
// is the wrong result of the other.
type twins struct {
	sides  [2]side
	name   string   // if not that of the template
	topic  string   // what the parties disagree about
	aside  []string // what they could disagree about as well, the same on both sides
	fields []field  // of the result
	json   bool     // the documents are JSON
}

// field is a field of a result, with its type as the short form of a schema writes it.
type field struct{ name, kind string }

// side is a task and its right result.
type side struct {
	instruction []string
	input       []string
	result      object
	claim       string   // what holds on this side only: "total_cents is 5580"
	reason      string   // why, as one who is on this side says it
	steps       []string // by which a reader finds the right result

	// What a task of an exam can carry for code; golden cases carry none of it.
	program string           // JavaScript that makes the right result from "text", the document
	checks  []casefile.Check // further ones; Settles are indexes into instruction, all if empty
	replies []reply          // of the data sources
}

// drawn is everything that chance decides about a dispute, apart from which twin is asked for.
type drawn struct {
	twins
	template string
	level    level
	asked    int    // the side whose task is given
	given    int    // the side whose result is delivered
	remark   string // the name of the field for what the worker wants to say, if there is one
	free     string // the sentence about it, if there is one
	note     string
	form     form
	hostile  bool
	object   string // the objection
	counter  string

	// Of an exam.
	support Support
	grounds []ground.Ground
}

// attempts bounds how often a template may draw twins that are equal.
const attempts = 256

var errTwins = errors.New("generator: a template drew equal twins too often")

// Make makes the dispute of a seed.
func (s source) Make(seed [32]byte) (Dispute, error) {
	one, err := s.drawn(seed)
	if err != nil {
		return Dispute{}, err
	}
	return s.dispute(one)
}

// drawn draws a dispute. The task and the result come from two independent coins. The pleas see the
// twins and the result's coin, but not the task's. So result, objection and counter-objection are
// the same whether the result is right or wrong.
func (s source) drawn(seed [32]byte) (drawn, error) {
	d := roll(seed, "oju:dispute:"+string(s.kind))
	t := pick(d, s.templates...)
	l := level{subtle: d.chance(40), long: d.chance(20)}
	pair, err := s.pair(seed, t, l)
	if err != nil {
		return drawn{}, err
	}
	if d.chance(50) {
		pair.sides[0], pair.sides[1] = pair.sides[1], pair.sides[0]
	}
	out := drawn{twins: pair, template: cmp.Or(pair.name, t.name), level: l, asked: d.below(2), given: d.below(2)}
	words := roll(seed, "oju:pleas:"+string(s.kind))
	out.form, out.remark = words.form(), words.remark()
	out.free, out.note, out.hostile = words.remarks(out.remark)
	out.object, out.counter = pleas(words, pair, out.given)
	return out, nil
}

// pair draws twins until their results differ.
func (s source) pair(seed [32]byte, t template, l level) (twins, error) {
	for i := range attempts {
		pair, err := t.draw(roll(seed, fmt.Sprintf("oju:twins:%s:%s:%d", s.kind, t.name, i)), l)
		if err != nil {
			return twins{}, fmt.Errorf("generator: %s: %w", t.name, err)
		}
		a, err := json.Marshal(pair.sides[0].result)
		if err != nil {
			return twins{}, fmt.Errorf("generator: %s: %w", t.name, err)
		}
		b, err := json.Marshal(pair.sides[1].result)
		if err != nil {
			return twins{}, fmt.Errorf("generator: %s: %w", t.name, err)
		}
		if !bytes.Equal(a, b) {
			return pair, nil
		}
	}
	return twins{}, fmt.Errorf("%w: %s", errTwins, t.name)
}

// dispute writes the documents of a drawn dispute.
func (s source) dispute(one drawn) (Dispute, error) {
	asked, given := one.sides[one.asked], one.sides[one.given]
	out := Dispute{
		Kind: s.kind, Template: one.template, Hard: one.level.subtle || one.level.long, Hostile: one.hostile,
		Answer: voting.Accept,
		Proof:  Proof{Why: sentence(asked.claim) + " The result says so.", Steps: asked.steps},
	}
	if one.asked != one.given {
		out.Answer = voting.Reject
		out.Proof.Why = sentence(asked.claim) + " The result follows from this instead: " + given.claim + "."
	}
	task, err := one.task()
	if err != nil {
		return Dispute{}, err
	}
	doc, err := casefile.NewTask(task)
	if err != nil {
		return Dispute{}, fmt.Errorf("generator: %w", err)
	}
	out.Task = doc.Raw
	for _, part := range []struct {
		to   *[]byte
		from any
	}{
		{&out.Result, one.noted(given.result)}, {&out.Proof.Right, one.noted(asked.result)},
		{&out.Objection, casefile.Objection{Reason: one.object, Grounds: one.grounds}}, {&out.Counter, casefile.Objection{Reason: one.counter}},
	} {
		if *part.to, err = canonical(part.from); err != nil {
			return Dispute{}, err
		}
	}
	return out, nil
}

// canonical writes a value as canonical JSON.
func canonical(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("generator: %w", err)
	}
	out, err := canon.JSON(b.Bytes(), casefile.MaxDocument)
	if err != nil {
		return nil, fmt.Errorf("generator: %w", err)
	}
	return out, nil
}

// object is a result.
type object map[string]any
