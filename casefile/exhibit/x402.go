package exhibit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	secpecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"

	"ojud/casefile"
	"ojud/voting"
)

// The kinds of what servers of x402 sign.
const (
	x402Offer   = "x402 offer"
	x402Receipt = "x402 receipt"
)

// artifact is an offer or a receipt of the x402 extension "offer-receipt", signature apart.
type artifact struct {
	kind   string
	fields map[string]any
	id     [32]byte
	key    publicKey
}

// isArtifact reports whether an object has the form that offers and receipts share.
func (k *known) isArtifact(m map[string]any) bool {
	_, signed := m["signature"].(string)
	return signed && (m["format"] == "jws" || m["format"] == "eip712")
}

// token reads a bare compact JWS.
func (k *known) token(text string) []Found {
	t, err := parseToken(text)
	if err != nil || t.claims["resourceUrl"] == nil {
		return nil // some other token
	}
	return []Found{k.artifact(map[string]any{"format": "jws", "signature": text})}
}

// artifact checks an offer or a receipt.
func (k *known) artifact(m map[string]any) Found {
	var a artifact
	var err error
	text, _ := m["signature"].(string)
	if m["format"] == "jws" {
		a, err = k.jws(m, text)
	} else {
		a, err = eip712(m, text)
	}
	if a.kind == "" {
		a.kind = "x402 text"
	}
	if err == nil {
		err = a.check()
	}
	if err != nil {
		return wrong(a.kind, a.id, err)
	}
	who, mine := k.whose(a.key)
	url := a.text("resourceUrl")
	detail := fmt.Sprintf("signed by %s", who)
	if a.payee() {
		detail += ", which is the key of the address that is to be paid"
	}
	if a.key.alg == eddsa && a.key.ed != (voting.Key{}) && (a.key.ed == voting.Key(k.Creator) || a.key.ed == voting.Key(k.Worker)) {
		mine = false
		detail += ", who is a party of this case, so that it says what this party says"
	}
	named := k.names(url)
	about := k.about(a.fields, url, a.text("transaction"))
	if a.kind == x402Offer {
		detail += fmt.Sprintf("; it offers a resource for %s of the smallest unit of %s, to %s", shown(a.text("amount"), digitsOnly), a.asset(), address(a.text("payTo")))
		if until, is := whole(a.fields["validUntil"]); is && until > 0 {
			offer := string(a.key.thumb[:]) + url
			if k.offers[offer] == nil {
				k.offers[offer] = map[string]int64{}
			}
			k.offers[offer][a.text("network")] = until
			detail += "; good until " + when(until)
			if k.Claimed > until {
				detail += ", which was before the task was claimed"
			}
		}
	} else {
		at, _ := whole(a.fields["issuedAt"])
		detail += fmt.Sprintf("; it says that a resource was paid by %s and served; %s", address(a.text("payer")), k.asIssued(at))
		beside := k.offers[string(a.key.thumb[:])+url]
		until, same := beside[a.text("network")]
		if same && at > until {
			detail += fmt.Sprintf(", %d s after the offer beside it expired", at-until)
		}
		if len(beside) > 0 && !same {
			mine = false
			detail += "; the offer beside it is for another network, so that other money may have been paid"
		}
		if a.by(a.text("payer")) {
			mine = false
			detail += "; the key that signed it is that of who paid, so that it says what the payer says"
		}
		if tx := a.text("transaction"); tx != "" {
			detail += "; its transaction is " + address(tx)
		}
		detail += "; the network is " + shown(a.text("network"), evmNetwork)
		if about && at < k.Claimed && !k.about(a.fields) { // the same resource, at another time
			about = false
		}
	}
	f := say(a.kind, a.id, mine, about, detail+"; the address of the resource "+stands(named))
	if a.kind == x402Receipt {
		if about && !k.about(a.fields) {
			f.warn("it does not name this task, so it can be shown in each task that names the resource")
		}
		f.warn("a receipt names no amount")
	}
	return f
}

// jws reads an artifact that is a compact JWS.
func (k *known) jws(m map[string]any, text string) (artifact, error) {
	if m["payload"] != nil {
		return artifact{}, errors.New("it has a payload beside the signed one, and nobody knows which of them counts")
	}
	t, err := parseToken(text)
	if err != nil {
		return artifact{}, err
	}
	a := artifact{fields: t.claims, id: t.id()}
	a.kind = kindOf(t.claims)
	if t.kid == "" {
		return a, errors.New("its header does not name the key")
	}
	a.key, err = k.find(t, nil, payeeOf(t.claims))
	return a, err
}

// payeeOf is the name of the key of an address on Solana that is to be paid.
func payeeOf(fields map[string]any) string {
	network, _ := fields["network"].(string)
	to, _ := fields["payTo"].(string)
	if !strings.HasPrefix(network, "solana:") {
		return ""
	}
	return "did:pkh:" + network + ":" + to
}

// kindOf tells offers and receipts apart by what only one of them has.
func kindOf(fields map[string]any) string {
	_, payer := fields["payer"]
	_, amount := fields["amount"]
	switch {
	case payer && !amount:
		return x402Receipt
	case amount && !payer:
		return x402Offer
	}
	return ""
}

// by reports whether the key that signed is that of an address.
func (a artifact) by(address string) bool {
	if eth := a.key.ethereum(); eth != "" {
		return strings.EqualFold(address, eth)
	}
	return a.key.alg == eddsa && address == casefile.Address(a.key.ed).String()
}

// evmNetwork is the only form of a network that is repeated: the names of others may be words.
var evmNetwork = regexp.MustCompile(`^eip155:[0-9]{1,10}$`)

// networks is a network as CAIP-2 spells it.
var networks = regexp.MustCompile(`^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$`)

// check checks the form of the fields.
func (a artifact) check() error {
	texts := map[string][]string{x402Offer: {"resourceUrl", "scheme", "network", "asset", "payTo", "amount"}, x402Receipt: {"resourceUrl", "network", "payer"}}[a.kind]
	if texts == nil {
		return errors.New("it is neither an offer, which has an amount, nor a receipt, which has a payer")
	}
	for _, name := range texts {
		if a.text(name) == "" {
			return fmt.Errorf("the text %s is missing", name)
		}
	}
	if !networks.MatchString(a.text("network")) {
		return errors.New("its network is not spelled as CAIP-2 demands")
	}
	if at, is := whole(a.fields["issuedAt"]); a.kind == x402Receipt && (!is || at <= 0) || at < 0 {
		return errors.New("issuedAt is no time in whole seconds")
	}
	if a.kind == x402Offer && !digitsOnly.MatchString(a.text("amount")) {
		return errors.New("its amount is no number in digits")
	}
	return nil
}

func (a artifact) text(name string) string {
	s, _ := a.fields[name].(string)
	return s
}

func (a artifact) asset() string {
	if a.text("asset") == "native" {
		return "the network's own money"
	}
	return address(a.text("asset"))
}

// payee reports whether the key that signed is that of the address which is to be paid.
func (a artifact) payee() bool {
	to := a.text("payTo")
	if one, err := decodeDID(payeeOf(a.fields)); err == nil {
		return one.thumb == a.key.thumb
	}
	return to != "" && strings.EqualFold(to, a.key.ethereum())
}

// member is a field of a type of EIP-712: a text or a number.
type member struct{ kind, name string }

// typeOf are the types of version 1 of the extension.
func typeOf(kind string) (domain, primary string, members []member) {
	if kind == x402Offer {
		return "x402 offer", "Offer", []member{{"uint256", "version"}, {"string", "resourceUrl"}, {"string", "scheme"}, {"string", "network"}, {"string", "asset"},
			{"string", "payTo"}, {"string", "amount"}, {"uint256", "validUntil"}}
	}
	return "x402 receipt", "Receipt", []member{{"uint256", "version"}, {"string", "network"}, {"string", "resourceUrl"}, {"string", "payer"}, {"uint256", "issuedAt"},
		{"string", "transaction"}}
}

// offset is what signatures of Ethereum add to the parity of a point.
const offset = 27

// eip712 reads an artifact that a key of Ethereum signed, and finds out which.
func eip712(m map[string]any, text string) (artifact, error) {
	fields, _ := m["payload"].(map[string]any)
	a := artifact{fields: fields, kind: kindOf(fields)}
	sig, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	version, _ := whole(fields["version"])
	switch {
	case a.kind == "":
		return a, nil // check says what is missing
	case err != nil || len(sig) != signature+1 || !strings.HasPrefix(text, "0x"):
		return a, errors.New("its signature does not have 65 bytes in hexadecimal digits behind 0x")
	case version != 1:
		return a, errors.New("its version is not 1")
	}
	domain, primary, members := typeOf(a.kind)
	separator := keccak(keccak([]byte("EIP712Domain(string name,string version,uint256 chainId)")), keccak([]byte(domain)), keccak([]byte("1")), word(big.NewInt(1)))
	for name := range fields {
		if !slices.ContainsFunc(members, func(f member) bool { return f.name == name }) {
			return a, errors.New("it has a field that the signature does not cover")
		}
	}
	spelled, parts := make([]string, len(members)), [][]byte{nil}
	for i, f := range members {
		spelled[i] = f.kind + " " + f.name
		part, err := encoded(f, fields[f.name])
		if err != nil {
			return a, err
		}
		parts = append(parts, part)
	}
	parts[0] = keccak([]byte(primary + "(" + strings.Join(spelled, ",") + ")"))
	digest := keccak([]byte{0x19, 0x01}, separator, keccak(parts...))
	a.id = sha256.Sum256(digest)
	parity := sig[signature]
	if parity >= offset {
		parity -= offset
	}
	key, _, err := secpecdsa.RecoverCompact(append([]byte{offset + parity&1}, sig[:signature]...), digest)
	if err != nil || parity > 1 {
		return a, errSignature
	}
	a.key = publicKey{alg: es256k, secp: key}.named()
	return a, nil
}

// encoded is a field as EIP-712 hashes it. An optional one that is missing is 0 or empty.
func encoded(f member, v any) ([]byte, error) {
	if f.kind == "uint256" {
		n, is := whole(v)
		if v != nil && (!is || n < 0) {
			return nil, fmt.Errorf("%s is no whole number", f.name)
		}
		return word(big.NewInt(n)), nil
	}
	text, is := v.(string)
	if v != nil && !is {
		return nil, fmt.Errorf("%s is no text", f.name)
	}
	return keccak([]byte(text)), nil
}

func word(n *big.Int) []byte { return n.FillBytes(make([]byte, 32)) }

func keccak(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}
