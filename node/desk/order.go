package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"ojud/agent/judge/guide"
	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/advice"
	"ojud/node/client/fit"
	"ojud/node/holdings"
	"ojud/node/library"
)

// newPage is the form of a new task, with what was said of it.
type newPage struct {
	order
	Spans     []spanRow
	RiseSpans []spanRow
	Words     []string   // for what happens if the judges cannot decide
	Proposals []proposal // checks that fit
	Review    *advice.Review
	Ready     bool // it may be posted
	Fault     string
	Freezer   string // of the mint, who can freeze its accounts
}

// order is what the party wrote into the form of a new task.
type order struct {
	Instruction, Schema, Input, Expected, Sources, Example string
	Reward, Highest, Rises, Work, Undecided                string
	Mint, Tokens                                           string // beside the reward
}

// spanRow is a time that can be chosen.
type spanRow struct {
	Seconds, Name string
	Chosen        bool
}

// proposal is a check that fits, and why.
type proposal struct{ Check, Because string }

// spans are the times that can be chosen.
func spans(chosen string) (out []spanRow) {
	for _, s := range []spanRow{{"60", "1 minute", false}, {"600", "10 minutes", false}, {"3600", "1 hour", false}, {"28800", "8 hours", false}, {"86400", "1 day", false},
		{"259200", "3 days", false}, {"604800", "1 week", false}, {"2592000", "30 days", false}} {
		s.Chosen = s.Seconds == chosen
		out = append(out, s)
	}
	return out
}

func (d *Desk) blank(*visit) (string, any, error) {
	return "new", newPage{order: order{Schema: `{"text": "string"}`, Reward: "0.1", Work: "86400", Undecided: "split"}, Spans: spans("86400"), RiseSpans: spans("3600"), Words: client.UndecidedWords()}, nil
}

// create looks at a new task, and posts it if the party said so after the look.
func (d *Desk) create(v *visit) error {
	field := func(name string) string {
		text := v.r.PostFormValue(name)
		return text[:min(len(text), casefile.MaxDocument+1)]
	}
	p := newPage{order: order{
		Instruction: field("instruction"), Schema: field("schema"), Input: field("input"), Expected: field("expected"), Sources: field("sources"), Example: field("example"),
		Reward: field("reward"), Highest: field("highest"), Rises: field("rises"), Work: field("work"), Undecided: field("undecided"),
		Mint: strings.TrimSpace(field("mint")), Tokens: strings.TrimSpace(field("tokens")),
	}, Words: client.UndecidedWords()}
	p.Spans, p.RiseSpans = spans(p.Work), spans(cmp.Or(p.Rises, "3600"))
	doc, terms, err := p.read()
	var beside *holdings.Transfer
	if err == nil {
		beside, err = p.beside()
	}
	if err == nil && p.Example != "" {
		err = tried(v.r.Context(), doc, p.Example)
	} else if err == nil && fit.Programmed(doc.Content) {
		err = errors.New("the task has check programs: write a right result under Example, so that they are tried on it")
	}
	if err == nil && v.r.PostFormValue("post") != "" {
		return d.start(v, "Posting the task", "/", func(ctx context.Context, c *client.Client) (outcome, error) {
			return posted(ctx, c, doc, terms, beside)
		})
	}
	if err == nil {
		err = d.look(v.r.Context(), &p, doc, terms, beside)
	}
	code := http.StatusOK
	if err != nil {
		p.Fault, code = picture.Line(d.needs.Plain(err)), http.StatusUnprocessableEntity
	}
	d.show(v, code, func(*visit) (string, any, error) { return "new", p, nil })
	return nil
}

// beside returns the tokens beside the reward; nil: there are none.
func (o order) beside() (*holdings.Transfer, error) {
	if (o.Mint == "") != (o.Tokens == "") {
		return nil, errors.New("tokens beside the reward have a mint and a number; write both, or neither")
	}
	if o.Mint == "" {
		return nil, nil //nolint:nilnil // the comment says what this means
	}
	mint, err := onchain.ParseAddress(o.Mint)
	if err != nil {
		return nil, fmt.Errorf("the mint is %.80q, which is no address: %w", o.Mint, err)
	}
	return &holdings.Transfer{Mint: mint, Amount: o.Tokens}, nil
}

// posted posts a task, and then puts tokens of the vault beside its reward.
func posted(ctx context.Context, c *client.Client, doc library.Document, terms client.Offer, beside *holdings.Transfer) (outcome, error) {
	if beside != nil {
		if err := holdings.Enough(ctx, c, *beside, doc.Hash, false); err != nil {
			return outcome{}, err
		}
	}
	done, err := c.CreateTask(ctx, doc, terms, false)
	out, err := told("The task is on the market.", done, err)
	if done.Task.Task == "" {
		return out, err
	}
	out.back = "/task/" + done.Task.Task
	if err != nil || beside == nil {
		return out, err
	}
	task, err := onchain.ParseAddress(done.Task.Task)
	if err != nil {
		return out, err
	}
	if _, err := holdings.PledgeTokens(ctx, c, task, *beside); err != nil {
		return out, fmt.Errorf("the task is on the market, but without its tokens: %w; while nobody has claimed it, post it again, and they are put beside it; afterwards that would be a second task", err)
	}
	out.told = "The task is on the market, with " + beside.Amount + " tokens beside its reward."
	return out, nil
}

// tried tries a task on an example of a right result.
func tried(ctx context.Context, doc library.Document, example string) error {
	result, err := library.ReadResult(ground.Literal(example))
	if err == nil {
		err = fit.Example(ctx, doc.Content, result.Content)
	}
	if err != nil {
		return fmt.Errorf("the example: %w", err)
	}
	return nil
}

// look says what a worker would be warned of, and which checks fit.
func (d *Desk) look(ctx context.Context, p *newPage, doc library.Document, terms client.Offer, beside *holdings.Transfer) error {
	party, err := d.who()
	if err != nil {
		return err
	}
	if beside != nil {
		if err := holdings.Enough(ctx, party, *beside, doc.Hash, false); err != nil {
			return err
		}
		stock, err := holdings.StockOf(ctx, party, beside.Mint)
		if err != nil {
			return err
		}
		p.Freezer = stock.Freezer()
	}
	review, err := party.ReviewOffer(ctx, doc, terms)
	if err != nil {
		return err
	}
	p.Review, p.Ready = &review, true
	var right []byte
	if p.Example != "" {
		right = ground.Literal(p.Example)
	}
	all, err := guide.Propose(ctx, nil, doc.Content, right)
	if err != nil {
		return err
	}
	for _, one := range all {
		raw, err := json.Marshal(one.Check)
		if err != nil {
			return err
		}
		p.Proposals = append(p.Proposals, proposal{picture.Line(string(raw)), picture.Line(one.Because)})
	}
	return nil
}

// read returns the task and the terms of an order.
func (o order) read() (doc library.Document, terms client.Offer, err error) {
	task := map[string]any{"instruction": lines(o.Instruction), "output_schema": ground.Literal(strings.TrimSpace(cmp.Or(o.Schema, "{}")))}
	if strings.TrimSpace(o.Input) != "" {
		task["input_data"] = []json.RawMessage{ground.Literal(strings.TrimSpace(o.Input))}
	}
	if sources := strings.FieldsFunc(o.Sources, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' }); len(sources) > 0 {
		task["data_sources"] = sources
	}
	if text := strings.TrimSpace(o.Expected); text != "" {
		if !json.Valid([]byte(text)) {
			return doc, terms, errors.New("the field \"What code must find\" is not JSON; it is a list of checks, such as [{\"path\": \"/text\", \"min_bytes\": 10}]")
		}
		task["expected"] = json.RawMessage(text)
	}
	raw, err := json.Marshal(task)
	if err != nil {
		return doc, terms, err
	}
	if doc, err = library.ReadTask(raw); err != nil {
		return doc, terms, err
	}
	reward, err := sol("Reward", o.Reward, false)
	if err != nil {
		return doc, terms, err
	}
	terms = client.DefaultOffer(reward)
	terms.OnUndecided = o.Undecided
	if terms.WorkSeconds, err = seconds("Time to work", o.Work); err != nil {
		return doc, terms, err
	}
	if strings.TrimSpace(o.Highest) == "" {
		return doc, terms, nil
	}
	if terms.RewardMax, err = sol("Rises to", o.Highest, false); err != nil {
		return doc, terms, err
	}
	terms.AuctionSeconds, err = seconds("Within", cmp.Or(o.Rises, "3600"))
	return doc, terms, err
}

func seconds(field, text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("the field %q is %.20q; choose one of the times", field, text)
	}
	return uint32(n), nil
}

// lines returns the lines that are not empty.
func lines(text string) (out []string) {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}
