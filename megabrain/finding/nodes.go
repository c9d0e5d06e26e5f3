package finding

import (
	"fmt"
	"slices"
	"strings"
)

// The bounds of the memory nodes that a class or a task names.
const (
	maxNodes = 4
	maxNode  = 160 // bytes of an address
)

// checkNodes says what is wrong with a list of memory nodes. Judges read it, too, so that it is
// about spelling alone: whoever asks a node looks where the address leads.
func checkNodes(all []string) error {
	if len(all) > maxNodes {
		return fmt.Errorf("memory has %d nodes; it has at most %d", len(all), maxNodes)
	}
	for i, node := range all {
		switch {
		case !isNode(node):
			return fmt.Errorf("memory[%d] is %.60q; it is http://HOST:PORT, https://HOST, or a libp2p address such as /ip4/192.0.2.7/tcp/4001/p2p/12D3KooW…, and has at most %d bytes", i, node, maxNode)
		case slices.Contains(all[:i], node):
			return fmt.Errorf("memory[%d] is there twice", i)
		}
	}
	return nil
}

// isNode reports whether a text is spelled as the address of a memory node.
func isNode(text string) bool {
	if len(text) > maxNode || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'<>\\^`{|}?#@", r) }) {
		return false
	}
	for _, way := range []string{"http://", "https://"} {
		if host, ok := strings.CutPrefix(text, way); ok {
			return strings.Trim(host, "/") != ""
		}
	}
	return strings.HasPrefix(text, "/ip4/") || strings.HasPrefix(text, "/ip6/")
}

// Nodes reads the memory nodes that a task names in its metadata, apart by spaces. Metadata of
// another form name none.
func Nodes(metadata string) []string {
	all := strings.Fields(metadata)
	if checkNodes(all) != nil {
		return nil
	}
	return all
}

// Metadata are those of a task that name memory nodes: as many as there is room for, in bytes.
func Metadata(nodes []string, room int) string {
	var out []string
	for _, node := range nodes {
		if room -= len(node) + 1; room >= -1 {
			out = append(out, node)
		}
	}
	return strings.Join(out, " ")
}
