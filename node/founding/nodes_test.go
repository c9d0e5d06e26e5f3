package founding

import (
	"strings"
	"testing"

	"ojud/node"
)

// TestNodes: what is said about the nodes of network.json is true of a court on one machine or in a
// LAN, too, and counts machines, not addresses.
func TestNodes(t *testing.T) {
	t.Parallel()
	const key = "12D3KooWPT98FXMfDQYavZm66EeVjTqP9Nnehn1gyaydqV8L8BQ"
	at := func(host, id string) string { return host + "/tcp/4600/p2p/" + key + id }
	four := []string{at("/ip4/11.0.0.1", "a"), at("/ip4/11.0.0.2", "b"), at("/ip4/11.0.0.3", "c"), at("/ip4/11.0.0.4", "d")}
	for name, c := range map[string]struct {
		nodes       []string
		notice      bool
		says, hides string
	}{
		"a devnet":              {[]string{at("/ip4/127.0.0.1", "a")}, true, "names 1 of the 4 nodes", "libp2p"},
		"a LAN":                 {[]string{at("/ip4/10.0.0.1", "a"), at("/ip4/10.0.0.1", "b"), at("/ip4/10.0.0.1", "c"), at("/ip4/10.0.0.1", "d")}, false, "names 4", "libp2p"},
		"one node":              {four[:1], true, "behind routers need nodes on 4 addresses", "machines"},
		"four nodes":            {four, false, "at most 512 KiB a second and 4096 MiB a day", "libp2p"},
		"four on one machine":   {[]string{at("/ip4/11.0.0.1", "a"), at("/ip4/11.0.0.1", "b"), at("/ip4/11.0.0.1", "c"), at("/ip4/11.0.0.1", "d")}, true, "network.json: 1;", "names"},
		"one by three names":    {[]string{at("/dns4/a.example", "a"), at("/ip4/11.0.0.1", "a"), at("/ip6/2a00::1", "a"), at("/ip4/11.0.0.2", "b")}, true, "network.json: 2;", "names"},
		"four by several names": {append(four, at("/dns4/a.example", "a")), false, "names 5", "libp2p"},
	} {
		var lines []string
		notice := false
		for _, f := range network(node.Descriptor{RPC: "https://rpc.example", Bootstrap: c.nodes}) {
			if f.Name != "rpc" {
				lines, notice = append(lines, f.Detail), notice || f.Notice
			}
		}
		if all := strings.Join(lines, "\n"); notice != c.notice || !strings.Contains(all, c.says) || strings.Contains(all, c.hides) {
			t.Errorf("%s: notice %t: %s", name, notice, all)
		}
	}
}
