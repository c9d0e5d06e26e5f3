package trader

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"ojud/agent/work"
	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/client/cost"
	"ojud/node/holdings"
	"ojud/voting"
)

// Creator is an agent that posts tasks from a queue and answers the results.
type Creator struct {
	*engine
	core   *work.Creator
	queue  queue
	terms  client.Offer
	orders map[string]order // of the last look, by id
}

// NewCreator opens the folder of a creator, and goes on where it ended. The queue is a folder with
// task files, or a file with an order in each line. The reward of the terms is that of orders that
// name none.
func NewCreator(policy work.CreatorPolicy, path string, terms client.Offer, d Needs) (*Creator, error) {
	m, err := newMarket(d.Client)
	if err != nil {
		return nil, err
	}
	core := work.NewCreator(policy)
	s, err := openStore(d.Dir, core)
	if err != nil {
		return nil, err
	}
	if core.Items == nil {
		core.Items = map[string]*work.Item{}
	}
	c := &Creator{engine: newEngine(d, s, m, core), core: core, queue: queue{path: path, reward: terms.RewardMin, tokens: policy.Tokens}, terms: terms}
	c.engine.pledges = newPledges(m, nil)
	c.engine.look, c.engine.act = c.see, c.perform
	return c, nil
}

// Close gives the folder back.
func (c *Creator) Close() error { return c.close() }

// Run works until ctx ends, the budget is used up, or everything is over and the policy says so.
func (c *Creator) Run(ctx context.Context) error {
	needed := map[string]bool{}
	for _, i := range c.core.Items {
		if i.Phase != work.Over {
			needed[i.Document], needed[c.objection(i.ID)], needed[objectionFile(i.ID)] = true, true, true
		}
	}
	if err := c.store.prune(func(name string) bool { return needed[name] }); err != nil {
		return err
	}
	return c.run(ctx)
}

// objection returns the hash of the objection that was written for an order; empty: none.
func (c *Creator) objection(id string) string {
	raw, err := c.store.read(objectionFile(id), 2*len64)
	if err != nil {
		return ""
	}
	return string(raw)
}

// objectionFile is named by the hash of the id, because an id is any text.
func objectionFile(id string) string { return objectionPrefix + nameOf(id) }

func (c *Creator) see(ctx context.Context) (work.News, error) {
	b, err := c.market.forCreator(ctx)
	if err != nil {
		return nil, err
	}
	rules, err := law.Read(ctx, c.market.office)
	if err != nil {
		return nil, err
	}
	cover, err := law.CoverOf(ctx, c.market.office, rules.Now.Params)
	if err != nil {
		return nil, err
	}
	if err := c.payPledges(ctx); err != nil {
		return nil, err
	}
	orders, err := c.queue.read()
	if err != nil {
		return nil, err
	}
	lacking := stocks{}
	for _, why := range c.queue.refused {
		c.tellOf("order "+why, "", "does not post an order: "+why)
	}
	c.orders = map[string]order{}
	for _, o := range orders {
		reward := client.Lamports(o.Reward)
		switch least := client.Lamports(rules.Now.MinReward); {
		case reward < least:
			c.tellOf("order "+o.ID, "", fmt.Sprintf("does not post an order: %s: it pays %s, and this court takes no task below %s", o.ID, reward, least))
		case cover.Limited && o.Reward > cover.Most:
			c.tellOf("order "+o.ID, "", fmt.Sprintf("does not post an order: %s: it pays %s, and this court takes no task above %s, which is %s", o.ID, reward, client.Lamports(cover.Most), cover.Why))
		case c.core.Items[o.ID] == nil && (c.lacks(ctx, &o) || c.lacksTokens(ctx, o, lacking)):
		default:
			if o.Bond, err = c.bond(rules.Now.Params, o.Reward); err != nil {
				return nil, err
			}
			c.orders[o.ID] = o
			b.Queue = append(b.Queue, o.Order)
		}
	}
	return b, nil
}

// lacks reports whether an order names data that is not there, and tells the owner. It pins data
// that is there. If the chain does not say, the next look asks again.
func (c *Creator) lacks(ctx context.Context, o *order) bool {
	pinned, why, err := pinned(ctx, c.Client, *o)
	if err != nil {
		why = "the data that it names could not be read: " + err.Error()
	}
	if *o = pinned; why != "" {
		c.tellOf("order "+o.ID, "", fmt.Sprintf("does not post an order: %s: %s", o.ID, why))
	}
	return why != ""
}

// lacksTokens reports whether the vault cannot put an order's tokens beside its task now, and tells
// the owner. known is what this look has read.
func (c *Creator) lacksTokens(ctx context.Context, o order, known stocks) bool {
	err := c.short(ctx, o.Tokens, known)
	if err != nil {
		c.tellOf("order "+o.ID, "", fmt.Sprintf("does not post an order: %s: its tokens: %s", o.ID, err))
	}
	return err != nil
}

// bond is what an objection to the result of an order takes.
func (c *Creator) bond(p program.Params, reward uint64) (uint64, error) {
	terms := c.terms
	terms.RewardMin, terms.RewardMax = client.Lamports(reward), client.Lamports(reward)
	made, err := terms.Terms(p, voting.Hash{}, 0)
	if err != nil {
		return 0, err
	}
	steps, err := cost.Of(&program.Task{RewardMin: reward, RewardMax: reward, Escrow: reward, Reward: reward, Seats: made.Seats, FeeMin: made.FeeMin}, p, 0)
	return steps.Object, err
}

func (c *Creator) perform(ctx context.Context, a work.Act) (work.News, error) {
	switch a := a.(type) {
	case work.Post:
		err := c.post(ctx, a)
		if errors.Is(err, errNoOrder) { // it was never sent, because that needs the document
			return work.Withdrawn{ID: a.ID}, nil
		}
		if err != nil && ctx.Err() == nil {
			return work.Failed{Task: a.ID, Why: err.Error()}, nil
		}
	case work.Bring:
		c.rebring(ctx, a.Task, c.core.Items[a.ID].Document, c.objection(a.ID))
	case work.Check:
		document := c.core.Items[a.ID].Document
		c.behind(ctx, func() work.News { return c.check(ctx, a, document) })
	case work.Accept:
		return c.on(ctx, a.Task, "pays", func(task onchain.Address) (client.TaskDone, error) { return c.Client.Accept(ctx, task) })
	case work.Object:
		return c.on(ctx, a.Task, "objects", func(task onchain.Address) (client.TaskDone, error) {
			hash, err := hashOf(c.objection(a.ID))
			if err != nil {
				return client.TaskDone{}, err
			}
			doc, err := c.store.document(hash)
			if err != nil {
				return client.TaskDone{}, err
			}
			done, err := c.Client.Object(ctx, task, doc)
			return done, c.bring(ctx, task, err, doc)
		})
	case work.Cancel:
		return c.on(ctx, a.Task, "takes it off the market", func(task onchain.Address) (client.TaskDone, error) { return c.Client.Cancel(ctx, task) })
	case work.Fund:
		if _, err := c.Client.DepositUpTo(ctx, client.Lamports(a.Least)); err != nil && ctx.Err() == nil {
			return work.Failed{Why: "could not fill its vault: " + err.Error()}, nil
		}
		c.tell("", "fills its vault up to "+client.Lamports(a.Least).String())
	}
	return nil, nil
}

// errNoOrder says that the document of an order was removed or changed before it was kept.
var errNoOrder = errors.New("trader: it is not here any more")

// post posts an order as the task with that number. The program takes each number once, so that an
// order is not paid for twice.
func (c *Creator) post(ctx context.Context, a work.Post) error {
	item := c.core.Items[a.ID]
	if o, ok := c.orders[a.ID]; ok {
		if err := c.store.keep(o.document); err != nil {
			return err
		}
	}
	hash, err := hashOf(item.Document)
	if err != nil {
		return err
	}
	doc, err := c.store.document(hash)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errNoOrder
		}
		return fmt.Errorf("the document of the order %s: %w", a.ID, err)
	}
	rules, err := law.Read(ctx, c.market.office)
	if err != nil {
		return err
	}
	terms := c.terms
	terms.RewardMin, terms.RewardMax = client.Lamports(item.Reward), client.Lamports(item.Reward)
	if _, err := rand.Read(terms.Seal[:]); err != nil {
		return err
	}
	create, err := c.market.office.NewTask(a.Number, rules.Now, doc.Hash, terms, rules.Time)
	if err != nil {
		return err
	}
	task := c.market.office.Program().Task(c.market.me, a.Number)
	beside, err := c.beside(ctx, task, item.Tokens)
	if err != nil {
		return err
	}
	rent := client.Lamports(0)
	if len(beside) > 0 {
		rent = holdings.PledgeRent
	}
	if _, err := c.market.office.Send(ctx, client.Order{
		Name: "post order " + strconv.FormatUint(a.Number, 10), Pays: rent, Instructions: append([]onchain.Instruction{create}, beside...),
		Done: func(ctx context.Context) (bool, error) {
			t, _, err := ledger.Read(ctx, c.market.office, task, program.DecodeTask)
			if errors.Is(err, ledger.ErrNotFound) {
				return false, nil
			}
			return err == nil && t.TaskHash == doc.Hash, err
		},
	}); err != nil {
		return err
	}
	price := terms.RewardMin.String()
	if t := item.Tokens; t.Mint != "" {
		price += " and " + t.Amount + " tokens of the mint " + t.Mint
	}
	c.tell(task.String(), fmt.Sprintf("posts %s for %s", a.ID, price))
	_, err = c.Client.Publish(ctx, task, doc)
	return c.bring(ctx, task, err, doc)
}

// check checks a result, and writes the objection that would be made.
func (c *Creator) check(ctx context.Context, a work.Check, document string) work.News {
	out := work.Inspected{ID: a.ID, Result: a.Result, Chance: even}
	fail := func(why string) work.News {
		if ctx.Err() != nil {
			return nil
		}
		out.Unable, out.Why = true, why
		return out
	}
	order, err := c.named(ctx, document)
	if err != nil {
		return fail("it could not read its own order: " + err.Error())
	}
	v, err := c.task(ctx, a.Task)
	if err != nil {
		return fail("it could not read the task: " + err.Error())
	}
	p := Bundle{Task: order, Modules: c.modules(ctx, order), Data: c.held(ctx, order), Reworks: v.Reworks}
	p.Result, err = c.named(ctx, a.Result)
	for err != nil && ctx.Err() == nil && c.waits(ctx, a.Task, fetchTries*fetchPause) {
		p.Result, err = c.named(ctx, a.Result)
	}
	if err != nil {
		// Judges hold a document that is missing against its publisher.
		found := Estimate{Chance: whole - probable, Why: "no node has the result"}
		p.Result = []byte("null")
		return c.write(ctx, a, p, found)
	}
	found, err := heard(ctx, c.Assess, p, func(pause time.Duration) bool { return c.waits(ctx, a.Task, pause) }, func(text string) { c.tell(a.Task, text) })
	if found.Unheard != nil {
		c.tell(a.Task, "asked the models of ojud.toml about the result: "+found.Unheard.Error())
	}
	if err == nil || ctx.Err() != nil {
		return c.write(ctx, a, p, found)
	}
	if found.Why == "" {
		found.Chance, found.Why = even, "it could not check the result"
	}
	found.Why += "; " + err.Error()
	if news, ok := c.write(ctx, a, p, found).(work.Inspected); ok {
		news.Unable = true
		return news
	}
	return nil
}

// waits reports whether there is time for so long a pause before the answer to a result: its worker
// may publish it late, and then an objection that it is missing would be lost. A chain that does
// not say is asked again.
func (c *Creator) waits(ctx context.Context, task string, pause time.Duration) bool {
	for range fetchTries {
		v, err := c.task(ctx, task)
		if err == nil {
			var rules *law.Rules
			if rules, err = law.Read(ctx, c.market.office); err == nil {
				return v.Move.Who == "creator" && leaves(v.Move.By-rules.Time, int64(rules.Now.VerifySeconds), pause)
			}
		}
		select {
		case <-time.After(fetchPause):
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// leaves reports whether a pause leaves a quarter of the time for the answer, in seconds.
func leaves(left, whole int64, pause time.Duration) bool {
	return left-int64(pause/time.Second) > whole/4
}

// unfound is what an objection says if nobody could tell. It is published, so that it has no errors
// of this machine.
const unfound = "nobody has found that it does"

// write stores the objection that follows from an estimate.
func (c *Creator) write(ctx context.Context, a work.Check, p Bundle, found Estimate) work.News {
	out := work.Inspected{ID: a.ID, Result: a.Result, Chance: found.Chance, Why: found.Why, Use: found.Use}
	if found.Chance == even {
		found.Why = unfound
	}
	doc, err := pleading(ctx, c.prover, p, found.Why, true)
	if err == nil {
		err = c.store.keep(doc)
	}
	if err == nil {
		err = c.store.write(objectionFile(a.ID), []byte(hex.EncodeToString(doc.Hash[:])))
	}
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		out.Chance, out.Unable, out.Why = even, true, "it could not write an objection: "+err.Error()
	}
	return out
}

// Outgoings is what a creator has done.
type Outgoings struct {
	Paid client.Lamports `json:"paid"` // rewards, and bonds that were lost
	work.Use
	Orders map[string]*work.Item `json:"orders"`
}

// Outgoings returns what the creator has done. Call it after Run.
func (c *Creator) Outgoings() Outgoings {
	return Outgoings{client.Lamports(c.core.Spent.Lost), c.core.Spent.Use, c.core.Items}
}
