package link

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"
)

// How many conversations a server takes.
const (
	maxTalks   = 256    // at once
	eachKey    = 8      // at once of one key
	eachHost   = 32     // at once of one address
	maxWaiting = 64     // connections at once that have not proven their key
	eachWaits  = 16     // of them from one address
	hourKey    = 240    // begun in an hour by one key
	hourHost   = 960    // begun in an hour from one address
	hourAll    = 16_384 // begun in an hour
)

// errCrowded is said to a peer that has as many conversations as one peer may have.
var errCrowded = errors.New("too many conversations; end one, or try again later")

// gate counts those who are inside, and those who came in this hour. The limits most and hourAll
// bound what it keeps.
type gate struct {
	most, each, hourly int

	mu    sync.Mutex
	in    map[string]int
	all   int
	hour  time.Time // when begun began
	begun map[string]int
	total int // of begun
}

func newGate(most, each, hourly int) *gate {
	return &gate{most: most, each: each, hourly: hourly, in: map[string]int{}}
}

// enter lets somebody in, who calls leave at the end. Leave may be called more than once.
func (g *gate) enter(who string, now time.Time) (leave func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.begun == nil || now.Sub(g.hour) >= time.Hour || now.Before(g.hour) {
		g.hour, g.begun, g.total = now, map[string]int{}, 0
	}
	if g.all >= g.most || g.in[who] >= g.each || g.begun[who] >= g.hourly || g.total >= hourAll {
		return nil, false
	}
	g.begun[who]++
	g.total++
	g.in[who]++
	g.all++
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.all--
		if g.in[who]--; g.in[who] == 0 {
			delete(g.in, who)
		}
	}), true
}

// Crowd bounds the conversations of each peer, and of all. The zero value does.
type Crowd struct {
	once                sync.Once
	waiting, keys, host *gate
}

func (c *Crowd) init() {
	c.once.Do(func() {
		c.waiting = newGate(maxWaiting, eachWaits, hourAll)
		c.keys, c.host = newGate(maxTalks, eachKey, hourKey), newGate(maxTalks, eachHost, hourHost)
	})
}

// Enter counts a conversation with a peer: a did:key, or what Place returns. Without an address,
// only the peer is counted. The caller calls leave at the end of the conversation.
func (c *Crowd) Enter(peer, address string, now time.Time) (leave func(), err error) {
	c.init()
	out := func() {}
	if address != "" {
		var ok bool
		if out, ok = c.host.enter(Place(address), now); !ok {
			return nil, errCrowded
		}
	}
	in, ok := c.keys.enter(peer, now)
	if !ok {
		out()
		return nil, errCrowded
	}
	return func() { in(); out() }, nil
}

// Place names the machine or the network of an address such as 10.0.0.7:4800: an IPv4 address, or
// the first 48 bits of one of IPv6, because one customer of a provider may have as much.
func Place(address string) string {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			host = address
		}
		return fmt.Sprintf("%.100s", host)
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	net6, err := ip.Prefix(48)
	if err != nil {
		return ip.String()
	}
	return net6.String()
}
