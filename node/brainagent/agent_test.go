package brainagent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/agent/work"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/arbiter"
	"ojud/megabrain/finding"
	"ojud/node/client"
	"ojud/node/megabrain"
	"ojud/node/trader"
)

const sol = 1_000_000_000

var (
	self  = onchain.Address{1}
	at    = onchain.Address{7}
	class = onchain.Address{8}
)

// errKilled is what every call answers after the agent was killed.
var errKilled = errors.New("killed")

// world is a chain with one class and one task, and the agent's key. It counts what is done. The
// agent is killed before or after its kill-th effect.
type world struct {
	t       *testing.T
	account brain.ClassAccount
	task    brain.TaskAccount
	now     int64
	closed  bool
	facts   finding.Assessment // what is found
	kind    finding.TaskClass

	effects, kill int
	after         bool
	stop          context.CancelFunc
	dead          bool

	joins, leaves, takes, commits, disputes, thoughts, mistakes int
	said                                                        string
	beside                                                      map[string]beside
}

func newWorld(t *testing.T, r brain.Role) *world {
	t.Helper()
	w := &world{t: t, now: 1_000, account: brain.ClassAccount{Parameters: brain.Defaults()}}
	kind, _, err := finding.ReadClass([]byte(`{"about":"a","name":"facts","meaning":["/year"]}`))
	if err != nil {
		t.Fatal(err)
	}
	w.kind = kind
	w.task = brain.TaskAccount{Status: brain.Working, Counts: brain.Counts{Workers: 3, Evaluators: 2, Drawn: 3, Seated: 2}, Parties: brain.Parties{Class: class}}
	w.task.Money = brain.Money{Budget: sol, WorkerStake: sol / 20, EvaluatorStake: sol * 3 / 100, Bond: sol / 20}
	w.task.Marks.Difficulty = 100
	w.task.Clock.Deadline = 5_000
	for i := range w.task.Work[:3] {
		w.task.Work[i] = brain.WorkSeat{Agent: onchain.Address{byte(20 + i)}, State: seatRevealed, ResultHash: [32]byte{byte(i + 1)}, CommittedAt: int64(i)}
	}
	for i := range w.task.Judges[:2] {
		w.task.Judges[i] = brain.Evaluator{Agent: onchain.Address{byte(30 + i)}, State: seatRevealed, Reputation: 5_000}
		for j := range 3 {
			w.task.Judges[i].Said[j] = brain.Rating{Score: 90, Confidence: 90}
		}
	}
	if r == brain.WorkerRole {
		w.task.Work[0].Agent, w.task.Work[0].State = self, seatDrawn
	} else {
		w.task.Status, w.task.Judges[0].Agent, w.task.Judges[0].State = brain.Evaluating, self, seatDrawn
	}
	return w
}

// effect counts something that others see, and kills the agent there.
func (w *world) effect(do func()) error {
	if w.dead {
		return errKilled
	}
	w.effects++
	if w.effects == w.kill && !w.after {
		w.die()
		return errKilled
	}
	do()
	if w.effects == w.kill {
		w.die()
		return errKilled
	}
	return nil
}

func (w *world) die() {
	w.dead = true
	w.stop()
}

func (w *world) Class(context.Context, onchain.Address) (*brain.ClassAccount, error) {
	c := w.account
	c.Members = append([]brain.Member{}, w.account.Members...)
	return &c, nil
}

func (w *world) Document(context.Context, *brain.ClassAccount, megabrain.Seen) (finding.TaskClass, []byte, error) {
	return w.kind, nil, nil
}

func (w *world) Tasks(context.Context, onchain.Address) ([]megabrain.Seen, error) {
	if w.closed {
		return nil, nil
	}
	head := w.task
	return []megabrain.Seen{{At: at, Task: &head, Now: w.now}}, nil
}

func (w *world) Task(context.Context, onchain.Address) (megabrain.Seen, error) {
	if w.closed {
		return megabrain.Seen{}, megabrain.ErrNoAccount
	}
	t := w.task
	return megabrain.Seen{At: at, Task: &t, Now: w.now}, nil
}

func (w *world) Join(_ context.Context, _ onchain.Address, r brain.Role, stake client.Lamports, _ *client.Client, _ bool) (client.Sent, error) {
	return client.Sent{}, w.effect(func() {
		w.joins++
		w.account.Members = append(w.account.Members, brain.Member{Agent: self, Role: r, State: memberActive, Stake: uint64(stake)})
	})
}

func (w *world) Leave(context.Context, onchain.Address, brain.Role) (client.Sent, error) {
	return client.Sent{}, w.effect(func() {
		w.leaves++
		w.account.Members[0].State = 2
	})
}

func (w *world) Withdraw(context.Context, onchain.Address, brain.Role) (p megabrain.Paid, err error) {
	return p, w.effect(func() {
		w.takes++
		p.Earned = client.Lamports(w.account.Members[0].Earned)
		if w.account.Members[0].Earned = 0; w.account.Members[0].State == 2 {
			p.Stake = client.Lamports(w.account.Members[0].Stake)
			w.account.Members = nil
		}
	})
}

func (w *world) Commit(_ context.Context, _ onchain.Address, result []byte, summary string, _ []byte) (megabrain.Spoken, error) {
	return megabrain.Spoken{}, w.effect(func() { w.commit(&w.task.Work[0].State, &w.task.Work[0].Commitment, string(result)+summary) })
}

func (w *world) Evaluate(_ context.Context, _ onchain.Address, scores []megabrain.Score, _ []byte, _ string) (megabrain.Spoken, error) {
	return megabrain.Spoken{}, w.effect(func() {
		w.commit(&w.task.Judges[0].State, &w.task.Judges[0].Commitment, fmt.Sprint(scores))
	})
}

// commit takes one commitment of a seat.
func (w *world) commit(state *uint8, commitment *[32]byte, said string) {
	if *state != seatDrawn {
		w.mistakes++
		return
	}
	w.commits++
	*state, *commitment, w.said = 1, sha256.Sum256([]byte(said)), said
}

func (w *world) Results(context.Context, onchain.Address, int) (out []megabrain.HandedIn, err error) {
	for i, s := range w.task.Work[:3] {
		notes := megabrain.File{Attachment: finding.Attachment{Name: "notes.txt", Type: "text/plain", Bytes: 5}, Content: []byte("notes"), Path: "/home/notes"}
		out = append(out, megabrain.HandedIn{Worker: s.Agent.String(), Hash: "ab", Text: fmt.Sprintf(`{"year":%d}`, 1931+i), Proof: "a notary", Files: []megabrain.File{notes}})
	}
	return out, nil
}

func (w *world) Find(context.Context, onchain.Address, megabrain.Gaps) (megabrain.Found, error) {
	return megabrain.Found{Finding: w.facts, Posted: true, Agrees: arbiter.Same(arbiter.Conclusion(w.facts, [32]byte{}), w.task.Finding)}, nil
}

func (w *world) Costs(context.Context, megabrain.Found) (stake, fee client.Lamports, err error) {
	return sol / 20, sol / 50, nil
}

func (w *world) Dispute(context.Context, megabrain.Found, string) (megabrain.Disputed, error) {
	return megabrain.Disputed{}, w.effect(func() {
		if w.task.Status == brain.Disputed {
			return // it brings its documents again
		}
		w.disputes++
		w.task.Status, w.task.Disputant, w.task.Dispute, w.task.Counter = brain.Disputed, self, onchain.Address{9}, arbiter.Conclusion(w.facts, [32]byte{})
	})
}

// Run is the crank. It does nothing here.
func (w *world) Run(ctx context.Context, _ megabrain.Crank) error {
	<-ctx.Done()
	return nil
}

// Think is the program. It never says the same twice.
func (w *world) Think(ctx context.Context, c trader.Chore) (trader.Product, error) {
	var q question
	if err := json.Unmarshal(c.Input, &q); err != nil {
		return trader.Product{}, fmt.Errorf("%w: %s", err, c.Input)
	}
	w.thoughts++
	if ctx.Err() != nil {
		return trader.Product{}, ctx.Err()
	}
	if q.Results == nil {
		return trader.Product{Result: fmt.Appendf(nil, `{"result":{"year":1931,"n":%d},"summary":"1931"}`, w.thoughts), Use: work.Use{Tokens: 10}}, nil
	}
	var scores []string
	for worker := range q.Results {
		w.beside = q.Beside
		if b := q.Beside[worker]; len(q.Beside) > 0 && (b.Proof != "a notary" || len(b.Files) != 1 || b.Files[0].Name != "notes.txt" || b.Files[0].Text != "notes" || b.Files[0].Path != "") {
			w.t.Errorf("an evaluator is shown %+v", b)
		}
		scores = append(scores, fmt.Sprintf(`{"worker":%q,"score":%d,"confidence":90}`, worker, w.thoughts))
	}
	return trader.Product{Result: []byte(`{"scores":[` + strings.Join(scores, ",") + `]}`)}, nil
}

// live lets an agent live for some looks, and reports whether it was killed.
func (w *world) live(dir string, r brain.Role, looks int, change func(*Equipment)) (Takings, bool) {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	w.stop, w.dead = stop, false
	e := Equipment{
		Desk: w, Self: self, Dir: dir, Thinkers: map[onchain.Address]trader.Thinker{class: w},
		Question: func(context.Context, onchain.Address, *brain.TaskAccount) (string, bool, error) {
			return "When?", true, nil
		},
		Plan: trader.BrainPlan{Role: trader.BrainWorker, AtOnce: 1, Withdraw: sol / 100, Dispute: true, Poll: time.Second, Classes: []trader.BrainClass{{At: class, Stake: sol, Attempts: 2}}},
		Tell: func(l trader.Line) { w.t.Logf("%.8s %s", l.Task, l.Text) },
	}
	if r == brain.EvaluatorRole {
		e.Plan.Role = trader.BrainEvaluator
	}
	if change != nil {
		change(&e)
	}
	a, err := Open(e)
	if err != nil {
		w.t.Fatal(err)
	}
	over := time.AfterFunc(time.Duration(looks)*time.Second+time.Second/2, stop)
	if err := a.Run(ctx); err != nil {
		w.t.Fatal(err)
	}
	over.Stop()
	if err := a.Close(); err != nil {
		w.t.Fatal(err)
	}
	return a.Takings(), w.dead
}

// settle pays the seat.
func (w *world) settle(paid, slashed uint64) {
	w.task.Status = brain.Settled
	w.task.Work[0].Paid, w.task.Work[0].Slashed = paid, slashed
	w.task.Judges[0].Paid, w.task.Judges[0].Slashed = paid, slashed
	w.account.Members[0].Earned = paid
}

// TestKilled: an agent that is killed before or after any of its effects, and begins again,
// registers once, commits once to what it made first, disputes once, takes what it earned, and
// counts it once. Without a kill it does the same, which shows that all effects are reached.
func TestKilled(t *testing.T) {
	t.Parallel()
	for _, r := range []brain.Role{brain.WorkerRole, brain.EvaluatorRole} {
		for kill := 0; kill <= 6; kill++ {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("role %d, effect %d, after %v", r, kill, after), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { wholeLife(t, r, kill, after) })
				})
			}
		}
	}
}

func wholeLife(t *testing.T, r brain.Role, kill int, after bool) {
	w, dir, killed := newWorld(t, r), filepath.Join(t.TempDir(), "agent"), false
	w.kill, w.after = kill, after
	live := func() Takings {
		took, died := w.live(dir, r, 5, nil)
		if died {
			killed = true
			took, _ = w.live(dir, r, 5, nil)
		}
		return took
	}
	live()
	if w.commits != 1 || w.thoughts != 1 {
		t.Fatalf("%d commitments after %d thoughts", w.commits, w.thoughts)
	}
	if r == brain.EvaluatorRole && len(w.beside) != 3 {
		t.Errorf("an evaluator is shown %d results with what stands beside them", len(w.beside))
	}
	w.task.Work[0].State, w.task.Judges[0].State = seatRevealed, seatRevealed
	w.task.Status, w.task.Marks.Posted, w.task.Poster = brain.Posted, 1, onchain.Address{99}
	w.wrong(r)
	live()
	if w.disputes != 1 {
		t.Fatalf("%d disputes", w.disputes)
	}
	w.task.Finding, w.task.Money.Bond, w.task.Marks.Posted = w.task.Counter, 0, brain.PostedByDisputant
	w.settle(sol/4, 0)
	took := live()
	if took.Earned != sol/4+sol/20 || took.Lost != sol/50 || took.Open != 0 {
		t.Errorf("it counts %+v", took)
	}
	if w.joins != 1 || w.takes != 1 || w.mistakes != 0 || w.account.Members[0].Earned != 0 {
		t.Errorf("%d registrations, %d withdrawals, %d mistakes", w.joins, w.takes, w.mistakes)
	}
	if kill > 0 && kill <= 5 && !killed {
		t.Error("it was not killed")
	}
}

// wrong lets the posted outcome wrong the agent, which finds another one.
func (w *world) wrong(r brain.Role) {
	w.facts = finding.Assessment{Facts: make([]finding.Fact, 3), Stamped: make([]bool, 2)}
	for i := range w.facts.Facts {
		w.facts.Facts[i] = finding.Fact{Complete: 10_000, Cluster: 1}
	}
	w.task.Finding = arbiter.Conclusion(w.facts, [32]byte{})
	if r == brain.WorkerRole {
		w.task.Finding.Facts[0] = brain.Fact{Complete: 10_000, LowEffort: 1}
	} else {
		w.task.Finding.Rubber[0] = 1
	}
}

// TestContest: an outcome is disputed if it wrongs the agent and that pays.
func TestContest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*world, *Equipment)
		want   int
	}{
		"wronged":  {func(*world, *Equipment) {}, 1},
		"the same": {func(w *world, _ *Equipment) { w.task.Finding = arbiter.Conclusion(w.facts, [32]byte{}) }, 0},
		"another is wronged": {func(w *world, _ *Equipment) {
			w.task.Finding.Facts[0], w.task.Finding.Facts[1] = brain.Fact{Complete: 10_000, Cluster: 1}, w.task.Finding.Facts[0]
		}, 0},
		"little": {func(w *world, _ *Equipment) {
			w.task.Money.Budget, w.task.Money.WorkerStake, w.task.Money.Bond = sol/1000, 1, 1
		}, 0},
		"not allowed":     {func(_ *world, e *Equipment) { e.Plan.Dispute = false }, 0},
		"no budget":       {func(_ *world, e *Equipment) { e.Plan.Budget.Loss = sol / 20 }, 0},
		"its own outcome": {func(w *world, _ *Equipment) { w.task.Poster = self }, 0},
		"too late":        {func(w *world, _ *Equipment) { w.now = 5_000 }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, brain.WorkerRole)
				w.task.Work[0].State, w.task.Status, w.task.Marks.Posted, w.task.Poster = seatRevealed, brain.Posted, 1, onchain.Address{99}
				w.wrong(brain.WorkerRole)
				w.live(t.TempDir(), brain.WorkerRole, 3, func(e *Equipment) { c.change(w, e) })
				if w.disputes != c.want {
					t.Errorf("%d disputes, want %d", w.disputes, c.want)
				}
			})
		})
	}
}

// TestRejected: a dispute that the court rejected is not begun again, and its stake and fee are
// lost.
func TestRejected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, dir := newWorld(t, brain.WorkerRole), t.TempDir()
		w.task.Work[0].State, w.task.Status, w.task.Marks.Posted, w.task.Poster = seatRevealed, brain.Posted, 1, onchain.Address{99}
		w.wrong(brain.WorkerRole)
		w.live(dir, brain.WorkerRole, 3, nil)
		w.task.Status, w.task.Marks.Rejected = brain.Posted, 1
		w.live(dir, brain.WorkerRole, 3, nil)
		if w.disputes != 1 {
			t.Errorf("%d disputes", w.disputes)
		}
		w.settle(0, sol/40)
		if took, _ := w.live(dir, brain.WorkerRole, 3, nil); took.Lost != sol/40+sol/20+sol/50 || took.Earned != 0 {
			t.Errorf("%+v", took)
		}
	})
}

// TestLeave: an agent that leaves, or whose budget is used up, finishes what it holds, takes its
// stake, and ends by itself.
func TestLeave(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Equipment){
		"asked": func(e *Equipment) { e.Leave = true }, "budget": func(e *Equipment) { e.Plan.Budget.Tokens = 10 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, dir := newWorld(t, brain.WorkerRole), t.TempDir()
				w.account.Members = []brain.Member{{Agent: self, Role: brain.WorkerRole, State: memberActive, Stake: sol, Locked: sol / 20}}
				w.live(dir, brain.WorkerRole, 5, change)
				if w.commits != 1 || w.leaves != 1 || w.takes != 0 {
					t.Fatalf("%d commitments, left %d times, took %d times", w.commits, w.leaves, w.takes)
				}
				w.account.Members[0].Locked = 0
				w.settle(sol/4, 0)
				began := time.Now()
				w.live(dir, brain.WorkerRole, 1_000, change)
				if w.account.Members != nil || time.Since(began) > time.Minute {
					t.Errorf("it did not end: %+v, %s", w.account.Members, time.Since(began))
				}
			})
		})
	}
}

// TestGone: a task that was closed before the agent saw its end counts as badly as it can have
// ended.
func TestGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, dir := newWorld(t, brain.WorkerRole), t.TempDir()
		w.live(dir, brain.WorkerRole, 3, nil)
		w.closed = true
		if took, _ := w.live(dir, brain.WorkerRole, 3, nil); took.Lost != sol/20 || took.Open != 0 {
			t.Errorf("%+v", took)
		}
	})
}

// TestAnswers: what a program may not say makes no commitment, and it is told why.
func TestAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brain.WorkerRole)
	a := &Participant{role: brain.WorkerRole}
	b := &Participant{role: brain.EvaluatorRole}
	results := map[string]json.RawMessage{"ada": json.RawMessage("1"), "bob": json.RawMessage("2")}
	for answer, want := range map[string]string{
		`{"result":{"year":1931}}`: "", `{"result":{"year":1931},"summary":"` + strings.Repeat("é", 350) + `"}`: "",
		`{"result":{"year":1931},"summary":"` + strings.Repeat("a", 501) + `"}`: "501 characters", `{"result":{"day":1}}`: "none of the fields",
		`{"result":{"year":1931},"more":1}`: "more", `{}`: "no result", `[]`: "not in its form", `{"result":1} 2`: "the answer", `{"result":{"year":1,"year":2}}`: "the answer",
		`{"result":{"year":1,"x":"` + strings.Repeat("a", 30_000) + `"}}`: "result: ", strings.Repeat(" ", maxAnswer+1): "at most 262144",
	} {
		if _, err := a.checked(question{Kind: w.kind}, []byte(answer)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", answer, err, want)
		}
	}
	for answer, want := range map[string]string{
		`{"scores":[{"worker":"ada","score":1,"confidence":2},{"worker":"bob","score":100,"confidence":0,"why":"x"}]}`: "",
		`{"scores":[{"worker":"ada","score":1,"confidence":2}]}`:                                                       "no score of bob",
		`{"scores":[{"worker":"eve","score":1,"confidence":2}]}`:                                                       "who handed in nothing",
		`{"scores":[{"worker":"ada","score":1,"confidence":2},{"worker":"ada","score":1,"confidence":2}]}`:             "second about ada",
		`{"scores":[{"worker":"ada","score":101,"confidence":2}]}`:                                                     "0 to 100",
		`{"scores":[{"worker":"ada","score":1.5,"confidence":2}]}`:                                                     "not in its form",
		`{"scores":[]}`: "no scores",
		`{"scores":[{"worker":"ada","score":1,"confidence":2},{"worker":"bob","score":100,"confidence":0}],"same":[["ada","bob"]]}`: "",
		`{"scores":[{"worker":"ada","score":1,"confidence":2},{"worker":"bob","score":100,"confidence":0}],"same":[["ada","eve"]]}`: "who handed in nothing",
		`{"scores":[{"worker":"ada","score":1,"confidence":2},{"worker":"bob","score":100,"confidence":0}],"vectors":{"ada":[1]}}`:  "names no embedding",
	} {
		if _, err := b.checked(question{Results: results}, []byte(answer)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", answer, err, want)
		}
	}
}

// FuzzAnswer: no answer of a program ends the agent.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"result":{"year":1931}}`))
	f.Add([]byte(`{"scores":[{"worker":"ada","score":1,"confidence":2}]}`))
	kind, _, err := finding.ReadClass([]byte(`{"about":"a","name":"facts","meaning":["/year"]}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, r := range []brain.Role{brain.WorkerRole, brain.EvaluatorRole} {
			a := &Participant{role: r}
			if content, err := a.checked(question{Kind: kind, Results: map[string]json.RawMessage{"ada": nil}}, raw); err == nil && !json.Valid(content) {
				t.Errorf("%q became %q", raw, content)
			}
		}
	})
}

// TestBesides: a program gets the path of an attachment, and a model does not. Of bytes that are no
// text, nothing stands in the input, and of a long text its beginning.
func TestBesides(t *testing.T) {
	long := megabrain.File{Content: bytes.Repeat([]byte("é"), maxText), Path: "/p"}
	all := []megabrain.HandedIn{{Worker: "a", Hash: "ab", Files: []megabrain.File{long, {Content: []byte{0, 1}, Path: "/q"}}}, {Worker: "b", Hash: "ab"}, {Worker: "c", Summary: "not revealed"}}
	for _, program := range []bool{true, false} {
		got := besides(all, program)
		files := got["a"].Files
		if len(got) != 1 || len(files) != 2 || len(files[0].Text) > maxText || files[0].Text == "" || files[1].Text != "" || (files[0].Path == "/p") != program {
			t.Errorf("a program %v: %d, %+v", program, len(got), files)
		}
	}
}

// TestAttackAttachmentsInTheInput: signs that JSON writes as six made the attachments of one worker
// 96 KiB of each evaluator's input.
func TestAttackAttachmentsInTheInput(t *testing.T) {
	for _, sign := range []string{"\x01", "\u2028", `"`, "\\", "\n", "<", "a"} {
		one := megabrain.File{Content: bytes.Repeat([]byte(sign), 4_000)}
		raw, err := plain(besides([]megabrain.HandedIn{{Worker: "a", Hash: "ab", Summary: strings.Repeat(sign, 700), Files: []megabrain.File{one, one, one, one}}}, false))
		if err != nil || len(raw) > maxBeside+1_000 {
			t.Errorf("%q: %d bytes, %v", sign, len(raw), err)
		}
	}
}

// TestEmbedded: an evaluator's scores get the vectors of the class's embedding, if they lack them.
// A model that is down, and vectors that make the answer too long, leave the scores as they are:
// silence would cost the stake.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	kind, _, err := finding.ReadClass([]byte(`{"about":"a","name":"x","meaning":["/year"],"prose":["/why"],"embedding":{"name":"small","dimensions":2,"near":3000}}`))
	if err != nil {
		t.Fatal(err)
	}
	q := question{Kind: kind, Results: map[string]json.RawMessage{"ada": json.RawMessage(`{"why":"w","year":1}`)}}
	scores := `{"scores":[{"worker":"ada","score":1,"confidence":2}]}`
	own := `{"scores":[{"worker":"ada","score":1,"confidence":2}],"vectors":{"ada":[3,4]}}`
	long := strings.Replace(scores, `}]}`, `,"why":"`+strings.Repeat("w", maxAnswer-len(scores)-10)+`"}]}`, 1)
	for name, x := range map[string]struct {
		role      brain.Role
		raw, want string
		down      bool
	}{
		"added":    {brain.EvaluatorRole, scores, "[1,2]", false},
		"its own":  {brain.EvaluatorRole, own, "[3,4]", false},
		"down":     {brain.EvaluatorRole, scores, "", true},
		"too long": {brain.EvaluatorRole, long, "", false},
		"garbled":  {brain.EvaluatorRole, `{`, "", false},
		"a worker": {brain.WorkerRole, scores, "", false},
	} {
		a := &Participant{role: x.role, told: map[string]string{}}
		a.Embed = func(_ context.Context, of finding.TaskClass, results map[string][]byte) (map[string]json.RawMessage, work.Use, error) {
			use := work.Use{Tokens: 5, Micros: 7}
			if x.down {
				return nil, use, errors.New("it is down")
			}
			if of.Embedding.Name != "small" || string(results["ada"]) != `{"why":"w","year":1}` {
				t.Errorf("%s: it is asked about %s", name, results)
			}
			return map[string]json.RawMessage{"ada": json.RawMessage("[1,2]")}, use, nil
		}
		raw, use := a.embedded(t.Context(), q, []byte(x.raw))
		if bought := name == "added" || x.down || name == "too long"; (use == work.Use{Tokens: 5, Micros: 7}) != bought {
			t.Errorf("%s: it says that the vectors cost %+v", name, use)
		}
		if x.want == "" && string(raw) != x.raw || !strings.Contains(string(raw), x.want) {
			t.Errorf("%s: %.300s", name, raw)
		}
		if _, err := a.checked(q, raw); x.role == brain.EvaluatorRole && (err == nil) != (name != "garbled") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestVectorsCost: what an evaluator's embedding costs counts in its budget, so that one whose own
// program costs nothing leaves when it is used up.
func TestVectorsCost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, brain.EvaluatorRole)
		kind, _, err := finding.ReadClass([]byte(`{"about":"a","name":"facts","meaning":["/year"],"prose":["/why"],"embedding":{"name":"small","dimensions":2,"near":3000}}`))
		if err != nil {
			t.Fatal(err)
		}
		w.kind = kind
		w.account.Members = []brain.Member{{Agent: self, Role: brain.EvaluatorRole, State: memberActive, Stake: sol, Locked: sol / 20}}
		took, _ := w.live(t.TempDir(), brain.EvaluatorRole, 5, func(e *Equipment) {
			e.Plan.Budget.Tokens = 40
			e.Embed = func(context.Context, finding.TaskClass, map[string][]byte) (map[string]json.RawMessage, work.Use, error) {
				return nil, work.Use{Tokens: 40, Micros: 3}, errors.New("it is down")
			}
		})
		if took.Tokens != 40 || took.Micros != 3 || w.commits != 1 || w.leaves != 1 {
			t.Errorf("it counts %+v, commits %d times and leaves %d times", took, w.commits, w.leaves)
		}
	})
}
