package p2p_test

import (
	"errors"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

// TestPenalize: at the threshold a peer is disconnected and refused on every path, for the
// configured time. Then it may come back.
func TestPenalize(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a, b := pair(t)
		cfg := p2ptest.Config(0).Scores
		if err := errors.Join(
			a.HandlePush("vote", func(peer.ID, []byte) { t.Error("a banned peer was heard") }),
			b.Handle("blob", p2p.DefaultLimits(), nil),
		); err != nil {
			t.Fatal(err)
		}
		a.Penalize(b.ID(), cfg.BanAt-1, "test")
		if a.Banned(b.ID()) || len(a.Peers()) != 1 {
			t.Fatal("banned below the threshold")
		}
		a.Penalize(b.ID(), 2, "test")
		p2ptest.Eventually(t, time.Second, "the ban, and the end of the link", func() bool {
			return a.Banned(b.ID()) && len(a.Peers()) == 0 && len(b.Peers()) == 0
		})
		if err := a.Connect(t.Context(), p2ptest.Info(t, b)); err == nil {
			t.Error("a banned peer was dialled")
		}
		if err := b.Push("vote", []peer.ID{a.ID()}, []byte("x")); err != nil {
			t.Error(err)
		}
		if _, err := a.Request(t.Context(), b.ID(), "blob", nil); !errors.Is(err, p2p.ErrUnreachable) {
			t.Errorf("asking a banned peer: %v", err)
		}
		if err := a.Push("vote", []peer.ID{b.ID()}, []byte("x")); err != nil || a.Stats().Drops()["push-refused"] != 1 {
			t.Errorf("pushing to a banned peer: %v, lost %v", err, a.Stats().Drops())
		}
		// The dialler may believe for a moment that it is connected, because the link is refused
		// only after the handshake has named it.
		if err := b.Connect(t.Context(), p2ptest.Info(t, a)); err == nil {
			time.Sleep(time.Second)
		}
		if len(a.Peers()) != 0 {
			t.Error("a banned peer got in")
		}
		if s := a.Stats(); s.Of("bans") != 1 || s.Penalties()["test"] != 2 {
			t.Errorf("%d bans, penalties %v", s.Of("bans"), s.Penalties())
		}
	})
}

func TestBanEnds(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a, b := pair(t)
		cfg := p2ptest.Config(0).Scores
		a.Penalize(b.ID(), 10*cfg.BanAt, "test")
		a.Keep([]peer.AddrInfo{p2ptest.Info(t, b)})
		time.Sleep(cfg.BanFor - time.Second)
		if len(a.Peers()) != 0 {
			t.Error("a banned peer is connected because it is kept")
		}
		p2ptest.Eventually(t, time.Minute, "the link after the ban", func() bool { return len(a.Peers()) == 1 })
		if got := a.Points(b.ID()); got > cfg.BanAt/2 || got < cfg.BanAt/4 {
			t.Errorf("%v points after the ban, want about half of %v", got, cfg.BanAt)
		}
		time.Sleep(cfg.HalfLife * 10)
		if got := a.Points(b.ID()); got > 1 {
			t.Errorf("%v points ten half-lives later", got)
		}
		a.Penalize(a.ID(), 1000, "test")
		if a.Banned(a.ID()) {
			t.Error("a host banned itself")
		}
	})
}
