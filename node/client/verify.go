package client

import (
	"context"
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

// Report is the result of checking a case file. The file is good if OK.
type Report = verify.Report

// The states of a check in a Report, besides passed.
const (
	CheckFailed  = verify.Failed
	CheckSkipped = verify.Skipped
)

// VerdictWord returns the verdict of a verified case file as a word.
func VerdictWord(r Report) string { return voting.Verdict(r.Verdict).String() }

// VerifyFile checks a *.case.json file offline. The error means that the file cannot be read. The
// report lists the faults in it.
func VerifyFile(path string) (Report, error) {
	file, err := readBundle(path)
	if err != nil {
		return Report{}, err
	}
	return verify.File(file), nil
}

// VerifyFile also compares a case file with this court: its network, program and the judges on the
// Roster now. The report names judges that have left since as unknown.
func (c *court) VerifyFile(ctx context.Context, path string) (Report, error) {
	file, err := readBundle(path)
	if err != nil {
		return Report{}, err
	}
	roster, _, err := c.chain.Roster(ctx)
	if err != nil {
		return Report{}, err
	}
	judges := map[voting.Key]voting.Key{}
	for _, e := range roster.Entries {
		if !e.Authority.IsZero() {
			judges[voting.Key(e.Authority)] = e.Peer
		}
	}
	return verify.FileWith(file, verify.Anchors{Network: &c.domain.Network, Program: &c.domain.Program, Judges: judges}), nil
}

func readBundle(path string) (file []byte, err error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return casefile.ReadBundle(in)
}

// errNoSeat means that a case file names no judge.
var errNoSeat = errors.New("client: no judge was drawn in this case file; name one")

// WhyFile explains from a case file what happened to a judge. Zero means the judge whose node
// exported the file, or else the first seat of the last round.
func WhyFile(path string, judge onchain.Address) (why.Explanation, error) {
	file, err := readBundle(path)
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
