package payment

import (
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"testing"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/voting"
)

var walks = flag.Int("walks", 30, "how many random lives of a channel are walked through")

// life is a payer and two payees through random events, with the naive books of an observer that
// sees everything.
type life struct {
	t        *testing.T
	random   *rand.Rand
	chain    *chainOf
	from     *payer
	to       []*payee
	n        int
	bills    []exchange.Bill
	noted    map[voting.Hash]bool // the payer has it on disk, or may have
	prices   map[string]uint64    // of all bills, by payee
	sure     map[voting.Hash]bool // it was promised
	taken    map[voting.Hash]bool // a voucher for it was accepted
	earned   map[string]uint64
	lost     []shown              // vouchers on their way
	phantoms map[casefile.DID]int // answers that only one side knows: lamports that pay for them are missing for others
}

// shown is a payment that may still arrive, at any time and any number of times.
type shown struct {
	to   int
	bill exchange.Bill
	raw  json.RawMessage
}

func newLife(t *testing.T, seed uint64) *life {
	l := &life{t: t, random: rand.New(rand.NewPCG(seed, 1)), chain: newChain(), noted: map[voting.Hash]bool{}, sure: map[voting.Hash]bool{}, prices: map[string]uint64{},
		taken: map[voting.Hash]bool{}, earned: map[string]uint64{}, phantoms: map[casefile.DID]int{}}
	l.from = newPayer(t, l.chain, "alice", 1_000_000)
	for _, name := range []string{"bob", "carol"} {
		l.to = append(l.to, newPayee(t, l.chain, name))
		l.from.payees[node(name)] = authority(name)
	}
	return l
}

// step is one event.
func (l *life) step() {
	i := l.random.IntN(len(l.to))
	switch l.random.IntN(12) {
	case 0, 1, 2:
		l.answer(i)
	case 3:
		l.authorize(i)
	case 4:
		l.complain(i)
	case 5:
		l.arrive()
	case 6:
		l.chain.now += l.random.Int64N(3600)
	case 7:
		l.chain.now += l.random.Int64N(40 * 3600)
	case 8:
		l.chain.vaults[authority("alice")] += l.random.Uint64N(400_000)
	case 9:
		l.chain.vaults[authority("alice")] -= l.random.Uint64N(l.chain.vaults[authority("alice")] + 1)
	case 10:
		l.pull(i)
	case 11:
		l.crash()
	}
	l.check()
}

// answer lets a payee give an answer, and the payer pays for it.
func (l *life) answer(i int) {
	l.n++
	b := l.from.bill(l.to[i].name, l.n, 1+l.random.Uint64N(60_000))
	if err := l.to[i].owe(b); err != nil {
		l.to[i].start() // nothing was given, but it may be recorded as owed
		if l.to[i].owes(b.Receipt) {
			l.bills, l.phantoms[b.Holder] = append(l.bills, b), l.phantoms[b.Holder]+1
		}
		return
	}
	l.bills = append(l.bills, b)
	l.prices[l.to[i].name] += b.Price
	l.pay(i, b)
}

// authorize pays a bill once more.
func (l *life) authorize(i int) {
	for _, b := range l.bills {
		if l.noted[b.Receipt] && b.Holder == node(l.to[i].name) && l.random.IntN(4) == 0 {
			l.pay(i, b)
			return
		}
	}
}

func (l *life) pay(i int, b exchange.Bill) {
	raw, err := l.from.Authorize(l.t.Context(), b)
	l.noted[b.Receipt] = true
	switch {
	case errors.Is(err, errCrash):
		l.from.start()
		if _, known := l.from.disk.values[billKey(b.Seat.Case, b.Receipt)]; !known {
			l.phantoms[b.Holder]++
		}
	case err == nil:
		l.sure[b.Receipt] = true
		l.send(shown{i, b, raw})
	case !errors.Is(err, errPoor):
		l.t.Fatal(err)
	}
}

// complain lets a payee say that it was not paid.
func (l *life) complain(i int) {
	list, err := l.from.Vouchers(l.t.Context(), node(l.to[i].name))
	if errors.Is(err, errCrash) {
		l.from.start()
		return
	}
	if err != nil {
		l.t.Fatal(err)
	}
	for _, p := range list {
		for _, b := range l.bills {
			if b.Receipt == voting.Hash(p.Receipt) {
				l.send(shown{i, b, p.Voucher})
			}
		}
	}
}

// send may lose a payment, or bring it now, or later.
func (l *life) send(s shown) {
	if l.random.IntN(3) == 0 {
		l.lost = append(l.lost, s)
		return
	}
	l.deliver(s)
}

func (l *life) arrive() {
	if len(l.lost) > 0 {
		l.deliver(l.lost[l.random.IntN(len(l.lost))])
	}
}

// deliver shows a voucher to the payee. An accepted one is counted once.
func (l *life) deliver(s shown) {
	to := l.to[s.to]
	err := to.Accept(l.t.Context(), s.bill, s.raw)
	if errors.Is(err, errCrash) {
		to.start()
	}
	for _, b := range l.bills {
		if b.Holder == node(to.name) && !l.taken[b.Receipt] && !to.owes(b.Receipt) {
			l.taken[b.Receipt] = true
			l.earned[to.name] += b.Price
		}
	}
}

func (l *life) pull(i int) {
	to := l.to[i]
	_, _, err := to.next()
	if err != nil {
		l.t.Fatal(err)
	}
	to.visit(l.t.Context(), authority("alice"))
	if to.disk.crash > 0 && to.disk.puts >= to.disk.crash {
		to.start()
	}
}

// crash lets the power fail in one of the next writes of one party.
func (l *life) crash() {
	d := l.from.disk
	if k := l.random.IntN(3); k > 0 {
		d = l.to[k-1].disk
	}
	d.cut(1+l.random.IntN(3), l.random.IntN(2) == 0)
}

// check compares the naive books with the records.
func (l *life) check() {
	for _, to := range l.to {
		if most := l.from.drawable(authority(to.name)); most > l.prices[to.name] {
			l.t.Fatalf("%s can draw %d for answers that cost %d", to.name, most, l.prices[to.name])
		}
		a := to.account("alice")
		if uint64(a.Earned) != l.earned[to.name] {
			l.t.Fatalf("%s has earned %d, its books say %d", to.name, l.earned[to.name], a.Earned)
		}
		if a.Counted > a.backing() {
			l.t.Fatalf("%s counts on %d, there are %d", to.name, a.Counted, a.backing())
		}
		if to.gain < to.cost {
			l.t.Fatalf("%s has pulled %d for %d", to.name, to.gain, to.cost)
		}
	}
	l.spent()
}

// spent: a case costs the lamports promised in it, after any crash, and no more than was asked for.
func (l *life) spent() {
	least, most := map[casefile.Address]uint64{}, map[casefile.Address]uint64{}
	for _, b := range l.bills {
		if l.noted[b.Receipt] {
			most[b.Seat.Case] += b.Price
		}
		if l.sure[b.Receipt] {
			least[b.Seat.Case] += b.Price
		}
	}
	for c := range most {
		if got, err := l.from.Spent(c); err != nil || got < least[c] || got > most[c] {
			l.t.Fatalf("a case has cost %d, the books say %d to %d: %v", got, least[c], most[c], err)
		}
	}
}

// end: when nothing fails any more, every bill that the payer knows is paid.
func (l *life) end() {
	l.chain.vaults[authority("alice")] += 1 << 40
	for i, to := range l.to {
		l.from.disk.cut(0, false)
		to.disk.cut(0, false)
		for range 3 {
			list, err := l.from.Vouchers(l.t.Context(), node(to.name))
			if err != nil {
				l.t.Fatal(err)
			}
			for _, p := range list {
				for _, b := range l.bills {
					if b.Receipt == voting.Hash(p.Receipt) {
						l.deliver(shown{i, b, p.Voucher})
					}
				}
			}
			l.chain.now += 3600 // until possible pulls are known
		}
		l.check()
		for _, b := range l.bills {
			if _, known := l.from.disk.values[billKey(b.Seat.Case, b.Receipt)]; known && b.Holder == node(to.name) && to.owes(b.Receipt) && l.phantoms[b.Holder] == 0 {
				l.t.Errorf("%s: %d lamports stay owed: %+v", to.name, b.Price, to.account("alice"))
			}
		}
	}
}

// TestLives: go test ./node/payment -run TestLives -walks 20000
func TestLives(t *testing.T) {
	for seed := range *walks {
		l := newLife(t, uint64(seed))
		for range 60 {
			l.step()
		}
		l.end()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
