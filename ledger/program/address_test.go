package program

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// seeds are those of the table of protocol section 4, byte for byte.
func TestAddresses(t *testing.T) {
	p, a, b := sampleProgram(), pub("creator"), pub("worker")
	data, err := p.Data(a, "memory")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		got   onchain.Address
		seeds [][]byte
	}{
		"Config":       {p.Config(), [][]byte{[]byte("config")}},
		"Rules":        {p.Rules(0x01020304), [][]byte{[]byte("rules"), {4, 3, 2, 1}}},
		"Roster":       {p.Roster(), [][]byte{[]byte("roster")}},
		"Pledge":       {PledgeAt(p, a), [][]byte{[]byte("pledge"), a[:]}},
		"Admission":    {p.Admission(a), [][]byte{[]byte("admission"), a[:]}},
		"RegistryPage": {p.RegistryPage(0x01020304), [][]byte{[]byte("registry"), {4, 3, 2, 1}}},
		"Agent":        {p.Agent(a), [][]byte{[]byte("agent"), a[:]}},
		"AgentData":    {data, [][]byte{[]byte("data"), a[:], []byte("memory")}},
		"Task":         {p.Task(a, 0x0102030405060708), [][]byte{[]byte("task"), a[:], {8, 7, 6, 5, 4, 3, 2, 1}}},
		"Case":         {p.Case(a), [][]byte{[]byte("case"), a[:]}},
		"Channel":      {p.Channel(a, b), [][]byte{[]byte("channel"), a[:], b[:]}},
	} {
		want, _, err := solana.FindProgramAddress(c.seeds, solana.PublicKey(pub("program")))
		if err != nil || c.got != onchain.Address(want) {
			t.Errorf("%s: %s, not %s: %v", name, c.got, want, err)
		}
	}
	want, _, err := solana.FindProgramAddress([][]byte{a[:]}, solana.BPFLoaderUpgradeableProgramID)
	if err != nil || New(a).ProgramData() != onchain.Address(want) {
		t.Errorf("program data at %s, not %s: %v", New(a).ProgramData(), want, err)
	}
	if Ed25519ProgramID().String() != "Ed25519SigVerify111111111111111111111111111" {
		t.Errorf("the Ed25519 program is at %s", Ed25519ProgramID())
	}
}

// Discriminators of Anchor's own test suite and of the shell: printf 'account:Config' | sha256sum |
// cut -c1-16
func TestDiscriminator(t *testing.T) {
	for _, c := range []struct{ space, name, want string }{
		{"account", "Config", "9b0caae01efacc82"},
		{"global", "initialize", "afaf6d1f0d989bed"},
	} {
		if d := Discriminator(c.space, c.name); hex.EncodeToString(d[:]) != c.want {
			t.Errorf("%s:%s is %x, not %s", c.space, c.name, d, c.want)
		}
	}
}
