package direct

import (
	"context"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"

	"ojud/p2p/reach"
)

// What a station carries for each peer that its owner named. A link ends after linkTime or
// linkBytes, and those who use it open another. One machine opens 20 links to a peer, and then one
// every 15 s, so that it has at most 28 of the 128 links of a peer.
const (
	linkTime     = 2 * time.Minute
	linkBytes    = 8 << 20
	linksOfPeer  = 128
	linksOfPlace = 20
	placeTime    = time.Hour
)

// carry makes a station a relay for some peers.
func carry(h host.Host, carries map[peer.ID]bool) error {
	_, err := relay.New(h, relay.WithACL(reach.Guarded(func(p peer.ID) bool { return carries[p] }, linksOfPlace)), relay.WithResources(relay.Resources{
		Limit: &relay.RelayLimit{Duration: linkTime, Data: linkBytes}, ReservationTTL: placeTime, MaxReservations: len(carries), MaxCircuits: linksOfPeer,
		BufferSize: 16 << 10, MaxReservationsPerIP: len(carries), MaxReservationsPerASN: len(carries),
	}))
	if err != nil {
		return fmt.Errorf("carrying for others: %w", err)
	}
	return nil
}

const (
	placePause = 5 * time.Second // after a relay did not answer
	placeAsk   = 30 * time.Second
)

// stay has each relay carry for the station until ctx ends. It asks one again after
// placePause at the earliest.
func (n *Station) stay(ctx context.Context) {
	until := make([]time.Time, len(n.relays)) // when the place has to be renewed
	asked := make([]time.Time, len(n.relays))
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.gone:
		case <-tick.C:
		}
		next := time.Now().Add(placeTime)
		for i, r := range n.relays {
			due := until[i]
			if again := asked[i].Add(placePause); n.host.Network().Connectedness(r.ID) != network.Connected && again.Before(due) {
				due = again
			}
			if !time.Now().Before(due) {
				asked[i] = time.Now()
				until[i] = n.place(ctx, r)
				due = until[i]
			}
			if due.Before(next) {
				next = due
			}
		}
		tick.Reset(time.Until(next))
	}
}

// place asks a relay to carry for the station, and returns when to ask again.
func (n *Station) place(ctx context.Context, r peer.AddrInfo) time.Time {
	within, stop := context.WithTimeout(ctx, placeAsk)
	defer stop()
	n.again(&r)
	err := n.host.Connect(within, r)
	var got *client.Reservation
	if err == nil {
		n.host.ConnManager().Protect(r.ID, "relay")
		got, err = client.Reserve(within, n.host, r)
	}
	if n.lost != nil && ctx.Err() == nil {
		n.lost(r.ID.String(), err)
	}
	if err != nil {
		return time.Now().Add(placePause)
	}
	return time.Now().Add(renew(time.Until(got.Expiration)))
}

// renew is when a place that a relay grants for a time is asked for again. The relay counts that
// time by its own clock, which may be wrong by any amount.
func renew(granted time.Duration) time.Duration {
	return max(placePause, min(granted, placeTime)*3/4)
}
