package bank_test

import (
	"testing"
	"time"

	"ojud/ledger/devnet/bank"
)

func TestWarp(t *testing.T) {
	c := open(t, nil)
	got := c.must(transfer(t, "payer", address("alice"), 1, c.blockhash()))
	hash := c.blockhash()
	type place struct {
		slot, height uint64
		time         int64
	}
	at := func(level bank.Level) (p place) {
		c.Read(level, func(v *bank.View) { p = place{v.Slot(), v.Height(), v.Time()} })
		return p
	}
	before := at(bank.Processed)
	began := time.Now()
	if err := c.Warp(8*time.Hour, c.now); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("a warp took %v", took)
	}
	after := at(bank.Processed)
	if after.time != before.time+8*3600 || after.slot != before.slot+72_000 || after.height != before.height+4 {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if f := at(bank.Finalized); f.time != after.time {
		t.Errorf("the finalized level is at %d, the chain at %d", f.time, after.time)
	}
	if s, _, err := c.Status(got.Signature()); err != nil || s.Level != bank.Finalized {
		t.Errorf("status %+v %v", s, err)
	}
	c.must(transfer(t, "payer", address("alice"), 2, hash))
	c.Read(bank.Processed, func(v *bank.View) {
		hashes := v.Environment().SlotHashes
		if len(hashes) != 5 || hashes[0].Slot != after.slot-1 || hashes[4].Slot != 0 || hashes[3].Slot != 1 {
			t.Errorf("slot hashes %v", hashes)
		}
	})
	c.seal()
	if now := at(bank.Processed); now.time < after.time || now.slot != after.slot+1 {
		t.Errorf("after a seal %+v", now)
	}
}

func TestWarpLimits(t *testing.T) {
	c := open(t, nil)
	for _, by := range []time.Duration{0, -time.Second, bank.MaxWarp + 1} {
		if err := c.Warp(by, c.now); err == nil {
			t.Errorf("a warp by %v was accepted", by)
		}
	}
	n := 0
	for c.Warp(bank.MaxWarp, c.now) == nil {
		if n++; n > 100 {
			t.Fatal("warps never end")
		}
	}
	if err := c.Failure(); err != nil {
		t.Errorf("a refused warp broke the bank: %v", err)
	}
	c.seal()
}

func TestSmallWarpStillMakesBlocks(t *testing.T) {
	c := open(t, nil)
	if err := c.Warp(time.Second, c.now); err != nil {
		t.Fatal(err)
	}
	c.Read(bank.Processed, func(v *bank.View) {
		if v.Height() != 5 || v.Slot() != 5 || v.Time() != start().Unix()+1 {
			t.Errorf("height %d slot %d time %d", v.Height(), v.Slot(), v.Time())
		}
	})
}

func TestClockNeverGoesBack(t *testing.T) {
	c := open(t, nil)
	if err := c.Seal(c.now.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if err := c.Seal(c.now); err != nil {
		t.Fatal(err)
	}
	c.Read(bank.Processed, func(v *bank.View) {
		if v.Time() != start().Unix()+60 {
			t.Errorf("time %d", v.Time()-start().Unix())
		}
	})
}
