package exhibit

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile/canon"
)

// The limits of an SD-JWT.
const (
	maxHops        = 8  // tokens of a chain of delegation
	maxDisclosures = 64 // of each token
	maxNested      = 8  // disclosures inside of each other
)

// hop is a token of a chain, with what it discloses.
type hop struct {
	token
	whole     string         // without a proof of possession
	proof     string         // a compact JWS; may be empty
	disclosed map[string]any // the payload, with what was disclosed in its place
	withheld  int            // parts of the payload that are not disclosed, if they stand for something
	hash      func(string) string
}

var errDisclosure = errors.New("a disclosure is malformed, is disclosed twice, or is none of this token")

// parseChain reads an SD-JWT, or several that "~~" joins.
func parseChain(text string) (out []hop, err error) {
	parts := strings.Split(text, "~~")
	if len(text) > maxExhibit || len(parts) > maxHops {
		return nil, fmt.Errorf("it has more than %d bytes or %d tokens", maxExhibit, maxHops)
	}
	for i, part := range parts {
		if i < len(parts)-1 {
			part += "~" // the chain leaves it out
		}
		h, err := parseHop(part)
		if err != nil {
			return out, err
		}
		out = append(out, h)
	}
	return out, nil
}

// parseHop reads one SD-JWT: a token, its disclosures, and a proof of possession if the text does
// not end with a tilde.
func parseHop(text string) (h hop, err error) {
	parts := strings.Split(text, "~")
	if len(parts) < 2 || len(parts) > maxDisclosures+2 {
		return h, fmt.Errorf("an SD-JWT has a token and at most %d disclosures", maxDisclosures)
	}
	if h.token, err = parseToken(parts[0]); err != nil {
		return h, err
	}
	if h.claims == nil {
		return h, errors.New("its payload is no object")
	}
	h.proof = parts[len(parts)-1]
	h.whole = strings.TrimSuffix(text, h.proof)
	alg, named := h.claims["_sd_alg"].(string)
	if h.claims["_sd_alg"] != nil && !named {
		return h, errDisclosure
	}
	if h.hash = hashOf(alg); h.hash == nil {
		return h, errors.New("_sd_alg is none of sha-256, sha-384 and sha-512")
	}
	u := unfolding{by: map[string][]any{}, hash: h.hash}
	for _, d := range parts[1 : len(parts)-1] {
		if err := u.add(d); err != nil {
			return h, err
		}
	}
	v, err := u.value(h.claims, 0)
	if err != nil {
		return h, err
	}
	if len(u.used) != len(u.by) {
		return h, errDisclosure
	}
	h.withheld = u.withheld
	h.disclosed, _ = v.(map[string]any)
	delete(h.disclosed, "_sd_alg")
	return h, nil
}

// hashOf is the hash of disclosures that a token names, in base64url.
func hashOf(alg string) func(string) string {
	text := base64.RawURLEncoding.EncodeToString
	switch alg {
	case "", "sha-256":
		return func(s string) string { sum := sha256.Sum256([]byte(s)); return text(sum[:]) }
	case "sha-384":
		return func(s string) string { sum := sha512.Sum384([]byte(s)); return text(sum[:]) }
	case "sha-512":
		return func(s string) string { sum := sha512.Sum512([]byte(s)); return text(sum[:]) }
	}
	return nil
}

// unfolding puts disclosures where their hashes stand.
type unfolding struct {
	by       map[string][]any // disclosures by their hashes: salt, name if any, value
	used     []string
	withheld int
	hash     func(string) string
}

func (u *unfolding) add(text string) error {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return errDisclosure
	}
	plain, err := canon.JSON(raw, maxToken)
	if err != nil {
		return errDisclosure
	}
	var d []any
	if json.Unmarshal(plain, &d) != nil || len(d) < 2 || len(d) > 3 || u.by[u.hash(text)] != nil {
		return errDisclosure
	}
	if _, salted := d[0].(string); !salted {
		return errDisclosure
	}
	if name, is := d[1].(string); len(d) == 3 && (!is || name == "_sd" || name == "...") {
		return errDisclosure
	}
	u.by[u.hash(text)] = d
	return nil
}

// take returns the disclosure of a hash, once.
func (u *unfolding) take(hash any, members int) ([]any, error) {
	text, is := hash.(string)
	if !is || slices.Contains(u.used, text) {
		return nil, errDisclosure
	}
	d := u.by[text]
	if d == nil {
		u.withheld++
	} else {
		if len(d) != members {
			return nil, errDisclosure
		}
		u.used = append(u.used, text)
	}
	return d, nil
}

// value returns a value with all that is disclosed in it.
func (u *unfolding) value(v any, deep int) (any, error) {
	if deep > maxNested {
		return nil, fmt.Errorf("more than %d disclosures are inside of each other", maxNested)
	}
	switch v := v.(type) {
	case map[string]any:
		return u.object(v, deep)
	case []any:
		out := []any{}
		for _, item := range v {
			one, under := item.(map[string]any)
			hash, folded := one["..."]
			if !under || !folded {
				inner, err := u.value(item, deep)
				if err != nil {
					return nil, err
				}
				out = append(out, inner)
				continue
			}
			d, err := u.take(hash, 2)
			if err != nil || len(one) != 1 {
				return nil, errDisclosure
			}
			if d != nil {
				inner, err := u.value(d[1], deep+1)
				if err != nil {
					return nil, err
				}
				out = append(out, inner)
			}
		}
		return out, nil
	}
	return v, nil
}

func (u *unfolding) object(m map[string]any, deep int) (any, error) {
	out := map[string]any{}
	for _, name := range slices.Sorted(mapKeys(m)) {
		if name == "_sd" {
			continue
		}
		inner, err := u.value(m[name], deep)
		if err != nil {
			return nil, err
		}
		out[name] = inner
	}
	hashes, is := m["_sd"].([]any)
	if m["_sd"] != nil && !is {
		return nil, errDisclosure
	}
	for _, hash := range hashes {
		d, err := u.take(hash, 3)
		if err != nil {
			return nil, err
		}
		if d == nil {
			continue // it is not disclosed, or stands for nothing
		}
		name, _ := d[1].(string)
		if _, there := out[name]; there {
			return nil, errDisclosure
		}
		if out[name], err = u.value(d[2], deep+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mandates are what a token says, at the place where AP2 puts it.
func (h hop) mandates() (out []map[string]any) {
	if list, is := h.disclosed["delegate_payload"].([]any); is {
		for _, item := range list {
			if m, is := item.(map[string]any); is {
				out = append(out, m)
			}
		}
		return out
	}
	return []map[string]any{h.disclosed}
}

// holder is the key to which a token is bound, if it is to one.
func (h hop) holder() (publicKey, bool, error) {
	for _, m := range append(h.mandates(), h.disclosed) {
		cnf, is := m["cnf"].(map[string]any)
		if !is {
			continue
		}
		jwk, is := cnf["jwk"].(map[string]any)
		if !is {
			return publicKey{}, true, errors.New("a token is bound to a key that is no JSON Web Key")
		}
		k, err := decodeJWK(jwk)
		return k, true, err
	}
	return publicKey{}, false, nil
}

// bound checks that a hop was signed by the holder of the one before, about that one.
func (h hop) bound(before hop) error {
	key, is, err := before.holder()
	if err != nil {
		return err
	}
	if !is || !h.by(key) {
		return errors.New("a token of the chain is not signed by the key to which the one before is bound")
	}
	whole, a := h.claims["sd_hash"]
	issued, b := h.claims["issuer_jwt_hash"]
	switch {
	case a == b:
		return errors.New("a token of the chain does not have exactly one hash of the one before")
	case a && whole != before.hash(before.whole), b && issued != before.hash(strings.SplitN(before.whole, "~", 2)[0]):
		return errors.New("a token of the chain has the hash of another one")
	}
	return nil
}

// possessed checks a proof of possession.
func (h hop) possessed() (*token, error) {
	if h.proof == "" {
		return nil, nil
	}
	t, err := parseToken(h.proof)
	if err != nil {
		return nil, err
	}
	key, is, err := h.holder()
	if err != nil {
		return nil, err
	}
	switch {
	case !is || !t.by(key):
		return nil, errors.New("the proof of possession is not signed by the key to which the token is bound")
	case !bytes.EqualFold([]byte(t.typ), []byte("kb+jwt")) || t.claims["sd_hash"] != h.hash(h.whole):
		return nil, errors.New("the proof of possession is for another token, or for other disclosures")
	}
	return &t, nil
}
