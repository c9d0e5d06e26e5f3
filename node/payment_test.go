package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/node/payment"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// sell gives a node a source with two posts, for a price.
func sell(t *testing.T, m *member, price uint64) {
	t.Helper()
	posts := t.TempDir()
	for _, name := range []string{"7.json", "8.json"} {
		if err := os.WriteFile(filepath.Join(posts, name), []byte(`{"text":"hello world"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := datasource.Parse(fmt.Appendf(nil, `{"name":"site.post","description":"posts","inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]},
"terms":{"access":["content"],"price":"%d"},"upstream":{"kind":"files","dir":%q,"allow":["*.json"],"format":"json"}}`, price, posts))
	if err != nil {
		t.Fatal(err)
	}
	if err := datasource.Write(m.home.Path("sources"), s); err != nil {
		t.Fatal(err)
	}
}

// fair is a court whose judges share no answers: each buys its own. The tasks ask for the data that
// the last judge sells.
type fair struct {
	*world
	price           uint64 // lamports of an answer
	seller          *member
	creator, worker *ledger.Keypair
	cases           uint64
}

// funded is the content of a judge's vault, in lamports.
const funded = 50_000_000

// newFair makes a court of that many judges. Each of them but the last may pay the price, and three
// times the price in a case.
func newFair(t *testing.T, judges int, price uint64, change func(i int, m *member)) *fair {
	t.Helper()
	f := &fair{world: newWorld(t, nil), price: price}
	for i := range judges - 1 {
		f.joinWith(func(m *member) {
			m.cfg.Data.Requester.MaxPrice, m.cfg.Data.Requester.MaxSpend, m.cfg.Data.Requester.SharedAnswersWait = price, 3*price, 0
			f.enrol(m, funded)
			if change != nil {
				change(i, m)
			}
		})
	}
	f.joinWith(func(m *member) {
		sell(t, m, price)
		m.cfg.Data.Holder.MaxUnpaid = 1
		f.enrol(m, 0)
		f.seller = m
	})
	f.creator, f.worker = f.parties()
	return f
}

// try brings the next case and waits for its end.
func (f *fair) try(p papers) (voting.Key, *program.Case) {
	f.t.Helper()
	task := f.bring(f.creator, f.worker, f.cases, sol, p)
	f.cases++
	return task, f.until(20*time.Minute, "over", task, func(c *program.Case) bool { return c.Status.Over() })
}

// enrol makes a node's authority an agent.
func (f *fair) enrol(m *member, vault uint64) {
	f.t.Helper()
	k := m.home.Keys.Authority
	f.do(k, f.p.RegisterAgent(k.Address(), program.RegisterAgent{}))
	if vault > 0 {
		f.do(k, f.p.Deposit(k.Address(), k.Address(), program.Deposit{Amount: vault}))
	}
}

// vault returns the balance of the vault of a node's authority.
func (f *fair) vault(m *member) uint64 {
	f.t.Helper()
	a, _, err := f.client.Agent(f.t.Context(), m.home.Keys.Authority.Address())
	f.must(err)
	return a.Vault
}

// paid returns the sum that a node's authority has paid the seller's through their channel.
func (f *fair) paid(m *member) uint64 {
	f.t.Helper()
	all, _, err := f.client.Accounts(f.t.Context(), f.p.Channel(m.home.Keys.Authority.Address(), f.seller.home.Keys.Authority.Address()))
	f.must(err)
	if all[0] == nil {
		return 0
	}
	c, err := program.DecodeChannel(all[0].Data)
	f.must(err)
	return c.Paid
}

// bought returns the prices on the receipts that a judge names in a case file. The file must
// verify.
func (f *fair) bought(task voting.Key, m *member) (out []uint64) {
	f.t.Helper()
	f.sound(f.nodes[0], task)
	log, err := f.nodes[0].Reader.Log(task)
	f.must(err)
	for _, e := range log.Events() {
		if e.Kind != casefile.KindData || e.Actor != casefile.DID(m.home.Keys.Peer()) {
			continue
		}
		var b casefile.DataBody
		f.must(network.DecodeStrict(e.Body, &b))
		for _, r := range b.Receipts {
			out = append(out, uint64(r.Price))
		}
	}
	return out
}

// settled waits until the seller's vault holds the expected sum, and checks each given judge's
// payments.
func (f *fair) settled(each uint64, judges ...*member) {
	f.t.Helper()
	sum := each * uint64(len(judges))
	p2ptest.Eventually(f.t, 5*time.Minute, fmt.Sprintf("%d lamports are pulled", sum), func() bool { return f.vault(f.seller) == sum })
	for _, m := range judges {
		if f.vault(m) != funded-each || f.paid(m) != each {
			f.t.Errorf("%s: %d in the vault, %d paid, not %d", m.home.Keys.Authority, f.vault(m), f.paid(m), each)
		}
	}
}

// again stops a node and starts it.
func (f *fair) again(m *member) {
	f.t.Helper()
	f.halt(m)
	f.start(m)
}

// TestPriced: seated judges pay the one holder. Lamports move from their vaults to its vault, none
// are lost, and the case file has receipts with the price.
func TestPriced(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		f := newFair(t, 5, 2_000_000, nil) // more than the rent of a Channel and the fees of a pull
		before := f.capital()
		task, c := f.try(posted())
		if c.Verdict != voting.ForWorker || c.Revealed != 5 {
			t.Fatalf("verdict %v, %d of %d revealed", c.Verdict, c.Revealed, len(c.Seats))
		}
		f.settled(f.price, f.nodes[:4]...)
		if after := f.capital(); after != before {
			t.Errorf("%d lamports before, %d after", before, after)
		}
		for _, m := range f.nodes[:4] {
			if got := f.bought(task, m); !slices.Equal(got, []uint64{f.price}) {
				t.Errorf("%s has receipts for %v", m.home.Keys.Authority, got)
			}
		}
		f.books(t)
		if rent, err := f.client.RentMinimum(t.Context(), program.ChannelSize); err != nil || rent != 1_503_360 {
			t.Errorf("docs/data-sources.md names another rent than %d: %v", rent, err)
		}
	})
}

// books checks that both sides tell their owners the same.
func (f *fair) books(t *testing.T) {
	t.Helper()
	sold, err := f.seller.Payments(t.Context())
	if err != nil || len(sold.Earned) != 4 || len(sold.Owed) != 0 || uint64(sold.Vault) != 4*f.price {
		t.Errorf("%+v %v", sold, err)
	}
	for _, e := range sold.Earned {
		if e.Answers != 1 || uint64(e.Pulled) != f.price || e.Waiting != 0 {
			t.Errorf("%+v", e)
		}
	}
	spent, err := f.nodes[0].Payments(t.Context())
	if err != nil || len(spent.Spent) != 1 || uint64(spent.Spent[0].Paid) != f.price || spent.Spent[0].Open != 0 || spent.Problem != "" {
		t.Errorf("%+v %v", spent, err)
	}
}

// TestPaidOverRestarts: vouchers that are not worth a pull grow over cases and restarts of both
// sides. They are pulled when they are worth it.
func TestPaidOverRestarts(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		f := newFair(t, 5, 900_000, nil)
		f.try(posted())
		if v := f.vault(f.seller); v != 0 {
			t.Fatalf("%d lamports are pulled for less than they cost", v)
		}
		f.again(f.seller)
		f.again(f.nodes[1])
		time.Sleep(2 * time.Minute) // they are linked again, and wait for no copies of themselves
		if _, c := f.try(posted()); c.Verdict != voting.ForWorker || c.Revealed != 5 {
			t.Fatalf("verdict %v, %d revealed", c.Verdict, c.Revealed)
		}
		f.settled(2*f.price, f.nodes[:4]...)
	})
}

// stingy promises nothing.
type stingy struct{ exchange.Purse }

// Authorize implements exchange.Purse.
func (stingy) Authorize(context.Context, exchange.Bill) (json.RawMessage, error) {
	return nil, errors.New("out of spite")
}

// TestUnpaid: a judge that did not pay gets no second answer, even after a restart of the holder.
// The others go on.
func TestUnpaid(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		f := newFair(t, 5, 2_000_000, func(i int, m *member) {
			if i == 2 {
				m.deps.WrapPurse = func(p exchange.Purse) exchange.Purse { return stingy{p} }
			}
		})
		cheat := f.nodes[2]
		first, _ := f.try(posted())
		f.settled(f.price, f.nodes[0], f.nodes[1], f.nodes[3])
		if got := f.bought(first, cheat); !slices.Equal(got, []uint64{f.price}) {
			t.Fatalf("the first answer is given in good faith: %v", got)
		}
		f.again(f.seller)
		time.Sleep(2 * time.Minute)
		second, c := f.try(posted())
		if c.Verdict != voting.ForWorker {
			t.Fatalf("verdict %v", c.Verdict)
		}
		if got := f.bought(second, cheat); len(got) != 0 {
			t.Errorf("who does not pay got %v", got)
		}
		f.settled(2*f.price, f.nodes[0], f.nodes[1], f.nodes[3])
		sold, err := f.seller.Payments(t.Context())
		if err != nil || len(sold.Owed) != 1 || sold.Owed[0].Judge != casefile.Address(cheat.home.Keys.Judge()) {
			t.Errorf("%+v %v", sold.Owed, err)
		}
	})
}

// TestLimits: a judge whose vault does not hold the price does not ask, and none pays more for a
// case than its owner allows.
func TestLimits(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		f := newFair(t, 6, 2_000_000, func(i int, m *member) {
			switch i {
			case 1:
				m.cfg.Data.Requester.MaxSpend = m.cfg.Data.Requester.MaxPrice
			case 2:
				m.cfg.Data.Requester.MaxPrice--
			}
		})
		poor := f.nodes[3]
		k := poor.home.Keys.Authority
		f.do(k, f.p.Withdraw(k.Address(), program.Withdraw{Amount: funded - f.price + 1}))
		two := posted()
		two.task = `{"instruction":["Name the post."],"output_schema":{"type":"array"},"data_sources":["site.post"],
"expected":[{"path":"/content/text","contains":"hello","data":{"data_source":"site.post","request":{"name":"7.json"}}},
{"path":"/content/text","contains":"world","data":{"data_source":"site.post","request":{"name":"8.json"}}},{"path":"/0","equals":"7.json","settles":[0]}]}`
		task, _ := f.try(two)
		for i, want := range []int{2, 1, 0, 0, 2} {
			if got := f.bought(task, f.nodes[i]); len(got) != want {
				t.Errorf("judge %d has paid %v in a case, not %d times", i, got, want)
			}
		}
		p2ptest.Eventually(t, 5*time.Minute, "the payments are pulled", func() bool { return f.vault(f.seller) == 5*f.price })
		if f.vault(poor) != f.price-1 || f.vault(f.nodes[1]) != funded-f.price {
			t.Errorf("%d and %d are left", f.vault(poor), f.vault(f.nodes[1]))
		}
	})
}

// TestNoAgent: no judge asks a node without a vault for data that has a price.
func TestNoAgent(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, brisk)
		w.join(4, nil)
		w.joinWith(func(m *member) { sell(t, m, 5) })
		task := w.dispute(posted())
		w.until(time.Hour, "over", task, func(c *program.Case) bool { return c.Status.Over() })
		if err := w.nodes[4].evidence.CanSell(t.Context()); !errors.Is(err, payment.ErrNoAgent) {
			t.Error(err)
		}
		if p, err := w.nodes[4].Payments(t.Context()); err != nil || p.Problem == "" || len(p.Owed) != 0 {
			t.Errorf("%+v %v", p, err)
		}
	})
}
