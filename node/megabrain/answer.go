package megabrain

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/megabrain/arbiter"
	"ojud/megabrain/finding"
	"ojud/node/client"
	"ojud/node/library"
)

// Answered is an appeal against a golden task that the creator of the class answered.
type Answered struct {
	client.Sent
	Dispute   string                `json:"dispute"`
	Shown     string                `json:"shown,omitempty"` // SHA-256 of the question, if it stands on memory nodes
	Published []library.Publication `json:"published,omitempty"`
}

// maxAnswer bounds the right result that an answer repeats, in bytes.
const maxAnswer = 4 << 10

// Answer answers the open appeal against a golden task, as the creator of its class. It shows the
// judges the question, if that stands on memory nodes: whoever opened what nobody can read loses
// the appeal, and memory nodes may be silent. Without a reason it says what was opened. A second
// run publishes its documents again.
func Answer(ctx context.Context, d *Desk, at onchain.Address, reason string) (Answered, error) {
	s, err := d.Task(ctx, at)
	if err != nil {
		return Answered{}, err
	}
	c, err := d.Class(ctx, s.Task.Parties.Class)
	if err != nil {
		return Answered{}, err
	}
	switch {
	case d.self.IsZero():
		return Answered{}, errNoKey
	case s.Task.Marks.Opened != brain.Appealed:
		return Answered{}, errors.New("megabrain: no appeal against this task is open")
	case c.Creator != d.self:
		return Answered{}, fmt.Errorf("megabrain: the creator of the class answers the appeal, and that is %s", c.Creator)
	}
	told, err := termsOf(ctx, d, at, s.Task)
	if err != nil {
		return Answered{}, err
	}
	answer, exhibits, err := reply(ctx, d, s, told, reason)
	if err != nil {
		return Answered{}, err
	}
	out := Answered{Dispute: s.Task.Appeal.Dispute.String()}
	if len(exhibits) > 0 {
		out.Shown = exhibits[0].Hash.String()
	}
	terms, err := brain.AppealTerms(at, s.Task, s.Task.Appeal.Worker)
	if err != nil {
		return out, err
	}
	// The nodes take the question if they have the answer, and judges look for it again and again
	// if they have the terms, which the appellant need not show.
	out.Sent, out.Published, err = d.join(ctx, s.Task.Appeal.Dispute, answer, append([]library.Document{document(terms, casefile.HashOf(terms))}, exhibits...)...)
	return out, err
}

// reply is the answer to an appeal, and the question that it shows.
func reply(ctx context.Context, d *Desk, s Seen, told brain.Told, reason string) (answer library.Document, exhibits []library.Document, err error) {
	if !told.There {
		return answer, nil, errors.New("megabrain: the RPC node does not give the task's transaction, so that the question cannot be shown; try another one: --rpc URL")
	}
	raw, named, err := questionOf(ctx, d, s, told)
	if err != nil {
		return answer, nil, err
	}
	var names []string
	if named {
		if _, err := finding.ReadQuestion(raw); err != nil {
			return answer, nil, fmt.Errorf("megabrain: judges cannot read the question: %w", err)
		}
		names, exhibits = []string{"question.txt"}, []library.Document{document(raw, sha256.Sum256(raw))}
	}
	if reason == "" {
		right, _ := arbiter.OpenedAs(s.Task, int(s.Task.Appeal.Worker)-1)
		reason = fmt.Sprintf("The result of worker %d was opened as %s, and so it is.", s.Task.Appeal.Worker, map[bool]string{true: "right", false: "wrong"}[right])
		if content, err := d.store.Get(ctx, s.Task.Seal); err == nil && len(content) <= maxAnswer {
			reason += " The right result of this task is " + string(content)
		}
	}
	answer, err = library.Argue(reason, names, exhibits)
	return answer, exhibits, err
}

// answers answers an appeal against a golden task of the client's class whose question stands on
// memory nodes, when half of the time for that is over: until then a person may give a better
// reason. It notes in next when each is due again; the zero time is never.
func answers(ctx context.Context, d *Desk, s Seen, next map[share]time.Time) (did string, err error) {
	it := share{s.At, s.Task.Appeal.Dispute}
	due, tried := next[it]
	if s.Task.Status != brain.Settled || s.Task.Marks.Opened != brain.Appealed || tried && (due.IsZero() || time.Now().Before(due)) {
		return "", nil
	}
	defer func() {
		if err != nil {
			next[it] = time.Now().Add(shareAgain)
		}
	}()
	c, err := d.Class(ctx, s.Task.Parties.Class)
	if err != nil {
		return "", err
	}
	if next[it] = (time.Time{}); c.Creator != d.self {
		return "", nil
	}
	told, err := termsOf(ctx, d, s.At, s.Task)
	if err != nil {
		return "", err
	}
	if _, named := finding.Elsewhere(told.Description); told.There && !named {
		return "", nil
	}
	k, _, err := ledger.Read(ctx, d.office, s.Task.Appeal.Dispute, program.DecodeTask)
	if errors.Is(err, ledger.ErrNotFound) {
		return "", nil // it is over
	}
	if err != nil {
		return "", err
	}
	rules, err := law.Read(ctx, d.office)
	if err != nil {
		return "", err
	}
	switch left := k.Deadline - s.Now; {
	case k.Dispute == program.DisputeUnanswered && left > int64(rules.Now.Params.AnswerSeconds/2):
		delete(next, it)
		return "", nil
	case k.Dispute == program.DisputeUnanswered && left <= 0:
		return "", errors.New("the time to answer the appeal is over, and judges may not find the question")
	case k.Dispute == program.DisputeJoined:
		if s, err = d.Task(ctx, s.At); err != nil { // with its seats
			return "", err
		}
		answer, _, err := reply(ctx, d, s, told, "")
		if err != nil || answer.Hash != k.ObjectionHash {
			return "", err // a person answered
		}
	}
	_, err = Answer(ctx, d, s.At, "")
	return "answer the appeal, and show the question", err
}
