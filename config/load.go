package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
)

// FileName is the settings' file in a home.
const FileName = "ojud.toml"

// maxFile bounds the settings' file, in bytes.
const maxFile = 1 << 20

// prefix is what the names of environment variables begin with.
const prefix = "OJUD_"

// Sources are where settings come from.
type Sources struct {
	// Home is the node's directory. Required: see Home.
	Home string
	// File is the settings' file. Empty: ojud.toml in the home, if there is one.
	File string
	// Env are the variables, as os.Environ gives them.
	Env []string
	// Flags are settings of the command line by key, such as "ledger.rpc".
	Flags map[string]any
	// Defaults are what holds when nothing is set. Nil: Default().
	Defaults *Config
}

// Load gathers the settings and validates them. An error names the place and the key, and for a key that does not exist the
// nearest one that does.
func Load(s Sources) (Config, error) {
	c := Default()
	if s.Defaults != nil {
		c = *s.Defaults
	}
	k := koanf.New(".")
	for _, layer := range []func(*koanf.Koanf, Sources) error{loadFile, loadEnv, loadFlags} {
		if err := layer(k, s); err != nil {
			return Config{}, err
		}
	}
	decode := koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		Result: &c, TagName: "koanf", WeaklyTypedInput: true, ErrorUnused: true, ZeroFields: true, // a list replaces the default list
		DecodeHook: mapstructure.ComposeDecodeHookFunc(mapstructure.StringToTimeDurationHookFunc(), mapstructure.StringToSliceHookFunc(",")),
	}}
	if err := k.UnmarshalWithConf("", &c, decode); err != nil {
		return Config{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	c.Home = s.Home
	return c, c.Validate()
}

// merge checks the keys of a layer and puts it over what is there.
func merge(k *koanf.Koanf, place string, spell func(string) string, provider koanf.Provider, parser koanf.Parser) error {
	layer := koanf.New(".")
	if err := layer.Load(provider, parser); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrConfig, place, err)
	}
	for _, key := range layer.Keys() {
		if table, ok := layer.Get(key).(map[string]any); ok && len(table) == 0 && isSection(key) {
			continue // a section in which everything is commented out
		}
		if err := checkKey(key, spell); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrConfig, place, err)
		}
	}
	if err := k.Merge(layer); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrConfig, place, err)
	}
	return nil
}

func asKey(key string) string { return key }

func loadFile(k *koanf.Koanf, s Sources) error {
	path := s.File
	if path == "" {
		path = filepath.Join(s.Home, FileName)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && s.File == "" {
		return nil
	}
	if err == nil && info.Size() > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return merge(k, path, asKey, file.Provider(path), toml.Parser())
}

// notSettings are variables that begin with OJUD_ and are no settings of the file: they say where things are.
func notSettings() []string {
	return []string{HomeVariable, NetworkVariable, KeyVariable, "OJUD_LLM_URL", "OJUD_LLM_MODEL", "OJUD_LLM_KEY"}
}

func loadEnv(k *koanf.Koanf, s Sources) error {
	return merge(k, "environment", variable, env.Provider(".", env.Opt{
		Prefix: prefix, EnvironFunc: func() []string { return s.Env },
		TransformFunc: func(name, value string) (string, any) {
			for _, other := range notSettings() {
				if name == other {
					return "", nil
				}
			}
			return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, prefix)), "__", "."), value
		},
	}), nil)
}

// variable spells a key as the environment does.
func variable(key string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(key, ".", "__"))
}

func loadFlags(k *koanf.Koanf, s Sources) error {
	return merge(k, "command line", asKey, confmap.Provider(s.Flags, "."), nil)
}
