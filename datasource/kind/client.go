package kind

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"ojud/casefile"
)

const (
	maxRedirects = 3
	maxHeaders   = 64 << 10 // bytes of an answer's header
	maxHosts     = 32
	maxURL       = 8 << 10
)

// newClient makes a client that speaks only to the listed hosts. It uses no proxy of the
// environment and keeps no cookies. secret holds the names of headers that other hosts must not
// get.
func newClient(network Network, hosts []string, secret []string, env Env) *http.Client {
	transport := &http.Transport{
		DialContext: newDialer(network, env).dial, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4, MaxConnsPerHost: 32,
		IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: 5 * time.Second, MaxResponseHeaderBytes: maxHeaders,
	}
	return &http.Client{Transport: transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		return follow(next, via, hosts, secret)
	}}
}

// follow decides about a redirect. net/http has already copied the headers of the first request.
func follow(next *http.Request, via []*http.Request, hosts, secret []string) error {
	next.Header.Del("Referer") // it would reveal the query, and with it a key
	if len(via) > maxRedirects {
		return fmt.Errorf("%w: more than %d redirects", ErrRefused, maxRedirects)
	}
	first := via[0].URL
	if err := checkHost(next.URL, hosts); err != nil {
		return fmt.Errorf("redirect: %w", err)
	}
	if first.Scheme == "https" && next.URL.Scheme != "https" {
		return fmt.Errorf("%w: redirect from https to %s", ErrRefused, next.URL.Scheme)
	}
	if next.URL.User != nil {
		return fmt.Errorf("%w: redirect with a user name", ErrRefused)
	}
	if !slices.ContainsFunc(append(via[1:len(via):len(via)], next), func(r *http.Request) bool { return origin(r.URL) != origin(first) }) {
		return nil
	}
	for _, name := range secret {
		next.Header.Del(name)
	}
	if next.Method != http.MethodGet {
		return fmt.Errorf("%w: redirect of a %s to another host, which would get the body", ErrRefused, next.Method)
	}
	return nil
}

func origin(u *url.URL) string { return u.Scheme + "://" + hostPort(u) }

// hostPort writes the host as the owner lists it: lower case, with a port.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(u.Hostname()) + ":" + port
}

// checkHost refuses a host that is not listed. Without a port, the scheme's own is meant.
func checkHost(u *url.URL, hosts []string) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%w: %.20q is neither http nor https", ErrRefused, u.Scheme)
	}
	want := hostPort(u)
	for _, host := range hosts {
		listed, err := url.Parse(u.Scheme + "://" + host)
		if err == nil && hostPort(listed) == want {
			return nil
		}
	}
	return fmt.Errorf("%w: the owner did not list the host %.80q", ErrRefused, u.Host)
}

// validHosts checks a list of allowed hosts.
func validHosts(hosts []string) error {
	if len(hosts) == 0 || len(hosts) > maxHosts {
		return wrong("hosts", "has %d entries; list 1 to %d hosts that may be spoken to, such as \"api.example.com\"", len(hosts), maxHosts)
	}
	for i, host := range hosts {
		u, err := url.Parse("https://" + host)
		if err != nil || u.Host != host || u.Hostname() == "" || strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r > '~' }) ||
			strings.ContainsAny(host, "*%\\$") {
			return wrong(fmt.Sprintf("hosts[%d]", i), "is no host; write it as in a URL, such as \"api.example.com\" or \"api.example.com:8443\", without *")
		}
	}
	return nil
}

// readBounded reads a body, and always closes it.
func readBounded(body io.ReadCloser, limit int) (raw []byte, err error) {
	defer func() { err = errors.Join(err, body.Close()) }()
	raw, err = io.ReadAll(io.LimitReader(body, int64(limit)+1))
	if err == nil && len(raw) > limit {
		err = fmt.Errorf("%w: more than %d bytes", ErrLarge, limit)
	}
	return raw, err
}

// headers fills in the owner's headers, with secrets.
func headers(into http.Header, from map[string]string, s *secrets) error {
	for name, text := range from {
		value, err := s.resolve(text)
		if err != nil {
			return err
		}
		into.Set(name, value)
	}
	return nil
}

// secretNames returns the headers whose values refer to secrets.
func secretNames(from map[string]string) []string {
	var names []string
	for name, text := range from {
		if mentions(text) {
			names = append(names, name)
		}
	}
	return names
}

const maxEntries = 32 // headers, or parameters of a query

// validHeaders checks the owner's headers. A header that carries a key must refer to a secret,
// because source files are shown, copied and kept in version control.
func validHeaders(from map[string]string) error {
	if len(from) > maxEntries {
		return wrong("headers", "has %d entries; at most %d", len(from), maxEntries)
	}
	for _, name := range sorted(from) {
		field, lower := "headers"+casefile.MemberPath(name), strings.ToLower(name)
		if !token(name) || len(name) > 100 || len(from[name]) > 4096 || strings.ContainsFunc(from[name], func(r rune) bool { return r < ' ' || r > '~' }) {
			return wrong(field, "is no header: a name of letters, digits and -, a value of at most 4096 visible ASCII characters")
		}
		switch lower {
		case "host", "content-length", "transfer-encoding", "connection", "accept-encoding", "upgrade", "te", "trailer", "keep-alive", "expect":
			return wrong(field, "is set by the node; take it out")
		}
		if err := checkSecret(field, name, from[name], false); err != nil {
			return err
		}
	}
	return nil
}

// checkSecret refuses a malformed reference, and a literal key under a name that usually carries a
// key, unless the value is known to be none.
func checkSecret(field, name, text string, none bool) error {
	if err := checkReferences(field, text); err != nil {
		return err
	}
	if keyLike(strings.ToLower(name)) && !mentions(text) && !none {
		return wrong(field, "carries a key, which must not stand in a source file; write ${env:NAME} or ${file:PATH} in its place")
	}
	return nil
}

// keyLike reports whether a header or parameter of that name usually carries a key.
func keyLike(lower string) bool {
	parts := []string{"authorization", "cookie", "token", "secret", "password", "api-key", "apikey", "api_key"}
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(lower, part) })
}

// token reports whether text is a token of RFC 9110.
func token(text string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune(marks, r))
	})
}
