package p2p

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ipfs/go-cid"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

const bootstrapDials = 3

// watch checks the routing table every DHT.Health and bootstraps again while it is empty. The
// library tries once and then every two minutes, and logs it at debug level only.
func (d *discovery) watch(ctx context.Context) {
	tick := time.NewTicker(d.cfg.DHT.Health)
	defer tick.Stop()
	empty, hidden := 0, 0
	for {
		empty = d.check(ctx, empty)
		hidden = d.visible(hidden)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// check returns how many checks in a row found the table empty.
func (d *discovery) check(ctx context.Context, empty int) int {
	size := d.dht.RoutingTable().Size()
	first := len(d.bootstrap) == 0 && len(d.host.Network().Peers()) == 0
	switch {
	case size > 0 && empty > 0:
		d.log.Info(fmt.Sprintf("The node is connected: it knows %d other nodes.", size))
	case size == 0 && !first:
		d.count.links.tableEmpty.Add(1)
		if empty%12 == 1 { // not at the first check, which is before the first dial
			d.log.Warn("routing table is empty: nobody can be found; are the bootstrap nodes up?", "bootstrap", len(d.bootstrap), "checks", empty)
		}
	}
	if size > 0 || first {
		return 0
	}
	d.join(ctx)
	return empty + 1
}

// visible returns how many checks in a row found no address to tell others. It logs that after a
// minute and then every hour, because other nodes must be able to dial a judge.
func (d *discovery) visible(hidden int) int {
	if len(d.host.Addrs()) > 0 {
		return 0
	}
	every := func(t time.Duration) int { return max(1, int(t/d.cfg.DHT.Health)) }
	if hidden%every(time.Hour) == every(time.Minute) {
		d.log.Warn("nobody can dial this node: no address fits the policy; set announce, or listen on a public address", "addresses", d.cfg.Addresses)
	}
	return hidden + 1
}

// join dials some bootstrap nodes and tells the DHT to examine the connected peers.
func (d *discovery) join(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.Redial.Timeout)
	defer cancel()
	done := make(chan struct{})
	n := 0
	for _, i := range rand.Perm(len(d.bootstrap)) {
		ai := d.bootstrap[i]
		if ai.ID == d.host.ID() || n == bootstrapDials {
			continue
		}
		n++
		go func() { d.connect(ctx, ai); done <- struct{}{} }()
	}
	for range n {
		<-done
	}
	if err := d.dht.Bootstrap(ctx); err != nil {
		d.log.Debug("bootstrapping the DHT", "error", err)
	}
}

func (d *discovery) connect(ctx context.Context, ai peer.AddrInfo) {
	if err := d.host.Connect(network.WithForceDirectDial(ctx, "bootstrap"), ai); err != nil {
		d.log.Debug("bootstrap node does not answer", "peer", ai.ID, "error", err)
	}
}

func (d *discovery) provide(ctx context.Context, k cid.Cid) error {
	if d.dht.RoutingTable().Size() == 0 {
		// Keep it here too, so that a node that finds us finds the record.
		if err := d.store.AddProvider(ctx, k.Hash(), peer.AddrInfo{ID: d.host.ID()}); err != nil {
			return err
		}
		return ErrAlone
	}
	return d.dht.Provide(ctx, k, true)
}

// due sets when k is provided again, unless it was withdrawn.
func (d *discovery) due(k cid.Cid, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.provided[k]; ok {
		d.provided[k] = at
	}
}

// renew provides our keys again when they are due, one after the other.
func (d *discovery) renew(ctx context.Context) {
	tick := time.NewTicker(d.cfg.DHT.Health)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.wake:
		case <-tick.C:
		}
		for _, k := range d.overdue(time.Now()) {
			d.again(ctx, k)
		}
	}
}

func (d *discovery) overdue(now time.Time) []cid.Cid {
	d.mu.Lock()
	defer d.mu.Unlock()
	var keys []cid.Cid
	for k, at := range d.provided {
		if !at.After(now) {
			keys = append(keys, k)
		}
	}
	return keys
}

func (d *discovery) again(ctx context.Context, k cid.Cid) {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.DHT.Reprovide/2)
	defer cancel()
	next := d.cfg.DHT.Reprovide
	if err := d.provide(ctx, k); err != nil {
		next = d.cfg.DHT.Health
		d.log.Debug("renewing a provider record", "key", k, "error", err)
	}
	// Subtract up to a tenth, so that the keys of one start spread out.
	next -= rand.N(next/10 + 1)
	d.due(k, time.Now().Add(next))
}
