package ledger

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"ojud/config/bounds"
	"ojud/ledger/providers"
	"ojud/ledger/rpc"
)

// wsOff as Config.WS means no websocket.
const wsOff = "off"

// autoPriority as Send.PriorityFee means what others pay.
const autoPriority = "auto"

// Validate names the first field that is out of its range and what it may be.
func (c Config) Validate() error {
	if _, err := rpc.Endpoint("rpc", c.RPC, "http", "https"); err != nil {
		return err
	}
	if len(c.MoreRPC) >= providers.MaxOwn {
		return fmt.Errorf("ledger: more_rpc is a list of %d URLs, set it to at most %d", len(c.MoreRPC), providers.MaxOwn-1)
	}
	for i, u := range c.MoreRPC {
		if _, err := rpc.Endpoint("more_rpc", u, "http", "https"); err != nil {
			return err
		}
		if u == c.RPC || slices.Contains(c.MoreRPC[:i], u) {
			return fmt.Errorf("ledger: more_rpc is a list whose URL %d is there twice, set it to URLs of different nodes, because they are compared", i+1)
		}
	}
	if c.WS != "" && c.WS != wsOff {
		if _, err := rpc.Endpoint("ws", c.WS, "ws", "wss"); err != nil {
			return err
		}
	}
	if c.Commitment != "confirmed" && c.Commitment != "finalized" {
		return fmt.Errorf("ledger: commitment is %q, set it to confirmed or finalized", c.Commitment)
	}
	if _, _, err := c.Send.priority(); err != nil {
		return err
	}
	ranges := []bounds.Range{bounds.Of("skew_warning", c.SkewWarning, time.Second, 24*time.Hour)}
	return bounds.Check("ledger: ", slices.Concat(ranges, c.Calls.Ranges(), c.Watch.ranges(), c.Send.ranges())...)
}

// socketURL is where the websocket of a node of the config is; empty: there is none.
func (c Config) socketURL(node string) (string, error) {
	switch {
	case c.WS == wsOff:
		return "", nil
	case c.WS != "" && node == c.RPC:
		return c.WS, nil
	}
	u, err := rpc.Endpoint("rpc", node, "http", "https")
	if err != nil {
		return "", err
	}
	u.Scheme = map[string]string{"http": "ws", "https": "wss"}[u.Scheme]
	if port, err := strconv.Atoi(u.Port()); err == nil {
		u.Host = net.JoinHostPort(u.Hostname(), strconv.Itoa(port+1))
	}
	return u.String(), nil
}

func (w Watch) ranges() []bounds.Range {
	return []bounds.Range{
		bounds.Of("watch.poll_interval", w.Poll, 100*time.Millisecond, time.Minute),
		bounds.Of("watch.sweep_interval", w.Sweep, w.Poll, 10*time.Minute),
		bounds.Of("watch.rescan_interval", w.Rescan, w.Poll, 24*time.Hour),
		bounds.Of("watch.ping_interval", w.Ping, time.Second, 10*time.Minute),
		bounds.Of("watch.stall_timeout", w.Stall, 2*time.Second, time.Hour),
		bounds.Of("watch.max_reconnect_wait", w.ReconnectMax, time.Second, time.Hour),
		bounds.Of("watch.max_message_bytes", w.MaxMessage, 64<<10, 64<<20),
		bounds.Of("watch.max_pending_transactions", w.Buffer, 1, 1<<20),
		bounds.Of("watch.signatures_per_page", w.Page, 1, 1000),
		bounds.Of("watch.max_catch_up_signatures", w.Window, w.Page, 10_000_000),
		bounds.Of("watch.overlap_slots", w.Overlap, 1, 100_000),
		bounds.Of("watch.remembered_signatures", w.Remember, 2*w.Page, 10_000_000),
		bounds.Of("watch.max_cases", w.MaxCases, 1, 100_000),
		bounds.Of("watch.max_case_transactions", w.MaxHistory, w.Page, 10_000_000),
		bounds.Of("watch.history_cache_bytes", w.HistoryCache, 0, 1<<30),
	}
}

func (s Send) ranges() []bounds.Range {
	return []bounds.Range{
		bounds.Of("send.rebroadcast_interval", s.Rebroadcast, 200*time.Millisecond, time.Minute),
		bounds.Of("send.status_interval", s.Status, 100*time.Millisecond, time.Minute),
		bounds.Of("send.priority_percentile", s.PriorityPercentile, 0, 100),
		bounds.Of("send.max_priority_fee", s.PriorityCap, 0, 1_000_000_000),
		bounds.Of("send.priority_budget", s.PriorityBudget, 0, 100_000_000_000),
		bounds.Of("send.compute_margin_percent", s.ComputeMargin, 0, 1000),
		bounds.Of("send.max_in_flight", s.MaxInFlight, 1, 256),
		bounds.Of("send.max_signings", s.MaxSignings, 1, 1000),
	}
}

// priority reads PriorityFee.
func (s Send) priority() (microLamports uint64, auto bool, err error) {
	if s.PriorityFee == autoPriority {
		return 0, true, nil
	}
	n, err := strconv.ParseUint(s.PriorityFee, 10, 64)
	if err != nil || n > 1_000_000_000 {
		return 0, false, fmt.Errorf("ledger: send.priority_fee is %q, set it to auto or to 0..1000000000 micro-lamports", s.PriorityFee)
	}
	return n, false, nil
}
