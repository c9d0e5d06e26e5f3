package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/voting"
)

// dataMargin is the fraction of the remaining time that data requests must leave: a quarter.
const dataMargin = 4

// lookup is one question to a source, and the checks of its answers.
type lookup struct {
	source  string
	request []byte
	worded  bool  // words of the result stand in the request
	checks  []int // indexes of the task's expected checks
	fault   error // why the result does not give the question
}

// lookups groups the task's checks by question, so that no question is asked twice.
func lookups(f *facts) (out []*lookup) {
	known := map[string]*lookup{}
	for i, k := range f.task.Expected {
		if k.Data == nil {
			continue
		}
		request, err := check.Question(*k.Data, check.Papers{Result: f.Doc})
		key := k.Data.Source + "\x00" + string(request)
		if l := known[key]; l != nil && err == nil {
			l.checks = append(l.checks, i)
			continue
		}
		l := &lookup{source: k.Data.Source, request: request, worded: len(k.Data.FromResult) > 0, checks: []int{i}, fault: err}
		known[key] = l
		out = append(out, l)
	}
	return out
}

// data makes the task's checks on data sources. If the result lacks a part of the question, the
// checks fail. If no holder with a stake answers, they count against the creator, who named the
// source. If the source knows nothing under the words of the result, they fail: the worker chose
// the words. They are undecided if the judge had no time to ask. Data of agents that is gone is no
// silence of a holder: whoever owned it took it away, and that may be a friend of the worker. So
// code cannot tell then, and pinned data that is gone counts against no party.
func (c *Code) data(ctx context.Context, b Brief, f *facts) (out []casefile.Finding) {
	ctx, cancel := context.WithDeadline(ctx, b.Deadline.Add(-time.Until(b.Deadline)/dataMargin))
	defer cancel()
	ask := b.Evidence
	if ask == nil {
		ask = NoSources{}
	}
	late := ctx.Err() != nil
	for _, l := range lookups(f) {
		if l.fault != nil {
			out = append(out, f.decide(l, specification, casefile.Fail, "the result lacks a part of the question: "+l.fault.Error())...)
			continue
		}
		answers, err := ask.Ask(ctx, Request{DataSource: l.source, Request: l.request})
		if err != nil {
			class, outcome, why := unanswered, casefile.Unknown, unavailable(l.source, err)
			f.changed = f.changed || l.source == agentdata.Source // nobody sees any more what it said, and who owned it
			switch {
			case late:
				class = specification
			case agentdata.Pins(f.task, l.source, l.request):
				class = note
			case l.worded && errors.Is(err, ErrBadRequest) && !agentdata.Names(f.task, l.source, l.request):
				class, outcome, why = specification, casefile.Fail, l.source+" knows nothing under the words of the result"
			}
			out = append(out, f.decide(l, class, outcome, why)...)
			continue
		}
		out = append(out, steeredBy(l.source, answers)...)
		all := hear(answers, f.decoded())
		for _, i := range l.checks {
			if r := f.work.Ruled(f.task, f.task.Expected[i].Path, l.source, l.request, answers[0].Content); r.Why != "" {
				class, outcome := ruled(r)
				f.changed = true
				out = append(out, onData(i, class, outcome, l.source+": "+r.Why, "receipt:"+casefile.Digest(answers[0].Receipt).String()))
				continue
			}
			out = append(out, f.weigh(i, l.source, all))
		}
	}
	var steered []casefile.Finding
	read := agentdata.Findings(f.task, f.work, note, func(request []byte) (content []byte, receipt voting.Hash, err error) {
		answers, err := ask.Ask(ctx, Request{DataSource: agentdata.Source, Request: request})
		if err == nil {
			content, receipt = answers[0].Content, answers[0].Receipt
			for _, s := range steeredBy(agentdata.Source, answers) { // a check may have asked for it
				if !slices.ContainsFunc(slices.Concat(out, steered), func(known casefile.Finding) bool { return known.Detail == s.Detail }) {
					steered = append(steered, s)
				}
			}
		}
		return content, receipt, err
	})
	return slices.Concat(out, read, steered)
}

// ruled returns what a check is that data of an agent does not decide. One that its creator changed
// is as if it were not there, as one that nobody answers.
func ruled(r agentdata.Ruling) (class string, outcome casefile.CheckOutcome) {
	switch r.Against {
	case agentdata.Creator:
		return unanswered, casefile.Unknown
	case agentdata.Worker:
		return specification, casefile.Fail
	}
	return note, casefile.Unknown
}

// heard is an answer in decoded form. It is decoded once for all checks.
type heard struct {
	Answer
	check.Document
}

func hear(answers []Answer, papers check.Papers) []heard {
	out := make([]heard, len(answers))
	for i, a := range answers {
		out[i] = heard{Answer: a, Document: check.Answer(a.Content, papers)}
	}
	return out
}

// unavailable says why there is no answer.
func unavailable(source string, err error) string {
	why := strings.TrimPrefix(err.Error(), "judge: ")
	if errors.Is(err, context.DeadlineExceeded) {
		why = "no answer came in time"
	}
	return fmt.Sprintf("data unavailable: %s: %s", source, why)
}

// decide gives all checks of a lookup the same outcome.
func (f *facts) decide(l *lookup, class string, outcome casefile.CheckOutcome, detail string) (out []casefile.Finding) {
	for _, i := range l.checks {
		out = append(out, onData(i, class, outcome, detail))
	}
	return out
}

// onData makes the finding of a check on data.
func onData(i int, class string, outcome casefile.CheckOutcome, detail string, evidence ...string) casefile.Finding {
	evidence = append([]string{fmt.Sprintf("task:/expected/%d", i)}, evidence...)
	return finding(fmt.Sprintf("%sexpected[%d]", class, i), outcome, detail, evidence...)
}

// weigh makes a check on every answer and decides by who says what (weights).
func (f *facts) weigh(i int, source string, answers []heard) casefile.Finding {
	k := f.task.Expected[i]
	var evidence, holds, fails, unsure []string
	says, silent := make([]bool, len(answers)), make([]bool, len(answers))
	for n, a := range answers {
		if ref := "receipt:" + casefile.Digest(a.Receipt).String(); len(evidence) < maxCited {
			evidence = append(evidence, ref)
		}
		outcome, detail := a.Make(k)
		says[n], silent[n] = outcome == casefile.Pass, outcome == casefile.Unknown
		side := map[casefile.CheckOutcome]*[]string{casefile.Pass: &holds, casefile.Fail: &fails, casefile.Unknown: &unsure}[outcome]
		*side = append(*side, a.speaker()+": "+detail)
	}
	w := weights(answers)
	open := false // an answer that counts, by which code cannot tell
	for n, yes := range says {
		if silent[n] {
			open = open || w.weight[n] > 0
			continue
		}
		w.count(n, yes)
	}
	detail := source + ": "
	if len(holds) > 0 && len(fails) > 0 {
		detail += fmt.Sprintf("the holders contradict each other, %d against %d: ", len(holds), len(fails))
	}
	if why := w.String(); why != "" {
		detail += why + ": "
	}
	detail += strings.Join(slices.Concat(fails, holds, unsure), "; ")
	switch {
	case w.yes > w.no:
		return onData(i, specification, casefile.Pass, detail, evidence...)
	case w.no > w.yes:
		return onData(i, specification, casefile.Fail, detail, evidence...)
	case open:
		return onData(i, note, casefile.Unknown, detail+"; it decides nothing", evidence...)
	}
	return onData(i, unanswered, casefile.Unknown, detail, evidence...)
}
