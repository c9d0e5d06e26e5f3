package record

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/node/why"
	"ojud/voting"
)

// Why explains what happened to a judge in a case. It uses the local record, the chain, and, for
// this node's own judge, the node's audit trail. A zero judge is this node's own.
func (r *Reader) Why(task, judge voting.Key) (why.Explanation, error) {
	f := why.Facts{
		Case: casefile.Address(task), Judge: casefile.Address(judge), Source: "the case file as this node has it", Now: r.Clock(),
	}
	self := judge.IsZero() || judge == r.Judge
	if look, ok := r.Cases.Look(task); ok && look.Status != 0 {
		f.Look = &look
	}
	log, err := r.Log(task)
	if err == nil {
		err = readLog(log, r.Blobs, r.Key, &f)
	}
	if err != nil && !errors.Is(err, casefile.ErrNoCase) {
		return why.Explanation{}, err
	}
	if !self {
		return why.Explain(f), nil
	}
	f.Judge = casefile.Address(r.Judge)
	own, err := r.Own(task)
	f.Own = &own
	return why.Explain(f), err
}

// WhyArchived explains a case from the disk of a node that does not run. The facts are completed
// with the record.
func WhyArchived(d voting.Domain, key ed25519.PrivateKey, task voting.Key, store casefile.Store,
	blobs casefile.Blobs, f why.Facts) (why.Explanation, error) {
	log, err := reading.Archive(d, task, store, blobs)
	if errors.Is(err, casefile.ErrNoCase) {
		return why.Explain(f), nil
	}
	if err == nil {
		err = readLog(log, blobs, key, &f)
	}
	return why.Explain(f), err
}

// WhyFile explains what happened to a judge, from a case file alone. The name of the file is for
// people.
func WhyFile(file []byte, name string, judge voting.Key) (why.Explanation, error) {
	f := why.Facts{Judge: casefile.Address(judge), Source: name, File: name}
	if err := readFile(file, &f); err != nil {
		return why.Explanation{}, err
	}
	f.Case = f.Record.Case
	return why.Explain(f), nil
}

// readLog takes the record from a log. If the case is over, it also checks whether the file that
// could be exported now verifies.
func readLog(log *casefile.Log, blobs casefile.Blobs, key ed25519.PrivateKey, f *why.Facts) error {
	r, err := reading.Log(log, blobs)
	f.Record = &r
	if err != nil || r.Outcome == nil {
		f.Proof, f.Pending = "how the case ended is not in the record", f.Look != nil && f.Look.Status.Over()
		return err
	}
	file, _, err := casefile.Export(log, blobs, verify.Panels(nil), key, r.Outcome.Value.At)
	if err != nil {
		return err
	}
	return readFile(file, f)
}

// readFile takes the record from a file, and notes the first check of the file that failed.
func readFile(file []byte, f *why.Facts) error {
	r, err := reading.File(file)
	if err != nil {
		return err
	}
	report := verify.File(file)
	f.Record, f.Proof, f.Pending = &r, firstFailed(report), report.Pending()
	return nil
}

// firstFailed describes the first check that failed; empty if all passed.
func firstFailed(r verify.Report) string {
	for _, c := range r.Checks {
		if c.State != verify.Passed {
			return fmt.Sprintf("check %s: %s: %s", c.Name, c.Path, c.Detail)
		}
	}
	return ""
}
