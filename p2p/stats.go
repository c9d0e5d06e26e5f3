package p2p

// Stats returns what the host did and lost since it started.
func (h *Host) Stats() Stats {
	s := h.count.stats()
	s.Penalties, s.Bans = h.book.snapshot()
	all, missing := h.Kept()
	s.Kept, s.KeptMissing = len(all), len(missing)
	s.Addrs, s.Peers = len(h.net.Addrs()), len(h.Peers())
	s.RoutingTable = h.discovery.dht.RoutingTable().Size()
	s.Providers = h.discovery.store.size()
	s.RegistryPeers = h.registry.Len()
	return s
}
