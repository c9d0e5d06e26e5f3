package console

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ojud/casefile/picture"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/status"
)

// lawPage is what the page of the rules shows.
type lawPage struct {
	Number  uint32
	Paused  bool
	Story   []figure // what a task of one SOL costs and pays
	Judge   []figure // what a judge gets and loses
	Times   []figure
	Bars    []bars    // what strategies earn in the lab
	Odds    odds      // what a vote is expected to bring here
	Words   []chapter // the rules in sentences
	Next    string    // when the announced version is in force; empty: none is announced
	Changes []string
	All     []ruleRow
	Fault   string // why the rules cannot be read
}

// ruleRow is a parameter of the rules.
type ruleRow struct{ Name, Value, Meaning string }

// doctorPage is what the page of the node's health shows.
type doctorPage struct {
	Findings []status.Finding
	Problems []string
	Fault    string
	Well     bool
}

// How long an answer serves all viewers of a page: of the chain, and of a reader that itself asks
// the chain seldom.
const (
	keptFor = 10 * time.Second
	listFor = time.Second
)

// askTime bounds the questions of a page to the chain.
const askTime = 10 * time.Second

// kept keeps the last answer to a question. The zero value has none.
type kept[T any] struct {
	mu    sync.Mutex
	at    time.Time
	value T
	err   error
}

// get returns the last answer, or asks if it is older than most.
func (k *kept[T]) get(most time.Duration, ask func(context.Context) (T, error)) (T, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.at.IsZero() || time.Since(k.at) > most {
		ctx, cancel := context.WithTimeout(context.Background(), askTime)
		defer cancel()
		k.value, k.err = ask(ctx)
		k.at = time.Now()
	}
	return k.value, k.err
}

// doctor puts the page of the node's health together.
func (c *Console) doctor() doctorPage {
	p := doctorPage{Well: true}
	for _, text := range c.source.Court().State.Problems {
		p.Problems, p.Well = append(p.Problems, picture.Line(text)), false
	}
	found, err := c.findings.get(keptFor, c.source.Findings)
	if err != nil {
		p.Fault, p.Well = picture.Line(err.Error()), false
	}
	for _, f := range found {
		f.Name, f.Detail, f.Next = picture.Line(f.Name), picture.Line(f.Detail), picture.Line(f.Next)
		p.Findings, p.Well = append(p.Findings, f), p.Well && f.OK
	}
	return p
}

// law puts the page of the rules together.
func (c *Console) law() lawPage {
	r, err := c.laws.get(keptFor, c.source.Rules)
	if err != nil {
		return lawPage{Fault: picture.Line(err.Error())}
	}
	p := lawPage{Number: r.Now.Number, Paused: r.Config.Paused != 0}
	if err := p.tell(r.Now.Params); err != nil {
		p.Fault = picture.Line(err.Error())
	}
	if r.Next != nil {
		p.Next = picture.Day(r.Next.From)
		for _, change := range law.Changes(r.Now.Params, r.Next.Params) {
			p.Changes = append(p.Changes, change.String())
		}
	}
	values, texts := map[string]uint64{}, map[string]string{}
	for _, one := range r.Now.List() {
		values[one.Name], texts[one.Name] = one.Value, law.UnitOf(one).Text(one.Value)
		p.All = append(p.All, ruleRow{one.Name, texts[one.Name], law.Meaning(one.Name)})
	}
	p.Words, p.Bars = sentences(values, texts), labBars(texts["preset"], r.Now.BatchSeconds > 0)
	return p
}

// tell says what the rules mean for a task of one SOL.
func (p *lawPage) tell(r program.Params) error {
	const reward = onchain.LamportsPerSOL
	l := r.Law()
	fee, err := l.Fee(reward)
	if err != nil {
		return err
	}
	creator, worker, err := l.Bonds(reward, r.PanelSeats)
	if err != nil {
		return err
	}
	appeal, err := l.AppealBond(reward)
	if err != nil {
		return err
	}
	claim, err := l.Claim(reward)
	if err != nil {
		return err
	}
	pay := fee / 2
	pays := func(sign string, n uint64) string { return sign + onchain.SOL(n*pay) }
	golden := float64(r.GoldenBps) / 10_000
	if r.BatchSeconds == 0 {
		golden = 0
	}
	p.Odds = expects(float64(pay), golden, float64(r.GoldenGain), float64(r.GoldenLoss))
	p.Story = []figure{
		{"The creator locks the reward", onchain.SOL(reward)},
		{"The worker claims the task, with a bond that it loses if it is late", onchain.SOL(claim)},
		{"The creator objects to the result, with a bond", onchain.SOL(creator)},
		{"The worker insists on it, with a bond", onchain.SOL(worker)},
		{"Judges are drawn by lot, by stake", fmt.Sprintf("up to %d", r.PanelSeats)},
		{"The worker is paid beyond this share of the votes for a side", "66 %"},
		{"The golden pot gets this share of what the worker is paid", law.Share.Text(uint64(r.TradeBps))},
		{"Rounds, if too few judges take a side", fmt.Sprint(r.MaxRounds)},
	}
	if r.AppealSeconds > 0 {
		p.Story = append(p.Story, figure{"Who loses may ask other judges, with a bond", onchain.SOL(appeal)})
	}
	p.Judge = []figure{
		{"votes for a side in the round that decides", pays("+", 1)},
		{"abstains", "0 SOL"},
		{"never commits", pays("−", uint64(r.Absence))},
		{"commits, and does not reveal", pays("−", uint64(r.GoldenGain)*uint64(r.GoldenLoss))},
		{"signs two votes for one round", "− its whole stake"},
	}
	if r.AppealSeconds > 0 {
		p.Judge = append(p.Judge, figure{"is clearly reversed by an appeal", pays("−", uint64(r.Reversal))})
	}
	if r.GoldenBps > 0 && r.BatchSeconds > 0 {
		p.Judge = append(p.Judge, figure{"is right in a test case, in addition", pays("+", uint64(r.GoldenGain))},
			figure{"is wrong in a test case", pays("−", uint64(r.GoldenGain)*uint64(r.GoldenLoss))})
	}
	p.Times = []figure{
		{"for judges to vote", law.Span.Text(uint64(r.CommitSeconds))}, {"to show the votes", law.Span.Text(uint64(r.RevealSeconds))},
		{"for the creator to answer a result", law.Span.Text(uint64(r.VerifySeconds))}, {"for the worker to answer an objection", law.Span.Text(uint64(r.AnswerSeconds))},
		{"of a season", law.Span.Text(uint64(r.SeasonSeconds))}, {"until a leaving judge has its stake, and of notice for new rules", law.Span.Text(uint64(r.CooldownSeconds))},
	}
	if r.AppealSeconds > 0 {
		p.Times = append(p.Times, figure{"to appeal", law.Span.Text(uint64(r.AppealSeconds))})
	}
	return nil
}
