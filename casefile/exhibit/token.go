package exhibit

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// The limits of tokens.
const (
	maxToken  = 64 << 10 // bytes of a signed text
	maxHeader = 4 << 10
)

// token is a compact JWS: header, payload and signature in base64url, with dots between.
type token struct {
	alg, kid, typ string
	payload       []byte
	claims        map[string]any // the payload, if it is an object
	signed        []byte         // header and payload as they were signed
	sig           []byte
}

// id names what was signed. ECDSA has two signatures of one text, so the signature is no part of
// it.
func (t token) id() [32]byte { return sha256.Sum256(t.signed) }

// looksSigned reports whether a text has the form of a compact JWS.
func looksSigned(text string) bool {
	return len(text) <= maxToken && strings.HasPrefix(text, "ey") && strings.Count(text, ".") == 2
}

// parseToken reads a compact JWS. Nothing is checked yet.
func parseToken(text string) (token, error) {
	var t token
	parts := strings.Split(text, ".")
	if len(text) > maxToken || len(parts) != 3 {
		return t, fmt.Errorf("it is no signed text of three parts and at most %d bytes", maxToken)
	}
	var raw [3][]byte
	for i, part := range parts {
		var err error
		if raw[i], err = base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			return t, errors.New("a part of it is not base64url without padding")
		}
	}
	header, err := decodeObject(raw[0], maxHeader)
	if err != nil {
		return t, errors.New("its header is no JSON object, or has a key twice")
	}
	t.alg, _ = header["alg"].(string)
	t.kid, _ = header["kid"].(string)
	t.typ, _ = header["typ"].(string)
	_, critical := header["crit"]
	_, zipped := header["zip"]
	switch {
	case t.alg != eddsa && t.alg != es256 && t.alg != es256k:
		return t, errors.New("its algorithm is none of EdDSA, ES256 and ES256K")
	case critical || zipped || header["b64"] != nil:
		return t, errors.New("its header demands something that code does not know")
	case len(t.kid) > maxKeyID:
		return t, fmt.Errorf("the name of its key has more than %d bytes", maxKeyID)
	}
	t.payload, t.sig, t.signed = raw[1], raw[2], []byte(text[:strings.LastIndexByte(text, '.')])
	if bytes.HasPrefix(bytes.TrimSpace(t.payload), []byte("{")) {
		if t.claims, err = decodeObject(t.payload, maxToken); err != nil {
			return t, errors.New("its payload is JSON that has no canonical form, or has a key twice")
		}
	}
	return t, nil
}

// by reports whether the key signed the token. The algorithm is that of the key, whatever the
// header says.
func (t token) by(k publicKey) bool { return t.alg == k.alg && k.verifies(t.signed, t.sig) }
