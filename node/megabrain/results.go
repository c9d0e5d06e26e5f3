package megabrain

import (
	"context"
	"errors"
	"fmt"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
)

// HandedIn is what a worker handed in, and what evaluators say of it.
type HandedIn struct {
	Worker  string `json:"worker"`
	State   string `json:"state"`
	Hash    string `json:"hash,omitempty"`
	Text    string `json:"text,omitempty"` // empty if nobody has it
	Lacks   string `json:"lacks,omitempty"`
	Summary string `json:"summary,omitempty"`
	Proof   string `json:"proof,omitempty"`
	Files   []File `json:"attachments,omitempty"`
	Says    []Says `json:"evaluations,omitempty"`
	Unread  string `json:"unread,omitempty"` // why summary, proof and attachments may be missing
}

// File is an attachment. Content and the path of its copy in the home are empty if it was not asked
// for, or if nobody has it.
type File struct {
	finding.Attachment
	Content []byte `json:"-"`
	Path    string `json:"-"`
	Lacks   string `json:"lacks,omitempty"`
}

// Says is what an evaluator says of a result.
type Says struct {
	Evaluator  string `json:"evaluator"`
	Score      int    `json:"score"`
	Confidence int    `json:"confidence"`
	finding.Remark
}

// Results gets what the workers of a task handed in, with proofs, attachments and what evaluators
// said, as far as it is revealed and anybody has it. Attachments are asked for if they say that
// they have at most so many bytes.
func (d *Desk) Results(ctx context.Context, at onchain.Address, most int) ([]HandedIn, error) {
	s, err := d.Task(ctx, at)
	if err != nil {
		return nil, err
	}
	store, err := storeFor(ctx, d, s)
	if err != nil {
		return nil, err
	}
	told, unread := heard(ctx, d, s)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var out []HandedIn
	for i, w := range s.Task.Work[:s.Task.Counts.Drawn] {
		h := HandedIn{Worker: w.Agent.String(), State: []string{"drawn", "committed", "revealed", "absent"}[w.State&3]}
		if w.State == seatRevealed {
			h.Hash, h.Summary, h.Unread = fmt.Sprintf("%x", w.ResultHash), told.Results[i].Summary, unread
			content, lacks, err := store.want(ctx, w.ResultHash)
			if err != nil {
				return nil, err
			}
			h.Text, h.Lacks = string(content), lacks
			if h.Proof, h.Files, err = store.files(ctx, told.Results[i].Proof, most); err != nil {
				return nil, err
			}
		}
		out = append(out, h)
	}
	for _, e := range s.Task.Judges[:s.Task.Counts.Seated] {
		n := e.Spoken(int(s.Task.Counts.Drawn))
		if n == 0 {
			continue
		}
		raw, _, err := store.want(ctx, e.EvaluationHash)
		if err != nil {
			return nil, err
		}
		remarks := finding.ReadRemarks(raw)
		for i := range n {
			if e.Said[i].Score != brain.Silent {
				out[i].Says = append(out[i].Says, Says{e.Agent.String(), int(e.Said[i].Score), int(e.Said[i].Confidence), remarks[out[i].Worker]})
			}
		}
	}
	return out, nil
}

// heard is what stands in the transactions of a task, and why something of it may be missing.
func heard(ctx context.Context, d *Desk, s Seen) (told brain.Told, unread string) {
	if d.words == nil {
		return told, ""
	}
	all, err := d.words(ctx, s.At)
	for _, raw := range all {
		told.Hear(s.At, s.Task, raw)
	}
	if err != nil {
		unread = err.Error()
	}
	return told, unread
}

// want gets content, or says why it is not here. The error is that of the disk, or of ctx.
func (s Folder) want(ctx context.Context, hash [32]byte) (content []byte, lacks string, err error) {
	content, err = s.Get(ctx, hash)
	if errors.Is(err, errNoContent) || errors.Is(err, ErrTooLarge) {
		return nil, err.Error(), nil
	}
	return content, "", err
}

// files gets the attachments whose list a proof is the hash of. Another proof is a text.
func (s Folder) files(ctx context.Context, proof []byte, most int) (text string, out []File, err error) {
	if len(proof) == 0 {
		return "", nil, nil
	}
	if len(proof) == len([32]byte{}) {
		list, _, err := s.want(ctx, [32]byte(proof))
		if err != nil {
			return "", nil, err
		}
		for _, a := range finding.ReadAttachments(list) {
			f := File{Attachment: a}
			if out = append(out, f); a.Bytes > most {
				continue
			}
			f.Content, f.Lacks, err = s.want(ctx, a.Hash())
			if err != nil {
				return "", nil, err
			}
			if f.Lacks == "" {
				f.Path = s.path(a.Hash())
			}
			out[len(out)-1] = f
		}
	}
	if out == nil {
		text = finding.Proof(proof)
	}
	return text, out, nil
}
