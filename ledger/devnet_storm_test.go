package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/devnet"
	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
)

// mortal is a chain on disk that is killed and started again, behind a transport that loses
// requests and answers.
type mortal struct {
	t    *testing.T
	root string
	runs int

	mu     sync.Mutex
	r      *rand.Rand
	server *devnet.Server // nil while it is dead
	cancel context.CancelFunc
	done   chan error
	busy   sync.WaitGroup // requests that the server has
}

// RoundTrip implements http.RoundTripper.
func (m *mortal) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	fate, server := m.r.IntN(10), m.server
	if server == nil || fate == 0 {
		m.mu.Unlock()
		return nil, io.ErrUnexpectedEOF
	}
	m.busy.Add(1)
	m.mu.Unlock()
	defer m.busy.Done()
	resp, err := server.Transport().RoundTrip(r)
	if fate == 1 || fate == 2 {
		return nil, io.ErrUnexpectedEOF
	}
	return resp, err
}

// live starts the chain from its files on disk.
func (m *mortal) live() {
	cfg := devnet.DefaultConfig()
	cfg.Chain.Dir = filepath.Join(m.root, fmt.Sprint(m.runs))
	server, err := devnet.New(cfg, devnet.Deps{Logger: slog.New(slog.DiscardHandler), Genesis: testGenesis(m.t.Name())})
	if err != nil {
		m.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(m.t.Context())
	m.done = make(chan error, 1)
	go func() { m.done <- server.Run(ctx) }()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.server, m.cancel = server, cancel
}

// die ends the chain without letting it finish anything: the next life has only the files that were
// on disk before it was closed.
func (m *mortal) die() {
	m.mu.Lock()
	server := m.server
	m.server = nil
	m.mu.Unlock()
	m.busy.Wait()
	m.cancel()
	if err := <-m.done; err != nil {
		m.t.Error(err)
	}
	m.runs++
	from, to := filepath.Join(m.root, fmt.Sprint(m.runs-1)), filepath.Join(m.root, fmt.Sprint(m.runs))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		m.t.Error(err)
	}
	if err := server.Close(); err != nil {
		m.t.Error(err)
	}
}

// TestDevnetStorm: on the embedded chain, which is killed three times, over a transport that loses
// a tenth of the requests and two tenths of the answers, by a sender that is killed, too, every
// payment arrives once.
func TestDevnetStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &mortal{t: t, root: t.TempDir(), r: rand.New(rand.NewPCG(7, 7))}
		m.live()
		defer m.die()
		c, err := New(testConfig(), programID(), Deps{Transport: m})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		d := &devChain{t: t, client: c}
		payer := keypair(1)
		for n, _, err := c.Balance(t.Context(), payer.Address()); n == 0; n, _, err = c.Balance(t.Context(), payer.Address()) {
			if err != nil {
				t.Fatal(err)
			}
			if sig, err := c.Airdrop(t.Context(), payer.Address(), 100*sol); err == nil {
				_, _ = c.Await(t.Context(), sig) // tried again if it failed
			}
		}
		const n = 30
		box, left := &MemoryOutbox{}, make(map[int]bool)
		for i := range n {
			left[i] = true
		}
		for life := 0; len(left) > 0 || life < 4; life++ {
			if d.sender, err = OpenSender(t.Context(), c, box); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			for _, i := range d.payAll(ctx, payer, left) {
				delete(left, i)
			}
			cancel()
			d.sender.Close()
			if life < 3 {
				m.die()
				time.Sleep(5 * time.Second)
				m.live()
			}
		}
		for i := range n {
			got, _, err := c.Balance(t.Context(), payee(i))
			if err != nil || got != sol+uint64(i) {
				t.Errorf("payment %d: %d lamports arrived, %v", i, got, err)
			}
		}
		if m.runs < 3 {
			t.Errorf("the chain was killed %d times", m.runs)
		}
	})
}

func payee(i int) onchain.Address { return onchain.Address{77, byte(i)} }

// payAll submits the payments that are left, half of them only after a while, and returns those
// that landed.
func (d *devChain) payAll(ctx context.Context, payer *Keypair, left map[int]bool) (landed []int) {
	var mu sync.Mutex
	var group sync.WaitGroup
	for i := range left {
		group.Go(func() {
			if i%2 == 1 && rpc.Wait(ctx, time.Duration(i)*300*time.Millisecond) != nil {
				return
			}
			out, err := d.sender.Submit(ctx, transfer(payer.Address(), payee(i), sol+uint64(i)), SubmitOptions{
				Purpose: Purpose(fmt.Sprintf("pay/%d", i)), Payer: payer, Once: true,
			})
			if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ErrUnavailable) {
				d.t.Errorf("payment %d: %v", i, err)
			}
			if err == nil && out.Class == Landed {
				mu.Lock()
				defer mu.Unlock()
				landed = append(landed, i)
			}
		})
	}
	group.Wait()
	return landed
}

// TestWarp: the clock follows a jump of eight hours, and a transaction that is under way lands.
func TestWarp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevChain(t, nil, nil)
		w := watched(t, d.client, Cursor{})
		payer := keypair(1)
		d.fund(payer)
		before, ok := d.client.Clock().Last()
		if !ok {
			t.Fatal("no clock")
		}
		done := make(chan error, 1)
		go func() {
			out, err := d.sender.Submit(t.Context(), transfer(payer.Address(), payee(1), sol), SubmitOptions{Purpose: "x", Payer: payer, Once: true})
			if err == nil && out.Class != Landed {
				err = fmt.Errorf("%+v", out)
			}
			done <- err
		}()
		time.Sleep(300 * time.Millisecond)
		if err := d.server.Warp(8 * time.Hour); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		after, _ := d.client.Clock().Last()
		if jump := after.Unix - before.Unix; jump < 8*3600 || jump > 8*3600+10 {
			t.Errorf("the clock moved by %d s", jump)
		}
		if skew := d.client.Clock().Skew(); skew > -7*time.Hour {
			t.Errorf("skew %v", skew)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := w.stop(); err != nil {
			t.Error(err)
		}
	})
}
