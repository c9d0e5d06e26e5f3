// Package table resolves address lookup tables. Transactions of version 0 name accounts by their
// places in such tables, which a program keeps as accounts. That program is loaded like any other
// (ledger/devnet/spl). The caller resolves a message in the slot in which it runs it, because
// tables change.
package table

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
)

// head is the size of what stands before a table's addresses: kind u32, slot of the deactivation
// u64, slot of the last extension u64, number of addresses before that u8, and the authority.
const head = 56

// Addresses are the accounts that a message names by tables, in the order of their numbers.
type Addresses struct{ Writable, Readonly []solana.PublicKey }

// Resolve looks a message's addresses up. Agave: load_lookup_table_addresses.
func Resolve(m *solana.Message, env *accounts.Environment, source accounts.Snapshot) (all Addresses, err *failure.TransactionError) {
	for _, l := range m.AddressTableLookups {
		account, ok := source.Account(l.AccountKey)
		if !ok || account.Lamports == 0 {
			return Addresses{}, failure.Reject(failure.ErrAddressLookupTableNotFound)
		}
		table, err := active(account, env)
		if err != nil {
			return Addresses{}, err
		}
		for _, place := range slices.Concat(l.WritableIndexes, l.ReadonlyIndexes) {
			if int(place) >= len(table) {
				return Addresses{}, failure.Reject(failure.ErrInvalidAddressLookupTableIndex)
			}
		}
		for _, place := range l.WritableIndexes {
			all.Writable = append(all.Writable, table[place])
		}
		for _, place := range l.ReadonlyIndexes {
			all.Readonly = append(all.Readonly, table[place])
		}
	}
	return all, nil
}

// Keys returns all accounts of a message that has these: its own ones come first.
func (a Addresses) Keys(own []solana.PublicKey) []solana.PublicKey {
	return slices.Concat(own, a.Writable, a.Readonly)
}

// active returns the addresses of a table that transactions of the running slot may use. Those of
// the last extension count from the next slot on. A table that was deactivated counts as long as
// that slot stands in SlotHashes. Agave: solana-address-lookup-table-interface 3.0.
func active(table accounts.Account, env *accounts.Environment) ([]solana.PublicKey, *failure.TransactionError) {
	if table.Owner != solana.AddressLookupTableProgramID {
		return nil, failure.Reject(failure.ErrInvalidAddressLookupTableOwner)
	}
	le, data := binary.LittleEndian, table.Data
	if len(data) < head || le.Uint32(data) != 1 || data[21] > 1 || (len(data)-head)%solana.PublicKeyLength != 0 {
		return nil, failure.Reject(failure.ErrInvalidAddressLookupTableData)
	}
	ended, extended := le.Uint64(data[4:]), le.Uint64(data[12:])
	known := func(h accounts.SlotHash) bool { return h.Slot == ended }
	if ended != math.MaxUint64 && ended != env.Clock.Slot && !slices.ContainsFunc(env.SlotHashes, known) {
		return nil, failure.Reject(failure.ErrAddressLookupTableNotFound)
	}
	var out []solana.PublicKey
	for key := range slices.Chunk(data[head:], solana.PublicKeyLength) {
		out = append(out, solana.PublicKeyFromBytes(key))
	}
	if env.Clock.Slot > extended {
		return out, nil
	}
	if int(data[20]) > len(out) {
		return nil, failure.Reject(failure.ErrInvalidAddressLookupTableData)
	}
	return out[:data[20]], nil
}
