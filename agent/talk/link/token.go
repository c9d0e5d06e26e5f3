package link

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"ojud/agent/delegation"
	"ojud/datasource/anex"
)

const (
	// tokenTime is how long a token holds. It is used once, at the beginning.
	tokenTime = 2 * time.Minute
	leeway    = 30 * time.Second
	maxToken  = 8 << 10
)

// badToken is said to a peer whose token is refused, in the words of the protocol's document.
const badToken = "Invalid authentication token."

// opening are the frames before a conversation: the server's challenge, the client's token and its
// challenge, the server's token.
type opening struct {
	ANEX      string `json:"anex"` // hello, token or error
	Agent     string `json:"agent,omitempty"`
	Challenge string `json:"challenge,omitempty"`
	Token     string `json:"token,omitempty"`
	Error     string `json:"error,omitempty"`
}

// readOpening reads such a frame.
func readOpening(raw []byte, kind string) (o opening, err error) {
	if len(raw) > maxToken {
		return o, fmt.Errorf("the frame %q has %d bytes; at most %d", kind, len(raw), maxToken)
	}
	// The names are exact, each is there once, and each value is a text, as in the other languages.
	spelled, err := anex.Spell(raw, maxToken)
	var all map[string]string
	if err == nil {
		err = json.Unmarshal(spelled, &all)
	}
	if err != nil {
		return o, fmt.Errorf("the frame %q was expected: %w", kind, err)
	}
	o = opening{ANEX: all["anex"], Agent: all["agent"], Challenge: all["challenge"], Token: all["token"], Error: all["error"]}
	if o.ANEX == "error" {
		return o, fmt.Errorf("the peer refused: %.200q", o.Error)
	}
	if o.ANEX != kind {
		return o, fmt.Errorf("the frame %q was expected, and %.20q came", kind, o.ANEX)
	}
	return o, nil
}

// claims of a token: who (iss) shows it to whom (aud), for how long, in which session.
type claims struct {
	jwt.RegisteredClaims
	Session string `json:"sid"` // the challenge of the one to whom it is shown
	// Certificate is the SHA-256 of the server's certificate that a client saw, in hex. With it a
	// token is of no use to somebody between client and server. Browsers cannot see it.
	Certificate string `json:"crt,omitempty"`
}

// UnmarshalJSON reads claims by exact names. encoding/json alone would take "EXP" for "exp".
func (c *claims) UnmarshalJSON(raw []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	for name := range all {
		if lower := strings.ToLower(name); lower != name && slices.Contains([]string{"iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "crt"}, lower) {
			return fmt.Errorf("the claim %.20q is not spelled %q", name, lower)
		}
	}
	type plain claims
	return json.Unmarshal(raw, (*plain)(c))
}

// stdSigner is an agent's key as the standard library and the tokens sign.
type stdSigner struct{ delegation.Signer }

// Public implements crypto.Signer.
func (s stdSigner) Public() crypto.PublicKey {
	p := s.Principal()
	return ed25519.PublicKey(p[:])
}

// Sign implements crypto.Signer.
func (s stdSigner) Sign(_ io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	if opts.HashFunc() != 0 {
		return nil, errors.New("an Ed25519 key signs messages, not hashes")
	}
	raw := s.Signer.Sign(message)
	return raw[:], nil
}

// issue makes a token of the agent for another.
func issue(key delegation.Signer, to, session, certificate string, now time.Time) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: key.Principal().String(), Audience: jwt.ClaimStrings{to}, ID: rand.Text(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(tokenTime)),
		},
		Session: session, Certificate: certificate,
	}).SignedString(stdSigner{key})
}

// readToken checks a token that was shown to an agent in a session, and returns who showed it.
func readToken(text string, self delegation.Principal, session string, now time.Time) (who delegation.Principal, c claims, err error) {
	if len(text) > maxToken {
		return who, c, fmt.Errorf("a token of %d bytes", len(text))
	}
	_, err = jwt.ParseWithClaims(text, &c, func(*jwt.Token) (any, error) {
		if who, err = delegation.ParsePrincipal(c.Issuer); err != nil {
			return nil, err
		}
		return ed25519.PublicKey(who[:]), nil
	}, jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithAudience(self.String()), jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(func() time.Time { return now }))
	switch {
	case err != nil:
		return who, c, err
	case c.Session != session || session == "":
		return who, c, errors.New("the token is of another session")
	case c.IssuedAt == nil || c.ExpiresAt.Sub(c.IssuedAt.Time) > 2*tokenTime:
		return who, c, errors.New("the token holds too long")
	}
	return who, c, nil
}
