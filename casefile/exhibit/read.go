package exhibit

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mr-tron/base58"

	"ojud/casefile"
)

// Found is what code found in one signed text of an exhibit.
type Found struct {
	Kind    string                `json:"kind"` // such as "x402 receipt"
	Outcome casefile.CheckOutcome `json:"outcome"`
	Detail  string                `json:"detail"` // words of code alone
	ID      casefile.Digest       `json:"id"`     // names what was signed: a copy has the same
}

// The limits of an exhibit that code looks into.
const (
	maxExhibit = 256 << 10 // bytes; more than that is no text of these protocols
	maxFound   = 8         // signed texts of one exhibit
)

var (
	errSignature = errors.New("the signature is wrong")
	errNoKey     = errors.New("code does not have the key that signed it; it can stand in the task as a JSON Web Key, or in the name of the key as did:key or did:jwk")
)

// Read looks for signed texts of the protocols that it knows. It finds nothing in anything else.
func Read(raw []byte, m Matter) []Found {
	text := string(bytes.TrimSpace(raw))
	if len(raw) > maxExhibit || !utf8.Valid(raw) {
		return nil
	}
	switch {
	case strings.Contains(text, "~") && looksSigned(text[:strings.IndexByte(text, '~')]):
		return []Found{m.read().mandate(text)}
	case looksSigned(text):
		return m.read().token(text)
	case !strings.HasPrefix(text, "{"):
		return nil
	}
	object, err := decodeObject(raw, maxExhibit)
	if err != nil {
		return nil
	}
	return m.read().object(object)
}

// object looks for signed texts in a JSON object.
func (k *known) object(m map[string]any) (out []Found) {
	if k.isRecord(m) {
		return []Found{k.record(m)}
	}
	if found := k.answers(m); found != nil {
		return found
	}
	if k.isArtifact(m) {
		return []Found{k.artifact(m)}
	}
	extensions, _ := m["extensions"].(map[string]any)
	extension, _ := extensions["offer-receipt"].(map[string]any)
	info, _ := extension["info"].(map[string]any)
	offers, _ := info["offers"].([]any)
	for _, one := range append(offers, info["receipt"]) {
		if m, is := one.(map[string]any); is && k.isArtifact(m) && len(out) < maxFound {
			out = append(out, k.artifact(m))
		}
	}
	return out
}

// say is a finding with an outcome that follows from what is known: the signature and the form are
// right by now.
func say(kind string, id [32]byte, mine, about bool, detail string) Found {
	f := Found{Kind: kind, Outcome: casefile.Pass, ID: id, Detail: detail}
	if !about {
		f.Outcome = casefile.Unknown
		f.warn("nothing ties it to this case, so it may be about another one")
	}
	if !mine {
		f.Outcome = casefile.Unknown
	}
	return f
}

// warn puts a warning before all else: whoever shows a part of a long finding shows its beginning.
func (f *Found) warn(text string) {
	f.Detail = text + "; " + f.Detail
}

// wrong is a finding that speaks against the exhibit, or is open if there was no key to check by.
func wrong(kind string, id [32]byte, err error) Found {
	outcome := casefile.Fail
	if errors.Is(err, errNoKey) {
		outcome = casefile.Unknown
	}
	return Found{Kind: kind, Outcome: outcome, ID: id, Detail: "it proves nothing: " + err.Error()}
}

var (
	digitsOnly  = regexp.MustCompile(`^[0-9]{1,40}$`)
	hexAddress  = regexp.MustCompile(`^(0x[0-9a-fA-F]{40}|0x[0-9a-fA-F]{64})$`)
	anyCurrency = regexp.MustCompile(`^[A-Z]{3}$`)
)

// shown are the words in which code repeats a text of an exhibit. A text that is no amount and no
// address is not repeated, because it may speak to the judge who reads it.
func shown(text string, form *regexp.Regexp) string {
	if form.MatchString(text) {
		return text
	}
	return "(a text that is not repeated here)"
}

// address is how an address or a transaction is repeated. Those in base58 are shortened, because
// their letters may be words.
func address(text string) string {
	if len(text) <= 88 {
		if raw, err := base58.Decode(text); err == nil && (len(raw) == coordinate || len(raw) == signature) {
			return text[:4] + "…" + text[len(text)-4:]
		}
	}
	return shown(text, hexAddress)
}

// whole reads an integer that a JSON number holds exactly.
func whole(v any) (int64, bool) {
	f, is := v.(float64)
	if !is || f != float64(int64(f)) || f < -(1<<53) || f > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// when is a time as people read it. A time that is no possible one is shown as a number.
func when(unix int64) string {
	if unix < 0 || unix > 1<<36 {
		return strconv.FormatInt(unix, 10) + " s"
	}
	return time.Unix(unix, 0).UTC().Format("2006-01-02 15:04:05 UTC")
}

// asIssued says when something was issued, and whether the task had been claimed then.
func (k *known) asIssued(unix int64) string {
	text := "issued " + when(unix)
	if k.Claimed > 0 && unix < k.Claimed {
		text += fmt.Sprintf(", %d s before the task was claimed", k.Claimed-unix)
	}
	return text
}

func stands(is bool) string {
	if is {
		return "stands in the task"
	}
	return "does not stand in the task"
}
