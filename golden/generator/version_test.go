package generator

import (
	"bytes"
	"testing"
)

// TestVersions: a version is the hash of what its generator makes from fixed seeds. If this test
// fails after a change on purpose, the generator is another one: write the new version, and keep
// the old generator as long as batches of it are open.
func TestVersions(t *testing.T) {
	for _, s := range sources() {
		want, err := s.pinned()
		if err != nil {
			t.Fatal(err)
		}
		if s.version != want.String() {
			t.Errorf("%s: the version is %q; what it makes has %q", s.kind, s.version, want)
			continue
		}
		for _, find := range []func() (Generator, error){
			func() (Generator, error) { return Find(want) }, func() (Generator, error) { return Of(s.kind) },
		} {
			if g, err := find(); err != nil || g.Kind() != s.kind || g.Version() != want {
				t.Errorf("%s: %v", s.kind, err)
			}
		}
	}
	if _, err := Find([32]byte{1}); err == nil {
		t.Error("a version that nobody has is found")
	}
	if _, err := Of("cooking"); err == nil {
		t.Error("a kind that nobody has is found")
	}
}

// TestAgain: the same seed gives the same bytes, and another seed others.
func TestAgain(t *testing.T) {
	for _, s := range sources() {
		a, err := s.Make(seedOf("again", 1))
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.Make(seedOf("again", 1))
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Make(seedOf("again", 2))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Task, b.Task) || !bytes.Equal(a.Objection, b.Objection) || bytes.Equal(a.Task, c.Task) {
			t.Errorf("%s: the seed decides something else than everything", s.kind)
		}
	}
}
