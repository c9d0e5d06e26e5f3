package p2p_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/directory"
	"ojud/p2p/identity"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

// copied is a host that shares its key.
type copied struct {
	*p2p.Host
	elder, younger atomic.Int32 // how often it heard of a twin that is older, and younger, than itself
}

// copyOn starts a host on a key, linked to others as a judge's node is.
func copyOn(t *testing.T, net *p2ptest.Net, id identity.Identity, path string, others []*p2p.Host) *copied {
	t.Helper()
	c := &copied{}
	c.Host = net.NodeAs(id, func(cfg *p2p.Config, d *p2p.Deps) {
		cfg.Registry.Path = path
		d.OnTwin = func(twin directory.Twin) {
			if twin.Elder {
				c.elder.Add(1)
			} else {
				c.younger.Add(1)
			}
		}
	})
	if err := c.Directory().Announce(profile(9)); err != nil {
		t.Fatal(err)
	}
	mesh(t, c.Host, others)
	return c
}

func mesh(t *testing.T, h *p2p.Host, others []*p2p.Host) {
	t.Helper()
	var all []peer.AddrInfo
	for _, o := range others {
		if o.ID() != h.ID() {
			all = append(all, p2ptest.Info(t, o))
		}
	}
	h.Keep(all)
}

// TestTwins: of two hosts on one key exactly one, the one that was started later, hears that it
// should stop. It hears it soon enough for a node that waits a quarter of a minute before it signs.
func TestTwins(t *testing.T) {
	longtest.Only(t)
	for _, c := range []struct {
		hosts int
		apart time.Duration // between their starts
	}{{1, 0}, {1, 10 * time.Minute}, {3, 0}, {3, time.Second}, {3, 5 * time.Second}, {3, 3 * time.Minute}, {8, 0}, {16, time.Minute}} {
		t.Run(fmt.Sprint(c.hosts, " others, ", c.apart), func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				net := p2ptest.NewNet(t, p2ptest.Latency)
				var others []*p2p.Host
				for range c.hosts {
					others = append(others, net.Node())
				}
				for _, h := range others {
					mesh(t, h, others)
				}
				id := p2ptest.Identity(t)
				first := copyOn(t, net, id, "", others)
				time.Sleep(c.apart)
				second := copyOn(t, net, id, "", others)
				took := p2ptest.Eventually(t, 12*time.Second, "one gives way", func() bool { return first.elder.Load()+second.elder.Load() > 0 })
				t.Logf("seen after %v", took)
				time.Sleep(time.Minute)
				if c.apart > 0 && first.elder.Load() > 0 || first.elder.Load() > 0 == (second.elder.Load() > 0) {
					t.Errorf("older twins: %d heard of by the first, %d by the second", first.elder.Load(), second.elder.Load())
				}
				stored := others[0].Stats().Of("registry_stored")
				time.Sleep(5 * time.Minute)
				if more := others[0].Stats().Of("registry_stored") - stored; more > 0 {
					t.Errorf("%d announcements more while nothing happened", more)
				}
			})
		})
	}
}

// TestStartedAgain: a host that is started again, with or without its disk, does not take its
// former life's announcement for a twin.
func TestStartedAgain(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		var others []*p2p.Host
		for range 4 {
			others = append(others, net.Node())
		}
		id := p2ptest.Identity(t)
		var lives []string
		file := filepath.Join(t.TempDir(), "registry")
		for _, path := range []string{"", "", file, file} {
			c := copyOn(t, net, id, path, others)
			time.Sleep(2 * time.Minute)
			if c.elder.Load()+c.younger.Load() > 0 {
				t.Errorf("it met itself: %d older, %d younger", c.elder.Load(), c.younger.Load())
			}
			j, ok := others[0].Directory().Judge(id.Peer())
			if !ok || slices.Contains(lives, j.Instance) {
				t.Fatalf("instance %q after %q", j.Instance, lives)
			}
			lives = append(lives, j.Instance)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestCompared: a host that is alone cannot know whether it has a twin, and says so.
func TestCompared(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		h := net.Node()
		if err := h.Directory().Announce(profile(1)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		select {
		case <-h.Directory().Compared():
			t.Error("compared with nobody")
		default:
		}
		mesh(t, h, []*p2p.Host{net.Node()})
		select {
		case <-h.Directory().Compared():
		case <-time.After(time.Minute):
			t.Error("not compared")
		}
	})
}

// TestLearned: a host that announces nothing, such as that of a command, learns from its first peer
// within three seconds, mostly within one, and knows it. When Compared was all that a caller could
// wait for, each command that asks who has a source waited 5 s in vain.
func TestLearned(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		judge, command := net.Node(), net.Node()
		if err := judge.Directory().Announce(profile(1, "common")); err != nil {
			t.Fatal(err)
		}
		select {
		case <-command.Directory().Learned():
			t.Error("learned from nobody")
		case <-time.After(time.Minute):
		}
		mesh(t, command, []*p2p.Host{judge})
		select {
		case <-command.Directory().Learned():
		case <-time.After(3 * time.Second):
			t.Error("not learned")
		}
		if got := command.Directory().Holders("common"); len(got) != 1 {
			t.Errorf("%d holders", len(got))
		}
		select {
		case <-command.Directory().Compared():
			t.Error("a host that announces nothing has no twin to look for")
		default:
		}
	})
}
