// Package offline reads case files, and needs no court for that.
package offline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"ojud/casefile"
	"ojud/casefile/candidates"
	"ojud/casefile/car"
	"ojud/casefile/page"
	"ojud/casefile/page/release"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/ledger/onchain"
	"ojud/node/record"
	"ojud/node/why"
	"ojud/voting"
)

// Verify checks a *.case.json file, or the case in a page or a CAR, offline. The error means that
// the file cannot be read. The report lists the faults in the case; those of a page are in
// CheckPage.
func Verify(path string) (verify.Report, error) {
	file, err := Read(path)
	if err != nil {
		return verify.Report{}, err
	}
	return verify.File(file), nil
}

// Read reads a *.case.json file, or the case in a page or a CAR, and no more than one can have.
func Read(path string) ([]byte, error) {
	raw, err := readAll(path)
	if err != nil {
		return nil, fmt.Errorf("offline: %w", err)
	}
	switch formOf(raw) {
	case HTML:
		return page.Case(raw)
	case CAR:
		file, _, err := car.Case(raw)
		return file, err
	}
	return casefile.ReadBundle(bytes.NewReader(raw))
}

// Form is the form in which a case is on the disk.
type Form int

// The forms of a case on the disk.
const (
	CaseFile Form = iota
	HTML
	CAR
)

// FormOf says in which form a case is on the disk. What is neither a page nor a CAR is a case file,
// if anything.
func FormOf(path string) (Form, error) {
	raw, err := readAll(path)
	if err != nil {
		return CaseFile, fmt.Errorf("offline: %w", err)
	}
	return formOf(raw), nil
}

func formOf(raw []byte) Form {
	switch {
	case page.Is(raw):
		return HTML
	case car.Is(raw):
		return CAR
	}
	return CaseFile
}

// AboutCAR reads the CAR around a case. It returns nil if the file is none.
func AboutCAR(path string) (*car.About, error) {
	raw, err := readAll(path)
	if err != nil || !car.Is(raw) {
		return nil, err
	}
	_, about, err := car.Case(raw)
	return &about, err
}

func readAll(path string) (raw []byte, err error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return io.ReadAll(io.LimitReader(in, max(page.MaxPage, car.MaxCAR+1)))
}

// Page is what this program finds about the page around a case.
type Page struct {
	Engine string `json:"engine,omitempty"`
	Hash   string `json:"sha256_without_case,omitempty"` // that it should have
	// Fault says where the page differs from the one that this release writes; empty: nowhere, or
	// it was not compared.
	Fault string `json:"fault,omitempty"`
	// Unknown says why this program cannot compare the page; empty: it did.
	Unknown string `json:"not_compared,omitempty"`
}

// OK reports whether the page is as this release writes it.
func (p Page) OK() bool { return p.Fault == "" && p.Unknown == "" }

// Heading says so in capitals, if the page is not.
func (p Page) Heading() string {
	if p.Fault != "" {
		return "THE PAGE IS NOT VERIFIED: "
	}
	return ""
}

// Words says so in a sentence, which has no capital and no point.
func (p Page) Words() string {
	switch {
	case p.Unknown != "":
		return "this build of ojud cannot compare the page around the case: " + p.Unknown + ". So believe nothing that the page shows when you open it"
	case p.Fault != "":
		return "in the page around the case, " + p.Fault + ". Another release wrote it, or somebody changed it. So believe nothing that it shows when you open it"
	}
	return "the page is as this release writes it; its hash without the case is " + p.Hash
}

// CheckPage compares a page with the one that this release writes for its case. It returns nil if
// the file is no page.
func CheckPage(path string) (*Page, error) {
	raw, err := readAll(path)
	if err != nil || !page.Is(raw) {
		return nil, err
	}
	made, err := release.Load()
	if errors.Is(err, page.ErrNoVerifier) {
		return &Page{Unknown: "it was built without the pages; make build makes one that has them"}, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := made.Open(raw)
	if err != nil || found.Fault != "" {
		return &Page{Fault: found.Fault}, err
	}
	hash, err := made.Hash(found.Engine)
	return &Page{Engine: string(found.Engine), Hash: hash}, err
}

// WritePage returns the page of a case file, and what CheckPage will say of it.
func WritePage(file []byte) ([]byte, Page, error) {
	made, err := release.Load()
	if err != nil {
		return nil, Page{}, err
	}
	written, err := made.Write(file)
	if err != nil {
		return nil, Page{}, err
	}
	engine, err := page.EngineFor(file)
	if err != nil {
		return nil, Page{}, err
	}
	hash, err := made.Hash(engine)
	return written, Page{Engine: string(engine), Hash: hash}, err
}

// errNoSeat means that a case file names no judge.
var errNoSeat = errors.New("offline: no judge was drawn in this case file; name one")

// Why explains from a case file what happened to a judge. Zero means the judge whose node
// exported the file, or else the first seat of the last round.
func Why(path string, judge onchain.Address) (why.Explanation, error) {
	file, err := Read(path)
	if err != nil {
		return why.Explanation{}, err
	}
	if judge.IsZero() {
		if judge, err = judgeOf(file); err != nil {
			return why.Explanation{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	return record.WhyFile(file, path, voting.Key(judge))
}

// judgeOf finds the judge whose node exported a case file, or else the judge in the first seat of
// the last round.
func judgeOf(file []byte) (onchain.Address, error) {
	r, err := reading.File(file)
	if err != nil {
		return onchain.Address{}, err
	}
	exporter, seated := verify.File(file).Exporter, onchain.Address{}
	for _, round := range slices.Backward(r.Rounds[:]) {
		if round.Draw == nil {
			continue
		}
		all, err := candidates.Of(round.Draw.Value, r.Content)
		if err != nil {
			all = round.Draw.Value.Candidates // those that were drawn
		}
		for _, candidate := range all {
			if candidate.Peer == exporter {
				return onchain.Address(candidate.Judge), nil
			}
			if seated.IsZero() && len(round.Draw.Value.Seats) > 0 && candidate.Index == round.Draw.Value.Seats[0] {
				seated = onchain.Address(candidate.Judge)
			}
		}
	}
	if seated.IsZero() {
		return seated, errNoSeat
	}
	return seated, nil
}
