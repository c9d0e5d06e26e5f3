package voting

import (
	"encoding/binary"
	"testing"
)

// numbered is a case without a seat of the node, among a thousand; their tasks are scattered, and
// differ in the last bytes only.
func (b *bench) numbered(i int) Case {
	c := b.other(0)
	binary.BigEndian.PutUint32(c.Task[28:], uint32(i)*2654435761)
	return c
}

// A View stays as it is while cases come, change and go: its holder finds each of them, and no
// other.
func TestViewStays(t *testing.T) {
	const cases = 50
	b := fullHouse(t, 2*cases)
	for i := range cases {
		b.step(CaseSeen{At: b.now, Case: b.numbered(i)})
	}
	before := b.machine.View()
	for i := range cases {
		changed := b.numbered(i)
		if changed.Slot++; i%2 == 0 {
			b.step(CaseGone{At: b.now, Task: changed.Task, Slot: changed.Slot})
		} else {
			b.step(CaseSeen{At: b.now, Case: changed})
		}
		b.step(CaseSeen{At: b.now, Case: b.numbered(cases + i)})
	}
	after := b.machine.View()
	for i := range 2 * cases {
		want := b.numbered(i)
		if got, ok := before.Case(want.Task); ok != (i < cases) || ok && (got.Task != want.Task || got.Slot != want.Slot) {
			t.Errorf("case %d in the old view: %t, slot %d", i, ok, got.Slot)
		}
		if i < cases {
			want.Slot++
		}
		if got, ok := after.Case(want.Task); ok != (i >= cases || i%2 != 0) || ok && (got.Task != want.Task || got.Slot != want.Slot) {
			t.Errorf("case %d in the new view: %t, slot %d", i, ok, got.Slot)
		}
	}
}

// BenchmarkView measures a node's work after each batch: a view of a thousand cases after one has
// changed.
func BenchmarkView(b *testing.B) {
	h := fullHouse(b, 1000)
	for i := range 1000 {
		h.step(CaseSeen{At: h.now, Case: h.numbered(i)})
	}
	for b.Loop() {
		h.machine.cases.all[500].view = nil
		h.machine.View()
	}
}

// BenchmarkViewCase looks a case up, as for each notice that comes.
func BenchmarkViewCase(b *testing.B) {
	h := fullHouse(b, 1000)
	for i := range 1000 {
		h.step(CaseSeen{At: h.now, Case: h.numbered(i)})
	}
	v, n := h.machine.View(), 0
	var tasks []Key
	for i := range 1000 {
		tasks = append(tasks, h.numbered(i).Task)
	}
	for b.Loop() {
		if _, ok := v.Case(tasks[n%len(tasks)]); !ok {
			b.Fatal("missing")
		}
		n++
	}
}

func TestOneHonest(t *testing.T) {
	for n, want := range map[int]int{-1: 0, 0: 0, 1: 1, 2: 1, 3: 1, 4: 2, 7: 3, 27: 9, 28: 10} {
		if got := OneHonest(n); got != want {
			t.Errorf("OneHonest(%d) = %d, want %d", n, got, want)
		}
	}
}
