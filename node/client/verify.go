package client

import (
	"context"

	"ojud/casefile/verify"
	"ojud/node/client/compare"
	"ojud/node/client/offline"
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

// VerifyFile also compares a case file with this court. Judges that have left are unknown to it.
func (c *court) VerifyFile(ctx context.Context, path string) (Report, compare.Compared, error) {
	roster, _, err := c.chain.Roster(ctx)
	if err != nil {
		return Report{}, compare.Compared{}, err
	}
	file, err := offline.Read(path)
	if err != nil {
		return Report{}, compare.Compared{}, err
	}
	judges := map[voting.Key]voting.Key{}
	for _, e := range roster.Entries {
		if !e.Authority.IsZero() {
			judges[voting.Key(e.Authority)] = e.Peer
		}
	}
	return compare.With(ctx, c.chain, verify.FileWith(file, verify.Anchors{Network: &c.domain.Network, Program: &c.domain.Program, Judges: judges}))
}
