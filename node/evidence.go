package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ojud/agent"
	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/voting"
)

// inquiry is what one evaluation may ask, and what came of it.
type inquiry struct {
	n       *Node
	session *exchange.Session
	sources []string
}

var (
	_ judge.Evidence = inquiry{}
	_ judge.Guide    = inquiry{}
)

// openInquiry opens the desk for an evaluation.
func (n *Node) openInquiry(ctx context.Context, b judge.Brief) (inquiry, error) {
	c := n.docket.find(b.Case)
	if c == nil {
		return inquiry{}, fmt.Errorf("node: case %s is not followed here", address(b.Case))
	}
	look, _ := c.snapshot()
	// The judge keeps the last quarter of its time for itself; what there is has to be with it before.
	left := time.Until(b.Deadline)
	e := exchange.Evaluation{
		Case: casefile.Address(b.Case), Round: b.Round, Judge: casefile.Address(b.Judge), Deadline: b.Deadline.Add(-left * 3 / 8),
		From: look.CommitEnds - int64(look.Rules.CommitSeconds), Until: look.CommitEnds,
	}
	if b.Task.Readable() {
		e.Sources = b.Task.Value.DataSources
	}
	s, err := n.desk.Open(ctx, e)
	return inquiry{n, s, e.Sources}, err
}

// Sources implements judge.Guide: the sources as this node's own cards describe them, or those of the first holder that announces them.
func (i inquiry) Sources(ctx context.Context) (out []agent.Repr) {
	for _, name := range i.sources {
		card, ok := i.n.book.Card(name)
		for _, j := range i.n.host.Registry().Holders(name) {
			if ok || ctx.Err() != nil {
				break
			}
			if c, err := i.n.candidate(ctx, j.ID, cardOf(j, name)); err == nil {
				card, _, err = datasource.ParseCard(c.Card)
				ok = err == nil && card.Name == name
			}
		}
		if ok {
			out = append(out, agent.Repr{Name: card.Name, Title: card.Title, Description: card.Description, InputSchema: card.InputSchema, OutputSchema: card.OutputSchema})
		}
	}
	return out
}

// Ask implements judge.Evidence.
func (i inquiry) Ask(ctx context.Context, r judge.Request) ([]judge.Answer, error) {
	answers, err := i.session.Ask(ctx, r.DataSource, r.Request)
	if err != nil {
		return nil, evidenceError(err)
	}
	out := make([]judge.Answer, len(answers))
	for k, a := range answers {
		out[k] = judge.Answer{Content: a.Content, Receipt: a.Hash, Holder: a.Holder, At: a.At}
	}
	return out, nil
}

// evidenceError says in the judge's words why there is no answer.
func evidenceError(err error) error {
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

// close ends the asking and returns what was asked.
func (i inquiry) close() []casefile.DataBody {
	i.session.Close()
	return i.session.Record()
}

// proven are the receipts of a record.
func proven(record []casefile.DataBody) (out []casefile.Receipt) {
	for _, b := range record {
		out = append(out, b.Receipts...)
	}
	return out
}

// fillIn puts into an opinion what is not the judge's to say: of data what the receipts prove, and nothing else, and what was thought
// with (ADR 0017). An opinion for which no model was asked is the code's, whatever models the node has.
func (n *Node) fillIn(o casefile.Doc[casefile.Opinion], record []casefile.DataBody) (casefile.Doc[casefile.Opinion], error) {
	accessed, err := casefile.Accesses(proven(record), casefile.DID(n.home.Keys.Peer()))
	if err != nil {
		return o, err
	}
	o.Value.DataAccessed, o.Value.Family = accessed, n.chair.Family
	if o.Value.Dimension == "" { // no persona was chosen for the case
		o.Value.Dimension = n.chair.Dimension
	}
	if o.Value.Model == casefile.CodeChecks {
		o.Value.Family = casefile.CodeFamily
	}
	return casefile.NewOpinion(o.Value)
}

// keepRecord keeps what was asked in a round before anything is signed that rests on it.
func (n *Node) keepRecord(task voting.Key, round uint8, record []casefile.DataBody) error {
	if len(record) == 0 {
		return nil
	}
	for _, b := range record {
		hashes := []voting.Hash{voting.Hash(b.Request)}
		for _, r := range b.Receipts {
			hashes = append(hashes, voting.Hash(r.Response), voting.Hash(r.Terms))
		}
		if err := n.blobs.Pin(task, hashes...); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("node: record of round %d: %w", round, err)
	}
	return n.journal.PutData(task, round, raw)
}

// recorded is what keepRecord kept.
func (n *Node) recorded(task voting.Key, round uint8) ([]casefile.DataBody, error) {
	raw, err := n.journal.Data(task, round)
	if err != nil || raw == nil {
		return nil, err
	}
	var record []casefile.DataBody
	if err := json.Unmarshal(raw, &record); err != nil {
		return nil, fmt.Errorf("node: record of round %d: %w", round, err)
	}
	return record, nil
}

// testifyData says what this node was answered in a round, before the vote that rests on it.
func (n *Node) testifyData(c *dispute, round uint8) error {
	record, err := n.recorded(c.task, round)
	if err != nil {
		return err
	}
	for _, body := range record {
		_, err := c.log.Append(n.home.Keys.node, casefile.KindData, body, at(n.client))
		if err != nil && !errors.Is(err, casefile.ErrRepeated) {
			return err
		}
	}
	return nil
}

// testifyGiven says what this node answered as a holder, once the commits of the round are over, if it has a seat in the case.
func (n *Node) testifyGiven(c *dispute) error {
	c.mu.Lock()
	given, look := c.given, c.look
	c.mu.Unlock()
	if look.SeatOf(n.home.Keys.Judge()) < 0 || look.Live() && !look.CommitsOver(at(n.client)) {
		return nil
	}
	for _, r := range given {
		_, err := c.log.Append(n.home.Keys.node, casefile.KindReceipt, casefile.ReceiptBody{Receipt: r}, at(n.client))
		if err != nil && !errors.Is(err, casefile.ErrRepeated) && !errors.Is(err, casefile.ErrStranger) {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given = c.given[len(given):]
	return nil
}
