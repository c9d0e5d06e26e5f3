package megabrain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"ojud/casefile/canon"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/client"
)

// The bounds of the program.
const (
	maxSummaryRunes = 500
	maxSummary      = 700
	maxProof        = 200
	maxMetadata     = 400
)

// Spoken is what a seat committed to or revealed.
type Spoken struct {
	client.Sent
	Task string `json:"task"`
	Did  string `json:"did"`
	Hash string `json:"hash"` // of the result or the evaluation
}

// seat is the client's part in a task: one of both, or neither.
type seat struct {
	work  *brain.WorkSeat
	judge *brain.Evaluator
}

func (d *Desk) seat(t *brain.TaskAccount) (s seat, err error) {
	for i := range t.Work[:t.Counts.Drawn] {
		if t.Work[i].Agent == d.self {
			s.work = &t.Work[i]
		}
	}
	for i := range t.Judges[:t.Counts.Seated] {
		if t.Judges[i].Agent == d.self {
			s.judge = &t.Judges[i]
		}
	}
	if s.work == nil && s.judge == nil {
		return s, fmt.Errorf("megabrain: %s was not drawn for this task", d.self)
	}
	return s, nil
}

// The states of a seat.
const (
	seatDrawn     = 0
	seatCommitted = 1
	seatRevealed  = 2
)

// said is the state of the client's seat, and what it committed to.
func (s seat) said() (state uint8, commitment [32]byte) {
	if s.work != nil {
		return s.work.State, s.work.Commitment
	}
	return s.judge.State, s.judge.Commitment
}

// Commit commits a worker to its result, in canonical JSON. What opens the commitment is on the
// device before it is sent. The result stays on this machine until it is revealed.
func (d *Desk) Commit(ctx context.Context, at onchain.Address, result []byte, summary string, proof []byte) (Spoken, error) {
	content, err := canon.JSON(result, finding.MaxResult)
	if errors.Is(err, canon.ErrTooLarge) {
		err = bound(result)
	}
	switch {
	case err != nil:
		return Spoken{}, fmt.Errorf("megabrain: the result: %w", err)
	case !utf8.ValidString(summary) || utf8.RuneCountInString(summary) > maxSummaryRunes || len(summary) > maxSummary:
		return Spoken{}, fmt.Errorf("megabrain: the summary has %d characters and %d bytes; it has at most %d and %d: shorten it", utf8.RuneCountInString(summary), len(summary), maxSummaryRunes, maxSummary)
	case len(proof) > maxProof:
		return Spoken{}, fmt.Errorf("megabrain: the proof has %d bytes; it has at most %d: give the hash of a longer one", len(proof), maxProof)
	}
	hash, err := d.store.Keep(content)
	if err != nil {
		return Spoken{}, err
	}
	return d.commit(ctx, at, secret{Result: &brain.SubmitResult{ResultHash: hash, Summary: summary, Proof: proof}})
}

// Score is what an evaluator says of the result of a worker.
type Score struct {
	Worker     string `json:"worker"`
	Score      int    `json:"score"`
	Confidence int    `json:"confidence"`
	Why        string `json:"why,omitempty"`

	Corrections []json.RawMessage `json:"corrections,omitempty"` // specific issues, each any JSON
}

// Evaluate commits an evaluator to its scores. The document with its reasons is kept.
func (d *Desk) Evaluate(ctx context.Context, at onchain.Address, scores []Score, document []byte, metadata string) (Spoken, error) {
	s, err := d.Task(ctx, at)
	if err != nil {
		return Spoken{}, err
	}
	if len(metadata) > maxMetadata {
		return Spoken{}, fmt.Errorf("megabrain: the metadata have %d bytes; they have at most %d", len(metadata), maxMetadata)
	}
	pairs := make([]byte, 2*s.Task.Counts.Drawn)
	for i := range s.Task.Counts.Drawn {
		pairs[2*i] = brain.Silent
	}
	for n, one := range scores {
		i := numbered(s.Task, one.Worker)
		switch {
		case i < 0:
			return Spoken{}, fmt.Errorf("megabrain: scores[%d].worker is %.64q, who is no worker of this task", n, one.Worker)
		case s.Task.Work[i].State != seatRevealed:
			return Spoken{}, fmt.Errorf("megabrain: scores[%d].worker is %s, who handed in nothing; leave it out", n, one.Worker)
		case pairs[2*i] != brain.Silent:
			return Spoken{}, fmt.Errorf("megabrain: scores[%d] is the second about %s", n, one.Worker)
		case one.Score < 0 || one.Score > 100:
			return Spoken{}, fmt.Errorf("megabrain: scores[%d].score is %d; it is 0 to 100", n, one.Score)
		case one.Confidence < 0 || one.Confidence > 100:
			return Spoken{}, fmt.Errorf("megabrain: scores[%d].confidence is %d; it is 0 to 100", n, one.Confidence)
		}
		pairs[2*i], pairs[2*i+1] = byte(one.Score), byte(one.Confidence)
	}
	content, err := canon.JSON(document, MaxKept)
	if err != nil {
		return Spoken{}, fmt.Errorf("megabrain: the evaluation: %w", err)
	}
	if err := checkSays(ctx, d, s, content); err != nil {
		return Spoken{}, err
	}
	hash, err := d.store.Keep(content)
	if err != nil {
		return Spoken{}, err
	}
	return d.commit(ctx, at, secret{Evaluation: &brain.SubmitEvaluation{Scores: pairs, EvaluationHash: hash, Metadata: []byte(metadata)}})
}

// numbered is the place of a worker in a task, or -1.
func numbered(t *brain.TaskAccount, worker string) int {
	for i := range t.Work[:t.Counts.Drawn] {
		if t.Work[i].Agent.String() == worker {
			return i
		}
	}
	return -1
}

func (d *Desk) commit(ctx context.Context, at onchain.Address, it secret) (Spoken, error) {
	if d.self.IsZero() {
		return Spoken{}, errNoKey
	}
	s, err := d.Task(ctx, at)
	if err != nil {
		return Spoken{}, err
	}
	own, err := d.seat(s.Task)
	if err != nil {
		return Spoken{}, err
	}
	if (own.work == nil) == (it.Result != nil) {
		return Spoken{}, fmt.Errorf("megabrain: workers commit to results, and evaluators to scores; %s sits in the other role", d.self)
	}
	it.Made = s.Task.Clock.CreatedSlot
	if it, err = d.store.hide(at, d.self, it); err != nil {
		return Spoken{}, err
	}
	commitment := it.commitment(at, d.self)
	state, there := own.said()
	var wants brain.Stage
	var hash [32]byte
	var i onchain.Instruction
	if it.Result != nil {
		wants, hash, i = brain.Working, it.Result.ResultHash, d.prog.CommitResult(d.self, s.Task.Parties.Class, at, *it.Result)
	} else {
		wants, hash, i = brain.Evaluating, it.Evaluation.EvaluationHash, d.prog.CommitEvaluation(d.self, s.Task.Parties.Class, at, *it.Evaluation)
	}
	switch {
	case state != seatDrawn && there != commitment:
		return Spoken{}, fmt.Errorf("megabrain: %s committed to something else in this task, and a commitment stays", d.self)
	case state == seatDrawn && s.Task.Status != wants:
		return Spoken{}, fmt.Errorf("megabrain: the task is at %q; one commits while it is at %q", s.Task.Status, wants)
	case state == seatDrawn && s.Now >= s.Task.Clock.Deadline:
		return Spoken{}, fmt.Errorf("megabrain: the time to commit ended %d s ago", s.Now-s.Task.Clock.Deadline)
	}
	sent, err := d.send(ctx, order{name: "commit", calls: []onchain.Instruction{i}, done: func(ctx context.Context) (bool, error) {
		s, err := d.Task(ctx, at)
		if err != nil {
			return false, err
		}
		own, err := d.seat(s.Task)
		if err != nil {
			return false, err
		}
		state, there := own.said()
		return state != seatDrawn && there == commitment, nil
	}})
	return Spoken{sent, at.String(), "committed", fmt.Sprintf("%x", hash)}, err
}

// Reveal reveals what the client's seat committed to: its result or its evaluation. The content
// goes to the memory nodes.
func (d *Desk) Reveal(ctx context.Context, at onchain.Address) (Spoken, error) {
	if d.self.IsZero() {
		return Spoken{}, errNoKey
	}
	s, err := d.Task(ctx, at)
	if err != nil {
		return Spoken{}, err
	}
	own, err := d.seat(s.Task)
	if err != nil {
		return Spoken{}, err
	}
	state, commitment := own.said()
	if state == seatDrawn {
		return Spoken{}, fmt.Errorf("megabrain: %s has not committed in this task", d.self)
	}
	it, err := d.store.reveal(at, d.self, commitment)
	if err != nil {
		return Spoken{}, err
	}
	var hash [32]byte
	wants := brain.Revealing
	var i onchain.Instruction
	if it.Result != nil {
		hash, i = it.Result.ResultHash, d.prog.SubmitResult(d.self, s.Task.Parties.Class, at, *it.Result)
	} else {
		hash, wants, i = it.Evaluation.EvaluationHash, brain.RevealScores, d.prog.SubmitEvaluation(d.self, s.Task.Parties.Class, at, *it.Evaluation)
	}
	switch {
	case state == seatCommitted && s.Task.Status < wants:
		return Spoken{}, fmt.Errorf("megabrain: the task is at %q; one reveals while it is at %q, so that nobody copies", s.Task.Status, wants)
	case state == seatCommitted && (s.Task.Status > wants || s.Now >= s.Task.Clock.Deadline):
		return Spoken{}, errors.New("megabrain: the time to reveal is over")
	}
	sent, err := d.send(ctx, order{name: "reveal", calls: []onchain.Instruction{i}, done: func(ctx context.Context) (bool, error) {
		s, err := d.Task(ctx, at)
		if err != nil {
			return false, err
		}
		own, err := d.seat(s.Task)
		if err != nil {
			return false, err
		}
		state, _ := own.said()
		return state == seatRevealed, nil
	}})
	out := Spoken{sent, at.String(), "revealed", fmt.Sprintf("%x", hash)}
	if err != nil {
		return out, err
	}
	content, err := d.store.Get(ctx, hash)
	if err != nil {
		return out, err
	}
	store, err := storeFor(ctx, d, s)
	if err != nil {
		return out, err
	}
	return out, store.Give(ctx, content)
}
