package difftest_test

import (
	"fmt"

	"github.com/gagliardetto/solana-go"
)

// deep returns a script that invokes itself n more times.
func (s *stage) deep(n int, program solana.PublicKey, last *script) *script {
	if n == 0 {
		return last
	}
	inner := s.deep(n-1, program, last)
	c := call{program: program, metas: s.some(selfAt, otherAt), data: inner.build(), infos: slots(36, 36), lengths: []uint64{36, 36}}
	return (&script{}).op(opHeight).invoke(s.code, c).op(opHeight)
}

func programCalls(s *stage) map[string]*script {
	out := map[string]*script{}
	for n := range 11 {
		c := call{program: s.a, metas: s.some(selfAt, otherAt), data: s.deep(n, s.a, &script{}).build(), infos: s.slots[6:8], lengths: []uint64{36, 36}}
		out[fmt.Sprint("self-", n)] = (&script{}).invoke(s.code, c)
	}
	back := s.inner(func(b *script, at []slot) {
		b.invoke(s.code, call{program: s.a, metas: s.some(selfAt), data: (&script{}).build(), infos: at, lengths: []uint64{36, 36}})
	}, selfAt, otherAt)
	out["reentrancy"] = s.run(back)
	result := func(f func(*script)) *script {
		o := &script{}
		text := o.put([]byte("return of a"))
		room := o.put(make([]byte, 80))
		o.op(opReturnData, text, 11).invoke(s.code, s.inner(func(b *script, _ []slot) { f(b) }))
		return o.op(opGetReturn, room, 40, room+40).show(room, 80)
	}
	out["return"] = result(func(b *script) { b.op(opReturnData, b.put([]byte("from b")), 6) })
	out["return-none"] = result(func(*script) {})
	out["return-error"] = result(func(b *script) { b.op(opReturnData, b.put([]byte("from b")), 6).op(opEnd, 33) })
	out["error"] = result(func(b *script) { b.op(opEnd, 6001) })
	out["error-builtin"] = result(func(b *script) { b.op(opEnd, 11<<32) })
	out["fault"] = result(func(b *script) { b.op(opStore, 0, 1) })
	out["invalid-error"] = result(func(b *script) { b.op(opEnd, 99<<32) })
	out["sibling"] = s.siblings(0)
	out["sibling-second"] = s.siblings(1)
	out["sibling-third"] = s.siblings(2)
	for name, id := range map[string]solana.PublicKey{
		"ed25519": solana.MustPublicKeyFromBase58("Ed25519SigVerify111111111111111111111111111"), "budget": solana.ComputeBudget, "loader-v3": solana.BPFLoaderUpgradeableProgramID,
		"loader-v2": solana.BPFLoaderProgramID, "native": solana.MustPublicKeyFromBase58("NativeLoader1111111111111111111111111111111"),
	} {
		out["call-"+name] = s.run(s.call(id, []byte{3, 0, 0, 0}))
		out["call-empty-"+name] = s.run(s.call(id, nil))
	}
	return out
}

// siblings asks for the earlier instructions of the same level after two calls.
func (s *stage) siblings(index uint64) *script {
	o := &script{}
	o.invoke(s.code, s.system([]any{uint32(2), 3}, s.metas[payerAt], s.metas[vaultAt]))
	o.invoke(s.code, s.inner(func(b *script, _ []slot) {
		meta, room := b.words(12, 2), b.put(make([]byte, 200))
		b.op(opSibling, 0, meta, room, room+32, room+48).show(meta, 16, room, 200)
	}))
	meta, room := o.words(12, 2), o.put(make([]byte, 200))
	return o.op(opSibling, index, meta, room, room+32, room+48).show(meta, 16, room, 200)
}

// reallocCalls lets b change the size of its account.
func reallocCalls(s *stage) map[string]*script {
	size := func(n uint64) *script {
		return s.run(s.inner(func(b *script, at []slot) {
			b.op(opStore, at[0].length, n).op(opStore, at[0].data+8, 0x4142434445464748).show(at[0].length, 8)
		}, theirsAt))
	}
	out := map[string]*script{}
	for _, n := range []uint64{0, 1, 8, 16, 23, 24, 25, 100, 24 + 10240, 24 + 10241, 1 << 40} {
		out[fmt.Sprint("resize-", n)] = size(n)
	}
	out["resize-twice"] = s.state((&script{}).invoke(s.code, s.inner(func(b *script, at []slot) { b.op(opStore, at[0].length, 10000) }, theirsAt)).
		invoke(s.code, s.sized(theirsAt, 10000, func(b *script, at []slot) { b.op(opStore, at[0].length, 20000) })))
	out["shrink-then-grow"] = s.state((&script{}).invoke(s.code, s.inner(func(b *script, at []slot) { b.op(opStore, at[0].length, 4) }, theirsAt)).
		invoke(s.code, s.sized(theirsAt, 4, func(b *script, at []slot) { b.op(opStore, at[0].length, 30) })))
	out["close"] = s.run(s.inner(func(b *script, at []slot) {
		b.op(opStore, at[0].length, 0).op(opStore, at[0].lamports, 0).op(opStore, at[1].lamports, 1001*sol-10000)
		for i := range uint64(4) {
			b.op(opStore, at[0].owner+8*i, 0)
		}
	}, theirsAt, payerAt))
	out["steal"] = s.run(s.inner(func(b *script, at []slot) {
		b.op(opStore, at[0].lamports, 1).op(opStore, at[1].lamports, 3*sol-1)
	}, ownAt, theirsAt))
	out["give"] = s.run(s.inner(func(b *script, at []slot) {
		b.op(opStore, at[0].lamports, 3*sol-sol/2).op(opStore, at[1].lamports, sol/2)
	}, ownAt, theirsAt))
	out["mint"] = s.run(s.inner(func(b *script, at []slot) { b.op(opStore, at[0].lamports, 5*sol) }, theirsAt))
	return out
}

// sized is inner for one account of another length.
func (s *stage) sized(i, length int, build func(*script, []slot)) call {
	sub := &script{}
	build(sub, slots(length))
	c := s.call(s.b, sub.build(), s.metas[i])
	c.lengths[i] = uint64(length)
	return c
}

// directCalls lets a change accounts itself before it calls b, which shows its view of them.
func directCalls(s *stage) map[string]*script {
	shows := func(list ...int) call {
		return s.inner(func(b *script, at []slot) {
			var pairs []uint64
			for _, p := range at {
				pairs = append(pairs, p.key, 32+32+8+8+16)
			}
			b.show(pairs...)
		}, list...)
	}
	own, pay, foreign := s.slots[ownAt], s.slots[payerAt], s.slots[foreignAt]
	start := func() *script { return &script{} }
	end := func(o *script, c call) *script { return s.state(o.invoke(s.code, c)) }
	long := shows(ownAt)
	long.lengths[ownAt] = 200
	short := shows(ownAt)
	short.lengths[ownAt] = 10
	huge := shows(ownAt)
	huge.lengths[ownAt] = 64 + 10241
	give := start()
	for i := range uint64(4) {
		give.op(opCopy, own.owner+8*i, s.slots[otherAt].key+8*i, 8)
	}
	return map[string]*script{
		"data":               end(start().op(opStore, own.data, 0x55), shows(ownAt, payerAt)),
		"data-not-passed":    end(start().op(opStore, own.data, 0x55), shows(payerAt)),
		"lamports":           end(start().op(opStore, own.lamports, sol).op(opStore, pay.lamports, 1001*sol-10000), shows(ownAt, payerAt)),
		"lamports-one":       end(start().op(opStore, own.lamports, sol).op(opStore, pay.lamports, 1001*sol-10000), shows(payerAt)),
		"lamports-unequal":   end(start().op(opStore, own.lamports, sol), shows(ownAt)),
		"foreign-data":       end(start().op(opStore, foreign.data, 1), shows(foreignAt)),
		"foreign-lamports":   end(start().op(opStore, foreign.lamports, 1), shows(foreignAt)),
		"foreign-owner":      end(start().op(opStore, foreign.owner, 1), shows(foreignAt)),
		"payer-data":         end(start().op(opStore, pay.length, 8), shows(payerAt)),
		"grow-info":          end(start(), long),
		"shrink-info":        end(start(), short),
		"grow-too-much":      end(start(), huge),
		"grow-serialized":    end(start().op(opStore, own.length, 200), shows(ownAt)),
		"key-changed":        end(start().op(opStore, own.key, 1), shows(ownAt)),
		"flags-changed":      end(start().op(opStore, own.key-8, 0xffffffff), shows(ownAt)),
		"owner-given":        end(give, shows(ownAt)),
		"owner-given-used":   end(give, s.inner(func(b *script, at []slot) { b.op(opStore, at[0].data, 99) }, ownAt)),
		"data-read-only":     end(start().op(opStore, own.data, 0x55), s.call(s.b, (&script{}).build(), s.flagged(ownAt, ""))),
		"data-after":         end(start(), shows(ownAt)).op(opStore, own.data, 0x77),
		"length-after":       end(start(), shows(ownAt)).op(opStore, own.length, 70),
		"long-info-after":    end(start(), long).op(opStore, own.data+100, 0x77),
		"end-error-after":    end(start().op(opStore, own.data, 0x55), shows(ownAt)).op(opEnd, 5),
		"foreign-data-after": end(start(), shows(foreignAt)).op(opStore, foreign.data, 5),
	}
}
