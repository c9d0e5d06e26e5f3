package sim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ojud/ledger"
	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
	oju "ojud/programs/oju"
)

// cluster is the embedded chain with the real program. A chain on disk can be killed, started again
// and rolled back.
type cluster struct {
	t       testing.TB
	id      onchain.Address
	root    string // empty: in memory
	runs    int
	genesis bank.Genesis
	now     func() time.Time

	mu     sync.Mutex
	server *devnet.Server // nil while it is down
	cancel context.CancelFunc
	done   chan error
	busy   sync.WaitGroup
}

func keypair(t testing.TB, what string, seed uint64, i int) *ledger.Keypair {
	t.Helper()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", what, seed, i))
	k, err := transact.NewKeypair(bytes.NewReader(sum[:]))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// newChain starts the chain of a plan.
func newChain(t testing.TB, p plan, deployer *ledger.Keypair) *cluster {
	t.Helper()
	authority, seed := deployer.Address(), sha256.Sum256(fmt.Appendf(nil, "chain %d", p.seed))
	c := &cluster{t: t, id: keypair(t, "program", 0, 0).Address()}
	c.genesis = bank.Genesis{Seed: seed[:], Programs: []bank.Program{bank.Upgradeable(c.id, authority, oju.ELF())}}
	began := time.Now()
	c.now = func() time.Time {
		return began.Add(p.skew + time.Duration(float64(time.Since(began))*p.drift))
	}
	if p.durable() {
		c.root = t.TempDir()
	}
	c.live()
	t.Cleanup(c.end)
	return c
}

// dir returns the directory of this life of the chain.
func (c *cluster) dir() string { return filepath.Join(c.root, fmt.Sprint(c.runs)) }

// live starts the chain from its disk.
func (c *cluster) live() {
	cfg := devnet.DefaultConfig()
	if c.root != "" {
		cfg.Chain.Dir = c.dir()
	}
	server, err := devnet.New(cfg, devnet.Deps{Logger: slog.New(slog.DiscardHandler), Genesis: c.genesis, Now: c.now})
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server, c.cancel, c.done = server, cancel, done
}

// shut takes no more requests and waits for the open ones.
func (c *cluster) shut() *devnet.Server {
	c.mu.Lock()
	server := c.server
	c.server = nil
	c.mu.Unlock()
	c.busy.Wait()
	return server
}

// end stops the chain.
func (c *cluster) end() {
	server := c.shut()
	if server == nil {
		return
	}
	c.cancel()
	if err := errors.Join(<-c.done, server.Close()); err != nil {
		c.t.Errorf("chain: %v", err)
	}
}

// crash kills the chain. The next life has the state of the disk before any work could finish.
func (c *cluster) crash() {
	server := c.shut()
	c.runs++
	c.keep(filepath.Join(c.root, fmt.Sprint(c.runs-1)), c.dir())
	c.cancel()
	if err := errors.Join(<-c.done, server.Close()); err != nil {
		c.t.Errorf("chain: %v", err)
	}
}

// rollback undoes the last slots, as if they had never happened.
func (c *cluster) rollback(slots int) {
	server := c.shut()
	then := filepath.Join(c.root, "then")
	c.keep(c.dir(), then)
	c.mu.Lock()
	c.server = server
	c.mu.Unlock()
	time.Sleep(time.Duration(slots)*server.Bank().Config().SlotTime + 50*time.Millisecond)
	c.shut()
	c.cancel()
	if err := errors.Join(<-c.done, server.Close()); err != nil {
		c.t.Errorf("chain: %v", err)
	}
	c.runs++
	if err := os.Rename(then, c.dir()); err != nil {
		c.t.Error(err)
	}
	c.live()
}

func (c *cluster) keep(from, to string) {
	if err := copyDir(from, to); err != nil {
		c.t.Error(err)
	}
}

// RoundTrip implements http.RoundTripper.
func (c *cluster) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	server := c.server
	if server == nil {
		c.mu.Unlock()
		return nil, io.ErrUnexpectedEOF
	}
	c.busy.Add(1)
	c.mu.Unlock()
	defer c.busy.Done()
	return server.Transport().RoundTrip(r)
}

// read reads the chain's own accounts; it returns false while the chain is down.
func (c *cluster) read(level bank.Level, f func(*bank.View)) bool {
	c.mu.Lock()
	server := c.server
	if server != nil {
		c.busy.Add(1)
	}
	c.mu.Unlock()
	if server == nil {
		return false
	}
	defer c.busy.Done()
	server.Bank().Read(level, f)
	return true
}

// copyDir copies a directory as it is and keeps the holes of sparse files.
func copyDir(from, to string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		return copyFile(path, filepath.Join(to, rel))
	})
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	buf, zero, at := make([]byte, 64<<10), make([]byte, 64<<10), int64(0)
	for {
		n, err := in.Read(buf)
		if n > 0 && !bytes.Equal(buf[:n], zero[:n]) {
			if _, err := out.WriteAt(buf[:n], at); err != nil {
				return err
			}
		}
		at += int64(n)
		if errors.Is(err, io.EOF) {
			return out.Truncate(at)
		}
		if err != nil {
			return err
		}
	}
}
