package difftest_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
)

// lookupSlot is the running slot of lookupCases. SlotHashes has the 512 slots before it.
const lookupSlot = 1000

// tableHead is what stands before the addresses of a lookup table.
type tableHead struct {
	kind            uint32
	ended, extended uint64
	start, option   byte
}

func (h tableHead) data(addresses ...solana.PublicKey) []byte {
	out := binary.LittleEndian.AppendUint32(nil, h.kind)
	out = binary.LittleEndian.AppendUint64(out, h.ended)
	out = binary.LittleEndian.AppendUint64(out, h.extended)
	out = append(out, h.start, h.option)
	out = append(out, make([]byte, 34)...)
	for _, a := range addresses {
		out = append(out, a[:]...)
	}
	return out
}

// lookupCases are transactions of version 0 that name accounts by lookup tables.
func lookupCases(t *testing.T) []difftest.Case {
	payer, to, other := difftest.Address("payer"), difftest.Address("to"), difftest.Address("other")
	whole := tableHead{1, math.MaxUint64, lookupSlot - 1, 0, 1}
	env := accounts.DefaultEnvironment()
	env.Clock.Slot = lookupSlot
	for n := range uint64(512) {
		env.SlotHashes = append(env.SlotHashes, accounts.SlotHash{Slot: lookupSlot - 1 - n, Hash: solana.Hash{byte(n)}})
	}
	var out []difftest.Case
	owner := solana.AddressLookupTableProgramID
	place := func(n byte) solana.PublicKey { return difftest.Address(fmt.Sprint("table", n)) }
	type message = solana.Message
	// play pays one sol from account 0 to account to of a message whose own accounts are the payer,
	// the system program and the program reader.
	play := func(name string, target uint16, change func(*message), tables ...accounts.Account) {
		m := message{
			AccountKeys: []solana.PublicKey{payer, solana.SystemProgramID, difftest.Address("reader")},
			Header:      solana.MessageHeader{NumRequiredSignatures: 1, NumReadonlyUnsignedAccounts: 2}, RecentBlockhash: env.Blockhash,
			Instructions: []solana.CompiledInstruction{{ProgramIDIndex: 1, Accounts: []uint16{0, target}, Data: data(uint32(2), uint64(sol))}},
		}
		if _, err := m.SetVersion(solana.MessageVersionV0); err != nil {
			t.Fatal(err)
		}
		change(&m)
		c := difftest.Case{Name: "lookup-" + name, Env: env, Accounts: append(transactionAccounts(), difftest.Wallet(other, sol))}
		for i, table := range tables {
			c.Accounts = append(c.Accounts, accounts.Keyed{Key: place(byte(i)), Account: table})
		}
		made, err := difftest.Finish(&solana.Transaction{Message: m}, difftest.Key("payer"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made.Watch = []solana.PublicKey{payer, to, other, place(0)}
		c.Transactions = []difftest.Transaction{made}
		out = append(out, withPrograms(c))
	}
	table := func(data []byte) accounts.Account { return difftest.Owned(place(0), owner, sol, data).Account }
	look := func(n byte, writable, readonly []uint8) func(*message) {
		return func(m *message) {
			m.AddressTableLookups = append(m.AddressTableLookups, solana.MessageAddressTableLookup{
				AccountKey: place(n), WritableIndexes: writable, ReadonlyIndexes: readonly,
			})
		}
	}
	both := func(all ...func(*message)) func(*message) {
		return func(m *message) {
			for _, f := range all {
				f(m)
			}
		}
	}
	write, good := look(0, []uint8{0}, nil), table(whole.data(to, other))
	play("writable", 3, write, good)
	play("readonly", 3, look(0, nil, []uint8{0}), good)
	play("second", 3, look(0, []uint8{1}, nil), good)
	play("both", 4, look(0, []uint8{1, 0}, nil), good)
	play("writable-before-readonly", 4, look(0, []uint8{1}, []uint8{0}), good)
	play("no-table", 3, write)
	play("empty-table", 3, write, table(whole.data()))
	play("poor-table", 3, write, accounts.Account{Owner: owner, Data: whole.data(to)})
	play("beyond", 3, look(0, []uint8{2}, nil), good)
	play("beyond-readonly", 3, look(0, nil, []uint8{255}), good)
	play("nothing-asked", 0, look(0, nil, nil), good)
	play("twice", 3, look(0, []uint8{0, 0}, nil), good)
	play("twice-readonly", 3, look(0, []uint8{0}, []uint8{0}), good)
	play("own-account", 3, write, table(whole.data(payer)))
	play("target-beyond", 4, write, good)
	for _, o := range []solana.PublicKey{solana.SystemProgramID, difftest.Address("reader")} {
		play("owner-"+o.String()[:4], 3, write, accounts.Account{Lamports: sol, Owner: o, Data: whole.data(to)})
	}
	for _, n := range []int{0, 3, 4, 21, 22, 24, 55, 56, 57, 87, 88, 89, 119, 120} {
		play(fmt.Sprint("length-", n), 3, write, table(whole.data(to, other)[:n]))
	}
	for _, kind := range []uint32{0, 2, 1 << 24} {
		h := whole
		h.kind = kind
		play(fmt.Sprint("kind-", kind), 3, write, table(h.data(to)))
	}
	for _, option := range []byte{0, 2} {
		h := whole
		h.option = option
		play(fmt.Sprint("authority-", option), 3, write, table(h.data(to)))
	}
	for _, ended := range []uint64{0, 1, lookupSlot - 513, lookupSlot - 512, lookupSlot - 1, lookupSlot, lookupSlot + 1, math.MaxUint64 - 1} {
		h := whole
		h.ended = ended
		play(fmt.Sprint("deactivated-", ended), 3, write, table(h.data(to)))
	}
	for _, extended := range []uint64{0, lookupSlot - 1, lookupSlot, lookupSlot + 1, math.MaxUint64} {
		for _, start := range []byte{0, 1, 2, 3, 255} {
			h := whole
			h.extended, h.start = extended, start
			for _, index := range []uint8{0, 1} {
				play(fmt.Sprint("extended-", extended, "-", start, "-", index), 3, look(0, []uint8{index}, nil), table(h.data(to, other)))
			}
		}
	}
	play("two-tables", 4, both(look(1, nil, []uint8{0}), look(0, []uint8{0}, nil)), good, table(whole.data(other)))
	play("two-tables-swapped", 3, both(look(1, []uint8{0}, nil), look(0, []uint8{0}, nil)), good, table(whole.data(other)))
	play("same-table-twice", 3, both(look(0, []uint8{0}, nil), look(0, []uint8{1}, nil)), good)
	play("same-account-of-two", 3, both(look(0, []uint8{0}, nil), look(1, []uint8{0}, nil)), good, table(whole.data(to)))
	reserved := table(whole.data(solana.SysVarClockPubkey, solana.SysVarInstructionsPubkey, difftest.Address("failing")))
	for i := range uint8(3) {
		play(fmt.Sprint("reserved-", i), 3, look(0, []uint8{i}, nil), reserved)
		play(fmt.Sprint("read-", i), 3, both(look(0, []uint8{i}, nil), func(m *message) {
			m.Instructions[0] = solana.CompiledInstruction{ProgramIDIndex: 2, Accounts: []uint16{3, 0}, Data: data("some data")}
		}), reserved)
		play(fmt.Sprint("program-", i), 3, both(look(0, nil, []uint8{i}), func(m *message) {
			m.Instructions[0] = solana.CompiledInstruction{ProgramIDIndex: 3, Accounts: []uint16{0}}
		}), reserved)
	}
	play("signer", 3, both(write, func(m *message) {
		m.Instructions[0].Accounts = []uint16{3, 0}
	}), good)
	for _, n := range []int{60, 61, 62, 124, 125, 126, 252, 253, 254} {
		var many []solana.PublicKey
		var all []uint8
		for i := range n {
			many = append(many, difftest.Address(fmt.Sprint("many", i)))
			all = append(all, uint8(i))
		}
		many[0] = to
		play(fmt.Sprint("accounts-", n), 3, look(0, all, nil), table(whole.data(many...)))
		slices.Reverse(all)
		play(fmt.Sprint("accounts-reversed-", n), 3, look(0, nil, all), table(whole.data(many...)))
	}
	return out
}
