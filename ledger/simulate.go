package ledger

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// precompile reports whether a program's instructions verify signatures, each of which costs the
// base fee.
func precompile(address onchain.Address) bool { return address == program.Ed25519ProgramID() }

// simulation is what a simulated transaction did.
type simulation struct {
	units   uint64
	failure json.RawMessage
	logs    []string
}

// simulate runs a transaction without landing it. The node puts in a blockhash of its own.
func (c *Client) simulate(ctx context.Context, u unsigned) (simulation, error) {
	var out contexted[*struct {
		Err   json.RawMessage `json:"err"`
		Logs  []string        `json:"logs"`
		Units *uint64         `json:"unitsConsumed"`
	}]
	least := c.floor.Load()
	options := c.at(least)
	options["encoding"], options["replaceRecentBlockhash"], options["sigVerify"] = "base64", true, false
	params := []any{base64.StdEncoding.EncodeToString(u.raw(nil)), options}
	err := c.call(ctx, "simulateTransaction", params, &out, func() error {
		switch {
		case out.Value == nil:
			return fmt.Errorf("%w: simulateTransaction: no value", ErrAnswer)
		case string(out.Value.Err) == `"BlockhashNotFound"`:
			return fmt.Errorf("%w: simulateTransaction: the node does not know its own blockhash", ErrStale)
		}
		return c.fresh(out.Context.Slot, least)
	})
	if err != nil {
		return simulation{}, err
	}
	s := simulation{failure: out.Value.Err, logs: out.Value.Logs, units: maxUnits}
	if out.Value.Units != nil {
		s.units = *out.Value.Units
	}
	return s, nil
}

// maxKeptLogs bounds the log lines kept of a refused transaction.
const maxKeptLogs = 64

// rejection says why a transaction with that message failed; nil: it did not.
func (c *Client) rejection(u *solana.Message, failure json.RawMessage, logs []string) (*Rejection, error) {
	if !failed(failure) {
		return nil, nil
	}
	f, err := program.ParseFailure(failure)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	r := &Rejection{Failure: f, Logs: logs[max(0, len(logs)-maxKeptLogs):]}
	if f.Index >= 0 && f.Index < len(u.Instructions) {
		at := int(u.Instructions[f.Index].ProgramIDIndex)
		r.Ours = at < len(u.AccountKeys) && onchain.Address(u.AccountKeys[at]) == c.program.ID()
	}
	return r, nil
}

// broke reports whether a refusal means that an account has too few lamports, and how many it needs
// if the logs say so.
func (r *Rejection) broke() (need uint64, yes bool) {
	switch r.Failure.Kind {
	case "AccountNotFound", "InsufficientFundsForFee", "InsufficientFundsForRent", "InvalidAccountForFee":
		return 0, true
	}
	if !r.Failure.HasCustom || r.Failure.Custom != 1 { // SystemError::ResultWithNegativeLamports
		return 0, false
	}
	line := regexp.MustCompile(`^Transfer: insufficient lamports \d+, need (\d+)$`)
	for _, text := range slices.Backward(r.Logs) {
		if m := line.FindStringSubmatch(text); m != nil {
			need, err := strconv.ParseUint(m[1], 10, 64)
			return need, err == nil
		}
	}
	return 0, false
}
