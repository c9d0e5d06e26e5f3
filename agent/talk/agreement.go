package talk

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ojud/agent/delegation"
	"ojud/casefile/canon"
)

const (
	format     = "anex-agreement/1"
	several    = "anex-agreement/2" // of the parties of a meeting
	signTag    = "anex:agreement:v1"
	maxParties = 32
	// MaxAgreement is the size of a signed agreement in canonical form.
	MaxAgreement = 64 << 10
)

// Agreement is what agents agreed on: two in a conversation, several in a meeting. Its JSON is
// canonical, and its hash is signed.
type Agreement struct {
	Format       string          `json:"format"`
	Conversation string          `json:"conversation"`
	Asker        string          `json:"asker"`  // sent the CFP; in a meeting, made the proposal
	Holder       string          `json:"holder"` // answered it; empty in a meeting
	At           string          `json:"at,omitempty"`
	Identity     string          `json:"identity"`
	Owner        string          `json:"owner"`
	Relation     string          `json:"relation"`
	RequestType  string          `json:"request_type"`
	Access       []string        `json:"access"`
	Promise      []string        `json:"promise"`
	Deal         json.RawMessage `json:"deal,omitempty"` // what both owe each other, in any form
	Ontologies   json.RawMessage `json:"ontologies,omitempty"`

	Parties []string `json:"parties,omitempty"` // of a meeting: who signs, sorted

	// Signatures of the agents over the hash, by name.
	Signatures map[string]string `json:"signatures,omitempty"`
}

// Several returns terms of a meeting, which its parties have to sign.
func Several(meeting, proposer, about string, parties, promise []string, deal json.RawMessage, at string) Agreement {
	return Agreement{
		Format: several, Conversation: meeting, Asker: proposer, At: at, Identity: proposer, RequestType: about, Access: []string{},
		Promise: append([]string{}, promise...), Deal: deal, Parties: slices.Sorted(slices.Values(parties)),
	}
}

// Names are the agents that have to sign.
func (a Agreement) Names() []string {
	if a.Format == several {
		return a.Parties
	}
	return []string{a.Asker, a.Holder}
}

// Countersign adds a signature of an agent if it verifies.
func (a *Agreement) Countersign(agent, signature string) bool {
	if !a.signedBy(agent, signature) {
		return false
	}
	a.add(agent, signature)
	return true
}

// Terms returns the canonical JSON of what is signed.
func (a Agreement) Terms() ([]byte, error) {
	a.Signatures = nil
	return a.Canonical()
}

// Canonical returns the canonical JSON of the whole.
func (a Agreement) Canonical() ([]byte, error) {
	raw, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	return canon.JSON(raw, MaxAgreement)
}

// Hash is the SHA-256 of Terms in hex, or nothing if they have no canonical form.
func (a Agreement) Hash() string {
	raw, err := a.Terms()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// message is what an agent signs.
func (a Agreement) message() []byte { return []byte(signTag + a.Hash()) }

// Sign adds the signature of one of both agents.
func (a *Agreement) Sign(key delegation.Signer) string {
	raw := key.Sign(a.message())
	text := base64.StdEncoding.EncodeToString(raw[:])
	a.add(key.Principal().String(), text)
	return text
}

func (a *Agreement) add(agent, signature string) {
	signed := map[string]string{agent: signature}
	for who, text := range a.Signatures {
		if who != agent {
			signed[who] = text
		}
	}
	a.Signatures = signed
}

// signedBy checks a signature of an agent.
func (a Agreement) signedBy(agent, signature string) bool {
	who, err := delegation.ParsePrincipal(agent)
	raw, rawErr := base64.StdEncoding.Strict().DecodeString(signature)
	// Line feeds, which the decoder passes over, would give a signature other bytes.
	return err == nil && rawErr == nil && base64.StdEncoding.EncodeToString(raw) == signature && who.Verifies(a.message(), raw)
}

// SignedBy reports whether the agreement has a signature of an agent that verifies.
func (a Agreement) SignedBy(agent string) bool { return a.signedBy(agent, a.Signatures[agent]) }

// IsAgreement reports whether JSON says of itself that it is an agreement.
func IsAgreement(raw []byte) bool {
	var all map[string]json.RawMessage
	return json.Unmarshal(raw, &all) == nil && (string(all["format"]) == strconv.Quote(format) || string(all["format"]) == strconv.Quote(several))
}

// Verify checks that all parties signed, and nobody else.
func (a Agreement) Verify() error {
	parties := a.Names()
	if len(parties) < 2 || a.Asker == a.Holder {
		return errors.New("the agreement has one party")
	}
	for who := range a.Signatures {
		if !slices.Contains(parties, who) {
			return fmt.Errorf("%w: %.90s is no party", errSigned, who)
		}
	}
	for _, who := range parties {
		if a.Signatures[who] == "" {
			return fmt.Errorf("%w: %.90s did not sign", errSigned, who)
		}
		if !a.signedBy(who, a.Signatures[who]) {
			return fmt.Errorf("%w: that of %.90s", errSigned, who)
		}
	}
	return nil
}

// ParseAgreement reads a signed agreement. It does not check the signatures.
func ParseAgreement(raw []byte) (a Agreement, err error) {
	raw, err = canon.JSON(raw, MaxAgreement)
	if err != nil {
		return a, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return a, fmt.Errorf("it is no agreement: %w", err)
	}
	switch {
	case a.Format == format && a.Parties == nil:
	case a.Format == several && a.Access != nil && a.Promise != nil && len(a.Access) == 0 && a.Ontologies == nil && a.Owner+a.Relation+a.Holder == "" && a.Identity == a.Asker && len(a.Parties) >= 2 && len(a.Parties) <= maxParties &&
		slices.IsSorted(a.Parties) && len(slices.Compact(slices.Clone(a.Parties))) == len(a.Parties) && slices.Contains(a.Parties, a.Asker):
	default:
		return a, fmt.Errorf("it is no agreement: its format is %.40q; %q has two parties, and %q has 2 to %d, sorted", a.Format, format, several, maxParties)
	}
	again, err := a.Canonical()
	if err == nil && !bytes.Equal(again, raw) {
		err = errors.New("it is no agreement: a member is missing or spelled in another way")
	}
	return a, err
}
