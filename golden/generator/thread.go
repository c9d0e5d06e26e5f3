package generator

import (
	"fmt"
	"slices"
	"strings"
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
	"Please use the shared folder for drafts.", "Who has the key for the small room?", "My line is bad today.", "The numbers of last month are in.", "Lunch is at one.", "Could somebody open a window?", "Thanks for the slides.", "I have to leave a little earlier.", "The printer is out of paper again.", "We should not meet on a Friday again.", "I will be late today.", "Somebody left an umbrella in the hall."}

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
	v := d.voice()
	f := [4]string{v.name("{jobs|todos|actions|agreements|list}"), v.name("{job|what|subject|topic}"), v.name("{owner|who|person|assignee}"), v.name("{due|by|deadline|until}")}
	return twins{
		sides: [2]side{a.side(v, f, claim(a, one), why[0]), b.side(v, f, claim(b, two), why[1])}, topic: one.name,
		aside:  []string{fmt.Sprintf("there are %d jobs", len(a.jobs)), "the jobs are in the order of the conversation", "the names are written as in the conversation"},
		fields: []field{{f[0], fmt.Sprintf(`[{%q:"string",%q:"string",%q:"string"}]`, f[1], f[2], f[3])}},
	}, nil
}

// counts is which of the two messages about a job counts.
func (t thread) counts() int {
	if t.first {
		return 0
	}
	return 1
}

func (t thread) side(v voice, f [4]string, claim, why string) side {
	chair := v.say("{Chair|Moderator|Lead|Boss}")
	form := v.say("{$1: $2 goes to $3, by $4.|$1: agreed, $2: $3, until $4.|$1: $3 does $2, deadline $4.|$1: $2 is for $3, to be ready on $4.}")
	said := func(j job, i int) string { return fill(form, chair, j.name, j.owner[i], j.due[i]) }
	var text []string
	jobs := []object{}
	for _, j := range t.jobs {
		text = append(text, said(j, 0))
		n := t.counts()
		jobs = append(jobs, object{f[1]: j.name, f[2]: j.owner[n], f[3]: j.due[n].String()})
	}
	text = append(text, t.chat...)
	for _, j := range slices.Backward(t.jobs) {
		text = append(text, said(j, 1))
	}
	which := "{last|later|second}"
	if t.first {
		which = "{first|earlier}"
	}
	return side{
		instruction: []string{
			v.say("{List|Collect|Write down|Return} {as|in} $4 the jobs of the {conversation|chat|meeting|talk} in the order in which they are {first mentioned|mentioned first|named first}{: $1, $2, and $3 as YYYY-MM-DD|, each with $1, $2 and $3 (YYYY-MM-DD)}.", f[1], f[2], f[3], f[0]),
			v.say("{The $1 speaks about each job twice|Each job is decided twice by the $1|There are two decisions of the $1 about each job}. {The $2 agreement about a job counts|Of these only the $2 one counts|What holds is the $2 decision}.", strings.ToLower(chair), v.say(which)),
		},
		input: []string{lines(text...)}, result: object{f[0]: jobs}, claim: claim, reason: why,
		program: t.program(f),
		steps:   []string{fmt.Sprintf("Read the message of the %s about each of the %d jobs that counts.", strings.ToLower(chair), len(t.jobs))},
	}
}
