package rpc

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"ojud/config/bounds"
)

// Calls bounds requests to the node.
type Calls struct {
	// Timeout bounds one attempt, from the connection to the last byte of the answer.
	Timeout time.Duration `koanf:"attempt_timeout"`
	// Patience bounds all attempts of one call. After it the call fails with its last error.
	Patience time.Duration `koanf:"total_timeout"`
	// BackoffMin and BackoffMax bound the wait between two attempts; it doubles, with jitter. A
	// node's Retry-After is obeyed.
	BackoffMin time.Duration `koanf:"backoff_min"`
	BackoffMax time.Duration `koanf:"backoff_max"`
	// MaxInFlight bounds the requests under way at once.
	MaxInFlight int `koanf:"max_in_flight"`
	// Rate bounds requests a second, after a burst of Burst. 0 means no bound. The defaults allow
	// 100 requests in any 10 seconds, because public clusters refuse more. A node needs 0.1 a
	// second when idle and 4 while it votes.
	Rate  float64 `koanf:"max_per_second"`
	Burst int     `koanf:"burst"`
	// MaxAnswer bounds an answer, in bytes after decompression.
	MaxAnswer int `koanf:"max_answer_bytes"`
}

// Ranges are the limits of the settings, in the section of the ledger.
func (c Calls) Ranges() []bounds.Range {
	all := []bounds.Range{
		bounds.Of("calls.attempt_timeout", c.Timeout, 100*time.Millisecond, 5*time.Minute),
		bounds.Of("calls.total_timeout", c.Patience, c.Timeout, time.Hour),
		bounds.Of("calls.backoff_min", c.BackoffMin, time.Millisecond, time.Minute),
		bounds.Of("calls.backoff_max", c.BackoffMax, c.BackoffMin, 10*time.Minute),
		bounds.Of("calls.max_in_flight", c.MaxInFlight, 1, 1024),
		bounds.Of("calls.max_answer_bytes", c.MaxAnswer, 64<<10, 1<<30),
		bounds.Of("calls.max_per_second", c.Rate, 0, 100_000),
	}
	if c.Rate != 0 {
		all = append(all, bounds.Of("calls.burst", c.Burst, 1, 100_000))
	}
	return all
}

// Endpoint reads the URL of a setting. The error never quotes the URL: it may hold an access key.
func Endpoint(field, text string, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != schemes[0] && u.Scheme != schemes[1] {
		return nil, fmt.Errorf("ledger: %s is no URL, set it to one like %s://host:port", field, schemes[0])
	}
	return u, nil
}

// NewTransport is HTTP over the network. Its connections are as many as may be under way.
func NewTransport(cfg Calls) *http.Transport {
	dialer := &net.Dialer{Timeout: cfg.Timeout, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: cfg.Timeout, ResponseHeaderTimeout: cfg.Timeout, MaxResponseHeaderBytes: 64 << 10,
		MaxIdleConnsPerHost: cfg.MaxInFlight, IdleConnTimeout: 90 * time.Second,
	}
}
