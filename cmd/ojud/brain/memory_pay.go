package brain

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/delegation"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/brain"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/megabrain/memory"
	"ojud/megabrain/memory/remote"
	"ojud/node/brainview"
	"ojud/node/client"
	"ojud/node/library"
)

const (
	maxPaid    = 12       // promises that one transaction pays for
	maxAccount = 16 << 20 // bytes of what is kept of payments to a node
)

// paying is what a home keeps of its payments to a node.
type paying struct {
	Until   map[string]int64 `json:"paid_until"`        // by the place of the promise, Unix seconds
	Total   uint64           `json:"lamports,string"`   // that were paid
	Pending *batch           `json:"pending,omitempty"` // was sent, or is about to be
}

// batch is what one transaction pays.
type batch struct {
	Wallet string `json:"wallet"`
	Parts  []due  `json:"parts"`
}

// due is what is paid for a part of a term.
type due struct {
	memory.Period
	Artifact memory.Digest `json:"artifact"`
	Lamports uint64        `json:"lamports,string"`
}

func (b batch) sum() (sum uint64) {
	for _, d := range b.Parts {
		sum += d.Lamports
	}
	return sum
}

// purse pays a node.
type purse struct {
	file string // what is kept of payments to that node
	self onchain.Address
	send func(context.Context, client.Order) (client.Sent, error)
	seen func(ctx context.Context, at onchain.Address) ([]brainview.Received, error)
}

func (p purse) load() (state paying, err error) {
	raw, err := library.ReadFile(p.file, maxAccount)
	if err == nil {
		err = json.Unmarshal(raw, &state)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if state.Until == nil {
		state.Until = map[string]int64{}
	}
	return state, err
}

func (p purse) save(state paying) error {
	raw, err := json.MarshalIndent(state, "", " ")
	if err != nil {
		return err
	}
	return errors.Join(durable.MakeDir(filepath.Dir(p.file)), durable.WriteFile(p.file, raw))
}

// settle sends what is pending, unless the chain has it, and counts it. Whoever was killed between
// the payment and that pays once.
func (p purse) settle(ctx context.Context, state *paying) (sent client.Sent, err error) {
	b := state.Pending
	wallet, err := onchain.ParseAddress(b.Wallet)
	if err != nil {
		return sent, err
	}
	first := b.Parts[0]
	mark := first.Mark()
	o := client.Order{Name: fmt.Sprintf("pay for keeping (%.8x)", sha256.Sum256(append(mark[:], wallet[:]...))), Pays: client.Lamports(b.sum())}
	for _, d := range b.Parts {
		i := onchain.Transfer(p.self, wallet, d.Lamports)
		i.Accounts = append(i.Accounts, onchain.AccountMeta{Address: d.Mark()})
		o.Instructions = append(o.Instructions, i)
	}
	o.Done = func(ctx context.Context) (bool, error) {
		all, err := p.seen(ctx, mark)
		return slices.ContainsFunc(all, func(r brainview.Received) bool {
			return r.From == p.self && pays(r.Transfer, wallet, first.Period, first.Lamports)
		}), err
	}
	if sent, err = p.send(ctx, o); err != nil {
		return sent, err
	}
	for _, d := range b.Parts {
		state.Until[strconv.FormatInt(d.Index, 10)] = d.To
	}
	state.Total, state.Pending = state.Total+b.sum(), nil
	return sent, p.save(*state)
}

// pays reports whether a transfer pays a wallet for a part of a term, and enough.
func pays(t brain.Transfer, wallet onchain.Address, part memory.Period, lamports uint64) bool {
	return t.To == wallet && t.Lamports >= lamports && slices.Contains(t.Marks, onchain.Address(part.Mark()))
}

// next is the part of a term that is paid next: from where the last payment ended until now.
func (s paying) next(in memory.Inclusion, now int64) memory.Period {
	return memory.Period{Index: in.Index, From: max(in.Promise.From, s.Until[strconv.FormatInt(in.Index, 10)]), To: min(now, in.Promise.Until)}
}

// paidFor is what "memory pay" shows.
type paidFor struct {
	client.Sent
	Node     string   `json:"node"`
	Wallet   string   `json:"wallet"`
	Parts    []due    `json:"parts"`
	Lamports uint64   `json:"lamports,string"`
	Lacks    []string `json:"not_kept,omitempty"` // artifacts of which a sample was not shown
}

func newMemoryPay(a *cli.App) *cobra.Command {
	var f audits
	cmd := cli.Court(a, &cobra.Command{
		Use:   "pay HASH...",
		Short: "Audit artifacts, and pay a node for keeping them until now",
		Long: `Pay audits each artifact, and pays the rate of its promise for the time since the last payment of
this home, or since the promise, until now. An artifact of which one sample is not shown is paid
nothing. The lamports go from your key to the wallet that the node signed ("memory run --wallet"),
in one transaction for at most 12 artifacts, which names each promise and its time. A second run
pays for no second twice, also after a crash.

Small artifacts cost less than a transaction (5000 lamports): pay for many at once, and seldom.`,
		Example: `  ojud brain memory pay --node http://10.0.0.7:4900 \
      9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --key payer.json`,
		Args: cobra.RangeArgs(1, maxPaid),
		RunE: func(cmd *cobra.Command, args []string) error {
			var hashes []memory.Digest
			for _, text := range args {
				hash, err := memory.ParseDigest(text)
				if err != nil {
					return cli.Usage("%v", err)
				}
				hashes = append(hashes, hash)
			}
			if f.samples < 1 || f.samples > 64 {
				return cli.Usage("--samples is %d; it is 1 to 64", f.samples)
			}
			return a.With(cmd, cli.WithKey, func(ctx context.Context, c *client.Client) error { return f.pay(ctx, cmd, a, c, hashes) })
		},
	})
	f.add(cmd)
	cmd.Flags().IntVar(&f.samples, "samples", 32, "how many KiB of each artifact are asked for, 1 to 64")
	return cmd
}

func (f *audits) pay(ctx context.Context, cmd *cobra.Command, a *cli.App, c *client.Client, hashes []memory.Digest) (err error) {
	home, err := a.HomeDir()
	if err != nil {
		return err
	}
	words, err := openWords(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, words.Close()) }()
	p := purse{send: client.OfficeOf(c).Send, seen: func(ctx context.Context, at onchain.Address) ([]brainview.Received, error) {
		return words.Received(ctx, at, "")
	}}
	if p.self, err = onchain.ParseAddress(c.Me()); err != nil {
		return err
	}
	return f.with(cmd, a, func(ctx context.Context, node *remote.Auditor) error {
		head, err := node.Head(ctx)
		if err != nil {
			return err
		}
		p.file = filepath.Join(home, "memory", "paid", head.Node.String()+".json")
		state, err := p.load()
		if err != nil {
			return cli.Fail("%v", err)
		}
		if state.Pending != nil {
			if _, err := p.settle(ctx, &state); err != nil {
				return err
			}
		}
		out := paidFor{Sent: client.Sent{Result: "nothing_due"}, Node: head.Node.String()}
		if out.Wallet, err = walletOf(ctx, node, head.Node); err != nil {
			return err
		}
		for _, hash := range hashes {
			d, kept, err := f.dueFor(ctx, node, state, hash)
			switch {
			case err != nil:
				return err
			case !kept:
				out.Lacks = append(out.Lacks, hash.String())
			case d.Lamports > 0 && !slices.ContainsFunc(out.Parts, func(o due) bool { return o.Index == d.Index }):
				out.Parts, out.Lamports = append(out.Parts, d), out.Lamports+d.Lamports
			}
		}
		if len(out.Parts) > 0 {
			state.Pending = &batch{out.Wallet, out.Parts}
			if err := p.save(state); err != nil {
				return err
			}
			if out.Sent, err = p.settle(ctx, &state); err != nil {
				return err
			}
		}
		sheet := append(view.Sent(out.Sent), view.Sheet{{"node", out.Node}, {"wallet", out.Wallet}, {"paid", amount(out.Lamports)}, {"paid in all", amount(state.Total)}}...)
		for _, d := range out.Parts {
			sheet.Add(d.Artifact.String(), fmt.Sprintf("%s until %s", amount(d.Lamports), stamp(d.To)))
		}
		if err := a.Show(out, sheet.Write); err != nil {
			return err
		}
		if len(out.Lacks) > 0 {
			return cli.Fail("the node does not show all that was asked of %d artifacts, and is paid nothing for them: %v", len(out.Lacks), out.Lacks)
		}
		return nil
	})
}

// walletOf asks a node where its earnings go. The node signs that, so that nobody on the way puts
// in another wallet.
func walletOf(ctx context.Context, node *remote.Auditor, of delegation.Principal) (string, error) {
	offer, err := node.Offer(ctx)
	switch {
	case err != nil:
		return "", err
	case offer.Wallet == "":
		return "", cli.Fail("the node %s names no wallet, so it takes no payments", of).Next("its operator names one: ojud brain memory run DIR --wallet ADDRESS")
	case !memory.IsWallet(of, offer.Wallet, offer.WalletSignature):
		return "", cli.Fail("the wallet %q is not signed by the node %s", offer.Wallet, of)
	}
	if _, err := onchain.ParseAddress(offer.Wallet); err != nil {
		return "", cli.Fail("the wallet of the node is no address: %v", err)
	}
	return offer.Wallet, nil
}

// dueFor audits an artifact, and says what is due for it.
func (f *audits) dueFor(ctx context.Context, node *remote.Auditor, state paying, hash memory.Digest) (d due, kept bool, err error) {
	in, err := node.Prove(ctx, hash)
	if err != nil {
		return d, false, err
	}
	q := memory.Question{Count: f.samples, Index: in.Index, At: time.Now().Unix()}
	rand.Read(q.Salt[:])
	t, counts, err := node.Audit(ctx, in.Head, q)
	if err != nil {
		return d, false, err
	}
	d = due{Period: state.next(in, q.At), Artifact: hash}
	if d.To <= d.From {
		return d, true, nil // all of its term is paid
	}
	r, err := t.Retained(d.From, d.To)
	d.Lamports = r.Lamports
	return d, counts.Kept() && counts.Proven == counts.Asked, err
}
