package casetest

import (
	"crypto/ed25519"

	"ojud/casefile"
	"ojud/casefile/reading"
)

// steered adds to the findings of a seat's opinion what its plan has it find.
func (w *World) steered(r *round, i int, findings []casefile.Finding) ([]casefile.Finding, error) {
	if r.acts[i].Strange {
		hash, err := r.data[i].Receipts[0].Hash()
		return append(findings, casefile.Finding{
			Check: "specification/expected[1]", Outcome: casefile.Fail, Detail: "by strangers", Evidence: []string{"receipt:" + casefile.Digest(hash).String()},
		}), err
	}
	if !r.acts[i].Finds {
		return findings, nil
	}
	findings = append(findings, casefile.Finding{
		Check: casefile.InjectionClass + "instructions", Outcome: casefile.Fail, Detail: "the result speaks to its reader", Evidence: []string{"result:"},
	})
	if r.data[i] == nil || len(r.data[i].Receipts) == 0 {
		return findings, nil
	}
	hash, err := r.data[i].Receipts[0].Hash()
	return append(findings, casefile.Finding{
		Check: casefile.InjectionClass + "data", Outcome: casefile.Fail, Detail: "the answer speaks to its reader",
		Evidence: []string{"receipt:" + casefile.Digest(hash).String()},
	}), err
}

// testifyInjections records the findings of a seat, before its vote.
func (w *World) testifyInjections(r *round, i int, key ed25519.PrivateKey) error {
	if !r.acts[i].Finds {
		return nil
	}
	raw, err := w.Store.Blob(r.openings[i].Opinion)
	if err != nil {
		return err
	}
	opinion, err := casefile.ParseOpinion(raw)
	if err != nil {
		return err
	}
	var receipts []casefile.Receipt
	if r.data[i] != nil {
		receipts = r.data[i].Receipts
	}
	body := casefile.InjectionBody{Round: r.number}
	if body.Findings, err = reading.Injections(opinion.Value, w.terms, receipts); err != nil {
		return err
	}
	apply(w.script.Forge.Finding, &body)
	_, err = w.Log.Append(key, casefile.KindInjection, body, w.now)
	return err
}
