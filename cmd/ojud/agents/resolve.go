package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/door"
	"ojud/casefile"
	"ojud/casefile/agentcard"
	cards "ojud/cmd/ojud/agentcard"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/agents"
	"ojud/node/client/discover"
	"ojud/node/network"
	"ojud/voting"
)

// place is where an address leads: to an agent of this host, or of another one that a card names.
type place struct {
	address string
	agent   casefile.DID // who has to sign the result; zero: whom the host names
	signer  casefile.DID // of the card that names the place
	byKey   bool         // the user wrote the key of the agent
}

// whom is the key that has to sign the result, if it is known: that of --did, or of the agent.
func (p place) whom(did casefile.DID) (casefile.DID, error) {
	if p.byKey && did != (casefile.DID{}) && did != p.agent {
		return did, cli.Usage("the address has the key %s, and --did another one; leave --did out", p.agent)
	}
	return cmp.Or(did, p.agent), nil
}

// scheme begins each address of an agent.
const scheme = "agent://"

// resolved finds where an address leads. agent://ID/CAPABILITY is an agent of the host of the home.
// If there is none and a chain is given, it is the agent whose card says ID, at a host at which
// that chain can begin. In place of ID stands the address or the key of an agent, too: then its
// card in the registry says where it is. An address with a host stays as it is. The payload
// goes nowhere without a chain, so that nobody gets it who only took a name.
func resolved(ctx context.Context, a *cli.App, text, under string) (p place, err error) {
	p.address = text
	id, capability, _ := strings.Cut(strings.TrimPrefix(text, scheme), "/")
	if host.IsRemote(text) || !strings.HasPrefix(text, scheme) {
		return p, nil
	}
	key, byKey := keyOf(id)
	if !byKey && under == "" {
		return p, nil // one of this host
	}
	if p.byKey = byKey; byKey {
		p.agent = casefile.DID(key)
	}
	near, lives, err := local(ctx, a, id, key)
	if err != nil || lives {
		p.address = scheme + near + strings.TrimPrefix(strings.TrimPrefix(text, scheme), id)
		return p, err
	}
	if under == "" {
		return p, cli.Usage("%s is no agent of this home", view.Short(view.Escape(id))).Next("to call one of another host, name the chain that its operator gave you with --under")
	}
	links, err := chainOf(under)
	if err != nil {
		return p, err
	}
	c, err := a.OpenAs(ctx, nil)
	if err != nil {
		return p, fmt.Errorf("%s is no agent of a host that runs here, and no court can be asked for its card: %w", view.Short(view.Escape(id)), err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	unread := 0
	found, err := cli.Wait(ctx, a, "asking nodes for the cards of agents", func(ctx context.Context) ([]place, error) {
		if byKey {
			s, err := cards.Present(ctx, c, onchain.Address(key))
			return placesIn(s), err
		}
		d, err := discover.Agents(ctx, c)
		unread = d.Waiting
		return placesOf(d, id, links), err
	})
	if err != nil {
		return p, err
	}
	switch {
	case len(found) == 0 && byKey:
		return p, cli.Fail("the card of %s names no agent host", view.Short(view.Escape(id))).Next("see it with: ojud agent card show " + key.String())
	case len(found) == 0:
		why := "no card in the court says"
		if unread > 0 {
			why = fmt.Sprintf("no card that was read (%d were not) says", unread)
		}
		return p, cli.Fail("%s that the agent %s is at a host at which the chain of --under begins", why, view.Short(view.Escape(id))).
			Next("see the agents of the court with: ojud agent find; in place of the name you can write the agent's address in the court, or HOST:PORT before the name")
	case !byKey && unclear(found):
		var all []string
		for _, one := range found {
			all = append(all, fmt.Sprintf("%s (card of %s)", one.address, one.signer))
		}
		return p, cli.Fail("cards say that %s is at %d places: %s", id, len(found), view.Escape(strings.Join(all, ", "))).Next("write one of these addresses, with the capability")
	}
	p.address, p.agent = found[0].address, found[0].agent
	if capability != "" {
		p.address += "/" + capability
	}
	if a.Quiet {
		return p, nil
	}
	_, err = fmt.Fprintf(a.Err, "%s is %s, as a card in the court says\n", view.Escape(text), p.address)
	return p, err
}

// court adds the flag of commands that may ask a court where an agent is.
func court(a *cli.App, cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.Network, "network", "", "network.json of the court whose cards say where agents are: file, URL or HOST:PORT (default $OJUD_NETWORK or the home's)")
}

// keyOf reads an id that is the key of an agent: an address, or a did:key without "did:key:".
func keyOf(id string) (casefile.Address, bool) {
	if host.ValidID(id) == nil {
		return casefile.Address{}, false
	}
	if key, err := casefile.ParseAddress(id); err == nil {
		return key, true
	}
	key, err := casefile.ParseDID("did:key:" + id)
	return casefile.Address(key), err == nil
}

// local finds an agent of the host of the home by its id or its key.
func local(ctx context.Context, a *cli.App, id string, key casefile.Address) (string, bool, error) {
	dir, err := a.HomeDir()
	if err != nil {
		return id, false, err
	}
	c, err := door.Open(dir)
	if errors.Is(err, door.ErrNotRunning) {
		return id, false, nil
	}
	if err != nil {
		return id, false, explained(err)
	}
	var all []host.Portrait
	if err := c.Use(ctx, "agent.list", struct{}{}, &all); err != nil {
		if errors.Is(err, door.ErrNotRunning) {
			return id, false, nil // its file is there, and it is not
		}
		return id, false, explained(err)
	}
	i := slices.IndexFunc(all, func(v host.Portrait) bool { return v.ID == id || v.DID == casefile.DID(key).String() })
	if i < 0 {
		return id, false, nil
	}
	return all[i].ID, true, nil
}

// placesIn are the places at agent hosts that a card names.
func placesIn(s agentcard.Signed) (out []place) {
	for _, e := range s.Interfaces {
		if e.Binding == agentcard.Hosted {
			out = append(out, place{address: e.URL, agent: casefile.DID(s.Authority), signer: casefile.DID(s.Authority)})
		}
	}
	return out
}

// placesOf are the places of agents with an id, at hosts whose operator, or at agents, at which the
// chain begins. Anybody may write any id into a card, but not the key of another operator. Cards of
// agents whose operator signed for them come before all others. Who signs the result is known only
// if the chain begins at that agent: anybody can copy the address of a card, and the host, which is
// proved, says who the agent is.
func placesOf(d agents.Directory, id string, links []*delegation.Delegation) []place {
	root := links[0].Subject
	var own, others []place
	for _, profile := range d.Agents {
		if profile.Card == nil {
			continue
		}
		for _, p := range placesIn(*profile.Card) {
			to, err := host.ParseRemote(p.address + "/" + host.Describe)
			if err != nil || to.Agent != id {
				continue // the card is of another form or agent
			}
			peer, err := network.PeerOf(voting.Key(root))
			first := delegation.Principal(p.agent) == root
			if !first && to.Operator != root.String() && (err != nil || to.Peer != peer.String()) {
				continue
			}
			if !first {
				p.agent = casefile.DID{}
			}
			out := &others
			if first || delegation.Principal(profile.Operator) == root {
				out = &own
			}
			if !slices.ContainsFunc(*out, func(q place) bool { return same(q.address, p.address) }) {
				*out = append(*out, p)
			}
		}
	}
	if len(own) > 0 {
		return own
	}
	return others
}

// unclear reports whether places are in cards of several agents. A name does not say who is meant.
func unclear(all []place) bool {
	return slices.ContainsFunc(all, func(p place) bool { return p.signer != all[0].signer })
}

// same reports whether two addresses of cards lead to one place.
func same(a, b string) bool {
	plain := func(text string) string {
		to, err := host.ParseRemote(text + "/" + host.Describe)
		if err != nil {
			return text
		}
		machine, port, err := net.SplitHostPort(to.Host)
		if err != nil {
			return text
		}
		if ip, err := netip.ParseAddr(machine); err == nil {
			machine = ip.String()
		}
		to.Host = net.JoinHostPort(strings.ToLower(machine), port)
		return to.String()
	}
	return plain(a) == plain(b)
}
