package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/mr-tron/base58"

	"ojud/p2p"
	"ojud/p2p/directory"
	"ojud/p2p/identity"
	"ojud/p2p/reach"
)

// hostPlan is the plan of a roleHost.
type hostPlan struct {
	Seed      byte
	Members   []byte // seeds of the judges on the Roster
	Keep      []byte // seeds of the nodes to which links are kept
	Listen    []string
	Bootstrap []string
	Relays    int
	Serve     bool
	Local     bool // finds others by mDNS
	Guest     bool // is no judge, and only dials
}

// hostState is what a roleHost says of itself, again and again.
type hostState struct {
	Way     reach.Way
	Told    []string
	Direct  []string // kept nodes with a direct link
	Relayed []string // kept nodes with relayed links only
}

// seeded returns the identity that a seed makes.
func seeded(seed byte) (identity.Identity, error) {
	return identity.FromSeed([32]byte(bytes.Repeat([]byte{seed}, 32)))
}

// playHost runs a host of the network until it is killed.
func playHost() error {
	var p hostPlan
	if err := json.Unmarshal([]byte(os.Getenv(planVar)), &p); err != nil {
		return err
	}
	me, err := seeded(p.Seed)
	if err != nil {
		return err
	}
	ids := func(seeds []byte) (out []peer.ID) {
		for _, s := range seeds {
			if id, err := seeded(s); err == nil {
				out = append(out, id.Peer())
			}
		}
		return out
	}
	members, kept := ids(p.Members), ids(p.Keep)
	cfg := p2p.DefaultConfig()
	cfg.Network, cfg.Listen, cfg.Bootstrap, cfg.LibraryMetrics = "nat", p.Listen, p.Bootstrap, false
	cfg.Registry.Sync = 2 * time.Second
	cfg.Reach.Relays, cfg.Reach.Serve.On, cfg.Reach.PortMapping, cfg.Reach.LocalNetwork = p.Relays, p.Serve, false, p.Local
	if p.Guest {
		cfg.Reach = reach.Brief()
	}
	h, err := p2p.New(context.Background(), cfg, me, p2p.Deps{
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)), Member: func(id peer.ID) bool { return slices.Contains(members, id) },
	})
	if err != nil {
		return err
	}
	if !p.Guest {
		err = h.Directory().Announce(directory.Profile{Authority: base58.Encode(bytes.Repeat([]byte{p.Seed}, 32)), ModelFamily: "none", Dimension: "facts", Version: "test"})
	}
	if err != nil {
		return err
	}
	wanted := make([]peer.AddrInfo, 0, len(kept))
	for _, id := range kept {
		wanted = append(wanted, peer.AddrInfo{ID: id})
	}
	h.Keep(wanted)
	out := json.NewEncoder(os.Stdout)
	for range time.Tick(500 * time.Millisecond) {
		s := hostState{Way: h.Reach()}
		told, err := h.Addrs()
		if err != nil {
			return err
		}
		for _, a := range told {
			s.Told = append(s.Told, a.String())
		}
		for _, id := range kept {
			switch {
			case h.Relayed(id):
				s.Relayed = append(s.Relayed, id.String())
			case slices.Contains(h.Peers(), id):
				s.Direct = append(s.Direct, id.String())
			}
		}
		if err := out.Encode(s); err != nil {
			return err
		}
	}
	return errors.New("time has ended")
}

// hosted is a roleHost as its test sees it.
type hosted struct {
	id   peer.ID
	said chan hostState // closed when it ends
	last hostState
	log  bytes.Buffer
	kill func() error
}

// startHost starts a roleHost at a place. It is killed at the end of the test.
func startHost(t *testing.T, at place, p hostPlan) *hosted {
	t.Helper()
	me, err := seeded(p.Seed)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	h := &hosted{id: me.Peer(), said: make(chan hostState, 1)}
	cmd := exec.Command(testBinary(t))
	cmd.Env = append(os.Environ(), role+"="+roleHost, planVar+"="+string(raw), "GOMAXPROCS=1")
	cmd.Stderr = &h.log
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = at.start(cmd)
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	h.kill = cmd.Process.Kill
	go func() {
		defer close(h.said)
		in := json.NewDecoder(pipe)
		for {
			var s hostState
			if err := in.Decode(&s); err != nil {
				ended <- cmd.Wait()
				return
			}
			select {
			case <-h.said: // an old one that nobody took
			default:
			}
			h.said <- s
		}
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		<-ended
		if t.Failed() {
			t.Logf("host %d %s: %+v\n%s", p.Seed, h.id, h.last, tail(h.log.Bytes()))
		}
	})
	return h
}

// until waits until the host says something that fits. It reports whether it did.
func (h *hosted) until(limit time.Duration, fits func(hostState) bool) bool {
	end := time.After(limit)
	for {
		select {
		case s, ok := <-h.said:
			if !ok {
				return false
			}
			if h.last = s; fits(s) {
				return true
			}
		case <-end:
			return false
		}
	}
}

// linked reports whether a host has a direct link to another, or else a relayed one.
func (s hostState) linked(to peer.ID) (direct, relayed bool) {
	return slices.Contains(s.Direct, to.String()), slices.Contains(s.Relayed, to.String())
}
