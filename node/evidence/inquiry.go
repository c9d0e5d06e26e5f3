package evidence

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/agent"
	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/datasource"
	"ojud/datasource/exchange"
)

// Inquiry holds what a judge may ask in one evaluation, and the results.
type Inquiry struct {
	e       *Evidence
	session *exchange.Session
	sources []string
}

var (
	_ judge.Evidence = Inquiry{}
	_ judge.Guide    = Inquiry{}
)

// Open opens the desk for an evaluation. The caller must close the Inquiry.
func (e *Evidence) Open(ctx context.Context, b judge.Brief) (Inquiry, error) {
	look, ok := e.d.Cases.Look(b.Case)
	if !ok {
		return Inquiry{}, fmt.Errorf("evidence: case %s is not followed here", casefile.Address(b.Case))
	}
	// The judge keeps the last quarter of its time for itself. Answers must come before that.
	left := time.Until(b.Deadline)
	ev := exchange.Evaluation{
		Case: casefile.Address(b.Case), Round: b.Round, Judge: casefile.Address(b.Judge), Deadline: b.Deadline.Add(-left * 3 / 8),
		From: look.CommitEnds - int64(look.Rules.CommitSeconds), Until: look.CommitEnds,
	}
	var err error
	if ev.Staked, err = e.d.Cases.Staked(ctx, b.Case, e.d.Roster); err != nil {
		e.d.Log.Warn("the stakes of a draw are not all known, so that some holders with a stake count as strangers",
			"case", casefile.Address(b.Case), "round", b.Round, "err", err)
	}
	if b.Task.Readable() {
		ev.Sources = agentdata.Sources(b.Task.Value)
	}
	s, err := e.requester.Open(ctx, ev)
	return Inquiry{e, s, ev.Sources}, err
}

// Sources implements judge.Guide. It describes each source by this node's own card, or by that of
// the first holder that announces it.
func (i Inquiry) Sources(ctx context.Context) (out []agent.Repr) {
	for _, name := range i.sources {
		card, ok := i.e.shelf.Card(name)
		for _, j := range i.e.d.Host.Directory().Holders(name) {
			if ok || ctx.Err() != nil {
				break
			}
			if c, err := i.e.finder.cards.candidate(ctx, j.ID, cardOf(j, name)); err == nil {
				card, _, err = datasource.ParseCard(c.Card)
				ok = err == nil && card.Name == name
			}
		}
		if ok {
			out = append(out, agent.Repr{
				Name: card.Name, Title: card.Title, Description: card.Description, InputSchema: card.InputSchema, OutputSchema: card.OutputSchema,
			})
		}
	}
	return out
}

// Ask implements judge.Evidence.
func (i Inquiry) Ask(ctx context.Context, r judge.Request) ([]judge.Answer, error) {
	answers, err := i.session.Ask(ctx, r.DataSource, r.Request)
	if err != nil {
		return nil, judgeError(err)
	}
	out := make([]judge.Answer, len(answers))
	for k, a := range answers {
		out[k] = judge.Answer{Content: a.Content, Receipt: a.Hash, Holder: a.Holder, At: a.At, Standing: a.Standing, Weight: a.Weight}
	}
	return out, nil
}

// judgeError translates the cause of a missing answer into the errors of package judge.
func judgeError(err error) error {
	for ours, theirs := range map[error]error{
		exchange.ErrUnavailable: judge.ErrUnavailable, exchange.ErrRefused: judge.ErrRefused, exchange.ErrNotNamed: judge.ErrNotNamed,
		exchange.ErrBadRequest: judge.ErrBadRequest, exchange.ErrSpent: judge.ErrSpent,
	} {
		if errors.Is(err, ours) {
			return theirs
		}
	}
	return err
}

// Close ends the asking and returns all questions and answers.
func (i Inquiry) Close() []casefile.DataBody {
	i.session.Close()
	return i.session.Record()
}
