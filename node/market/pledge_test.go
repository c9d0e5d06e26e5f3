package market

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/tokens"
	"ojud/voting"
)

func (f *fake) Accounts(_ context.Context, all ...onchain.Address) (out []*ledger.Account, slot uint64, err error) {
	for _, at := range all {
		out = append(out, f.mints[at])
	}
	return out, 1, nil
}

// TestPledges: tokens beside a reward are shown by the address of their mint, in whole tokens. A
// mint that cannot be read, or is not safe, hides no task.
func TestPledges(t *testing.T) {
	t.Parallel()
	f := &fake{mints: map[onchain.Address]*ledger.Account{}}
	mint := func(n byte, program onchain.Address, extension uint16) onchain.Address {
		data := make([]byte, tokens.MintSize)
		data[44], data[45] = 6, 1
		if extension != 0 {
			data = append(data, make([]byte, tokens.AccountSize-tokens.MintSize)...)
			data = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(append(data, 1), extension), 64)
			data = append(data, make([]byte, 64)...)
		} else {
			data[46], data[50] = 1, 8 // a freezer
		}
		at := onchain.Address{50, n}
		f.mints[at] = &ledger.Account{Address: at, Owner: program, Data: data}
		return at
	}
	const hook = 14
	mints := []onchain.Address{mint(0, tokens.SPL(), 0), mint(1, tokens.Token2022(), hook), {50, 2}}
	for n, m := range mints {
		task := onchain.Address{7, byte(n)}
		of := program.Task{Status: program.Created, RewardMax: 5, Escrow: 5, CreatedAt: int64(n)}
		f.add(task, of)
		p := program.Pledge{Task: task, Mint: m, Amount: 12_500_000}
		f.pledges = append(f.pledges, &ledger.Account{Address: onchain.Address{8, byte(n)}, Data: p.Encode()})
	}
	m, err := New(f, func(context.Context, voting.Hash) ([]byte, error) { return nil, errors.New("none") }).Read(t.Context())
	if err != nil || len(m.Offers) != 3 {
		t.Fatalf("%+v, %v", m, err)
	}
	unread, hooked, good := m.Offers[0].Pledge, m.Offers[1].Pledge, m.Offers[2].Pledge
	if good.Amount != "12.5" || good.Mint != mints[0] || !good.Freezable || good.Refused != "" {
		t.Errorf("%+v", good)
	}
	if hooked.Refused == "" || hooked.Mint != mints[1] {
		t.Errorf("a mint with a hook: %+v", hooked)
	}
	if unread.Amount != "12500000 units" {
		t.Errorf("no mint: %+v", unread)
	}
}
