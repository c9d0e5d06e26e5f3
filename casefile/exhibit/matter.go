package exhibit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/voting"
)

// Matter is the case with which an exhibit is compared. Everything but Task may be zero.
type Matter struct {
	Network         casefile.Digest // zero: receipts are of any court
	Program         casefile.Address
	Case            casefile.Address
	Creator, Worker casefile.Address
	Claimed         int64  // Unix seconds
	Task            []byte // the document, which both parties accepted; canonical JSON
}

// The limits of what is taken from a task.
const (
	maxKeys   = 16
	minName   = 8       // bytes: a shorter name stands in a text by chance
	maxName   = 2 << 10 // bytes: a longer one is no name
	maxSearch = 1 << 20 // bytes of all texts of a task
)

// known is what a task says of keys and names.
type known struct {
	Matter
	keys   []publicKey                 // in the order of the document
	texts  string                      // with a line feed between
	offers map[string]map[string]int64 // until when those of x402 are good: by key and resource, by network
}

// read looks for keys and texts in the task.
func (m Matter) read() *known {
	k := &known{Matter: m, offers: map[string]map[string]int64{}}
	task, err := decodeObject(m.Task, casefile.MaxDocument)
	if err != nil {
		return k
	}
	var texts strings.Builder
	k.keys = keysIn(task)
	each(task, func(v any) {
		if s, is := v.(string); is && texts.Len()+len(s) < maxSearch {
			texts.WriteString(s + "\n")
		}
	})
	k.texts = texts.String()
	return k
}

// each visits a value and all inside of it, members in the order of their names. The depth is that
// of canonical JSON at most.
func each(v any, visit func(any)) {
	visit(v)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(mapKeys(v)) {
			each(v[name], visit)
		}
	case []any:
		for _, item := range v {
			each(item, visit)
		}
	}
}

func mapKeys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range m {
			if !yield(name) {
				return
			}
		}
	}
}

// keysIn are the first keys in a value: JSON Web Keys, and those of DID documents by their ids.
func keysIn(v any) (out []publicKey) {
	inside := map[string]string{} // thumbprints of keys that a DID document names
	each(v, func(v any) {
		m, is := v.(map[string]any)
		if !is || len(out) == maxKeys {
			return
		}
		if jwk, is := m["publicKeyJwk"].(map[string]any); is {
			id, _ := m["id"].(string)
			if k, err := decodeJWK(jwk); err == nil {
				inside[string(k.thumb[:])] = id
			}
		}
		if _, is := m["kty"]; !is {
			return
		}
		if k, err := decodeJWK(m); err == nil {
			if id := inside[string(k.thumb[:])]; id != "" {
				k.name = id
			}
			out = append(out, k)
		}
	})
	return out
}

// names reports whether the task has a name in a text of its own, not as a part of a longer word.
func (k *known) names(name string) bool {
	if len(name) < minName || len(name) > maxName || strings.Contains(name, "\n") {
		return false
	}
	for at, rest := 0, k.texts; ; {
		i := strings.Index(rest[at:], name)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(name)
		if (i == 0 || !wordy(rest[i-1])) && (end == len(rest) || !wordy(rest[end]) && !continues(rest[end:])) {
			return true
		}
		at = i + 1
	}
}

// continues reports whether a full stop goes on with a name, as in data.json.
func continues(rest string) bool { return len(rest) > 1 && rest[0] == '.' && wordy(rest[1]) }

// wordy reports whether a byte continues a name or an address of a page.
func wordy(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= 0x80 || strings.IndexByte("-_/%+=&#?", b) >= 0
}

// find returns the key that signed a token. hint are names that may be DIDs, if the token's own
// name of its key is none that code can read; with are keys beside those of the task.
func (k *known) find(t token, with []publicKey, hint ...string) (publicKey, error) {
	tried := false
	for _, did := range append([]string{t.kid}, hint...) {
		one, err := decodeDID(did)
		if err != nil {
			continue
		}
		if t.by(one) {
			return one, nil
		}
		if did == t.kid {
			return one, errSignature
		}
		tried = true
	}
	for _, one := range slices.Concat(k.keys, with) {
		if t.by(one) {
			return one, nil
		}
		// A key of another name may be somebody else's, so its failure says nothing.
		tried = tried || t.kid != "" && one.name == t.kid
	}
	if tried {
		return publicKey{}, errSignature
	}
	return publicKey{}, errNoKey
}

// whose says whose a key is, and whether the task or the chain vouches for it.
func (k *known) whose(key publicKey, names ...string) (string, bool) {
	if key.alg == eddsa {
		switch did := casefile.DID(key.ed); {
		case key.ed == voting.Key(k.Creator) && key.ed != voting.Key{}:
			return "the creator's key", true
		case key.ed == voting.Key(k.Worker) && key.ed != voting.Key{}:
			return "the worker's key", true
		case k.names(did.String()), k.names(casefile.Address(key.ed).String()):
			return "a key that the task names", true
		}
	}
	if slices.ContainsFunc(k.keys, func(one publicKey) bool { return one.thumb == key.thumb }) {
		return "a key that the task names", true
	}
	if eth := key.ethereum(); eth != "" && strings.Contains(strings.ToLower(k.texts), eth) {
		return "a key that the task names", true
	}
	for _, name := range names {
		name, _, _ = strings.Cut(name, "#")
		if one, err := decodeDID(name); err == nil && one.thumb == key.thumb && k.names(name) {
			return "a key that the task names", true
		}
	}
	return fmt.Sprintf("a key that neither the task nor the chain knows (thumbprint %x…)", key.thumb[:6]), false
}

// about reports whether a signed value is about this case: it has the address of the case or the
// hash of the task's document, or the task has one of the names.
func (k *known) about(v any, names ...string) bool {
	if slices.ContainsFunc(names, k.names) {
		return true
	}
	about, address := false, k.Case.String()
	hash := casefile.Digest(casefile.HashOf(k.Task)).String()
	each(v, func(v any) {
		if s, is := v.(string); is {
			about = about || s == hash || k.Case != (casefile.Address{}) && s == address
		}
	})
	return about
}

// canonical is the canonical form of a value that was read from JSON.
func canonical(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return canon.JSON(raw, casefile.MaxDocument)
}
