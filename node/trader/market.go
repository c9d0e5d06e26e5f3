package trader

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ojud/agent/work"
	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/client/cost"
	"ojud/voting"
)

const (
	maxOffers    = 100             // that a worker looks at, the newest
	maxTexts     = 512             // documents that are remembered
	fetchTime    = 5 * time.Second // for a document of the market
	fetches      = 4               // documents that are fetched at once
	lookAgain    = 5               // looks until a document that no node had is asked for again
	readAccounts = 100             // that one read takes
)

// market reads a court for one agent.
type market struct {
	client *client.Client
	office client.Office
	me     onchain.Address
	over   []ledger.Keyed[program.Task] // tasks of the agent that are over, of the last look
	rules  map[uint32]*program.Rules

	mu     sync.Mutex
	texts  map[voting.Hash][]byte
	absent map[voting.Hash]int                   // looks until it is asked for again
	owners map[casefile.Address]casefile.Address // of data of agents that tasks do not pin
}

func newMarket(c *client.Client) (*market, error) {
	me, err := onchain.ParseAddress(c.Me())
	if err != nil {
		return nil, fmt.Errorf("trader: the client has no key: %w", err)
	}
	return &market{client: c, office: client.OfficeOf(c), me: me, rules: map[uint32]*program.Rules{}, texts: map[voting.Hash][]byte{}, absent: map[voting.Hash]int{}, owners: map[casefile.Address]casefile.Address{}}, nil
}

// look is what was read at one time.
type look struct {
	law   *law.Rules
	agent *program.Agent
	tasks []ledger.Keyed[program.Task]
}

func (m *market) look(ctx context.Context) (l look, err error) {
	if l.law, err = law.Read(ctx, m.office); err != nil {
		return l, err
	}
	if l.agent, _, err = ledger.Read(ctx, m.office, m.office.Program().Agent(m.me), program.DecodeAgent); err != nil {
		return l, err
	}
	l.tasks, err = m.office.Tasks(ctx)
	m.over = nil
	for _, k := range l.tasks {
		if (k.Value.Creator == m.me || k.Value.Worker == m.me) && k.Value.Status.Over() && !k.Value.IsDispute() {
			m.over = append(m.over, k)
		}
	}
	return l, err
}

// costs returns what the steps of a task take.
func (m *market) costs(ctx context.Context, l look, t *program.Task) (cost.Steps, error) {
	rules := m.rules[t.Rules]
	if rules == nil {
		var err error
		if rules, err = law.Version(ctx, m.office, t.Rules); err != nil {
			return cost.Steps{}, err
		}
		m.rules[t.Rules] = rules
	}
	return cost.Of(t, rules.Params, l.law.Config.Market(l.law.Time))
}

// phases are what a status of the chain means for an agent.
var phases = map[program.TaskStatus]work.Phase{
	program.Created: work.Open, program.Claimed: work.Making, program.InProgress: work.Making,
	program.Verification: work.Waiting, program.Disputed: work.Disputed, program.Judiciary: work.Judged,
}

func phase(t *program.Task) work.Phase {
	if p, ok := phases[t.Status]; ok && !t.Status.Over() {
		return p
	}
	return work.Over
}

func outcome(t *program.Task) work.End {
	switch name := program.OutcomeName(t.Outcome); {
	case !t.Status.Over():
		return ""
	case slices.Contains([]work.End{work.Paid, work.Split}, work.End(name)):
		return work.End(name)
	}
	return work.Refunded
}

// ruling says how the court ended a task.
func ruling(t *program.Task) work.Ruling {
	switch t.Resolution {
	case program.ByVerdict:
		return work.Decided
	case program.ByUndecided:
		return work.Undecided
	}
	return ""
}

// releasePart is the part of the time of the work in which a claim can be given back, as the
// program has it.
const releasePart = 10

// free reports whether a claim can be given back for nothing.
func free(t *program.Task, now int64) bool {
	working := t.Status == program.Claimed || t.Status == program.InProgress
	return working && t.SubmittedAt == 0 && max(now-t.ClaimedAt, 0) < int64(t.WorkSeconds/releasePart)-int64(t.ReleasedSeconds)
}

// late reports whether the time of the one who has to act is over.
func late(t *program.Task, now int64) bool {
	by := t.Deadline
	if t.Status == program.Created {
		by = t.ClaimBy
	}
	return t.Status != program.Judiciary && by != 0 && now >= by
}

// lost reports whether a first verdict is against this agent, which could appeal.
func (m *market) lost(ctx context.Context, task onchain.Address, t *program.Task) (bool, error) {
	if t.Status != program.Judiciary || !t.Engine.IsZero() {
		return false, nil
	}
	d, _, err := ledger.Read(ctx, m.office, m.office.Program().Case(task), program.DecodeCase)
	if errors.Is(err, ledger.ErrNotFound) {
		return false, nil
	}
	if err != nil || d.NoAppeal() != "" {
		return false, err
	}
	losers := d.Losers(t)
	return len(losers) == 1 && losers[0] == m.me, nil
}

// forWorker is the look of a worker.
func (m *market) forWorker(ctx context.Context, known func(task string) bool) (out work.Market, err error) {
	l, err := m.look(ctx)
	if err != nil {
		return out, err
	}
	out.Vault = l.agent.Vault
	var open []ledger.Keyed[program.Task]
	for _, k := range l.tasks {
		t := k.Value
		switch {
		case t.IsDispute():
		case t.Worker == m.me:
			h, err := m.held(ctx, l, k, known)
			if err != nil {
				return out, err
			}
			out.Held = append(out.Held, h)
		case t.Status == program.Created && !late(t, l.law.Time) && t.Creator != m.me:
			open = append(open, k)
		}
	}
	slices.SortStableFunc(open, func(a, b ledger.Keyed[program.Task]) int { return int(b.Value.CreatedAt - a.Value.CreatedAt) })
	open = open[:min(len(open), maxOffers)]
	records, err := m.records(ctx, open)
	if err != nil {
		return out, err
	}
	orders := m.orders(ctx, open)
	loose, err := m.loose(ctx, open, orders)
	if err != nil {
		return out, err
	}
	for i, k := range open {
		t := k.Value
		c, err := m.costs(ctx, l, t)
		if err != nil {
			return out, err
		}
		out.Offers = append(out.Offers, work.Vacancy{
			Task: k.Address.String(), Creator: records[t.Creator], Price: c.Price, ClaimBond: c.Claim, AnswerBond: c.Answer, WorkSeconds: t.WorkSeconds,
			Undecided: program.OnUndecidedName(t.OnUndecided), Foreign: !t.Engine.IsZero(), Barred: t.LastWorker == m.me, Text: text(orders[i]), Loose: loose[i],
		})
	}
	return out, nil
}

func (m *market) held(ctx context.Context, l look, k ledger.Keyed[program.Task], known func(string) bool) (h work.Held, err error) {
	t, name := k.Value, k.Address.String()
	h = work.Held{Task: name, Status: phase(t), Price: t.Reward, ClaimBond: t.ClaimBond, AnswerBond: t.WorkerBond, Reworks: int(t.Reworks),
		Most: int(l.law.Now.MaxReworks), Late: late(t, l.law.Time), Free: free(t, l.law.Time), Outcome: outcome(t), Ruling: ruling(t)}
	if h.Status == work.Over {
		return h, nil
	}
	c, err := m.costs(ctx, l, t)
	if err != nil {
		return h, err
	}
	h.AnswerBond = c.Answer
	if !known(name) {
		h.Text = text(m.orders(ctx, []ledger.Keyed[program.Task]{k})[0])
	}
	h.Lost, err = m.lost(ctx, k.Address, t)
	return h, err
}

// records reads how creators did before the court.
func (m *market) records(ctx context.Context, tasks []ledger.Keyed[program.Task]) (map[onchain.Address]work.Reputation, error) {
	out := map[onchain.Address]work.Reputation{}
	var all []onchain.Address
	for _, k := range tasks {
		if _, ok := out[k.Value.Creator]; !ok {
			out[k.Value.Creator] = work.Reputation{Agent: k.Value.Creator.String()}
			all = append(all, m.office.Program().Agent(k.Value.Creator))
		}
	}
	for some := range slices.Chunk(all, readAccounts) {
		accounts, _, err := m.office.Accounts(ctx, some...)
		if err != nil {
			return nil, err
		}
		for _, account := range accounts {
			if account == nil || account.Owner != m.office.Program().ID() {
				continue
			}
			if a, err := program.DecodeAgent(account.Data); err == nil {
				out[a.Authority] = work.Reputation{Agent: a.Authority.String(), Won: a.CasesWon, Lost: a.CasesLost}
			}
		}
	}
	return out, nil
}

// text is what the creator of a task asks for.
func text(order casefile.Task) string { return strings.Join(order.Instruction, "\n") }

// orders returns the documents of tasks. One is empty if no node has sent it.
func (m *market) orders(ctx context.Context, tasks []ledger.Keyed[program.Task]) []casefile.Task {
	out, turn := make([]casefile.Task, len(tasks)), make(chan struct{}, fetches)
	var all sync.WaitGroup
	for i, k := range tasks {
		all.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			raw, err := m.text(ctx, k.Value.TaskHash)
			if err != nil {
				return
			}
			if doc, err := casefile.ParseTask(raw); err == nil {
				out[i] = doc.Value
			}
		})
	}
	all.Wait()
	return out
}

var errAbsent = errors.New("trader: no node had the document a moment ago")

// text returns a document of the market. It remembers it, and that nobody had it for a few looks.
func (m *market) text(ctx context.Context, hash voting.Hash) ([]byte, error) {
	m.mu.Lock()
	raw, ok := m.texts[hash]
	if m.absent[hash] > 0 {
		m.absent[hash]--
		m.mu.Unlock()
		return nil, errAbsent
	}
	m.mu.Unlock()
	if ok {
		return raw, nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	raw, err := m.client.Fetch(ctx, hash)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		if len(m.absent) >= maxTexts {
			clear(m.absent)
		}
		m.absent[hash] = lookAgain
		return nil, err
	}
	delete(m.absent, hash)
	if len(m.texts) >= maxTexts {
		clear(m.texts)
	}
	m.texts[hash] = raw
	return raw, nil
}

// forCreator is the look of a creator, without its queue.
func (m *market) forCreator(ctx context.Context) (out work.Books, err error) {
	l, err := m.look(ctx)
	if err != nil {
		return out, err
	}
	wallet, err := m.client.Balance(ctx, m.me)
	if err != nil {
		return out, err
	}
	out.Now, out.Vault, out.Wallet, out.Next = l.law.Time, l.agent.Vault, uint64(wallet), l.agent.TasksCreated
	out.Silence, out.Kept = int64(l.law.Now.VerifySeconds), int64(l.law.Now.EvidenceSeconds)
	for _, k := range l.tasks {
		t := k.Value
		if t.Creator != m.me || t.IsDispute() {
			continue
		}
		p := work.Posted{Number: t.ID, Task: k.Address.String(), Document: hex.EncodeToString(t.TaskHash[:]), Status: phase(t), Price: t.Reward,
			CreatedAt: t.CreatedAt, Late: late(t, l.law.Time), Outcome: outcome(t), Ruling: ruling(t)}
		if t.ResultHash != (voting.Hash{}) {
			p.Result = hex.EncodeToString(t.ResultHash[:])
		}
		if p.Status != work.Over {
			c, err := m.costs(ctx, l, t)
			if err != nil {
				return out, err
			}
			p.ObjectBond = c.Object
			if p.Lost, err = m.lost(ctx, k.Address, t); err != nil {
				return out, err
			}
		}
		out.Posted = append(out.Posted, p)
	}
	for _, r := range m.rules { // a task keeps the version of its rules
		out.Silence, out.Kept = min(out.Silence, int64(r.VerifySeconds)), min(out.Kept, int64(r.EvidenceSeconds))
	}
	return out, nil
}
