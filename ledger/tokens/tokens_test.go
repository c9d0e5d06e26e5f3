package tokens_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/tokens"
)

func mint(extensions ...uint16) []byte {
	data := make([]byte, tokens.MintSize)
	data[44], data[45] = 6, 1
	if len(extensions) == 0 {
		return data
	}
	data = append(append(data, make([]byte, tokens.AccountSize-tokens.MintSize)...), 1)
	for _, e := range extensions {
		data = append(binary.LittleEndian.AppendUint16(data, e), 3, 0, 9, 9, 9)
	}
	return append(data, 0, 0, 0)
}

func TestSafe(t *testing.T) {
	t.Parallel()
	at := onchain.Address{7}
	refused := map[uint16]error{
		1: tokens.ErrTransferFee, 3: tokens.ErrMintClose, 4: tokens.ErrConfidential, 6: tokens.ErrDefaultState, 9: tokens.ErrNonTransferable,
		10: tokens.ErrChangedAmount, 12: tokens.ErrPermanentDelegate, 14: tokens.ErrTransferHook, 16: tokens.ErrConfidential,
		24: tokens.ErrConfidential, 25: tokens.ErrChangedAmount, 26: tokens.ErrPausable,
	}
	for kind := range uint16(200) {
		m, err := tokens.DecodeMint(at, tokens.Token2022(), mint(18, kind))
		if err != nil {
			t.Fatal(kind, err)
		}
		want := refused[kind]
		switch {
		case kind == 0 || kind >= 18 && kind <= 23:
			if err := m.Safe(); err != nil {
				t.Errorf("extension %d: %v", kind, err)
			}
			continue
		case want == nil:
			want = tokens.ErrUnknownExtension
		}
		if err := m.Safe(); !errors.Is(err, want) || !strings.Contains(err.Error(), at.String()) {
			t.Errorf("extension %d is %v, not %v", kind, err, want)
		}
	}
	both, err := tokens.DecodeMint(at, tokens.Token2022(), mint(14, 12))
	if err != nil || !errors.Is(both.Safe(), tokens.ErrTransferHook) || !errors.Is(both.Safe(), tokens.ErrPermanentDelegate) {
		t.Errorf("both are named: %v, %v", both.Safe(), err)
	}
}

func TestHostileMints(t *testing.T) {
	t.Parallel()
	long := mint(19)
	binary.LittleEndian.PutUint16(long[tokens.AccountSize+3:], math.MaxUint16)
	many := mint(make([]uint16, 1)...)[:tokens.AccountSize+1]
	for range 100 {
		many = append(many, 18, 0, 0, 0)
	}
	account := append(make([]byte, tokens.AccountSize), 2, 0, 0)
	account[45] = 1
	unborn := mint()
	unborn[45] = 0
	for name, c := range map[string]struct {
		owner onchain.Address
		data  []byte
	}{
		"of another program": {onchain.Address{9}, mint()},
		"empty":              {tokens.SPL(), nil},
		"short":              {tokens.SPL(), mint()[:81]},
		"not initialized":    {tokens.SPL(), unborn},
		"extended SPL Token": {tokens.SPL(), mint(18)},
		"a token account":    {tokens.Token2022(), account},
		"a plain account":    {tokens.SPL(), account[:tokens.AccountSize]},
		"a multisig":         {tokens.Token2022(), append(mint(18), make([]byte, 355-len(mint(18)))...)},
		"a length too long":  {tokens.Token2022(), long},
		"cut in a head":      {tokens.Token2022(), mint(18)[:tokens.AccountSize+1+3]},
		"too many":           {tokens.Token2022(), many},
		"too large":          {tokens.Token2022(), append(mint(18), make([]byte, 1<<16)...)},
	} {
		if m, err := tokens.DecodeMint(onchain.Address{7}, c.owner, c.data); !errors.Is(err, tokens.ErrNoMint) {
			t.Errorf("%s is a mint: %+v, %v", name, m, err)
		}
	}
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte{1}, tokens.AccountSize)
	data[108] = 1
	for _, c := range []struct {
		owner onchain.Address
		data  []byte
		state byte
		is    bool
	}{
		{tokens.SPL(), data, 1, true}, {tokens.Token2022(), data, 2, true}, {tokens.Token2022(), append(bytes.Clone(data), 2), 1, true},
		{tokens.SPL(), append(bytes.Clone(data), 2), 1, false}, {tokens.Token2022(), append(bytes.Clone(data), 1), 1, false},
		{tokens.SPL(), data, 0, false}, {tokens.SPL(), data, 3, false}, {onchain.Address{1}, data, 1, false}, {tokens.SPL(), data[:164], 1, false},
	} {
		c.data = bytes.Clone(c.data)
		if len(c.data) > 108 {
			c.data[108] = c.state
		}
		a, err := tokens.DecodeAccount(c.owner, c.data)
		if (err == nil) != c.is {
			t.Errorf("%d bytes, state %d: %+v, %v", len(c.data), c.state, a, err)
		}
		if err == nil && (a.Frozen != (c.state == 2) || a.Amount != 0x0101010101010101 || a.Owner[31] != 1) {
			t.Errorf("%+v", a)
		}
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		units    uint64
		decimals uint8
		text     string
	}{
		{0, 0, "0"}, {0, 6, "0"}, {1, 0, "1"}, {1_500_000, 6, "1.5"}, {1, 6, "0.000001"}, {10, 1, "1"}, {math.MaxUint64, 0, "18446744073709551615"},
		{math.MaxUint64, 19, "1.8446744073709551615"}, {math.MaxUint64, 20, "0.18446744073709551615"},
		{1, 255, "0." + strings.Repeat("0", 254) + "1"}, {math.MaxUint64, 255, "0." + strings.Repeat("0", 235) + "18446744073709551615"},
	} {
		if got := tokens.Amount(c.units, c.decimals); got != c.text {
			t.Errorf("%d with %d decimals is %s, not %s", c.units, c.decimals, got, c.text)
		}
		if got, err := tokens.Parse(c.text, c.decimals); err != nil || got != c.units {
			t.Errorf("%s is %d, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", " 1", "1.0000001", "18446744073709.551616", "٣", "1_0", strings.Repeat("1", 400), "0x1", "1.5 USDC"} {
		if got, err := tokens.Parse(text, 6); !errors.Is(err, tokens.ErrAmount) {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("1.5", uint8(6))
	f.Add("0", uint8(255))
	f.Fuzz(func(t *testing.T, text string, decimals uint8) {
		n, err := tokens.Parse(text, decimals)
		if err != nil {
			return
		}
		if again, err := tokens.Parse(tokens.Amount(n, decimals), decimals); err != nil || again != n {
			t.Errorf("%q is %d, which is written %s: %d, %v", text, n, tokens.Amount(n, decimals), again, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(mint(18, 19))
	f.Add(mint())
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, owner := range []onchain.Address{tokens.SPL(), tokens.Token2022()} {
			if m, err := tokens.DecodeMint(onchain.Address{1}, owner, data); err == nil && m.Safe() == nil {
				tokens.Names(m.Extensions)
			}
			if _, err := tokens.DecodeAccount(owner, data); err != nil && !errors.Is(err, tokens.ErrNoAccount) {
				t.Error(err)
			}
		}
	})
}
