package talk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ojud/casefile/canon"
	"ojud/datasource/anex"
)

// maxTerm is the length of a term of a call.
const maxTerm = 256

// CFP is the request in a call, as the table reads it. An owner decides about a call by this, and
// does not read the message again.
type CFP struct {
	Identity, Owner, Relation, RequestType string
	Access, Promise                        []anex.Name
	Deal, Ontologies                       json.RawMessage // nil if there is none
}

// ontology is a vocabulary that both parties use beside the six terms, by its address and the
// SHA-256 of its bytes.
type ontology struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
}

// strict reads an object whose members are known by exact name. encoding/json alone would take
// "DEAL" for "deal", and other languages do not.
func strict(raw json.RawMessage, into any, names ...string) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return fmt.Errorf("%w: %w", anex.ErrMalformed, err)
	}
	for name := range all {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%w: the member %.40q is not known; there are %s", anex.ErrMalformed, name, strings.Join(names, ", "))
		}
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%w: %w", anex.ErrMalformed, err)
	}
	return nil
}

// inner reads the object that is the one member of a content.
func inner(content json.RawMessage, act, field string, into any, names ...string) error {
	var outer map[string]json.RawMessage
	if err := strict(content, &outer, field); err != nil {
		return err
	}
	if raw := outer[field]; len(raw) == 0 || raw[0] != '{' {
		return fmt.Errorf("%w: content of %s: field %q: an object is needed", anex.ErrMalformed, act, field)
	}
	return strict(outer[field], into, names...)
}

// readCall reads the content of a CFP.
func readCall(content json.RawMessage) (*CFP, error) {
	var r struct {
		Identity    string          `json:"identity"`
		Owner       string          `json:"owner"`
		Relation    string          `json:"relation"`
		RequestType string          `json:"request_type"`
		Access      []string        `json:"access"`
		Promise     []string        `json:"promise"`
		Deal        json.RawMessage `json:"deal"`
		Ontologies  json.RawMessage `json:"ontologies"`
	}
	if err := inner(content, "CFP", "request", &r, "identity", "owner", "relation", "request_type", "access", "promise", "deal", "ontologies"); err != nil {
		return nil, err
	}
	for _, t := range []string{r.Identity, r.Owner, r.Relation, r.RequestType} {
		if len(t) > maxTerm {
			return nil, fmt.Errorf("%w: a term of the call has more than %d bytes", anex.ErrMalformed, maxTerm)
		}
	}
	if r.Identity == "" || r.RequestType == "" {
		return nil, fmt.Errorf("%w: identity and request_type of the call are needed", anex.ErrMalformed)
	}
	out := &CFP{r.Identity, r.Owner, r.Relation, r.RequestType, anex.Names(r.Access...), anex.Names(r.Promise...), r.Deal, r.Ontologies}
	if err := errors.Join(named(anex.Texts(out.Access)), named(anex.Texts(out.Promise)), dealt(out.Deal), vocabularies(out.Ontologies)); err != nil {
		return nil, fmt.Errorf("%w: the call: %w", anex.ErrMalformed, err)
	}
	return out, nil
}

// maxNames is the most names of a list.
const maxNames = 64

// named checks a list of names.
func named(names []string) error {
	if len(names) > maxNames {
		return fmt.Errorf("more than %d names", maxNames)
	}
	for i, n := range names {
		if n == "" || len(n) > 128 || strings.TrimSpace(n) != n || slices.Contains(names[:i], n) {
			return fmt.Errorf("%.40q is there twice, or is no name", n)
		}
	}
	return nil
}

// maxDeal is the size of a deal.
const maxDeal = 32 << 10

func dealt(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	if len(raw) > maxDeal || raw[0] != '{' {
		return fmt.Errorf("the deal is no object of at most %d bytes", maxDeal)
	}
	_, err := canon.JSON(raw, maxDeal)
	return err
}

// vocabularies checks the ontologies of a call.
func vocabularies(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	var all []json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return fmt.Errorf("%w: the ontologies are no array: %w", anex.ErrMalformed, err)
	}
	if len(all) > 8 {
		return errors.New("more than 8 ontologies")
	}
	for _, each := range all {
		var o ontology
		if err := strict(each, &o, "url", "sha256"); err != nil {
			return err
		}
		sum, err := hex.DecodeString(o.SHA256)
		if err != nil || len(sum) != sha256.Size || hex.EncodeToString(sum) != o.SHA256 || !strings.HasPrefix(o.URL, "https://") || len(o.URL) > maxTerm {
			return fmt.Errorf("the ontology %.60q needs an https address and a SHA-256 in lower-case hex", o.URL)
		}
	}
	return nil
}

// readProposal reads the content of a PROPOSE, and makes the terms of it and the call.
func (s *Session) readProposal(content json.RawMessage) (*Agreement, error) {
	var r struct {
		Access  []string        `json:"access"`
		Promise []string        `json:"promise"`
		Deal    json.RawMessage `json:"deal"`
		At      string          `json:"at"`
	}
	if err := inner(content, "PROPOSE", "response", &r, "access", "promise", "deal", "at"); err != nil {
		return nil, err
	}
	names := [2]string{}
	names[s.side], names[1-s.side] = s.self, s.peer
	a := &Agreement{
		Format: format, Conversation: s.conv, Asker: names[s.asker], Holder: names[1-s.asker], At: r.At,
		Identity: s.call.Identity, Owner: s.call.Owner, Relation: s.call.Relation, RequestType: s.call.RequestType,
		Access: anex.Texts(anex.Names(r.Access...)), Promise: anex.Texts(anex.Names(r.Promise...)), Deal: r.Deal, Ontologies: s.call.Ontologies,
	}
	if a.Deal == nil {
		a.Deal = s.call.Deal
	}
	if r.At != "" {
		if t, err := time.Parse(time.RFC3339, r.At); err != nil || t.Format(time.RFC3339) != r.At || len(r.At) > 32 {
			return nil, fmt.Errorf("%w: content of PROPOSE: field %q: a time such as 2026-01-02T15:04:05Z is needed", anex.ErrMalformed, "response.at")
		}
	}
	if err := errors.Join(named(a.Access), named(a.Promise), dealt(r.Deal)); err != nil {
		return nil, fmt.Errorf("%w: the proposal: %w", anex.ErrMalformed, err)
	}
	if _, _, err := anex.Cut([]byte("{}"), a.Access); err != nil {
		return nil, fmt.Errorf("%w: the proposal: %w", anex.ErrMalformed, err)
	}
	slices.Sort(a.Access)
	slices.Sort(a.Promise)
	if _, err := a.Terms(); err != nil {
		return nil, fmt.Errorf("%w: the terms: %w", anex.ErrMalformed, err)
	}
	return a, nil
}

// mandatory refuses terms without a name that the call calls mandatory.
func (c *CFP) mandatory(a *Agreement) error {
	demanded := func(names []anex.Name, granted []string) []anex.Name {
		out := anex.Names(granted...)
		return append(out, slices.DeleteFunc(slices.Clone(names), func(n anex.Name) bool { return !n.Mandatory || slices.Contains(granted, n.Text) })...)
	}
	err := anex.CheckProposal(anex.Call{Access: demanded(c.Access, a.Access), Promise: demanded(c.Promise, a.Promise)}, anex.Proposal{Access: a.Access, Promise: a.Promise})
	if errors.Is(err, anex.ErrMandatory) {
		return fmt.Errorf("%w: %w", errMissing, err)
	}
	return nil
}

// negotiate follows FIPA-Contract-Net.
func (s *Session) negotiate(by int, m anex.Message, all map[string]json.RawMessage, h Heard) (Heard, error) {
	if s.phase != willing && s.phase != bound {
		return h, fmt.Errorf("%w: terms before both agreed to talk", errPhase)
	}
	switch m.Performative {
	case anex.ActCFP:
		c, err := readCall(m.Content)
		if err == nil && s.negotiating() {
			err = fmt.Errorf("%w: a negotiation is open", errPhase)
		}
		if err == nil {
			err = s.replace(by, m, Call, nil)
		}
		if err == nil {
			s.call, s.asker, s.offer = c, by, nil
		}
		h.What, h.CFP = Call, c
		return h, err
	case anex.ActPropose:
		asked := s.take(by, m, Call, Proposal)
		if asked == nil {
			break
		}
		a, err := s.readProposal(m.Content)
		if err == nil {
			err = s.replace(by, m, Proposal, asked)
		}
		if err == nil {
			s.offer = a
		}
		h.What, h.Terms = Proposal, a
		return h, err
	case anex.ActRefuse:
		asked := s.take(by, m, Call)
		if asked == nil {
			break
		}
		s.drop(asked)
		h.What, h.Text = Refuse, text(all, "response")
		return h, nil
	case anex.ActRejectProposal:
		asked := s.take(by, m, Proposal)
		if asked == nil {
			break
		}
		s.drop(asked)
		h.What, h.Text = Reject, text(all, "response")
		return h, nil
	case anex.ActAcceptProposal:
		return s.accepted(by, m, all, h)
	case anex.ActInform:
		return s.countersigned(by, m, all, h)
	}
	return h, fmt.Errorf("%w: %s of %s", errPhase, m.Performative, m.Protocol)
}

// accepted follows an acceptance. With a signature, it waits for that of the other side.
func (s *Session) accepted(by int, m anex.Message, all map[string]json.RawMessage, h Heard) (Heard, error) {
	asked := s.take(by, m, Proposal)
	if asked == nil {
		return h, fmt.Errorf("%w: %s of %s", errPhase, m.Performative, m.Protocol)
	}
	var hash, signature string
	if err := errors.Join(textOr(all, "terms", &hash), textOr(all, "signature", &signature)); err != nil {
		return h, err
	}
	a := *s.offer
	switch {
	case hash != "" && hash != a.Hash(), hash == "" && signature != "":
		return h, errTerms
	case signature != "" && !a.signedBy(m.Sender, signature):
		return h, errSigned
	case by == s.asker:
		if err := s.call.mandatory(&a); err != nil {
			return h, err
		}
	}
	h.What, h.Terms = Accept, &a
	if signature == "" {
		s.drop(asked)
		s.bind(&a)
		return h, nil
	}
	if err := s.replace(by, m, Accept, asked); err != nil {
		return h, err
	}
	a.add(m.Sender, signature)
	s.offer = &a
	return h, nil
}

// countersigned follows the signature of the party that proposed.
func (s *Session) countersigned(by int, m anex.Message, all map[string]json.RawMessage, h Heard) (Heard, error) {
	asked := s.take(by, m, Accept)
	if asked == nil {
		return h, fmt.Errorf("%w: %s of %s", errPhase, m.Performative, m.Protocol)
	}
	var signature string
	if err := textOr(all, "signature", &signature); err != nil {
		return h, err
	}
	a := *s.offer
	if !a.signedBy(m.Sender, signature) {
		return h, errSigned
	}
	a.add(m.Sender, signature)
	s.drop(asked)
	s.bind(&a)
	h.What, h.Terms = Signature, &a
	return h, nil
}

func (s *Session) bind(a *Agreement) {
	s.phase, s.agreed, s.out.Agreed = bound, a, a
}

// textOr reads a text that may be missing.
func textOr(all map[string]json.RawMessage, field string, into *string) error {
	if all[field] == nil {
		return nil
	}
	if json.Unmarshal(all[field], into) != nil || len(*into) > maxTerm {
		return fmt.Errorf("%w: content: field %q: a text of at most %d bytes is needed", anex.ErrMalformed, field, maxTerm)
	}
	return nil
}
