// Package offline reads case files, and needs no court for that.
package offline

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/ledger/onchain"
	"ojud/node/record"
	"ojud/node/why"
	"ojud/voting"
)

// Verify checks a *.case.json file offline. The error means that the file cannot be read. The
// report lists the faults in it.
func Verify(path string) (verify.Report, error) {
	file, err := Read(path)
	if err != nil {
		return verify.Report{}, err
	}
	return verify.File(file), nil
}

// Read reads a *.case.json file, and no more than one can have.
func Read(path string) (file []byte, err error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("offline: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return casefile.ReadBundle(in)
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
		for _, candidate := range round.Draw.Value.Candidates {
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
