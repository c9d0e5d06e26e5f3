package p2p

import (
	"fmt"

	"github.com/libp2p/go-libp2p/core/protocol"
)

// TopicName is the gossip topic of a network: /oju/<network>/<name>/1. Topics are
// few and live as long as the node: leaving and re-joining is punished by
// gossipsub.
func TopicName(network, name string) string {
	return fmt.Sprintf("/oju/%s/%s/1", network, name)
}

// ProtocolID is the stream protocol of a network: /oju/<network>/<name>/1.
func ProtocolID(network, name string) protocol.ID {
	return protocol.ID(TopicName(network, name))
}

// dhtPrefix gives the DHT protocol /oju/<network>/kad/1.0.0.
func dhtPrefix(network string) protocol.ID {
	return protocol.ID("/oju/" + network)
}

func checkName(name string) error {
	if !matches(namePattern, name) {
		return fmt.Errorf("p2p: %q is no topic or protocol name: want %s", name, namePattern)
	}
	return nil
}
