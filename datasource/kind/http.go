package kind

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"ojud/casefile"
	"ojud/schema/pointer"
)

// HTTP is an API over HTTP. Templates contain members of the request as {name}.
type HTTP struct {
	// Method is GET (default) or POST.
	Method string `json:"method,omitempty"`
	// URL is a template. Scheme and host are fixed; values are percent-encoded.
	URL string `json:"url"`
	// Query adds parameters. A parameter is left out if its member is not in the request.
	Query map[string]string `json:"query,omitempty"`
	// Headers may refer to secrets, not to the request.
	Headers map[string]string `json:"headers,omitempty"`
	// Body is sent as JSON with POST. A string that is only {name} becomes that member.
	Body json.RawMessage `json:"body,omitempty"`
	// Hosts lists the only hosts for connections, including those after redirects.
	Hosts []string `json:"hosts"`
	// Pointer is the JSON pointer to the returned part of the answer; empty: all of it.
	Pointer string `json:"pointer,omitempty"`
	// Missing is the answer if the API returns 404. Without it, 404 is an error.
	Missing json.RawMessage `json:"missing,omitempty"`
	Network
}

const maxBody = 64 << 10

// Validate implements Settings.
func (h *HTTP) Validate() error {
	template, err := parseURL("url", h.URL)
	if err != nil {
		return err
	}
	if err := cmp.Or(checkReferences("url", h.URL), h.validMethod(), h.validQuery(), validHeaders(h.Headers), validHosts(h.Hosts), h.Network.validate()); err != nil {
		return err
	}
	base, err := url.Parse(template.base)
	if err != nil || checkHost(base, h.Hosts) != nil {
		return wrong("hosts", "does not list the host of url; add %q", strings.TrimPrefix(strings.TrimPrefix(template.base, "https://"), "http://"))
	}
	if base.Scheme == "http" && !h.AllowPrivate && len(h.Networks) == 0 && h.confides() {
		return wrong("url", "would send a secret unencrypted; use https")
	}
	if err := pointer.Validate(h.Pointer); err != nil {
		return wrong("pointer", "%v", err)
	}
	return nil
}

func (h *HTTP) validMethod() error {
	if h.Method != "" && h.Method != http.MethodGet && h.Method != http.MethodPost {
		return wrong("method", "is neither GET nor POST")
	}
	if len(h.Body) > 0 && h.Method != http.MethodPost {
		return wrong("body", "is sent with method POST alone; set method")
	}
	if len(h.Body) > maxBody || len(h.Missing) > maxBody {
		return wrong("body", "or missing has more than %d bytes", maxBody)
	}
	return checkReferences("body", string(h.Body))
}

func (h *HTTP) validQuery() error {
	if len(h.Query) > maxEntries {
		return wrong("query", "has %d entries; at most %d", len(h.Query), maxEntries)
	}
	for _, name := range sorted(h.Query) {
		field, text := "query"+casefile.MemberPath(name), h.Query[name]
		if len(text) > 4096 || name == "" || len(name) > 200 {
			return wrong(field, "has a name of 1 to 200 bytes and a value of at most 4096")
		}
		if err := checkSecret(field, name, text, variable.MatchString(text)); err != nil {
			return err
		}
	}
	return nil
}

// confides reports whether a request carries a secret.
func (h *HTTP) confides() bool {
	texts := h.URL + string(h.Body)
	for _, text := range h.Query {
		texts += text
	}
	return mentions(texts) || len(secretNames(h.Headers)) > 0
}

// httpForm describes an API. Unless the person lists hosts, the host of the URL is allowed.
func httpForm() Form {
	return Form{
		Flag: Flag{"http", "an HTTP API: its URL, with {name} for members of the request and ${env:NAME} for secrets", Text},
		More: []Flag{
			{"allow", "host that may be spoken to (default the URL's)", List}, headerFlag,
			{"query", "NAME=TEMPLATE; left out if the request has no such member", List},
			{"method", "GET or POST", Text},
			{"body", "JSON that is POSTed; a string that is {name} becomes that member", Text},
			{"pointer", "JSON pointer to the part of the API's answer that is given, such as /data", Text},
			{"missing", "the answer if the API says 404, such as null", Text}, privateFlag,
		},
		fields: map[string]string{"url": "http", "hosts": "allow", "headers": "header", "networks": "allow-private"},
		make:   makeHTTP,
	}
}

func makeHTTP(v Values) (Settings, error) {
	if err := withoutKey("http", v.text("http")); err != nil {
		return nil, err
	}
	h := &HTTP{Method: strings.ToUpper(v.text("method")), URL: v.text("http"), Hosts: v["allow"], Pointer: v.text("pointer"),
		Network: Network{AllowPrivate: v.is("allow-private")}}
	var wrong [4]error
	h.Query, wrong[0] = pairs(v, "query")
	h.Headers, wrong[1] = pairs(v, "header")
	h.Body, wrong[2] = jsonValue(v, "body")
	h.Missing, wrong[3] = jsonValue(v, "missing")
	if err := cmp.Or(wrong[:]...); err != nil {
		return nil, err
	}
	if len(h.Body) > 0 && h.Method == "" {
		h.Method = http.MethodPost
	}
	if len(h.Hosts) == 0 {
		h.Hosts = hostOf(h.URL)
	}
	return h, nil
}

// hostOf returns the host of a URL template, if it has one.
func hostOf(template string) []string {
	_, rest, _ := strings.Cut(template, "://")
	if end := strings.IndexAny(rest, "/?#\\"); end >= 0 {
		rest = rest[:end]
	}
	if rest == "" {
		return nil
	}
	return []string{rest}
}

// Shape implements Settings. The request has a member for each {name}. A request may leave out
// members of the query, and members of the body may be of any type.
func (h *HTTP) Shape() Shape {
	members := map[string]string{}
	for _, name := range variables(string(h.Body)) {
		members[name] = schemaAny
	}
	for _, name := range variables(h.URL) {
		members[name] = schemaScalar
	}
	for _, template := range h.Query {
		for _, name := range variables(template) {
			if _, there := members[name]; !there {
				members[name] = schemaScalar
			}
		}
	}
	schema := requestSchema(members, variables(h.URL, string(h.Body)))
	return Shape{schema, json.RawMessage(schemaAny), "what an HTTP API says; " + asks(sorted(members))}
}

// Sample implements Settings. It makes no request for a POST, because a POST may have an effect.
func (h *HTTP) Sample(Env) (Sample, error) {
	if h.Method != "" && h.Method != http.MethodGet {
		return Sample{}, nil
	}
	request := map[string]any{}
	for _, name := range variables(h.URL) {
		request[name] = "1"
	}
	sample, err := sampleOf(request)
	sample.Guessed = true
	return sample, err
}

func (h *HTTP) open(env Env, s *secrets) (Upstream, error) {
	template, err := parseURL("url", h.URL)
	if err != nil {
		return nil, err
	}
	return &api{h, template, newClient(h.Network, h.Hosts, secretNames(h.Headers), env), s, env.MaxBytes}, nil
}
