package voting

import "testing"

// conflicts are those among effects.
func conflicts(effects []Effect) (out []Conflict) {
	for _, e := range effects {
		if c, ok := e.(Conflict); ok {
			out = append(out, c)
		}
	}
	return out
}

// A look with another commitment of this judge proves nothing: an RPC node may lie. If it stays the
// operator is told, once. The opening that another copy sealed is a proof, and so is its statement.
func TestConflictNeedsProof(t *testing.T) {
	b := newBench(t)
	b.opine(Accept)
	b.lands(0, Reject)
	if got := conflicts(b.see()); len(got) != 0 {
		t.Errorf("after one look: %v", got)
	}
	b.lands(0, Accept)
	b.now += 5
	if got := conflicts(b.see()); len(got) != 0 {
		t.Errorf("after a look that was garbled once: %v", got)
	}
	b.lands(0, Reject)
	said := 0
	for range 10 {
		b.now += 5
		for _, c := range conflicts(b.see()) {
			said++
			if c.Proven || !c.Signed {
				t.Errorf("on the word of the RPC node: %+v", c)
			}
		}
	}
	if said != 1 {
		t.Errorf("it was told %d times", said)
	}
	proof := OpeningRecovered{At: b.now, Task: b.look.Task, Round: 1, Opening: b.opening(0, Reject)}
	if got := conflicts(b.step(proof)); len(got) != 1 || !got[0].Proven || !got[0].Signed {
		t.Errorf("with the sealed opening: %+v", got)
	}
	if got := conflicts(b.step(proof)); len(got) != 0 {
		t.Errorf("with the same again: %+v", got)
	}
}

func TestConflictByStatement(t *testing.T) {
	b := newBench(t)
	b.opine(Accept)
	effects, err := b.hear(b.commitOf(0, Reject))
	if got := conflicts(effects); len(got) != 1 || !got[0].Proven || !got[0].Signed {
		t.Errorf("%+v, %v", got, err)
	}
}
