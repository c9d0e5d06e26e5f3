package node

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/verify"
	"ojud/ledger/journal/blob"
	"ojud/ledger/program"
	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// smallStore is a quota that a test can fill. A node has 4 GiB by default.
const smallStore = 12 << 20

// smallStores is a court of seven whose judges, except the first, have small stores.
func smallStores(t *testing.T) *world {
	w := newWorld(t, nil)
	for i := range 7 {
		w.admit(&member{}, func(m *member) {
			if i > 0 {
				m.cfg.Blobs.Quota, m.cfg.Blobs.MinFree = smallStore, 0
				return
			}
			m.deps.Judge = lingers()
		})
	}
	w.season()
	return w
}

// lingers is the judge of a falsifier. Data is named before the vote of its round, so this judge
// votes after the test has named some.
func lingers() judge.Judge { return slow{code(), time.Minute} }

func random(t *testing.T, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return b
}

// allVote brings a case before the court and expects the vote of every seat.
func (w *world) allVote(creator, worker int, n uint64) voting.Key {
	w.t.Helper()
	task := w.bring(keypair(w.t, byte(creator)), keypair(w.t, byte(worker)), n, sol, eleptiger(w.t))
	c := w.until(30*time.Minute, "over", task, func(c *program.Case) bool { return c.Status.Over() })
	if c.Verdict != voting.ForWorker || int(c.Revealed) != len(c.Seats) {
		w.t.Errorf("%s, and %d of %d revealed", c.Verdict, c.Revealed, len(c.Seats))
	}
	return task
}

// TestAttackCancelledTasks: somebody without a seat hands in documents of tasks that cost nothing,
// and cancels the tasks. They take no more than the room of offers, they are given up when the
// tasks are over, and the judges vote. A node whose store an older version filled votes, too.
func TestAttackCancelledTasks(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := smallStores(t)
		mallory, victim := keypair(t, 30), w.nodes[3]
		w.fund(mallory)
		w.do(mallory, w.p.RegisterAgent(mallory.Address(), program.RegisterAgent{}), w.p.Deposit(mallory.Address(), mallory.Address(), program.Deposit{Amount: 5 * sol}))
		boot, err := w.nodes[0].Addrs()
		w.must(err)
		h := w.net.Node(func(c *p2p.Config, _ *p2p.Deps) {
			c.Bootstrap, c.Listen = boot, []string{"/ip4/203.0.114.9/udp/4600/quic-v1"}
		})
		lim := p2p.DefaultLimits()
		lim.MaxRequest, lim.MaxResponse = 1+64+1<<20, 1<<20
		w.must(h.Handle("blob", lim, func(context.Context, peer.ID, []byte) ([]byte, error) { return nil, p2p.ErrNotFound }))
		w.must(h.Connect(t.Context(), p2ptest.Info(t, victim.host)))
		taken, large, full := 0, 0, 0
		var tasks []voting.Key
		for i := range uint64(8) {
			x := random(t, casefile.MaxDocument)
			if i == 0 {
				x = random(t, casefile.MaxDocument+1)
			}
			hash := casefile.HashOf(x)
			w.do(mallory, w.p.CreateTask(mallory.Address(), i, program.FirstRules, program.CreateTask{
				TaskHash: hash, Seal: voting.Hash{2}, RewardMin: sol / 1000, RewardMax: sol / 1000, WorkSeconds: 60, OnUndecided: voting.SplitEscrow,
			}))
			task := voting.Key(w.p.Task(mallory.Address(), i))
			tasks = append(tasks, task)
			put := append(append(append([]byte{2}, hash[:]...), task[:]...), x...)
			var said error
			p2ptest.Eventually(t, time.Minute, "an answer", func() bool {
				_, said = h.Request(t.Context(), victim.host.ID(), "blob", put)
				return said == nil || !errors.Is(said, p2p.ErrNotFound) && !strings.Contains(said.Error(), "chain")
			})
			switch {
			case said == nil:
				taken++
			case strings.Contains(said.Error(), "larger"):
				large++
			case strings.Contains(said.Error(), "no room"):
				full++
			default:
				t.Errorf("task %d: %v", i, said)
			}
		}
		if taken == 0 || large != 1 || full == 0 {
			t.Errorf("%d documents were taken, %d were too large, there was no room for %d", taken, large, full)
		}
		if got := victim.blobs.Stats(); got.Bytes > smallStore/8 || got.Refused != uint64(full) {
			t.Errorf("%+v", got)
		}
		for i := range tasks {
			w.do(mallory, w.p.CancelTask(mallory.Address(), w.p.Task(mallory.Address(), uint64(i))))
		}
		w.halt(victim)
		older := victim.fillStore(t)
		w.start(victim)
		w.parties()
		w.allVote(20, 21, 0)
		p2ptest.Eventually(t, time.Hour, "the content of tasks that are over is given up", func() bool {
			owners := victim.blobs.Owners()
			for _, task := range append(tasks, older) {
				if _, ok := owners[task]; ok {
					return false
				}
			}
			return true
		})
	})
}

// fillStore fills the store of a node that does not run, as an older version did.
func (m *member) fillStore(t *testing.T) (owner voting.Key) {
	t.Helper()
	owner = voting.Key(random(t, 32))
	cfg := m.home.fill(m.cfg).Blobs
	s, err := blob.Open(cfg, nil, nil)
	for size := 1 << 20; err == nil && size > 0; {
		var hash voting.Hash
		if hash, err = s.Put(random(t, size)); errors.Is(err, blob.ErrFull) {
			size, err = size/2, nil
			continue
		}
		if err == nil {
			err = s.Pin(owner, hash)
		}
	}
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if got := s.Stats(); got.Bytes != smallStore {
		t.Fatalf("the store is not full: %+v", got)
	}
	return owner
}

// falsifier says more in a case than it should: it is a seat that forges what it was asked and
// told.
type falsifier struct {
	w    *world
	m    *member
	task voting.Key
	log  *casefile.Log
	at   int64
}

// newFalsifier is the first node, as soon as it has a seat in a case that is open.
func (w *world) newFalsifier(task voting.Key) *falsifier {
	w.t.Helper()
	c := w.until(10*time.Minute, "drawn", task, func(c *program.Case) bool { return c.Status == voting.Committing })
	l := &falsifier{w: w, m: w.nodes[0], task: task, at: c.OpenedAt}
	p2ptest.Eventually(w.t, time.Minute, "the case file begins", func() (ok bool) {
		log, err := l.m.Log(task)
		l.log = log
		return err == nil && log.Has(l.m.home.Keys.Peer(), casefile.KindDraw, 1, voting.Key{})
	})
	return l
}

// receipt is of an answer that the falsifier gave to a seat, or to itself.
func (l *falsifier) receipt(asker *member, n int, content func() casefile.Digest) casefile.Receipt {
	l.w.t.Helper()
	r, err := casefile.Receipt{
		Network: casefile.Digest(l.w.domain.Network), Program: casefile.Address(l.w.domain.Program), Case: casefile.Address(l.task), Round: 1,
		Judge: casefile.Address(asker.home.Keys.Judge()), Asker: casefile.DID(asker.home.Keys.Peer()), Source: "site.post",
		Request: content(), Response: content(), Terms: content(), FetchedAt: l.at, At: l.at + int64(n),
	}.Sign(l.m.home.Keys.node)
	l.w.must(err)
	return r
}

func (l *falsifier) say(kind casefile.Kind, body any) {
	l.w.t.Helper()
	_, err := l.log.Append(l.m.home.Keys.node, kind, body, l.at)
	l.w.must(err)
}

// accuse says that a holder that does not exist answered the falsifier twice.
func (l *falsifier) accuse(content func() casefile.Digest) {
	l.w.t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	l.w.must(err)
	a := l.receipt(l.m, 0, content)
	b := a
	b.Response = content()
	hash := func(r *casefile.Receipt) voting.Hash {
		signed, err := r.Sign(key)
		l.w.must(err)
		*r = signed
		h, err := r.Hash()
		l.w.must(err)
		return h
	}
	first, second := hash(&a), hash(&b)
	if bytes.Compare(first[:], second[:]) > 0 {
		a, b = b, a
	}
	l.say(casefile.KindTwofold, casefile.TwofoldBody{A: a, B: b})
}

// forge says that the falsifier answered another seat, and that it was answered, with such content.
func (l *falsifier) forge(asker *member, n int, content func() casefile.Digest) {
	l.w.t.Helper()
	l.say(casefile.KindReceipt, casefile.ReceiptBody{Receipt: l.receipt(asker, n, content)})
	own := l.receipt(l.m, n, content)
	l.say(casefile.KindData, casefile.DataBody{
		Round: 1, Source: own.Source, Request: own.Request, Receipts: []casefile.Receipt{own}, Failures: []casefile.Failure{},
	})
}

// TestAttackForgedReceipts: a seat signs that it gave answers of 1 MiB to another seat, which knows
// nothing of it, and that it was told as much itself. Nobody fetches the former, a few MiB of the
// latter are kept, the nodes run on, and the file is whole.
func TestAttackForgedReceipts(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := smallStores(t)
		creator, worker := w.parties()
		task := w.bring(creator, worker, 0, sol, eleptiger(t))
		l := w.newFalsifier(task)
		large := func() casefile.Digest {
			hash, err := l.m.blobs.Put(random(t, 1<<20))
			w.must(err)
			return casefile.Digest(hash)
		}
		for i := range 4 {
			l.forge(w.nodes[1], i, large)
		}
		w.until(10*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		time.Sleep(5 * time.Minute)
		const most = 4 << 20
		for i, m := range w.nodes[1:] {
			file, _, err := m.Export(t.Context(), task)
			if rep := verify.File(file); err != nil || !rep.OK() {
				t.Errorf("node %d: the file does not verify: %v", i+1, err)
			}
			if got := m.blobs.Stats().Bytes; got < 1<<20 || got > most+1<<20 {
				t.Errorf("node %d keeps %d bytes", i+1, got)
			}
		}
		w.allVote(20, 21, 1)
	})
}

// TestAttackContentOfNobody: a seat names content that no peer has. The file of another case is
// whole as soon as without it, and its own one after little more.
func TestAttackContentOfNobody(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(7, func(i int) judge.Judge {
			if i == 0 {
				return lingers()
			}
			return code()
		})
		creator, worker := w.parties()
		task := w.bring(creator, worker, 0, sol, eleptiger(t))
		l := w.newFalsifier(task)
		nowhere := func() casefile.Digest { return casefile.Digest(random(t, 32)) }
		for i := range 30 {
			l.say(casefile.KindReceipt, casefile.ReceiptBody{Receipt: l.receipt(w.nodes[1], i, nowhere)})
		}
		for range 8 {
			l.accuse(nowhere)
		}
		whole := func(task voting.Key, what string, most time.Duration) {
			w.until(10*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
			start := time.Now()
			p2ptest.Eventually(t, time.Hour, what, func() bool {
				c, err := w.nodes[5].Case(t.Context(), task)
				return err == nil && c.Complete
			})
			took := time.Since(start)
			t.Logf("%s: %s after the verdict", what, took)
			if took > most {
				t.Errorf("%s only %s after the verdict", what, took)
			}
		}
		second := w.bring(creator, worker, 1, sol, eleptiger(t))
		whole(second, "the file of the other case is whole", 30*time.Second)
		whole(task, "the file of the case is whole", 3*time.Minute)
	})
}
