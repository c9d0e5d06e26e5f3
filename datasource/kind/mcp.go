package kind

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"ojud/casefile"
)

// MCP is one tool of a server of the Model Context Protocol: a program that speaks over stdin and
// stdout (Command), or a server that speaks over streamable HTTP (URL).
type MCP struct {
	// Tool is the server's name of the tool.
	Tool string `json:"tool"`

	// Command is the program: a path, or a name to look up in PATH.
	Command string `json:"command,omitempty"`
	// Args are its arguments, without secrets, because all users of this machine can see them.
	Args []string `json:"args,omitempty"`
	// Env adds to its environment. Otherwise the program gets only PATH, HOME and a few more of the
	// node's variables. Env may refer to secrets.
	Env map[string]string `json:"env,omitempty"`
	// Dir is its working directory, by default the folder of the source files. It is never the
	// node's home, which holds its keys.
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
		field, value := "env"+casefile.MemberPath(name), m.Env[name]
		if name == "" || strings.ContainsAny(name, "=\x00") || len(value) > 8192 || strings.ContainsRune(value, 0) {
			return wrong(field, "is no variable: a name without =, a value of at most 8192 bytes")
		}
		if err := checkSecret(field, name, value, value == ""); err != nil {
			return err
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
	return cmp.Or(validHeaders(m.Headers), m.Network.validate())
}

// The flags of both forms.
var (
	toolFlag  = Flag{"tool", "the server's name of the tool", Text}
	startFlag = Flag{"start", "how long the server may take to start, 1s to 5m (default 30s)", Span}
)

// mcpForm describes a server that the node starts.
func mcpForm() Form {
	return Form{
		Flag: Flag{"mcp", "a tool of an MCP server: the command that starts it", Text},
		More: []Flag{
			toolFlag, {"env", "NAME=VALUE for the server's environment; write secrets as ${env:NAME}", List},
			{"dir", "the server's working directory (default the folder of the sources)", Text}, startFlag,
		},
		fields: map[string]string{"command": "mcp", "args": "mcp", "start_seconds": "start"},
		make: func(v Values) (Settings, error) {
			words, err := splitCommand("mcp", v.text("mcp"))
			if err != nil {
				return nil, err
			}
			env, err := pairs(v, "env")
			return &MCP{Tool: v.text("tool"), Command: words[0], Args: words[1:], Env: env, Dir: absolute(v.text("dir")),
				StartSeconds: v.count("start")}, err
		},
	}
}

// mcpURLForm describes a server that runs by itself.
func mcpURLForm() Form {
	return Form{
		Flag:   Flag{"mcp-url", "a tool of an MCP server: its URL (streamable HTTP)", Text},
		More:   []Flag{toolFlag, headerFlag, startFlag, privateFlag},
		fields: map[string]string{"url": "mcp-url", "headers": "header", "networks": "allow-private", "start_seconds": "start"},
		make: func(v Values) (Settings, error) {
			headers, err := pairs(v, "header")
			if err == nil {
				err = withoutKey("mcp-url", v.text("mcp-url"))
			}
			return &MCP{Tool: v.text("tool"), URL: v.text("mcp-url"), Headers: headers, StartSeconds: v.count("start"),
				Network: Network{AllowPrivate: v.is("allow-private")}}, err
		},
	}
}

// splitCommand splits a command line as a shell does, with '…', "…" and \, and expands nothing.
func splitCommand(flag, line string) ([]string, error) {
	var out []string
	var word strings.Builder
	begun, escaped, quote := false, false, rune(0)
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			begun, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 || escaped {
		return nil, wrongFlag(flag, "has a quote or backslash that does not end; close it")
	}
	if begun {
		out = append(out, word.String())
	}
	if len(out) == 0 || out[0] == "" {
		return nil, wrongFlag(flag, "names no program; write a command, such as 'npx -y @modelcontextprotocol/server-memory@2026.8.31'")
	}
	return out, nil
}

// Shape implements Settings. The server itself knows better (Discovery).
func (m *MCP) Shape() Shape {
	return Shape{json.RawMessage(`{"type":"object"}`), json.RawMessage(schemaAny), "a tool of a server of the Model Context Protocol"}
}

// Sample implements Settings. It makes no request, because a call of a tool may have an effect.
func (m *MCP) Sample(Env) (Sample, error) { return Sample{}, nil }

// anyTool is a name that no tool has. With it Describe lists the tools.
const anyTool = "?"

// Discovery implements Discoverer.
func (m *MCP) Discovery() (settings Settings, missing string) {
	if m.Tool != "" {
		return m, ""
	}
	asking := *m
	asking.Tool = anyTool
	return &asking, "tool"
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
