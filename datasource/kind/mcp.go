package kind

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// MCP is one tool of a server of the Model Context Protocol: a program that is spoken to over stdin and stdout (Command), or a server
// that is spoken to over streamable HTTP (URL).
type MCP struct {
	// Tool is the server's name of the tool.
	Tool string `json:"tool"`

	// Command is the program: a path, or a name that is looked up in PATH.
	Command string `json:"command,omitempty"`
	// Args are its arguments. They may not refer to secrets: everybody on this machine can see them.
	Args []string `json:"args,omitempty"`
	// Env adds to its environment, which otherwise has PATH, HOME and a few more, but nothing else of the node's. It may refer to secrets.
	Env map[string]string `json:"env,omitempty"`
	// Dir is its working directory, by default the folder of the source files: never the node's home, where its keys are.
	Dir string `json:"dir,omitempty"`

	// URL is the server's endpoint. Headers may refer to secrets.
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// StartSeconds bounds the start of the program and the handshake, by default 30, at most 300.
	StartSeconds int `json:"start_seconds,omitempty"`
	Network
}

const (
	startDefault = 30  // seconds
	startMost    = 300 // seconds
	maxArgs      = 64
)

// Validate implements Settings.
func (m *MCP) Validate() error {
	switch {
	case m.Tool == "" || len(m.Tool) > 128:
		return wrong("tool", "has %d bytes; name the server's tool (1 to 128 bytes)", len(m.Tool))
	case (m.Command == "") == (m.URL == ""):
		return wrong("command", "or url is needed, and not both")
	case m.StartSeconds < 0 || m.StartSeconds > startMost:
		return wrong("start_seconds", "is %d; set it to 0 (the default, %d) to %d", m.StartSeconds, startDefault, startMost)
	case m.Command != "" && (len(m.Headers) > 0 || m.AllowPrivate || len(m.Networks) > 0):
		return wrong("headers", "and allow_private and networks belong to url, not to command; take them out")
	case m.URL != "" && (len(m.Args) > 0 || len(m.Env) > 0 || m.Dir != ""):
		return wrong("args", "and env and dir belong to command, not to url; take them out")
	}
	if m.URL != "" {
		return m.validURL()
	}
	return m.validCommand()
}

func (m *MCP) validCommand() error {
	if len(m.Args) > maxArgs || len(m.Env) > maxArgs {
		return wrong("args", "or env has more than %d entries", maxArgs)
	}
	for i, text := range append([]string{m.Command, m.Dir}, m.Args...) {
		field := "command"
		if i > 1 {
			field = fmt.Sprintf("args[%d]", i-2)
		}
		if strings.Contains(text, "${") {
			return wrong(field, "refers to a secret, which everybody on this machine could see; hand it over in env")
		}
		if len(text) > 8192 || strings.ContainsRune(text, 0) {
			return wrong(field, "has more than 8192 bytes, or a zero byte")
		}
	}
	for _, name := range sorted(m.Env) {
		field, value := join("env", name), m.Env[name]
		if name == "" || strings.ContainsAny(name, "=\x00") || len(value) > 8192 || strings.ContainsRune(value, 0) {
			return wrong(field, "is no variable: a name without =, a value of at most 8192 bytes")
		}
		if err := checkReferences(field, value); err != nil {
			return err
		}
		if keyLike(strings.ToLower(name)) && value != "" && !mentions(value) {
			return wrong(field, "carries a key, which must not stand in a source file; write ${env:NAME} or ${file:PATH} in its place")
		}
	}
	return nil
}

func (m *MCP) validURL() error {
	template, err := parseURL("url", m.URL)
	if err != nil {
		return err
	}
	if variable.MatchString(m.URL) || mentions(m.URL) {
		return wrong("url", "is fixed: no {name}, and secrets in headers")
	}
	if strings.HasPrefix(template.base, "http:") && !m.AllowPrivate && len(m.Networks) == 0 && len(secretNames(m.Headers)) > 0 {
		return wrong("url", "would send a secret unencrypted; use https")
	}
	if err := validHeaders(m.Headers); err != nil {
		return err
	}
	return m.Network.validate()
}

func (m *MCP) open(env Env, s *secrets) (Upstream, error) {
	life, end := context.WithCancel(context.Background())
	server := &server{MCP: m, env: env, secrets: s, life: life, end: end}
	if m.URL != "" {
		u, err := url.Parse(m.URL)
		if err != nil {
			end()
			return nil, wrong("url", "is no URL")
		}
		server.client = newClient(m.Network, []string{hostPort(u)}, secretNames(m.Headers), env)
	}
	return server, nil
}
