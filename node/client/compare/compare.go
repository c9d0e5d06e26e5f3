// Package compare compares a case file that verifies with the chain of a court.
package compare

import (
	"context"
	"errors"
	"fmt"

	"ojud/casefile/verify"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// reader has the reads that a comparison takes.
type reader interface {
	Accounts(ctx context.Context, addresses ...onchain.Address) ([]*ledger.Account, uint64, error)
	Case(ctx context.Context, task onchain.Address) (*program.Case, uint64, error)
	Program() program.Program
}

// Compared is what a court's chain says of a case file.
type Compared struct {
	// With is the account that was read: "case" or "verdict". Empty: nothing was compared.
	With    string `json:"with,omitempty"`
	Verdict string `json:"verdict,omitempty"` // by the chain
	// Fault is why the file is not that of a case of the court; empty: there is none.
	Fault string `json:"fault,omitempty"`
}

// With reads how the case of a file ended by the chain: in its account, or after that was closed
// in the account of its verdict. It returns the report, too.
func With(ctx context.Context, chain reader, r verify.Report) (report verify.Report, found Compared, err error) {
	if !r.OK() {
		return r, found, nil
	}
	task := onchain.Address(r.Case)
	var verdict voting.Verdict
	var over bool
	d, _, err := chain.Case(ctx, task)
	switch {
	case err == nil:
		found.With, verdict, over = "case", d.Verdict, d.Status.Over()
	case errors.Is(err, ledger.ErrNotFound):
		v, _, err := ledger.Read(ctx, chain, chain.Program().Verdict(task), program.DecodeVerdictAccount)
		if errors.Is(err, ledger.ErrNotFound) {
			return r, Compared{Fault: "the chain has no account of this case and no published verdict, so its verdict cannot be compared: " +
				"the case was closed, or it never was"}, nil
		}
		if err != nil {
			return r, found, err
		}
		found.With, verdict, over = "verdict", v.Verdict, v.IsFinal == 1
	default:
		return r, found, err
	}
	found.Verdict = verdict.String()
	switch {
	case !over:
		found.Fault = "on the chain the case is not over"
	case verdict != voting.Verdict(r.Verdict):
		found.Fault = fmt.Sprintf("the chain says %s, and the file %s", verdict, voting.Verdict(r.Verdict))
	}
	return r, found, nil
}
