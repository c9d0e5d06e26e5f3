package client

import (
	"context"
	"errors"
	"fmt"

	"ojud/casefile/verify"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
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

// Compared is what a court's chain says of a case file.
type Compared struct {
	// With is the account that was read: "case" or "verdict". Empty: nothing was compared.
	With    string `json:"with,omitempty"`
	Verdict string `json:"verdict,omitempty"` // by the chain
	// Fault is why the file is not that of a case of the court; empty: there is none.
	Fault string `json:"fault,omitempty"`
}

// VerifyFile also compares a case file with this court: its network, program and the judges on the
// Roster now, and its verdict with that of the case on the chain. The report names judges that have
// left since as unknown.
func (c *court) VerifyFile(ctx context.Context, path string) (Report, Compared, error) {
	file, err := offline.Read(path)
	if err != nil {
		return Report{}, Compared{}, err
	}
	roster, _, err := c.chain.Roster(ctx)
	if err != nil {
		return Report{}, Compared{}, err
	}
	judges := map[voting.Key]voting.Key{}
	for _, e := range roster.Entries {
		if !e.Authority.IsZero() {
			judges[voting.Key(e.Authority)] = e.Peer
		}
	}
	report := verify.FileWith(file, verify.Anchors{Network: &c.domain.Network, Program: &c.domain.Program, Judges: judges})
	if !report.OK() {
		return report, Compared{}, nil
	}
	found, err := c.compare(ctx, report)
	return report, found, err
}

// compare reads how the case of a file ended by the chain: in its account, or after that was closed
// in the account of its verdict.
func (c *court) compare(ctx context.Context, r Report) (found Compared, err error) {
	task := onchain.Address(r.Case)
	verdict, over := voting.NoVerdict, true
	d, _, err := c.chain.Case(ctx, task)
	switch {
	case err == nil:
		found.With, verdict, over = "case", d.Verdict, d.Status.Over()
	case errors.Is(err, ledger.ErrNotFound):
		v, _, err := ledger.Read(ctx, c.chain, c.program.Verdict(task), program.DecodeVerdictAccount)
		if errors.Is(err, ledger.ErrNotFound) {
			return Compared{Fault: "the chain has no account of this case and no published verdict, so its verdict cannot be compared: " +
				"the case was closed, or it never was"}, nil
		}
		if err != nil {
			return found, err
		}
		found.With, verdict, over = "verdict", v.Verdict, v.IsFinal == 1
	default:
		return found, err
	}
	found.Verdict = verdict.String()
	switch {
	case !over:
		found.Fault = "on the chain the case is not over"
	case verdict != voting.Verdict(r.Verdict):
		found.Fault = fmt.Sprintf("the chain says %s, and the file %s", verdict, voting.Verdict(r.Verdict))
	}
	return found, nil
}
