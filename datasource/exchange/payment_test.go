package exchange_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
	"ojud/datasource/exchange"
	"ojud/voting"
)

// till takes vouchers that name their bill.
type till struct {
	mu       sync.Mutex
	accepted map[voting.Hash]uint64
	broken   error
}

func (t *till) Ready(context.Context) error { return t.broken }

func (t *till) Accept(_ context.Context, b exchange.Bill, voucher json.RawMessage) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var v struct {
		Price uint64       `json:"price,string"`
		To    casefile.DID `json:"to"`
	}
	if err := json.Unmarshal(voucher, &v); err != nil || v.Price != b.Price || v.To != b.Holder {
		return errors.New("no such voucher")
	}
	if t.accepted == nil {
		t.accepted = map[voting.Hash]uint64{}
	}
	t.accepted[b.Receipt] += b.Price
	return nil
}

// purse makes vouchers.
type purse struct {
	mu       sync.Mutex
	bills    []exchange.Bill
	vouchers []exchange.Payment
	lose     bool // vouchers do not reach the holder at once
	before   uint64
	empty    uint64
}

func (p *purse) Spent(casefile.Address) (uint64, error) { return p.before, nil }

func (p *purse) Room(context.Context) (uint64, error) { return 1<<40 - p.empty, nil }

func (p *purse) Authorize(ctx context.Context, b exchange.Bill) (json.RawMessage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	p.bills = append(p.bills, b)
	raw, err := json.Marshal(map[string]any{"price": casefile.Amount(b.Price), "to": b.Holder})
	p.vouchers = append(p.vouchers, exchange.Payment{Receipt: casefile.Digest(b.Receipt), Voucher: raw})
	if p.lose {
		return nil, errors.New("the disk is busy")
	}
	return raw, err
}

func (p *purse) Vouchers(context.Context, casefile.DID) ([]exchange.Payment, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.vouchers, nil
}

// debts are on a disk.
type debts struct {
	mu  sync.Mutex
	all map[voting.Hash]exchange.Debt
	err error
}

func (d *debts) All() (out []exchange.Debt, err error) {
	for _, debt := range d.all {
		out = append(out, debt)
	}
	return out, d.err
}

func (d *debts) Add(debt exchange.Debt) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.all[debt.Receipt] = debt
	}
	return d.err
}

func (d *debts) Remove(receipt voting.Hash) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.all, receipt)
	return d.err
}

func (d *debts) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.all)
}

// priced is a court with one holder whose answers cost 1000 lamports.
type priced struct {
	*web
	me, other judge
	book      *book
	till      *till
	debts     *debts
}

func newPriced(t *testing.T) *priced {
	p := &priced{me: newJudge(0), other: newJudge(5), book: newBook(`"x"`), till: &till{}, debts: &debts{all: map[voting.Hash]exchange.Debt{}}}
	p.web = newWeb(t, p.me, p.other)
	p.book.card.Terms.Price = 1000
	p.start(nil)
	return p
}

// start starts the holder, again if there was one.
func (p *priced) start(change func(*exchange.HolderConfig)) {
	p.cards = nil
	p.holder(newJudge(1), p.book, func(c *exchange.HolderConfig, d *exchange.HolderDeps) {
		d.Till, d.Debts = p.till, p.debts
		c.MaxUnpaid = 1
		if change != nil {
			change(c)
		}
	})
}

func (p *priced) desk(j judge, wallet *purse) desk {
	return p.web.desk(j, func(c *exchange.RequesterConfig, d *exchange.RequesterDeps) {
		c.MaxPrice, c.MaxSpend = 1000, 2500
		if wallet != nil {
			d.Purse = wallet
		}
	})
}

// one asks one question in its own evaluation.
func one(t *testing.T, d desk, id string) ([]exchange.Answer, map[casefile.DID]string, error) {
	t.Helper()
	s := d.open(t, time.Minute)
	answers, err := ask(s, id)
	s.Close()
	synctest.Wait() // the holder takes the last messages
	d.verify(t, s, answers...)
	return answers, reasons(s), err
}

// TestPaid: delivered answers are paid, up to the budget of a case.
func TestPaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, wallet := newPriced(t), &purse{}
		defer p.close()
		d := p.desk(p.me, wallet)
		s := d.open(t, time.Minute)
		for i, id := range []string{"1", "2", "3"} {
			answers, err := ask(s, id)
			synctest.Wait()
			if want := i < 2; (err == nil) != want || err != nil && !errors.Is(err, exchange.ErrRefused) {
				t.Errorf("%s: %v %v %v", id, answers, err, reasons(s))
			}
		}
		s.Close()
		if len(wallet.bills) != 2 || len(p.till.accepted) != 2 || p.debts.count() != 0 {
			t.Error(wallet.bills, p.till.accepted, p.debts.all)
		}
		for _, b := range wallet.bills {
			if b.Price != 1000 || b.Holder != newJudge(1).peer || b.Seat != p.me.seat() || p.till.accepted[b.Receipt] != 1000 {
				t.Errorf("%+v", b)
			}
		}
		wallet.before = 2000
		if _, why, err := one(t, p.desk(p.me, wallet), "4"); !errors.Is(err, exchange.ErrRefused) {
			t.Error("spends what it has spent before the restart", err, why)
		}
		if _, _, err := one(t, p.desk(p.me, nil), "4"); !errors.Is(err, exchange.ErrRefused) {
			t.Error("without a purse", err)
		}
	})
}

// TestUnpaid: a judge that does not pay gets no more until it shows a voucher, even after a restart
// of the holder. Others get their answers.
func TestUnpaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, wallet := newPriced(t), &purse{lose: true}
		defer p.close()
		d := p.desk(p.me, wallet)
		if answers, _, err := one(t, d, "1"); err != nil || len(answers) != 1 || p.debts.count() != 1 {
			t.Fatal(answers, err, p.debts.all)
		}
		kept := wallet.vouchers
		wallet.vouchers = nil
		p.start(nil)
		_, why, err := one(t, d, "2")
		if !errors.Is(err, exchange.ErrRefused) || why[newJudge(1).peer] != "says that an earlier answer has not been paid" {
			t.Error(err, why)
		}
		if answers, _, err := one(t, p.desk(p.other, &purse{}), "2"); err != nil || len(answers) != 1 {
			t.Error("another judge pays for it", err)
		}
		wallet.vouchers, wallet.lose = kept, false
		answers, why, err := one(t, d, "3")
		if err != nil || len(answers) != 1 || p.debts.count() != 0 || len(p.till.accepted) != 3 {
			t.Error(answers, err, why, p.debts.all)
		}
	})
}

// TestForget: a debt is forgiven in the end, or at once if the chain shows its payment.
func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPriced(t)
		defer p.close()
		d := p.desk(p.me, &purse{lose: true})
		first, _, err := one(t, d, "1")
		if err != nil {
			t.Fatal(err)
		}
		d = p.desk(p.me, &purse{lose: true})
		p.start(func(c *exchange.HolderConfig) { c.ForgiveAfter = time.Hour })
		time.Sleep(2 * time.Hour)
		if _, why, err := one(t, d, "2"); err != nil || p.debts.all[first[0].Hash].Price != 0 {
			t.Error(err, why)
		}
		p.cards = nil
		h := p.holder(newJudge(1), p.book, func(c *exchange.HolderConfig, deps *exchange.HolderDeps) {
			deps.Till, deps.Debts, c.MaxUnpaid = p.till, p.debts, 1
		})
		for receipt := range p.debts.all {
			if err := h.Settled(receipt); err != nil {
				t.Error(err)
			}
		}
		if _, why, err := one(t, p.desk(p.me, &purse{}), "3"); err != nil {
			t.Error(err, why)
		}
	})
}

// TestNotSent: if an answer cannot be noted as owed, or cannot be sent, it is neither given nor
// owed.
func TestNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPriced(t)
		defer p.close()
		p.debts.err = errors.New("disk full")
		if _, why, err := one(t, p.desk(p.me, &purse{}), "1"); !errors.Is(err, exchange.ErrUnavailable) {
			t.Error(err, why)
		}
		p.debts.err = nil
		p.start(nil)
		p.book.answer = func([]byte) (string, error) { return "", datasource.ErrDown }
		if _, _, err := one(t, p.desk(p.me, &purse{}), "1"); !errors.Is(err, exchange.ErrUnavailable) || p.debts.count() != 0 {
			t.Error(err, p.debts.all)
		}
	})
}

// TestGivenUp: if the asker no longer waits for an answer, it is neither sent nor owed.
func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPriced(t)
		defer p.close()
		p.cards = nil
		p.holder(newJudge(1), p.book, func(_ *exchange.HolderConfig, d *exchange.HolderDeps) {
			d.Till, d.Debts = p.till, p.debts
			d.Keep = func(context.Context, exchange.Kept) error { time.Sleep(5 * time.Second); return nil }
		})
		wallet := &purse{}
		s := p.desk(p.me, wallet).open(t, time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Ask(ctx, source, json.RawMessage(`{"id":"1"}`)); err == nil {
			t.Error("answered")
		}
		s.Close()
		time.Sleep(10 * time.Second)
		if p.debts.count() != 0 || len(wallet.bills) != 0 {
			t.Error(p.debts.all, wallet.bills)
		}
	})
}

// TestCutOffAfterAnswer: an answer that arrived whole counts and is paid, even if the line ends
// during its check.
func TestCutOffAfterAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPriced(t)
		defer p.close()
		honest := p.serves[newJudge(1).peer]
		p.serve(newJudge(1).peer, func(ctx context.Context, asker casefile.DID, line exchange.Stream) {
			honest(ctx, asker, tampered{line, func(raw []byte) [][]byte {
				if m, err := anex.Parse(raw); err == nil && m.Performative == anex.ActInform {
					time.AfterFunc(time.Second, func() { hang(line) })
				}
				return [][]byte{raw}
			}})
		})
		wallet := &purse{}
		d := p.desk(p.me, wallet)
		d.blobs.lag = 700 * time.Millisecond
		if answers, why, err := one(t, d, "1"); err != nil || len(answers) != 1 || len(wallet.bills) != 1 {
			t.Error(answers, err, why, wallet.bills)
		}
	})
}

// TestNoTill: a node that cannot be paid does not give away a source with a price.
func TestNoTill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPriced(t)
		defer p.close()
		p.cards = nil
		p.holder(newJudge(1), p.book, nil)
		if _, why, err := one(t, p.desk(p.me, &purse{}), "1"); !errors.Is(err, exchange.ErrRefused) || why[newJudge(1).peer] != "refused: this node cannot be paid" {
			t.Error(err, why)
		}
	})
}

func FuzzParsePayment(f *testing.F) {
	f.Add([]byte(`{"payment":{"receipt":"0101010101010101010101010101010101010101010101010101010101010101","voucher":{"x":1}}}`))
	f.Add([]byte(`{"payment":{"voucher":1}}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := exchange.ParsePayment(raw)
		if err != nil {
			return
		}
		again, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		q, err := exchange.ParsePayment(again)
		if err != nil || q.Receipt != p.Receipt || string(q.Voucher) != string(p.Voucher) {
			t.Fatalf("%s: %+v %v", again, q, err)
		}
	})
}

// TestPoor: a judge that cannot pay does not ask, and owes nothing.
func TestPoor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPriced(t)
		defer p.close()
		for missing, want := range map[uint64]bool{1 << 40: false, 1<<40 - 999: false, 1<<40 - 1000: true} {
			wallet := &purse{empty: missing}
			_, why, err := one(t, p.desk(p.me, wallet), "1")
			if (err == nil) != want || !want && why[newJudge(1).peer] != "wants more than this node's vault can promise" || len(wallet.bills) > 1 || p.debts.count() != 0 {
				t.Errorf("%d lamports: %v %v %v", 1<<40-missing, err, why, p.debts.all)
			}
		}
	})
}

// TestNotReady: a node that cannot be paid at present does not give a priced source for free.
func TestNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPriced(t)
		defer p.close()
		p.till.broken = errors.New("there is no agent")
		if _, why, err := one(t, p.desk(p.me, &purse{}), "1"); !errors.Is(err, exchange.ErrRefused) || why[newJudge(1).peer] != "refused: this node cannot be paid" {
			t.Error(err, why)
		}
	})
}

// picky refuses every voucher.
type picky struct {
	till
	why error
}

func (p *picky) Accept(context.Context, exchange.Bill, json.RawMessage) error { return p.why }

// TestWorthless: a judge whose voucher was refused gets the reason in fixed words when it asks
// again. It does not learn of the holder's own faults.
func TestWorthless(t *testing.T) {
	for why, said := range map[error]string{
		fmt.Errorf("%w: 7 lamports", exchange.ErrVoucherLow): "says that an earlier answer has not been paid: the voucher promises less than is owed",
		exchange.ErrVault:                     "says that an earlier answer has not been paid: the vault of the payer does not hold what is owed",
		errors.New("no RPC node at 10.0.0.1"): "says that an earlier answer has not been paid",
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPriced(t)
			defer p.close()
			p.cards = nil
			p.holder(newJudge(1), p.book, func(c *exchange.HolderConfig, d *exchange.HolderDeps) {
				d.Till, d.Debts, c.MaxUnpaid = &picky{why: why}, p.debts, 1
			})
			d := p.desk(p.me, &purse{})
			if _, _, err := one(t, d, "1"); err != nil {
				t.Fatal(err)
			}
			if _, reasons, err := one(t, d, "2"); !errors.Is(err, exchange.ErrRefused) || reasons[newJudge(1).peer] != said {
				t.Errorf("%v: %v %v", why, reasons, err)
			}
		})
	}
}
