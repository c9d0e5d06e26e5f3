package batches

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"ojud/golden"
	"ojud/golden/generator"
	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/library"
	"ojud/voting"
)

// Checked is a golden case whose answer stands on the chain, and what its generator says about it.
type Checked struct {
	Case      string `json:"case"`
	Batch     uint64 `json:"batch"`
	Answer    string `json:"answer"` // that the proctor opened
	True      bool   `json:"true"`   // the generator makes these documents and this answer from the seed
	Why       string `json:"why"`
	Generator string `json:"generator"`
	Seed      string `json:"seed"`
	// ApplyFrom is when nodes may move money by the answer, in Unix seconds of the chain; 0: never,
	// or it is not known yet. Left is the time until then in seconds.
	ApplyFrom int64 `json:"apply_from,omitempty"`
	Left      int64 `json:"left"`
	Longest   int64 `json:"longest_case"` // seconds that a case may take
	// Open says that the batch can still be ended by a challenge.
	Open bool `json:"challengeable"`

	leaf  golden.Leaf
	batch *program.Batch
}

// Check reads the leaf of a golden case from the chain, and runs its generator again. It needs no
// key. An error means that it cannot tell.
func Check(ctx context.Context, c *client.Client, of onchain.Address) (Checked, error) {
	office := client.OfficeOf(c)
	p := office.Program()
	rules, err := law.Read(ctx, office)
	if err != nil {
		return Checked{}, err
	}
	var task *program.Task
	var heard *program.Case
	if err := fill(ctx, office, []want{at(of, program.DecodeTask, &task), at(p.Case(of), program.DecodeCase, &heard)}); err != nil {
		return Checked{}, err
	}
	switch {
	case task == nil || heard == nil:
		return Checked{}, fmt.Errorf("%w: there is no case %s in this court now; an opened leaf in a file can be checked without it", errNotNow, of)
	case heard.Golden == 0:
		return Checked{}, fmt.Errorf("%w: the answer of case %s is not known: it is no golden case, or its leaf is not open yet", errNotNow, of)
	}
	opened, err := openingOf(ctx, office, of)
	if err != nil {
		return Checked{}, err
	}
	leaf := golden.Leaf{
		Address: voting.Key(of), Task: task.TaskHash, Result: task.ResultHash, Objection: task.ObjectionHash, Counter: task.CounterHash,
		Answer: heard.Golden, Generator: opened.Generator, Seed: opened.Seed,
	}
	if leaf.Hash() != task.Seal {
		return Checked{}, fmt.Errorf("%w: the transaction that opened the leaf of %s does not fit the seal of its task; ask another node: --rpc URL", ledger.ErrForeign, of)
	}
	out := Checked{
		Case: of.String(), Batch: heard.Batch, Answer: heard.Golden.String(), Generator: opened.Generator.String(), Seed: opened.Seed.String(),
		Longest: int64(rules.Now.LongestCase()), leaf: leaf,
	}
	d, err := generator.Verify(leaf)
	switch {
	case err == nil:
		out.True, out.Why = true, d.Proof.Why
	case errors.Is(err, generator.ErrFalse):
		out.Why = err.Error()
	default:
		return out, fmt.Errorf("%w: this program cannot run the generator of the leaf: %w", errNotNow, err)
	}
	if err := fill(ctx, office, []want{at(p.Batch(heard.Batch), program.DecodeBatch, &out.batch)}); err != nil {
		return out, err
	}
	if b := out.batch; b != nil {
		if out.Open = b.Applied == 0; out.Open && b.Fair() {
			out.ApplyFrom = b.ApplyFrom(rules.Config)
			out.Left = max(out.ApplyFrom-rules.Time, 0)
		}
	}
	return out, nil
}

// openingOf returns the event that opened the leaf of a task.
func openingOf(ctx context.Context, office client.Office, of onchain.Address) (*program.LeafOpened, error) {
	all, err := office.History(ctx, of)
	if err != nil {
		return nil, err
	}
	for _, o := range all {
		for _, e := range o.Events {
			if l, ok := e.(*program.LeafOpened); ok && l.Task == of && l.Void == 0 {
				return l, nil
			}
		}
	}
	return nil, fmt.Errorf("%w: this node does not have the transaction that opened the leaf of %s; ask one with a longer memory: --rpc URL", errNotNow, of)
}

// Challenge is the attempt to end a batch by one of its leaves.
type Challenge struct {
	// Creator posts the task that asks whether the leaf is false, and Worker says that it is. They
	// are two agents, and may belong to one person.
	Creator, Worker *client.Client
	Reward          client.Lamports       // of the task; 0: a tenth of the deposit, which is what it can earn
	Poll            time.Duration         // between two looks at the chain; 0: a second
	Tell            func(step, id string) // hears each step that was done; it may be nil
}

// Challenged is the result of a challenge.
type Challenged struct {
	Leaf    Checked         `json:"leaf"`
	Case    string          `json:"case"` // of the challenge
	Verdict string          `json:"verdict"`
	Earned  client.Lamports `json:"earned"` // a tenth of the deposit, at most the reward, for the worker
	Result  string          `json:"result"` // landed, already_done

	reward client.Lamports // of the task
}

// Run proves a leaf false before the court, and ends its batch: nothing of it is applied. It
// refuses a leaf that is true. It posts the task, disputes it, waits for the verdict and upholds
// it; if it was interrupted, running it again goes on.
func (how Challenge) Run(ctx context.Context, of onchain.Address) (Challenged, error) {
	found, err := Check(ctx, how.Creator, of)
	out := Challenged{Leaf: found}
	switch {
	case err != nil:
		return out, err
	case found.True:
		return out, fmt.Errorf("%w: the leaf is true, so a challenge would lose its bonds: %s", errNotNow, found.Why)
	case !found.Open && found.batch == nil:
		return out, fmt.Errorf("%w: batch %d is over, so nothing can be done about its leaves", errNotNow, found.Batch)
	case !found.Open:
		return out, fmt.Errorf("%w: a leaf of batch %d was applied already, so it is too late to challenge it", errNotNow, found.Batch)
	}
	if how.Poll == 0 {
		how.Poll = time.Second
	}
	task, err := how.post(ctx, found)
	if err != nil {
		return out, err
	}
	out.Case = task.String()
	posted, err := how.Creator.Task(ctx, task)
	if err != nil {
		return out, err
	}
	out.reward = posted.RewardMax
	heard, err := how.dispute(ctx, task, found)
	if err != nil {
		return out, err
	}
	if out.Verdict = heard.Verdict.String(); heard.Verdict != voting.ForWorker {
		return out, fmt.Errorf("%w: the court does not find that the leaf is false: the verdict of %s is %s", errNotNow, task, out.Verdict)
	}
	return how.uphold(ctx, of, task, out)
}

// post creates the task of the challenge, or finds the one of an earlier run.
func (how Challenge) post(ctx context.Context, found Checked) (onchain.Address, error) {
	question := document(found.leaf.Question())
	creator, err := onchain.ParseAddress(how.Creator.Me())
	if err != nil {
		return onchain.Address{}, fmt.Errorf("batches: %w", err)
	}
	all, err := how.Creator.Tasks(ctx, client.Filter{Creator: creator})
	if err != nil {
		return onchain.Address{}, err
	}
	for _, t := range all {
		lost := t.Outcome != program.OutcomeName(voting.NoOutcome) && t.Outcome != program.OutcomeName(voting.Paid)
		if t.TaskHash == question.Hash.String() && !lost { // other judges may be asked after a rejection
			return onchain.ParseAddress(t.Task)
		}
	}
	rules, err := law.Read(ctx, client.OfficeOf(how.Creator))
	if err != nil {
		return onchain.Address{}, err
	}
	reward := how.Reward
	if reward == 0 {
		reward = client.Lamports(found.batch.Deposit / 10)
	}
	reward = max(reward, client.Lamports(rules.Now.MinReward))
	seats, err := seatsOf(ctx, client.OfficeOf(how.Creator), rules)
	if err != nil {
		return onchain.Address{}, err
	}
	done, err := how.Creator.CreateTask(ctx, question, client.Offer{
		RewardMin: reward, RewardMax: reward, WorkSeconds: max(rules.Now.MinWorkSeconds, 3600), OnUndecided: "split", Seats: seats,
	}, false)
	if err != nil {
		return onchain.Address{}, err
	}
	how.tell("posted", done.Task.Task)
	return onchain.ParseAddress(done.Task.Task)
}

// dispute takes the task through all its steps, and returns its case at the end.
func (how Challenge) dispute(ctx context.Context, id onchain.Address, found Checked) (*program.Case, error) {
	office := client.OfficeOf(how.Creator)
	denial := document(golden.Denial())
	objection, _, err := library.WriteObjection("The leaf is true: its generator makes these documents and this answer from the seed.", nil)
	if err != nil {
		return nil, err
	}
	counter, _, err := library.WriteObjection("Run the generator: "+found.Why, nil)
	if err != nil {
		return nil, err
	}
	const _ = uint(6 - voting.Statuses) // a later status may need a step
	const _ = uint(3 - voting.Verdicts) // only one is against the creator
	for published := false; ; {
		var task *program.Task
		var heard *program.Case
		if err := fill(ctx, office, []want{at(id, program.DecodeTask, &task), at(office.Program().Case(id), program.DecodeCase, &heard)}); err != nil {
			return nil, err
		}
		if task == nil {
			return nil, fmt.Errorf("%w: the task %s of the challenge is gone; challenge again", errNotNow, id)
		}
		step := ""
		switch s := task.Status; {
		case s == program.Created:
			step = "claimed"
			_, err = how.Worker.Claim(ctx, id, 0, true)
		case s == program.Claimed:
			step = "begun"
			_, err = how.Worker.Start(ctx, id)
		case s == program.InProgress:
			step = "submitted"
			_, err = how.Worker.Submit(ctx, id, denial)
		case s == program.Verification:
			step = "objected"
			_, err = how.Creator.Object(ctx, id, objection)
		case s == program.Disputed:
			step = "before the court"
			_, err = how.Worker.CounterObject(ctx, id, counter)
		case heard != nil && heard.Status.Over():
			return heard, nil
		case heard != nil && heard.Status == voting.Appealable && heard.Verdict == voting.ForWorker:
			step, err = how.heardTwice(ctx, id, task, heard)
		case s == program.Judiciary && !published:
			published = true
			_, err = how.Creator.Publish(ctx, id, document(found.leaf.Question()), denial, objection, counter)
		case s.Over():
			return nil, fmt.Errorf("%w: the task %s of the challenge ended without a case", errNotNow, id)
		}
		if err != nil {
			return nil, err
		}
		if step != "" {
			how.tell(step, id.String())
			continue
		}
		if err := pause(ctx, how.Poll); err != nil {
			return nil, err
		}
	}
}

// heardTwice has a second panel look at the verdict that the leaf is false, at once. The proctor
// may ask for that, too, until the time is over, and a verdict that was made final before ends no
// batch. Were it to ask in the last second, another challenge could end the batch first.
func (how Challenge) heardTwice(ctx context.Context, id onchain.Address, task *program.Task, heard *program.Case) (step string, err error) {
	office := client.OfficeOf(how.Creator)
	rules, err := law.Read(ctx, office)
	if err != nil {
		return "", err
	}
	roster, err := rosterOf(ctx, office)
	if err != nil {
		return "", err
	}
	switch {
	case rules.Time >= heard.AppealBy:
		step = "final, because nobody appealed"
		_, err = client.Waive(ctx, how.Creator, id)
	case heard.AppealRoom(roster, task) > 0:
		step = "appealed, so that a second panel finds it, too"
		_, err = client.Appeal(ctx, how.Creator, id)
	}
	return step, err
}

// uphold ends the batch by the verdict.
func (how Challenge) uphold(ctx context.Context, of, task onchain.Address, out Challenged) (Challenged, error) {
	worker, err := onchain.ParseAddress(how.Worker.Me())
	if err != nil {
		return out, fmt.Errorf("batches: %w", err)
	}
	office, b := client.OfficeOf(how.Creator), out.Leaf.batch
	sent, err := office.Send(ctx, client.Order{
		Name: fmt.Sprintf("end batch %d by the verdict of %s", b.Number, task),
		Instructions: []onchain.Instruction{office.Program().BatchCalls(b.Number).Uphold(program.Challenge{Proctor: b.Proctor, Golden: of, Task: task, Worker: worker},
			out.Leaf.leaf.Generator, out.Leaf.leaf.Seed)},
		Done: func(ctx context.Context) (bool, error) {
			var left *program.Batch
			err := fill(ctx, office, []want{at(office.Program().Batch(b.Number), program.DecodeBatch, &left)})
			return err == nil && left == nil, err
		},
	})
	out.Result, out.Earned = sent.Result, min(client.Lamports(b.Deposit/10), out.reward)
	return out, err
}

func (how Challenge) tell(step, id string) {
	if how.Tell != nil {
		how.Tell(step, id)
	}
}

func document(content []byte) library.Document {
	return library.Document{Content: content, Hash: sha256.Sum256(content)}
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
