// Package leaf is the part of a case file that tells of a golden case: what the proctor opened
// after the case, and what that moved (protocol section 10).
//
// A proctor commits to the answer of a golden case by the seal of its task, before anybody judges
// it. So the opened leaf proves itself: its hash is the seal that the facts of the opening name.
// What it moved is the word of the exporter, held to the rules. The caller should compare both with
// the rest of the file; package casefile/verify does.
package leaf

import (
	"encoding/json"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/golden"
	"ojud/voting"
)

// Leaf is the open leaf of a golden case, as far as the rest of its case file does not say it.
type Leaf struct {
	Batch     uint64          `json:"batch"`
	Index     uint32          `json:"index"` // in the batch; the first leaf has 0
	Answer    casefile.Choice `json:"answer"`
	Generator casefile.Digest `json:"generator"`
	Seed      casefile.Digest `json:"seed"`
	Tx        casefile.TxID   `json:"tx"` // opened it
	At        int64           `json:"at"`
	Applied   *Applied        `json:"applied,omitempty"` // nil: no money has moved by it yet
}

// Applied is what the answer moved. Amounts are lamports.
type Applied struct {
	Taken casefile.Amount `json:"taken"` // from the wrong seats
	Paid  casefile.Amount `json:"paid"`  // to the right ones
	Fee   casefile.Amount `json:"fee"`   // of the proctor, from the golden pot
	Tx    casefile.TxID   `json:"tx"`
	At    int64           `json:"at"`
	Seats []Moved         `json:"seats"` // of the deciding round, after an appeal those of both panels
}

// Moved is what the answer cost a seat, or brought it.
type Moved struct {
	Slashed casefile.Amount `json:"slashed"`
	Earned  casefile.Amount `json:"earned"`
}

// maxLeaf bounds the part in a file, in bytes.
const maxLeaf = 16 << 10

// Parse reads the part of a bundle. The error names the field.
func Parse(raw json.RawMessage) (l Leaf, err error) {
	if len(raw) > maxLeaf {
		return l, &casefile.FieldError{Document: "leaf", Problem: fmt.Sprintf("has %d bytes, at most %d", len(raw), maxLeaf)}
	}
	if err := casefile.Fill("leaf", raw, &l, ""); err != nil {
		return l, err
	}
	const _ = uint(3 - voting.Choices) // the answer is a side
	switch answer := voting.Choice(l.Answer); {
	case answer != voting.Accept && answer != voting.Reject:
		return l, &casefile.FieldError{Document: "leaf", Field: "answer", Problem: "is " + answer.String() + "; a golden case is answered by accept or reject"}
	case l.Applied != nil && len(l.Applied.Seats) > 2*voting.MaxSeats:
		return l, &casefile.FieldError{Document: "leaf", Field: "applied.seats", Problem: fmt.Sprintf("has %d seats, at most %d", len(l.Applied.Seats), 2*voting.MaxSeats)}
	}
	return l, nil
}

// Encode writes the part of a bundle.
func (l Leaf) Encode() (json.RawMessage, error) {
	raw, err := json.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("leaf: %w", err)
	}
	return canon.JSON(raw, maxLeaf)
}

// Golden returns the whole leaf of a case with these terms.
func (l Leaf) Golden(of casefile.Address, terms casefile.TaskTerms) golden.Leaf {
	return golden.Leaf{
		Address: voting.Key(of), Task: voting.Hash(terms.TaskHash), Result: voting.Hash(terms.ResultHash),
		Objection: voting.Hash(terms.ObjectionHash), Counter: voting.Hash(terms.CounterHash),
		Answer: voting.Choice(l.Answer), Generator: voting.Hash(l.Generator), Seed: [32]byte(l.Seed),
	}
}
