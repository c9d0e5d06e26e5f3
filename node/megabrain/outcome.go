package megabrain

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/ledger/brain"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/megabrain/arbiter"
	"ojud/megabrain/finding"
	"ojud/node/client"
	"ojud/node/library"
	"ojud/voting"
)

// Found is the outcome of a task as this machine finds it.
type Found struct {
	Task    string             `json:"task"`
	Status  string             `json:"status"`
	Workers []string           `json:"workers"`
	Judges  []string           `json:"evaluators"`
	Finding finding.Assessment `json:"finding"`
	Posted  bool               `json:"posted"` // somebody posted an outcome
	Agrees  bool               `json:"agrees"` // and it is this one

	seen   Seen
	class  *brain.ClassAccount
	report arbiter.Showing
	absent []int // results that nobody has
}

// Gaps says what is done about results that nobody has: the default refuses to find an outcome.
type Gaps bool

// NoEffort takes a result that nobody has for no effort.
const NoEffort Gaps = true

// outcome is the one to post. In the last third of the time for that, a result that no memory node
// has is no effort, if g says so, or if an outcome without it is worth posting. Before, the result
// may come yet.
func (d *Desk) outcome(ctx context.Context, s Seen, c *brain.ClassAccount, g Gaps) (Found, error) {
	f, missing := d.Find(ctx, s.At, Gaps(false))
	if !errors.Is(missing, errNoContent) || !late(s, c.Parameters) {
		return f, missing
	}
	without, err := d.Find(ctx, s.At, NoEffort)
	if err == nil && g != NoEffort && (!errors.Is(missing, ErrAbsent) || !worthPosting(s.Task, c.Parameters, without, d.self)) {
		return f, missing
	}
	return without, err
}

// late says whether this is the last third of the time to post an outcome, or to dispute it.
func late(s Seen, p brain.Parameters) bool {
	window := p.Times.Reveal
	if s.Task.Status == brain.Posted {
		window = p.Times.Dispute
	}
	return s.Now >= s.Task.Clock.Deadline-int64(window/3)
}

// worthPosting says whether an evaluator gains by posting an outcome without results that may be
// shown in a dispute. The bond is safe if few evaluators saw them. If half of them did, those may
// show them, and win the bond.
func worthPosting(t *brain.TaskAccount, p brain.Parameters, found Found, self onchain.Address) bool {
	if slices.ContainsFunc(found.absent, func(w int) bool { return !arbiter.Unheard(t, w) }) {
		return false
	}
	then, seat := *t, -1
	then.Poster = self
	for i := range then.Judges[:then.Counts.Seated] {
		if then.Judges[i].Agent == self {
			seat = i
		}
	}
	net := func(posted uint8) int64 {
		return arbiter.Net(&then, p, arbiter.Conclusion(found.Finding, [32]byte{}), posted, fmt.Sprintf("e%d", seat))
	}
	return net(brain.PostedByPoster) > net(brain.PostedByNobody)
}

// Find finds the outcome of a task from the results of its workers.
func (d *Desk) Find(ctx context.Context, at onchain.Address, g Gaps) (Found, error) {
	s, err := d.Task(ctx, at)
	if err != nil {
		return Found{}, err
	}
	if s.Task.Status < brain.AwaitOutcome {
		return Found{}, fmt.Errorf("megabrain: the task is at %q; there is an outcome when evaluators revealed their scores", s.Task.Status)
	}
	c, err := d.Class(ctx, s.Task.Parties.Class)
	if err != nil {
		return Found{}, err
	}
	store, err := storeOf(ctx, d, c, s)
	if err != nil {
		return Found{}, err
	}
	// Later, nodes that answer their friends alone would keep all others from the outcome.
	store.Late = late(s, c.Parameters)
	class, document, err := documentOf(ctx, store, c)
	if err != nil {
		return Found{}, err
	}
	f := Found{Task: at.String(), Status: s.Task.Status.String(), seen: s, class: c, report: arbiter.Showing{
		Form: arbiter.Form, Program: d.prog.ID().String(), Task: at.String(), Class: document,
	}}
	results := make([][]byte, s.Task.Counts.Drawn)
	for i, w := range s.Task.Work[:s.Task.Counts.Drawn] {
		if w.State == seatRevealed {
			content, err := store.Get(ctx, w.ResultHash)
			if errors.Is(err, errNoContent) {
				if shown := store.shown(ctx, s.Task, w.ResultHash); shown != nil {
					content, err = shown, nil
				}
			}
			if err != nil && !errors.Is(err, ErrTooLarge) && (g != NoEffort || !errors.Is(err, errNoContent)) {
				err = fmt.Errorf("megabrain: the result of worker %d, %s: %w", i+1, w.Agent, err)
				if errors.Is(err, errNoContent) {
					err = fmt.Errorf("%w; if nobody shows it, it is no effort for the court, too: --missing-is-no-effort", err)
				}
				return Found{}, err
			}
			if results[i] = content; errors.Is(err, errNoContent) {
				f.absent = append(f.absent, i)
			}
		}
		f.Workers = append(f.Workers, w.Agent.String())
		f.report.Results = append(f.report.Results, arbiter.Show(w.Agent, results[i]))
	}
	for _, e := range s.Task.Judges[:s.Task.Counts.Seated] {
		f.Judges = append(f.Judges, e.Agent.String())
	}
	if f.Finding, err = arbiter.Assess(s.Task, c.Parameters, class, results, nil); err != nil {
		return Found{}, err
	}
	if f.Finding.Open {
		documents, err := store.opinions(ctx, s.Task, bool(g))
		if err != nil {
			return Found{}, err
		}
		for i, raw := range documents {
			if raw != nil {
				f.report.Heard = append(f.report.Heard, i+1)
			}
		}
		if f.Finding, err = arbiter.Assess(s.Task, c.Parameters, class, results, documents); err != nil {
			return Found{}, err
		}
	}
	f.Posted = s.Task.Found()
	f.Agrees = f.Posted && arbiter.Same(arbiter.Conclusion(f.Finding, [32]byte{}), s.Task.Finding)
	return f, nil
}

// shown looks for a result in the documents by which outcomes of the task were found. Nil: it is
// not there.
func (s Folder) shown(ctx context.Context, t *brain.TaskAccount, hash [32]byte) []byte {
	for _, evidence := range [][32]byte{t.Finding.Evidence, t.Counter.Evidence} {
		raw, err := s.Get(ctx, evidence)
		if err != nil {
			continue
		}
		r, err := arbiter.ReadShowing(raw)
		if err != nil {
			continue
		}
		for _, p := range r.Results {
			if content := p.Content(); sha256.Sum256(content) == hash {
				return content
			}
		}
	}
	return nil
}

// Instead replaces what code found by what somebody says.
func (f *Found) Instead(by finding.Assessment) error {
	if len(by.Facts) != len(f.Finding.Facts) || len(by.Stamped) != len(f.Finding.Stamped) {
		return fmt.Errorf("megabrain: the outcome has %d facts and %d stamped; the task has %d workers and %d evaluators",
			len(by.Facts), len(by.Stamped), len(f.Finding.Facts), len(f.Finding.Stamped))
	}
	for i, x := range by.Facts {
		if x.Complete < 0 || x.Complete > whole || x.Cluster < 0 || x.Cluster > i+1 || x.CopyOf < 0 || x.CopyOf > len(by.Facts) {
			return fmt.Errorf("megabrain: facts[%d] has a number out of its range: complete is 0 to %d, cluster 0 to %d, copy_of 0 to %d", i, whole, i+1, len(by.Facts))
		}
	}
	f.Finding = by
	return nil
}

// shownAs is the outcome as the program has it, with the document that shows it, which is kept.
func (d *Desk) shownAs(f *Found) (brain.Conclusion, []byte, error) {
	f.report.Assessment = f.Finding
	content, err := f.report.Encode()
	if err != nil {
		return brain.Conclusion{}, nil, err
	}
	hash, err := d.store.Keep(content)
	return arbiter.Conclusion(f.Finding, hash), content, err
}

// PostedBy is an outcome that was posted.
type PostedBy struct {
	client.Sent
	Outcome  Found           `json:"outcome"`
	Bond     client.Lamports `json:"bond"`
	Evidence string          `json:"evidence"` // SHA-256 of the document that shows it
}

// Post posts an outcome with the bond of the class. The client is an evaluator that revealed.
func (d *Desk) Post(ctx context.Context, f Found) (PostedBy, error) {
	if d.self.IsZero() {
		return PostedBy{}, errNoKey
	}
	t := f.seen.Task
	own, err := d.seat(t)
	switch {
	case err != nil:
		return PostedBy{}, err
	case own.judge == nil || own.judge.State != seatRevealed:
		return PostedBy{}, fmt.Errorf("megabrain: an evaluator that revealed posts the outcome, and %s is none", d.self)
	case t.Marks.Posted == 1 && t.Poster != d.self:
		return PostedBy{}, fmt.Errorf("megabrain: %s posted an outcome; if it is wrong: ojud brain dispute %s", t.Poster, f.Task)
	}
	c, content, err := d.shownAs(&f)
	if err != nil {
		return PostedBy{}, err
	}
	store, err := storeOf(ctx, d, f.class, f.seen)
	if err == nil {
		err = store.giveOwn(ctx, content)
	}
	if err != nil {
		return PostedBy{}, err
	}
	at, bond := f.seen.At, f.class.Parameters.OutcomeBond(t.Money.Budget)
	sent, err := d.send(ctx, order{
		name: "post the outcome", pays: bond,
		calls: []onchain.Instruction{d.prog.PostOutcome(d.self, t.Parties.Class, at, c.Outcome(int(t.Counts.Drawn), int(t.Counts.Seated)))},
		done: func(ctx context.Context) (bool, error) {
			s, err := d.Task(ctx, at)
			return err == nil && s.Task.Marks.Posted == 1 && s.Task.Poster == d.self && s.Task.Finding == c, err
		},
	})
	if err == nil { // nodes of strangers keep nobody from posting
		err = store.giveNamed(ctx, content)
	}
	return PostedBy{sent, f, client.Lamports(bond), fmt.Sprintf("%x", c.Evidence)}, err
}

// Disputed is an outcome that was brought to the court.
type Disputed struct {
	client.Sent
	Outcome   Found                 `json:"outcome"`
	Dispute   string                `json:"dispute"` // address in the court
	Stake     client.Lamports       `json:"stake"`
	Published []library.Publication `json:"published,omitempty"`
}

// Costs are the stake and the judges' fee of a dispute about the posted outcome. The stake comes
// back if the court accepts the disputant's outcome, with the poster's bond unless the results were
// withheld ([arbiter.Withheld]).
func (d *Desk) Costs(ctx context.Context, f Found) (stake, fee client.Lamports, err error) {
	rules, err := law.Read(ctx, d.office)
	if err != nil {
		return 0, 0, err
	}
	s, judges, err := d.costs(ctx, f, rules.Now.Params)
	return client.Lamports(s), client.Lamports(judges), err
}

func (d *Desk) costs(ctx context.Context, f Found, p program.Params) (stake, fee uint64, err error) {
	cover, err := law.CoverOf(ctx, d.office, p)
	if err != nil {
		return 0, 0, err
	}
	t := f.seen.Task
	fee, err = p.DisputeFee(asked(t.Money.Budget, cover, p), p.PanelSeats)
	return f.class.Parameters.DisputeStake(t.Marks.Rejected, t.Money.Budget), fee, err
}

// asked is the amount that the program asks the court about: the budget, within what the court
// takes.
func asked(budget uint64, cover law.Cover, p program.Params) uint64 {
	if cover.Limited {
		budget = min(budget, cover.Most)
	}
	return max(budget, p.MinReward)
}

// Dispute brings another outcome than the posted one to the court, with a stake, and pays the
// judges. The stake is the bond of the outcome, and twice as much after each dispute that the court
// rejected. A second run publishes its documents again.
func (d *Desk) Dispute(ctx context.Context, f Found, rationale string) (Disputed, error) {
	t, at := f.seen.Task, f.seen.At
	c, content, err := d.shownAs(&f)
	if err != nil {
		return Disputed{}, err
	}
	again := t.Status == brain.Disputed && t.Disputant == d.self && t.Counter == c
	switch {
	case d.self.IsZero():
		return Disputed{}, errNoKey
	case t.Status != brain.Posted && !again:
		return Disputed{}, fmt.Errorf("megabrain: the task is at %q; an outcome is disputed while it is at %q", t.Status, brain.Posted)
	case t.Poster == d.self:
		return Disputed{}, errors.New("megabrain: this key posted the outcome, and cannot dispute it")
	case arbiter.Same(c, t.Finding):
		return Disputed{}, errors.New("megabrain: the posted outcome is what this machine finds, too; there is nothing to dispute")
	}
	rules, err := rulesOf(ctx, d)
	if err != nil {
		return Disputed{}, err
	}
	court := d.office.Program()
	terms, err := brain.DisputeTerms(at, t, c)
	if err != nil {
		return Disputed{}, err
	}
	hash := casefile.HashOf(terms)
	where := program.DisputeAddress(court, d.self, t.Poster, hash)
	stake, fee, err := d.costs(ctx, f, rules.Now.Params)
	if err != nil {
		return Disputed{}, err
	}
	sent, err := d.send(ctx, order{
		name: "dispute the outcome", pays: stake + fee,
		calls: []onchain.Instruction{d.prog.DisputeResult(d.self, t.Parties.Class, at, judiciary(court, rules, where), brain.DisputeResult{
			DisputedWorker: t.Work[differs(c, t)].Agent, Outcome: c.Outcome(int(t.Counts.Drawn), int(t.Counts.Seated)),
			Rationale: rationale, ArbitrationStake: stake,
		})},
		done: func(ctx context.Context) (bool, error) {
			s, err := d.Task(ctx, at)
			return err == nil && s.Task.Dispute == where, err
		},
	})
	out := Disputed{Sent: sent, Outcome: f, Dispute: where.String(), Stake: client.Lamports(stake)}
	if err != nil {
		return out, err
	}
	out.Published, err = d.publish(ctx, where, document(terms, hash), document(content, c.Evidence), filled(program.Unanswered()), filled(program.Unreplied()))
	return out, err
}

// rulesOf are those of the court that decides for the program.
func rulesOf(ctx context.Context, d *Desk) (*law.Rules, error) {
	treasury, err := d.treasury(ctx)
	if err != nil {
		return nil, err
	}
	if court := d.office.Program().ID(); treasury.Court != court {
		return nil, fmt.Errorf("megabrain: the court of %s is %s, and --network names %s", d.prog.ID(), treasury.Court, court)
	}
	return law.Read(ctx, d.office)
}

// judiciary are the accounts of the court that a dispute needs.
func judiciary(court program.Program, rules *law.Rules, dispute onchain.Address) brain.CourtAccounts {
	return brain.CourtAccounts{
		Program: court.ID(), Config: court.Config(), Rules: court.Rules(rules.Now.Number), Roster: court.Roster(), Dispute: dispute, Verdict: court.Verdict(dispute),
	}
}

func document(content []byte, hash voting.Hash) library.Document {
	return library.Document{Content: content, Hash: hash}
}

// filled is a document that the court's program fills in.
func filled(content []byte) library.Document { return document(content, casefile.HashOf(content)) }

// differs is the first worker that two outcomes say something else of.
func differs(c brain.Conclusion, t *brain.TaskAccount) int {
	for i := range t.Work[:t.Counts.Drawn] {
		if c.Facts[i] != t.Finding.Facts[i] {
			return i
		}
	}
	return 0
}
