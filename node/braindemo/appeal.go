package braindemo

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/node/dispute"
	"ojud/node/megabrain"
)

// The class of golden tasks names a memory node that answers its members and not the judges.
const (
	silentNode = "http://127.0.0.1:1"
	years      = `{"about":"Answer the question. year is a number.","meaning":["/year"],"memory":["` + silentNode + `"],"name":"years"}`
	plaque     = `The plaque at the bridge says: "Planned from 1925. Opened in 1931. Painted in 1935." In which year did the bridge open, by the plaque?`
	true1      = `{"why":"By the plaque it opened in this year","year":1931}`
	true2      = `{"why":"The word opened stands beside this year","year":1931}`
	false1     = `{"why":"By the plaque it opened in this year","year":1935}`
	false2     = `{"why":"The last year on the plaque is this one","year":1935}`
	disputable = time.Minute // how long outcomes and golden tasks may be disputed

	// prime is a question with a check that code makes. 1935 is 5 times 387.
	prime = `{"expected":[{"path":"/year","program":{"javascript":"let d = 2; while (value % d) d++; d === value && value > 1930 && value < 1940"},"settles":[0]}],` +
		`"instruction":["Name a year from 1931 to 1939 that is a prime number."],"output_schema":{"why":"string","year":"integer"}}`
	true3  = `{"why":"No number from 2 to 43 divides it","year":1931}`
	false3 = `{"why":"It is odd, and no small number divides it","year":1935}`
	false4 = `{"why":"No even number divides this year","year":1935}`
)

// hidden is a shared folder without some content.
type hidden struct {
	shared
	lacks *[32]byte
}

// Get implements megabrain.Archive.
func (h hidden) Get(ctx context.Context, hash [32]byte) ([]byte, error) {
	if hash == *h.lacks {
		return nil, fs.ErrNotExist
	}
	return h.shared.Get(ctx, hash)
}

// golden is a golden task to be played.
type golden struct {
	what, asks string
	answer     string           // that the creator opens
	results    []string         // of the workers
	scores     []map[string]int // of the evaluators
	by         int              // the evaluator that appeals, from 0
	worker     int              // about the result of whom
	reason     string
	hides      bool // the appellant leaves the question out of its claim
}

// goldens are the golden tasks. In a court without models, those that code decides are played.
func goldens(models bool) []golden {
	sees := func(good, bad int) map[string]int {
		return map[string]int{true1: good, true2: good - 2, false1: bad, false2: bad + 2}
	}
	long := plaque + "\n" + strings.Repeat("Read all of the plaque before you answer, and name the year that it names. ", 10)
	coded := golden{
		what: "a lie that code finds", asks: prime, answer: false3, results: []string{false3, false4, true3},
		scores: []map[string]int{{true3: 92, false3: 10, false4: 12}, {true3: 15, false3: 90, false4: 88}, {true3: 12, false3: 88, false4: 86}},
		by:     0, worker: 0, reason: "1935 is 5 times 387.",
	}
	if !models {
		return []golden{coded}
	}
	return []golden{
		coded,
		{
			what: "a lie", asks: plaque, answer: false1, results: []string{false1, false2, true1},
			scores: []map[string]int{sees(92, 10), sees(15, 90), sees(12, 88)}, by: 0, worker: 0, reason: "By the plaque the bridge opened in 1931, and was painted in 1935.",
		},
		{
			what: "the truth, and a hidden question", asks: long, answer: true1, results: []string{true1, true2, false1},
			scores: []map[string]int{sees(92, 10), sees(90, 12), sees(86, 86)}, by: 2, worker: 0, reason: "The result does not do what was asked.", hides: true,
		},
	}
}

// Contest plays golden tasks that go to the court. In the first one, two workers and two evaluators
// of the creator win with a lie, the creator opens it as right, and the third evaluator appeals.
// The question has a check, so that judges without models decide it. If they have models, a lie
// about a question in words is next. In the third one the creator is right, and an evaluator that
// passed everything appeals; it leaves the question out of its claim, while the memory node of the
// class does not answer the judges.
func Contest(ctx context.Context, c *cluster.Cluster, dir string, models bool, tell func(format string, args ...any)) (r Appeals, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("braindemo: the appeals were not over in %s", longest))
	defer cancel()
	began, before := time.Now(), c.Chain().Lamports()
	p := &play{cluster: c, dir: dir, tell: tell, requester: &agent{name: "creator"}}
	for i := range 3 {
		p.agents = append(p.agents, &agent{name: fmt.Sprintf("worker %d of years", i+1), role: brain.WorkerRole}, &agent{name: fmt.Sprintf("evaluator %d of years", i+1), role: brain.EvaluatorRole})
	}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	terms := brain.Defaults()
	terms.Golden, terms.Times.Dispute = 10, uint32(disputable/time.Second)
	if err := p.found(ctx, years, terms); err != nil {
		return r, err
	}
	for i, g := range goldens(models) {
		c, err := p.golden(ctx, byte(i+1), g)
		if err != nil {
			return r, err
		}
		r.Tasks = append(r.Tasks, c)
	}
	r.Seconds, r.LamportsBefore, r.LamportsAfter = time.Since(began).Seconds(), before, p.cluster.Chain().Lamports()
	return r, r.check()
}

// of returns the agents with a role.
func (p *play) of(r brain.Role) (out []*agent) {
	for _, a := range p.agents {
		if a.role == r {
			out = append(out, a)
		}
	}
	return out
}

// golden plays a golden task until its appeal is over.
func (p *play) golden(ctx context.Context, id byte, g golden) (r Contested, err error) {
	workers, evaluators := p.of(brain.WorkerRole), p.of(brain.EvaluatorRole)
	i := brain.CreateTask{
		TaskID: [32]byte{id}, WorkerCount: 3, EvaluatorCount: 3, TotalBudget: uint64(budget), Difficulty: 100, Description: g.asks, Metadata: []byte(silentNode),
	}
	if len(i.Description) > 400 {
		if i.Description, err = megabrain.Ask(ctx, p.requester.desk, p.class, []byte(g.asks)); err != nil {
			return r, err
		}
	}
	p.told = brain.Told{There: true, Description: i.Description, Metadata: i.Metadata}
	if err := p.requester.desk.Seal(&i, []byte(g.answer)); err != nil {
		return r, err
	}
	created, err := p.requester.desk.Create(ctx, p.class, i, 0)
	if err != nil {
		return r, err
	}
	if p.at, err = onchain.ParseAddress(created.Task); err != nil {
		return r, err
	}
	if err := p.until(ctx, brain.Working); err != nil {
		return r, err
	}
	for n, w := range workers {
		if _, err := w.desk.Commit(ctx, p.at, []byte(g.results[n]), "a year", nil); err != nil {
			return r, err
		}
	}
	reveal := func(ctx context.Context, a *agent) error { _, err := a.desk.Reveal(ctx, p.at); return err }
	if err := p.each(ctx, brain.WorkerRole, reveal); err != nil {
		return r, err
	}
	if err := p.until(ctx, brain.Evaluating); err != nil {
		return r, err
	}
	for n, e := range evaluators {
		var scores []megabrain.Score
		for i, w := range workers {
			scores = append(scores, megabrain.Score{Worker: w.client.Me(), Score: g.scores[n][g.results[i]], Confidence: 95})
		}
		if _, err := e.desk.Evaluate(ctx, p.at, scores, []byte(`{"by":"`+e.name+`"}`), ""); err != nil {
			return r, err
		}
	}
	if err := p.each(ctx, brain.EvaluatorRole, reveal); err != nil {
		return r, err
	}
	found, err := evaluators[1].desk.Find(ctx, p.at, false)
	if err != nil {
		return r, err
	}
	if _, err := evaluators[1].desk.Post(ctx, found); err != nil {
		return r, err
	}
	return p.appeal(ctx, g, evaluators[g.by], workers[g.worker])
}

// appeal settles a golden task, lets its creator open it, and brings it to the court.
func (p *play) appeal(ctx context.Context, g golden, by, about *agent) (r Contested, err error) {
	var purses [2]int64
	measure := func(sign int64) error {
		for i, a := range []*agent{p.requester, by} {
			at, err := onchain.ParseAddress(a.client.Me())
			if err != nil {
				return err
			}
			has, err := a.client.Balance(ctx, at)
			if err != nil {
				return err
			}
			purses[i] += sign * int64(has)
		}
		return nil
	}
	if err := p.warp(disputable); err != nil {
		return r, err
	}
	if err := p.until(ctx, brain.Settled); err != nil {
		return r, err
	}
	if err := measure(-1); err != nil {
		return r, err
	}
	if err := p.carry(ctx, func(t *brain.TaskAccount) bool { return t.Marks.Opened == brain.Shown }); err != nil {
		return r, err
	}
	p.tell("The creator opens %s as right.", g.answer)
	s, err := p.requester.desk.Task(ctx, p.at)
	if err != nil {
		return r, err
	}
	worker := 0
	for i, w := range s.Task.Work[:s.Task.Counts.Drawn] {
		if w.Agent.String() == about.client.Me() {
			worker = i + 1
		}
	}
	if g.hides {
		by.lacks = sha256.Sum256([]byte(g.asks))
	}
	brought, err := megabrain.Grievance{Task: p.at, Worker: worker, Reason: g.reason}.Bring(ctx, by.desk)
	if err != nil {
		return r, err
	}
	p.tell("An evaluator that failed appeals with %s at stake, and pays the judges %s: %s", brought.Stake, brought.Fee, brought.Dispute)
	r = Contested{Task: p.at.String(), What: g.what, Opened: g.answer, Dispute: brought.Dispute, Judges: brought.Fee, right: g.answer == true1}
	at, err := onchain.ParseAddress(brought.Dispute)
	if err != nil {
		return r, err
	}
	v, err := dispute.Show(ctx, by.client, at)
	if err != nil {
		return r, err
	}
	half := time.Duration(v.AnswerBy-v.Now)*time.Second/2 + time.Second
	if err := p.warp(half); err != nil {
		return r, err
	}
	if g.hides {
		if err := p.answered(ctx, at); err != nil {
			return r, err
		}
	} else if err := p.warp(half); err != nil { // nobody answers
		return r, err
	}
	if err := p.carry(ctx, func(t *brain.TaskAccount) bool { return t.Marks.Opened != brain.Appealed }); err != nil {
		return r, err
	}
	if v, err = dispute.Show(ctx, by.client, at); err != nil {
		return r, err
	}
	r.Verdict = v.Verdict
	p.tell("The court says %s.", r.Verdict)
	if err := p.warp(disputable + time.Second); err != nil {
		return r, err
	}
	if err := p.carry(ctx, func(t *brain.TaskAccount) bool { return !t.Open() }); err != nil {
		return r, err
	}
	if s, err = p.requester.desk.Task(ctx, p.at); err != nil {
		return r, err
	}
	r.Stands = s.Task.Marks.Opened != brain.Void
	if r.Verdict == "reject" {
		r.Treasury = brought.Stake
	}
	rents := map[string]*client.Lamports{brought.Dispute: &r.Deposit, v.Account: &r.Rent}
	for account, rent := range rents {
		at, err := onchain.ParseAddress(account)
		if err != nil {
			return r, err
		}
		has, err := by.client.Balance(ctx, at)
		if err != nil {
			return r, err
		}
		*rent = has
	}
	err = measure(1)
	r.Creator, r.Appellant = purses[0], purses[1]
	r.Signed = -r.Creator - r.Appellant - int64(r.Judges+r.Treasury+r.Deposit+r.Rent)
	return r, err
}

// answered waits until the creator's crank answered a dispute.
func (p *play) answered(ctx context.Context, at onchain.Address) error {
	for ctx.Err() == nil {
		v, err := dispute.Show(ctx, p.requester.client, at)
		if err != nil {
			return err
		}
		if v.Answered {
			p.tell("The creator's crank answers, and shows the judges the question, which the appellant left out.")
			return nil
		}
		if err := p.crank(ctx); err != nil {
			return err
		}
		rest(ctx)
	}
	return context.Cause(ctx)
}

// warp moves the chain's clock.
func (p *play) warp(by time.Duration) error {
	if err := p.cluster.Chain().Server().Warp(by); err != nil {
		return fmt.Errorf("braindemo: %w", err)
	}
	return nil
}
