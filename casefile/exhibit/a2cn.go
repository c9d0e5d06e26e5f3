package exhibit

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

const a2cnRecord = "A2CN record"

// isRecord reports whether an object is a transaction record of A2CN, alone or under "record"
// beside the two messages that it is about.
func (k *known) isRecord(m map[string]any) bool {
	record, _ := m["record"].(map[string]any)
	return m["record_type"] == "a2cn_transaction_record" || record["record_type"] == "a2cn_transaction_record"
}

// record checks a transaction record. The hashes in a record cover the terms only together with the
// messages; without these nobody can tell which terms were signed.
func (k *known) record(m map[string]any) Found {
	record, messages := m, map[string]any{}
	if r, is := m["record"].(map[string]any); is {
		record, messages = r, m
	}
	r := recorded{known: k, record: record, with: keysIn(m["keys"])}
	r.offer, _ = messages["offer"].(map[string]any)
	r.acceptance, _ = messages["acceptance"].(map[string]any)
	id := sha256.Sum256(fmt.Appendf(nil, "%v", record["record_hash"]))
	for _, check := range []func() error{r.hashed, r.signed, r.agreed, r.accepted} {
		if err := check(); err != nil {
			return wrong(a2cnRecord, id, err)
		}
	}
	session, _ := record["session_id"].(string)
	hash, _ := record["record_hash"].(string)
	f := say(a2cnRecord, id, r.mine && r.offer != nil && r.acceptance != nil, k.about(record, session, hash), r.detail)
	return f
}

// recorded is a record in examination.
type recorded struct {
	*known
	record, offer, acceptance map[string]any
	with                      []publicKey // keys that only the exhibit names
	detail                    string
	mine                      bool
}

func (r *recorded) in(name, field string) string {
	m, _ := r.record[name].(map[string]any)
	s, _ := m[field].(string)
	return s
}

// hashed checks what the record says of itself.
func (r *recorded) hashed() error {
	said, _ := r.record["record_hash"].(string)
	blank := map[string]any{}
	for name, v := range r.record {
		blank[name] = v
	}
	blank["record_hash"] = ""
	hash, err := hashText(blank)
	switch {
	case err != nil:
		return errors.New("it has no canonical form")
	case said != hash:
		return errors.New("record_hash is not the hash of the record")
	case r.record["record_version"] != "0.1":
		return errors.New("its record_version is not 0.1")
	case r.in("final_acceptance", "accepted_protocol_act_hash") != r.in("final_offer", "protocol_act_hash"):
		return errors.New("what was accepted is not what was offered last")
	}
	initiator, responder := r.party("initiator"), r.party("responder")
	offered, accepted := r.in("final_offer", "sender_did"), r.in("final_acceptance", "sender_did")
	if offered == accepted || initiator == responder || (offered != initiator || accepted != responder) && (offered != responder || accepted != initiator) {
		return errors.New("the offer and the acceptance are not of the two parties")
	}
	return nil
}

func (r *recorded) party(role string) string {
	parties, _ := r.record["parties"].(map[string]any)
	m, _ := parties[role].(map[string]any)
	s, _ := m["did"].(string)
	return s
}

// signed checks both signatures, and whose they are.
func (r *recorded) signed() error {
	offer, err := r.signature("final_offer", "protocol_act_signature", r.in("final_offer", "protocol_act_hash"))
	if err != nil {
		return fmt.Errorf("of the offer: %w", err)
	}
	acceptance, err := r.signature("final_acceptance", "acceptance_signature", "")
	if err != nil {
		return fmt.Errorf("of the acceptance: %w", err)
	}
	if offer.thumb == acceptance.thumb {
		return errors.New("one key signed both the offer and the acceptance")
	}
	a, mine := r.whoseIs(offer, r.in("final_offer", "sender_did"))
	b, too := r.whoseIs(acceptance, r.in("final_acceptance", "sender_did"))
	r.mine = mine && too
	r.detail = fmt.Sprintf("the offer is signed by %s, the acceptance by %s", a, b)
	return nil
}

// signature checks that a hash was signed; an empty hash is not compared.
func (r *recorded) signature(message, field, hash string) (publicKey, error) {
	t, err := parseToken(r.in(message, field))
	if err != nil {
		return publicKey{}, err
	}
	// The reference implementation wraps the hash, and the specification does not.
	said, wrapped := t.claims["payload"].(string)
	if !wrapped {
		said = string(bytes.TrimSpace(t.payload))
	}
	if hash != "" && said != hash {
		return publicKey{}, errors.New("another hash was signed")
	}
	did := r.in(message, "sender_did")
	key, err := r.find(t, r.with, did)
	if err != nil {
		return key, err
	}
	if one, err := decodeDID(did); err == nil && one.thumb != key.thumb {
		return key, errors.New("it is not by the key of its sender")
	}
	return key, nil
}

// whoseIs says whose the key of a sender is. A key that the task names is the sender's only if it
// has the sender's name there.
func (r *recorded) whoseIs(key publicKey, did string) (string, bool) {
	who, mine := r.whose(key, did)
	_, err := decodeDID(did)
	eth := key.ethereum()
	named := err == nil || eth != "" && strings.HasPrefix(did, "did:pkh:eip155:") && strings.HasSuffix(strings.ToLower(did), ":"+eth)
	for _, one := range r.keys { // those of the exhibit have the names that a party gave them
		name, _, _ := strings.Cut(one.name, "#")
		named = named || one.thumb == key.thumb && name == did
	}
	if !named {
		return who + ", which does not have the sender's name in the task", false
	}
	return who, mine
}

// agreed checks that the terms of the record are those that were signed.
func (r *recorded) agreed() error {
	if r.offer == nil {
		r.detail += "; the offer itself is not here, so nobody can tell which terms were signed: hand in the record with the two messages"
		return nil
	}
	act := map[string]any{"protocol_version": "0.1"}
	for _, name := range []string{"session_id", "round_number", "sequence_number", "message_type", "sender_did", "timestamp", "expires_at", "terms"} {
		act[name] = r.offer[name]
	}
	if v, is := r.offer["protocol_version"].(string); is {
		act["protocol_version"] = v
	}
	hash, err := hashText(act)
	if err != nil || hash != r.in("final_offer", "protocol_act_hash") {
		return errors.New("the offer is not the one that was signed")
	}
	terms, err := canonical(r.offer["terms"])
	said, other := canonical(r.record["agreed_terms"])
	if err != nil || other != nil || !bytes.Equal(terms, said) {
		return errors.New("agreed_terms are not the terms of the offer that was signed")
	}
	if r.offer["session_id"] != r.record["session_id"] || r.offer["sender_did"] != r.in("final_offer", "sender_did") {
		return errors.New("the offer is of another session or party")
	}
	t, _ := r.offer["terms"].(map[string]any)
	total, is := whole(t["total_value"])
	currency, _ := t["currency"].(string)
	if !is || currency != r.record["currency"] {
		return errors.New("the terms have no whole total_value, or not the currency of the record")
	}
	r.detail += fmt.Sprintf("; the terms are those that were signed: %d of the smallest unit of %s", total, shown(currency, anyCurrency))
	return nil
}

// accepted checks that the acceptance is of this offer and session, and in time.
func (r *recorded) accepted() error {
	if r.acceptance == nil {
		r.detail += "; the acceptance itself is not here, so nobody can tell which offer was accepted when"
		return nil
	}
	act := map[string]any{}
	for _, name := range []string{"session_id", "round_number", "sequence_number", "accepted_offer_id", "accepted_protocol_act_hash"} {
		act[name] = r.acceptance[name]
	}
	hash, err := hashText(act)
	if err != nil {
		return errors.New("the acceptance has no canonical form")
	}
	if _, err := r.signature("final_acceptance", "acceptance_signature", hash); err != nil {
		return fmt.Errorf("of the acceptance: %w", err)
	}
	if r.acceptance["session_id"] != r.record["session_id"] || act["accepted_protocol_act_hash"] != r.in("final_offer", "protocol_act_hash") {
		return errors.New("the acceptance is of another session or offer")
	}
	if r.offer == nil {
		return nil
	}
	at, err := instant(r.acceptance["timestamp"])
	until, other := instant(r.offer["expires_at"])
	if err != nil || other != nil {
		return errors.New("the offer or the acceptance has no time as RFC 3339 spells it")
	}
	if at.After(until) {
		return fmt.Errorf("the offer expired at %s, and the acceptance says %s", when(until.Unix()), when(at.Unix()))
	}
	r.detail += "; it was accepted in time; the time of the acceptance is not signed"
	return nil
}

func instant(v any) (time.Time, error) {
	s, _ := v.(string)
	return time.Parse(time.RFC3339, s)
}

// hashText is the hash of the canonical form of a value, as A2CN writes it.
func hashText(v any) (string, error) {
	raw, err := canonical(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}
