package sbpf_test

import (
	"testing"

	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
)

// loop has 8 instructions a round: arithmetic, a store, a load and a jump.
const loop = `
	mov64 r6, r1
	mov64 r1, 1
again:
	add64 r1, 3
	xor64 r1, r6
	lsh64 r1, 1
	stxdw [r10-8], r1
	ldxdw r2, [r10-8]
	add64 r0, r2
	sub64 r6, 1
	jne r6, 0, again
	exit
`

// run executes a program once on fresh memory and returns r0 and the units consumed.
func run(tb testing.TB, p *sbpf.Program, r1, units uint64) (uint64, uint64, error) {
	tb.Helper()
	meter := &sbpf.Meter{Remaining: units}
	m := &sbpf.Machine{
		Memory: sbpf.NewMemory(p, make([]byte, sbpf.StackSize), make([]byte, 32<<10), make([]byte, 1<<10)), Meter: meter,
	}
	r0, err := m.Run(p, r1, 0)
	return r0, units - meter.Remaining, err
}

func load(tb testing.TB, source string, v sbpf.Version) *sbpf.Program {
	tb.Helper()
	env, err := sbpf.NewEnvironment(nil, false)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := sbpf.Load(asm.MustELF(source, v), env)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// BenchmarkInterpreter reports instructions per second.
func BenchmarkInterpreter(b *testing.B) {
	for _, v := range []sbpf.Version{sbpf.V0, sbpf.V3} {
		b.Run(map[sbpf.Version]string{sbpf.V0: "v0", sbpf.V3: "v3"}[v], func(b *testing.B) {
			p := load(b, loop, v)
			var total uint64
			for b.Loop() {
				_, used, err := run(b, p, 100_000, 1_400_000)
				if err != nil {
					b.Fatal(err)
				}
				total += used
			}
			b.ReportMetric(float64(total)/b.Elapsed().Seconds()/1e6, "Minsn/s")
		})
	}
}
