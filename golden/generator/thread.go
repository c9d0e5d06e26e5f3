package generator

import (
	"fmt"
	"slices"
)

// thread is a conversation in which people agree who does what by when.
type thread struct {
	jobs  []job
	first bool // the first agreement about a job counts, not the last
	chat  []string
}

type job struct {
	name  string
	owner [2]string // by the first and by the second message about it
	due   [2]date
}

var jobNames = []string{"the offer", "the keys", "the budget", "the contract", "the poster", "the backup", "the survey", "the invoice", "the visas",
	"the seating plan", "the press text", "the tests", "the van", "the sound check", "the training", "the new door"}

var smallTalk = []string{"The coffee machine works again.", "I am on the train until noon.", "Can everybody hear me?", "The client called; nothing new.",
	"Please use the shared folder for drafts.", "We should not meet on a Friday again.", "I will be late today.", "Somebody left an umbrella in the hall."}

func drawThread(d *dice, l level) (twins, error) {
	people := d.people(d.from(3, 5))
	a := thread{first: d.chance(50)}
	year, month := d.from(2024, 2027), d.from(1, 12)
	for _, name := range some(d, jobNames, d.from(3, 6)) {
		j := job{name: name}
		for i := range j.owner {
			j.owner[i], j.due[i] = pick(d, people...), date{year, month, d.from(1, monthDays)}
		}
		a.jobs = append(a.jobs, j)
	}
	a.chat = make([]string, rows(d, l, 2, 5))
	for i := range a.chat {
		a.chat[i] = pick(d, people...) + ": " + pick(d, smallTalk...)
	}
	b := a
	b.jobs = slices.Clone(a.jobs)
	at := d.below(len(a.jobs))
	one, two := &a.jobs[at], &b.jobs[at]
	why := [2]string{"what was said earlier holds", "what was said later holds"}
	if l.subtle {
		a.first, b.first = true, false
	} else {
		two.owner, two.due = [2]string{one.owner[1], one.owner[0]}, [2]date{one.due[1], one.due[0]}
		said := func(j *job, i int) string {
			return fmt.Sprintf("%s went to %s for %s after that", j.name, j.owner[i], j.due[i])
		}
		if a.first {
			said = func(j *job, i int) string {
				return fmt.Sprintf("%s went to %s for %s before that", j.name, j.owner[i], j.due[i])
			}
		}
		n := a.counts()
		why = [2]string{said(one, n), said(two, n)}
	}
	claim := func(t thread, j *job) string {
		n := t.counts()
		return fmt.Sprintf("for %s the owner is %s and due is %s", j.name, j.owner[n], j.due[n])
	}
	order := d.below(2)
	return twins{
		sides: [2]side{a.side(claim(a, one), why[0], order), b.side(claim(b, two), why[1], order)}, topic: one.name,
		aside:  []string{fmt.Sprintf("there are %d jobs", len(a.jobs)), "the jobs are in the order of the conversation", "the names are written as in the conversation"},
		schema: `{"jobs":[{"job":"string","owner":"string","due":"string"}],"note":"string"}`,
	}, nil
}

// counts is which of the two messages about a job counts.
func (t thread) counts() int {
	if t.first {
		return 0
	}
	return 1
}

func (t thread) side(claim, why string, form int) side {
	said := func(j job, i int) string {
		if form == 0 {
			return fmt.Sprintf("Chair: %s goes to %s, by %s.", j.name, j.owner[i], j.due[i])
		}
		return fmt.Sprintf("Chair: agreed, %s: %s, until %s.", j.name, j.owner[i], j.due[i])
	}
	var text []string
	jobs := []object{}
	for _, j := range t.jobs {
		text = append(text, said(j, 0))
		n := t.counts()
		jobs = append(jobs, object{"job": j.name, "owner": j.owner[n], "due": j.due[n].String()})
	}
	text = append(text, t.chat...)
	for _, j := range slices.Backward(t.jobs) {
		text = append(text, said(j, 1))
	}
	which := "last"
	if t.first {
		which = "first"
	}
	return side{
		instruction: []string{
			"List the jobs of the conversation in the order in which they are first mentioned: job, owner, and due as YYYY-MM-DD.",
			fmt.Sprintf("The chair speaks about each job twice. The %s agreement about a job counts.", which),
		},
		input: []string{lines(text...)}, result: object{"jobs": jobs}, claim: claim, reason: why,
		steps: []string{fmt.Sprintf("Read the %s message of the chair about each of the %d jobs.", which, len(t.jobs))},
	}
}
