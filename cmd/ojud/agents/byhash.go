package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"ojud/agent/host/shell"
	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/cmd/ojud/cli"
	"ojud/datasource/kind"
	"ojud/node/agents"
	"ojud/node/client/discover"
	"ojud/node/library"
)

// exported says where the file of an agent is that "ojud agents export" wrote. A card has it as the
// params of an extension.
type exported struct {
	URL    string          `json:"url"` // https
	SHA256 casefile.Digest `json:"sha256"`
}

// fileOf is the URI of that extension.
const fileOf = "urn:ojud:agent-file:1"

// mostFiles bounds the addresses that are tried for one hash. Cards of strangers name them.
const mostFiles = 4

var hashForm = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)

// valid refuses an address that is not one of https.
func (e exported) valid() error {
	u, err := url.Parse(e.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return fmt.Errorf("%.200q is no https address of a file", e.URL)
	}
	return nil
}

// offer is the extension of a card that names the file of its agent.
func offer(did, file, address string) (e agentcard.Added, err error) {
	if file == "" || address == "" {
		return e, cli.Usage("--file and --url belong together; give both")
	}
	raw, err := library.ReadFile(file, shell.MaxPack)
	if err != nil {
		return e, cli.Usage("--file: %v", err)
	}
	p, err := shell.Unpack(file, raw)
	f := exported{address, casefile.Digest(casefile.HashOf(raw))}
	switch {
	case err != nil:
		return e, cli.Usage("--file: %v", err)
	case p.Agent.String() != did:
		return e, cli.Usage("%s is signed by %s, and this agent has the key %s; export it again", file, p.Agent, did)
	case p.To != "":
		return e, cli.Usage("%s moves an agent to one host, and nobody else can import it; export it without --move-to", file)
	}
	if err := f.valid(); err != nil {
		return e, cli.Usage("--url: %v", err)
	}
	params, err := json.Marshal(f)
	return agentcard.Added{URI: fileOf, Description: "Where a copy of the agent is.", Params: params}, err
}

// fileIn is the file that a card names.
func fileIn(s agentcard.Signed) (f exported, ok bool) {
	for _, e := range s.Capabilities.Extensions {
		if e.URI == fileOf && len(e.Params) > 0 && casefile.Fill("agent card", e.Params, &f, "") == nil && f.valid() == nil {
			return f, true
		}
	}
	return f, false
}

// byHash gets the file of an agent, of which only the hash is known: its own, or that of the card
// that names it. The card says where it is. What comes must have the hash that the card says, and
// the agent of the card must have signed it: so nobody has others fetch the file of somebody else
// from a place of its own.
func byHash(ctx context.Context, a *cli.App, hash string) (raw []byte, from, sum string, err error) {
	c, err := a.OpenAs(ctx, nil)
	if err != nil {
		return nil, "", "", err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	d, err := cli.Wait(ctx, a, "asking nodes for the cards of agents", func(ctx context.Context) (agents.Directory, error) { return discover.Agents(ctx, c) })
	if err != nil {
		return nil, "", "", err
	}
	by := a.Transport
	if by == nil { // a stranger's card leads to no private address
		by = &http.Transport{DialContext: kind.Network{}.Dial, TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: 30 * time.Second}
	}
	return ofCards(ctx, by, d, strings.ToLower(hash))
}

// ofCards is byHash of the agents of a directory.
func ofCards(ctx context.Context, by http.RoundTripper, d agents.Directory, hash string) (raw []byte, from, sum string, err error) {
	tried, more := map[string]bool{}, 0
	var failed []error
	for _, p := range d.Agents {
		if p.Card == nil {
			continue
		}
		f, ok := fileIn(*p.Card)
		own := casefile.Digest(p.Card.Hash).String() == hash // one card alone has it
		if !ok || !own && f.SHA256.String() != hash {
			continue
		}
		key := f.URL + " " + p.Card.Authority.String()
		if tried[key] {
			continue
		}
		if !own && len(tried) >= mostFiles {
			more++
			continue
		}
		tried[key] = true
		raw, err := fileAt(ctx, by, f, casefile.DID(p.Card.Authority))
		if err == nil {
			return raw, f.URL, f.SHA256.String(), nil
		}
		failed = append(failed, fmt.Errorf("%.200s: %w", f.URL, err))
	}
	switch {
	case more > 0:
		return nil, "", "", cli.Fail("the agent %s cannot be fetched: %v; cards that name it and were not tried: %d", hash, errors.Join(failed...), more).
			Next("import it by the hash of its card, or by its https address with --sha256 " + hash)
	case len(failed) > 0:
		return nil, "", "", cli.Fail("the agent %s cannot be fetched: %v", hash, errors.Join(failed...))
	case d.Waiting > 0:
		return nil, "", "", cli.Fail("no card that was read (%d were not) names the agent %s", d.Waiting, hash)
	}
	return nil, "", "", cli.Fail("no card in the court names the agent %s", hash).Next("see the agents of the court with: ojud agent find; a file or its https address can be imported, too")
}

// fileAt gets the file that a card names.
func fileAt(ctx context.Context, by http.RoundTripper, f exported, signer casefile.DID) ([]byte, error) {
	raw, err := download(ctx, by, f.URL)
	if err != nil {
		return nil, err
	}
	if sum := casefile.Digest(casefile.HashOf(raw)); sum != f.SHA256 {
		return nil, fmt.Errorf("it has the hash %s, and not that of the card", sum)
	}
	p, err := shell.Unpack("it", raw)
	if err != nil {
		return nil, err
	}
	if p.Agent != signer {
		return nil, fmt.Errorf("it is signed by %s, and the card by %s", p.Agent, signer)
	}
	return raw, nil
}
