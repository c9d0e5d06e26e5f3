package p2p

import (
	"slices"

	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// allowed reports whether the address policy lets a be told, stored and dialled.
// On the internet a private address is somebody else's machine.
func (c Config) allowed(a ma.Multiaddr) bool {
	return c.Addresses == AddressesPrivate || manet.IsPublicAddr(a)
}

// filter returns the allowed addresses among in.
func (c Config) filter(in []ma.Multiaddr) []ma.Multiaddr {
	return slices.DeleteFunc(slices.Clone(in), func(a ma.Multiaddr) bool { return !c.allowed(a) })
}
