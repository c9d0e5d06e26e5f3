package kind

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gagliardetto/solana-go"
)

// Solana is an account, {"address": …}, or a transaction, {"signature": …}, as a finalized block has it. That there is none is an
// answer too. Amounts are decimal strings (design decision D11).
type Solana struct {
	// Read is "account" or "transaction".
	Read string `json:"read"`
	// URL is a JSON-RPC endpoint and may refer to secrets in path and query; by default the node's own.
	URL string `json:"url,omitempty"`
	// Headers may refer to secrets.
	Headers map[string]string `json:"headers,omitempty"`
	// Address makes a source of one account: requests then need not name it.
	Address *solana.PublicKey `json:"address,omitempty"`
	// Addresses are the accounts that may be asked for, or one of which a transaction has to mention. Empty: all.
	Addresses []solana.PublicKey `json:"addresses,omitempty"`
	// Owners are the programs that may own an account which is asked for. Empty: all.
	Owners []solana.PublicKey `json:"owners,omitempty"`
	Network
}

const maxAddresses = 1000

// Validate implements Settings.
func (s *Solana) Validate() error {
	switch {
	case s.Read != "account" && s.Read != "transaction":
		return wrong("read", "is neither \"account\" nor \"transaction\"")
	case len(s.Addresses) > maxAddresses || len(s.Owners) > maxAddresses:
		return wrong("addresses", "or owners has more than %d entries", maxAddresses)
	case s.Read == "transaction" && (s.Address != nil || len(s.Owners) > 0):
		return wrong("address", "and owners belong to read \"account\"; for transactions list addresses")
	case s.URL == "" && (len(s.Headers) > 0 || s.AllowPrivate || len(s.Networks) > 0):
		return wrong("url", "is empty, so headers, allow_private and networks say nothing; take them out")
	case s.URL == "":
		return nil
	}
	template, err := parseURL("url", s.URL)
	if err != nil {
		return err
	}
	if variable.MatchString(s.URL) {
		return wrong("url", "is fixed: no {name} in it")
	}
	if strings.HasPrefix(template.base, "http:") && !s.AllowPrivate && len(s.Networks) == 0 && (mentions(s.URL) || len(secretNames(s.Headers)) > 0) {
		return wrong("url", "would send a secret unencrypted; use https")
	}
	return errors.Join(checkReferences("url", s.URL), validHeaders(s.Headers), s.Network.validate())
}

func (s *Solana) open(env Env, hidden *secrets) (Upstream, error) {
	endpoint, network := s.URL, s.Network
	if endpoint == "" {
		endpoint, network = env.RPC, Network{AllowPrivate: true} // the operator's own node
		hidden.remember(endpoint)
	}
	u, err := url.Parse(reference.ReplaceAllString(endpoint, "x"))
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%w: the node has no RPC URL; set url", ErrDown)
	}
	client := newClient(network, []string{hostPort(u)}, secretNames(s.Headers), env)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a redirected POST is no POST
	return &chain{s, endpoint, client, hidden, env.MaxBytes}, nil
}
