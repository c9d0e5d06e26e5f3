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
	node delegation.Principal
	self onchain.Address
	send func(context.Context, client.Order) (client.Sent, error)
	seen func(ctx context.Context, at onchain.Address) ([]brainview.Received, error)
}

// readAccount reads a file of payments. If there is none, it leaves the state as it is.
func readAccount(file string, state any) error {
	raw, err := library.ReadFile(file, maxAccount)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, state)
}

func (p purse) load() (state paying, err error) {
	err = readAccount(p.file, &state)
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
	mark := first.Mark(p.node)
	o := client.Order{Name: fmt.Sprintf("pay for keeping (%.8x)", sha256.Sum256(append(mark[:], wallet[:]...))), Pays: client.Lamports(b.sum())}
	for _, d := range b.Parts {
		i := onchain.Transfer(p.self, wallet, d.Lamports)
		i.Accounts = append(i.Accounts, onchain.AccountMeta{Address: d.Mark(p.node)})
		o.Instructions = append(o.Instructions, i)
	}
	o.Done = func(ctx context.Context) (bool, error) { return p.landed(ctx, *b, wallet) }
	if sent, err = p.send(ctx, o); err != nil {
		return sent, err
	}
	return sent, p.counted(state)
}

// landed reports whether the chain has the transaction of a batch.
func (p purse) landed(ctx context.Context, b batch, wallet onchain.Address) (bool, error) {
	first := b.Parts[0]
	mark := onchain.Address(first.Mark(p.node))
	all, err := p.seen(ctx, mark)
	if slices.ContainsFunc(all, func(r brainview.Received) bool {
		return r.From == p.self && pays(r.Transfer, wallet, mark, first.Lamports)
	}) {
		return true, nil
	}
	return false, err
}

// forget drops what is pending. If the chain has it, it is counted.
func (p purse) forget(ctx context.Context, state *paying) error {
	wallet, err := onchain.ParseAddress(state.Pending.Wallet)
	if err != nil {
		return err
	}
	switch done, err := p.landed(ctx, *state.Pending, wallet); {
	case err != nil:
		return err
	case done:
		return p.counted(state)
	}
	state.Pending = nil
	return p.save(*state)
}

// counted counts what was pending as paid.
func (p purse) counted(state *paying) error {
	b := state.Pending
	for _, d := range b.Parts {
		state.Until[strconv.FormatInt(d.Index, 10)] = d.To
	}
	state.Total, state.Pending = state.Total+b.sum(), nil
	return p.save(*state)
}

// pays reports whether a transfer pays a wallet for what a mark names, and enough.
func pays(t brain.Transfer, wallet, mark onchain.Address, lamports uint64) bool {
	return t.To == wallet && t.Lamports >= lamports && slices.Contains(t.Marks, mark)
}

// next is the part of a term that is paid next: from where the last payment ended until now. It
// begins when the receipt was given: the promise may be an older one, or say so.
func (s paying) next(in memory.Inclusion, now int64) memory.Period {
	return memory.Period{Index: in.Index, From: max(in.Promise.From, in.Head.At, s.Until[strconv.FormatInt(in.Index, 10)]), To: min(now, in.Promise.Until)}
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
	most := cli.Amount{Lamports: client.Lamports(onchain.LamportsPerSOL / 100)}
	var forget bool
	cmd := cli.Court(a, &cobra.Command{
		Use:   "pay RECEIPT...",
		Short: "Audit artifacts, and pay a node for keeping them until now",
		Long: `Pay takes receipts that your own "memory put --receipt" wrote: that command has compared the promise
with the artifact. It audits each promise, and pays its rate for the time since the last payment of
this home, or since the promise, until now. A promise of which one sample is not shown is paid
nothing. The node is the one of the receipts, whatever answers at --node.

The lamports go from your key to the wallet that this node signed ("memory run --wallet"), in one
transaction for at most 12 promises, which names each and its time. If all together are more than
--most, nothing is paid. A second run pays for no second twice, also after a crash.

Small artifacts cost less than a transaction (5000 lamports): pay for many at once, and seldom.`,
		Example: `  ojud brain memory put result.json --node http://10.0.0.7:4900 --receipt receipt.json
  ojud brain memory pay receipt.json --node http://10.0.0.7:4900 --most 0.05sol --key payer.json`,
		Args: cobra.RangeArgs(1, maxPaid),
		RunE: func(cmd *cobra.Command, args []string) error {
			receipts, err := receiptsOf(args)
			if err != nil {
				return err
			}
			if f.samples < 1 || f.samples > 64 {
				return cli.Usage("--samples is %d; it is 1 to 64", f.samples)
			}
			node := receipts[0].Head.Node
			if f.peer != "" && f.peer != node.String() {
				return cli.Usage("--peer is %s, and the receipts are those of %s", f.peer, node)
			}
			f.peer = node.String()
			return a.With(cmd, cli.WithKey, func(ctx context.Context, c *client.Client) error {
				return f.pay(ctx, cmd, a, c, receipts, uint64(most.Lamports), forget)
			})
		},
	})
	f.add(cmd)
	cmd.Flags().IntVar(&f.samples, "samples", 32, "how many KiB of each artifact are asked for, 1 to 64")
	cmd.Flags().Var(&most, "most", "the most that is paid now")
	cmd.Flags().BoolVar(&forget, "forget", false, "drop an earlier payment to the node that was begun and is not on the chain")
	return cmd
}

// receiptsOf reads receipts of one node, each promise once.
func receiptsOf(files []string) (out []memory.Inclusion, err error) {
	all, err := readDocuments(files)
	if err != nil {
		return nil, err
	}
	for i, d := range all {
		switch {
		case d.Receipt == nil:
			return nil, cli.Usage("%s is no receipt; \"ojud brain memory put --receipt\" writes one", files[i])
		case d.Receipt.Head.Node != all[0].Receipt.Head.Node:
			return nil, cli.Usage("%s is the receipt of another node than %s; pay each node by itself", files[i], files[0])
		case slices.ContainsFunc(out, func(o memory.Inclusion) bool { return o.Index == d.Receipt.Index }):
			return nil, cli.Usage("%s is the receipt of a promise that stands twice", files[i])
		}
		out = append(out, *d.Receipt)
	}
	return out, nil
}

// received gives all transfers, by looks of which each goes on where the last one ended. A payment
// that is not found would be paid again.
func received(look func(seen string) ([]brainview.Received, string, error)) (all []brainview.Received, err error) {
	last := ""
	for range maxLooks {
		some, next, err := look(last)
		if all = append(all, some...); err != nil || next == "" {
			return all, err
		}
		last = next
	}
	return all, fmt.Errorf("the transactions of this payment do not end after %d looks", maxLooks)
}

const maxLooks = 100 // at one address, because an RPC node may list without an end

func (f *audits) pay(ctx context.Context, cmd *cobra.Command, a *cli.App, c *client.Client, receipts []memory.Inclusion, most uint64, forget bool) (err error) {
	home, err := a.HomeDir()
	if err != nil {
		return err
	}
	words, err := openWords(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, words.Close()) }()
	office := client.OfficeOf(c)
	p := purse{node: receipts[0].Head.Node, send: office.Send, seen: func(ctx context.Context, at onchain.Address) ([]brainview.Received, error) {
		return received(func(seen string) ([]brainview.Received, string, error) { return words.Received(ctx, at, seen) })
	}}
	p.file = filepath.Join(home, "memory", "paid", p.node.String()+".json")
	if p.self, err = onchain.ParseAddress(c.Me()); err != nil {
		return err
	}
	return f.with(cmd, a, func(ctx context.Context, node *remote.Auditor) error {
		if _, err := node.Head(ctx); err != nil { // it is that of the receipts
			return err
		}
		state, err := p.load()
		if err != nil {
			return cli.Fail("%v", err)
		}
		if state.Pending != nil && forget {
			err = p.forget(ctx, &state)
		} else if state.Pending != nil {
			_, err = p.settle(ctx, &state)
		}
		if err != nil {
			return cli.Fail("an earlier payment to this node: %v", err).Next("if it is not on the chain, drop it with --forget")
		}
		out := paidFor{Sent: client.Sent{Result: "nothing_due"}, Node: p.node.String()}
		if out.Wallet, err = walletOf(ctx, node, p.node); err != nil {
			return err
		}
		for _, in := range receipts {
			d, kept, err := f.dueFor(ctx, node, state, in)
			switch {
			case err != nil:
				return err
			case !kept:
				out.Lacks = append(out.Lacks, d.Artifact.String())
			case d.Lamports > 0:
				out.Parts, out.Lamports = append(out.Parts, d), out.Lamports+d.Lamports
			}
		}
		if err := affordable(ctx, office, p.self, out.Lamports, most); err != nil {
			return err
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

// affordable refuses a sum above --most, or above what the wallet has, before anything is sent.
func affordable(ctx context.Context, office client.Office, self onchain.Address, sum, most uint64) error {
	if sum > most {
		return cli.Fail("%s is due, and --most is %s; nothing was paid", amount(sum), amount(most)).Next("look at the rate in the receipts, and raise --most if you agreed to it")
	}
	all, _, err := office.Accounts(ctx, self)
	if err != nil {
		return err
	}
	if sum > 0 && (all[0] == nil || all[0].Lamports < sum) {
		return cli.Fail("%s is due, and the wallet %s does not have that; nothing was paid", amount(sum), self)
	}
	return nil
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

// dueFor audits the promise of a receipt, and says what is due for it. The rate, the time and the
// tree of the artifact are those of the receipt: what the node promises later changes nothing.
func (f *audits) dueFor(ctx context.Context, node *remote.Auditor, state paying, in memory.Inclusion) (d due, kept bool, err error) {
	d.Artifact = in.Promise.Hash
	now, err := node.ProveAt(ctx, in.Index)
	if err != nil {
		return d, false, err
	}
	if e := memory.ComparePlaces(in, now); e != nil {
		return d, false, &remote.Exposed{Exposure: *e}
	}
	q := memory.Question{Count: f.samples, Index: in.Index, At: time.Now().Unix()}
	rand.Read(q.Salt[:])
	t, counts, err := node.Audit(ctx, now.Head, q)
	if err != nil {
		return d, false, err
	}
	for _, s := range t.Samples {
		if s.Promise != in.Promise {
			return d, false, cli.Fail("the node shows another promise at place %d than the receipt", in.Index)
		}
	}
	if d.Period = state.next(in, q.At); d.To <= d.From {
		return d, true, nil // all of its term is paid
	}
	r, err := t.Retained(d.From, d.To)
	d.Lamports = r.Lamports
	return d, counts.Kept() && counts.Proven == counts.Asked, err
}
