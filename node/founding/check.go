package founding

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node"
	"ojud/node/status"
	"ojud/voting"
)

// leastNodes is how many nodes network.json should name: a node believes that it can be reached
// after four others have seen it at the same address.
const leastNodes = 4

// Check looks at a court and says what is unsafe about it. It sends nothing. The error is that of
// the cluster, if nothing can be read.
func Check(ctx context.Context, w Wish, d node.Descriptor) (out []status.Finding, err error) {
	out = network(d)
	err = with(w, func(c *ledger.Client) error {
		genesis, err := c.Genesis(ctx)
		if err != nil {
			return err
		}
		if voting.Hash(genesis).String() != d.Network {
			out = append(out, bad("cluster", "the RPC node serves another cluster than network.json names", "name an RPC node of the court's cluster with --rpc"))
			return nil
		}
		out = append(out, good("cluster", "it is the one that network.json names"))
		out = append(out, Signature(ctx, w, d))
		r, err := law.Read(ctx, c)
		if err != nil {
			return err
		}
		found, err := keys(ctx, c, r)
		if err != nil {
			return err
		}
		roster, _, err := c.Roster(ctx)
		if err != nil {
			return err
		}
		out = append(append(out, found...), judges(r, roster)...)
		return nil
	})
	return out, err
}

func good(name, detail string) status.Finding {
	return status.Finding{Name: name, OK: true, Detail: detail}
}

func note(name, detail, next string) status.Finding {
	return status.Finding{Name: name, OK: true, Notice: true, Detail: detail, Next: next}
}

func bad(name, detail, next string) status.Finding {
	return status.Finding{Name: name, Detail: detail, Next: next}
}

// network looks at network.json, which everybody reads.
func network(d node.Descriptor) (out []status.Finding) {
	u, err := url.Parse(d.RPC)
	switch {
	case err != nil: // LoadNetwork has checked it
	case u.User != nil || u.RawQuery != "" || len(strings.Trim(u.Path, "/")) >= 16:
		out = append(out, bad("rpc", "the URL of the RPC node seems to have a private key in it, and everybody reads network.json", "put a public URL there; a node takes its own with --rpc"))
	case u.Scheme == "http" && u.Hostname() != "localhost" && !strings.HasPrefix(u.Hostname(), "127."):
		out = append(out, note("rpc", "the RPC node is reached without TLS, so the network on the way can change what it says", "put an https URL into network.json"))
	default:
		out = append(out, good("rpc", d.RPC))
	}
	why := ""
	if d.Wide() {
		why = fmt.Sprintf("; judges behind routers need nodes on %d addresses, because libp2p believes an address of its own only after so many others saw it", leastNodes)
	}
	switch n := len(d.Bootstrap); {
	case n == 0:
		out = append(out, bad("nodes", "network.json names no node, so judges do not find each other", "name some: ojud court create … --bootstrap MULTIADDR"))
	case n < leastNodes:
		out = append(out, note("nodes", fmt.Sprintf("network.json names %d of the %d nodes that it should; if they are gone, nobody finds the court%s", n, leastNodes, why), "name more: ojud court create … --bootstrap MULTIADDR"))
	case d.Wide() && machines(d.Bootstrap) < leastNodes:
		out = append(out, note("nodes", fmt.Sprintf("machines of the nodes in network.json: %d%s", machines(d.Bootstrap), why), "run nodes on more machines, and name them with --bootstrap"))
	default:
		out = append(out, good("nodes", fmt.Sprintf("network.json names %d", n)))
	}
	if r := node.DefaultConfig().P2P.Reach.Serve; d.Wide() {
		out = append(out, good("relays", fmt.Sprintf("judges that others reach carry links of judges and agents to judges behind routers: each at most %d KiB a second and %d MiB a day, unless its home says otherwise (p2p.reach.relay)",
			r.RateKiB, r.DayMiB)))
	}
	return out
}

// machines counts the machines that multiaddrs name. Addresses of one node are of one machine, and
// so are nodes of one address.
func machines(addrs []string) (n int) {
	same := map[string]string{} // a name leads to another of the same machine
	find := func(of string) string {
		for same[of] != of {
			of = same[of]
		}
		return of
	}
	for _, a := range addrs {
		parts := strings.Split(a, "/")
		if len(parts) < 3 {
			continue
		}
		node, host := "node "+parts[len(parts)-1], "host "+parts[2]
		for _, of := range []string{node, host} {
			if same[of] == "" {
				same[of] = of
				n++
			}
		}
		if x, y := find(node), find(host); x != y {
			same[x] = y
			n--
		}
	}
	return n
}

// keys looks at the program, and at who can change it and the rules.
func keys(ctx context.Context, c *ledger.Client, r *law.Rules) (out []status.Finding, err error) {
	upgrade, err := deployed(ctx, c)
	switch {
	case errors.Is(err, ErrNotAllowed): // nobody may upgrade it
		out = append(out, good("program", "it is that of this ojud"), good("upgrades", "nobody can replace the program"))
	case errors.Is(err, errOtherProgram):
		out = append(out, bad("program", err.Error(), "judge with the ojud that has this program, or upgrade it: ojud court upgrade"))
		if upgrade, err = upgrader(ctx, c); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	default:
		out = append(out, good("program", "it is that of this ojud"))
	}
	authority := r.Config.Authority
	if upgrade != "" {
		out = append(out, held(ctx, c, "upgrades", "can replace the program, and with it every rule and every stake", upgrade,
			"hand it to a multisig: ojud court hand-over-program ADDRESS; or give it up: ojud court freeze"))
	}
	switch {
	case authority.IsZero():
		out = append(out, good("authority", "nobody can change the rules"))
	default:
		out = append(out, held(ctx, c, "authority", "can announce rules and pause the court", authority.String(), "hand it to a multisig: ojud court authority hand-over ADDRESS"))
	}
	if upgrade == authority.String() {
		out = append(out, note("keys", "one address can replace the program and change the rules", "hand one of them over, so that a theft of one key is not a theft of all"))
	}
	if p := r.Config.PendingAuthority; !p.IsZero() {
		out = append(out, note("offer", "the authority is offered to "+p.String()+", which can take it at any time", "take it back if that is not meant: ojud court authority hand-over --withdraw"))
	}
	if r.Config.Paused != 0 {
		out = append(out, bad("pause", "the court is paused: no new tasks, claims and judges", "ojud court resume"))
	}
	return out, nil
}

// held says who holds a power. A key can be stolen or lost; an account of a program cannot sign by
// itself, and an address without an account may be a mistake.
func held(ctx context.Context, c *ledger.Client, name, power, who, next string) status.Finding {
	at, err := onchain.ParseAddress(who)
	if err != nil {
		return bad(name, err.Error(), next)
	}
	warning, err := signer(ctx, c, at)
	switch {
	case errors.Is(err, ErrNotAllowed):
		return bad(name, "nobody can use it any more: "+who+" "+power+", and is an account of the cluster or a program", "tell the judges: it is as if it were given up")
	case err != nil:
		return bad(name, "whether somebody can sign for "+who+" is not known: "+err.Error(), "try it again")
	case transact.CheckKey(at) == nil:
		return note(name, "one key, "+who+", "+power, next)
	case warning != "":
		return note(name, who+" "+power+". "+warning, "compare it with the vault of your multisig")
	}
	return good(name, who+", an account of a program such as the vault of a multisig, "+power)
}

// judges looks at the Roster and at the rules about judges.
func judges(r *law.Rules, roster *program.Roster) (out []status.Finding) {
	p, n := r.Now.Params, int(roster.Active)
	switch {
	case n < int(p.MinSeats):
		out = append(out, bad("judges", fmt.Sprintf("%d of at least %d: no dispute can be decided", n, p.MinSeats), "more have to join: ojud join network.json"))
	case n < int(p.PanelSeats):
		out = append(out, note("judges", fmt.Sprintf("%d, and a panel has %d seats, so all judges sit in each case", n, p.PanelSeats), "more should join: ojud join network.json"))
	default:
		out = append(out, good("judges", fmt.Sprintf("%d for panels of %d", n, p.PanelSeats)))
	}
	if n >= int(p.MinSeats) && roster.SeasonSlot == 0 {
		out = append(out, bad("season", "no season has begun, so no judge can be drawn", "ojud court season begin"))
	}
	if r.Config.Listed == 0 && p.Credential < program.CredentialApart {
		out = append(out, note("novices", "anyone may join, and judges without a record weigh as much as others: some large stakes can decide cases", "let golden cases prove judges, then: ojud court rules propose --set credential=2 (docs/keyholder.md)"))
	}
	return out
}
