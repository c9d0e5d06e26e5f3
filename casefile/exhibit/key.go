package exhibit

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	secpecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/mr-tron/base58"
	"golang.org/x/crypto/sha3"

	"ojud/casefile/canon"
	"ojud/voting"
)

// The algorithms of signatures that code checks. All others are refused, "none" and those with a
// secret that both sides know among them.
const (
	eddsa  = "EdDSA"
	es256  = "ES256"
	es256k = "ES256K"
)

const (
	coordinate = 32   // bytes
	signature  = 64   // bytes of each of the three algorithms
	maxKeyID   = 1024 // bytes of a DID or of another name of a key
	maxKey     = 4096 // bytes of a JWK
)

var errKey = errors.New("it is no public key of Ed25519, P-256 or secp256k1")

// publicKey is a key of one of the three algorithms.
type publicKey struct {
	alg   string
	ed    voting.Key
	p256  *ecdsa.PublicKey
	secp  *secp256k1.PublicKey
	name  string   // the name that a JWK or a DID document gives it; may be empty
	thumb [32]byte // RFC 7638
}

// verifies reports whether a signature of a message is right.
func (k publicKey) verifies(message, sig []byte) bool {
	if len(sig) != signature {
		return false
	}
	hash := sha256.Sum256(message)
	switch k.alg {
	case eddsa:
		return voting.VerifyStrict(k.ed, message, voting.Signature(sig))
	case es256:
		return ecdsa.Verify(k.p256, hash[:], new(big.Int).SetBytes(sig[:coordinate]), new(big.Int).SetBytes(sig[coordinate:]))
	case es256k:
		var r, s secp256k1.ModNScalar
		if r.SetByteSlice(sig[:coordinate]) || s.SetByteSlice(sig[coordinate:]) || r.IsZero() || s.IsZero() {
			return false
		}
		return secpecdsa.NewSignature(&r, &s).Verify(hash[:], k.secp)
	}
	return false
}

// ethereum is the address of a key of secp256k1, in small letters; empty for others.
func (k publicKey) ethereum() string {
	if k.secp == nil {
		return ""
	}
	h := sha3.NewLegacyKeccak256()
	h.Write(k.secp.SerializeUncompressed()[1:])
	return fmt.Sprintf("0x%x", h.Sum(nil)[12:])
}

// decodeJWK reads a JSON Web Key. One with a private part is refused: whoever has read it can sign.
func decodeJWK(m map[string]any) (publicKey, error) {
	if _, private := m["d"]; private {
		return publicKey{}, errors.New("it has its private part, so that anybody can sign by it")
	}
	curve, _ := m["crv"].(string)
	x, err := coordinateOf(m, "x")
	if err != nil {
		return publicKey{}, err
	}
	var k publicKey
	switch {
	case m["kty"] == "OKP" && curve == "Ed25519":
		k = publicKey{alg: eddsa, ed: voting.Key(x)}
	case m["kty"] == "EC" && (curve == "P-256" || curve == "secp256k1"):
		y, err := coordinateOf(m, "y")
		if err != nil {
			return publicKey{}, err
		}
		if k, err = onCurve(curve, append(append([]byte{4}, x...), y...)); err != nil {
			return publicKey{}, err
		}
	default:
		return publicKey{}, errKey
	}
	if alg, is := m["alg"].(string); is && alg != k.alg || m["use"] != nil && m["use"] != "sig" {
		return publicKey{}, errors.New("it is a key for something else")
	}
	k.name, _ = m["kid"].(string)
	return k.named(), nil
}

// named returns the key with its thumbprint.
func (k publicKey) named() publicKey {
	text := func(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
	switch k.alg {
	case eddsa:
		k.thumb = sha256.Sum256(fmt.Appendf(nil, `{"crv":"Ed25519","kty":"OKP","x":"%s"}`, text(k.ed[:])))
	case es256:
		raw, err := k.p256.Bytes()
		if err != nil {
			return publicKey{} // the parser has made sure of the curve
		}
		k.thumb = sha256.Sum256(fmt.Appendf(nil, `{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}`, text(raw[1:1+coordinate]), text(raw[1+coordinate:])))
	case es256k:
		raw := k.secp.SerializeUncompressed()
		k.thumb = sha256.Sum256(fmt.Appendf(nil, `{"crv":"secp256k1","kty":"EC","x":"%s","y":"%s"}`, text(raw[1:1+coordinate]), text(raw[1+coordinate:])))
	}
	return k
}

func coordinateOf(m map[string]any, name string) ([]byte, error) {
	text, _ := m[name].(string)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != coordinate {
		return nil, errKey
	}
	return raw, nil
}

// onCurve reads a point, compressed or not.
func onCurve(curve string, point []byte) (publicKey, error) {
	if curve == "secp256k1" {
		k, err := secp256k1.ParsePubKey(point)
		if err != nil {
			return publicKey{}, errKey
		}
		return publicKey{alg: es256k, secp: k}, nil
	}
	if len(point) == 1+coordinate {
		x, y := elliptic.UnmarshalCompressed(elliptic.P256(), point)
		if x == nil {
			return publicKey{}, errKey
		}
		point = append([]byte{4}, append(x.FillBytes(make([]byte, coordinate)), y.FillBytes(make([]byte, coordinate))...)...)
	}
	k, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return publicKey{}, errKey
	}
	return publicKey{alg: es256, p256: k}, nil
}

// decodeDID reads the key that a DID is made of: did:key, did:jwk, or did:pkh of Solana. A fragment
// behind # is left out, because these have one key.
func decodeDID(did string) (publicKey, error) {
	if len(did) > maxKeyID {
		return publicKey{}, errKey
	}
	did, _, _ = strings.Cut(did, "#")
	if text, is := strings.CutPrefix(did, "did:jwk:"); is {
		raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
		if err != nil {
			return publicKey{}, errKey
		}
		m, err := decodeObject(raw, maxKey)
		if err != nil {
			return publicKey{}, errKey
		}
		return decodeJWK(m)
	}
	if text, is := strings.CutPrefix(did, "did:pkh:solana:"); is {
		raw, err := base58.Decode(text[strings.LastIndexByte(text, ':')+1:])
		if err != nil || len(raw) != coordinate {
			return publicKey{}, errKey
		}
		return publicKey{alg: eddsa, ed: voting.Key(raw)}.named(), nil
	}
	text, is := strings.CutPrefix(did, "did:key:z")
	raw, err := base58.Decode(text)
	if !is || err != nil || len(raw) < 3 {
		return publicKey{}, errKey
	}
	var k publicKey
	switch codec, point := [2]byte(raw[:2]), raw[2:]; {
	case codec == [2]byte{0xed, 0x01} && len(point) == coordinate:
		k = publicKey{alg: eddsa, ed: voting.Key(point)}
	case codec == [2]byte{0x80, 0x24} && len(point) == 1+coordinate:
		k, err = onCurve("P-256", point)
	case codec == [2]byte{0xe7, 0x01} && len(point) == 1+coordinate:
		k, err = onCurve("secp256k1", point)
	default:
		err = errKey
	}
	if err != nil {
		return publicKey{}, errKey
	}
	return k.named(), nil
}

// decodeObject reads a JSON object of at most so many bytes. A key that stands there twice is
// refused, because two readers may take another one of them.
func decodeObject(raw []byte, most int) (map[string]any, error) {
	canonical, err := canon.JSON(raw, most)
	if err != nil {
		return nil, err
	}
	var m map[string]any
	if err := json.Unmarshal(canonical, &m); err != nil || m == nil {
		return nil, errors.New("it is no JSON object")
	}
	return m, nil
}
