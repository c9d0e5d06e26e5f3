package kind

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// variable is {name} in a template: a top-level member of the request.
var variable = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]{0,63})\}`)

// errAbsent: a template needs a member that the request does not have.
var errAbsent = errors.New("missing")

const maxValue = 2000 // bytes of one value in a URL

func members(request json.RawMessage) (map[string]any, error) {
	doc, err := DecodeJSON(request)
	if err != nil {
		return nil, fmt.Errorf("%w: it is not JSON", ErrRequest)
	}
	fields, ok := doc.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: it is no object", ErrRequest)
	}
	return fields, nil
}

// scalar writes a member of the request as text.
func scalar(request map[string]any, name string) (string, error) {
	value, ok := request[name]
	if !ok || value == nil {
		return "", fmt.Errorf("%w: %q is %w", ErrRequest, name, errAbsent)
	}
	text := ""
	switch v := value.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	case bool:
		text = fmt.Sprint(v)
	default:
		return "", fmt.Errorf("%w: %q has parts; a string, number or boolean is needed", ErrRequest, name)
	}
	if len(text) > maxValue {
		return "", fmt.Errorf("%w: %q has %d bytes; at most %d", ErrRequest, name, len(text), maxValue)
	}
	return text, nil
}

// expand fills a template. It inserts values of the request last and unchanged, so that
// "${env:KEY}" or "{other}" in them remains text. Each piece goes through write, but the template's
// own text does not.
func expand(template string, request map[string]any, s *secrets, write func(value string) (string, error)) (string, error) {
	var out strings.Builder
	for rest := template; rest != ""; {
		at, name, secret := next(rest)
		if at == nil {
			out.WriteString(rest)
			break
		}
		out.WriteString(rest[:at[0]])
		value, err := scalarOrSecret(secret, name, rest[at[0]:at[1]], request, s)
		if err == nil {
			value, err = write(value)
		}
		if err != nil {
			return "", err
		}
		out.WriteString(value)
		rest = rest[at[1]:]
	}
	return out.String(), nil
}

func next(text string) (at []int, name string, secret bool) {
	ref, v := reference.FindStringIndex(text), variable.FindStringSubmatchIndex(text)
	if ref != nil && (v == nil || ref[0] < v[0]) {
		return ref, "", true
	}
	if v == nil {
		return nil, "", false
	}
	return v[:2], text[v[2]:v[3]], false
}

func scalarOrSecret(secret bool, name, ref string, request map[string]any, s *secrets) (string, error) {
	if secret {
		return s.resolve(ref)
	}
	return scalar(request, name)
}

// escape percent-encodes all but unreserved characters (RFC 6570, 3.2.2; RFC 3986, 2.3).
func escape(value string) string {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	var b strings.Builder
	for i := range len(value) {
		if strings.IndexByte(unreserved, value[i]) >= 0 {
			b.WriteByte(value[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", value[i])
		}
	}
	return b.String()
}

// urlTemplate is a URL whose scheme and host are fixed.
type urlTemplate struct {
	base        string // scheme://host:port
	path, query string
}

// parseURL splits a URL template. Variables and secrets may be only in path and query.
func parseURL(field, text string) (urlTemplate, error) {
	var t urlTemplate
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme != "https" && scheme != "http" {
		return t, wrong(field, "is no URL; it begins with https:// (or http://)")
	}
	end := strings.IndexAny(rest, "/?#\\")
	if end < 0 {
		end = len(rest)
	}
	base, err := url.Parse(scheme + "://" + rest[:end])
	if err != nil || base.Host == "" || base.Host != rest[:end] || strings.ContainsAny(rest[:end], "{}$@%") {
		return t, wrong(field, "needs a host that is fixed: no {name}, no secret and no user name in it")
	}
	t.base = scheme + "://" + rest[:end]
	t.path, t.query, _ = strings.Cut(rest[end:], "?")
	plain := reference.ReplaceAllString(variable.ReplaceAllString(rest[end:], "x"), "x")
	if len(text) > maxURL/2 || strings.ContainsAny(plain, "{}$#\\") || strings.ContainsFunc(plain, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return t, wrong(field, "has characters that a URL template cannot have (at most %d visible ASCII characters; variables are {name}, secrets ${env:NAME})", maxURL/2)
	}
	if u, err := url.Parse(t.base + plain); err != nil || dots(u.Path) {
		return t, wrong(field, "has a path that is no plain path, such as /v1/posts/{id}")
	}
	return t, nil
}

// dots reports whether a path has a segment . or .. that changes the folder.
func dots(path string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }), func(s string) bool { return s == "." || s == ".." })
}

// fill makes a URL from the template. The request cannot change scheme or host, or leave the path.
// A value that is empty or has . or .. as a segment is refused.
func (t urlTemplate) fill(request map[string]any, s *secrets) (*url.URL, error) {
	path, err := expand(t.path, request, s, func(value string) (string, error) {
		if value == "" || dots(value) {
			return "", fmt.Errorf("%w: a value in the path is empty, or moves in it by a segment of dots", ErrRequest)
		}
		return escape(value), nil
	})
	if err != nil {
		return nil, err
	}
	query, err := expand(t.query, request, s, func(value string) (string, error) { return escape(value), nil })
	if err != nil {
		return nil, err
	}
	whole := t.base + path
	if query != "" {
		whole += "?" + query
	}
	u, err := url.Parse(whole)
	if err != nil || len(whole) > maxURL || u.Scheme+"://"+u.Host != t.base || dots(u.Path) {
		return nil, fmt.Errorf("%w: it makes no URL of this source (at most %d bytes)", ErrRequest, maxURL)
	}
	return u, nil
}
