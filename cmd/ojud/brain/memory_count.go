package brain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/delegation"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/megabrain/memory"
	"ojud/megabrain/memory/keep"
	"ojud/node/brainview"
)

// earned is what a memory node has counted of its earnings.
type earned struct {
	Wallet   string           `json:"wallet"`
	Last     string           `json:"last"` // the newest transaction that was counted
	Lamports uint64           `json:"lamports,string"`
	Payments int              `json:"payments"`
	Until    map[string]int64 `json:"paid_until"` // by the place of the promise, Unix seconds
}

// earnings counts the payments to a node.
type earnings struct {
	file    string
	wallet  onchain.Address
	node    delegation.Principal
	promise func(index int64) (memory.Inclusion, error)
	seen    func(ctx context.Context, at onchain.Address, after string) (all []brainview.Received, last string, err error)
	log     *slog.Logger
}

// maxUntil bounds the promises whose payments are told apart.
const maxUntil = 100_000

func readEarned(file string) (e earned, err error) {
	err = readAccount(file, &e)
	if e.Until == nil {
		e.Until = map[string]int64{}
	}
	return e, err
}

// count counts what came since the last count. What cannot be read now is counted later, and what
// was read before it is not read again.
func (e earnings) count(ctx context.Context) error {
	state, err := readEarned(e.file)
	if err != nil {
		return err
	}
	if state.Wallet != e.wallet.String() {
		if state.Wallet != "" {
			e.log.Warn("counts anew, for another wallet", "before", state.Wallet, "lamports", state.Lamports)
		}
		state = earned{Wallet: e.wallet.String(), Until: map[string]int64{}}
	}
	all, last, err := e.seen(ctx, e.wallet, state.Last)
	for i, it := range all {
		if bad := e.take(&state, it); bad != nil {
			last, err = "", errors.Join(err, bad)
			break
		}
		if i+1 == len(all) || all[i+1].Signature != it.Signature {
			state.Last = it.Signature
		}
	}
	if last != "" {
		state.Last = last
	} else if len(all) == 0 {
		return err
	}
	raw, failed := json.MarshalIndent(state, "", " ")
	if failed == nil {
		failed = durable.WriteFile(e.file, raw)
	}
	return errors.Join(err, failed)
}

// take counts a transfer for the promise that it names, if it is at least what is due for the time
// that it names. The error is that of the disk.
func (e earnings) take(state *earned, it brainview.Received) error {
	for _, mark := range it.Marks {
		part, ok := memory.PeriodOf(e.node, mark)
		if !ok || it.To != e.wallet {
			continue
		}
		in, err := e.promise(part.Index)
		if errors.Is(err, keep.ErrUnknown) {
			continue // a mark of anybody
		}
		if err != nil {
			return err
		}
		owed := in.Promise.Due(part.From, part.To)
		at := strconv.FormatInt(part.Index, 10)
		until, known := state.Until[at]
		if until = max(until, in.Promise.From); owed == 0 || !pays(it.Transfer, e.wallet, mark, owed) || part.To <= until && known {
			continue // it is too little, or that time is paid already
		}
		state.Lamports, state.Payments = state.Lamports+it.Lamports, state.Payments+1
		if part.From <= until && (len(state.Until) < maxUntil || known) { // else time between was not paid
			state.Until[at] = part.To
		}
		e.log.Info("was paid for keeping", "artifact", in.Promise.Hash, "until", stamp(part.To), "lamports", it.Lamports, "by", it.From)
		return nil
	}
	return nil
}

// run counts every minute until ctx ends.
func (e earnings) run(ctx context.Context) error {
	t := time.NewTicker(eraseEvery)
	defer t.Stop()
	for {
		if err := e.count(ctx); err != nil && ctx.Err() == nil {
			e.log.Warn("payments cannot be counted now", "wallet", e.wallet, "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}

// earnedFile is where a node keeps what it counted.
func earnedFile(dir string) string { return filepath.Join(dir, "paid.json") }

func newMemoryPaid(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "paid DIR",
		Short: "Show what the node of a folder was paid",
		Long: `Paid shows what "memory run DIR --wallet ADDRESS" has counted: transfers to the wallet that name a
promise of this node and are at least what is due for the time that they name.`,
		Example: `  ojud brain memory paid ./memory`,
		Args:    cli.Takes(1, "a folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			e, err := readEarned(earnedFile(args[0]))
			if err != nil {
				return cli.Fail("%v", err)
			}
			if e.Wallet == "" {
				return cli.Fail("nothing was counted in %s", args[0]).Next("count it: ojud brain memory run " + args[0] + " --wallet ADDRESS")
			}
			return a.Show(e, view.Sheet{{"wallet", e.Wallet}, {"paid", amount(e.Lamports)}, {"payments", fmt.Sprint(e.Payments)}, {"promises", fmt.Sprint(len(e.Until))}}.Write)
		},
	}
}
