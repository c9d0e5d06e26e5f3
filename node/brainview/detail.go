package brainview

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/arbiter"
	"ojud/megabrain/finding"
)

// whole is all of something, in basis points.
const whole = 10_000

// Detail is a task with its seats.
type Detail struct {
	Outline
	Now     int64    `json:"now"`
	Lacks   string   `json:"question_lacks,omitempty"` // why the question is only a hash
	About   string   `json:"class_about,omitempty"`
	Meaning []string `json:"meaning,omitempty"` // fields of a result that carry the meaning
	Worded
	Pools    Pools       `json:"pools"`
	Extended bool        `json:"extended,omitempty"`
	Golden   *Exam       `json:"golden_task,omitempty"` // its right result was known before, and was opened
	Settled  int64       `json:"settled_at,omitempty"`
	Seats    []WorkPlace `json:"worker_seats"`
	Jury     []ScoreSeat `json:"evaluator_seats"`
	Outcome  *Conclusion `json:"outcome,omitempty"` // nil: nobody posted one
	Agrees   *bool       `json:"found_here,omitempty"`
	Why      string      `json:"why,omitempty"` // why the task ended as it did
	Contest
	PointsBy string          `json:"points_by,omitempty"` // meaning or clusters: what the places in the plane follow
	PostBond casefile.Amount `json:"outcome_bond"`
	Counted

	nodes []string // memory nodes that the class or the task names
}

// Counted is how many have handed in a result, and how many scores.
type Counted struct {
	Submitted int `json:"submitted"`
	Evaluated int `json:"evaluated"`
}

// Contest is the last dispute of a task, and how many the court rejected before.
type Contest struct {
	Opponent string `json:"disputant,omitempty"`
	Verdict  string `json:"verdict,omitempty"`
	Rejected int    `json:"disputes_rejected,omitempty"`
}

// Pools divide a budget.
type Pools struct {
	Workers    casefile.Amount `json:"workers"`
	Evaluators casefile.Amount `json:"evaluators"`
	Bonus      casefile.Amount `json:"bonus"`
}

// Conclusion is the posted outcome.
type Conclusion struct {
	Poster   string `json:"poster"`
	Evidence string `json:"evidence"`                   // SHA-256 of the document that shows it
	Shown    bool   `json:"shown_in_dispute,omitempty"` // by results that few had seen; the poster keeps its bond
}

// WorkPlace is the seat of a worker. Facts are those of the posted outcome; without one, those that
// this node finds if it has the results.
type WorkPlace struct {
	Worker    string          `json:"worker"`
	State     string          `json:"state"`
	Committed int64           `json:"committed_at,omitempty"`
	Hash      string          `json:"result_hash,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"` // missing: this node does not have it
	Summary   string          `json:"summary,omitempty"`
	Facts     bool            `json:"has_facts"`
	Complete  int             `json:"complete_bps,omitempty"`
	Cluster   int             `json:"cluster,omitempty"` // number of the first worker that means the same; 0: none
	CopyOf    int             `json:"copy_of,omitempty"` // number of a worker
	LowEffort bool            `json:"low_effort,omitempty"`
	Inside    bool            `json:"in_consensus,omitempty"`
	Score     int             `json:"final_score,omitempty"` // hundredths of a point
	Mean      int             `json:"mean_score,omitempty"`  // of what evaluators said, in hundredths
	Rated     int             `json:"scores"`                // evaluators that said something
	Paid      casefile.Amount `json:"paid"`
	Slashed   casefile.Amount `json:"slashed"`
	Why       string          `json:"why,omitempty"` // why it got that; empty before the settlement
	Beside
	Spot
}

// Beside is what a worker handed in beside its result.
type Beside struct {
	Proof string               `json:"proof,omitempty"` // what its worker says shows it
	Files []finding.Attachment `json:"attachments,omitempty"`
}

// Spot is the place of a result in the plane of meaning, from 0 to 1.
type Spot struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// ScoreSeat is the seat of an evaluator.
type ScoreSeat struct {
	Evaluator  string          `json:"evaluator"`
	State      string          `json:"state"`
	Reputation int             `json:"reputation"`
	Asked      int             `json:"asked_before,omitempty"` // what it said of the first so many is final
	Final      []int           `json:"final,omitempty"`        // numbers of the workers of whom it can say no more
	Says       []Remark        `json:"says"`
	Stamped    bool            `json:"rubber_stamp,omitempty"`
	Rationale  string          `json:"rationale,omitempty"`
	Hash       string          `json:"evaluation_hash,omitempty"`
	Paid       casefile.Amount `json:"paid"`
	Slashed    casefile.Amount `json:"slashed"`
	Why        string          `json:"why,omitempty"` // why it got that; empty before the settlement
}

// Remark is what an evaluator says of the result of a worker, by its number.
type Remark struct {
	Worker     int `json:"worker"`
	Score      int `json:"score"`
	Confidence int `json:"confidence"`
	finding.Remark
}

// seatStates are the states of a seat, in words.
func seatStates() []string { return []string{"drawn", "committed", "revealed", "absent"} }

const revealed = 2

// Task reads a task. An answer is shown again for two seconds.
func (r *TaskReader) Task(ctx context.Context, at onchain.Address) (Detail, error) {
	if r == nil {
		return Detail{}, ErrNone
	}
	r.mu.Lock()
	last := r.shown[at]
	r.mu.Unlock()
	if last.fresh() {
		return last.value, nil
	}
	return together(ctx, &r.flights, "task "+at.String(), last, func(ctx context.Context) (Detail, error) { return r.read(ctx, at) })
}

// read reads a task anew.
func (r *TaskReader) read(ctx context.Context, at onchain.Address) (Detail, error) {
	all, _, err := r.from.Chain.Accounts(ctx, at, onchain.ClockAccount())
	if err != nil {
		return Detail{}, err
	}
	now, err := clock(all[1])
	if err != nil {
		return Detail{}, err
	}
	if all[0] == nil || all[0].Owner != r.prog.ID() {
		return Detail{}, ErrNone
	}
	t, err := brain.DecodeTask(all[0].Data)
	if err != nil {
		return Detail{}, fmt.Errorf("%w: %w", ErrNone, err)
	}
	d, err := r.detail(ctx, at, t, now)
	if err != nil {
		return Detail{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.shown) >= maxShown {
		clear(r.shown)
	}
	r.shown[at] = answered[Detail]{d, time.Now()}
	return d, nil
}

func (r *TaskReader) detail(ctx context.Context, at onchain.Address, t *brain.TaskAccount, now int64) (Detail, error) {
	all, _, err := r.from.Chain.Accounts(ctx, t.Parties.Class)
	if err != nil {
		return Detail{}, err
	}
	if all[0] == nil || all[0].Owner != r.prog.ID() {
		return Detail{}, fmt.Errorf("brainview: the task %s has no class", at)
	}
	account, err := brain.DecodeClass(all[0].Data)
	if err != nil {
		return Detail{}, err
	}
	ctx, stop := context.WithTimeout(ctx, cmp.Or(r.from.Patience, patience))
	defer stop()
	class, asked := named{ClassAccount: account}, 0
	results := r.results(ctx, t, &class, nil)
	told := r.words(ctx, at, t, &asked, true)
	nodes := finding.Nodes(string(told.Metadata))
	if !class.has && len(nodes) > 0 {
		results = r.results(ctx, t, &class, nodes)
	}
	if class.has {
		nodes = class.of.Memory
	}
	p := account.Parameters
	d := Detail{
		Outline: summary(at, t), Now: now, About: class.of.About, Meaning: class.of.Meaning, Worded: Worded{class.of.Prose, class.of.Embedding}, Extended: t.Marks.Extended == 1, Golden: exam(t),
		Settled: t.Clock.SettledAt, Contest: Contest{Rejected: int(t.Marks.Rejected)}, PostBond: casefile.Amount(p.OutcomeBond(t.Money.Budget)),
		Pools: Pools{part(t.Money.Budget, p.Shares.WorkerPool), part(t.Money.Budget, p.Shares.EvaluatorPool), part(t.Money.Budget, p.Shares.BonusPool)},
	}
	d.ClassName = class.name
	d.Question, d.Lacks = r.question(ctx, told, nodes)
	if t.Found() {
		d.Outcome = &Conclusion{t.Poster.String(), hex.EncodeToString(t.Finding.Evidence[:]), t.Marks.Posted == brain.ShownInDispute}
	}
	if !t.Dispute.IsZero() {
		d.Opponent, d.Verdict = t.Disputant.String(), verdict(t)
	}
	found := d.assess(t, p, class, results, func(hash [32]byte) []byte { return r.content(ctx, hash, nodes...) })
	d.seat(t, told, results, found)
	d.nodes = nodes
	r.beside(ctx, t, told, &d)
	d.explain(arbiter.Explain(t, p), found)
	d.place(t, class, results)
	return d, nil
}

// The ends of a dispute, as the task shows them.
const (
	InCourt   = "open"
	Upheld    = "upheld" // the disputant's outcome counts
	Refused   = "refused"
	Undecided = "undecided" // no outcome counts
)

// verdict says how the last dispute of a task stands; empty: it was about an earlier outcome than
// the one that is posted or will be. The program counts the rejections of each outcome anew.
func verdict(t *brain.TaskAccount) string {
	switch {
	case t.Status == brain.Disputed:
		return InCourt
	case t.Marks.Posted == brain.CourtUndecided:
		return Undecided
	case t.Upheld():
		return Upheld
	case t.Found() && t.Marks.Rejected > 0:
		return Refused
	}
	return ""
}

// part is a share of a budget, as the program computes it.
func part(budget uint64, bps uint16) casefile.Amount {
	return casefile.Amount(budget/whole*uint64(bps) + budget%whole*uint64(bps)/whole)
}

// results gets what the workers handed in, and the class's document: from documents that show an
// outcome, or by their hashes. The memory nodes are asked that the class's document names, and for
// this document those that the task names.
func (r *TaskReader) results(ctx context.Context, t *brain.TaskAccount, class *named, nodes []string) [][]byte {
	if raw := r.content(ctx, class.ID, nodes...); raw != nil {
		class.take(raw)
		nodes = class.of.Memory
	}
	out := make([][]byte, t.Counts.Drawn)
	shown := map[[32]byte][]byte{}
	for _, evidence := range [][32]byte{t.Finding.Evidence, t.Counter.Evidence} {
		report, err := arbiter.ReadShowing(r.content(ctx, evidence, nodes...))
		if err != nil {
			continue
		}
		if sha256.Sum256(report.Class) == class.ID {
			class.take(report.Class)
			r.keep(class.ID, report.Class)
			nodes = class.of.Memory
		}
		for _, p := range report.Results {
			if content := p.Content(); content != nil {
				shown[sha256.Sum256(content)] = content
			}
		}
	}
	for i, w := range t.Work[:t.Counts.Drawn] {
		if w.State != revealed {
			continue
		}
		if out[i] = shown[w.ResultHash]; out[i] == nil {
			out[i] = r.content(ctx, w.ResultHash, nodes...)
		}
	}
	return out
}

// assess finds the outcome from the results, if all are here, and says whether the posted one is
// this one.
func (d *Detail) assess(t *brain.TaskAccount, p brain.Parameters, class named, results [][]byte, get func(hash [32]byte) []byte) *finding.Assessment {
	if !class.has || t.Status < brain.AwaitOutcome {
		return nil
	}
	for i, w := range t.Work[:t.Counts.Drawn] {
		if w.State == revealed && results[i] == nil {
			return nil
		}
	}
	found, err := arbiter.Assess(t, p, class.of, results, nil)
	if err == nil && found.Open {
		documents, all := opinions(t, get)
		if !all {
			return nil
		}
		found, err = arbiter.Assess(t, p, class.of, results, documents)
	}
	if err != nil {
		return nil
	}
	if t.Found() {
		same := arbiter.Same(arbiter.Conclusion(found, [32]byte{}), t.Finding)
		d.Agrees = &same
	}
	return &found
}

// seat fills in the seats.
func (d *Detail) seat(t *brain.TaskAccount, told brain.Told, results [][]byte, found *finding.Assessment) {
	states := seatStates()
	facts := t.Finding
	if !t.Found() && found != nil {
		facts = arbiter.Conclusion(*found, [32]byte{})
	}
	for i, w := range t.Work[:t.Counts.Drawn] {
		p := WorkPlace{
			Worker: w.Agent.String(), State: states[w.State&3], Committed: w.CommittedAt, Inside: w.Inside == 1, Score: int(w.Score),
			Paid: casefile.Amount(w.Paid), Slashed: casefile.Amount(w.Slashed),
		}
		if w.State == revealed {
			d.Submitted++
			p.Hash, p.Summary = hex.EncodeToString(w.ResultHash[:]), told.Results[i].Summary
			if canon.Exact(results[i], finding.MaxResult) == nil {
				p.Result = results[i]
			}
			if t.Found() || found != nil {
				f := facts.Facts[i]
				p.Facts, p.Complete, p.Cluster, p.CopyOf, p.LowEffort = true, int(f.Complete), int(f.Cluster), int(f.CopyOf), f.LowEffort == 1
			}
		}
		sum := 0
		for _, e := range t.Judges[:t.Counts.Seated] {
			if said := e.Said[i]; i < e.Spoken(brain.MaxSeats) && said.Score != brain.Silent {
				p.Rated++
				sum += 100 * int(said.Score)
			}
		}
		if p.Rated > 0 {
			p.Mean = sum / p.Rated
		}
		d.Seats = append(d.Seats, p)
	}
	for i, e := range t.Judges[:t.Counts.Seated] {
		s := ScoreSeat{
			Evaluator: e.Agent.String(), State: states[e.State&3], Reputation: int(e.Reputation), Asked: int(e.Asked), Says: []Remark{}, Stamped: facts.Rubber[i] == 1,
			Rationale: string(told.Evaluations[i].Metadata), Paid: casefile.Amount(e.Paid), Slashed: casefile.Amount(e.Slashed),
		}
		for w := range int(t.Counts.Drawn) {
			if e.State == revealed || t.Asked(i, w) || e.Asked > 0 && e.Said[w].Confidence > 0 {
				s.Final = append(s.Final, w+1)
			}
		}
		if n := e.Spoken(int(t.Counts.Drawn)); n > 0 {
			d.Evaluated++
			s.Hash = hex.EncodeToString(e.EvaluationHash[:])
			for n, said := range e.Said[:n] { // what its document says of it is looked for later
				if said.Score != brain.Silent {
					s.Says = append(s.Says, Remark{n + 1, int(said.Score), int(said.Confidence), finding.Remark{}})
				}
			}
		}
		d.Jury = append(d.Jury, s)
	}
}

// explain says why each seat of a settled task got what it got. Of a result in no cluster it says
// more, if this node finds the outcome.
func (d *Detail) explain(why arbiter.Reasons, found *finding.Assessment) {
	d.Why = why.Task
	for i := range d.Seats {
		w := &d.Seats[i]
		w.Why = why.Workers[i]
		if w.Why != "" && found != nil && d.Agrees != nil && *d.Agrees && w.State == "revealed" && w.Cluster == 0 && w.CopyOf == 0 {
			w.Why += ": " + found.Facts[i].Why
		}
	}
	for i := range d.Jury {
		d.Jury[i].Why = why.Evaluators[i]
	}
}
