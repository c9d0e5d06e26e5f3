package brainview

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/arbiter"
	"ojud/megabrain/finding"
	"ojud/megabrain/pay"
)

const (
	first    = `{"why":"The bridge opened in the spring after four years of work by two firms","year":1931}`
	second   = `{"why":"After four years of work two firms opened the bridge in spring","year":1931}`
	mistaken = `{"why":"Nobody remembers well when the old crossing was finished by its owners","year":1935}`
	kind     = `{"about":"Answer.","least_words":6,"meaning":["/year"],"name":"facts","prose":["/why"]}`
)

// chain has one task and its class.
type chain struct {
	prog     brain.Megabrain
	task     brain.TaskAccount
	at       onchain.Address
	class    onchain.Address
	classRaw []byte
	content  map[[32]byte][]byte
	words    [][]byte
	reads    int
	fault    error
}

func raw(t *testing.T, v any) []byte {
	t.Helper()
	out, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (c *chain) taskRaw() []byte {
	out, err := binary.Append(nil, binary.LittleEndian, c.task)
	if err != nil {
		panic(err)
	}
	return out
}

func (c *chain) Accounts(_ context.Context, all ...onchain.Address) (out []*ledger.Account, slot uint64, err error) {
	c.reads++
	for _, at := range all {
		switch at {
		case c.at:
			out = append(out, &ledger.Account{Address: at, Owner: c.prog.ID(), Data: c.taskRaw()})
		case c.class:
			out = append(out, &ledger.Account{Address: at, Owner: c.prog.ID(), Data: c.classRaw})
		case onchain.ClockAccount():
			out = append(out, &ledger.Account{Data: binary.LittleEndian.AppendUint64(make([]byte, timeAt), 5_000)})
		default:
			out = append(out, nil)
		}
	}
	return out, 1, c.fault
}

func (c *chain) Heads(_ context.Context, account string, having ledger.Filter, _, length int) ([]*ledger.Account, error) {
	if having.Owner != c.prog.ID() {
		return nil, errors.New("another program")
	}
	if account == "Class" {
		return []*ledger.Account{{Address: c.class, Data: c.classRaw[:length]}}, c.fault
	}
	return []*ledger.Account{{Address: c.at, Data: c.taskRaw()[:length]}}, c.fault
}

func (c *chain) reader() *TaskReader {
	return New(Sources{
		Chain: c, Program: c.prog.ID(),
		Content: func(_ context.Context, hash [32]byte) ([]byte, error) {
			if raw := c.content[hash]; raw != nil {
				return raw, nil
			}
			return nil, errors.New("nobody has it")
		},
		Words: func(context.Context, onchain.Address) ([][]byte, error) { return c.words, nil },
	})
}

// say adds an instruction.
func (c *chain) say(i onchain.Instruction) { c.words = append(c.words, i.Data) }

// posted is a task of three workers and two evaluators whose outcome is posted.
func posted(t *testing.T) *chain {
	t.Helper()
	c := &chain{prog: brain.Devnet(), at: onchain.Address{7}, class: onchain.Address{8}, content: map[[32]byte][]byte{}}
	put := func(text string) [32]byte {
		hash := sha256.Sum256([]byte(text))
		c.content[hash] = []byte(text)
		return hash
	}
	head := append(raw(t, brain.Kind("Class")), brain.Version, 255)
	members := []brain.Member{{Agent: onchain.Address{11}, Stake: 5, Reputation: 2_000, Role: brain.WorkerRole, State: 1}, {}, {Agent: onchain.Address{21}, Reputation: 3_000, Role: brain.EvaluatorRole, State: 2}}
	c.classRaw = append(head, raw(t, struct {
		Count   uint16
		Pad     [4]byte
		Creator onchain.Address
		ID      [32]byte
		P       brain.Parameters
		Near    [brain.MaxNear]onchain.Address
	}{3, [4]byte{}, onchain.Address{9}, put(kind), brain.Defaults(), [brain.MaxNear]onchain.Address{}})...)
	c.classRaw = append(c.classRaw, raw(t, members)...)

	k := &c.task
	k.Head.Kind, k.Head.Version, k.Status = brain.Kind("Task"), brain.Version, brain.Posted
	k.Counts = brain.Counts{Workers: 3, Evaluators: 2, Seated: 2, Drawn: 3}
	k.Parties = brain.Parties{Requester: onchain.Address{2}, Class: c.class}
	k.Money.Budget, k.Clock.Deadline, k.Marks.Posted, k.Poster = 1_000_000_000, 9_000, 1, onchain.Address{21}
	k.Terms = brain.TermsHash("When did it open?", nil)
	c.say(c.prog.CreateTask(onchain.Address{2}, c.class, brain.CreateTask{Description: "A lie about the task"}))
	c.say(c.prog.CreateTask(onchain.Address{2}, c.class, brain.CreateTask{Description: "When did it open?"}))
	for i, text := range []string{first, second, mistaken} {
		who := onchain.Address{byte(11 + i)}
		s := brain.SubmitResult{ResultHash: put(text), Summary: fmt.Sprintf("summary %d", i+1)}
		k.Work[i] = brain.WorkSeat{Agent: who, State: revealed, ResultHash: s.ResultHash, CommittedAt: int64(100 + i), Commitment: brain.ResultCommitment(c.at, who, s)}
		c.say(c.prog.SubmitResult(who, c.class, c.at, s))
		s.Summary = "a lie"
		c.say(c.prog.SubmitResult(who, c.class, c.at, s))
	}
	for i := range 2 {
		who := onchain.Address{byte(21 + i)}
		s := brain.SubmitEvaluation{Metadata: []byte("I looked")}
		k.Judges[i] = brain.Evaluator{Agent: who, State: revealed, Reputation: 3_000, Commitment: brain.EvaluationCommitment(c.at, who, s)}
		for n := range k.Judges[i].Said {
			k.Judges[i].Said[n].Score = brain.Silent
		}
		k.Judges[i].Said[0], k.Judges[i].Said[2] = brain.Rating{Score: 90, Confidence: 80}, brain.Rating{Score: 11, Confidence: 80}
		c.say(c.prog.SubmitEvaluation(who, c.class, c.at, s))
	}
	for i, cluster := range []uint8{1, 1, 3} {
		k.Finding.Facts[i] = brain.Fact{Complete: 10_000, Cluster: cluster}
	}
	return c
}

// TestTask: a task has its seats, its words, what each evaluator says, and its results as points:
// those that mean the same are near. Words that have another hash are not shown.
func TestTask(t *testing.T) {
	t.Parallel()
	c := posted(t)
	r := c.reader()
	d, err := r.Task(t.Context(), c.at)
	if err != nil {
		t.Fatal(err)
	}
	if d.Question != "When did it open?" || d.ClassName != "facts" || d.Status != "outcome posted" || d.Until != 9_000 || d.Now != 5_000 || d.Pools.Workers != 700_000_000 {
		t.Errorf("%+v", d)
	}
	if d.Agrees == nil || !*d.Agrees || d.Submitted != 3 || d.Evaluated != 2 || d.PointsBy != "meaning" {
		t.Errorf("agrees %v, %d, %d, %s", d.Agrees, d.Submitted, d.Evaluated, d.PointsBy)
	}
	for i, s := range d.Seats {
		if s.Summary != fmt.Sprintf("summary %d", i+1) || s.Result == nil || s.X < 0 || s.X > 1 || s.Y < 0 || s.Y > 1 || math.IsNaN(s.X+s.Y) {
			t.Errorf("worker %d: %+v", i+1, s)
		}
	}
	far := func(a, b int) float64 { return math.Hypot(d.Seats[a].X-d.Seats[b].X, d.Seats[a].Y-d.Seats[b].Y) }
	if far(0, 1)*3 > far(0, 2) || far(0, 1) == 0 {
		t.Errorf("the same is %.3f apart, another %.3f", far(0, 1), far(0, 2))
	}
	if d.Seats[0].Mean != 9_000 || d.Seats[1].Rated != 0 || len(d.Jury[0].Says) != 2 || d.Jury[1].Rationale != "I looked" {
		t.Errorf("%+v %+v", d.Seats, d.Jury)
	}
	before := c.reads
	if _, err := r.Task(t.Context(), c.at); err != nil || c.reads != before {
		t.Errorf("%v: a second look asked the chain", err)
	}
	if _, err := r.Task(t.Context(), onchain.Address{99}); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// TestLongQuestion: a question that stands on memory nodes is shown as the question, and a list has
// its beginning. Without it, the hash is there, and why.
func TestLongQuestion(t *testing.T) {
	t.Parallel()
	c := posted(t)
	long := strings.Repeat("When did it open? ", 100)
	of, node := finding.Reference([]byte(long)), "http://memory.example"
	c.task.Terms = brain.TermsHash(of, []byte(node))
	c.words = nil
	c.say(c.prog.CreateTask(onchain.Address{2}, c.class, brain.CreateTask{Description: of, Metadata: []byte(node)}))
	r := c.reader()
	d, err := r.Task(t.Context(), c.at)
	if err != nil || d.Question != of || d.Lacks == "" {
		t.Errorf("nobody has it: %.80q, %q, %v", d.Question, d.Lacks, err)
	}
	asked := 0
	r = c.reader()
	r.from.Nodes = func(_ context.Context, nodes []string, hash [32]byte) ([]byte, error) {
		if asked++; len(nodes) != 1 || nodes[0] != node || hash != sha256.Sum256([]byte(long)) {
			t.Errorf("%v are asked for %x", nodes, hash)
		}
		return []byte(long), nil
	}
	for range 2 {
		r.lists = answered[List]{}
		l, err := r.Tasks(t.Context())
		if err != nil || l.Tasks[0].Question != finding.Opening(long) || asked != 1 {
			t.Errorf("listed: %.80q, %v, after %d questions", l.Tasks[0].Question, err, asked)
		}
	}
	if d, err := r.Task(t.Context(), c.at); err != nil || d.Question != long || d.Lacks != "" {
		t.Errorf("%.80q, %q, %v", d.Question, d.Lacks, err)
	}
	r = c.reader()
	r.from.Nodes = func(context.Context, []string, [32]byte) ([]byte, error) { return []byte("no text\xff"), nil }
	if d, err := r.Task(t.Context(), c.at); err != nil || d.Question != of || !strings.Contains(d.Lacks, "UTF-8") {
		t.Errorf("no text: %.80q, %q, %v", d.Question, d.Lacks, err)
	}
}

// TestLittle: a node that has neither results nor words shows what the accounts say, and places
// results by the clusters of the outcome. A false outcome is found out by who has the results.
func TestLittle(t *testing.T) {
	t.Parallel()
	c := posted(t)
	kept := c.content
	c.content, c.words = nil, nil
	d, err := c.reader().Task(t.Context(), c.at)
	if err != nil || d.Agrees != nil || d.PointsBy != "clusters" || d.Question != "" || d.Seats[0].Result != nil || d.Seats[0].X == d.Seats[2].X && d.Seats[0].Y == d.Seats[2].Y {
		t.Errorf("%+v, %v", d, err)
	}
	c.content, c.task.Finding.Facts[2].Cluster = kept, 1
	d, err = c.reader().Task(t.Context(), c.at)
	if err != nil || d.Agrees == nil || *d.Agrees {
		t.Errorf("a false outcome: %v, %v", d.Agrees, err)
	}
	c.content[c.task.Work[0].ResultHash] = []byte(`no JSON`)
	if d, err = c.reader().Task(t.Context(), c.at); err != nil || d.Seats[0].Result != nil {
		t.Errorf("what is no JSON is shown: %s, %v", d.Seats[0].Result, err)
	}
	for of, want := range map[string]func(){
		InCourt:   func() { c.task.Status = brain.Disputed },
		Upheld:    func() { c.task.Status, c.task.Marks.Posted = brain.Settled, brain.PostedByDisputant },
		Refused:   func() { c.task.Marks.Rejected = 1 },
		Undecided: func() { c.task.Marks.Posted = brain.CourtUndecided },
		"":        func() { c.task.Status = brain.Posted }, // the next outcome is posted after one that was upheld
	} {
		c.task.Marks.Rejected = 0
		c.task.Dispute, c.task.Status, c.task.Marks.Posted = onchain.Address{5}, brain.Settled, brain.PostedByPoster
		want()
		if d, err := c.reader().Task(t.Context(), c.at); err != nil || d.Verdict != of {
			t.Errorf("%s: %q, %v", of, d.Verdict, err)
		}
		c.task.Status, c.task.Counter = brain.Settled, brain.Conclusion{}
	}
}

// TestAskedAgain: while evaluators are asked about further workers, what they said of the first
// stays to be seen.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	c := posted(t)
	k := &c.task
	k.Status, k.Marks.Posted, k.Counts.Drawn = brain.Evaluating, brain.PostedByNobody, 4
	k.Work[3] = brain.WorkSeat{Agent: onchain.Address{14}, State: revealed, Later: 1}
	k.Judges[0].State, k.Judges[0].Past, k.Judges[0].Asked = 0, 1, 3
	k.Judges[1].State, k.Judges[1].Asked = 0, 3 // it was absent
	k.Judges[0].Said[3] = brain.Rating{Score: 7, Confidence: 7}
	d, err := c.reader().Task(t.Context(), c.at)
	if err != nil || d.Evaluated != 1 || d.Seats[0].Mean != 9_000 || d.Seats[0].Rated != 1 || d.Seats[3].Rated != 0 {
		t.Errorf("%+v, %v", d, err)
	}
	if !slices.Equal(d.Jury[0].Final, []int{1, 2, 3, 4}) || !slices.Equal(d.Jury[1].Final, []int{1, 2, 3}) {
		t.Errorf("final are %v and %v", d.Jury[0].Final, d.Jury[1].Final)
	}
	k.Work[1].Unheard = 1
	k.Judges[0].Said[3], k.Judges[0].Asked, k.Judges[1].Asked = brain.Rating{Score: brain.Silent}, 3, 0
	if again, err := c.reader().Task(t.Context(), c.at); err != nil || !slices.Equal(again.Jury[0].Final, []int{1, 3}) || again.Jury[1].Final != nil {
		t.Errorf("with a result that was shown later, and a further evaluator: %+v, %v", again.Jury, err)
	}
	if a, b := d.Jury[0], d.Jury[1]; len(a.Says) != 2 || a.Asked != 3 || a.State != "drawn" || len(b.Says) != 0 {
		t.Errorf("%+v %+v", a, b)
	}
}

// TestReasons: a settled task says why each seat got what it got. A seat that got something else
// than a settlement says has no reason.
func TestReasons(t *testing.T) {
	t.Parallel()
	c := posted(t)
	k := &c.task
	if d, err := c.reader().Task(t.Context(), c.at); err != nil || d.Why != "" || d.Seats[0].Why != "" {
		t.Errorf("reasons before the settlement: %+v, %v", d, err)
	}
	for i := range k.Judges[:2] {
		k.Judges[i].Said[1] = brain.Rating{Score: 80, Confidence: 80}
	}
	k.Status, k.Marks.Difficulty, k.Marks.Posted = brain.Settled, 100, brain.PostedByPoster
	k.Money.WorkerStake, k.Money.EvaluatorStake = 50_000_000, 30_000_000
	k.Finding.Facts[2].Cluster = 0
	parts := pay.Settle(arbiter.Assignment(k, brain.Defaults())).Parts
	for i := range 3 {
		k.Work[i].Paid, k.Work[i].Slashed = parts[i].Paid+parts[i].Bonus, parts[i].Slashed
	}
	for i := range 2 {
		k.Judges[i].Paid, k.Judges[i].Slashed = parts[3+i].Paid, parts[3+i].Slashed
	}
	k.Judges[1].Paid++
	d, err := c.reader().Task(t.Context(), c.at)
	want := []string{"in the dominant cluster, and exceptional", "in the dominant cluster", "outside the dominant cluster", "evaluated all results, and posted the outcome", ""}
	var got []string
	for _, w := range d.Seats {
		got = append(got, w.Why)
	}
	for _, e := range d.Jury {
		got = append(got, e.Why)
	}
	if err != nil || !slices.Equal(got, want) || d.Why != "2 of the 3 results that count mean the same" {
		t.Errorf("%q, %q, %v", d.Why, got, err)
	}
	k.Work[2].State = revealed + 1
	d, err = c.reader().Task(t.Context(), c.at)
	if err != nil || d.Seats[2].Why != "" {
		t.Errorf("a worker that lost nothing has the reason %q, %v", d.Seats[2].Why, err)
	}
	k.Work[2].Slashed = k.Money.WorkerStake
	if d, err = c.reader().Task(t.Context(), c.at); err != nil || d.Seats[2].Why != "submitted nothing" {
		t.Errorf("an absent worker: %q, %v", d.Seats[2].Why, err)
	}
	k.Status, k.Counts.Seated = brain.Inconclusive, 0
	if d, err = c.reader().Task(t.Context(), c.at); err != nil || d.Seats[2].Why != "submitted nothing" || d.Seats[0].Why != "" {
		t.Errorf("without evaluators: %+v, %v", d.Seats, err)
	}
	k.Counts.Seated, k.Marks.Difficulty = 2, 0
	if d, err = c.reader().Task(t.Context(), c.at); err != nil || d.Why != "" {
		t.Errorf("a task that the program cannot have: %q, %v", d.Why, err)
	}
}

// TestLists: tasks and members are listed with their classes, a fault of the chain is said, and a
// reader without a chain knows of nothing.
func TestLists(t *testing.T) {
	t.Parallel()
	c := posted(t)
	r := c.reader()
	l, err := r.Tasks(t.Context())
	if err != nil || len(l.Tasks) != 1 || l.Tasks[0].Question != "When did it open?" || l.Tasks[0].ClassName != "facts" || l.Now != 5_000 {
		t.Errorf("%+v, %v", l, err)
	}
	if d, err := r.Task(t.Context(), c.at); err != nil || d.Seats[0].Summary != "summary 1" {
		t.Errorf("after the list the summary is %q, %v", d.Seats[0].Summary, err)
	}
	m, err := r.Members(t.Context())
	if err != nil || len(m) != 2 || m[0].Role != "evaluator" || !m[0].Leaving || m[1].Stake != 5 || m[1].ClassName != "facts" {
		t.Errorf("%+v, %v", m, err)
	}
	if of, err := r.MembersOf(t.Context(), c.class); err != nil || !slices.Equal(of, m) {
		t.Errorf("of the class: %+v, %v", of, err)
	}
	if of, err := r.MembersOf(t.Context(), onchain.Address{99}); !errors.Is(err, ErrNone) {
		t.Errorf("of no class: %+v, %v", of, err)
	}
	c.fault = errors.New("lists are refused")
	if _, err := c.reader().Tasks(t.Context()); !errors.Is(err, c.fault) {
		t.Error(err)
	}
	if l, err := (*TaskReader)(nil).Tasks(t.Context()); err != nil || len(l.Tasks) != 0 {
		t.Error(l, err)
	}
}

// TestNamedNodes: a page finds the document of a class on the memory nodes that the task names, and
// the results on those that the document names. It does not ask again at once.
func TestNamedNodes(t *testing.T) {
	t.Parallel()
	c := posted(t)
	far, asked := c.content, map[string]int{}
	c.content = nil
	document := strings.Replace(kind, `"name"`, `"memory":["http://one"],"name"`, 1)
	id := sha256.Sum256([]byte(document))
	far[id] = []byte(document)
	c.classRaw = bytes.Replace(c.classRaw, func() []byte { h := sha256.Sum256([]byte(kind)); return h[:] }(), id[:], 1)
	c.task.Terms = brain.TermsHash("When did it open?", []byte("http://hint"))
	c.say(c.prog.CreateTask(onchain.Address{2}, c.class, brain.CreateTask{Description: "When did it open?", Metadata: []byte("http://hint")}))
	r := c.reader()
	r.from.Nodes = func(_ context.Context, nodes []string, hash [32]byte) ([]byte, error) {
		at := strings.Join(nodes, " ")
		asked[at]++
		if want := map[bool]string{true: "http://hint", false: "http://one"}[hash == id]; at != want || far[hash] == nil {
			return nil, errors.New("not here")
		}
		return far[hash], nil
	}
	d, err := r.Task(t.Context(), c.at)
	if err != nil || d.ClassName != "facts" || d.Seats[2].Result == nil || d.Agrees == nil || !*d.Agrees {
		t.Errorf("%+v, %v", d, err)
	}
	if asked["http://hint"] != 1 || asked["http://one"] != 3 {
		t.Errorf("it asked %v", asked)
	}
}

// TestBeside: a task shows proofs, attachments, rationales and corrections, as far as they are
// here. An attachment is given by its hash, and nothing that no result names.
func TestBeside(t *testing.T) {
	t.Parallel()
	c := posted(t)
	put := func(text string) [32]byte {
		hash := sha256.Sum256([]byte(text))
		c.content[hash] = []byte(text)
		return hash
	}
	notes := put("notes")
	list := put(fmt.Sprintf(`{"attachments":[{"bytes":5,"name":"notes.txt","sha256":"%x","type":"text/plain"}]}`, notes))
	for i, proof := range [][]byte{list[:], []byte("seen by a notary")} {
		s := brain.SubmitResult{ResultHash: c.task.Work[i].ResultHash, Summary: "with more", Proof: proof}
		c.task.Work[i].Commitment = brain.ResultCommitment(c.at, c.task.Work[i].Agent, s)
		c.say(c.prog.SubmitResult(c.task.Work[i].Agent, c.class, c.at, s))
	}
	c.task.Judges[0].EvaluationHash = put(fmt.Sprintf(`{"evaluations":[{"corrections":["the year"],"rationale":"It is wrong.","worker":%q}]}`, c.task.Work[2].Agent))
	r := c.reader()
	d, err := r.Task(t.Context(), c.at)
	if err != nil {
		t.Fatal(err)
	}
	if f := d.Seats[0].Files; len(f) != 1 || f[0].Name != "notes.txt" || d.Seats[0].Proof != "" || d.Seats[1].Proof != "seen by a notary" || d.Seats[1].Files != nil {
		t.Errorf("%+v", d.Seats)
	}
	if says := d.Jury[0].Says; says[0].Rationale != "" || says[1].Rationale != "It is wrong." || string(says[1].Corrections[0]) != `"the year"` {
		t.Errorf("%+v", says)
	}
	if raw, f, err := r.File(t.Context(), c.at, notes); err != nil || string(raw) != "notes" || f.Name != "notes.txt" {
		t.Errorf("%q, %+v, %v", raw, f, err)
	}
	if _, _, err := r.File(t.Context(), c.at, c.task.Work[0].ResultHash); !errors.Is(err, ErrNoFile) {
		t.Errorf("what is no attachment: %v", err)
	}
}
