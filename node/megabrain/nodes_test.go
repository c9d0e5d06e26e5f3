package megabrain

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// shelves are memory nodes by their addresses.
type shelves map[string]*shelf

func (p shelves) reach(address string) Archive {
	if s := p[address]; s != nil {
		return s
	}
	return node{errors.New(address + " is no node of the test")}
}

// TestNamedNodes: who knows a task alone finds the document of its class on the memory nodes that
// the task names, and everything else on those that the document names.
func TestNamedNodes(t *testing.T) {
	document := []byte(`{"about":"","meaning":["/a"],"memory":["http://one","http://two"],"name":"x"}`)
	id := sha256.Sum256(document)
	far := shelves{"http://one": {kept: map[[32]byte][]byte{id: document}}, "http://two": {kept: map[[32]byte][]byte{}}, "http://liar": {kept: map[[32]byte][]byte{id: []byte("{}")}}}
	told, asked := brain.Told{There: true, Metadata: []byte("http://liar http://one")}, 0
	d := &Desk{store: Folder{Dir: t.TempDir()}, nodes: &nodes{reach: far.reach, made: func(context.Context, onchain.Address, *brain.TaskAccount) (brain.Told, error) {
		asked++
		return told, nil
	}}}
	class, task := &brain.ClassAccount{ID: id}, Seen{Task: &brain.TaskAccount{}}
	if s, err := storeOf(t.Context(), d, class, Seen{}); err != nil || len(s.Named) != 0 || asked != 0 {
		t.Errorf("without a task: %v, %v", s.Named, err)
	}
	d.nodes.tried = nil
	for range 2 {
		s, err := storeOf(t.Context(), d, class, task)
		if err != nil || !slices.Equal(s.Named, []Archive{far["http://one"], far["http://two"]}) || asked != 1 {
			t.Fatalf("%v, %v, after %d transactions", s.Named, err, asked)
		}
	}
	if got := d.nodes.of(id); !slices.Equal(got, []string{"http://one", "http://two"}) {
		t.Errorf("they are %v", got)
	}
	s, err := storeOf(t.Context(), d, class, task)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Give(t.Context(), []byte("a result")); err != nil || far["http://two"].puts != 1 || far["http://one"].puts != 1 {
		t.Errorf("it was not given to both: %v", err)
	}

	none := &brain.ClassAccount{ID: [32]byte{9}} // nobody has its document
	for i := range 2 {
		if s, err := storeOf(t.Context(), d, none, task); err != nil || len(s.Named) != 2*(1-i) || asked != 2 {
			t.Errorf("look %d: %v, %v, after %d transactions", i, s.Named, err, asked)
		}
	}
}

// TestAttackOneNode: a worker gives its result to one node of four, which answers whom it likes.
// Who gives content does not take that for kept, and one node that is down keeps nobody from it.
func TestAttackOneNode(t *testing.T) {
	t.Parallel()
	for down, want := range []string{"", "", "", "1 of the 4 memory nodes", "0 of the 4 memory nodes"} {
		var s Folder
		for i := range 4 {
			s.Named = append(s.Named, &shelf{kept: map[[32]byte][]byte{}, down: i < down})
		}
		if err := s.Give(t.Context(), []byte("a result")); (want == "") != (err == nil) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%d are down: %v", down, err)
		}
	}
}
