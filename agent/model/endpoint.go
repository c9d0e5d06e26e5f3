package model

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ojud/config/bounds"
)

// Endpoint is a model at a server.
type Endpoint struct {
	// Name identifies the model in logs, metrics and opinions, 1 to 64 of a-z A-Z 0-9 . _ : / -; of
	// an embedding, the name that a class has.
	Name string `koanf:"name"`
	// Provider is the API of the server: OpenAI (and compatible ones), Anthropic, Google or Ollama.
	Provider string `koanf:"provider"`
	// URL is the start of the server's API, such as "http://127.0.0.1:8000/v1". Empty: the
	// provider's own.
	URL string `koanf:"url"`
	// Model is the server's name of the model.
	Model string `koanf:"model"`
	// Key names the place of the key: "${env:NAME}" or "${file:PATH}". If it is empty, no key is
	// sent.
	Key string `koanf:"key"`
	// Family is the maker of the model, such as "llama". Judges of one family err together.
	Family string `koanf:"family"`
	// PromptPrice and CompletionPrice are US dollars per million tokens.
	PromptPrice     float64 `koanf:"prompt_price"`
	CompletionPrice float64 `koanf:"completion_price"`
	// MaxTokens bounds an answer, 1 to 32768; 0 means 4096.
	MaxTokens int `koanf:"max_tokens"`
	// Timeout bounds one request, 1s to 10m; 0 means 90s.
	Timeout time.Duration `koanf:"timeout"`
	// Schema is the strictest way that the server can enforce a schema: SchemaJSON (also if empty),
	// SchemaObject or SchemaPrompt. If the server refuses it, the next one is tried.
	Schema string `koanf:"schema"`
	// Tools says that the model can call tools itself.
	Tools bool `koanf:"tools"`
	// LegacyMaxTokens sends the token limit as max_tokens, for servers that do not know
	// max_completion_tokens.
	LegacyMaxTokens bool `koanf:"legacy_max_tokens"`
	// ThinkFirst asks for free text before each answer in a form, in a call of its own. It is for
	// models that do not think by themselves, and doubles the calls.
	ThinkFirst bool `koanf:"think_first"`
}

// The values of Endpoint.Provider.
const (
	OpenAI            = "openai"
	providerAnthropic = "anthropic"
	google            = "googleai" // its OpenAI-compatible endpoint
	ollama            = "ollama"   // its OpenAI-compatible endpoint
)

// The values of Endpoint.Schema, from the strictest.
const (
	schemaJSON   = "json_schema" // the server samples nothing else
	schemaObject = "json_object" // the server samples some JSON, and the prompt has the schema
	schemaPrompt = "prompt"      // the prompt has the schema
)

const (
	defaultTokens  = 4096
	mostTokens     = 32768
	defaultTimeout = 90 * time.Second
)

var (
	entryName = regexp.MustCompile(`^[a-zA-Z0-9._:/-]{1,64}$`)
	modelName = regexp.MustCompile(`^[a-zA-Z0-9._:/@+-]{1,128}$`)
)

// home is the base URL of a provider's API, if none is configured.
func home(provider string) string {
	return map[string]string{
		OpenAI:            "https://api.openai.com/v1",
		providerAnthropic: "https://api.anthropic.com/v1",
		google:            "https://generativelanguage.googleapis.com/v1beta/openai", // https://ai.google.dev/gemini-api/docs/openai
		ollama:            "http://127.0.0.1:11434/v1",
	}[provider]
}

func (e Endpoint) whole() Endpoint {
	if e.URL == "" {
		e.URL = home(e.Provider)
	}
	if e.MaxTokens == 0 {
		e.MaxTokens = defaultTokens
	}
	if e.Timeout == 0 {
		e.Timeout = defaultTimeout
	}
	if e.Schema == "" {
		e.Schema = schemaJSON
	}
	// Ollama 0.6 knows no other name, and later ones know this one too.
	e.LegacyMaxTokens = e.LegacyMaxTokens || e.Provider == ollama
	return e
}

func (e Endpoint) named() error {
	if !entryName.MatchString(e.Name) {
		return fmt.Errorf("name is %.80q; set it to 1 to 64 of a-z A-Z 0-9 . _ : / -", e.Name)
	}
	return nil
}

// namedByClass checks the name of an embedding, which is that of a class: any text that prints.
func (e Endpoint) namedByClass() error {
	if n := utf8.RuneCountInString(e.Name); n < 1 || n > 64 || strings.ContainsFunc(e.Name, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return fmt.Errorf("name is %.80q; set it to the name that the class has, 1 to 64 printable characters", e.Name)
	}
	return nil
}

func (e Endpoint) validate() error {
	if err := bounds.Check("", bounds.OneOf("provider", e.Provider, OpenAI, providerAnthropic, google, ollama)); err != nil {
		return err
	}
	if !modelName.MatchString(e.Model) {
		return fmt.Errorf("model is %.80q; set it to the server's name of the model, 1 to 128 of a-z A-Z 0-9 . _ : / @ + -", e.Model)
	}
	if e.Family != "" && !entryName.MatchString(e.Family) {
		return fmt.Errorf("family is %.80q; set it to at most 64 of a-z A-Z 0-9 . _ : / -", e.Family)
	}
	if err := e.validPlace(); err != nil {
		return err
	}
	return e.whole().validBounds()
}

func (e Endpoint) validBounds() error {
	return bounds.Check("",
		bounds.Of("prompt_price", e.PromptPrice, 0, 10_000),
		bounds.Of("completion_price", e.CompletionPrice, 0, 10_000),
		bounds.Of("max_tokens", e.MaxTokens, 1, mostTokens),
		bounds.Of("timeout", e.Timeout, time.Second, 10*time.Minute),
		bounds.OneOf("schema", e.Schema, schemaJSON, schemaObject, schemaPrompt),
	)
}

// validPlace checks the target of requests. Its errors repeat no value: it may be a key.
func (e Endpoint) validPlace() error {
	u, err := url.Parse(e.whole().URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "":
		return errors.New("url is no http or https URL; set it to the start of the API, such as \"http://127.0.0.1:8000/v1\"")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("url has a user name, a query or a fragment; remove it, and set key to ${env:NAME} or ${file:PATH}")
	case e.Key != "" && !reference.MatchString(e.Key):
		return errors.New("key is no reference; set it to ${env:NAME} or ${file:PATH}, because settings must not contain a key")
	case e.Key == "" && e.URL == "" && e.Provider != ollama:
		return errors.New("key is empty, and " + u.Hostname() + " wants one; set it to ${env:NAME} or ${file:PATH}")
	case e.Key != "" && u.Scheme == "http" && !near(u.Hostname()):
		return errors.New("url would send the key unencrypted; use https")
	}
	return nil
}

// near reports whether a host is a private address, or a name without a dot.
func near(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate()
	}
	return !strings.Contains(host, ".")
}
