package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"ojud/agent/face"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/holdings"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/advice"
	"ojud/node/client/fit"
	"ojud/node/library"
	"ojud/voting"
)

const (
	// overhead is what an act takes at most besides rewards and bonds: fees of transactions, and
	// the rent of a task, which comes back.
	overhead client.Lamports = 10_000_000
	// mostFee bounds the fee of one transaction, so that the overhead has it and the rent.
	mostFee client.Lamports = 4_000_000
	// mostClaim is the largest part of the highest reward that a claim's bond can be: the program
	// bounds claim_bps by 2,000 of 10,000.
	mostClaim = 5
)

// party acts for the key of the server. A *client.Client is one.
type party interface {
	Me() string
	ReviewOffer(ctx context.Context, doc library.Document, terms client.Offer) (advice.Review, error)
	CreateTask(ctx context.Context, doc library.Document, terms client.Offer, again bool, modules ...library.Document) (client.TaskDone, error)
	Task(ctx context.Context, task onchain.Address) (client.TaskView, error)
	ReviewTask(ctx context.Context, task onchain.Address, trusted ...client.Trust) (advice.Review, error)
	Claim(ctx context.Context, task onchain.Address, least client.Lamports, start bool, trusted ...client.Trust) (client.TaskDone, error)
	CheckResult(ctx context.Context, task onchain.Address, result library.Document) error
	Fetch(ctx context.Context, hash voting.Hash) ([]byte, error)
	Submit(ctx context.Context, task onchain.Address, result library.Document) (client.TaskDone, error)
	Accept(ctx context.Context, task onchain.Address) (client.TaskDone, error)
	Object(ctx context.Context, task onchain.Address, doc library.Document, exhibits ...library.Document) (client.TaskDone, error)
}

// dealer has the tools that move money, within the bound of its purse.
type dealer struct {
	purse *purse
	open  func() (party, error)
	pin   func(ctx context.Context, doc library.Document) (library.Document, error) // refuses a task whose data are not there
	bond  func(ctx context.Context, task onchain.Address) (client.Lamports, error)  // of an objection

	turn sync.Mutex // one act at a time
}

// newDealer makes the tools of a key. Its caller closes the purse.
func newDealer(a *cli.App, c *court, home string, limit client.Lamports) (*dealer, error) {
	if err := c.unlock(); err != nil {
		return nil, err
	}
	p, err := openPurse(home, limit)
	if err != nil {
		return nil, err
	}
	c.guard(p)
	return &dealer{
		purse: p,
		open:  func() (party, error) { return c.open() },
		pin: func(ctx context.Context, doc library.Document) (library.Document, error) {
			of, err := c.open()
			if err != nil {
				return doc, err
			}
			return holdings.Pin(ctx, of, doc, false)
		},
		bond: func(ctx context.Context, task onchain.Address) (client.Lamports, error) {
			of, err := c.open()
			if err != nil {
				return 0, err
			}
			s, err := client.ReviewCosts(ctx, of, task)
			return client.Lamports(s.Object), err
		},
	}, nil
}

func (d *dealer) tools() []face.Tool {
	return []face.Tool{
		face.Make(face.About{Name: "post_task", Acts: true, Description: "Post a task with its reward in escrow, from the vault of the server's key. It moves money, within a limit of the operator. The same document is posted once while nobody has claimed it. Then look at it with the tool task: the result has to be answered with accept_result or object in the time that task shows, because one that nobody answers is paid."}, d.post),
		face.Make(face.About{Name: "claim_task", Acts: true, Description: "Claim a task for the server's key and begin its work. It posts a bond, within a limit of the operator. A task with warnings is not claimed. Hand the result in with submit_result before the deadline: without it the bond is lost."}, d.claim),
		face.Make(face.About{Name: "submit_result", Acts: true, Description: "Hand in the result of a task that claim_task claimed, once, before its deadline. A result that fails the schema, the demands or the checks of the task is refused. If the creator objects, a person answers: ojud task rework or ojud task counter-object."}, d.submit),
		face.Make(face.About{Name: "accept_result", Acts: true, Description: "Accept the result of a task that post_task posted: the worker gets the reward, which nobody can take back. A result that fails the schema, the demands or the checks of the task is not accepted. Read the result first, with the tool task."}, d.accept),
		face.Make(face.About{Name: "object", Acts: true, Description: "Refuse the result of a task that post_task posted, and say why. It posts a bond, within a limit of the operator, which is lost if the worker answers and the court finds for the worker."}, d.object),
		face.Make(face.About{Name: "spending", Description: "Show how much the tools of this server may still spend."}, d.spending),
	}
}

type postIn struct {
	Task      map[string]any `json:"task" jsonschema:"the task document: instruction, output_schema, and perhaps input_data, data_sources and expected"`
	Reward    string         `json:"reward" jsonschema:"the reward with its unit, such as 0.1sol or 1000000lamports"`
	Work      uint32         `json:"work_seconds,omitempty" jsonschema:"time from the claim to the result; without it a day"`
	Within    uint32         `json:"claim_within,omitempty" jsonschema:"time in seconds within which the task can be claimed; without it a week"`
	Undecided string         `json:"on_undecided,omitempty" jsonschema:"who gets the reward if the court cannot decide: refund, pay or split; without it split"`
	Example   any            `json:"example,omitempty" jsonschema:"a right result; a task with check programs needs one"`
}

// dealt is what an act did, and what is left for others.
type dealt struct {
	client.TaskDone
	Spent client.Lamports `json:"counted"` // for this act
	Left  client.Lamports `json:"left"`
}

func (d *dealer) post(ctx context.Context, in postIn, _ face.Say) (any, error) {
	raw, err := json.Marshal(in.Task)
	if err != nil {
		return nil, err
	}
	doc, err := library.ReadTask(raw)
	if err != nil {
		return nil, err
	}
	reward, err := client.ParseLamports(in.Reward)
	if err != nil {
		return nil, cli.Usage("reward: %v", err)
	}
	if reward > d.purse.limit {
		return nil, cli.Usage("reward is too large: tools may spend %s in all", d.purse.limit)
	}
	terms := client.DefaultOffer(reward)
	if in.Work != 0 {
		terms.WorkSeconds = in.Work
	}
	if in.Within != 0 {
		terms.ClaimWithin = in.Within
	}
	if in.Undecided != "" {
		terms.OnUndecided = in.Undecided
	}
	if err := example(ctx, doc, in.Example); err != nil {
		return nil, err
	}
	d.turn.Lock()
	defer d.turn.Unlock()
	by, err := d.open()
	if err != nil {
		return nil, err
	}
	if doc, err = d.pin(ctx, doc); err != nil {
		return nil, err
	}
	review, err := by.ReviewOffer(ctx, doc, terms)
	if err != nil {
		return nil, err
	}
	return d.act(&act{}, func() (done client.TaskDone, err error) {
		done, err = by.CreateTask(ctx, doc, terms, false)
		done.Review = &review
		return done, err
	})
}

// example tries a task on a right result, if there is one.
func example(ctx context.Context, doc library.Document, given any) error {
	if given == nil {
		if fit.Programmed(doc.Content) {
			return cli.Usage("the task has check programs: give a right result as example, so that they are tried on it")
		}
		return nil
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return err
	}
	result, err := library.ReadResult(raw)
	if err == nil {
		err = fit.Example(ctx, doc.Content, result.Content)
	}
	if err != nil {
		return cli.Usage("the example: %v", err)
	}
	return nil
}

type claimIn struct {
	Task  string `json:"task" jsonschema:"address of the task"`
	Least string `json:"least_reward,omitempty" jsonschema:"refuse a lower reward, such as 0.1sol; without it the present price"`
}

func (d *dealer) claim(ctx context.Context, in claimIn, _ face.Say) (any, error) {
	at, err := address("task", in.Task)
	if err != nil {
		return nil, err
	}
	var least client.Lamports
	if in.Least != "" {
		if least, err = client.ParseLamports(in.Least); err != nil {
			return nil, cli.Usage("least_reward: %v", err)
		}
	}
	d.turn.Lock()
	defer d.turn.Unlock()
	by, err := d.open()
	if err != nil {
		return nil, err
	}
	review, err := by.ReviewTask(ctx, at)
	if err != nil {
		return nil, err
	}
	if len(review.Warnings) > 0 {
		var words []string
		for _, w := range review.Warnings {
			words = append(words, w.Why)
		}
		return nil, cli.Fail("the task is not claimed, because of warnings: %s", strings.Join(words, "; ")).Next("a person may claim it: ojud task claim " + at.String() + " --yes")
	}
	v, err := by.Task(ctx, at)
	if err != nil {
		return nil, err
	}
	if v.RewardMax > mostSpend {
		return nil, cli.Fail("the reward of %s is more than there is", at)
	}
	return d.act(&act{claims: at, bond: v.RewardMax/mostClaim + 1}, func() (done client.TaskDone, err error) {
		done, err = by.Claim(ctx, at, least, true)
		done.Review = &review
		return done, err
	}, by.Me())
}

// act does something with the key. What it signs is counted, whatever becomes of it. Worker is who
// claims, if it is a claim.
func (d *dealer) act(of *act, do func() (client.TaskDone, error), worker ...string) (any, error) {
	d.purse.begin(of)
	done, err := do()
	task, back := done.Task.Task, client.Lamports(0)
	switch v := done.Task; {
	case err != nil || done.Signature == "":
	case len(worker) > 0 && v.Worker == worker[0] && v.ClaimBond > 0:
		task, back = "", of.bond-min(of.bond, v.ClaimBond)
	case of.may == objecting && v.CreatorBond > 0:
		back = of.bond - min(of.bond, v.CreatorBond)
	}
	took, spent := d.purse.end(task, back)
	switch {
	case of.refused != nil:
		return nil, of.refused
	case spent != nil:
		return nil, spent
	case errors.Is(err, library.ErrNotPublished) && task != "" && !of.answers.IsZero():
		return nil, cli.Fail("it is done on the chain, but no node took the document of it: %s", cli.Plain(err)).Next("do the same again: that only sends the document")
	case errors.Is(err, library.ErrNotPublished) && task != "":
		return nil, cli.Fail("task %s is on the chain with its reward, for which %s count, but no node took its document: %s", task, took, cli.Plain(err)).
			Next("post the same again: while nobody has claimed the task, that only sends the document; afterwards it is a new task")
	case err != nil && took > 0:
		return nil, cli.Fail("%s; it is not known whether money moved, so %s count as spent", cli.Plain(err), took).
			Next("look first: what you do again counts again, unless the chain has not taken the first")
	case err != nil:
		return nil, err
	}
	return dealt{done, took, d.purse.left()}, nil
}

type nothing struct{}

type spendingOut struct {
	Limit client.Lamports `json:"limit"`
	Left  client.Lamports `json:"left"`
}

func (d *dealer) spending(context.Context, nothing, face.Say) (any, error) {
	return spendingOut{d.purse.limit, d.purse.left()}, nil
}
