package cluster

import (
	"fmt"
	"net"
	"strconv"
)

// Part is the part that a judge plays.
type Part uint8

// The parts. The court punishes all except Honest.
const (
	Honest       Part = iota
	Contrary          // judges honestly and says the opposite
	Equivocating      // signs two different statements in a round
	Absent            // is staked, but its node does not run
)

// String names p for people and for JSON.
func (p Part) String() string {
	names := [...]string{"honest", "contrary", "equivocating", "absent"}
	if int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("part(%d)", uint8(p))
}

// listenAddr returns the libp2p address of the judge with that number, at the host of P2P. The
// first judge has its port, the others free ones.
func (c Config) listenAddr(number int) (string, error) {
	host, port, err := net.SplitHostPort(c.P2P)
	if err != nil {
		return "", fmt.Errorf("cluster: p2p is %q, must be IPv4:port", c.P2P)
	}
	ip := net.ParseIP(host).To4()
	n, err := strconv.ParseUint(port, 10, 16)
	if ip == nil || err != nil {
		return "", fmt.Errorf("cluster: p2p is %q, must be IPv4:port", c.P2P)
	}
	if number != 1 {
		n = 0
	}
	return fmt.Sprintf("/ip4/%s/tcp/%d", ip, n), nil
}
