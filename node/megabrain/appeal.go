package megabrain

import (
	"context"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/ledger/brain"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/megabrain/arbiter"
	"ojud/megabrain/finding"
	"ojud/node/client"
	"ojud/node/library"
)

// Contested is a golden task that was brought to the court.
type Contested struct {
	client.Sent
	Dispute   string                `json:"dispute"` // address in the court
	Stake     client.Lamports       `json:"stake"`
	Fee       client.Lamports       `json:"fee"`
	Opened    string                `json:"opened_as"` // what the golden task says of the result: right or wrong
	Published []library.Publication `json:"published,omitempty"`
}

// Grievance is what somebody who failed a golden task says of the result of a worker, counted from
// 1.
type Grievance struct {
	Task   onchain.Address
	Worker int
	Reason string
}

// AppealCosts are the stake of the next appeal against a golden task of a class, and the fee of the
// judges. Without a task, they are those of a task with the least budget.
func AppealCosts(ctx context.Context, d *Desk, t *brain.TaskAccount, c *brain.ClassAccount) (stake, fee client.Lamports, err error) {
	refused, budget := uint8(0), uint64(0)
	if t != nil {
		refused, budget = t.Appeal.Refused, t.Money.Budget
	}
	_, s, f, err := appealCosts(ctx, d, refused, budget, c)
	return client.Lamports(s), client.Lamports(f), err
}

func appealCosts(ctx context.Context, d *Desk, refused uint8, budget uint64, c *brain.ClassAccount) (rules *law.Rules, stake, fee uint64, err error) {
	if rules, err = rulesOf(ctx, d); err != nil {
		return nil, 0, 0, err
	}
	p := rules.Now.Params
	cover, err := law.CoverOf(ctx, d.office, p)
	if err != nil {
		return nil, 0, 0, err
	}
	fee, err = p.DisputeFee(asked(budget, cover, p), p.PanelSeats)
	return rules, c.Parameters.DisputeStake(refused, budget), fee, err
}

// Bring brings it to the court with the client's key. The stake is the bond of an outcome, and
// twice as much after each appeal that the court rejected. A second run publishes its documents
// again.
func (g Grievance) Bring(ctx context.Context, d *Desk) (Contested, error) {
	at, worker := g.Task, g.Worker
	s, err := d.Task(ctx, at)
	if err != nil {
		return Contested{}, err
	}
	t := s.Task
	c, err := d.Class(ctx, t.Parties.Class)
	if err != nil {
		return Contested{}, err
	}
	own := t.Appeal.Appellant == d.self && int(t.Appeal.Worker) == worker
	again := t.Marks.Opened == brain.Appealed && own
	switch {
	case d.self.IsZero():
		return Contested{}, errNoKey
	case t.Marks.Opened != brain.Shown && !again:
		return Contested{}, errors.New("megabrain: a golden task is appealed after its creator opened it, for as long as an outcome may be disputed")
	case !again && own:
		return Contested{}, fmt.Errorf("megabrain: each who failed appeals once about a result, and this key did about that of worker %d", worker)
	case !arbiter.Failed(t, c.Parameters, d.self):
		return Contested{}, fmt.Errorf("megabrain: %s did not fail this golden task, so there is nothing to appeal", d.self)
	case worker < 1 || worker > int(t.Counts.Drawn):
		return Contested{}, fmt.Errorf("megabrain: the task has no result %d; it has 1 to %d", worker, t.Counts.Drawn)
	}
	right, ok := arbiter.OpenedAs(t, worker-1)
	switch {
	case !ok:
		return Contested{}, fmt.Errorf("megabrain: the result of worker %d does not count, so the golden task says nothing of it", worker)
	}
	told, err := termsOf(ctx, d, at, t)
	switch {
	case err != nil:
		return Contested{}, err
	case !told.There:
		return Contested{}, errors.New("megabrain: the judges have to see what the task asks, and the RPC node does not give its transaction; try another one: --rpc URL")
	}
	seat := t.Work[worker-1]
	plea := arbiter.Plea{
		Form: arbiter.AppealForm, Program: d.prog.ID().String(), Task: at.String(), Question: []byte(told.Description), Metadata: told.Metadata, Reason: g.Reason,
	}
	plea.Text, _, err = questionOf(ctx, d, s, told)
	switch {
	case errors.Is(err, ErrElsewhere), len(plea.Text) > finding.MaxQuestion:
		plea.Text = nil // the judges look for it, and accept if nobody shows it
	case err != nil:
		return Contested{}, err
	}
	store, err := storeOf(ctx, d, c, s)
	if err != nil {
		return Contested{}, err
	}
	if plea.Class, err = store.Get(ctx, c.ID); err != nil {
		return Contested{}, fmt.Errorf("megabrain: the document of the class: %w", err)
	}
	content, err := store.Get(ctx, seat.ResultHash)
	if err != nil {
		return Contested{}, fmt.Errorf("megabrain: the result of worker %d: %w", worker, err)
	}
	plea.Result = arbiter.Show(seat.Agent, content)
	raw, err := plea.Encode()
	if err != nil {
		return Contested{}, err
	}
	claim, err := d.store.Keep(raw)
	if err != nil {
		return Contested{}, err
	}
	rules, stake, fee, err := appealCosts(ctx, d, t.Appeal.Refused, t.Money.Budget, c)
	if err != nil {
		return Contested{}, err
	}
	terms, err := brain.AppealTerms(at, t, uint8(worker))
	if err != nil {
		return Contested{}, err
	}
	court, hash := d.office.Program(), casefile.HashOf(terms)
	where := program.DisputeAddress(court, d.self, c.Creator, hash)
	sent, err := d.send(ctx, order{
		name: "appeal the golden task", pays: stake + fee,
		calls: []onchain.Instruction{d.prog.AppealGolden(d.self, t.Parties.Class, at, judiciary(court, rules, where), brain.AppealGolden{Worker: uint8(worker), Claim: claim, Stake: stake})},
		done: func(ctx context.Context) (bool, error) {
			s, err := d.Task(ctx, at)
			return err == nil && s.Task.Appeal.Dispute == where, err
		},
	})
	out := Contested{Sent: sent, Dispute: where.String(), Stake: client.Lamports(stake), Fee: client.Lamports(fee), Opened: map[bool]string{true: "right", false: "wrong"}[right]}
	if err != nil {
		return out, err
	}
	out.Published, err = d.publish(ctx, where, document(terms, hash), document(raw, claim), filled(program.Unanswered()), filled(program.Unreplied()))
	return out, err
}
