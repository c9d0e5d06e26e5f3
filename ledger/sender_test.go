package ledger

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
)

// keypair makes a key out of a number.
func keypair(n byte) *Keypair {
	k, err := transact.NewKeypair(bytes.NewReader(bytes.Repeat([]byte{n}, 32)))
	if err != nil {
		panic(err)
	}
	return k
}

// transfer moves lamports.
func transfer(from, to onchain.Address, lamports uint64) []onchain.Instruction {
	data := binary.LittleEndian.AppendUint64([]byte{2, 0, 0, 0}, lamports)
	return []onchain.Instruction{{Program: onchain.SystemProgram(), Accounts: []onchain.AccountMeta{
		{Address: from, Signer: true, Writable: true}, {Address: to, Writable: true},
	}, Data: data}}
}

// bench is a fake node, a client, an outbox and a funded key.
type bench struct {
	*fakeNode
	t      *testing.T
	client *Client
	box    *MemoryOutbox
	payer  *Keypair
	to     onchain.Address
}

const funds = 1_000_000_000

func newBench(t *testing.T, change func(*Config)) *bench {
	t.Helper()
	b := &bench{fakeNode: newFakeNode(), t: t, box: &MemoryOutbox{}, payer: keypair(1), to: onchain.Address{99}}
	b.fund(b.payer.Address(), funds)
	b.start(t)
	cfg := testConfig()
	if change != nil {
		change(&cfg)
	}
	b.client = b.open(t, cfg)
	return b
}

func (b *bench) sender(box Outbox) *Sender {
	b.t.Helper()
	s, err := OpenSender(b.t.Context(), b.client, box)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(s.Close)
	return s
}

func (b *bench) pay(lamports uint64) []onchain.Instruction {
	return transfer(b.payer.Address(), b.to, lamports)
}

func (b *bench) pending() int {
	all, err := b.box.Pending(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return len(all)
}

// after does something to the node later.
func (b *bench) after(d time.Duration, f func(*fakeNode)) {
	time.AfterFunc(d, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		f(b.fakeNode)
	})
}

// TestSubmit: a transaction lands once, even if sending or asking fails on the way, and the outbox
// is empty afterwards.
func TestSubmit(t *testing.T) {
	on := func(method string, f func(n int) fault) func(string, int) fault {
		return func(m string, n int) fault {
			if m != method {
				return fault{}
			}
			return f(n)
		}
	}
	for _, c := range []struct {
		name   string
		change func(*bench)
		most   time.Duration
		signed int // least number of blockhashes asked for
	}{
		{"nothing wrong", func(*bench) {}, 3 * time.Second, 1},
		{"answers to sends are lost", func(b *bench) {
			b.fault = on("sendTransaction", func(int) fault { return fault{after: true} })
		}, 4 * time.Second, 1},
		{"sends do not arrive at first", func(b *bench) {
			b.fault = on("sendTransaction", func(n int) fault { return fault{before: n < 6} })
		}, 20 * time.Second, 1},
		{"sends hang", func(b *bench) {
			b.fault = on("sendTransaction", func(n int) fault { return fault{hang: n < 3} })
		}, 30 * time.Second, 1},
		{"statuses fail", func(b *bench) {
			b.fault = on("getSignatureStatuses", func(n int) fault { return fault{before: n < 8} })
		}, 40 * time.Second, 1},
		{"it is dropped four times", func(b *bench) { n := 0; b.drop = func(int) bool { n++; return n < 5 } }, 12 * time.Second, 1},
		{"it is dropped until it expires", func(b *bench) {
			b.drop = func(int) bool { return true }
			b.after(90*time.Second, func(f *fakeNode) { f.drop = nil })
		}, 3 * time.Minute, 2},
		{"the node is away for a minute", func(b *bench) {
			b.drop = func(int) bool { return true }
			b.after(3*time.Second, func(f *fakeNode) { f.fault = func(string, int) fault { return fault{before: true} } })
			b.after(63*time.Second, func(f *fakeNode) { f.fault, f.drop = nil, nil })
		}, 4 * time.Minute, 1},
		{"every second call fails", func(b *bench) {
			b.fault = func(_ string, n int) fault { return fault{after: n%2 == 1} }
		}, 20 * time.Second, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, nil)
				s := b.sender(b.box)
				b.mu.Lock()
				c.change(b)
				b.mu.Unlock()
				start := time.Now()
				out, err := s.Submit(t.Context(), b.pay(1234), SubmitOptions{Purpose: "x", Payer: b.payer})
				if err != nil || out.Class != Landed || out.Slot == 0 || out.Signature.IsZero() || out.Resumed {
					t.Fatalf("%+v, %v", out, err)
				}
				if took := time.Since(start); took > c.most {
					t.Errorf("took %v, at most %v", took, c.most)
				}
				if n := b.count("getLatestBlockhash"); n < c.signed {
					t.Errorf("signed %d times", n)
				}
				if n := b.lamports(b.to); n != 1234 || b.pending() != 0 {
					t.Errorf("%d lamports arrived, %d pending", n, b.pending())
				}
			})
		})
	}
}

// TestLaggingNode: that a node which is behind knows nothing of a transaction is no proof that it
// cannot land.
func TestLaggingNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		s := b.sender(b.box)
		lag := uint64(400) // statuses come from a node that is far behind, all else does not
		b.lag = func() uint64 { return lag }
		b.after(5*time.Minute, func(*fakeNode) { lag = 0 })
		out, err := s.Submit(t.Context(), b.pay(1), SubmitOptions{Payer: b.payer})
		if err != nil || out.Class != Landed || b.lamports(b.to) != 1 || b.count("getLatestBlockhash") != 1 {
			t.Errorf("%+v, %v, %d lamports arrived, signed %d times", out, err, b.lamports(b.to), b.count("getLatestBlockhash"))
		}
	})
}

// TestRefusals: a refusal by the program has its code, in a simulation and in a block; when what
// the transaction is for is done, it is no refusal.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name      string
		simulated bool
		doneAfter int // Done says yes from the n-th time on; 0: never
		want      transact.Class
		asked     int
	}{
		{"simulated", true, 0, Rejected, 2}, {"in a block", false, 0, Rejected, 2},
		{"simulated, done by others", true, 2, AlreadyDone, 2}, {"in a block, done by others", false, 2, AlreadyDone, 2},
		{"done before", true, 1, AlreadyDone, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, nil)
			s := b.sender(b.box)
			n := 0
			b.run = func(tx *solana.Transaction) (string, []string) {
				if n++; n == 1 && !c.simulated {
					return "", nil
				}
				return `{"InstructionError":[1,{"Custom":6047}]}`, []string{"why"}
			}
			asked := 0
			i := b.program.Commit(b.payer.Address(), onchain.Address{8}, program.Commit{Round: 1})
			out, err := s.Submit(t.Context(), []onchain.Instruction{i}, SubmitOptions{Payer: b.payer, Done: func(context.Context) (bool, error) {
				asked++
				return c.doneAfter != 0 && asked >= c.doneAfter, nil
			}})
			if err != nil || out.Class != c.want || asked != c.asked || b.pending() != 0 {
				t.Fatalf("%s: %+v, %v, asked %d times", c.name, out, err, asked)
			}
			if c.asked == 1 {
				return
			}
			r := out.Rejection
			if code, ok := r.Code(); !ok || code != program.ErrAlreadyCommitted || !errors.Is(r, transact.ErrRejected) || !errors.Is(r, program.ErrAlreadyCommitted) {
				t.Errorf("%s: %v", c.name, r)
			}
			if r.Simulated != c.simulated || len(r.Logs) != 1 || (out.Slot == 0) != c.simulated {
				t.Errorf("%s: %+v", c.name, out)
			}
		})
	}
}

// TestFunds: a payer that cannot pay is named, with what it has and needs, before anything is sent.
// What it needs is no priority fee: without money for one, none is offered.
func TestFunds(t *testing.T) {
	for _, c := range []struct{ has, pays, need uint64 }{{0, 1, 5_000}, {4_999, 1, 5_000}, {10_000, 20_000, 25_000}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, func(c *Config) { c.Send.PriorityFee = "auto" })
			b.fund(b.payer.Address(), c.has)
			if c.has == 0 {
				b.remove(b.payer.Address())
			}
			_, err := b.sender(b.box).Submit(t.Context(), b.pay(c.pays), SubmitOptions{Payer: b.payer})
			var f *transact.FundsError
			if !errors.As(err, &f) || !errors.Is(err, ErrNoFunds) || f.Address != b.payer.Address() || f.Balance != c.has || f.Need != c.need {
				t.Errorf("%+v: %v", c, err)
			}
			if b.count("sendTransaction") != 0 || b.pending() != 0 {
				t.Errorf("%+v: something was sent", c)
			}
		})
	}
}

// TestMaxFee: what costs more than it may is not signed.
func TestMaxFee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(c *Config) { c.Send.PriorityFee = "0" })
		s := b.sender(b.box)
		for fee, fits := range map[uint64]bool{1: false, transact.LamportsPerSignature - 1: false, transact.LamportsPerSignature: true, 0: true} {
			out, err := s.Submit(t.Context(), b.pay(7), SubmitOptions{Payer: b.payer, MaxFee: fee})
			if fits && (err != nil || out.Class != Landed) || !fits && (!errors.Is(err, ErrFee) || out.Signature != onchain.Signature{}) {
				t.Errorf("%d: %+v %v", fee, out, err)
			}
		}
	})
}

// TestBefore: what comes too late is not signed; what becomes useless under way is given up, but
// watched until it cannot land.
func TestBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		s := b.sender(b.box)
		now, err := b.client.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Submit(t.Context(), b.pay(1), SubmitOptions{Payer: b.payer, Before: now.Unix})
		if err != nil || out.Class != transact.GaveUp || out.Pending || b.count("getLatestBlockhash") != 0 {
			t.Errorf("too late: %+v, %v", out, err)
		}
		b.drop = func(int) bool { return true }
		start := time.Now()
		o := SubmitOptions{Purpose: "x", Payer: b.payer, Before: now.Unix + 20}
		out, err = s.Submit(t.Context(), b.pay(2), o)
		if took := time.Since(start); err != nil || out.Class != transact.GaveUp || !out.Pending || took < 18*time.Second || took > 25*time.Second {
			t.Fatalf("under way: %+v, %v, after %v", out, err, took)
		}
		sent := b.count("sendTransaction")
		time.Sleep(10 * time.Second)
		if b.count("sendTransaction") != sent || b.pending() != 1 {
			t.Error("it is still sent, or forgotten")
		}
		// Another try for the same purpose waits until the old one is out of the way.
		b.mu.Lock()
		b.drop = nil
		b.mu.Unlock()
		o.Before = 0
		out, err = s.Submit(t.Context(), b.pay(3), o)
		if err != nil || out.Class != Landed || b.lamports(b.to) != 3 || b.pending() != 0 {
			t.Errorf("the next: %+v, %v, %d lamports arrived", out, err, b.lamports(b.to))
		}
	})
}

// TestInFlight: a purpose is under way once; a caller that comes back after a cancelled Submit gets
// the same transaction's outcome.
func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		s := b.sender(b.box)
		b.drop = func(int) bool { return true }
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() {
			_, err := s.Submit(ctx, b.pay(1), SubmitOptions{Purpose: "x", Payer: b.payer})
			first <- err
		}()
		time.Sleep(5 * time.Second)
		if _, err := s.Submit(t.Context(), b.pay(1), SubmitOptions{Purpose: "x", Payer: b.payer}); !errors.Is(err, errInFlight) {
			t.Errorf("a second: %v", err)
		}
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		b.mu.Lock()
		b.drop = nil
		b.mu.Unlock()
		out, err := s.Submit(t.Context(), b.pay(1), SubmitOptions{Purpose: "x", Payer: b.payer})
		if err != nil || out.Class != Landed || !out.Resumed || b.lamports(b.to) != 1 {
			t.Errorf("%+v, %v, %d lamports arrived", out, err, b.lamports(b.to))
		}
	})
}

// crashing is an outbox whose process dies right after an entry is on disk, or right before it
// would be removed.
type crashing struct {
	*MemoryOutbox
	onKeep, onDrop func()
}

// Keep stores, then dies.
func (c *crashing) Keep(ctx context.Context, e transact.Entry) error {
	err := c.MemoryOutbox.Keep(ctx, e)
	if c.onKeep != nil {
		c.onKeep()
	}
	return err
}

// Drop dies.
func (c *crashing) Drop(ctx context.Context, p Purpose, sig onchain.Signature) error {
	if c.onDrop != nil {
		c.onDrop()
		return errors.New("dead")
	}
	return c.MemoryOutbox.Drop(ctx, p, sig)
}

// TestCrash: killed between persisting and sending, or between landing and forgetting, a new sender
// goes on, and the transaction lands once.
func TestCrash(t *testing.T) {
	for _, c := range []struct {
		name   string
		landed bool          // before the crash
		away   time.Duration // between the two runs
	}{
		{"before sending", false, time.Second}, {"after landing", true, time.Second},
		{"before sending, for long", false, 10 * time.Minute}, {"after landing, for long", true, 10 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, nil)
				box := &crashing{MemoryOutbox: b.box}
				s := b.sender(box)
				kill := func() { s.cancel(errClosed) }
				if c.landed {
					box.onDrop = kill
				} else {
					box.onKeep = kill
				}
				o := SubmitOptions{Purpose: "x", Payer: b.payer}
				if out, err := s.Submit(t.Context(), b.pay(77), o); !errors.Is(err, errClosed) {
					t.Fatalf("%+v, %v", out, err)
				}
				s.Close()
				if arrived := b.lamports(b.to) == 77; arrived != c.landed || b.pending() != 1 {
					t.Fatalf("landed %v, %d pending", arrived, b.pending())
				}
				time.Sleep(c.away)
				s = b.sender(b.box)
				out, err := s.Submit(t.Context(), b.pay(77), o)
				if err != nil || out.Class != Landed || b.lamports(b.to) != 77 || b.pending() != 0 {
					t.Errorf("%+v, %v, %d lamports arrived, %d pending", out, err, b.lamports(b.to), b.pending())
				}
				if resumed := c.landed || c.away < time.Minute; out.Resumed != resumed {
					t.Errorf("resumed %v, want %v", out.Resumed, resumed)
				}
			})
		})
	}
}

// TestResumeAlone: entries of the outbox are brought to their end although no caller asks.
func TestResumeAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		box := &crashing{MemoryOutbox: b.box}
		s := b.sender(box)
		box.onKeep = func() { s.cancel(errClosed) }
		if _, err := s.Submit(t.Context(), b.pay(5), SubmitOptions{Payer: b.payer}); !errors.Is(err, errClosed) {
			t.Fatal(err)
		}
		s.Close()
		b.sender(b.box)
		time.Sleep(5 * time.Second)
		if b.lamports(b.to) != 5 || b.pending() != 0 {
			t.Errorf("%d lamports arrived, %d pending", b.lamports(b.to), b.pending())
		}
	})
}

// broken is an outbox that fails.
type broken struct {
	*MemoryOutbox
	mu         sync.Mutex
	keep, drop error
}

// Keep fails if it should.
func (k *broken) Keep(ctx context.Context, e transact.Entry) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keep != nil {
		return k.keep
	}
	return k.MemoryOutbox.Keep(ctx, e)
}

// Drop fails if it should.
func (k *broken) Drop(ctx context.Context, p Purpose, sig onchain.Signature) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.drop != nil {
		return k.drop
	}
	return k.MemoryOutbox.Drop(ctx, p, sig)
}

// TestOutboxFails: without an outbox that works nothing is sent, then or later.
func TestOutboxFails(t *testing.T) {
	full := errors.New("disk full")
	for _, keep := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, nil)
			box := &broken{MemoryOutbox: b.box, drop: full}
			if keep {
				box.keep = full
			}
			s := b.sender(box)
			if _, err := s.Submit(t.Context(), b.pay(1), SubmitOptions{Payer: b.payer}); !errors.Is(err, ErrOutbox) || !errors.Is(err, full) {
				t.Error(err)
			}
			sent := b.count("sendTransaction")
			if keep && sent != 0 {
				t.Error("it was sent")
			}
			box.mu.Lock()
			box.keep, box.drop = nil, nil
			box.mu.Unlock()
			if _, err := s.Submit(t.Context(), b.pay(1), SubmitOptions{Payer: b.payer}); !errors.Is(err, ErrOutbox) || b.count("sendTransaction") != sent {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// TestSenderOtherChain: entries for another chain are neither sent nor dropped, and a chain that
// changes under way ends it all.
func TestSenderOtherChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		s := b.sender(b.box)
		b.drop = func(int) bool { return true }
		b.after(5*time.Second, func(f *fakeNode) { f.fault = func(string, int) fault { return fault{before: true} } })
		b.after(8*time.Second, func(f *fakeNode) { f.fault, f.genesis = nil, onchain.Hash{4} })
		_, err := s.Submit(t.Context(), b.pay(1), SubmitOptions{Payer: b.payer})
		if !errors.Is(err, ErrOtherChain) || b.pending() != 1 {
			t.Errorf("%v, %d pending", err, b.pending())
		}
		s.Close()
		sent := b.count("sendTransaction")
		if _, err := OpenSender(t.Context(), b.open(t, testConfig()), b.box); !errors.Is(err, ErrOtherChain) {
			t.Error(err)
		}
		if b.pending() != 1 || b.count("sendTransaction") != sent {
			t.Error("it was dropped or sent")
		}
	})
}
