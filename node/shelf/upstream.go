package shelf

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gagliardetto/solana-go"

	"ojud/datasource/kind"
)

// http is an API. The host of the URL is allowed unless the draft lists others.
func (d *Draft) http() (kind.Settings, error) {
	if err := noKey("http", d.HTTP); err != nil {
		return nil, err
	}
	h := &kind.HTTP{Method: strings.ToUpper(d.Method), URL: d.HTTP, Hosts: d.Allow, Pointer: d.Pointer, Network: kind.Network{AllowPrivate: d.AllowPrivate}}
	var err error
	if h.Query, err = pairs("query", d.Query); err != nil {
		return nil, err
	}
	if h.Headers, err = pairs("header", d.Headers); err != nil {
		return nil, err
	}
	if h.Body, err = value("body", d.Body); err != nil {
		return nil, err
	}
	if h.Missing, err = value("missing", d.Missing); err != nil {
		return nil, err
	}
	if len(h.Body) > 0 && h.Method == "" {
		h.Method = http.MethodPost
	}
	if len(h.Hosts) == 0 {
		h.Hosts = hostOf(d.HTTP)
	}
	return h, nil
}

// hostOf is the host of a URL template, if it has one.
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

var keyName = regexp.MustCompile(`(?i)(token|secret|passw|api[-_]?key|(^|[-_])key$|signature)`)

// noKey refuses a URL with a literal key in it: it would stand in the source file, and be shown.
func noKey(flag, template string) error {
	_, query, _ := strings.Cut(template, "?")
	for _, part := range strings.Split(query, "&") {
		name, text, _ := strings.Cut(part, "=")
		if keyName.MatchString(name) && text != "" && !strings.ContainsAny(text, "{") {
			return wrong(flag, "carries a key in the parameter %q; write ${env:NAME} or ${file:PATH} in its place", name)
		}
	}
	return nil
}

// program is an MCP server that is started.
func (d *Draft) program() (kind.Settings, error) {
	words, err := words(d.MCP)
	if err != nil {
		return nil, err
	}
	env, err := pairs("env", d.Env)
	m := &kind.MCP{Tool: d.Tool, Command: words[0], Args: words[1:], Env: env, Dir: absolute(d.Dir), StartSeconds: d.Start}
	return m, err
}

// server is an MCP server that runs by itself.
func (d *Draft) server() (kind.Settings, error) {
	headers, err := pairs("header", d.Headers)
	if err == nil {
		err = noKey("mcp-url", d.MCPURL)
	}
	return &kind.MCP{Tool: d.Tool, URL: d.MCPURL, Headers: headers, StartSeconds: d.Start, Network: kind.Network{AllowPrivate: d.AllowPrivate}}, err
}

func (d *Draft) folder() (kind.Settings, error) {
	return &kind.Files{Dir: absolute(d.Files), Allow: d.Allow, Format: d.Format, MaxRows: d.MaxRows}, nil
}

// onlyQuery is the name of the query of a source that was made of one statement. Nobody needs to say it.
const onlyQuery = "query"

func (d *Draft) database() (kind.Settings, error) {
	if d.SQL == "" {
		return nil, wrong("sql", "is missing; write the SELECT that answers, such as 'select * from posts where author = :author'")
	}
	q := kind.Query{SQL: d.SQL, Parameters: parameters(d.SQL), MaxRows: d.MaxRows}
	return &kind.SQLite{Path: absolute(d.SQLite), Immutable: d.Immutable, Queries: map[string]kind.Query{onlyQuery: q}}, nil
}

var sqlToken = regexp.MustCompile(`'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*(?s:.*?)\*/|::|:[A-Za-z_][A-Za-z0-9_]*`)

// parameters are the :names of a statement, in their order. Those in texts, quoted names and comments are none.
func parameters(sql string) []string {
	var out []string
	for _, token := range sqlToken.FindAllString(sql, -1) {
		if name := token[1:]; token[0] == ':' && name != ":" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// chain is an account or a transaction. One address makes a source of one account.
func (d *Draft) chain() (kind.Settings, error) {
	headers, err := pairs("header", d.Headers)
	if err != nil {
		return nil, err
	}
	if err := noKey("rpc", d.RPC); err != nil {
		return nil, err
	}
	s := &kind.Solana{Read: d.Solana, URL: d.RPC, Headers: headers, Network: kind.Network{AllowPrivate: d.AllowPrivate}}
	if s.Owners, err = keys("program", d.Programs); err != nil {
		return nil, err
	}
	if s.Addresses, err = keys("address", d.Address); err != nil {
		return nil, err
	}
	if len(s.Addresses) == 1 && s.Read == "account" {
		s.Address, s.Addresses = &s.Addresses[0], nil
	}
	return s, nil
}

func keys(flag string, list []string) (out []solana.PublicKey, err error) {
	for _, text := range list {
		k, err := solana.PublicKeyFromBase58(strings.TrimSpace(text))
		if err != nil {
			return nil, wrong(flag, "%.64q is no address; write base58 of 32 bytes", text)
		}
		out = append(out, k)
	}
	return out, nil
}

// pairs reads NAME=VALUE. What is wrong is not quoted: it may be a secret.
func pairs(flag string, list []string) (map[string]string, error) {
	var out map[string]string
	for i, text := range list {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, wrong(flag, "number %d is not NAME=VALUE", i+1)
		}
		if _, twice := out[name]; twice {
			return nil, wrong(flag, "%.64q is there twice; say it once", name)
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out, nil
}

// value reads a JSON value.
func value(flag, text string) (json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, wrong(flag, `is no JSON value; write null, a "text" in double quotes, or {"a": 1}`)
	}
	return json.RawMessage(text), nil
}

// absolute makes a path that a person typed independent of where the node runs.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// variables are the {names} of a URL or body, those of the path first.
func variables(texts ...string) []string {
	var out []string
	for _, text := range texts {
		for _, found := range templateName.FindAllStringSubmatch(reference.ReplaceAllString(text, ""), -1) {
			if !slices.Contains(out, found[1]) {
				out = append(out, found[1])
			}
		}
	}
	return out
}

var (
	templateName = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]{0,63})\}`)
	reference    = regexp.MustCompile(`\$\{(env|file):([^{}]+)\}`)
)
