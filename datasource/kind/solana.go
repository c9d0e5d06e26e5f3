package kind

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gagliardetto/solana-go"
)

// solanaSource is an account, {"address": …}, or a transaction, {"signature": …}, as in a finalized
// block. If there is none, the answer says so. Amounts are decimal strings.
type solanaSource struct {
	// Read is "account" or "transaction".
	Read string `json:"read"`
	// URL is a JSON-RPC endpoint, by default the node's own. Path and query may have secrets.
	URL string `json:"url,omitempty"`
	// Headers may refer to secrets.
	Headers map[string]string `json:"headers,omitempty"`
	// Address makes a source of one account. Requests then need not name it.
	Address *solana.PublicKey `json:"address,omitempty"`
	// Addresses are the accounts that may be asked for. A transaction must mention one of them. If
	// the list is empty, all are allowed.
	Addresses []solana.PublicKey `json:"addresses,omitempty"`
	// Owners are the programs that may own a requested account; empty: all.
	Owners []solana.PublicKey `json:"owners,omitempty"`
	Network
}

const maxAddresses = 1000

func (s *solanaSource) Validate() error {
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

func solanaForm() Form {
	return Form{
		Flag: Flag{"solana", "Solana: account or transaction", Text},
		More: []Flag{
			{"address", "an account that may be asked for, or that a transaction must mention", List},
			{"program", "a program that may own the account", List},
			{"rpc", "URL of a Solana RPC node (default the node's)", Text}, headerFlag, privateFlag,
		},
		fields: map[string]string{"read": "solana", "url": "rpc", "addresses": "address", "owners": "program",
			"headers": "header", "networks": "allow-private"},
		make: makeSolana,
	}
}

// makeSolana makes a source of one account if the person names one address.
func makeSolana(v Values) (Settings, error) {
	s := &solanaSource{Read: v.text("solana"), URL: v.text("rpc"), Network: Network{AllowPrivate: v.is("allow-private")}}
	var wrong [3]error
	s.Headers, wrong[0] = pairs(v, "header")
	s.Owners, wrong[1] = keys(v, "program")
	s.Addresses, wrong[2] = keys(v, "address")
	if err := cmp.Or(withoutKey("rpc", s.URL), cmp.Or(wrong[:]...)); err != nil {
		return nil, err
	}
	if len(s.Addresses) == 1 && s.Read == "account" {
		s.Address, s.Addresses = &s.Addresses[0], nil
	}
	return s, nil
}

func keys(v Values, flag string) (out []solana.PublicKey, err error) {
	for _, text := range v[flag] {
		k, err := solana.PublicKeyFromBase58(strings.TrimSpace(text))
		if err != nil {
			return nil, wrongFlag(flag, "%.64q is not an address; write base58 of 32 bytes", text)
		}
		out = append(out, k)
	}
	return out, nil
}

const (
	accountAnswer = `{"type":"object","properties":{"address":{"type":"string"},"slot":{"type":"integer"},"commitment":{"type":"string"},` +
		`"exists":{"type":"boolean"},"lamports":{"type":"string"},"owner":{"type":"string"},"executable":{"type":"boolean"},"data":{"type":"string"}},` +
		`"required":["address","slot","exists"]}`
	transactionAnswer = `{"type":"object","properties":{"signature":{"type":"string"},"slot":{"type":"integer"},"commitment":{"type":"string"},` +
		`"exists":{"type":"boolean"}},"required":["signature","slot","exists"]}`
)

func (s *solanaSource) Shape() Shape {
	if s.Read == "transaction" {
		return Shape{requestSchema(map[string]string{"signature": schemaText}, []string{"signature"}),
			json.RawMessage(transactionAnswer), "a transaction of Solana, finalized"}
	}
	required := []string{"address"}
	if s.Address != nil {
		required = nil
	}
	return Shape{requestSchema(map[string]string{"address": schemaText}, required), json.RawMessage(accountAnswer), "an account of Solana, finalized"}
}

// Sample implements Settings. Every cluster has the system program, and no transaction has a
// signature of zeros. If the owner allows only values that cannot be guessed, there is no sample.
func (s *solanaSource) Sample(Env) (Sample, error) {
	switch {
	case s.Read == "transaction" && len(s.Addresses) > 0:
		return Sample{}, nil
	case s.Read == "transaction":
		return sampleOf(map[string]any{"signature": solana.Signature{}.String()})
	case s.Address != nil:
		return sampleOf(map[string]any{})
	case len(s.Addresses) > 0:
		return sampleOf(map[string]any{"address": s.Addresses[0].String()})
	case len(s.Owners) > 0:
		return Sample{}, nil
	}
	return sampleOf(map[string]any{"address": solana.SystemProgramID.String()})
}

func (s *solanaSource) open(env Env, hidden *secrets) (Upstream, error) {
	endpoint, network := s.URL, s.Network
	if endpoint == "" {
		endpoint, network = env.RPC, Network{AllowPrivate: true} // the operator's own node
		if endpoint != "" {
			hidden.remember(endpoint)
		}
	}
	u, err := url.Parse(reference.ReplaceAllString(endpoint, "x"))
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%w: the node has no RPC URL; set url", ErrSetup)
	}
	client := newClient(network, []string{hostPort(u)}, secretNames(s.Headers), env)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a redirected POST is no POST
	return &chain{s, endpoint, origin(u), client, hidden, env.MaxBytes}, nil
}
