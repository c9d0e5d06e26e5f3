package ledger

// Finalized returns a client that reads at commitment "finalized", whatever this one reads at: for what must not be taken back
// any more, as the facts of a case file. It is bound to the same chain and shares this client's connections, limits and metrics;
// close only the first. It lags by the time that a block takes to become final, about 13 s on the main cluster, and so has a Slot
// of its own: mixing the answers of both goes back in time.
func (c *Client) Finalized() *Client {
	cfg := c.cfg
	cfg.Commitment = "finalized"
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Client{
		cfg: cfg, program: c.program, caller: c.caller, log: c.log, metrics: c.metrics, http: c.http,
		clock: c.clock, past: newPast(cfg.Watch.HistoryCache), genesis: c.genesis, checked: c.checked, other: c.other,
	}
}
