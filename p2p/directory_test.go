package p2p_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/mr-tron/base58"

	"ojud/p2p"
	"ojud/p2p/directory"
	"ojud/p2p/p2ptest"
)

// authority is the Solana key of the i-th judge.
func authority(i int) string { return base58.Encode(bytes.Repeat([]byte{byte(i + 1)}, 32)) }

func profile(i int, sources ...string) directory.Profile {
	p := directory.Profile{Authority: authority(i), ModelFamily: "none", Dimension: "facts", Version: "test", RPCURLs: []string{"http://192.0.2.1:8899"}}
	for _, name := range sources {
		p.Sources = append(p.Sources, directory.Source{Name: name, Kind: "mcp", SchemaHash: strings.Repeat("ab", 32)})
	}
	return p
}

// chain makes n hosts, and each can reach only its neighbours.
func chain(t *testing.T, n int, opts ...p2ptest.Option) (*p2ptest.Net, []*p2p.Host) {
	t.Helper()
	net := p2ptest.NewNet(t, p2ptest.Latency)
	net.Cut(p2ptest.Chain)
	var hosts []*p2p.Host
	for i := range n {
		hosts = append(hosts, net.Node(opts...))
		if i > 0 {
			hosts[i].Keep([]peer.AddrInfo{p2ptest.Info(t, hosts[i-1])})
		}
	}
	p2ptest.Eventually(t, 10*time.Second, "the chain", func() bool { return p2ptest.Links(hosts) == n-1 })
	return net, hosts
}

func all(hosts []*p2p.Host, ok func(*directory.Directory) bool) func() bool {
	return func() bool {
		for _, h := range hosts {
			if !ok(h.Directory()) {
				return false
			}
		}
		return true
	}
}

// TestRegistrySpreads: through a chain all hosts learn of all others, and of later changes, within
// seconds a hop.
func TestRegistrySpreads(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		const n = 7
		_, hosts := chain(t, n)
		for i, h := range hosts {
			if err := h.Directory().Announce(profile(i, "common", fmt.Sprint("only-", i))); err != nil {
				t.Fatal(err)
			}
		}
		took := p2ptest.Eventually(t, 2*n*time.Second, "all know all", all(hosts, func(r *directory.Directory) bool { return r.Len() == n }))
		t.Logf("%d judges known over %d hops after %v", n, n-1, took)
		first := hosts[0].Directory()
		if got := first.Holders("common"); len(got) != n-1 {
			t.Errorf("%d other holders of common, want %d", len(got), n-1)
		}
		got := first.Holders("only-6")
		if len(got) != 1 || got[0].ID != hosts[6].ID() || got[0].Authority != authority(6) {
			t.Fatalf("holder of only-6: %+v", got)
		}
		if ai, err := got[0].AddrInfo(); err != nil || len(ai.Addrs) == 0 {
			t.Errorf("address of the holder: %v, %v", ai, err)
		}
		if err := hosts[6].Directory().Announce(profile(6, "moved")); err != nil {
			t.Fatal(err)
		}
		took = p2ptest.Eventually(t, 2*n*time.Second, "the change everywhere", all(hosts[:6], func(r *directory.Directory) bool {
			return len(r.Holders("moved")) == 1 && len(r.Holders("only-6")) == 0
		}))
		t.Logf("a change went %d hops in %v", n-1, took)
	})
}

// TestRegistryRenewed: an announcement is signed again from time to time, and a
// node that lost its disk outranks its own past.
func TestRegistryRenewed(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		id, witness := p2ptest.Identity(t), net.Node()
		start := func(p directory.Profile) *p2p.Host {
			h := net.NodeAs(id)
			if err := h.Directory().Announce(p); err != nil {
				t.Fatal(err)
			}
			h.Keep([]peer.AddrInfo{p2ptest.Info(t, witness)})
			return h
		}
		judge := start(profile(1, "old"))
		known := func() bool { _, ok := witness.Directory().Judge(id.Peer()); return ok }
		p2ptest.Eventually(t, time.Minute, "the announcement", known)
		before, _ := witness.Directory().Judge(id.Peer())
		time.Sleep(3 * time.Hour)
		after, _ := witness.Directory().Judge(id.Peer())
		if after.Seq <= before.Seq || after.At < before.At+2*3600 {
			t.Errorf("three hours later still %d of %d", after.Seq, after.At)
		}
		if err := judge.Close(); err != nil {
			t.Fatal(err)
		}
		start(profile(1, "new")) // its registry was in memory
		p2ptest.Eventually(t, time.Minute, "the new profile at the witness", func() bool {
			return len(witness.Directory().Holders("new")) == 1
		})
	})
}

// TestRegistryAdmits: only admitted judges are kept, and Prune follows changes.
func TestRegistryAdmits(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		staked := map[string]bool{authority(1): true, authority(2): true}
		net := p2ptest.NewNet(t, p2ptest.Latency)
		strict := net.Node(func(_ *p2p.Config, d *p2p.Deps) {
			d.Admit = func(a directory.Announcement) bool { return staked[a.Authority] }
		})
		for i := range 4 {
			h := net.Node()
			if err := h.Directory().Announce(profile(i)); err != nil {
				t.Fatal(err)
			}
			h.Keep([]peer.AddrInfo{p2ptest.Info(t, strict)})
		}
		time.Sleep(time.Minute)
		if n := strict.Directory().Len(); n != 2 {
			t.Errorf("%d judges, want the 2 with a stake", n)
		}
		stored := strict.Stats().Of("registry_stored")
		delete(staked, authority(1))
		staked[authority(3)] = true
		if gone := strict.Directory().Prune(); gone != 1 {
			t.Errorf("%d pruned, want 1", gone)
		}
		p2ptest.Eventually(t, 2*time.Minute, "the newly staked judge", func() bool {
			return slices.ContainsFunc(strict.Directory().Judges(), func(j directory.Judge) bool { return j.Authority == authority(3) })
		})
		if got := strict.Stats().Of("registry_stored") - stored; got != 1 {
			t.Errorf("%d announcements stored after the change, want 1", got)
		}
	})
}

// TestRegistryForgetsStrangers: an announcement without a stake is kept for an hour after its host
// was last seen, and never counts among the judges.
func TestRegistryForgetsStrangers(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		node := net.Node(func(_ *p2p.Config, d *p2p.Deps) {
			d.Staked = func(a directory.Announcement) bool { return a.Authority == authority(1) }
		})
		var others []*p2p.Host
		for i := range 3 {
			h := net.Node()
			if err := h.Directory().Announce(profile(i)); err != nil {
				t.Fatal(err)
			}
			h.Keep([]peer.AddrInfo{p2ptest.Info(t, node)})
			others = append(others, h)
		}
		time.Sleep(time.Minute)
		for _, h := range others[:2] {
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
		}
		known := func(all, staked int) {
			t.Helper()
			judges := slices.DeleteFunc(node.Directory().Judges(), func(j directory.Judge) bool { return !node.Directory().Staked(j.Announcement) })
			if n := node.Directory().Len(); n != all || len(judges) != staked {
				t.Errorf("%d entries, want %d; %d judges, want %d", n, all, len(judges), staked)
			}
		}
		time.Sleep(50 * time.Minute)
		known(3, 1)
		time.Sleep(20 * time.Minute)
		known(2, 1) // the judge with a stake, and the stranger that is still here
	})
}

// TestRegistryBound: the registry keeps at most MaxEntries, and drops judges with a kept link last.
func TestRegistryBound(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		small := net.Node(func(c *p2p.Config, _ *p2p.Deps) { c.Registry.MaxEntries = 3 })
		first := net.Node()
		small.Keep([]peer.AddrInfo{p2ptest.Info(t, first)})
		if err := first.Directory().Announce(profile(0)); err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			h := net.Node()
			time.Sleep(10 * time.Second)
			if err := h.Directory().Announce(profile(i + 1)); err != nil {
				t.Fatal(err)
			}
			h.Keep([]peer.AddrInfo{p2ptest.Info(t, small)})
		}
		time.Sleep(time.Minute)
		r := small.Directory()
		if _, ok := r.Judge(first.ID()); r.Len() != 3 || !ok {
			t.Errorf("%d entries, the kept one among them: %v", r.Len(), ok)
		}
		if small.Stats().Drops()["registry-evicted"] < 4 {
			t.Errorf("lost %v", small.Stats().Drops())
		}
	})
}

// TestRegistryHostile: malformed messages and forged announcements are refused, and their sender is
// banned.
func TestRegistryHostile(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, 5*time.Millisecond)
		victim, bad := net.Node(), net.Node()
		if err := bad.Connect(t.Context(), p2ptest.Info(t, victim)); err != nil {
			t.Fatal(err)
		}
		for i, msg := range [][]byte{{}, {9}, {2, 1, 3, 'x', 'y', 'z'}, {2, 1, 3, 'x', 'y', 'z'}} {
			_, err := bad.Request(t.Context(), victim.ID(), "registry", msg)
			if want := i < 3; errors.Is(err, p2p.ErrBadRequest) != want {
				t.Errorf("message %x: %v", msg, err)
			}
		}
		if !victim.Banned(bad.ID()) || victim.Directory().Len() != 0 {
			t.Errorf("banned %v, %d entries", victim.Banned(bad.ID()), victim.Directory().Len())
		}
	})
}

// TestRegistryFile: the registry outlives the host, and a damaged file costs no
// more than the damaged lines.
func TestRegistryFile(t *testing.T) {
	for name, c := range map[string]struct {
		damage func([]byte) []byte
		kept   int
		aside  bool
	}{
		"whole":        {func(b []byte) []byte { return b }, 3, false},
		"cut off":      {func(b []byte) []byte { return b[:len(b)-20] }, 2, true},
		"no header":    {func(b []byte) []byte { return b[1:] }, 0, true},
		"empty":        {func([]byte) []byte { return nil }, 0, true},
		"zeroes":       {func(b []byte) []byte { return make([]byte, len(b)) }, 0, true},
		"extra line":   {func(b []byte) []byte { return append(b, "garbage\n"...) }, 3, true},
		"changed byte": {func(b []byte) []byte { return bytes.Replace(b, []byte(`"none"`), []byte(`"nine"`), 1) }, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "net", "registry")
			p2ptest.Run(t, func(t *testing.T) {
				at := func(c *p2p.Config, _ *p2p.Deps) { c.Registry.Path = path }
				net := p2ptest.NewNet(t, 5*time.Millisecond)
				h := net.Node(at)
				for i := range 3 {
					judge := net.Node()
					if err := judge.Directory().Announce(profile(i)); err != nil {
						t.Fatal(err)
					}
					judge.Keep([]peer.AddrInfo{p2ptest.Info(t, h)})
				}
				p2ptest.Eventually(t, time.Minute, "three judges", func() bool { return h.Directory().Len() == 3 })
				p2ptest.Eventually(t, time.Minute, "they are saved while it runs", func() bool {
					saved, err := os.ReadFile(path)
					return err == nil && bytes.Count(saved, []byte("\n")) == 4
				})
				if err := h.Close(); err != nil {
					t.Fatal(err)
				}
				damageFile(t, path, c.damage)
				h = net.Node(at)
				if got := h.Directory().Len(); got != c.kept {
					t.Errorf("%d judges kept, want %d", got, c.kept)
				}
			})
			aside, err := filepath.Glob(path + ".damaged-*")
			if err != nil || (len(aside) == 1) != c.aside {
				t.Errorf("set aside: %v, %v", aside, err)
			}
			if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) > 0 {
				t.Errorf("temporary files left: %v, %v", left, err)
			}
		})
	}
}

func damageFile(t *testing.T, path string, damage func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, damage(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRegistryUnwritable: a host that cannot use its registry file says so at
// the start, not when it loses it.
func TestRegistryUnwritable(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := p2p.DefaultConfig()
	cfg.Network, cfg.Listen, cfg.Registry.Path = "test", []string{"/ip4/127.0.0.1/tcp/0"}, filepath.Join(blocked, "registry")
	if h, err := p2p.New(context.Background(), cfg, p2ptest.Identity(t), p2p.Deps{}); err == nil {
		t.Error(errors.Join(errors.New("started"), h.Close()))
	}
}
