package exchange

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ojud/datasource"
	"ojud/datasource/anex"
)

const (
	maxFields = 16 // field names in a receipt (casefile.Receipt)
	all       = "*"
)

// offerOf returns what a card's terms give to a permitted asker.
//
// Terms and ANEX name parts of an answer differently. In terms, * and numbers are steps of a
// pointer. In ANEX, arrays are not a step, and a member has one name. A name of the terms is
// therefore offered up to its first such step. That is more than the terms give, so the book cuts
// the answer to the terms before it is sent.
func offerOf(c datasource.Card) anex.Offer {
	return anex.Offer{Access: offered(c.Terms.Access), Demand: c.Terms.Demands, Accepted: promised(c.Terms), Price: uint64(c.Terms.Price)}
}

// noRetention is the promise in ANEX that terms with a retention of 0 s keep.
const noRetention = "no data retention"

// promised returns the promises that the holder accepts because its terms make them.
func promised(t datasource.Terms) []string {
	out := slices.Clone(t.Promises.Others)
	if r := t.Promises.RetentionSeconds; r != nil && *r == 0 && !slices.Contains(out, noRetention) {
		out = append(out, noRetention)
	}
	return out
}

// offered translates names of the terms: if they are too many, to first steps or to everything.
func offered(access []string) []string {
	for _, short := range []bool{false, true} {
		out := []string{}
		for _, name := range access {
			if cut := cutName(name, short); !slices.Contains(out, cut) {
				out = append(out, cut)
			}
		}
		if len(out) > 0 && len(out) <= maxFields && !slices.Contains(out, all) {
			return out
		}
	}
	return []string{all}
}

// cutName returns the longest beginning, at most a step if short, that ANEX can express.
func cutName(name string, short bool) string {
	steps := strings.Split(strings.TrimPrefix(name, "/"), "/")
	if name[0] != '/' {
		steps = []string{strings.NewReplacer("~", "~0", "/", "~1").Replace(name)}
	}
	if short {
		steps = steps[:1]
	}
	path, best := "", all
	for _, step := range steps {
		if step == "*" || strings.Trim(step, "0123456789") == "" {
			break
		}
		if path += "/" + step; isName(path) {
			best = path
		}
	}
	return best
}

// isName reports whether ANEX can express the name.
func isName(access string) bool {
	_, _, err := anex.Cut([]byte("0"), []string{access})
	return err == nil && !strings.HasSuffix(access, "(m)")
}

// fields returns the agreed fields as a receipt lists them: in order, and none for everything.
func fields(access []string) []string {
	if slices.Contains(access, all) {
		return []string{}
	}
	return slices.Sorted(slices.Values(access))
}

// promises returns names of promises; some are conditions.
func promises(offer, require []string) []anex.Name {
	var out []anex.Name
	for _, p := range require {
		out = append(out, anex.Name{Text: p, Mandatory: true})
	}
	for _, p := range offer {
		if !slices.Contains(require, p) {
			out = append(out, anex.Name{Text: p})
		}
	}
	return out
}

// isPhrase reports whether ANEX can express the promise.
func isPhrase(text string) bool {
	return text != "" && len(text) <= 128 && utf8.ValidString(text) && strings.TrimSpace(text) == text &&
		!strings.ContainsFunc(text, unicode.IsControl) && !strings.HasSuffix(text, "(m)")
}
