package verify

import (
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	rule "ojud/casefile/demand"
	"ojud/voting"
)

// maxAgain bounds the bytes of answers on which demands are made again, counted for each demand: a
// task with 64 checks on one answer of the largest size.
const maxAgain = 64 * casefile.MaxBlob

// unanswered begins the check of a demand on data that the answers of holders leave open.
const unanswered = "unanswered/"

// said is a finding of an opinion.
type said struct {
	casefile.Finding
	actor  casefile.DID
	round  uint8
	checks uint32 // the version by which the opinion was made
	path   string
}

// note notes something about the demands of the task in an opinion.
func (s said) note(v *verifier, format string, args ...any) {
	v.report.note(NoteDemand, s.path, "the opinion of %s "+format, append([]any{s.actor}, args...)...)
}

// differs notes that a check ends otherwise than the opinion says. That is no lie if the opinion
// was made by another version of the checks.
func (s said) differs(v *verifier, index int, ends string) {
	if s.checks != rule.Version {
		s.note(v, "says %s of the task's check %d by version %d of the checks; by version %d it ends as %s", s.Outcome, index, max(s.checks, 1), rule.Version, ends)
		return
	}
	s.note(v, "is not true: it says %s of the task's check %d, which ends as %s", s.Outcome, index, ends)
}

// answers makes the demands of a task on data again, on the answers that opinions cite.
type answers struct {
	*verifier
	task   casefile.Task
	papers papers
	index  map[string]int // of the demands on data, by their names
	shown  map[citation]casefile.Receipt
	asked  map[int]question
	made   map[looked]*demand // nil: the answer is not in the file, or there are too many
	noted  map[int]bool       // demands of which a note says that they cannot be made again
	full   bool
	count  int // demands that were made
	most   int // bytes of answers, counted for each demand
	left   int
}

// citation is a receipt as an opinion of a round cites it.
type citation struct {
	actor casefile.DID
	round uint8
	ref   string
}

// question is what a demand asks its source.
type question struct {
	request casefile.Digest
	lacks   error // why the result does not give the question
}

// looked is a demand, by its index, and the answer that it looks at.
type looked struct {
	index    int
	response casefile.Digest
}

func newAnswers(v *verifier, task casefile.Task, p papers, most int) *answers {
	a := &answers{verifier: v, task: task, papers: p, index: map[string]int{}, shown: map[citation]casefile.Receipt{}, asked: map[int]question{},
		made: map[looked]*demand{}, noted: map[int]bool{}, most: most, left: most}
	for i, k := range task.Expected {
		if k.Data != nil {
			a.index[fmt.Sprintf("expected[%d]", i)] = i
		}
	}
	for e, b := range bodies[casefile.DataBody](v) {
		for _, r := range b.Receipts {
			if hash, err := r.Hash(); err == nil {
				a.shown[citation{e.Actor, b.Round, "receipt:" + casefile.Digest(hash).String()}] = r
			}
		}
	}
	return a
}

// compare compares a finding with what its demand says of the answers that it cites. It is true if
// one of them ends as it says: judges weigh the answers of several holders, and that is not
// repeated. If one is not in the file, the finding is not called untrue.
func (a *answers) compare(s said, i int) {
	q := a.question(i)
	if q.lacks != nil {
		if s.Outcome != casefile.Fail {
			s.differs(a.verifier, i, fmt.Sprintf("fail: the result lacks a part of the question: %v", q.lacks))
		}
		return
	}
	cited := slices.DeleteFunc(slices.Clone(s.Evidence), func(ref string) bool { return !strings.HasPrefix(ref, "receipt:") })
	if len(cited) == 0 {
		a.uncited(s, i)
		return
	}
	may, seen, ends := s.Outcome == casefile.Unknown && strings.HasPrefix(s.Check, unanswered), map[casefile.Digest]bool{}, []string{}
	for _, ref := range cited {
		r, ok := a.shown[citation{s.actor, s.round, ref}]
		if problem := a.wrong(r, ok, i, q); problem != "" {
			s.note(a.verifier, "is not true: for the task's check %d it cites %s", i, problem)
			return
		}
		if seen[r.Response] {
			continue
		}
		seen[r.Response] = true
		m := a.make(looked{i, r.Response})
		if m == nil || m.outcome == s.Outcome {
			may = true
			continue
		}
		ends = append(ends, fmt.Sprintf("%s on the answer of %s: %s", m.outcome, holders{a.verifier}.speaker(s.actor, r), m.detail))
	}
	if !may {
		s.differs(a.verifier, i, strings.Join(ends, "; "))
	}
}

// wrong says why a receipt is none of an answer to the question of a demand.
func (a *answers) wrong(r casefile.Receipt, shown bool, i int, q question) string {
	switch {
	case !shown:
		return "an answer without a receipt in this file"
	case r.Verify(a.domain) != nil:
		return "a receipt that its holder did not sign"
	case r.Source != a.task.Expected[i].Data.Source || r.Request != q.request:
		return "the answer to another question"
	}
	return ""
}

// uncited looks at a finding that cites no answer. One that decides nothing needs none. That a
// source knows nothing under the words of the result has no receipt.
func (a *answers) uncited(s said, i int) {
	data := a.task.Expected[i].Data
	switch {
	case s.Outcome == casefile.Unknown:
	case s.Outcome == casefile.Pass || len(data.FromResult) == 0:
		s.note(a.verifier, "is not true: it says %s of the task's check %d, which looks at an answer of %s, and cites none", s.Outcome, i, data.Source)
	case !a.noted[i]:
		a.noted[i] = true
		a.report.note(NoteDemand, a.path(i), "it cannot be made again: that %s knows nothing under the words of the result is the word of judges", data.Source)
	}
}

// question returns what a demand asks. A result without a part of it fails the demand.
func (a *answers) question(i int) question {
	q, known := a.asked[i]
	if known {
		return q
	}
	raw, err := a.papers.question(*a.task.Expected[i].Data)
	q = question{casefile.Digest(casefile.HashOf(raw)), err}
	if err != nil {
		a.count++
		a.report.note(NoteDemand, a.path(i), "made again on the result: fail: it lacks a part of the question: %v", err)
	}
	a.asked[i] = q
	return q
}

// make makes a demand on an answer, once.
func (a *answers) make(l looked) *demand {
	m, known := a.made[l]
	if known {
		return m
	}
	k := a.task.Expected[l.index]
	content, ok := a.blob(l.response)
	switch {
	case !ok:
		a.missing++ // noted with the data
	case len(content) > a.left:
		a.missing++
		if !a.full {
			a.full = true
			a.report.note(NoteDemand, a.path(l.index), "not made again: all answers have more than %d bytes, counted for each check", a.most)
		}
	default:
		a.left -= len(content)
		a.count++
		outcome, detail := a.outcome(k, content)
		m = &demand{l.index, outcome, detail}
		if outcome != casefile.Pass {
			a.report.note(NoteDemand, a.path(l.index), "made again on the answer %s of %s: %s: %s", l.response, k.Data.Source, outcome, detail)
		}
	}
	a.made[l] = m
	return m
}

// outcome makes a demand on an answer. What data of an agent does not decide is open, or counts
// against the worker who changed it.
func (a *answers) outcome(k casefile.Check, content []byte) (casefile.CheckOutcome, string) {
	asked, err := a.papers.question(*k.Data)
	if err != nil {
		return a.papers.answered(k, content) // nobody asked: its question has said so
	}
	switch r := agentdata.WorkOf(a.open.Value.Task).Ruled(a.task, k.Path, k.Data.Source, asked, content); {
	case r.Why == "":
		return a.papers.answered(k, content)
	case r.Against == agentdata.Worker:
		return casefile.Fail, r.Why
	default:
		return casefile.Unknown, r.Why
	}
}

// path is where a check stands in the task.
func (a *answers) path(i int) string {
	return inBlob(voting.Hash(a.open.Value.Task.TaskHash), fmt.Sprintf("expected[%d]", i))
}
