package link

import (
	"context"
	"crypto/tls"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"

	"ojud/agent/delegation"
)

// HostileTokens makes tokens by which a should not get in, and a right one. c is somebody else.
func HostileTokens(a, c delegation.Signer, to string) map[string]func(challenge string) string {
	now := time.Now()
	token := func(key delegation.Signer, to, session, certificate string, at time.Time) string {
		text, err := issue(key, to, session, certificate, at)
		if err != nil {
			return err.Error()
		}
		return text
	}
	return map[string]func(string) string{
		"right":          func(s string) string { return token(a, to, s, "", now) },
		"old":            func(s string) string { return token(a, to, s, "", now.Add(-time.Hour)) },
		"of the future":  func(s string) string { return token(a, to, s, "", now.Add(time.Hour)) },
		"other session":  func(string) string { return token(a, to, "x", "", now) },
		"other audience": func(s string) string { return token(a, c.Principal().String(), s, "", now) },
		"somebody between": func(s string) string {
			return token(a, to, s, strings.Repeat("00", 32), now)
		},
		"signed by another": func(s string) string {
			whole := strings.Split(token(a, to, s, "", now), ".")
			other := strings.Split(token(c, to, s, "", now), ".")
			return whole[0] + "." + whole[1] + "." + other[2]
		},
		"not signed": func(s string) string {
			text, err := jwt.NewWithClaims(jwt.SigningMethodNone, claims{RegisteredClaims: jwt.RegisteredClaims{
				Issuer: a.Principal().String(), Audience: jwt.ClaimStrings{to}, ExpiresAt: jwt.NewNumericDate(now.Add(tokenTime)), IssuedAt: jwt.NewNumericDate(now),
			}, Session: s}).SignedString(jwt.UnsafeAllowNoneSignatureType)
			if err != nil {
				return err.Error()
			}
			return text
		},
		"claims in other letters": func(s string) string {
			now := now.Unix()
			text, err := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.MapClaims{
				"iss": a.Principal().String(), "aud": to, "iat": now, "EXP": now + 60, "SID": s,
			}).SignedString(stdSigner{a})
			if err != nil {
				return err.Error()
			}
			return text
		},
		"by a secret": func(s string) string {
			p := a.Principal()
			text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{RegisteredClaims: jwt.RegisteredClaims{
				Issuer: p.String(), Audience: jwt.ClaimStrings{to}, ExpiresAt: jwt.NewNumericDate(now.Add(tokenTime)), IssuedAt: jwt.NewNumericDate(now),
			}, Session: s}).SignedString(p[:])
			if err != nil {
				return err.Error()
			}
			return text
		},
		"for ever": func(s string) string {
			text, err := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims{RegisteredClaims: jwt.RegisteredClaims{
				Issuer: a.Principal().String(), Audience: jwt.ClaimStrings{to}, ExpiresAt: jwt.NewNumericDate(now.Add(24 * time.Hour)), IssuedAt: jwt.NewNumericDate(now),
			}, Session: s}).SignedString(stdSigner{a})
			if err != nil {
				return err.Error()
			}
			return text
		},
		"nothing":  func(string) string { return "" },
		"no token": func(string) string { return "a.b.c" },
	}
}

// DialOptions are those of a client that looks at no certificate.
func DialOptions(subprotocols ...string) *websocket.DialOptions {
	return &websocket.DialOptions{Subprotocols: subprotocols, HTTPClient: &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}}
}

// WriteBinary sends a binary frame, whatever is in it.
func (s *Socket) WriteBinary(ctx context.Context, frame []byte) error {
	return s.conn.Write(ctx, websocket.MessageBinary, frame)
}
