package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/pelletier/go-toml/v2"

	"ojud/agent"
	"ojud/agent/crew"
	"ojud/agent/host"
	"ojud/agent/model"
	"ojud/config/bounds"
	"ojud/datasource/kind"
	"ojud/schema"
)

// maxBytes bounds the file of an agent.
const maxBytes = 256 << 10

// The kinds of minds.
const (
	react      = "react"      // a model that thinks and acts by turns
	Planner    = "planner"    // a model that makes a plan first; further ones are those of package crew
	Executable = "executable" // a program, started for each call
	Speaker    = "channel"    // likewise, and it speaks the messages of a channel by lines
	Server     = "mcp"        // tools of an MCP server
	Deployer   = "deployer"   // the host itself, which makes copies of agents
)

// Manifest is what the file of an agent says.
type Manifest struct {
	host.Definition
	Dir    string // of relative paths
	Key    string // path of the identity key
	Card   string // path of the signed agent card; empty: none
	Text   string // the file
	Thinks Thinking
	Tools  []Instrument
	// Sources are the data sources of a court that the agent may ask; "*" are all.
	Sources []string
	Models  model.Config
	// Remotes are the agents of other hosts that the agent may call.
	Remotes []Distant
}

// Distant is an agent of another host.
type Distant struct {
	host.Remote        // its operator is known, and its capability may be "*"
	Under       string // path of the chain of delegations that ends at the key of the agent of this file
}

// Thinking is the mind of an agent: what answers its calls.
type Thinking struct {
	Kind         string
	Launch                                // of a program
	Instructions string                   // of a model
	Servers      map[string]kind.Settings // of an MCP server: the tool of each capability
}

// Launch is how a program is started: an executable with its arguments.
type Launch struct {
	Run []string
	// Pass names the host's environment variables that it gets besides PATH, HOME and LANG.
	Pass []string
}

// Instrument is a tool of an agent: an upstream of data sources, or a program.
type Instrument struct {
	agent.Repr
	Launch
	Upstream kind.Settings // nil: Launch
}

// file is the form of the file.
type file struct {
	ID           string   `toml:"id"`
	Name         string   `toml:"name"`
	Description  string   `toml:"description"`
	Key          string   `toml:"key"`
	Card         string   `toml:"card"`
	Autonomy     int      `toml:"autonomy"`
	Calls        []string `toml:"calls"`
	Required     []string `toml:"require_approval"`
	Sources      []string `toml:"sources"`
	Service      bool     `toml:"service"`
	Idle         string   `toml:"idle"`
	Mind         mind     `toml:"mind"`
	Capabilities []struct {
		Name        string   `toml:"name"`
		Description string   `toml:"description"`
		Input       string   `toml:"input"`
		Output      string   `toml:"output"`
		Params      string   `toml:"params"`
		Tool        string   `toml:"tool"`
		Approval    []string `toml:"approval"`
	} `toml:"capabilities"`
	Remotes []struct {
		Address string `toml:"address"`
		Under   string `toml:"under"`
	} `toml:"remotes"`
	Tools  []tool         `toml:"tools"`
	Models map[string]any `toml:"models"`
	Limits limits         `toml:"limits"`
}

type mind struct {
	Kind         string         `toml:"kind"`
	Run          []string       `toml:"run"`
	Pass         []string       `toml:"pass"`
	Instructions string         `toml:"instructions"`
	Upstream     map[string]any `toml:"upstream"`
}

type tool struct {
	Name        string         `toml:"name"`
	Description string         `toml:"description"`
	Input       string         `toml:"input"`
	Output      string         `toml:"output"`
	Run         []string       `toml:"run"`
	Pass        []string       `toml:"pass"`
	Upstream    map[string]any `toml:"upstream"`
}

type limits struct {
	Concurrent   *int     `toml:"concurrent"`
	Time         string   `toml:"time"`
	CPU          string   `toml:"cpu"`
	MemoryMB     *int64   `toml:"memory_mb"`
	Tokens       *int     `toml:"tokens"`
	Dollars      *float64 `toml:"dollars"`
	TotalTokens  *int     `toml:"total_tokens"`
	TotalDollars *float64 `toml:"total_dollars"`
	InnerCalls   *int     `toml:"inner_calls"`
	InnerTokens  *int     `toml:"inner_tokens"`
	InnerDollars *float64 `toml:"inner_dollars"`
	InnerCPU     string   `toml:"inner_cpu"`
	InnerMB      *int64   `toml:"inner_mb"`
	Memories     *int     `toml:"memories"`
	Spawned      *int     `toml:"spawned"`
}

// Read reads a file.
func Read(path string) (Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return Manifest{}, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return Manifest{}, err
	}
	return Parse(raw, path, strings.TrimSuffix(filepath.Base(path), ".toml"))
}

// Parse reads the content of a file. Id is the agent's if the file has none.
func Parse(raw []byte, path, id string) (Manifest, error) {
	if len(raw) > maxBytes {
		return Manifest{}, fmt.Errorf("%s: it has more than %d bytes; the file of an agent has at most as many", path, maxBytes)
	}
	var f file
	d := toml.NewDecoder(bytes.NewReader(raw))
	if err := d.DisallowUnknownFields().Decode(&f); err != nil {
		return Manifest{}, placed(path, err)
	}
	f.ID = cmp.Or(f.ID, id)
	m, err := f.manifest(filepath.Dir(path))
	if err != nil {
		var wrong *host.Wrong
		if errors.As(err, &wrong) {
			return Manifest{}, fmt.Errorf("%s: %w", at(path, raw, wrong.Field), err)
		}
		return Manifest{}, fmt.Errorf("%s: %w", path, err)
	}
	m.Text = string(raw)
	return m, nil
}

// placed adds file and line to an error of the TOML library.
func placed(path string, err error) error {
	var wrong *toml.DecodeError
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		row, _ := unknown.Errors[0].Position()
		return fmt.Errorf("%s:%d: %s is no field of an agent's file; docs/agents.md lists them", path, row, strings.Join(unknown.Errors[0].Key(), "."))
	}
	if errors.As(err, &wrong) {
		row, column := wrong.Position()
		field := ""
		if key := strings.Join(wrong.Key(), "."); key != "" {
			field = key + ": "
		}
		return fmt.Errorf("%s:%d:%d: %s%s", path, row, column, field, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return fmt.Errorf("%s: %w", path, err)
}

func wrong(field, format string, args ...any) error {
	return &host.Wrong{Field: field, Problem: fmt.Sprintf(format, args...)}
}

// manifest checks what the file says.
func (f file) manifest(dir string) (m Manifest, err error) {
	if err := host.ValidID(f.ID); err != nil {
		return m, wrong("id", "%v", err) // before a path is made of it
	}
	m.Dir, m.Key = dir, inside(dir, cmp.Or(f.Key, filepath.Join("keys", f.ID+".json")))
	if f.Card != "" {
		m.Card = inside(dir, f.Card)
	}
	m.Definition = host.Definition{
		ID: f.ID, Name: cmp.Or(f.Name, f.ID), Description: f.Description, Autonomy: f.Autonomy, Calls: f.Calls, Required: f.Required, Service: f.Service,
	}
	if m.Idle, err = duration("idle", f.Idle, 10*time.Minute); err != nil {
		return m, err
	}
	if m.Quota, err = f.Limits.quota(); err != nil {
		return m, err
	}
	if m.Sources, err = f.sources(); err != nil {
		return m, err
	}
	if m.Remotes, err = f.distant(dir); err != nil {
		return m, err
	}
	for i, c := range f.Capabilities {
		at := fmt.Sprintf("capabilities[%d].", i)
		one := host.Capability{Name: c.Name, Description: c.Description, Approval: c.Approval}
		if one.Input, err = jsonSchema(at+"input", c.Input); err != nil {
			return m, err
		}
		if one.Output, err = jsonSchema(at+"output", c.Output); err != nil {
			return m, err
		}
		if one.Params, err = jsonSchema(at+"params", c.Params); err != nil {
			return m, err
		}
		switch k := (Thinking{Kind: f.Mind.Kind}); {
		case c.Params != "" && !k.Program():
			return m, wrong(at+"params", "belongs to minds that are programs; take it out")
		case k.Kind == react || k.Kind == Planner:
			one.Params = agent.SamplingForm()
		}
		if f.Mind.Kind != Server && c.Tool != "" {
			return m, wrong(at+"tool", `belongs to minds of the kind "mcp"; take it out`)
		}
		m.Capabilities = append(m.Capabilities, one)
	}
	if err := m.Validate(); err != nil {
		return m, err
	}
	if err := f.thinking(&m); err != nil {
		return m, err
	}
	m.Modelless = !m.Thinks.Models() && len(m.Remotes) == 0 // agents of other hosts cost something, too
	err = f.tools(&m)
	m.Programs = m.Thinks.Program() || slices.ContainsFunc(m.Tools, func(t Instrument) bool { return t.Upstream == nil })
	return m, err
}

// thinking reads the mind.
func (f file) thinking(m *Manifest) error {
	k := f.Mind
	m.Thinks = Thinking{Kind: k.Kind, Instructions: k.Instructions, Launch: Launch{k.Run, k.Pass}}
	var outside *bounds.Error
	if errors.As(bounds.Check("", bounds.OneOf("mind.kind", k.Kind, slices.Concat([]string{react, Planner}, crew.Kinds(), []string{Executable, Speaker, Server, Deployer})...)), &outside) {
		return wrong(outside.Name, "%s", outside.Problem)
	}
	for _, misplaced := range []struct {
		field, of string
		there     bool
	}{
		{"mind.run", Executable, len(k.Run) > 0 && !m.Thinks.Program()}, {"mind.pass", Executable, len(k.Pass) > 0 && !m.Thinks.Program()},
		{"mind.upstream", Server, k.Upstream != nil && k.Kind != Server},
	} {
		if misplaced.there {
			return wrong(misplaced.field, "belongs to minds of the kind %q; take it out", misplaced.of)
		}
	}
	switch k.Kind {
	case Executable, Speaker:
		return program("mind.", k.Run, k.Pass)
	case Deployer:
		return m.deploys()
	case Server:
		m.Thinks.Servers = map[string]kind.Settings{}
		for _, c := range f.Capabilities {
			up := map[string]any{"kind": "mcp", "tool": cmp.Or(c.Tool, c.Name)}
			for name, value := range k.Upstream {
				up[name] = value
			}
			s, err := upstream("mind.upstream", up)
			if err != nil {
				return err
			}
			if m.Thinks.Servers[c.Name] = s; kind.NameOf(s) != "mcp" {
				return wrong("mind.upstream", "is of the kind %q; a mind is an MCP server", kind.NameOf(s))
			}
		}
		return nil
	}
	if len(k.Instructions) == 0 || len(k.Instructions) > 32<<10 {
		return wrong("mind.instructions", "has %d bytes; tell the model in 1 to %d bytes what the agent is for", len(k.Instructions), 32<<10)
	}
	m.Models = model.DefaultConfig()
	decoder, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result: &m.Models, TagName: "koanf", ErrorUnused: true, DecodeHook: mapstructure.StringToTimeDurationHookFunc(),
	})
	if err != nil {
		return err
	}
	if err := decoder.Decode(f.Models); err != nil {
		return wrong("models", "cannot be read: %s", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	q := m.Quota
	m.Models.Budget.Tokens, m.Models.Budget.Cost, m.Models.Budget.Time = q.Tokens, float64(q.Micros)/1e6, q.Time
	if err := m.Models.Validate(); err != nil {
		return wrong("models", "%s", strings.TrimPrefix(err.Error(), "model: "))
	}
	if len(m.Models.Models) == 0 {
		return wrong("mind.kind", "is %q, and the file names no model; add a [[models.list]]", k.Kind)
	}
	return nil
}

// tools reads the tools.
func (f file) tools(m *Manifest) error {
	const most = 32
	if len(f.Tools) > most {
		return wrong("tools", "has %d entries; write at most %d", len(f.Tools), most)
	}
	if len(f.Tools) > 0 && (!m.Thinks.Models() || m.Autonomy < host.LevelTools) {
		return wrong("tools", `are for minds with a model or of the kind "channel", and autonomy of at least %d; take them out, or change that`, host.LevelTools)
	}
	for i, t := range f.Tools {
		at := fmt.Sprintf("tools[%d].", i)
		one := Instrument{Launch: Launch{t.Run, t.Pass}, Repr: agent.Repr{Name: t.Name, Description: t.Description}}
		var err error
		if one.InputSchema, err = jsonSchema(at+"input", cmp.Or(t.Input, `{"type":"object"}`)); err != nil {
			return err
		}
		if one.OutputSchema, err = jsonSchema(at+"output", t.Output); err != nil {
			return err
		}
		switch {
		case (t.Upstream == nil) == (len(t.Run) == 0):
			return wrong(at+"run", "or upstream is needed, and not both")
		case t.Upstream == nil:
			err = program(at, t.Run, t.Pass)
		default:
			one.Upstream, err = upstream(at+"upstream", t.Upstream)
		}
		if err != nil {
			return err
		}
		if one.Upstream != nil && t.Input == "" {
			if shape := one.Upstream.Shape(); len(shape.Request) > 0 {
				one.InputSchema = shape.Request
			}
		}
		if err := one.Validate(schema.DefaultLimits()); err != nil {
			return wrong(at+"name", "or another part of the tool cannot be used: %v", err)
		}
		if strings.HasPrefix(t.Name, "agent.") || slices.ContainsFunc(m.Tools, func(o Instrument) bool { return o.Name == t.Name }) {
			return wrong(at+"name", "is %q, which is another tool's; give it its own", t.Name)
		}
		m.Tools = append(m.Tools, one)
	}
	return nil
}
