package p2p

import "github.com/libp2p/go-libp2p/core/peer"

// Penalize gives points to a peer that misbehaved: they lower its gossip score
// and, at Scores.BanAt, disconnect it and refuse it for Scores.BanFor. reason is
// a short constant word for the metrics.
//
// Penalise only what the sender could have known to be wrong: a bad signature, a
// malformed or oversize message, a second vote in one round. Never what depends
// on our own state: a case we have not seen yet, a full disk, a slow chain.
// Otherwise honest nodes shun each other when one of them lags.
func (h *Host) Penalize(p peer.ID, points float64, reason string) {
	if p == h.ID() || !h.book.add(p, points, reason) {
		return
	}
	h.log.Warn("peer is refused for a while", "peer", p, "reason", reason, "for", h.cfg.Scores.BanFor)
	if err := h.net.Network().ClosePeer(p); err != nil {
		h.log.Debug("closing connection to refused peer", "peer", p, "error", err)
	}
}

// Points returns the points of a peer now. They halve every Scores.HalfLife.
func (h *Host) Points(p peer.ID) float64 { return h.book.points(p) }

// Banned reports whether a peer is refused now.
func (h *Host) Banned(p peer.ID) bool { return h.book.banned(p) }
