package reach

import (
	"cmp"
	"fmt"
	"time"

	"ojud/config/bounds"
)

// Settings says how a node behind a router is reached, and what a reachable node does for others.
// They have no effect if p2p.addresses is "private".
type Settings struct {
	// On finds out how others reach this node, opens a port of the router, reserves a place at
	// relays of the court if nobody gets through, and makes direct links out of relayed ones.
	On bool `koanf:"on"`
	// PortMapping asks the router for a port (UPnP, NAT-PMP), if this machine has a private IPv4
	// address and no public one. So a server asks nobody.
	PortMapping bool `koanf:"port_mapping"`
	// LocalNetwork tells this node on the local network, and finds other judges there, so that they
	// are linked without the router. It does so only if this machine has a private address and no
	// public IPv4 address.
	LocalNetwork bool `koanf:"local_network"`
	// Relays is the number of relays at which an unreachable node reserves a place.
	Relays int   `koanf:"relays"`
	Serve  Relay `koanf:"relay"`
	// Certificate and Key are PEM files for the listening addresses that end in /tls/ws.
	Certificate string `koanf:"tls_certificate"`
	Key         string `koanf:"tls_key"`
}

// Relay bounds what a reachable node carries to judges that nobody can reach: for other judges on
// the Roster, and a little for agents.
type Relay struct {
	// On carries links to judges whom nobody can reach, if this node can be reached.
	On bool `koanf:"on"`
	// Places bounds the judges that may be reached through this node. PlacesPerIP bounds those
	// behind one address.
	Places      int `koanf:"places"`
	PlacesPerIP int `koanf:"places_per_ip"`
	// Circuits bounds the links of one judge through this node. A seat of a panel needs 27.
	Circuits int `koanf:"circuits_per_judge"`
	// Guests bounds the links that are carried at one time for nodes that are not on the Roster:
	// those of agents. Each lasts 2 minutes at most, and all of them together get an eighth of
	// RateKiB and of DayMiB. 0: none.
	Guests int `koanf:"guests"`
	// RateKiB bounds all that is carried, in KiB a second. Above it links become slower.
	RateKiB int `koanf:"rate_kib"`
	// JudgeKiB bounds what is carried over the links that one judge opened, in KiB a second.
	JudgeKiB int `koanf:"rate_kib_per_judge"`
	// DayMiB bounds all that is carried in 24 hours, in MiB. When they are nearly used up, links
	// become slower. Each byte comes in once and goes out once.
	DayMiB int `koanf:"day_mib"`
}

// Default returns settings for a judge at home and for a server alike.
func Default() Settings {
	return Settings{
		On: true, PortMapping: true, LocalNetwork: true, Relays: 3,
		Serve: Relay{On: true, Places: 512, PlacesPerIP: 64, Circuits: 128, Guests: 32, RateKiB: 512, JudgeKiB: 128, DayMiB: 4096},
	}
}

// Brief returns settings for a host that lives for one command. It dials judges through their
// relays, and makes those links direct if it can. It does nothing for others.
func Brief() Settings { return Settings{On: true} }

// brief reports whether a host only dials. No other settings have a relay without places.
func (s Settings) brief() bool { return s == Brief() }

// Validate reports the first field that is out of bounds.
func (s Settings) Validate() error {
	if s.brief() {
		return nil // it carries nothing that has a bound
	}
	if (s.Certificate == "") != (s.Key == "") {
		return fmt.Errorf("p2p: reach.tls_certificate and reach.tls_key belong together: set both, or neither")
	}
	r := s.Serve
	return cmp.Or(bounds.Check("p2p: ",
		bounds.Of("reach.relays", s.Relays, 0, 8),
		bounds.Of("reach.relay.places", r.Places, 1, 1<<16),
		bounds.Of("reach.relay.places_per_ip", r.PlacesPerIP, 1, 1<<16),
		bounds.Of("reach.relay.circuits_per_judge", r.Circuits, 1, 1<<16),
		bounds.Of("reach.relay.guests", r.Guests, 0, 1<<16),
		bounds.Of("reach.relay.rate_kib", r.RateKiB, 64, 1<<22),
		bounds.Of("reach.relay.rate_kib_per_judge", r.JudgeKiB, 16, 1<<22),
		bounds.Of("reach.relay.day_mib", r.DayMiB, 128, 1<<26),
	))
}

// Times of the work around links.
const (
	tidyEvery = 10 * time.Second // between two looks at the links
	// Relayed links are tried directly again, some of them in each turn.
	straightEvery = 30 * time.Second
	straightDial  = 3 * time.Second
	straightMost  = 8
	// relayWait is how long a refused node leaves a relay alone. The library's hour is longer than
	// the time in which a new judge gets its stake.
	relayWait = time.Minute
	relayBoot = 5 * time.Second  // for finding several relays before the first is taken
	relayAsk  = 15 * time.Second // between two searches for relays
)
