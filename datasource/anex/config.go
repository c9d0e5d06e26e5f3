package anex

import (
	"fmt"
	"time"
)

// Config is what one party of one conversation goes by. The limits hold for what the peer sends.
type Config struct {
	Self string // own name, as in sender and receiver: 1..256 bytes; for a judge its did:key
	Peer string // the peer's name; a holder that leaves it empty takes the name in the first message

	MaxMessages      int // messages received in a conversation
	MaxBytes         int // bytes received in a conversation
	MaxRequests      int // data REQUESTs in a conversation
	MaxBids          int // CFPs in a conversation: the first and those after a REJECT-PROPOSAL
	MaxModifications int // modifications that a holder proposes before it has to agree or refuse
	MaxQueries       int // QUERY-IFs in a conversation

	Reply  time.Duration // asker: what a holder has for each answer; it becomes reply-by
	Decide time.Duration // what own policy and own source have for each question; of a holder less than the asker's Reply
	Idle   time.Duration // holder: what the asker has for its next message
	Total  time.Duration // the whole conversation
	Slack  time.Duration // how much a reply-by of the peer may have passed here: its clock may differ
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
	counts := []struct {
		name           string
		n, least, most int
	}{
		{"MaxMessages", c.MaxMessages, 8, 4096}, {"MaxBytes", c.MaxBytes, MaxMessage, 1 << 30}, {"MaxRequests", c.MaxRequests, 1, 256},
		{"MaxBids", c.MaxBids, 1, 64}, {"MaxModifications", c.MaxModifications, 0, 64}, {"MaxQueries", c.MaxQueries, 0, 256},
	}
	for _, s := range counts {
		if s.n < s.least || s.n > s.most {
			return fmt.Errorf("anex: config: %s is %d; set it to %d..%d", s.name, s.n, s.least, s.most)
		}
	}
	return c.validateTimes()
}

func (c Config) validateTimes() error {
	times := []struct {
		name  string
		d     time.Duration
		least time.Duration
	}{{"Reply", c.Reply, time.Millisecond}, {"Decide", c.Decide, time.Millisecond}, {"Idle", c.Idle, time.Millisecond},
		{"Total", c.Total, time.Millisecond}, {"Slack", c.Slack, 0}}
	for _, s := range times {
		if s.d < s.least || s.d > 24*time.Hour {
			return fmt.Errorf("anex: config: %s is %v; set it to %v..24h", s.name, s.d, s.least)
		}
	}
	return nil
}
