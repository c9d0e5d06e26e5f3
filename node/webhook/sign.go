package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Bounds of a secret, in bytes before its base64; Standard Webhooks has them.
const (
	minSecret = 24
	maxSecret = 64
)

const secretPrefix = "whsec_"

// maxSecrets is two, so that a secret can be replaced without a gap.
const maxSecrets = 2

// keys returns the keys of a secret: one, or two with a space between them while it is replaced.
func keys(text string) (out [][]byte, err error) {
	for _, one := range strings.Fields(text) {
		coded, ok := strings.CutPrefix(one, secretPrefix)
		key, err := base64.StdEncoding.DecodeString(coded)
		if !ok || err != nil || len(key) < minSecret || len(key) > maxSecret {
			return nil, fmt.Errorf("the secret is not %s and the base64 of %d to %d random bytes", secretPrefix, minSecret, maxSecret)
		}
		out = append(out, key)
	}
	if len(out) == 0 || len(out) > maxSecrets {
		return nil, errors.New("the secret is empty, or has more than two parts")
	}
	return out, nil
}

// sign returns the value of the header webhook-signature: for each key "v1," and the base64 of the
// HMAC-SHA256 of ID, time and body.
func sign(keys [][]byte, id string, at int64, body []byte) string {
	var all []string
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + strconv.FormatInt(at, 10) + "."))
		mac.Write(body)
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(all, " ")
}
