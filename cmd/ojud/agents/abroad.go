package agents

import (
	"context"
	"crypto/tls"
	"path/filepath"
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
)

// public is where callers of other machines reach the host.
type public struct{ address, cert, key string }

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
		var key *transact.Keypair
		if key, err = transact.LoadKeypair(filepath.Join(home, shell.Folder, "keys", host.Operator+".json")); err == nil {
			s := shell.Signer{Keypair: key}
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
	return "agent://" + name + at.String() + "/ID/CAPABILITY", nil
}

// reach calls an agent of another host for an agent of this one.
func reach(ctx context.Context, e shell.Errand) (shell.Returned, error) {
	to := door.Abroad{Key: shell.Signer{Keypair: e.Key}, Chain: e.Chain, To: e.To, Signed: e.Signed}
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

// abroad reads what a call of another host needs.
func abroad(a *cli.App, address, under string, expected casefile.DID, tokens, micros *int64) (to door.Abroad, err error) {
	if to.To, err = host.ParseRemote(address); err != nil {
		return to, cli.Usage("%v", err)
	}
	if under != "" {
		raw, err := library.ReadFile(under, delegation.MaxBundle)
		if err != nil {
			return to, cli.Usage("%v", err)
		}
		if to.Chain, err = delegation.ParseChain(raw); err != nil {
			return to, cli.Usage("%s: %v", under, err)
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
	to.Key, to.Agent, to.Spend = shell.Signer{Keypair: key}, expected, spending(tokens, micros)
	return to, nil
}

// distant is what the flags of talk say of an agent of another host.
type distant struct{ under, did, tokens, dollars string }

// abroad takes part in a call of an agent of another host.
func (t talk) abroad(ctx context.Context, far distant, address string, order channel.RunOrder) error {
	if t.correlation != "" {
		return cli.Usage("a call of another host has a name of its own; leave --correlation-id out")
	}
	var expected casefile.DID
	var err error
	if far.did != "" {
		if expected, err = casefile.ParseDID(far.did); err != nil {
			return cli.Usage("--did is %.80q, which is no did:key of an Ed25519 key", far.did)
		}
	}
	tokens, err := amount("--tokens", far.tokens, 0)
	if err != nil {
		return err
	}
	micros, err := amount("--dollars", far.dollars, 6)
	if err != nil {
		return err
	}
	to, err := abroad(t.a, address, far.under, expected, tokens, micros)
	if err != nil {
		return err
	}
	t.far = true
	return t.run(ctx, func(ctx context.Context) (*door.Talk, error) {
		line, err := to.Talk(ctx, order)
		return line, explained(err)
	})
}
