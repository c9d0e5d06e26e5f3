package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ojud/casefile/canon"
)

// MaxDocument bounds a document in bytes: 64 chunks, each with two proofs.
const MaxDocument = 1 << 20

// All samples fit: chunks in base64, and 70 bytes for each of at most 31 + 17 hashes of proofs.
const _ = uint(MaxDocument - maxSamples*(2*chunkSize+70*(31+17)+1024))

// Document is a file that anybody verifies offline. One of its members is there.
type Document struct {
	Receipt  *Inclusion `json:"receipt,omitempty"`
	Growth   *Growth    `json:"growth,omitempty"`
	Exposure *Exposure  `json:"exposure,omitempty"`
	Audit    *Trial     `json:"audit,omitempty"`
	Head     *TreeHead  `json:"head,omitempty"`
}

// Growth shows that a log goes on with that of an earlier head.
type Growth struct {
	Old    TreeHead `json:"old"`
	Prefix Prefix   `json:"prefix"`
}

// Shown is what a document proves.
type Shown struct {
	Kind   string  `json:"kind"`
	Node   string  `json:"node"`
	Says   string  `json:"says"`
	Counts *Counts `json:"counts,omitempty"`
}

// Encode returns the document as canonical JSON.
func (d Document) Encode() ([]byte, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	return canon.JSON(raw, MaxDocument)
}

// Decode reads JSON of at most MaxDocument bytes into v, which refuses names that it does not know.
func Decode(raw []byte, v any) error {
	if len(raw) > MaxDocument {
		return fmt.Errorf("memory: %d bytes; at most %d", len(raw), MaxDocument)
	}
	raw, err := canon.JSON(raw, MaxDocument)
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	return nil
}

// ParseDocument reads a document, or the signed note of a tree head.
func ParseDocument(raw []byte) (d Document, err error) {
	if bytes.HasPrefix(raw, []byte("did:key:")) {
		h, err := ParseHead(raw)
		return Document{Head: &h}, err
	}
	if err := Decode(raw, &d); err != nil {
		return Document{}, err
	}
	n := 0
	for _, there := range []bool{d.Receipt != nil, d.Growth != nil, d.Exposure != nil, d.Audit != nil, d.Head != nil} {
		if there {
			n++
		}
	}
	if n != 1 {
		return Document{}, errors.New("memory: a document has one of receipt, growth, exposure, audit and head")
	}
	return d, nil
}

// Verify checks what the document says. A document that exposes a node verifies as well: look at
// the kind.
func (d Document) Verify() (s Shown, err error) {
	switch {
	case d.Receipt != nil:
		p := d.Receipt.Promise
		s = Shown{Kind: "receipt", Node: d.Receipt.Head.Node.String()}
		s.Says = fmt.Sprintf("promised to keep %s (%d bytes) until %s, at place %d of %d", p.Hash, p.Size, time.Unix(p.Until, 0).UTC().Format(time.RFC3339), d.Receipt.Index, d.Receipt.Head.Size)
		err = d.Receipt.Verify()
	case d.Growth != nil:
		s = Shown{Kind: "growth", Node: d.Growth.Old.Node.String()}
		s.Says = fmt.Sprintf("its log of %d promises goes on with that of %d", d.Growth.Prefix.Head.Size, d.Growth.Old.Size)
		var e *Exposure
		if e, err = d.Growth.Prefix.Continues(d.Growth.Old); err == nil && e != nil {
			return Document{Exposure: e}.Verify()
		}
	case d.Exposure != nil:
		s = Shown{Kind: "exposure"}
		if s.Says, err = d.Exposure.Verify(); err == nil {
			s.Node = d.Exposure.node()
		}
	case d.Audit != nil:
		s = Shown{Kind: "audit", Node: d.Audit.Head.Node.String()}
		var c Counts
		c, err = d.Audit.Verify()
		s.Counts = &c
		s.Says = fmt.Sprintf("%d of %d samples shown, %d after their term, %d missing", c.Proven, c.Asked, c.Over, c.Missing)
	case d.Head != nil:
		s = Shown{Kind: "head", Node: d.Head.Node.String(), Says: d.Head.String()}
	default:
		err = errors.New("memory: an empty document")
	}
	if err != nil {
		return Shown{}, err
	}
	return s, nil
}

// Shows returns the tree heads that a document shows, and its promises by place. Verify it first.
func (d Document) Shows() (heads []TreeHead, promises []Inclusion) {
	switch {
	case d.Receipt != nil:
		return []TreeHead{d.Receipt.Head}, []Inclusion{*d.Receipt}
	case d.Growth != nil:
		return []TreeHead{d.Growth.Old, d.Growth.Prefix.Head}, nil
	case d.Head != nil:
		return []TreeHead{*d.Head}, nil
	case d.Audit != nil:
		for _, s := range d.Audit.Samples {
			promises = append(promises, Inclusion{Head: d.Audit.Head, Index: s.Index, Promise: s.Promise, Proof: s.Proof})
		}
		return []TreeHead{d.Audit.Head}, promises
	}
	return nil, nil
}

// Contradiction returns the exposure that two verified documents are together, or nil.
func Contradiction(a, b Document) *Exposure {
	heads, places := a.Shows()
	others, otherPlaces := b.Shows()
	for _, x := range heads {
		for _, y := range others {
			if e := Compare(x, y); e != nil {
				return e
			}
		}
	}
	for _, x := range places {
		for _, y := range otherPlaces {
			if e := ComparePlaces(x, y); e != nil {
				return e
			}
		}
	}
	return nil
}
