package model

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/v2"
)

func valid() Config {
	c := DefaultConfig()
	c.Models = []Endpoint{{Name: "a", Provider: OpenAI, Model: "gpt", Key: "${env:OPENAI_KEY}"}, {Name: "b", Provider: ollama, Model: "smollm2:135m"},
		{Name: "c", Provider: providerAnthropic, Model: "claude", Key: "${file:/run/secrets/anthropic}"},
		{Name: "d", Provider: OpenAI, Model: "org/x", URL: "http://vllm:8000/v1", Key: "${env:VLLM_KEY}"}}
	return c
}

// TestValidate: an error names the field, its limits and the fix.
func TestValidate(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	if err := valid().Validate(); err != nil {
		t.Error(err)
	}
	for says, change := range map[string]func(*Config){
		"list has 17 entries; write at most 16":              func(c *Config) { c.Models = make([]Endpoint, 17) },
		"list[1].name is \"a\" as that of another":           func(c *Config) { c.Models[1].Name = "a" },
		"list[0].name is \"\"; set it to":                    func(c *Config) { c.Models[0].Name = "" },
		"list[0].name is \"a b\"; set it to":                 func(c *Config) { c.Models[0].Name = "a b" },
		"list[0].provider is \"bard\"; set it to":            func(c *Config) { c.Models[0].Provider = "bard" },
		"list[0].model is \"\"; set it to":                   func(c *Config) { c.Models[0].Model = "" },
		"list[0].family is \"x y\"; set it to":               func(c *Config) { c.Models[0].Family = "x y" },
		"list[0].prompt_price is -1; set it to":              func(c *Config) { c.Models[0].PromptPrice = -1 },
		"list[0].prompt_price is NaN; set it to":             func(c *Config) { c.Models[0].PromptPrice = math.NaN() },
		"list[0].completion_price is +Inf; set it to":        func(c *Config) { c.Models[0].CompletionPrice = math.Inf(1) },
		"list[0].max_tokens is 32769; set it to":             func(c *Config) { c.Models[0].MaxTokens = 32769 },
		"list[0].timeout is 1ms; set it to":                  func(c *Config) { c.Models[0].Timeout = time.Millisecond },
		"list[0].schema is \"xml\"; set it to":               func(c *Config) { c.Models[0].Schema = "xml" },
		"list[0].url is no http or https URL; set it to":     func(c *Config) { c.Models[0].URL = "ftp://x/v1" },
		"list[2].url has a user name":                        func(c *Config) { c.Models[2].URL = "https://" + "u:" + secretWord + "@x/v1" },
		"list[3].url has a user name, a query":               func(c *Config) { c.Models[3].URL = "https://x/v1?key=" + secretWord },
		"list[0].url would send the key unencrypted":         func(c *Config) { c.Models[0].URL = "http://api.example.com/v1" },
		"list[0].key is no reference; set it to ${env:":      func(c *Config) { c.Models[0].Key = secretWord },
		"list[2].key is no reference":                        func(c *Config) { c.Models[2].Key = secretWord + "${env:X}" },
		"list[0].key is empty, and api.openai.com wants":     func(c *Config) { c.Models[0].Key = "" },
		"list[2].key is empty, and api.anthropic.com":        func(c *Config) { c.Models[2].Key = "" },
		"retries is 6; set it to 0 to 5":                     func(c *Config) { c.Retries = 6 },
		"budget.calls is 0; set it to":                       func(c *Config) { c.Budget.Calls = 0 },
		"budget.tokens is 0; set it to":                      func(c *Config) { c.Budget.Tokens = 0 },
		"budget.cost is NaN; set it to":                      func(c *Config) { c.Budget.Cost = math.NaN() },
		"budget.time is 0s; set it to":                       func(c *Config) { c.Budget.Time = 0 },
		"tape.mode is \"loop\"; set it to":                   func(c *Config) { c.Tape.Mode = "loop" },
		"tape.mode is \"record\" and tape.dir is \"\"; set ": func(c *Config) { c.Tape.Mode = TapeRecord },
	} {
		c := valid()
		change(&c)
		err := fmt.Sprint(c.Validate())
		if !strings.HasPrefix(err, "model: "+says) {
			t.Errorf("%s\nwant model: %s", err, says)
		}
		if strings.Contains(err, secretWord) {
			t.Errorf("the error repeats the key: %s", err)
		}
		if _, err := New(c, Deps{}); err == nil {
			t.Error("a ladder is made of wrong settings")
		}
	}
	if _, err := New(DefaultConfig(), Deps{}); err == nil || !strings.Contains(err.Error(), "list is empty") {
		t.Error(err)
	}
}

// TestSettings: a settings file with these names is read into the configuration.
func TestSettings(t *testing.T) {
	k := koanf.New(".")
	text := `retries = 1
budget = {calls = 5, tokens = 1000, cost = 0.25, time = "90s"}
tape = {mode = "replay", dir = "tape"}
[[list]]
name = "a"
provider = "openai"
url = "http://127.0.0.1:8000/v1"
model = "x"
key = "${env:KEY}"
family = "llama"
prompt_price = 0.15
completion_price = 1
max_tokens = 100
timeout = "30s"
schema = "json_object"
tools = true
legacy_max_tokens = true
think_first = true
[[list]]
name = "b"
provider = "ollama"
model = "y"
`
	if err := k.Load(rawbytes(text), toml.Parser()); err != nil {
		t.Fatal(err)
	}
	c := DefaultConfig()
	if err := k.UnmarshalWithConf("", &c, koanf.UnmarshalConf{Tag: "koanf"}); err != nil {
		t.Fatal(err)
	}
	want := Config{Retries: 1, Budget: Budget{5, 1000, 0.25, 90 * time.Second}, Tape: Tape{TapeReplay, "tape"}, Models: []Endpoint{
		{"a", OpenAI, "http://127.0.0.1:8000/v1", "x", "${env:KEY}", "llama", 0.15, 1, 100, 30 * time.Second, schemaObject, true, true, true},
		{Name: "b", Provider: ollama, Model: "y"},
	}}
	same(t, "settings", fmt.Sprintf("%+v", c), fmt.Sprintf("%+v", want))
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

// rawbytes is a koanf.Provider of a text.
type rawbytes string

func (r rawbytes) ReadBytes() ([]byte, error)  { return []byte(r), nil }
func (rawbytes) Read() (map[string]any, error) { return nil, errors.ErrUnsupported }

const secretWord = "sk-written-where-it-should-not-be"

// TestNear: a key leaves the local network only encrypted.
func TestNear(t *testing.T) {
	for host, want := range map[string]bool{"127.0.0.1": true, "::1": true, "10.1.2.3": true, "192.168.0.7": true, "fd00::1": true, "localhost": true, "vllm": true,
		"8.8.8.8": false, "api.example.com": false, "2001:4860::1": false, "169.254.169.254": false} {
		same(t, host, near(host), want)
	}
}
