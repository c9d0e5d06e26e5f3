package node

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ojud/ledger"
	"ojud/ledger/providers"
	"ojud/node/network"
	"ojud/p2p"
)

// maxOffer is how many RPC nodes a judge announces.
const maxOffer = 4

// offer returns the RPC nodes of this node that it tells other judges of.
func offer(cfg ledger.Config) (out []string) {
	if !cfg.Offer {
		return nil
	}
	for _, u := range append([]string{cfg.RPC}, cfg.MoreRPC...) {
		if providers.Offerable(u, cfg.VisitPrivate) && len(out) < maxOffer {
			out = append(out, u)
		}
	}
	return out
}

// DescriptorFrom reads the network.json of a place. From a public one it takes none whose RPC
// node or bootstrap nodes are on this machine or in a private network: whoever serves the file
// would have this machine ask what is behind its router. A file on the disk is its owner's word.
// A public name that leads there is refused when it is dialled (ledger.Config.Told).
func DescriptorFrom(where string, raw []byte) (Descriptor, error) {
	d, err := ParseDescriptor(raw)
	url := strings.HasPrefix(where, "http://") || strings.HasPrefix(where, "https://")
	if err != nil || !url || providers.Inside(where) {
		return d, err
	}
	for field, url := range map[string]string{"rpc": d.RPC, "ws": d.WS} {
		if url != "" && providers.Inside(url) {
			return d, fmt.Errorf("%w: %s: it leads to this machine or a private network, and the file is from a public place; if that is meant, save the file, and name it instead of its URL", errDescriptor, field)
		}
	}
	for _, address := range d.Bootstrap {
		if p2p.Inside(address) {
			return d, fmt.Errorf("%w: bootstrap: %s is of this machine or a private network, and the file is from a public place; if that is meant, save the file, and name it instead of its URL", errDescriptor, address)
		}
	}
	return d, nil
}

// Wide reports whether a court is one of the internet: a node to join through has a public address.
func (d Descriptor) Wide() bool {
	return slices.ContainsFunc(d.Bootstrap, func(address string) bool { return !p2p.Inside(address) })
}

// offered returns the RPC nodes that other judges with a stake announce, in an order of chance
// and at most one of each judge, with the share of all stake that offers it. Others may announce
// what they like: the list of judges is public and free, and a stake is not.
func (n *Node) offered() (out []providers.Guest) {
	now := n.roster.Now()
	if n.host == nil || now == nil || now.TotalStake == 0 {
		return nil
	}
	for _, j := range n.host.Directory().Judges() {
		if len(j.RPCURLs) == 0 || j.ID == n.host.ID() || !n.roster.Staked(j.Announcement) {
			continue
		}
		of := providers.Guest{URL: j.RPCURLs[rand.IntN(len(j.RPCURLs))]}
		if key, err := network.KeyOf(j.ID); err == nil {
			e, _ := n.roster.EntryOf(key)
			of.Share = float64(e.Stake) / float64(now.TotalStake)
		}
		if i := slices.IndexFunc(out, func(o providers.Guest) bool { return o.URL == of.URL }); i >= 0 {
			out[i].Share += of.Share
		} else {
			out = append(out, of)
		}
	}
	rand.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}
