package ledger

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"
)

// wsOff as Config.WS means no websocket.
const wsOff = "off"

// autoPriority as Send.PriorityFee means what others pay.
const autoPriority = "auto"

// Validate names the first field that is out of its range and what it may be.
func (c Config) Validate() error {
	if _, err := endpoint("rpc", c.RPC, "http", "https"); err != nil {
		return err
	}
	if c.WS != "" && c.WS != wsOff {
		if _, err := endpoint("ws", c.WS, "ws", "wss"); err != nil {
			return err
		}
	}
	if c.Commitment != "confirmed" && c.Commitment != "finalized" {
		return fmt.Errorf("ledger: commitment is %q, set it to confirmed or finalized", c.Commitment)
	}
	if err := within("skew_warning", c.SkewWarning, time.Second, 24*time.Hour); err != nil {
		return err
	}
	for _, part := range []interface{ validate() error }{c.Calls, c.Watch, c.Send} {
		if err := part.validate(); err != nil {
			return err
		}
	}
	return nil
}

// endpoint never quotes the URL: it may hold an access key.
func endpoint(field, text string, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != schemes[0] && u.Scheme != schemes[1] {
		return nil, fmt.Errorf("ledger: %s is no URL, set it to one like %s://host:port", field, schemes[0])
	}
	return u, nil
}

// socketURL is where the websocket is; empty: there is none.
func (c Config) socketURL() (string, error) {
	switch c.WS {
	case wsOff:
		return "", nil
	case "":
	default:
		return c.WS, nil
	}
	u, err := endpoint("rpc", c.RPC, "http", "https")
	if err != nil {
		return "", err
	}
	u.Scheme = map[string]string{"http": "ws", "https": "wss"}[u.Scheme]
	if port, err := strconv.Atoi(u.Port()); err == nil {
		u.Host = net.JoinHostPort(u.Hostname(), strconv.Itoa(port+1))
	}
	return u.String(), nil
}

func (c Calls) validate() error {
	if err := first(
		within("calls.attempt_timeout", c.Timeout, 100*time.Millisecond, 5*time.Minute),
		within("calls.total_timeout", c.Patience, c.Timeout, time.Hour),
		within("calls.backoff_min", c.BackoffMin, time.Millisecond, time.Minute),
		within("calls.backoff_max", c.BackoffMax, c.BackoffMin, 10*time.Minute),
		within("calls.max_in_flight", c.MaxInFlight, 1, 1024),
		within("calls.max_answer_bytes", c.MaxAnswer, 64<<10, 1<<30),
		within("calls.max_per_second", c.Rate, 0, 100_000),
	); err != nil || c.Rate == 0 {
		return err
	}
	return within("calls.burst", c.Burst, 1, 100_000)
}

func (w Watch) validate() error {
	return first(
		within("watch.poll_interval", w.Poll, 100*time.Millisecond, time.Minute),
		within("watch.sweep_interval", w.Sweep, w.Poll, 10*time.Minute),
		within("watch.rescan_interval", w.Rescan, w.Poll, 24*time.Hour),
		within("watch.ping_interval", w.Ping, time.Second, 10*time.Minute),
		within("watch.stall_timeout", w.Stall, 2*time.Second, time.Hour),
		within("watch.max_reconnect_wait", w.ReconnectMax, time.Second, time.Hour),
		within("watch.max_message_bytes", w.MaxMessage, 64<<10, 64<<20),
		within("watch.max_pending_transactions", w.Buffer, 1, 1<<20),
		within("watch.signatures_per_page", w.Page, 1, 1000),
		within("watch.max_catch_up_signatures", w.Window, w.Page, 10_000_000),
		within("watch.overlap_slots", w.Overlap, 1, 100_000),
		within("watch.remembered_signatures", w.Remember, 2*w.Page, 10_000_000),
		within("watch.max_cases", w.MaxCases, 1, 100_000),
		within("watch.max_case_transactions", w.MaxHistory, w.Page, 10_000_000),
		within("watch.history_cache_bytes", w.HistoryCache, 0, 1<<30),
	)
}

func (s Send) validate() error {
	if _, _, err := s.priority(); err != nil {
		return err
	}
	return first(
		within("send.rebroadcast_interval", s.Rebroadcast, 200*time.Millisecond, time.Minute),
		within("send.status_interval", s.Status, 100*time.Millisecond, time.Minute),
		within("send.priority_percentile", s.PriorityPercentile, 0, 100),
		within("send.max_priority_fee", s.PriorityCap, 0, 1_000_000_000),
		within("send.compute_margin_percent", s.ComputeMargin, 0, 1000),
		within("send.max_in_flight", s.MaxInFlight, 1, 256),
		within("send.max_signings", s.MaxSignings, 1, 1000),
	)
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

// within checks a range.
func within[T int | uint64 | float64 | time.Duration](field string, v, low, high T) error {
	if !(v >= low && v <= high) { // so that NaN is out of every range
		return fmt.Errorf("ledger: %s is %v, set it to %v..%v", field, v, low, high)
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
