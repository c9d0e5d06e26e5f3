package oju_test

import (
	"flag"
	"maps"
	"os"
	"slices"
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm"
	"ojud/programs/oju"
	"ojud/voting"
)

var other = flag.String("elf", "", "attack this program file instead of the committed one")

// attacked returns the program under attack.
func attacked(t *testing.T) []byte {
	t.Helper()
	if *other == "" {
		return oju.ELF()
	}
	elf, err := os.ReadFile(*other)
	if err != nil {
		t.Fatal(err)
	}
	return elf
}

// alone returns a chain for an attack. It is not compared with LiteSVM; the test states the
// expected result.
func alone(t *testing.T) *scene {
	t.Helper()
	runtime, err := svm.New(svm.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return bare(t, &suite{runtime: runtime, elf: attacked(t), alone: true, seen: map[string]map[outcome]bool{}}, t.Name())
}

// fork runs another story from here on, and then restores the state.
func (s *scene) fork(story func()) {
	s.t.Helper()
	accounts, base, env := maps.Clone(s.accounts), s.base, s.env
	story()
	s.flush()
	s.accounts, s.base, s.env = accounts, base, env
}

// refused sends instructions that must be refused with that code. Only the fee may change.
func (s *scene) refused(want program.Code, list ...onchain.Instruction) {
	s.t.Helper()
	held := maps.Clone(s.accounts)
	s.no(want, list...)
	for at, a := range held {
		if now := s.accounts[at]; at != s.at("payer") && (now.Lamports != a.Lamports || now.Owner != a.Owner || string(now.Data) != string(a.Data)) {
			s.t.Fatalf("refused, but %s changed", at)
		}
	}
	if len(held) != len(s.accounts) {
		s.t.Fatal("refused, but an account came or went")
	}
}

func (s *scene) vault(name string) uint64 { return s.agentOf(name).Vault }

// entry returns a judge's place on the Roster.
func (s *scene) entry(name string) *program.RosterEntry {
	s.t.Helper()
	r := s.roster()
	n := r.Find(voting.Key(s.at(name)))
	if n < 0 {
		s.t.Fatalf("%s is not on the roster", name)
	}
	return &r.Entries[n]
}

// lamports returns the sum of all lamports.
func (s *scene) lamports() (sum uint64) {
	for _, a := range s.accounts {
		sum += a.Lamports
	}
	return sum
}

// same checks equality.
func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// without returns an instruction that lacks an account.
func without(i onchain.Instruction, n int) onchain.Instruction {
	i.Accounts = slices.Delete(slices.Clone(i.Accounts), n, n+1)
	return i
}
