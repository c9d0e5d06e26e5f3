package arbiter

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
)

// revealed is the state of a seat that revealed.
const revealed = 2

// Form names the documents that show how an outcome was found.
const Form = "megabrain/outcome/1"

// Showing shows how an outcome was found. An outcome on the chain has its SHA-256 as evidence; in a
// dispute it is the claim. Who has it finds the outcome again, from it and from the chain.
type Showing struct {
	Form    string          `json:"form"`
	Program string          `json:"program"`
	Task    string          `json:"task"`
	Class   json.RawMessage `json:"class"` // the document of the class
	Results []Piece         `json:"results"`
	Heard   []int           `json:"heard,omitempty"` // evaluators, from 1, of whose documents the outcome follows, too
	finding.Assessment
}

// Piece is the result of a worker. If nobody has it, or it is too large to count, neither value nor
// bytes is there.
type Piece struct {
	Worker string          `json:"worker"`
	Value  json.RawMessage `json:"value,omitempty"` // canonical JSON
	Bytes  []byte          `json:"bytes,omitempty"` // what is no canonical JSON
}

// Content is what the worker handed in; nil if nobody has it.
func (s Piece) Content() []byte {
	if s.Value != nil {
		return s.Value
	}
	return s.Bytes
}

// Show puts a result into a report. What is too large to count is left out, and what a report has
// no room for in depth is in bytes. So no result of a stranger makes a report impossible.
func Show(worker onchain.Address, content []byte) Piece {
	s := Piece{Worker: worker.String()}
	switch {
	case len(content) > finding.MaxResult:
	case canon.Exact(slices.Concat([]byte("[[["), content, []byte("]]]")), finding.MaxResult+6) == nil && canon.Exact(content, finding.MaxResult) == nil:
		s.Value = content
	default:
		s.Bytes = content
	}
	return s
}

// Encode is the canonical form.
func (r Showing) Encode() ([]byte, error) {
	var raw bytes.Buffer
	e := json.NewEncoder(&raw)
	e.SetEscapeHTML(false) // escapes are six times as long, and canonical JSON has none
	if err := e.Encode(r); err != nil {
		return nil, err
	}
	content, err := canon.JSON(raw.Bytes(), casefile.MaxDocument)
	if err != nil {
		return nil, fmt.Errorf("arbiter: the results are too large to be shown together: %w", err)
	}
	return content, nil
}

// ReadShowing reads a report that a stranger may have written.
func ReadShowing(raw []byte) (r Showing, err error) {
	if err := canon.Exact(raw, casefile.MaxDocument); err != nil {
		return r, fmt.Errorf("arbiter: the report: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, fmt.Errorf("arbiter: the report is not in its form: %w", err)
	}
	if r.Form != Form || len(r.Results) > brain.MaxSeats || len(r.Facts) > brain.MaxSeats || len(r.Stamped) > brain.MaxSeats || len(r.Heard) > brain.MaxSeats {
		return r, fmt.Errorf("arbiter: this is no report of the form %s", Form)
	}
	return r, nil
}

// Assess finds what there is of a task, from the results of its workers and the documents of its
// evaluators; nil is one that nobody has. Without any documents, nobody says what results mean
// together.
func Assess(t *brain.TaskAccount, p brain.Parameters, class finding.TaskClass, results, documents [][]byte) (finding.Assessment, error) {
	var workers []string
	for _, w := range t.Work[:t.Counts.Drawn] {
		workers = append(workers, w.Agent.String())
	}
	var opinions []finding.Opinion
	for i, raw := range documents {
		if e := t.Judges[i]; raw != nil && e.State == revealed && sha256.Sum256(raw) == e.EvaluationHash {
			opinions = append(opinions, class.ReadOpinion(raw, workers))
		}
	}
	works := make([]finding.Work, t.Counts.Drawn)
	for i, w := range t.Work[:t.Counts.Drawn] {
		works[i] = finding.Work{Content: results[i], There: w.State == revealed, At: w.CommittedAt}
	}
	said := make([][]int, t.Counts.Seated)
	for i, e := range t.Judges[:t.Counts.Seated] {
		if e.State != revealed {
			continue
		}
		for _, r := range e.Said[:t.Counts.Drawn] {
			score := int(r.Score)
			if r.Score == brain.Silent {
				score = finding.Silent
			}
			said[i] = append(said[i], score)
		}
	}
	return class.Assess(works, said, opinions, finding.Scale{Pass: int(p.Shares.Pass), Sigma: int(p.Shares.Sigma), Consensus: int(p.Shares.Consensus)})
}

// Conclusion is a finding as the program has it.
func Conclusion(f finding.Assessment, evidence [32]byte) brain.Conclusion {
	c := brain.Conclusion{Evidence: evidence}
	for i, fact := range f.Facts {
		c.Facts[i] = brain.Fact{Complete: uint16(fact.Complete), Cluster: uint8(fact.Cluster), CopyOf: uint8(fact.CopyOf)}
		if fact.LowEffort {
			c.Facts[i].LowEffort = 1
		}
	}
	for i, stamped := range f.Stamped {
		if stamped {
			c.Rubber[i] = 1
		}
	}
	return c
}

// Same compares outcomes, whatever shows them.
func Same(a, b brain.Conclusion) bool {
	a.Evidence, b.Evidence = [32]byte{}, [32]byte{}
	return a == b
}
