package record

import (
	"encoding/json"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/voting"
)

// dataStore keeps one value for each round on disk.
type dataStore interface {
	Data(task voting.Key, round uint8) ([]byte, error)
	PutData(task voting.Key, round uint8, raw []byte) error
}

// RoundData keeps the questions and answers of this node's judge in each round.
type RoundData struct {
	Store dataStore
	Blobs blobs
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
		if err := r.Blobs.Pin(task, hashes...); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(answers)
	if err != nil {
		return fmt.Errorf("record: data of round %d: %w", round, err)
	}
	return r.Store.PutData(task, round, raw)
}

// Load returns the answers that Keep stored first; none if there were none.
func (r RoundData) Load(task voting.Key, round uint8) ([]casefile.DataBody, error) {
	raw, err := r.Store.Data(task, round)
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
	answers, err := w.Data.Load(c.task, round)
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
	if look.SeatOf(w.Judge) < 0 || look.Live() && !look.CommitsOver(w.Clock()) {
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
	raw, err := w.Blobs.Blob(voting.Hash(vote.OpinionHash))
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
	answers, err := w.Data.Load(c.task, vote.Round)
	if err != nil {
		return err
	}
	papers := casefile.TaskTerms{
		TaskHash: casefile.Digest(terms.TaskHash), ResultHash: casefile.Digest(terms.ResultHash),
		ObjectionHash: casefile.Digest(terms.ObjectionHash), CounterHash: casefile.Digest(terms.CounterHash),
	}
	found, err := casefile.Injections(opinion.Value, papers, Receipts(answers))
	if err != nil || len(found) == 0 {
		return err
	}
	return w.append(c, casefile.KindInjection, casefile.InjectionBody{Round: vote.Round, Findings: found})
}
