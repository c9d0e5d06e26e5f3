package node

import (
	"math/rand/v2"
	"slices"

	"ojud/ledger"
	"ojud/ledger/providers"
)

// maxOffer is how many RPC nodes a judge announces.
const maxOffer = 4

// offer returns the RPC nodes of this node that it tells other judges of.
func offer(cfg ledger.Config) (out []string) {
	if !cfg.Offer {
		return nil
	}
	for _, u := range append([]string{cfg.RPC}, cfg.MoreRPC...) {
		if providers.Offerable(u, providers.Near(cfg.RPC)) && len(out) < maxOffer {
			out = append(out, u)
		}
	}
	return out
}

// offered returns the RPC nodes that other judges with a stake announce, in an order of chance and
// at most one of each judge. Others may announce what they like: the list of judges is public and
// free, and a stake is not.
func (n *Node) offered() (out []string) {
	if n.host == nil {
		return nil
	}
	for _, j := range n.host.Directory().Judges() {
		if len(j.RPCURLs) > 0 && j.ID != n.host.ID() && n.roster.Staked(j.Announcement) {
			out = append(out, j.RPCURLs[rand.IntN(len(j.RPCURLs))])
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	rand.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}
