package brainagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"ojud/agent/work"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/client"
	"ojud/node/megabrain"
	"ojud/node/trader"
)

// Actions act on tasks with the agent's key: *megabrain.Desk.
type Actions interface {
	Class(ctx context.Context, at onchain.Address) (*brain.ClassAccount, error)
	Document(ctx context.Context, c *brain.ClassAccount, s megabrain.Seen) (finding.TaskClass, []byte, error)
	Tasks(ctx context.Context, class onchain.Address) ([]megabrain.Seen, error)
	Task(ctx context.Context, at onchain.Address) (megabrain.Seen, error)
	Join(ctx context.Context, class onchain.Address, r brain.Role, stake client.Lamports, operator *client.Client, more bool) (client.Sent, error)
	Leave(ctx context.Context, class onchain.Address, r brain.Role) (client.Sent, error)
	Withdraw(ctx context.Context, class onchain.Address, r brain.Role) (megabrain.Paid, error)
	Commit(ctx context.Context, at onchain.Address, result []byte, summary string, proof []byte) (megabrain.Spoken, error)
	Evaluate(ctx context.Context, at onchain.Address, scores []megabrain.Score, document []byte, metadata string) (megabrain.Spoken, error)
	Results(ctx context.Context, at onchain.Address, most int) ([]megabrain.HandedIn, error)
	Find(ctx context.Context, at onchain.Address, g megabrain.Gaps) (megabrain.Found, error)
	Costs(ctx context.Context, f megabrain.Found) (stake, fee client.Lamports, err error)
	Dispute(ctx context.Context, f megabrain.Found, rationale string) (megabrain.Disputed, error)
	Run(ctx context.Context, c megabrain.Crank) error
}

// Equipment is what an agent works with.
type Equipment struct {
	Desk Actions
	Self onchain.Address
	Plan trader.BrainPlan
	// Leave lets the agent leave its classes, finish what it was drawn for, take its stakes and
	// end.
	Leave bool
	// Thinkers do the work of each class of the plan.
	Thinkers map[onchain.Address]trader.Thinker
	// Question reads what a task asks, and whether its transaction was found. A task may ask
	// nothing. With megabrain.ErrElsewhere, the text is only the hash of the question.
	Question func(ctx context.Context, at onchain.Address, t *brain.TaskAccount) (text string, there bool, err error)
	// Appeal brings a golden task to the court, and AppealCosts says what that costs.
	Appeal      func(ctx context.Context, g megabrain.Grievance) (megabrain.Contested, error)
	AppealCosts func(ctx context.Context, t *brain.TaskAccount, c *brain.ClassAccount) (stake, fee client.Lamports, err error)
	// Embed asks the embedding of a class for the vectors of results, and says what that has cost,
	// also if it fails. Nil: none is asked.
	Embed func(ctx context.Context, of finding.TaskClass, results map[string][]byte) (map[string]json.RawMessage, work.Use, error)
	Dir   string
	// Tell hears what the agent does. It may be nil.
	Tell func(trader.Line)
}

// Participant is a worker or an evaluator.
type Participant struct {
	Equipment
	role  brain.Role
	store *store
	state state

	back    chan made
	wait    sync.WaitGroup
	busy    int                                // results that are being made
	foreign map[onchain.Address]megabrain.Seen // tasks without a seat of this agent, as they were
	shown   map[onchain.Address]bool           // disputes whose documents were brought since the start
	decided map[onchain.Address]int64          // opened golden tasks that were looked at, with the end of appeals

	mu   sync.Mutex
	told map[string]string // the last line of each task
}

// Open takes the folder of an agent, and goes on where it ended.
func Open(e Equipment) (*Participant, error) {
	a := &Participant{Equipment: e, role: brain.WorkerRole, back: make(chan made), foreign: map[onchain.Address]megabrain.Seen{}, shown: map[onchain.Address]bool{}, decided: map[onchain.Address]int64{}, told: map[string]string{}}
	if e.Plan.Role == trader.BrainEvaluator {
		a.role = brain.EvaluatorRole
	}
	for _, c := range e.Plan.Classes {
		if e.Thinkers[c.At] == nil {
			return nil, fmt.Errorf("brainagent: nothing does the work of the class %s", c.At)
		}
	}
	var err error
	if a.store, err = openStore(e.Dir, &a.state); err != nil {
		return nil, err
	}
	if a.state.Seats == nil {
		a.state.Seats = map[string]*place{}
	}
	for task, p := range a.state.Seats {
		if p.answer = a.store.has(p.answerFile(task)); p.Making && !p.answer && p.Restarts < maxRestarts { // it was under way
			p.Attempt, p.Restarts = p.Attempt-1, p.Restarts+1
		}
		p.Making = false
	}
	return a, nil
}

// maxRestarts bounds the attempts that a new start makes again.
const maxRestarts = 10

// Close gives the folder back.
func (a *Participant) Close() error { return a.store.close() }

// Takings are what an agent has earned and lost, by what it has seen.
type Takings struct {
	Earned client.Lamports `json:"earned"`
	Lost   client.Lamports `json:"lost"`
	work.Use
	Open int `json:"open"` // tasks in which it has a seat
}

// Takings says what the agent has earned and lost.
func (a *Participant) Takings() Takings {
	return Takings{client.Lamports(a.state.Earned), client.Lamports(a.state.Lost), a.state.Use, len(a.state.Seats)}
}

// Run works until ctx ends, or until the agent has left all of its classes. The error is that of
// the disk.
func (a *Participant) Run(ctx context.Context) error {
	life, stop := context.WithCancel(ctx)
	defer a.wait.Wait()
	defer stop()
	a.wait.Go(func() { a.crank(life) })
	tick := time.NewTicker(a.Plan.Poll)
	defer tick.Stop()
	for {
		over, err := a.look(life)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil || over:
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case m := <-a.back:
			if err := a.made(m); err != nil {
				return err
			}
		case <-tick.C:
		}
	}
}

// crank reveals, posts outcomes, shows results to the court, and carries tasks on.
func (a *Participant) crank(ctx context.Context) {
	c := megabrain.Crank{Every: a.Plan.Poll, Gaps: megabrain.Gaps(a.Plan.Missing), Tell: func(d megabrain.Deed) {
		if d.Error != "" {
			a.tell(d.Task, d.Task, "could not "+d.Did+": "+strings.TrimPrefix(d.Error, "megabrain: could not "+d.Did+": "))
			return
		}
		a.tell("", d.Task, "did this: "+d.Did)
	}}
	for _, class := range a.Plan.Classes {
		c.Classes = append(c.Classes, class.At)
	}
	for ctx.Err() == nil {
		if err := a.Desk.Run(ctx, c); err != nil {
			a.tell("crank", "", "cannot carry tasks on and tries again: "+err.Error())
		}
		pause(ctx, a.Plan.Poll)
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// maxTold bounds the tasks whose last line is remembered.
const maxTold = 1024

// tell tells a line, unless it is the last one about that subject. Without a subject it is told
// always.
func (a *Participant) tell(subject, task, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if subject != "" && a.told[subject] == text {
		return
	}
	if len(a.told) >= maxTold {
		clear(a.told)
	}
	a.told[subject] = text
	if a.Tell != nil {
		a.Tell(trader.Line{Task: task, Text: text})
	}
}

// leaving says why the agent leaves its classes; empty: it stays.
func (a *Participant) leaving() string {
	b := a.Plan.Budget
	switch {
	case a.Leave:
		return "it was asked to"
	case b.Loss > 0 && a.state.Lost >= b.Loss:
		return fmt.Sprintf("it has lost %s, and its budget is %s", client.Lamports(a.state.Lost), client.Lamports(b.Loss))
	case b.Tokens > 0 && a.state.Tokens >= b.Tokens:
		return fmt.Sprintf("its models have used %d tokens, and its budget is %d", a.state.Tokens, b.Tokens)
	case b.Micros > 0 && a.state.Micros >= b.Micros:
		return fmt.Sprintf("its models have cost %d millionths of a dollar, and its budget is %d", a.state.Micros, b.Micros)
	}
	return ""
}

// look looks at all classes and tasks, and does what can be done now. It is over when the agent
// leaves and nothing of it is left.
func (a *Participant) look(ctx context.Context) (over bool, err error) {
	leaving, left := a.leaving(), 0
	if leaving != "" {
		a.tell("leaving", "", "leaves its classes: "+leaving)
	}
	classes := map[onchain.Address]*brain.ClassAccount{}
	for _, c := range a.Plan.Classes {
		account, err := a.Desk.Class(ctx, c.At)
		if err != nil {
			if ctx.Err() == nil {
				a.tell("class "+c.At.String(), "", "cannot read the class "+c.At.String()+" and tries again: "+err.Error())
			}
			left++
			continue
		}
		classes[c.At] = account
		if a.belong(ctx, c, account, leaving != "") {
			left++
		}
	}
	all, err := a.Desk.Tasks(ctx, onchain.Address{})
	if err != nil {
		if ctx.Err() == nil {
			a.tell("tasks", "", "cannot look at the tasks and tries again: "+err.Error())
		}
		return false, nil
	}
	if err := a.follow(ctx, all, classes); err != nil {
		return false, err
	}
	return leaving != "" && left == 0 && len(a.state.Seats) == 0, nil
}

// belong registers the agent for a class, or ends that, and takes what it earned. It reports
// whether the agent is a member or will be.
func (a *Participant) belong(ctx context.Context, c trader.BrainClass, account *brain.ClassAccount, leaving bool) bool {
	m := memberOf(account, a.Self, a.role)
	name := c.At.String()
	did := func(what string, err error) {
		var denied brain.Denial
		switch {
		case err == nil:
			a.tell("", "", what+" the class "+name)
		case errors.As(err, &denied) && (denied.Name() == "TooEarly" || denied.Name() == "StakeLocked" || denied.Name() == "NothingToWithdraw"):
		case ctx.Err() == nil:
			a.tell("class "+name, "", "cannot do this with the class "+name+" ("+what+"): "+err.Error())
		}
	}
	switch {
	case m == nil && leaving:
		return false
	case m == nil:
		_, err := a.Desk.Join(ctx, c.At, a.role, client.Lamports(c.Stake), nil, false)
		did("registers with "+client.Lamports(c.Stake).String()+" for", err)
		return true
	case m.State == memberActive && leaving:
		_, err := a.Desk.Leave(ctx, c.At, a.role)
		did("leaves", err)
	case m.Earned >= a.Plan.Withdraw, m.State != memberActive && (m.Earned > 0 || m.Locked == 0):
		paid, err := a.Desk.Withdraw(ctx, c.At, a.role)
		what := "takes " + paid.Earned.String() + " out of"
		if paid.Stake > 0 {
			what = "takes " + paid.Earned.String() + " and its stake of " + paid.Stake.String() + " out of"
		}
		did(what, err)
	}
	return true
}

const memberActive = 1

func memberOf(c *brain.ClassAccount, key onchain.Address, r brain.Role) *brain.Member {
	for i := range c.Members {
		if m := &c.Members[i]; m.State != 0 && m.Agent == key && m.Role == r {
			return m
		}
	}
	return nil
}
