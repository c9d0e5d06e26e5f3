package difftest_test

import (
	"bytes"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/sbpf"
)

// pointerCalls passes wrong addresses.
func pointerCalls(s *stage) map[string]*script {
	base := s.call(s.b, (&script{}).build(), s.metas[ownAt], s.metas[payerAt])
	bent := func(f func(*slot)) *script {
		c := base
		c.infos = append([]slot(nil), base.infos...)
		f(&c.infos[ownAt])
		return s.run(c)
	}
	// args changes the arguments of the system call.
	args := func(f func(*[5]uint64)) *script {
		out := &script{}
		a := out.argsC(signed(base, s.seeds[vaultAt]))
		if s.code == opInvokeRust {
			a = out.argsRust(signed(base, s.seeds[vaultAt]))
		}
		f(&a)
		return out.op(s.code, a[:]...)
	}
	flags := func(at int, v byte) *script {
		out := args(func(*[5]uint64) {})
		meta := 0
		for i := range out.data { // the first meta follows the keys of the payer and of own
			if s.code == opInvokeRust && i+34 < len(out.data) && bytes.Equal(out.data[i:i+32], s.keys[ownAt][:]) {
				meta = i + 32
			}
		}
		if s.code == opInvokeC {
			meta = 64 + 8
		}
		out.data[meta+at] = v
		return out
	}
	return map[string]*script{
		"bent-key":        bent(func(p *slot) { p.key += 8 }),
		"bent-key-other":  bent(func(p *slot) { p.key = s.slots[payerAt].key }),
		"bent-owner":      bent(func(p *slot) { p.owner += 8 }),
		"bent-lamports":   bent(func(p *slot) { p.lamports = s.slots[payerAt].lamports }),
		"bent-data":       bent(func(p *slot) { p.data++ }),
		"bent-data-null":  bent(func(p *slot) { p.data = 0 }),
		"bent-key-null":   bent(func(p *slot) { p.key = 0 }),
		"ix-null":         args(func(a *[5]uint64) { a[0] = 0 }),
		"ix-unaligned":    args(func(a *[5]uint64) { a[0]++ }),
		"infos-null":      args(func(a *[5]uint64) { a[1] = 0 }),
		"infos-unaligned": args(func(a *[5]uint64) { a[1]++ }),
		"infos-input":     args(func(a *[5]uint64) { a[1] = sbpf.InputStart }),
		"infos-129":       args(func(a *[5]uint64) { a[2] = 129 }),
		"infos-huge":      args(func(a *[5]uint64) { a[2] = 1 << 60 }),
		"infos-zero":      args(func(a *[5]uint64) { a[2] = 0 }),
		"seeds-null":      args(func(a *[5]uint64) { a[3] = 0 }),
		"seeds-17":        args(func(a *[5]uint64) { a[4] = 17 }),
		"seeds-huge":      args(func(a *[5]uint64) { a[4] = 1 << 60 }),
		"seeds-unaligned": args(func(a *[5]uint64) { a[3]++ }),
		"flag-first":      flags(0, 2),
		"flag-second":     flags(1, 255),
	}
}

func limitCalls(s *stage) map[string]*script {
	metas := func(n int) []*solana.AccountMeta {
		out := make([]*solana.AccountMeta, n)
		for i := range out {
			out[i] = s.flagged(i%6, "")
		}
		return out
	}
	seeds := func(n int) [][]byte {
		out := make([][]byte, n)
		for i := range out {
			out[i] = []byte{byte(i)}
		}
		return out
	}
	infos := func(n int) call {
		c := s.call(s.b, (&script{}).build(), s.metas[ownAt])
		for len(c.infos) < n {
			c.infos, c.lengths = append(c.infos, c.infos[0]), append(c.lengths, c.lengths[0])
		}
		return c
	}
	repeat := func(n int, c call) *script { return (&script{}).repeat(n, s.code, c) }
	nested := s.inner(func(b *script, at []slot) {
		c := call{program: solana.SystemProgramID, data: data(uint32(2), 0), metas: s.some(payerAt, vaultAt), infos: at, lengths: []uint64{0, 0, 21}}
		b.repeat(6, opInvokeC, c)
	}, payerAt, vaultAt, systemAt)
	small := s.call(s.b, data(make([]byte, 48*scriptOps)))
	return map[string]*script{
		"data-10240":    s.run(s.call(s.b, make([]byte, 10240))),
		"data-10241":    s.run(s.call(s.b, make([]byte, 10241))),
		"metas-255":     s.run(s.call(solana.SystemProgramID, data(uint32(2), 0), append(s.some(payerAt, vaultAt), metas(253)...)...)),
		"metas-256":     s.run(s.call(solana.SystemProgramID, data(uint32(2), 0), append(s.some(payerAt, vaultAt), metas(254)...)...)),
		"seeds-16":      s.run(signed(s.call(s.b, make([]byte, 48)), seeds(16))),
		"seeds-17":      s.run(signed(s.call(s.b, make([]byte, 48)), seeds(17))),
		"infos-128":     s.run(infos(128)),
		"infos-129":     s.run(infos(129)),
		"infos-255":     s.run(infos(255)),
		"infos-256":     s.run(infos(256)),
		"trace-length":  repeat(12, nested),
		"trace-fits":    repeat(8, nested),
		"many-b":        repeat(14, small),
		"signers-16":    s.run(signed(s.call(s.b, make([]byte, 48)), many(16, s.seeds[vaultAt])...)),
		"signers-17":    s.run(signed(s.call(s.b, make([]byte, 48)), many(17, s.seeds[vaultAt])...)),
		"budget-in-b":   s.run(s.inner(func(b *script, _ []slot) { b.op(opBurn, 1_000_000) })),
		"budget-at-end": (&script{}).op(opBurn, 99_000).invoke(s.code, s.call(s.b, make([]byte, 48))),
	}
}

func many[T any](n int, v T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}
