package anex

import (
	"fmt"
	"time"

	"ojud/config/bounds"
)

// Config sets up one party of one conversation. The limits bound the peer's messages.
type Config struct {
	Self string // own name, as in sender and receiver: 1..256 bytes; for a judge its did:key
	Peer string // the peer's name; a holder that leaves it empty takes the name in the first message

	MaxMessages      int // messages received in a conversation
	MaxBytes         int // bytes received in a conversation
	MaxRequests      int // data REQUESTs in a conversation
	MaxBids          int // CFPs in a conversation: the first and those after a REJECT-PROPOSAL
	MaxModifications int // modifications that a holder may propose; then it must agree or refuse
	MaxQueries       int // QUERY-IFs in a conversation

	Reply  time.Duration // asker: the holder's time for each answer; it becomes reply-by
	Decide time.Duration // time of the own policy and source for each question; a holder's is less than the asker's Reply
	Idle   time.Duration // holder: the asker's time for its next message
	Total  time.Duration // the whole conversation
	Slack  time.Duration // how far past a reply-by of the peer may be by our clock, because clocks differ
}

// DefaultConfig returns limits that suit a round of ten minutes. Self is left to the caller.
func DefaultConfig() Config {
	return Config{
		MaxMessages: 64, MaxBytes: 16 << 20, MaxRequests: 8, MaxBids: 3, MaxModifications: 2, MaxQueries: 4,
		Reply: 30 * time.Second, Decide: 25 * time.Second, Idle: time.Minute, Total: 10 * time.Minute, Slack: 2 * time.Second,
	}
}

// Validate names the first setting that is out of its range.
func (c Config) Validate() error {
	if err := checkAgent("Self", c.Self); err != nil {
		return fmt.Errorf("anex: config: %w", err)
	}
	if c.Peer != "" && (checkAgent("Peer", c.Peer) != nil || c.Peer == c.Self) {
		return fmt.Errorf("anex: config: Peer %.60q: must be 1..%d bytes and differ from Self", c.Peer, maxAgent)
	}
	return bounds.Check("anex: config: ",
		bounds.Of("MaxMessages", c.MaxMessages, 8, 4096),
		bounds.Of("MaxBytes", c.MaxBytes, MaxMessage, 1<<30),
		bounds.Of("MaxRequests", c.MaxRequests, 1, 256),
		bounds.Of("MaxBids", c.MaxBids, 1, 64),
		bounds.Of("MaxModifications", c.MaxModifications, 0, 64),
		bounds.Of("MaxQueries", c.MaxQueries, 0, 256),
		bounds.Of("Reply", c.Reply, time.Millisecond, 24*time.Hour),
		bounds.Of("Decide", c.Decide, time.Millisecond, 24*time.Hour),
		bounds.Of("Idle", c.Idle, time.Millisecond, 24*time.Hour),
		bounds.Of("Total", c.Total, time.Millisecond, 24*time.Hour),
		bounds.Of("Slack", c.Slack, 0, 24*time.Hour),
	)
}
