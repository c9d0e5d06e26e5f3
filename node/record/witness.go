package record

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/node/network"
	"ojud/voting"
)

type learner interface {
	// Learn takes the judge's own opinion of a case that has ended at a time of the chain.
	Learn(ctx context.Context, task casefile.Task, o casefile.Opinion, verdict casefile.Verdict, at int64) error
}

// WitnessDeps are the parts of the node that a Witness needs.
type WitnessDeps struct {
	Domain  voting.Domain
	Judge   voting.Key         // whose seat this node fills
	Key     ed25519.PrivateKey // of this node; it signs the events
	Cases   *Cases
	Chain   chain
	Roster  *network.Roster
	Content fetcher
	Blobs   blobs
	Data    RoundData
	Learner learner
	Clock   clock
	Log     *slog.Logger
}

// Witness appends the statements of this node to its chain of events in a case file. Votes rest on
// its journal. Facts rest on the final history of the chain alone, so that every honest node writes
// the same bytes.
type Witness struct{ d WitnessDeps }

// NewWitness returns a Witness.
func NewWitness(d WitnessDeps) *Witness { return &Witness{d} }

// testifyAll signs the due statements of a case, in order, as far as they are possible now. One
// that is not possible holds no other back.
func (w *Witness) testifyAll(ctx context.Context, c *caseRecord) error {
	read := sync.OnceValues(func() (history, error) { return w.history(ctx, c) })
	var failed []error
	for ctx.Err() == nil {
		c.mu.Lock()
		due := c.todo[len(failed):]
		c.mu.Unlock()
		if len(due) == 0 {
			break
		}
		if err := w.testify(ctx, c, read, due[0]); err != nil {
			failed = append(failed, err)
			continue
		}
		c.mu.Lock()
		c.todo = slices.Concat(c.todo[:len(failed)], c.todo[len(failed)+1:])
		c.mu.Unlock()
	}
	if err := errors.Join(append(failed, ctx.Err())...); err != nil {
		return later(err)
	}
	return nil
}

// isFact reports whether a testimony rests on the final history of the chain.
func isFact(k voting.Testimony) bool {
	return k == voting.TestifyOpen || k == voting.TestifyDraw || k == voting.TestifySettle || k == voting.TestifyOutcome
}

// testify appends one event to this node's chain, unless it is there.
func (w *Witness) testify(ctx context.Context, c *caseRecord, read func() (history, error), e voting.Testify) error {
	kind, judge := casefile.Kind(e.Kind.String()), voting.Key{}
	if e.Kind == voting.TestifyEquivocation {
		judge = e.Evidence.Judge
	}
	if c.log.Has(voting.Key(w.d.Key.Public().(ed25519.PublicKey)), kind, e.Round, judge) {
		return nil
	}
	var h history
	if isFact(e.Kind) {
		var err error
		if h, err = read(); err != nil {
			return err
		}
	}
	body, err := w.testimony(ctx, c, h, e)
	if err != nil {
		return err
	}
	switch err := w.append(c, kind, body); {
	case errors.Is(err, casefile.ErrForked):
		// Other nodes will never accept more of this chain of events. The rest of the file should
		// still be whole.
		w.d.Log.Error("this node's own events in a case contradict each other, so it can say nothing more in it; "+
			"was it started from an old copy of its disk?",
			"case", casefile.Address(c.task), "unsaid", kind, "round", e.Round)
	default:
		return err
	}
	return nil
}

// append signs an event. A repetition of the same event is no error.
func (w *Witness) append(c *caseRecord, kind casefile.Kind, body any) error {
	_, err := c.log.Append(w.d.Key, kind, body, w.d.Clock())
	if errors.Is(err, casefile.ErrRepeated) {
		return nil
	}
	return err
}

// testimony returns the body of an event. It first keeps the content that the body names.
func (w *Witness) testimony(ctx context.Context, c *caseRecord, h history, e voting.Testify) (any, error) {
	switch e.Kind {
	case voting.TestifyCommit:
		return casefile.CommitBody{
			Round: e.Round, Commitment: casefile.Digest(e.Commit.Commitment), Statement: casefile.Signature(e.Commit.Signature),
		}, nil
	case voting.TestifyOpinion:
		return casefile.OpinionBody{Round: e.Round, Opinion: casefile.Digest(e.Opinion)}, nil
	case voting.TestifyVote:
		if err := w.testifyData(c, e.Round); err != nil {
			return nil, err
		}
		v, err := casefile.ParseVote(e.Vote)
		if err == nil {
			err = w.testifyInjections(c, v)
		}
		return casefile.VoteBody{Round: e.Round, Vote: v}, err
	case voting.TestifyEquivocation:
		return equivocation(e.Evidence), nil
	case voting.TestifyOpen:
		doc, err := h.open()
		return casefile.FactBody{Facts: casefile.Digest(doc.Hash)}, w.keep(c.task, doc.Raw, err)
	case voting.TestifyDraw:
		f, err := w.draw(ctx, h, e.Round)
		if errors.Is(err, errNoRoster) {
			f, err = w.adoptDraw(ctx, c, h, e.Round)
		}
		for _, list := range f.lists {
			err = w.keep(c.task, list, err)
		}
		return casefile.RoundFactBody{Round: e.Round, Facts: casefile.Digest(f.hash)}, w.keep(c.task, f.raw, err)
	case voting.TestifySettle:
		doc, err := h.settle(e.Round, c.seated(e.Round))
		return casefile.RoundFactBody{Round: e.Round, Facts: casefile.Digest(doc.Hash)}, w.keep(c.task, doc.Raw, err)
	case voting.TestifyOutcome:
		doc, err := h.outcome()
		if err == nil {
			w.learn(ctx, h)
		}
		return casefile.FactBody{Facts: casefile.Digest(doc.Hash)}, w.keep(c.task, doc.Raw, err)
	}
	return nil, fmt.Errorf("record: testimony %d is not known here", e.Kind)
}

// keep stores a document that an event is about to name. It passes on the error if there is no
// document.
func (w *Witness) keep(task voting.Key, raw []byte, err error) error {
	if err != nil {
		return err
	}
	_, err = w.d.Blobs.KeepOwn(task, raw)
	return err
}

func equivocation(e voting.Evidence) casefile.EquivocationBody {
	statement := func(s voting.Signed) casefile.Statement {
		return casefile.Statement{Commitment: casefile.Digest(s.Commitment), Signature: casefile.Signature(s.Signature)}
	}
	return casefile.EquivocationBody{
		Round: e.Round, Judge: casefile.Address(e.Judge), Peer: casefile.DID(e.Peer), A: statement(e.A), B: statement(e.B),
	}
}

// learn makes the judge remember its own opinions of a case that has ended, if it has a memory. If
// the node ends before the outcome is signed, learn runs again and adds missing lessons. If the
// memory cannot be written, the outcome is signed all the same.
func (w *Witness) learn(ctx context.Context, h history) {
	for _, own := range w.d.Cases.ownOpinions(h.task) {
		if err := w.learnFrom(ctx, h, own); err != nil {
			w.d.Log.Warn("nothing was learned from a case that has ended", "case", casefile.Address(h.task), "err", err, "next", "ojud doctor")
		}
	}
}

func (w *Witness) learnFrom(ctx context.Context, h history, own voting.Hash) error {
	verdict, at, err := h.ended()
	if err != nil {
		return err
	}
	opinion, err := readOpinion(w.d.Blobs, own)
	if err != nil {
		return err
	}
	raw, err := w.d.Blobs.Blob(h.terms.TaskHash)
	if err != nil {
		return fmt.Errorf("record: the task: %w", err)
	}
	task, err := casefile.ParseTask(raw)
	if err != nil {
		return fmt.Errorf("record: the task: %w", err)
	}
	return w.d.Learner.Learn(ctx, task.Value, opinion, casefile.Verdict(verdict), at)
}

func readOpinion(blobs casefile.Blobs, hash voting.Hash) (casefile.Opinion, error) {
	raw, err := blobs.Blob(hash)
	if err != nil {
		return casefile.Opinion{}, fmt.Errorf("record: opinion: %w", err)
	}
	doc, err := casefile.ParseOpinion(raw)
	if err != nil {
		return casefile.Opinion{}, fmt.Errorf("record: opinion: %w", err)
	}
	return doc.Value, nil
}

type dataStore interface {
	Data(task voting.Key, round uint8) ([]byte, error)
	PutData(task voting.Key, round uint8, raw []byte) error
}

// RoundData keeps the questions and answers of this node's judge in each round.
type RoundData struct {
	store dataStore
	blobs blobs
}

// NewRoundData returns the questions and answers in a store, with their content in blobs.
func NewRoundData(store dataStore, blobs blobs) RoundData {
	return RoundData{store: store, blobs: blobs}
}

// Keep stores the answers of a round before this node signs anything that rests on them. The first
// answers of a round count.
func (r RoundData) Keep(task voting.Key, round uint8, answers []casefile.DataBody) error {
	if len(answers) == 0 {
		return nil
	}
	for _, b := range answers {
		hashes := []voting.Hash{voting.Hash(b.Request)}
		for _, receipt := range b.Receipts {
			hashes = append(hashes, voting.Hash(receipt.Response), voting.Hash(receipt.Terms))
		}
		if err := r.blobs.Pin(task, hashes...); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(answers)
	if err != nil {
		return fmt.Errorf("record: data of round %d: %w", round, err)
	}
	return r.store.PutData(task, round, raw)
}

// Load returns the answers that Keep stored first; none if there were none.
func (r RoundData) Load(task voting.Key, round uint8) ([]casefile.DataBody, error) {
	raw, err := r.store.Data(task, round)
	if err != nil || raw == nil {
		return nil, err
	}
	var answers []casefile.DataBody
	if err := json.Unmarshal(raw, &answers); err != nil {
		return nil, fmt.Errorf("record: data of round %d: %w", round, err)
	}
	return answers, nil
}

// Receipts returns the receipts of the answers of a round.
func Receipts(answers []casefile.DataBody) (out []casefile.Receipt) {
	for _, b := range answers {
		out = append(out, b.Receipts...)
	}
	return out
}

// testifyData states the answers that this node got in a round, before the vote that rests on them.
func (w *Witness) testifyData(c *caseRecord, round uint8) error {
	answers, err := w.d.Data.Load(c.task, round)
	if err != nil {
		return err
	}
	for _, body := range answers {
		if err := w.append(c, casefile.KindData, body); err != nil {
			return err
		}
	}
	return nil
}

// testifyReceipts states the answers that this node gave as a holder, if it has a seat in the case.
// It waits until the commits of the round are over.
func (w *Witness) testifyReceipts(c *caseRecord) error {
	c.mu.Lock()
	given, look := c.given, c.look
	c.mu.Unlock()
	if !look.Sat(w.d.Judge) || look.Live() && !look.CommitsOver(w.d.Clock()) {
		return nil
	}
	for _, r := range given {
		err := w.append(c, casefile.KindReceipt, casefile.ReceiptBody{Receipt: r})
		if err != nil && !errors.Is(err, casefile.ErrStranger) {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given = c.given[len(given):]
	return nil
}

// testifyInjections states which passages this judge took for attempts to steer it, before the vote
// that rests on that opinion. If the opinion was lost with its disk, there is nothing to state.
func (w *Witness) testifyInjections(c *caseRecord, vote casefile.Vote) error {
	raw, err := w.d.Blobs.Blob(voting.Hash(vote.OpinionHash))
	if errors.Is(err, casefile.ErrNoBlob) {
		return nil
	}
	if err != nil {
		return err
	}
	opinion, err := casefile.ParseOpinion(raw)
	if err != nil {
		return fmt.Errorf("record: own opinion of round %d: %w", vote.Round, err)
	}
	_, terms := c.snapshot()
	if terms == nil {
		return fmt.Errorf("%w: the task's account was not seen", errNotYet)
	}
	answers, err := w.d.Data.Load(c.task, vote.Round)
	if err != nil {
		return err
	}
	papers := casefile.TaskTerms{
		TaskHash: casefile.Digest(terms.TaskHash), ResultHash: casefile.Digest(terms.ResultHash),
		ObjectionHash: casefile.Digest(terms.ObjectionHash), CounterHash: casefile.Digest(terms.CounterHash),
	}
	found, err := reading.Injections(opinion.Value, papers, Receipts(answers))
	if err != nil || len(found) == 0 {
		return err
	}
	return w.append(c, casefile.KindInjection, casefile.InjectionBody{Round: vote.Round, Findings: found})
}

// testifyTwofold accuses holders with a stake that gave two different answers to one question of
// the case. The receipts stand in the events of several judges, who asked the same holder. A holder
// that another judge accused already is left out, so that a file is not full of the same evidence.
func (w *Witness) testifyTwofold(ctx context.Context, c *caseRecord) error {
	look, _ := c.snapshot()
	events := c.log.Events()
	if !look.Sat(w.d.Judge) || len(events) == c.work.compared {
		return nil
	}
	found := casefile.Twofolds(events)
	if len(found) > 0 {
		staked, err := w.d.Cases.Staked(ctx, c.task, w.d.Roster)
		if err != nil {
			w.d.Log.Debug("not all stakes of the draw are known", "case", casefile.Address(c.task), "err", err)
		}
		for _, body := range found {
			if _, ok := staked[body.A.Holder]; !ok {
				continue
			}
			w.d.Log.Warn("a holder signed two different answers to one question of a case", "case", casefile.Address(c.task),
				"holder", body.A.Holder, "source", body.A.Source)
			if err := w.append(c, casefile.KindTwofold, body); err != nil && !errors.Is(err, casefile.ErrContradicts) {
				return err
			}
		}
	}
	c.work.compared = len(events)
	return nil
}
