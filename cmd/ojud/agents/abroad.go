package agents

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"time"

	"ojud/agent/channel"
	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/door"
	"ojud/agent/host/shell"
	"ojud/agent/talk/link"
	"ojud/casefile"
	"ojud/cmd/ojud/cli"
	"ojud/ledger/transact"
	"ojud/node/client"
	"ojud/node/library"
	"ojud/p2p/direct"
)

// public is where callers of other machines reach the host.
type public struct {
	address, cert, key string
	libp2p             string
	through, carries   []string
}

// open begins to listen, and returns the address of agents there.
func (p public) open(ctx context.Context, home string, d *door.Door) (string, error) {
	if p.address == "" {
		if p.cert+p.key != "" {
			return "", cli.Usage("--cert and --cert-key are for --public; name an address there, such as 0.0.0.0:4800")
		}
		return "", nil
	}
	if (p.cert == "") != (p.key == "") {
		return "", cli.Usage("give both --cert and --cert-key, or neither")
	}
	name := ""
	cert, err := tls.Certificate{}, error(nil)
	if p.cert != "" {
		cert, err = tls.LoadX509KeyPair(p.cert, p.key)
	} else {
		var s shell.Signer
		if s, err = operator(home); err == nil {
			name = s.Principal().String()[len("did:key:"):] + "@"
			cert, err = link.Certificate(s, time.Now())
		}
	}
	if err != nil {
		return "", cli.Fail("the certificate for --public cannot be used: %v", err)
	}
	at, err := d.Publish(ctx, p.address, cert)
	if err != nil {
		return "", cli.Fail("the agent host cannot listen at %s: %v", p.address, err).Next("give another address with --public")
	}
	return scheme + name + callable(at.String()) + anyOf, nil
}

// anyOf stands for an agent and its capability in an address.
const anyOf = "/ID/CAPABILITY"

// places are the addresses of the host for callers of other machines.
func (s started) places() (at []string) {
	for _, one := range append([]string{s.Public}, s.Libp2p...) {
		if place, ok := strings.CutSuffix(one, anyOf); ok {
			at = append(at, place)
		}
	}
	return at
}

// callable is an address as callers write it. Who listens at all addresses has to say which one.
func callable(at string) string {
	name, port, err := net.SplitHostPort(at)
	if ip := net.ParseIP(name); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("HOST", port)
	}
	return at
}

// operator is the key of the host.
func operator(home string) (shell.Signer, error) {
	key, err := transact.LoadKeypair(filepath.Join(home, shell.Folder, "keys", host.Operator+".json"))
	return shell.Signer{Keypair: key}, err
}

// most bounds the relays of a host, and the peers for which it carries.
const most = 16

// join has callers reach the host over libp2p, and returns its peer id and the addresses of agents.
func (p public) join(home string, d *door.Door, log *slog.Logger) (peer string, at []string, err error) {
	if p.libp2p == "" && len(p.through) == 0 {
		if len(p.carries) > 0 {
			return "", nil, cli.Usage("--carry is for --libp2p; name an address there, such as 0.0.0.0:4801")
		}
		return "", nil, nil
	}
	if p.libp2p == "" && len(p.carries) > 0 {
		return "", nil, cli.Usage("a host that carries for others is one that they can dial; name an address with --libp2p, such as 0.0.0.0:4801")
	}
	if len(p.through) > most || len(p.carries) > most {
		return "", nil, cli.Usage("a host has at most %d relays, and carries for at most %d peers", most, most)
	}
	w := direct.Where{Carries: p.carries, Lost: func(relay string, err error) {
		if err != nil {
			log.Warn("a relay does not carry for this host; it is asked again", "relay", relay, "err", err)
			return
		}
		log.Info("a relay carries for this host", "relay", relay)
	}}
	if p.libp2p != "" {
		name, _, err := net.SplitHostPort(p.libp2p)
		if err != nil || net.ParseIP(name) == nil {
			return "", nil, cli.Usage("--libp2p is %.80q; write an IP address and a port, such as 0.0.0.0:4801", p.libp2p)
		}
		listen, err := host.Multiaddr(p.libp2p)
		if err != nil {
			return "", nil, cli.Usage("--libp2p: %v", err)
		}
		w.Listen = []string{listen}
	}
	for _, text := range p.through {
		relay, err := host.ParseRemote("agent://" + text + "/a/a")
		if err != nil || relay.Peer == "" || relay.Relay != "" {
			return "", nil, cli.Usage("--through is %.120q; write PEER@HOST:PORT, as the relay prints it", text)
		}
		address, err := relay.Multiaddr()
		if err != nil {
			return "", nil, cli.Usage("--through: %v", err)
		}
		w.Through = append(w.Through, address)
	}
	s, err := operator(home)
	if err != nil {
		return "", nil, cli.Fail("the key of the operator cannot be used: %v", err)
	}
	self := s.Principal()
	node, err := direct.New(direct.Key{Public: self[:], Sign: s.Sign}, door.Protocol(), w)
	if err != nil {
		return "", nil, cli.Fail("the agent host cannot be reached over libp2p: %v", err).Next("give another address with --libp2p, or check --through and --carry")
	}
	d.Join(node)
	return node.Peer(), p.named(node), nil
}

// named are the addresses of agents at a node.
func (p public) named(node *direct.Station) (at []string) {
	for _, a := range node.Addresses() {
		if part := strings.Split(a, "/"); len(part) == 7 && part[3] == "tcp" {
			at = append(at, "agent://"+part[6]+"@"+net.JoinHostPort(part[2], part[4])+anyOf)
		}
	}
	for _, relay := range p.through {
		at = append(at, "agent://"+node.Peer()+"+"+relay+anyOf)
	}
	return at
}

// reach calls an agent of another host for an agent of this one.
func reach(ctx context.Context, e shell.Errand) (shell.Returned, error) {
	to := door.Abroad{Key: shell.Signer{Keypair: e.Key}, Chain: e.Chain, To: e.To, Signed: e.Signed, Away: e.Away, Context: e.Context, Params: e.Params}
	to.Spend = spending(e.Order.Tokens, e.Order.Micros)
	r, _, err := to.Invoke(ctx, e.Order.Timeout, e.Order.Payload)
	return r, err
}

func spending(tokens, micros *int64) (spend delegation.Amounts) {
	for unit, n := range map[int]*int64{1: tokens, 2: micros} {
		if n != nil {
			spend[unit] = *n
		}
	}
	return spend
}

// chainOf reads the file of --under.
func chainOf(under string) ([]*delegation.Delegation, error) {
	raw, err := library.ReadFile(under, delegation.MaxBundle)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	links, err := delegation.ParseChain(raw)
	if err != nil {
		return nil, cli.Usage("%s: %v", under, err)
	}
	return links, nil
}

// abroad reads what a call of another host needs.
func abroad(a *cli.App, address, under string, expected casefile.DID, tokens, micros *int64) (to door.Abroad, err error) {
	if to.To, err = host.ParseRemote(address); err != nil {
		return to, cli.Usage("%v", err)
	}
	if under != "" {
		if to.Chain, err = chainOf(under); err != nil {
			return to, err
		}
	}
	path, _, err := a.KeyPath()
	if err != nil {
		return to, err
	}
	key, err := client.LoadKey(path)
	if err != nil {
		return to, cli.Fail("%v", err).Next("name the key at which the chain of --under ends with --key")
	}
	to.Key, to.Agent, to.Spend, to.Away = shell.Signer{Keypair: key}, expected, spending(tokens, micros), away(a)
	return to, nil
}

// away tells a person on standard error that the host is away, with --json, too.
func away(a *cli.App) func(error) {
	return func(err error) {
		text := "the host is back\n"
		if err != nil {
			text = "the host is away; I look for it for two minutes (^C ends this command; the host then ends the call in two minutes if the agent is not done by then)\n"
		}
		if !a.Quiet {
			_, _ = io.WriteString(a.Err, text) // nobody can be told of a terminal that takes no text
		}
	}
}

// distant is what the flags of talk say of an agent of another host.
type distant struct{ under, did, tokens, dollars string }

// expected is the key that the agent must have; zero: the one that its host names.
func (d distant) expected() (key casefile.DID, err error) {
	if d.did == "" {
		return key, nil
	}
	if key, err = casefile.ParseDID(d.did); err != nil {
		return key, cli.Usage("--did is %.80q, which is no did:key of an Ed25519 key", d.did)
	}
	return key, nil
}

// abroad takes part in a call of an agent of another host.
func (t *talk) abroad(ctx context.Context, far distant, at place, order channel.RunOrder) error {
	if t.correlation != "" {
		return cli.Usage("a call of another host has a name of its own; leave --correlation-id out")
	}
	expected, err := far.expected()
	if err != nil {
		return err
	}
	if expected, err = at.whom(expected); err != nil {
		return err
	}
	tokens, err := amount("--tokens", far.tokens, 0)
	if err != nil {
		return err
	}
	micros, err := amount("--dollars", far.dollars, 6)
	if err != nil {
		return err
	}
	to, err := abroad(t.a, at.address, far.under, expected, tokens, micros)
	if err != nil {
		return err
	}
	t.far = true
	return t.run(ctx, func(ctx context.Context) (*door.Talk, error) {
		line, err := to.Talk(ctx, order)
		return line, explained(err)
	})
}
