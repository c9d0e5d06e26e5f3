package brain

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/memory"
	"ojud/megabrain/memory/keep"
	"ojud/megabrain/memory/remote"
	"ojud/node/brainview"
	"ojud/node/client"
	"ojud/p2p/identity"
)

// bank is a chain that has transfers alone.
type bank struct {
	all   []brainview.Received
	crash bool // the next transaction lands, and its sender does not hear that
}

func (b *bank) send(ctx context.Context, o client.Order) (client.Sent, error) {
	if done, err := o.Done(ctx); err != nil || done {
		return client.Sent{Result: "already_done"}, err
	}
	name := string(rune('a' + len(b.all)))
	for _, i := range o.Instructions {
		t := brain.Transfer{From: i.Accounts[0].Address, To: i.Accounts[1].Address, Marks: []onchain.Address{i.Accounts[2].Address}}
		for n := range 8 {
			t.Lamports |= uint64(i.Data[4+n]) << (8 * n)
		}
		b.all = append([]brainview.Received{{Transfer: t, Signature: name}}, b.all...)
	}
	if b.crash {
		b.crash = false
		return client.Sent{}, errors.New("killed")
	}
	return client.Sent{Result: "landed"}, nil
}

func (b *bank) seen(_ context.Context, at onchain.Address, until string) (out []brainview.Received, err error) {
	for _, r := range b.all {
		if r.Signature == until {
			break
		}
		if r.To == at || slices.Contains(r.Marks, at) {
			out = append(out, r)
		}
	}
	return out, nil
}

// TestPayOnce: a payer that is killed between a payment and its record pays once, and goes on from
// where it ended.
func TestPayOnce(t *testing.T) {
	b := &bank{crash: true}
	p := purse{file: filepath.Join(t.TempDir(), "paid", "node.json"), self: onchain.Address{1}, send: b.send, seen: func(ctx context.Context, at onchain.Address) ([]brainview.Received, error) {
		return b.seen(ctx, at, "")
	}}
	state, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	in := memory.Inclusion{Index: 3, Promise: memory.Promise{From: 100, Until: 1_000}}
	state.Pending = &batch{onchain.Address{2}.String(), []due{{Period: state.next(in, 400), Lamports: 7}, {Period: memory.Period{Index: 4, From: 1, To: 2}, Lamports: 5}}}
	if err := p.save(state); err != nil {
		t.Fatal(err)
	}
	if _, err := p.settle(t.Context(), &state); err == nil {
		t.Fatal("it was not killed")
	}
	if state, err = p.load(); err != nil || state.Pending == nil || state.Total != 0 {
		t.Fatalf("%+v, %v", state, err)
	}
	forgotten := state
	forgotten.Until = map[string]int64{}
	if err := (purse{file: p.file + "2", node: p.node, self: p.self, seen: p.seen}).forget(t.Context(), &forgotten); err != nil || forgotten.Total != 12 {
		t.Errorf("what is on the chain was forgotten: %+v, %v", forgotten, err)
	}
	sent, err := p.settle(t.Context(), &state)
	if err != nil || sent.Result != "already_done" || len(b.all) != 2 {
		t.Fatalf("%+v, %v, %d transfers", sent, err, len(b.all))
	}
	if state, err = p.load(); err != nil || state.Pending != nil || state.Total != 12 || state.Until["3"] != 400 {
		t.Errorf("%+v, %v", state, err)
	}
	if next := state.next(in, 2_000); next != (memory.Period{Index: 3, From: 400, To: 1_000}) {
		t.Errorf("next is %+v", next)
	}
	in.Head.At = 700 // when this payer got its receipt of an older promise
	if next := state.next(in, 2_000); next != (memory.Period{Index: 3, From: 700, To: 1_000}) {
		t.Errorf("by a later receipt, next is %+v", next)
	}
	state.Until["3"] = 1_000
	if next := state.next(in, 2_000); next.To > next.From {
		t.Errorf("after its term %+v is paid", next)
	}
}

// TestAttackPayments: a node counts what was paid to its wallet for its own promise, if it is
// enough, and once. Who pays too little, to another wallet, or for the promise of another node, has
// paid nothing. Nobody but the node says which wallet is its own.
func TestAttackPayments(t *testing.T) {
	wallet, other := onchain.Address{2}, onchain.Address{3}
	p := memory.Promise{Size: 1 << 20, From: 0, Until: 10 * memory.Day, Rate: 1 << 20}
	part := memory.Period{Index: 3, From: 0, To: memory.Day}
	owed := p.Due(part.From, part.To)
	if owed == 0 {
		t.Fatal("nothing is due")
	}
	node := delegation.Principal{7}
	pay := func(name string, to onchain.Address, lamports uint64, part memory.Period) brainview.Received {
		return brainview.Received{Transfer: brain.Transfer{From: onchain.Address{1}, To: to, Lamports: lamports, Marks: []onchain.Address{part.Mark(node)}}, Signature: name}
	}
	b := &bank{all: []brainview.Received{
		pay("6", wallet, owed, part),
		pay("5", wallet, owed-1, part), pay("4", other, owed, part), pay("3", wallet, owed, memory.Period{Index: 9, From: 0, To: memory.Day}),
		pay("2", wallet, owed, memory.Period{Index: 3, From: 11 * memory.Day, To: 12 * memory.Day}), pay("1", wallet, owed, memory.Period{}),
	}}
	damaged := errors.New("the disk cannot be read")
	e := earnings{file: earnedFile(t.TempDir()), wallet: wallet, node: node, log: slog.New(slog.DiscardHandler), seen: func(ctx context.Context, at onchain.Address, after string) ([]brainview.Received, string, error) {
		all, err := b.seen(ctx, at, after)
		slices.Reverse(all)
		if len(all) == 0 {
			return nil, "", err
		}
		return all, all[len(all)-1].Signature, err
	}, promise: func(at int64) (memory.Inclusion, error) {
		switch {
		case at != 3:
			return memory.Inclusion{}, keep.ErrUnknown
		case damaged != nil:
			return memory.Inclusion{}, damaged
		}
		return memory.Inclusion{Index: 3, Promise: p}, nil
	}}
	if err := e.count(t.Context()); !errors.Is(err, damaged) {
		t.Errorf("a disk that cannot be read: %v", err)
	}
	if got, err := readEarned(e.file); err != nil || got.Last != "1" {
		t.Errorf("before that it has counted %+v, %v", got, err)
	}
	damaged = nil
	for range 2 {
		if err := e.count(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readEarned(e.file)
	if err != nil || got.Lamports != owed || got.Payments != 1 || got.Until["3"] != memory.Day || got.Last != "6" {
		t.Errorf("%+v, %v; one payment of %d", got, err, owed)
	}
	var log bytes.Buffer
	e.wallet, e.log = other, slog.New(slog.NewTextHandler(&log, nil))
	if err := e.count(t.Context()); err != nil || !strings.Contains(log.String(), "counts anew") || !strings.Contains(log.String(), wallet.String()) {
		t.Errorf("another wallet: %v, %s", err, &log)
	}

	var keys []key
	for range 2 {
		id, err := identity.New(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, keyOf(id))
	}
	signed := memory.SignWallet(keys[0], wallet.String())
	if node := keys[0].Principal(); !memory.IsWallet(node, wallet.String(), signed) || memory.IsWallet(node, other.String(), signed) || memory.IsWallet(keys[1].Principal(), wallet.String(), signed) {
		t.Error("a wallet that the node did not sign")
	}
}

// TestMark: a mark says what is paid, and nothing else is one.
func TestMark(t *testing.T) {
	node := delegation.Principal{7}
	part := memory.Period{Index: 7, From: 1_790_000_000, To: 1_790_086_400}
	if got, ok := memory.PeriodOf(node, part.Mark(node)); !ok || got != part {
		t.Errorf("%+v, %v", got, ok)
	}
	for _, bad := range []memory.Period{{Index: -1, From: 1, To: 2}, {Index: memory.MaxLog, From: 1, To: 2}, {From: 2, To: 2}, {From: -1, To: 2}, {From: 1, To: 1 << 60}} {
		if _, ok := memory.PeriodOf(node, bad.Mark(node)); ok {
			t.Errorf("%+v is paid", bad)
		}
	}
	if _, ok := memory.PeriodOf(delegation.Principal{8}, part.Mark(node)); ok {
		t.Error("a payment to another node with the same wallet")
	}
	if _, ok := memory.PeriodOf(node, onchain.Address{1}); ok {
		t.Error("an address is a mark")
	}
}

// TestAttackDearerPromise: what a payer owes is what its receipt says. A node that promises the
// same artifact again, at a rate of its choice, gets nothing by it.
func TestAttackDearerPromise(t *testing.T) {
	id, err := identity.New(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	dir, content, receipt := t.TempDir(), bytes.Repeat([]byte("a result "), 3_000), filepath.Join(t.TempDir(), "receipt.json")
	ask := func(do func(context.Context, *remote.Auditor) error, where string) error {
		c, err := remote.Dial(t.Context(), where, nil, passing)
		if err != nil {
			return err
		}
		return errors.Join(do(t.Context(), c), c.Close())
	}
	var in memory.Inclusion
	t.Run("cheap", func(t *testing.T) {
		err := ask(func(ctx context.Context, c *remote.Auditor) (err error) {
			in, err = c.Put(ctx, content, 240*time.Hour)
			return err
		}, servedFrom(t, id, dir, 1_000))
		if err != nil {
			t.Fatal(err)
		}
	})
	f := audits{samples: 8}
	t.Run("dear", func(t *testing.T) {
		err := ask(func(ctx context.Context, c *remote.Auditor) error {
			again, err := c.Put(ctx, content, 2_400*time.Hour)
			if err != nil || again.Promise.Rate != memory.MaxRate || again.Index == in.Index {
				t.Errorf("the second promise: %+v, %v", again.Promise, err)
			}
			d, kept, err := f.dueFor(ctx, c, paying{Until: map[string]int64{}}, in)
			if want := in.Promise.Due(d.From, d.To); err != nil || !kept || d.Lamports != want || d.Index != in.Index {
				t.Errorf("due %+v, %v, %v; by the receipt %d", d, kept, err, want)
			}
			return nil
		}, servedFrom(t, id, dir, memory.MaxRate))
		if err != nil {
			t.Fatal(err)
		}
	})
	if err := save(receipt, memory.Document{Receipt: &in}); err != nil {
		t.Fatal(err)
	}
	if all, err := receiptsOf([]string{receipt}); err != nil || len(all) != 1 || all[0].Promise != in.Promise {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := receiptsOf([]string{receipt, receipt}); err == nil {
		t.Error("one promise is paid twice")
	}
}

// TestAttackDustBeforeAPayment: somebody names the mark of a payment in more transactions than one
// look reads. The payment is found behind them, so it is not paid twice. An error ends the search,
// and so does a list without an end.
func TestAttackDustBeforeAPayment(t *testing.T) {
	looks := map[string][]string{"": {"dust", "a"}, "a": {"dust", "b"}, "b": {"payment", "c"}}
	down := errors.New("down")
	for _, fails := range []bool{false, true} {
		all, err := received(func(seen string) ([]brainview.Received, string, error) {
			if l := looks[seen]; l != nil {
				return []brainview.Received{{Signature: l[0]}}, l[1], nil
			}
			if fails {
				return nil, "", down
			}
			return nil, "", nil
		})
		if errors.Is(err, down) != fails || (err != nil) != fails || len(all) != 3 || all[2].Signature != "payment" {
			t.Errorf("%d were received, %v", len(all), err)
		}
	}
	if all, err := received(func(string) ([]brainview.Received, string, error) { return make([]brainview.Received, 1), "again", nil }); err == nil || len(all) != maxLooks {
		t.Errorf("%d were received, %v", len(all), err)
	}
}
