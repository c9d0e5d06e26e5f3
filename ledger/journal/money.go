package journal

import (
	"fmt"
	"maps"
	"slices"
)

// Money keeps the promises of payment that this node gave and got, in the form that package
// node/payment writes: keys of 1 to maxMoneyKey bytes, values of 1 to maxMoney. If a promise is
// lost here, it is paid twice or never. So keep each one before it is sent.
type Money struct{ journal *Journal }

// The limits of Money, in bytes.
const (
	maxMoneyKey = 128
	maxMoney    = 4 << 10
)

// Money returns the store of payments.
func (j *Journal) Money() Money { return Money{j} }

// Get returns a copy of a value; nil when there is none.
func (m Money) Get(key []byte) ([]byte, error) { return m.journal.read(moneyKey(key)) }

// Each calls f with every key that begins with prefix, in the order of their bytes, and its value.
// Neither may be kept, and f must not write.
func (m Money) Each(prefix []byte, f func(key, value []byte) error) error {
	return m.journal.scan(moneyKey(prefix), func(key, value []byte) error { return f(key[1:], value) })
}

// Put keeps all values or none, in one synced transaction, before it returns. An empty value
// removes its key.
func (m Money) Put(all map[string][]byte) error {
	items := make([]item, 0, len(all))
	for _, k := range slices.Sorted(maps.Keys(all)) {
		value := all[k]
		if k == "" || len(k) > maxMoneyKey || len(value) > maxMoney {
			return fmt.Errorf("%w: payment of %d bytes under a key of %d; at most %d under 1 to %d", ErrInvalid, len(value), len(k), maxMoney, maxMoneyKey)
		}
		if len(value) == 0 {
			value = nil
		}
		items = append(items, item{moneyKey([]byte(k)), value})
	}
	return m.journal.write("money", items...)
}

func moneyKey(k []byte) []byte { return key(moneyKind, k) }
