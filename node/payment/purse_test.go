package payment

import (
	"errors"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/ledger/onchain"
	"ojud/voting"
)

// mustPay authorizes a bill.
func (p *payer) mustPay(b exchange.Bill) Signed {
	p.t.Helper()
	raw, err := p.Authorize(p.t.Context(), b)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.parse(raw)
}

func (p *payer) parse(raw []byte) Signed {
	p.t.Helper()
	s, err := parseSigned(p.chain.domain(), raw)
	if err != nil {
		p.t.Fatalf("%s: %v", raw, err)
	}
	return s
}

// TestAuthorize: vouchers grow answer by answer. One bill has one promise, over restarts.
func TestAuthorize(t *testing.T) {
	c, alice, _ := newPair(t, 1_000)
	first, second := alice.bill("bob", 1, 300), alice.bill("bob", 2, 400)
	for range 3 {
		if v := alice.mustPay(first); v.Cumulative != 300 || v.Payee != authority("bob") || v.Expires != c.now+seconds(alice.cfg.VoucherTime) {
			t.Errorf("%+v", v)
		}
		alice.start()
	}
	for range 3 {
		if v := alice.mustPay(second); v.Cumulative != 700 {
			t.Errorf("%+v", v)
		}
		alice.start()
	}
	if v := alice.mustPay(first); v.Cumulative != 700 {
		t.Errorf("the first bill again: %+v", v)
	}
	if room, err := alice.Room(t.Context()); err != nil || room != 300 {
		t.Error(room, err)
	}
	if sum, err := alice.Spent(task(0)); err != nil || sum != 700 {
		t.Error(sum, err)
	}
	if sum, err := alice.Spent(task(1)); err != nil || sum != 0 {
		t.Error("another case", sum, err)
	}
	changed := first
	changed.Price++
	if _, err := alice.Authorize(t.Context(), changed); !errors.Is(err, errBill) {
		t.Error("one receipt, two prices:", err)
	}
}

// TestNotOurs: the purse does not pay bills of others, empty bills, or bills to itself.
func TestNotOurs(t *testing.T) {
	c, alice, _ := newPair(t, 1_000)
	for name, change := range map[string]func(*exchange.Bill){
		"another judge's": func(b *exchange.Bill) { b.Seat.Judge = casefile.Address(authority("bob")) },
		"free":            func(b *exchange.Bill) { b.Price = 0 },
		"to itself":       func(b *exchange.Bill) { b.Holder = node("alice") },
	} {
		b := alice.bill("bob", 1, 10)
		change(&b)
		if _, err := alice.Authorize(t.Context(), b); !errors.Is(err, errBill) || alice.disk.puts != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	c.now = 0
	if _, err := alice.Authorize(t.Context(), alice.bill("bob", 1, 10)); !errors.Is(err, errClock) {
		t.Error(err)
	}
}

// TestPoor: if the vault does not hold a price besides all other promises, it is not promised. It
// stays due and counts in its case. It is promised when the vault is filled and the holder asks for
// it.
func TestPoor(t *testing.T) {
	c, alice, _ := newPair(t, 1_000)
	carol := newPayee(t, c, "carol")
	alice.payees[node("carol")] = authority(carol.name)
	alice.mustPay(alice.bill("carol", 1, 800))
	late := alice.bill("bob", 2, 201)
	if _, err := alice.Authorize(t.Context(), late); !errors.Is(err, errPoor) {
		t.Fatal(err)
	}
	if sum, err := alice.Spent(task(0)); err != nil || sum != 1_001 {
		t.Error(sum, err)
	}
	if list, err := alice.Vouchers(t.Context(), node("bob")); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
	c.vaults[authority("alice")]++
	list, err := alice.Vouchers(t.Context(), node("bob"))
	if err != nil || len(list) != 1 || list[0].Receipt != casefile.Digest(late.Receipt) || alice.parse(list[0].Voucher).Cumulative != 201 {
		t.Error(list, err)
	}
	if room, err := alice.Room(t.Context()); err != nil || room != 0 {
		t.Error(room, err)
	}
	c.vaults[authority("alice")] = 0
	if room, err := alice.Room(t.Context()); err != nil || room != 0 {
		t.Error("an emptied vault", room, err)
	}
}

// TestNobody: without an agent on both sides nothing is promised, and the reason says which one is
// missing.
func TestNobody(t *testing.T) {
	c, alice, _ := newPair(t, 1_000)
	if _, err := alice.Authorize(t.Context(), alice.bill("dora", 1, 5)); err == nil || alice.chain.reads != 0 {
		t.Error("a holder without an authority:", err)
	}
	delete(c.vaults, authority("bob"))
	if _, err := alice.Authorize(t.Context(), alice.bill("bob", 2, 5)); !errors.Is(err, ErrNoAgent) {
		t.Error(err)
	}
	delete(c.vaults, authority("alice"))
	if _, err := alice.Room(t.Context()); !errors.Is(err, ErrNoAgent) {
		t.Error(err)
	}
	c.err = errors.New("no RPC node")
	if _, err := alice.Room(t.Context()); !errors.Is(err, c.err) {
		t.Error(err)
	}
}

// TestVouchers: a holder that was not paid gets one voucher for all bills that it may have missed,
// valid for long enough.
func TestVouchers(t *testing.T) {
	c, alice, bob := newPair(t, 10_000)
	for n := range 3 {
		alice.mustPay(alice.bill("bob", n, 100))
		c.now++
	}
	show := func(want uint64, receipts ...int) Signed {
		t.Helper()
		list, err := alice.Vouchers(t.Context(), node("bob"))
		if err != nil || len(list) != len(receipts) {
			t.Fatalf("%d vouchers, %v", len(list), err)
		}
		var s Signed
		for i, p := range list {
			if s = alice.parse(p.Voucher); p.Receipt != casefile.Digest(hash(receipts[i])) || s.Cumulative != want || s.Expires-c.now < seconds(bob.cfg.MinVoucherTime) {
				t.Errorf("%d: %+v", i, s)
			}
		}
		return s
	}
	v := show(300, 0, 1, 2)
	c.now += seconds(alice.cfg.VoucherTime) * 2 / 3
	if longer := show(300, 0, 1, 2); longer.Expires <= v.Expires {
		t.Error("it is not made good for longer")
	}
	if _, _, err := c.pull(show(300, 0, 1, 2).Voucher); err != nil {
		t.Fatal(err)
	}
	if list, err := alice.Vouchers(t.Context(), node("bob")); err != nil || len(list) != 0 {
		t.Error("what was drawn is shown again", list, err)
	}
	alice.mustPay(alice.bill("bob", 3, 50))
	c.vaults[authority("alice")], alice.signed = 20, nil
	c.now += 2 * seconds(alice.cfg.VoucherTime)
	if list, err := alice.Vouchers(t.Context(), node("bob")); err != nil || len(list) != 0 {
		t.Error("more than the vault holds", list, err)
	}
	c.vaults[authority("alice")] = 50
	show(350, 3)
	if list, err := alice.Vouchers(t.Context(), node("nobody")); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
}

// TestAuthorityChanges: a holder with a new authority is not paid twice for promises to the old
// one.
func TestAuthorityChanges(t *testing.T) {
	c, alice, _ := newPair(t, 1_000)
	old := alice.bill("bob", 1, 100)
	alice.mustPay(old)
	newPayee(t, c, "bob's new key")
	alice.payees[node("bob")] = authority("bob's new key")
	if v := alice.mustPay(alice.bill("bob", 2, 30)); v.Payee != authority("bob's new key") || v.Cumulative != 30 {
		t.Errorf("%+v", v)
	}
	if v := alice.mustPay(old); v.Payee != authority("bob") || v.Cumulative != 100 {
		t.Errorf("%+v", v)
	}
}

// TestSweep: only old records are forgotten.
func TestSweep(t *testing.T) {
	c, alice, _ := newPair(t, 1_000)
	alice.mustPay(alice.bill("bob", 1, 10))
	c.now += seconds(alice.cfg.KeepBills)
	alice.mustPay(alice.bill("bob", 11, 10))
	if err := alice.Sweep(t.Context()); err != nil || len(alice.disk.values) != 3 {
		t.Error(err, len(alice.disk.values))
	}
	c.now++
	if err := alice.Sweep(t.Context()); err != nil || len(alice.disk.values) != 2 {
		t.Error(err, len(alice.disk.values))
	}
	c.now += 2 * seconds(alice.cfg.KeepBills)
	if err := alice.Sweep(t.Context()); err != nil || len(alice.disk.values) != 0 {
		t.Error(err, len(alice.disk.values))
	}
	if v := alice.mustPay(alice.bill("bob", 21, 10)); v.Cumulative != 10 {
		t.Errorf("%+v", v)
	}
}

// TestManyPayees: more channels than one look has room for.
func TestManyPayees(t *testing.T) {
	c, alice, _ := newPair(t, 1_000)
	for n := range 130 {
		to := onchain.Address(hash(n))
		c.vaults[to] = 0
		alice.payees[node("bob")] = to
		alice.mustPay(alice.bill("bob", n, 1))
	}
	if room, err := alice.Room(t.Context()); err != nil || room != 870 {
		t.Error(room, err)
	}
}

// TestExpenses: the report for an operator.
func TestExpenses(t *testing.T) {
	c, alice, _ := newPair(t, 1_000)
	v := alice.mustPay(alice.bill("bob", 1, 300))
	if _, _, err := c.pull(v.Voucher); err != nil {
		t.Fatal(err)
	}
	alice.mustPay(alice.bill("bob", 2, 100))
	if _, err := alice.Authorize(t.Context(), alice.bill("dora", 3, 7)); err == nil {
		t.Error("paid to nobody")
	}
	vault, list, err := alice.Expenses(t.Context())
	want := []Expense{
		{Answers: 1, Billed: 7, Due: 7},
		{Payee: casefile.Address(authority("bob")), Answers: 2, Billed: 400, Paid: 300, Open: 100, Expires: c.now + seconds(alice.cfg.VoucherTime)},
	}
	if err != nil || vault != 700 || len(list) != 2 || list[0] != want[0] || list[1] != want[1] {
		t.Errorf("%d %+v %v", vault, list, err)
	}
}

// TestTurn: a caller that waits for another payment gives up in time.
func TestTurn(t *testing.T) {
	_, alice, _ := newPair(t, 1_000)
	alice.cfg.ChainTimeout = time.Second
	alice.start()
	if err := alice.turn.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := alice.Authorize(t.Context(), alice.bill("bob", 1, 5)); err == nil {
		t.Error("two at a time")
	}
	alice.turn.give()
	alice.mustPay(alice.bill("bob", 1, 5))
}

// TestPayerCrash: wherever the power fails, a bill that was once on disk is paid once.
func TestPayerCrash(t *testing.T) {
	for n := 1; n <= 3; n++ {
		for _, after := range []bool{false, true} {
			c, alice, _ := newPair(t, 1_000)
			b := alice.bill("bob", 1, 300)
			alice.disk.cut(n, after)
			_, err := alice.Authorize(t.Context(), b)
			if crashed := errors.Is(err, errCrash); crashed != (n <= 2) {
				t.Fatalf("write %d: %v", n, err)
			}
			if len(alice.signed) > 0 && n <= 2 {
				t.Errorf("write %d: signed before it was on disk", n)
			}
			alice.disk.cut(0, false)
			alice.start()
			alice.mustPay(b)
			if most := alice.drawable(authority("bob")); most != 300 {
				t.Errorf("write %d, %v: %d can be drawn", n, after, most)
			}
			if sum, err := alice.Spent(task(0)); err != nil || sum != 300 {
				t.Error(sum, err)
			}
			c.now++
		}
	}
}

// TestLostDisk: a payer that has lost its records promises nothing twice.
func TestLostDisk(t *testing.T) {
	c, alice, bob := newPair(t, 1_000)
	first := alice.bill("bob", 1, 300)
	if err := bob.owe(first); err != nil {
		t.Fatal(err)
	}
	raw, err := alice.Authorize(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if err := bob.Accept(t.Context(), first, raw); err != nil {
		t.Fatal(err)
	}
	alice.disk = newDisk()
	alice.start()
	second := alice.bill("bob", 2, 200)
	if err := bob.owe(second); err != nil {
		t.Fatal(err)
	}
	raw, err = alice.Authorize(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	if err := bob.Accept(t.Context(), second, raw); !errors.Is(err, exchange.ErrVoucherLow) {
		t.Error(err)
	}
	c.now += seconds(alice.cfg.VoucherTime)
	list, err := alice.Vouchers(t.Context(), node("bob"))
	if err != nil || len(list) != 1 || voting.Hash(list[0].Receipt) != second.Receipt {
		t.Fatal(list, err)
	}
	c.now += seconds(alice.cfg.ExpiryMargin)
	if list, err = alice.Vouchers(t.Context(), node("bob")); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if err := bob.Accept(t.Context(), second, list[0].Voucher); err != nil {
		t.Error(err)
	}
}
