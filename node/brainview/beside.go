package brainview

import (
	"context"
	"errors"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
)

// beside fills in what workers and evaluators say beside results and scores, as far as it is here:
// proofs, lists of attachments, rationales and corrections. Of an evaluator that was asked again,
// the chain has the hash of its last document alone.
func (r *TaskReader) beside(ctx context.Context, t *brain.TaskAccount, told brain.Told, d *Detail) {
	for i, w := range t.Work[:t.Counts.Drawn] {
		proof := told.Results[i].Proof
		if w.State != revealed || len(proof) == 0 {
			continue
		}
		if len(proof) == len([32]byte{}) {
			d.Seats[i].Files = finding.ReadAttachments(r.content(ctx, [32]byte(proof), d.nodes...))
		}
		if d.Seats[i].Files == nil {
			d.Seats[i].Proof = finding.Proof(proof)
		}
	}
	for i, e := range t.Judges[:t.Counts.Seated] {
		if len(d.Jury[i].Says) == 0 {
			continue
		}
		remarks := finding.ReadRemarks(r.content(ctx, e.EvaluationHash, d.nodes...))
		for n := range d.Jury[i].Says {
			it := &d.Jury[i].Says[n]
			it.Remark = remarks[d.Seats[it.Worker-1].Worker]
		}
	}
}

// ErrNoFile means that no result of a task has such an attachment, or that nobody has it.
var ErrNoFile = errors.New("no result of the task has this attachment, or nobody has it now")

// File returns an attachment of a task by its hash.
func (r *TaskReader) File(ctx context.Context, at onchain.Address, hash [32]byte) ([]byte, finding.Attachment, error) {
	d, err := r.Task(ctx, at)
	if err != nil {
		return nil, finding.Attachment{}, err
	}
	for _, s := range d.Seats {
		for _, f := range s.Files {
			if f.Hash() != hash {
				continue
			}
			if raw := r.content(ctx, hash, d.nodes...); len(raw) == f.Bytes {
				return raw, f, nil
			}
		}
	}
	return nil, finding.Attachment{}, ErrNoFile
}

// opinions are the documents of the evaluators that revealed, and whether all of them are here.
func opinions(t *brain.TaskAccount, get func(hash [32]byte) []byte) (out [][]byte, all bool) {
	out = make([][]byte, t.Counts.Seated)
	for i, e := range t.Judges[:t.Counts.Seated] {
		if e.State != revealed {
			continue
		}
		if out[i] = get(e.EvaluationHash); out[i] == nil {
			return nil, false
		}
	}
	return out, true
}

// Worded says how the texts of results are compared.
type Worded struct {
	Prose     []string           `json:"prose,omitempty"`     // the fields with texts
	Embedding *finding.Embedding `json:"embedding,omitempty"` // of the class; nil: words are compared
}
