package signers

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"ojud/ledger/onchain"
	"ojud/voting"
)

func key(n byte) onchain.Address { return onchain.Address{n} }

// account is the data that the program keeps for a group.
func (g Keys) account() []byte {
	data := append(discriminator("account:Group"), version, 255, g.Threshold, uint8(len(g.Members)), 0, 0, 0, 0)
	return append(data, g.body()...)
}

func TestNewKeys(t *testing.T) {
	for _, c := range []struct {
		threshold int
		members   []onchain.Address
		want      string // in the error
	}{
		{2, []onchain.Address{key(3), key(1), key(2)}, ""},
		{1, []onchain.Address{key(1)}, ""},
		{1, []onchain.Address{key(1), key(2)}, "a majority, 2 to 2"},
		{3, []onchain.Address{key(1), key(2)}, "a majority, 2 to 2"},
		{0, nil, "1 to 16 members, not 0"},
		{9, make([]onchain.Address, 17), "1 to 16 members, not 17"},
		{2, []onchain.Address{key(1), {}}, "zero address"},
		{2, []onchain.Address{key(1), key(2), key(1)}, "twice"},
	} {
		g, err := NewKeys(c.threshold, c.members...)
		if c.want == "" && (err != nil || g.Members[0] != key(1)) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d of %v: %v, %v", c.threshold, c.members, g, err)
		}
	}
}

// TestAddressOfGroup: who changes a group has another one.
func TestAddressOfGroup(t *testing.T) {
	at := map[onchain.Address]bool{}
	for _, g := range []Keys{
		{2, []onchain.Address{key(1), key(2)}}, {2, []onchain.Address{key(1), key(3)}}, {2, []onchain.Address{key(1), key(2), key(3)}},
		{3, []onchain.Address{key(1), key(2), key(3)}},
	} {
		at[g.Address(key(9))], at[g.Address(key(8))] = true, true
	}
	if len(at) != 8 {
		t.Errorf("%d addresses for 4 groups of 2 programs", len(at))
	}
}

func TestDecode(t *testing.T) {
	g, err := NewKeys(2, key(5), key(4), key(6))
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeKeys(g.account())
	if err != nil || got.Threshold != 2 || got.Address(key(9)) != g.Address(key(9)) {
		t.Errorf("%+v, %v", got, err)
	}
	for place, value := range map[int]byte{0: 0, 8: 1, 10: 1, 11: 17, headSize: 200, groupSize - 1: 1} {
		bad := g.account()
		bad[place] = value
		if _, err := DecodeKeys(bad); err == nil {
			t.Errorf("byte %d is %d, and it is a group", place, value)
		}
	}
	b := append(discriminator("account:Ballot"), version, 255, 1, 0, 0, 0, 0, 0)
	group, subject := key(7), key(8)
	b = append(append(append(b, group[:]...), subject[:]...), bytes.Repeat([]byte{1}, MaxMembers)...)
	ballot, err := DecodeBallot(b)
	if err != nil || ballot.Group != group || ballot.Subject != subject || ballot.Decided != voting.ForWorker || ballot.Signed[15] != voting.ForWorker {
		t.Errorf("%+v, %v", ballot, err)
	}
	b[ballotSize-1] = 4
	if _, err := DecodeBallot(b); err == nil {
		t.Error("a fourth verdict")
	}
}

func TestInstructions(t *testing.T) {
	g, err := NewKeys(2, key(1), key(2))
	if err != nil {
		t.Fatal(err)
	}
	i := Create(Devnet(), key(3), g)
	if len(i.Data) != 8+1+4+64 || binary.LittleEndian.Uint32(i.Data[9:]) != 2 || i.Accounts[1].Address != g.Address(Devnet()) {
		t.Errorf("%+v", i)
	}
	i = Sign(Devnet(), key(3), key(1), g.Address(Devnet()), key(7), voting.ForCreator)
	if len(i.Data) != 8+32+1 || i.Data[40] != 2 || !i.Accounts[1].Signer || i.Accounts[1].Writable {
		t.Errorf("%+v", i)
	}
}

func FuzzDecode(f *testing.F) {
	g, err := NewKeys(2, key(1), key(2), key(3))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(g.account())
	f.Add(append(append(discriminator("account:Ballot"), version), make([]byte, ballotSize-9)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		if g, err := DecodeKeys(data); err == nil {
			again := g.account()
			again[9] = data[9]
			copy(again[12:16], data[12:16])
			if !bytes.Equal(again, data) {
				t.Errorf("%x is %x", data, again)
			}
		}
		if b, err := DecodeBallot(data); err == nil && b.Decided > voting.Undecided {
			t.Errorf("decided %d", b.Decided)
		}
	})
}
