package bank

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

// layer is one slot: the accounts that it changed, on top of the earlier layers, and the
// environment of its transactions. It is immutable when it is sealed.
type layer struct {
	slot, parent, height uint64
	time                 int64 // Unix seconds
	env                  *accounts.Environment
	accounts             map[solana.PublicKey]accounts.Account // without lamports: deleted

	transactions     []*Transaction
	first            uint64 // sequence of its first transaction
	signatures, fees uint64
	blockhash        solana.Hash // the newest one that readers see: its own if sealed, otherwise its parent's
}

// lookup finds an account as of the i-th layer.
func (b *state) lookup(i int, key solana.PublicKey) (accounts.Account, bool) {
	for ; i >= 0; i-- {
		if a, ok := b.layers[i].accounts[key]; ok {
			return a, a.Lamports > 0
		}
	}
	a, ok := b.root.all[key]
	return a, ok
}

// source is the state as of a layer; -1 is the finalized state.
type source struct {
	state *state
	index int
}

var _ accounts.Snapshot = source{}

func (s source) Account(key solana.PublicKey) (accounts.Account, bool) {
	return s.state.lookup(s.index, key)
}

// open returns the slot that takes transactions.
func (b *state) open() *layer { return b.layers[len(b.layers)-1] }

// at returns the layer of a commitment level and its index, or -1 for the finalized one.
func (b *state) at(level Level) (*layer, int) {
	i := len(b.layers) - 1
	switch level {
	case Finalized:
		return b.rooted, -1
	case Confirmed:
		i--
	}
	if i < 0 {
		return b.rooted, -1
	}
	return b.layers[i], i
}

// push opens a slot on top of the sealed ones.
func (b *state) push(slot, parent, height uint64, time int64) {
	l := &layer{
		slot: slot, parent: parent, height: height, time: time,
		accounts: map[solana.PublicKey]accounts.Account{},
		first:    b.history.next(),
	}
	before := b.rooted
	if len(b.layers) > 0 {
		before = b.open()
	}
	l.blockhash = before.blockhash
	l.env = b.environment(l, before.epochStart(slot/slotsPerEpoch, time))
	for _, a := range b.sysvars(l.env) {
		l.accounts[a.Key] = a.Account
	}
	b.layers = append(b.layers, l)
}

// finalize merges the layers that have become final into the root and returns them.
func (b *state) finalize() []*layer {
	tip := b.open().height - 1 // of the newest sealed slot
	var out []*layer
	for b.layers[0].height+uint64(b.config.FinalityBlocks) <= tip {
		l := b.layers[0]
		for key, a := range l.accounts {
			b.root.set(key, a)
		}
		b.rooted, b.layers = l, append(b.layers[:0:0], b.layers[1:]...)
		out = append(out, l)
	}
	return out
}
