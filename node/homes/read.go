package homes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"ojud/agent/judge"
	"ojud/agent/judge/persona"
	"ojud/config"
	"ojud/datasource"
	"ojud/node"
	"ojud/node/client"
)

// The limits of a file.
const (
	maxFile    = 1 << 20 // bytes
	mostInFile = 512
	maxModels  = 64
	maxSources = 32
)

// errFile is wrapped by every error about a file of judges. It names the file, the field, the limit
// and the fix.
var errFile = errors.New("homes")

var judgeName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Draft is a judge of the file, whose home may not exist yet.
type Draft struct {
	Name string
	// Persona is its way to look at cases. Its name is empty if the judge has none.
	Persona persona.Persona
	Models  []string         // their names, in the order in which they are asked
	Stake   *client.Lamports // nil: what the court's judges usually stake

	own      string // path of a persona's file; empty: a shipped persona, or none
	sources  []datasource.Source
	settings []byte // the content of its ojud.toml
}

// Drafts are the judges of a file, in its order.
type Drafts []Draft

// document is the file as people write it.
type document struct {
	Stake    string           `toml:"stake"`
	Settings map[string]any   `toml:"settings"`
	Models   []map[string]any `toml:"models"`
	Judges   []entry          `toml:"judges"`
}

type entry struct {
	Name     string         `toml:"name"`
	Persona  string         `toml:"persona"`
	Models   []string       `toml:"models"`
	Sources  []string       `toml:"sources"`
	Stake    string         `toml:"stake"`
	Settings map[string]any `toml:"settings"`
}

// Read reads and checks a file of judges. It makes nothing. Paths in the file begin at its folder.
func Read(path string) (Drafts, error) {
	raw, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFile, err)
	}
	p, err := parse(filepath.Dir(path), raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errFile, path, err)
	}
	return p, nil
}

func readFile(path string) (raw []byte, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file; name a file such as examples/judges/panel.toml", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	raw, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes; divide it into several files", path, maxFile)
	}
	return raw, err
}

func parse(dir string, raw []byte) (Drafts, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var d document
	dec := toml.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return nil, explain(err)
	}
	switch {
	case len(d.Judges) == 0:
		return nil, errors.New("judges: there is none; write one [[judges]] with a name for each")
	case len(d.Judges) > mostInFile:
		return nil, fmt.Errorf("judges: %d, at most %d; divide the file", len(d.Judges), mostInFile)
	case len(d.Models) > maxModels:
		return nil, fmt.Errorf("models: %d, at most %d", len(d.Models), maxModels)
	}
	models := map[string]map[string]any{}
	for i, m := range d.Models {
		name, text := m["name"].(string)
		switch {
		case !text || name == "":
			return nil, fmt.Errorf("models[%d].name: there is none; give each model a name, by which judges choose it", i)
		case models[name] != nil:
			return nil, fmt.Errorf("models[%d].name: %.64q is that of another model; give each its own", i, name)
		}
		if key, ok := m["key"].(string); ok {
			m["key"] = absolute(dir, key)
		}
		models[name] = m
	}
	var out Drafts
	for i, e := range d.Judges {
		at := fmt.Sprintf("judges[%d]", i)
		if !judgeName.MatchString(e.Name) {
			return nil, fmt.Errorf("%s.name: %.64q, must be 1 to 32 of a-z, 0-9 and -, not beginning with -; it is the name of a folder", at, e.Name)
		}
		at += " (" + e.Name + ")"
		if slices.ContainsFunc(out, func(j Draft) bool { return j.Name == e.Name }) {
			return nil, fmt.Errorf("%s.name: another judge has it; give each its own", at)
		}
		j, err := d.judge(dir, e, models)
		if err != nil {
			return nil, fmt.Errorf("%s.%w", at, err)
		}
		out = append(out, j)
	}
	return out, nil
}

// explain says where the text is no file of judges.
func explain(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		one := strict.Errors[0]
		row, _ := one.Position()
		return fmt.Errorf("line %d: %s: there is no such field; a file has stake, settings, models and judges, "+
			"and a judge name, persona, models, sources, stake and settings", row, strings.Join(one.Key(), "."))
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		row, _ := wrong.Position()
		return fmt.Errorf("line %d: %s", row, strings.TrimPrefix(err.Error(), "toml: "))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "toml: "))
}

// absolute makes the path to a key's file one that holds in every home.
func absolute(dir, key string) string {
	path, ok := strings.CutPrefix(key, "${file:")
	if !ok || filepath.IsAbs(path) {
		return key
	}
	return "${file:" + filepath.Join(dir, path)
}

// judge checks one entry. Errors begin with the name of a field.
func (d document) judge(dir string, e entry, models map[string]map[string]any) (j Draft, err error) {
	j = Draft{Name: e.Name, Models: e.Models}
	if text := cmp.Or(e.Stake, d.Stake); text != "" {
		much, err := client.ParseLamports(text)
		if err != nil || much == 0 {
			return j, fmt.Errorf("stake: %.40q, must be an amount such as 2sol", text)
		}
		j.Stake = &much
	}
	if e.Persona != "" {
		ref := e.Persona
		if strings.HasSuffix(ref, ".toml") {
			ref = under(dir, ref)
			j.own = ref
		}
		if j.Persona, err = persona.Find(ref); err != nil {
			return j, fmt.Errorf("persona: %w; ojud judge personas lists them", err)
		}
		if _, err := persona.Find(j.Persona.Name); j.own != "" && err == nil {
			return j, fmt.Errorf("persona: %q is also the name of a shipped one; rename the file", j.Persona.Name)
		}
	}
	if len(e.Sources) > maxSources {
		return j, fmt.Errorf("sources: %d, at most %d", len(e.Sources), maxSources)
	}
	for i, path := range e.Sources {
		s, err := datasource.Read(under(dir, path))
		if err != nil {
			return j, fmt.Errorf("sources[%d]: %s: %w; \"ojud source add\" writes such a file", i, path, err)
		}
		if slices.ContainsFunc(j.sources, func(o datasource.Source) bool { return o.Name == s.Name }) {
			return j, fmt.Errorf("sources[%d]: %q is there twice; leave one out", i, s.Name)
		}
		j.sources = append(j.sources, s)
	}
	var list []map[string]any
	for i, name := range e.Models {
		m := models[name]
		if m == nil {
			return j, fmt.Errorf("models[%d]: there is no model %.64q; the file has %s", i, name,
				cmp.Or(strings.Join(slices.Sorted(maps.Keys(models)), ", "), "none"))
		}
		list = append(list, m)
	}
	tree := map[string]any{}
	for _, more := range []map[string]any{d.Settings, e.Settings} {
		if err := merge(tree, more, ""); err != nil {
			return j, err
		}
	}
	if err := j.say(tree, list); err != nil {
		return j, err
	}
	if _, err = j.Settings(node.DefaultConfig()); err != nil {
		return j, fmt.Errorf("settings: %w", err)
	}
	return j, nil
}

// say puts the persona and the models into the settings, and writes them.
func (j *Draft) say(tree map[string]any, models []map[string]any) error {
	mine := map[string]any{"kind": judge.KindCode}
	if j.Persona.Name != "" {
		mine["persona"] = j.personaRef()
	}
	asked := map[string]any{}
	if len(models) > 0 {
		mine["kind"], asked["list"] = judge.KindModel, models
	}
	for section, fields := range map[string]map[string]any{"judge": mine, "models": asked} {
		there, table := tree[section].(map[string]any)
		if tree[section] != nil && !table {
			return fmt.Errorf("settings.%s: must be a table", section)
		}
		for field := range there {
			if field == "persona" || field == "list" || field == "kind" {
				return fmt.Errorf("settings.%s.%s: the judge's own persona and models say it; take it out of settings", section, field)
			}
		}
		if len(fields) == 0 {
			continue
		}
		if there == nil {
			there = map[string]any{}
			tree[section] = there
		}
		maps.Copy(there, fields)
	}
	body, err := toml.Marshal(tree)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	j.settings = append([]byte("# \"ojud court judges\" wrote this. docs/settings.md describes all settings.\n"), body...)
	return nil
}

// personaRef is the judge's persona as its settings name it: a file is copied into the home.
func (j *Draft) personaRef() string {
	if j.own != "" {
		return j.Persona.Name + ".toml"
	}
	return j.Persona.Name
}

// merge puts the values of one table into another.
func merge(into, from map[string]any, at string) error {
	for key, value := range from {
		below, table := value.(map[string]any)
		old, was := into[key].(map[string]any)
		switch {
		case !table:
			into[key] = value
		case !was && into[key] != nil:
			return fmt.Errorf("settings%s.%s: is a table here, and a value for all judges", at, key)
		default:
			if !was {
				old = map[string]any{}
				into[key] = old
			}
			if err := merge(old, below, at+"."+key); err != nil {
				return err
			}
		}
	}
	return nil
}

func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Settings returns the settings of the judge's node: what the file says, over others.
func (j Draft) Settings(others node.Config) (node.Config, error) {
	defaults := config.Default()
	defaults.Node = others
	c, err := config.Load(config.Sources{File: config.FileName, Text: j.settings, Defaults: &defaults})
	return c.Node, err
}
