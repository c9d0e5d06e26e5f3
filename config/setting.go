package config

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"ojud/config/bounds"
)

// Setting is one setting with its effective value.
type Setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Default string `json:"default"`
	// Source is default, PATH:LINE, "environment: OJUD_…" or "command line".
	Source string `json:"source"`
}

// Describe returns all settings in the order of their keys. It hides parts of URLs that may be
// secret.
func Describe(s Sources) ([]Setting, error) {
	layers, err := s.layers()
	if err != nil {
		return nil, err
	}
	c, err := s.load(layers)
	if err != nil {
		return nil, err
	}
	var out []Setting
	for _, f := range fieldsOf(reflect.TypeFor[Config](), "", nil) {
		at := Setting{Key: f.key, Value: f.text(c), Default: f.text(s.defaults()), Source: "default"}
		if i := strongest(layers, f.key); i >= 0 {
			at.Source = layers[i].where(f.key)
		}
		out = append(out, at)
	}
	slices.SortFunc(out, func(a, b Setting) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}

// Get returns one setting. For an unknown key the error names the nearest known one.
func Get(s Sources, key string) (Setting, error) {
	if err := checkKey(key, asKey); err != nil {
		return Setting{}, fmt.Errorf("%w: %w", errConfig, err)
	}
	all, err := Describe(s)
	if err != nil {
		return Setting{}, err
	}
	return all[slices.IndexFunc(all, func(at Setting) bool { return at.Key == key })], nil
}

// Set writes a setting into the settings file and returns its path. It keeps the other lines and
// comments. It refuses a value that would make the file invalid.
func Set(s Sources, key, value string) (path string, err error) {
	return s.edit(key, func(d *document) error {
		text, err := tomlValue(key, value)
		if err != nil {
			return err
		}
		return d.set(key, text)
	})
}

// ErrNotSet means that the settings file does not have the setting.
var ErrNotSet = errors.New("config: not set")

// Unset takes a setting out of the settings file, so that its default holds, and returns the file's
// path. It keeps the other lines and comments.
func Unset(s Sources, key string) (path string, err error) {
	return s.edit(key, func(d *document) error {
		found, err := d.unset(key)
		if err == nil && !found {
			err = ErrNotSet
		}
		return err
	})
}

// edit changes the settings file.
func (s Sources) edit(key string, change func(*document) error) (path string, err error) {
	if err := checkKey(key, asKey); err != nil {
		return "", fmt.Errorf("%w: %w", errConfig, err)
	}
	raw, err := readSettings(s.path())
	if err != nil && !os.IsNotExist(err) {
		return "", fmt.Errorf("%w: %w", errConfig, err)
	}
	d := newDocument(raw)
	if err := change(&d); err != nil {
		return "", fmt.Errorf("%w: %s: %w", errConfig, s.path(), err)
	}
	file, err := fileLayer(s.path(), d.bytes())
	if err == nil {
		err = file.check()
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", errConfig, err)
	}
	if _, err := s.load([]layer{file}); err != nil {
		return "", err
	}
	return s.path(), replaceFile(s.path(), d.bytes())
}

// replaceFile writes the whole file or nothing. It makes the folder if it is missing.
func replaceFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, content, 0o600); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// field is a setting as a field of Config.
type field struct {
	key   string
	index []int
	kind  reflect.Type
}

// fieldsOf walks a struct by its koanf tags. A field without a tag is only for code.
func fieldsOf(t reflect.Type, path string, index []int) (out []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("koanf"), ",")
		at := append(slices.Clone(index), i)
		switch {
		case name == "-" || name == "" && option == "":
		case option == "squash":
			out = append(out, fieldsOf(f.Type, path, at)...)
		case f.Type.Kind() == reflect.Struct:
			out = append(out, fieldsOf(f.Type, path+name+".", at)...)
		default:
			out = append(out, field{path + name, at, f.Type})
		}
	}
	return out
}

// text writes the value of a setting as an operator types it.
func (f field) text(c Config) string {
	value := reflect.ValueOf(c).FieldByIndex(f.index)
	switch v := value.Interface().(type) {
	case time.Duration:
		return bounds.Duration(v)
	case []string:
		shown := make([]string, len(v))
		for i, text := range v {
			shown[i] = hideSecrets(text)
		}
		return strings.Join(shown, ",")
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return hideSecrets(v)
	}
	if value.Kind() == reflect.Slice { // of sections
		return strconv.Itoa(value.Len()) + " entries"
	}
	return fmt.Sprint(value.Interface())
}

// hideSecrets keeps scheme and host of a URL. Providers of RPC nodes put keys into the rest.
func hideSecrets(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User == nil && u.RawQuery == "" && strings.Trim(u.Path, "/") == "" {
		return text
	}
	return u.Scheme + "://" + u.Host + "/… (hidden)"
}

// typeOf names the type of a setting with its article.
func typeOf(key string) string {
	for _, f := range fieldsOf(reflect.TypeFor[Config](), "", nil) {
		if f.key == key {
			return typeName(f.kind)
		}
	}
	return "a setting"
}

func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "a duration, such as 90s or 5m"
	case t == reflect.TypeFor[[]string]():
		return "a list of texts"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list of sections"
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0"
	}
	return "a whole number"
}

// tomlValue spells a value of the command line as TOML.
func tomlValue(key, value string) (string, error) {
	kind := typeOf(key)
	switch kind {
	case "true or false":
		if value != "true" && value != "false" {
			return "", fmt.Errorf("%q is not %s", value, kind)
		}
		return value, nil
	case "a number", "a whole number", "a whole number from 0":
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			return "", fmt.Errorf("%q is not %s", value, kind)
		}
		return value, nil
	case "a list of sections":
		return "", fmt.Errorf("it is %s, [[%s]]; edit the file", kind, key)
	case "a list of texts":
		var items []string
		for item := range strings.SplitSeq(value, ",") {
			items = append(items, tomlText(item))
		}
		return "[" + strings.Join(items, ", ") + "]", nil
	}
	return tomlText(value), nil
}

// tomlText quotes a text. The escapes of strconv are valid in TOML except \x.
func tomlText(text string) string {
	return strings.ReplaceAll(strconv.Quote(strings.ToValidUTF8(text, "\ufffd")), `\x`, `\u00`)
}
