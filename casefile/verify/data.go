package verify

import (
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/voting"
)

// data checks receipts, and votes against them, and notes what a reader should know: contradictions
// between holders, answers that are not in the file, and answers that the asker does not name.
func (v *verifier) data() (int, *fault) {
	asked, f := each[casefile.DataBody](v, v.court().Asked)
	if f != nil {
		return 0, f
	}
	if _, f = each[casefile.ReceiptBody](v, v.court().Answered); f != nil {
		return 0, f
	}
	twofold, f := each[casefile.TwofoldBody](v, v.court().Twofold)
	if f != nil {
		return 0, f
	}
	votes, f := each[casefile.VoteBody](v, v.court().Data)
	if f != nil {
		return 0, f
	}
	v.noteData()
	v.held()
	holders{v}.note()
	holders{v}.accuse()
	return asked + twofold + votes, nil
}

func (v *verifier) noteData() {
	named := map[voting.Hash]bool{}
	for e, b := range bodies[casefile.DataBody](v) {
		path := v.paths[e.Hash] + ".body"
		if len(b.Receipts) == 0 {
			v.report.note(NoteData, path, "no holder answered: the data of %s is missing", b.Source)
		} else if !slices.ContainsFunc(b.Receipts, func(r casefile.Receipt) bool {
			return holders{v}.standing(e.Actor, b.Round, r.Holder) != casefile.Stranger
		}) {
			v.report.note(NoteData, path, "only strangers answered about %s, who decide nothing", b.Source)
		}
		for i, r := range b.Receipts {
			if hash, err := r.Hash(); err == nil {
				named[hash] = true
			}
			if _, ok := v.blob(r.Response); !ok {
				v.report.note(NoteMissing, fmt.Sprintf("%s.receipts[%d].response", path, i), "the answer is not in the file")
			}
			if odd := TermsNote(r, v.bundle.Blob); odd != "" {
				v.report.note(NoteData, fmt.Sprintf("%s.receipts[%d].terms", path, i), "%s", odd)
			}
			if j := slices.IndexFunc(b.Receipts[:i], func(o casefile.Receipt) bool { return contradict(r, o) }); j >= 0 {
				v.report.note(NoteData, fmt.Sprintf("%s.receipts[%d].response", path, i), "%s and %s contradict each other about %s", holders{v}.speaker(e.Actor, b.Receipts[j]), holders{v}.speaker(e.Actor, r), r.Source)
			}
		}
	}
	for e, b := range bodies[casefile.ReceiptBody](v) {
		if hash, err := b.Receipt.Hash(); err == nil && !named[hash] {
			v.report.note(NoteData, v.paths[e.Hash]+".body.receipt", "the judge who asked does not name this answer")
		}
	}
}

// contradict reports whether two receipts are of different answers to one question.
func contradict(r, o casefile.Receipt) bool {
	return r.Source == o.Source && r.Request == o.Request && slices.Equal(r.Access, o.Access) && r.Response != o.Response
}

// TermsNote compares a receipt with the terms that it names, and describes a difference. The signer
// of the receipt and the judge that names it agreed on them, so a difference is theirs to explain.
// It does not weaken the testimony of others.
func TermsNote(r casefile.Receipt, blob func(casefile.Digest) ([]byte, error)) string {
	raw, err := blob(r.Terms)
	if err != nil {
		return "the agreed terms are not in the file"
	}
	terms, err := casefile.ParseAgreed(raw)
	if err != nil {
		return "the agreed terms cannot be read: " + err.Error()
	}
	if field := terms.Differs(r); field != "" {
		return "the agreed terms differ in " + field + " from the receipt"
	}
	return ""
}
