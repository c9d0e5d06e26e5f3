package kind

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Form is one way to describe a source on a command line. Its own flag selects it.
type Form struct {
	Flag
	More   []Flag            // the other flags that go with it
	fields map[string]string // from fields of the settings to flags, where the names differ
	make   func(v Values) (Settings, error)
}

// Flag is a flag of a command line.
type Flag struct {
	Name  string // without dashes
	Help  string
	Value FlagValue
}

// FlagValue is the syntax of a flag's value.
type FlagValue int

// The kinds of flag values. In Values a span is a number of seconds.
const (
	Text   FlagValue = iota
	List             // texts; a person repeats the flag
	Switch           // a person writes no value
	Count            // a whole number above 0
	Span             // a time above 0
)

// Values are a person's input, by the names of flags. Only a List has several.
type Values map[string][]string

func (v Values) text(flag string) string {
	if len(v[flag]) == 0 {
		return ""
	}
	return v[flag][0]
}

func (v Values) is(flag string) bool { return v.text(flag) == "true" }

func (v Values) count(flag string) int {
	n, err := strconv.Atoi(v.text(flag))
	if err != nil {
		return 0
	}
	return n
}

// FlagError is an error in a person's input.
type FlagError struct {
	Flag    string // without dashes; "NAME" is the argument; "" if it is about several flags
	Problem string // the error and the valid form
}

// Error names the flag.
func (e *FlagError) Error() string {
	switch e.Flag {
	case "":
		return e.Problem
	case "NAME":
		return "NAME: " + e.Problem
	}
	return "--" + e.Flag + ": " + e.Problem
}

func wrongFlag(flag, format string, args ...any) error {
	return &FlagError{Flag: flag, Problem: fmt.Sprintf(format, args...)}
}

// Forms are the forms of all kinds, in the order of a help page.
func Forms() []Form { return kinds().forms() }

func (t table) forms() (out []Form) {
	for _, k := range t {
		out = append(out, k.forms...)
	}
	return out
}

// Settings makes settings, not validated, of a person's values. Errors may be *FlagErrors.
func (f Form) Settings(v Values) (Settings, error) { return f.make(v) }

// Has reports whether a flag goes with the form.
func (f Form) Has(flag string) bool {
	return f.Name == flag || slices.ContainsFunc(f.More, func(other Flag) bool { return other.Name == flag })
}

// FlagOf returns the flag that sets a field of the settings. It returns "" if there is none.
func (f Form) FlagOf(field string) string {
	field, _, _ = strings.Cut(field, "[")
	for field != "" {
		flag, ok := f.fields[field]
		if !ok {
			flag = strings.ReplaceAll(field, "_", "-")
		}
		if f.Has(flag) {
			return flag
		}
		field = field[:max(0, strings.LastIndexByte(field, '.'))]
	}
	return ""
}

// The flags of several kinds.
var (
	headerFlag  = Flag{"header", "NAME=VALUE; write secrets as ${env:NAME} or ${file:PATH}", List}
	privateFlag = Flag{"allow-private", "this machine and private networks may be spoken to", Switch}
)

// pairs reads NAME=VALUE. An error does not quote the value because it may be a secret.
func pairs(v Values, flag string) (map[string]string, error) {
	var out map[string]string
	for i, text := range v[flag] {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, wrongFlag(flag, "number %d is not NAME=VALUE", i+1)
		}
		if _, twice := out[name]; twice {
			return nil, wrongFlag(flag, "%.64q is there twice; say it once", name)
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out, nil
}

// jsonValue reads a JSON value. It returns nil for a flag that is absent.
func jsonValue(v Values, flag string) (json.RawMessage, error) {
	text := v.text(flag)
	if text == "" {
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, wrongFlag(flag, `is not a JSON value; write null, a "text" in double quotes, or {"a": 1}`)
	}
	return json.RawMessage(text), nil
}

var keyName = regexp.MustCompile(`(?i)(token|secret|passw|api[-_]?key|(^|[-_])key$|signature)`)

// withoutKey refuses a URL with a literal key in it, because source files are shown and copied.
func withoutKey(flag, template string) error {
	_, query, _ := strings.Cut(template, "?")
	for _, part := range strings.Split(query, "&") {
		name, text, _ := strings.Cut(part, "=")
		if keyName.MatchString(name) && text != "" && !strings.ContainsAny(text, "{") {
			return wrongFlag(flag, "carries a key in the parameter %q; write ${env:NAME} or ${file:PATH} in its place", name)
		}
	}
	return nil
}
