package payment

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/ledger/program"
	"ojud/voting"
)

// sold makes an answer that was given, and the voucher for it.
func sold(t testing.TB, from *payer, to *payee, n int, price uint64) (exchange.Bill, json.RawMessage) {
	t.Helper()
	b := from.bill(to.name, n, price)
	if err := to.owe(b); err != nil {
		t.Fatal(err)
	}
	raw, err := from.Authorize(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return b, raw
}

// buy makes an answer that was given and paid for.
func buy(t *testing.T, from *payer, to *payee, n int, price uint64) {
	t.Helper()
	b, raw := sold(t, from, to, n, price)
	if err := to.Accept(t.Context(), b, raw); err != nil {
		t.Fatal(err)
	}
}

// TestAccept: a voucher is taken once for each answer, over restarts.
func TestAccept(t *testing.T) {
	_, alice, bob := newPair(t, 1_000)
	first, one := sold(t, alice, bob, 1, 300)
	second, two := sold(t, alice, bob, 2, 400)
	for range 2 {
		if err := bob.Accept(t.Context(), first, one); err != nil {
			t.Error(err)
		}
		bob.start()
	}
	if err := bob.Accept(t.Context(), second, one); !errors.Is(err, exchange.ErrVoucherLow) || !bob.owes(second.Receipt) {
		t.Error("one voucher for two answers:", err)
	}
	if err := bob.Accept(t.Context(), second, two); err != nil {
		t.Error(err)
	}
	if a := bob.account("alice"); a.Earned != 700 || a.Answers != 2 || a.Cumulative != 700 || len(bob.settled) != 0 {
		t.Errorf("%+v %v", a, bob.settled)
	}
	if debts, err := bob.All(); err != nil || len(debts) != 0 {
		t.Error(debts, err)
	}
}

// TestCover: a voucher for more than one answer settles them all, because the payer continues from
// lost ones.
func TestCover(t *testing.T) {
	_, alice, bob := newPair(t, 1_000)
	first, _ := sold(t, alice, bob, 1, 100)
	other := alice.bill("bob", 2, 100)
	other.Seat.Judge = casefile.Address(authority("carol"))
	if err := bob.owe(other); err != nil {
		t.Fatal(err)
	}
	second, _ := sold(t, alice, bob, 3, 200)
	third, raw := sold(t, alice, bob, 4, 300)
	if err := bob.Accept(t.Context(), third, raw); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(bob.settled, first.Receipt) || !slices.Contains(bob.settled, second.Receipt) || len(bob.settled) != 2 {
		t.Error(bob.settled)
	}
	if debts, err := bob.All(); err != nil || len(debts) != 1 || debts[0].Receipt != other.Receipt {
		t.Error("another judge's debt:", debts, err)
	}
}

// TestRefused: a voucher that is worth less than it says is refused in fixed words, and the debt
// stays.
func TestRefused(t *testing.T) {
	c, alice, bob := newPair(t, 1_000)
	b, raw := sold(t, alice, bob, 1, 300)
	good := alice.parse(raw)
	signed := func(by string, change func(*program.Voucher)) json.RawMessage {
		s := good
		change(&s.Voucher)
		s.Signature = voting.Signature(ed25519.Sign(key(by), s.Statement()))
		raw, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	for name, refused := range map[string]struct {
		raw  json.RawMessage
		want error
	}{
		"no JSON":        {json.RawMessage("{"), exchange.ErrVoucherForm},
		"too long":       {json.RawMessage(`"` + string(make([]byte, exchange.MaxVoucher)) + `"`), exchange.ErrVoucherForm},
		"another's key":  {signed("carol", func(*program.Voucher) {}), exchange.ErrVoucherSignature},
		"another court":  {signed("alice", func(v *program.Voucher) { v.Domain.Program[0] ^= 1 }), exchange.ErrVoucherSignature},
		"to another":     {signed("alice", func(v *program.Voucher) { v.Payee = authority("carol") }), exchange.ErrVoucherParties},
		"from another":   {signed("carol", func(v *program.Voucher) { v.Payer = authority("carol") }), exchange.ErrVoucherParties},
		"too low":        {signed("alice", func(v *program.Voucher) { v.Cumulative = 299 }), exchange.ErrVoucherLow},
		"too short":      {signed("alice", func(v *program.Voucher) { v.Expires = c.now + seconds(bob.cfg.MinVoucherTime) - 1 }), exchange.ErrVoucherTime},
		"over long ago":  {signed("alice", func(v *program.Voucher) { v.Expires = 0 }), exchange.ErrVoucherTime},
		"half the price": {signed("alice", func(v *program.Voucher) { v.Cumulative = 150 }), exchange.ErrVoucherLow},
	} {
		if err := bob.Accept(t.Context(), b, refused.raw); !errors.Is(err, refused.want) || !bob.owes(b.Receipt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c.vaults[authority("alice")] = 299
	if err := bob.Accept(t.Context(), b, raw); !errors.Is(err, exchange.ErrVault) {
		t.Error(err)
	}
	delete(c.vaults, authority("alice"))
	if err := bob.Accept(t.Context(), b, raw); !errors.Is(err, exchange.ErrVault) {
		t.Error("a payer without an agent:", err)
	}
	c.vaults[authority("alice")], c.err = 300, errors.New("no RPC node")
	if err := bob.Accept(t.Context(), b, raw); !errors.Is(err, c.err) {
		t.Error(err)
	}
	c.err = nil
	if err := bob.Accept(t.Context(), b, raw); err != nil {
		t.Error(err)
	}
}

// TestPayeeCrash: wherever the power fails, an answer is paid for once, and an accepted voucher is
// not forgotten.
func TestPayeeCrash(t *testing.T) {
	for _, after := range []bool{false, true} {
		_, alice, bob := newPair(t, 1_000)
		b, raw := sold(t, alice, bob, 1, 300)
		bob.disk.cut(1, after)
		if err := bob.Accept(t.Context(), b, raw); !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
		bob.start()
		if bob.owes(b.Receipt) == after {
			t.Errorf("%v: debt and voucher are not written together", after)
		}
		if err := bob.Accept(t.Context(), b, raw); err != nil {
			t.Error(err)
		}
		if a := bob.account("alice"); a.Earned != 300 || a.Counted != 300 {
			t.Errorf("%v: %+v", after, a)
		}
	}
}

// TestDebts: debts are the same after a restart.
func TestDebts(t *testing.T) {
	c, alice, bob := newPair(t, 1_000)
	var want []exchange.Debt
	for n := range 3 {
		d := exchange.Debt{Bill: alice.bill("bob", n, 10), At: c.now - int64(n)}
		if err := bob.Add(d); err != nil {
			t.Fatal(err)
		}
		want = append([]exchange.Debt{d}, want...)
	}
	bob.start()
	if got, err := bob.All(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v %v", got, err)
	}
	for range 2 {
		if err := bob.Remove(want[1].Receipt); err != nil {
			t.Error(err)
		}
	}
	if got, err := bob.All(); err != nil || len(got) != 2 {
		t.Errorf("%+v %v", got, err)
	}
}

// TestReady: a node without an agent cannot be paid. The chain is not asked at every request.
func TestReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, bob := newPair(t, 1_000)
		delete(c.vaults, authority("bob"))
		for range 100 {
			if err := bob.Ready(t.Context()); !errors.Is(err, ErrNoAgent) {
				t.Error(err)
			}
		}
		if c.reads != 1 {
			t.Errorf("%d reads", c.reads)
		}
		c.vaults[authority("bob")] = 0
		time.Sleep(readyEvery)
		for range 100 {
			if err := bob.Ready(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if c.reads != 2 {
			t.Errorf("%d reads", c.reads)
		}
	})
}

// running runs a till whose chain has the time of the bubble.
func running(t *testing.T, c *chainOf, bob *payee) (stop func()) {
	t.Helper()
	start, at := time.Now(), c.clock()
	bob.deps.Clock = func() int64 {
		c.with(func() { c.now = at + int64(time.Since(start)/time.Second) })
		return c.clock()
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- bob.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestRun: a voucher that is worth a pull is pulled at once, and one worth little before it
// expires. In between the till reads nothing.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, alice, bob := newPair(t, 1<<40)
		defer running(t, c, bob)()
		buy(t, alice, bob, 1, rent+200_000)
		synctest.Wait()
		if c.vault("bob") != rent+200_000 || bob.tried() != 1 {
			t.Fatal(bob.tried())
		}
		if a := bob.account("alice"); a.Cumulative != 0 || a.Pulled != rent+200_000 {
			t.Errorf("not trimmed: %+v", a)
		}
		buy(t, alice, bob, 2, 20_000)
		synctest.Wait()
		reads := c.looks()
		time.Sleep(bob.cfg.PullBeforeExpiry)
		if synctest.Wait(); bob.tried() != 1 || c.looks() != reads {
			t.Errorf("%d pulls, %d reads", bob.tried(), c.looks()-reads)
		}
		time.Sleep(alice.cfg.VoucherTime - bob.cfg.PullBeforeExpiry)
		if synctest.Wait(); bob.tried() != 2 || c.vault("bob") != rent+220_000 {
			t.Errorf("%d pulls, %d in the vault", bob.tried(), c.vault("bob"))
		}
	})
}

// TestNeverAtALoss: a voucher that is not worth a fee is not pulled, and is lost when it expires.
func TestNeverAtALoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, alice, bob := newPair(t, 1<<40)
		defer running(t, c, bob)()
		buy(t, alice, bob, 1, rent+5_000)
		time.Sleep(2 * alice.cfg.VoucherTime)
		synctest.Wait()
		if a := bob.account("alice"); bob.tried() != 0 || a.Lost != rent+5_000 || a.Cumulative != 0 {
			t.Errorf("%d pulls, %+v", bob.tried(), a)
		}
		c.with(func() { bob.fee = 1 << 30 }) // the fee is high, which the till does not know
		buy(t, alice, bob, 2, rent+200_000)
		time.Sleep(2 * alice.cfg.VoucherTime)
		synctest.Wait()
		if c.vault("bob") != 0 {
			t.Error(c.vault("bob"))
		}
		if bob.tried() < 5 || bob.tried() > 90 {
			t.Errorf("%d tries in %s", bob.tried(), alice.cfg.VoucherTime)
		}
	})
}

// TestRetry: a pull that fails is tried again, later each time, and after a restart.
func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, alice, bob := newPair(t, 1<<40)
		stop := running(t, c, bob)
		bob.fail = errors.New("no RPC node")
		buy(t, alice, bob, 1, 10_000_000)
		time.Sleep(10 * time.Hour)
		if synctest.Wait(); bob.tried() < 10 || bob.tried() > 20 {
			t.Errorf("%d tries in 10 h", bob.tried())
		}
		tries := bob.tried()
		for n := range 5 { // more vouchers are no reason to try it sooner
			buy(t, alice, bob, 2+n, 1_000_000)
			synctest.Wait()
		}
		if bob.tried() != tries {
			t.Errorf("%d tries for 5 vouchers", bob.tried()-tries)
		}
		stop()
		bob.fail = nil
		bob.start()
		defer running(t, c, bob)()
		if synctest.Wait(); c.vault("bob") != 15_000_000 {
			t.Error(c.vault("bob"))
		}
	})
}

// TestMoot: a pull that ends well without a visible effect is not repeated at once.
func TestMoot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, alice, bob := newPair(t, 1<<40)
		bob.moot = true
		defer running(t, c, bob)()
		buy(t, alice, bob, 1, 10_000_000)
		time.Sleep(time.Hour)
		if synctest.Wait(); bob.tried() < 2 || bob.tried() > 10 {
			t.Errorf("%d tries in an hour", bob.tried())
		}
	})
}

// TestEmptied: the rest of an emptied vault is pulled, and the missing part when the vault is
// filled before the voucher expires.
func TestEmptied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, alice, bob := newPair(t, 1<<40)
		defer running(t, c, bob)()
		buy(t, alice, bob, 1, 3_000_000)
		synctest.Wait()
		buy(t, alice, bob, 2, 90_000)
		c.with(func() { c.vaults[authority("alice")] = 60_000 })
		time.Sleep(alice.cfg.VoucherTime - bob.cfg.PullBeforeExpiry + time.Minute)
		if synctest.Wait(); c.vault("bob") != 3_060_000 {
			t.Error(c.vault("bob"))
		}
		c.with(func() { c.vaults[authority("alice")] = 1 << 30 })
		time.Sleep(bob.cfg.PullBeforeExpiry / 2)
		if synctest.Wait(); c.vault("bob") != 3_090_000 || bob.tried() != 3 {
			t.Error(c.vault("bob"), bob.tried())
		}
	})
}

// TestPulledByAnother: anybody may show a voucher. Then nothing is left to pull.
func TestPulledByAnother(t *testing.T) {
	c, alice, bob := newPair(t, 1<<40)
	buy(t, alice, bob, 0, 1)
	b, raw := sold(t, alice, bob, 1, 10_000_000)
	if _, _, err := c.pull(alice.parse(raw).Voucher); err != nil {
		t.Fatal(err)
	}
	if err := bob.Accept(t.Context(), b, raw); err != nil {
		t.Error(err)
	}
	if payer, rest, err := bob.next(); err != nil || rest == 0 {
		t.Error(payer, rest, err)
	}
	income, owed, err := bob.Income()
	if err != nil || len(owed) != 0 || len(income) != 1 || income[0].Judge != casefile.Address(authority("alice")) || income[0].Earned != 10_000_001 || income[0].Pulled != 10_000_001 {
		t.Errorf("%+v %+v %v", income, owed, err)
	}
}

// TestGift: lamports that were sent to the place of a Channel make it cheaper.
func TestGift(t *testing.T) {
	c, alice, bob := newPair(t, 1<<40)
	c.gifts[pair{authority("alice"), authority("bob")}] = 2 * rent
	buy(t, alice, bob, 1, 150_000)
	bob.visit(t.Context(), authority("alice"))
	if bob.pulls != 1 || c.vaults[authority("bob")] != 150_000 {
		t.Error(bob.pulls, c.vaults)
	}
}

// TestRecords: an unreadable record is an error, and pays for nothing.
func TestRecords(t *testing.T) {
	for _, kind := range []string{billKind, promiseKind, accountKind, debtKind} {
		for _, value := range []string{"", "{", "{}{}", `{"x":1}`, "[]"} {
			_, alice, bob := newPair(t, 1_000)
			b, raw := sold(t, alice, bob, 1, 300)
			for _, d := range []*disk{alice.disk, bob.disk} {
				for k := range d.values {
					if k[:1] == kind {
						d.values[k] = []byte(value)
					}
				}
				if kind == accountKind {
					d.values[partyKey(kind, authority("alice"))] = []byte(value)
				}
			}
			alice.start()
			bob.start()
			_, paying := alice.Authorize(t.Context(), b)
			taking := bob.Accept(t.Context(), b, raw)
			if !errors.Is(errors.Join(paying, taking), errRecord) {
				t.Errorf("%s %q: %v %v", kind, value, paying, taking)
			}
		}
	}
	_, alice, bob := newPair(t, 1_000)
	alice.disk.values["b"], alice.disk.values["p"] = []byte("{}"), []byte("{}")
	bob.disk.values["r"] = []byte("{}")
	_, reading := alice.Room(t.Context())
	_, showing := alice.Vouchers(t.Context(), node("bob"))
	if _, _, err := bob.next(); !errors.Is(err, errRecord) || !errors.Is(reading, errRecord) || !errors.Is(showing, errRecord) {
		t.Error(err, reading, showing)
	}
}
