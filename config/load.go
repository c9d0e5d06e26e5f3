package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/v2"
	"github.com/pelletier/go-toml/v2"

	"ojud/node/client"
)

// FileName is the name of the settings file in a home.
const FileName = "ojud.toml"

// maxFile bounds the settings file, in bytes.
const maxFile = 1 << 20

// prefix begins the name of each environment variable of a setting.
const prefix = "OJUD_"

// Sources are the places that settings come from.
type Sources struct {
	// Home is the node's directory. It is required; see Home.
	Home string
	// File is the settings file. If it is empty, Load reads ojud.toml in the home, if there is one.
	File string
	// Text is the content of the settings file if it is not nil. File only names it then.
	Text []byte
	// Env holds the variables as os.Environ returns them.
	Env []string
	// Flags are settings of the command line by key, such as "ledger.rpc".
	Flags map[string]any
	// Defaults hold for settings that are not set. Nil means Default().
	Defaults *Config
}

// path returns the settings file.
func (s Sources) path() string {
	if s.File != "" {
		return s.File
	}
	return filepath.Join(s.Home, FileName)
}

func (s Sources) defaults() Config {
	if s.Defaults != nil {
		return *s.Defaults
	}
	return Default()
}

// Load gathers the settings and validates them. An error names the key of the wrong value and its
// place: the file with its line, the variable or the command line. For an unknown key it names the
// nearest known one.
func Load(s Sources) (Config, error) {
	layers, err := s.layers()
	if err != nil {
		return Config{}, err
	}
	return s.load(layers)
}

func (s Sources) load(layers []layer) (Config, error) {
	c, err := s.decode(layers, "")
	if err != nil {
		return Config{}, s.blame(layers, err)
	}
	return c, nil
}

// layer holds the settings of one place.
type layer struct {
	*koanf.Koanf
	place string                  // as an error names it
	where func(key string) string // the place of one key, with its line
}

// layers returns the layers from the weakest to the strongest.
func (s Sources) layers() ([]layer, error) {
	var out []layer
	for _, read := range []func() (layer, error){s.fileLayer, s.envLayer, s.flagLayer} {
		l, err := read()
		if err == nil {
			err = l.check()
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errConfig, err)
		}
		out = append(out, l)
	}
	return out, nil
}

// check refuses unknown keys.
func (l layer) check() error {
	for _, key := range l.Keys() {
		if table, ok := l.Get(key).(map[string]any); ok && len(table) == 0 && isSection(key) {
			continue // every line of the section is a comment
		}
		spell := asKey
		if l.place == environment {
			spell = Variable
		}
		if err := checkKey(key, spell); err != nil {
			return fmt.Errorf("%s: %w", l.where(key), err)
		}
	}
	return nil
}

// environment and commandLine are places of settings.
const environment, commandLine = "environment", "command line"

func asKey(key string) string { return key }

func newLayer(place string, values map[string]any) (layer, error) {
	k := koanf.New(".")
	err := k.Load(confmap.Provider(values, "."), nil)
	return layer{k, place, func(string) string { return place }}, err
}

func (s Sources) fileLayer() (layer, error) {
	if s.Text != nil {
		return fileLayer(s.path(), s.Text)
	}
	raw, err := readSettings(s.path())
	if errors.Is(err, fs.ErrNotExist) && s.File == "" {
		return newLayer(s.path(), nil)
	}
	if err != nil {
		return layer{}, err
	}
	return fileLayer(s.path(), raw)
}

// readSettings reads the settings file. It refuses one that is larger than maxFile.
func readSettings(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxFile {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func fileLayer(path string, raw []byte) (layer, error) {
	var values map[string]any
	if err := toml.Unmarshal(raw, &values); err != nil {
		var wrong *toml.DecodeError
		if errors.As(err, &wrong) {
			row, column := wrong.Position()
			return layer{}, fmt.Errorf("%s:%d:%d: %s", path, row, column, strings.TrimPrefix(err.Error(), "toml: "))
		}
		return layer{}, fmt.Errorf("%s: %w", path, err)
	}
	l, err := newLayer(path, values)
	lines := newDocument(raw).lines()
	l.where = func(key string) string {
		for at := key; at != "."; at = parent(at) {
			if n, ok := lines[at]; ok {
				return path + ":" + strconv.Itoa(n)
			}
		}
		return path
	}
	return l, err
}

// parent returns the section of a key, "." for a key at the top.
func parent(key string) string {
	i := strings.LastIndexByte(key, '.')
	if i < 0 {
		return "."
	}
	return key[:i]
}

// notSettings lists the variables that begin with OJUD_ and are not settings of the file.
func notSettings() []string {
	return []string{homeVariable, NetworkVariable, KeyVariable, "OJUD_LLM_URL", "OJUD_LLM_MODEL", "OJUD_LLM_KEY"}
}

func (s Sources) envLayer() (layer, error) {
	k := koanf.New(".")
	err := k.Load(env.Provider(".", env.Opt{
		Prefix: prefix, EnvironFunc: func() []string { return s.Env },
		TransformFunc: func(name, value string) (string, any) {
			if slices.Contains(notSettings(), name) {
				return "", nil
			}
			return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, prefix)), "__", "."), value
		},
	}), nil)
	return layer{k, environment, func(key string) string { return environment + ": " + Variable(key) }}, err
}

// Variable returns the environment variable of a key.
func Variable(key string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(key, ".", "__"))
}

func (s Sources) flagLayer() (layer, error) { return newLayer(commandLine, s.Flags) }

// decode puts the layers over the defaults and validates the result. It leaves out the key in
// without.
func (s Sources) decode(layers []layer, without string) (Config, error) {
	c := s.defaults()
	all := koanf.New(".")
	for _, l := range layers {
		if err := all.Merge(l.Koanf); err != nil {
			return c, fmt.Errorf("%s: %w", l.place, err)
		}
	}
	if without != "" {
		all.Delete(without)
	}
	decode := koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		Result: &c, TagName: "koanf", WeaklyTypedInput: true, ErrorUnused: true, ZeroFields: true, // a list replaces the default list
		DecodeHook: mapstructure.ComposeDecodeHookFunc(notNegative, mapstructure.StringToTimeDurationHookFunc(), mapstructure.StringToSliceHookFunc(",")),
	}}
	if err := all.UnmarshalWithConf("", &c, decode); err != nil {
		return c, typeError{err}
	}
	c.Home, c.Node.Ledger.RPC, c.Node.Ledger.MoreRPC = s.Home, client.URL(c.Node.Ledger.RPC), URLs(c.Node.Ledger.MoreRPC)
	return c, c.Validate()
}

// URLs adds http:// to those of the texts that are HOST:PORT.
func URLs(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = client.URL(strings.TrimSpace(text))
	}
	return out
}

// notNegative refuses a negative number for an unsigned setting. Weak typing would turn it into a
// huge number.
func notNegative(_, to reflect.Type, value any) (any, error) {
	v := reflect.ValueOf(value)
	if unsigned := reflect.New(to).Elem().CanUint(); unsigned && (v.CanInt() && v.Int() < 0 || v.CanFloat() && v.Float() < 0) {
		return nil, fmt.Errorf("%v is negative", value)
	}
	return value, nil
}

// typeError means that a value does not have the type of its setting.
type typeError struct{ error }

// blame adds to an error the key that causes it and the place of its value. A key is the cause if
// the error changes or disappears without it.
func (s Sources) blame(layers []layer, err error) error {
	for _, key := range keys() {
		i := strongest(layers, key)
		if i < 0 {
			continue
		}
		if _, other := s.decode(layers, key); other != nil && other.Error() == err.Error() {
			continue
		}
		var wrong typeError
		if value := layers[i].Get(key); errors.As(err, &wrong) {
			if _, table := value.(map[string]any); !table && !isList(value) {
				err = fmt.Errorf("%q is not %s", fmt.Sprint(value), typeOf(key))
			}
		}
		return fmt.Errorf("%w: %s: %s: %w", errConfig, layers[i].where(key), key, withoutPrefix(err))
	}
	if errors.Is(err, errConfig) {
		return err
	}
	return fmt.Errorf("%w: %w", errConfig, err)
}

func isList(value any) bool {
	switch value.(type) {
	case []any, []string:
		return true
	}
	return false
}

// withoutPrefix unwraps an error of Validate, which begins with ErrConfig.
func withoutPrefix(err error) error {
	if text, ok := strings.CutPrefix(err.Error(), errConfig.Error()+": "); ok {
		return errors.New(text)
	}
	return err
}

// strongest returns the index of the strongest layer that sets a key, or -1.
func strongest(layers []layer, key string) int {
	for i, l := range slices.Backward(layers) {
		if l.Exists(key) {
			return i
		}
	}
	return -1
}
