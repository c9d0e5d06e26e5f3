package homes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ojud/cmd/ojud/cli"
	"ojud/node/cluster"
	"ojud/node/homes"
)

// Models holds the flags of a devnet for its judges and the models that they ask.
type Models struct {
	urls, names, keys []string
	seats             int
	file              string
	plan              homes.Drafts
}

// Flags adds the flags.
func (m *Models) Flags(f *pflag.FlagSet) {
	f.StringVar(&m.file, "judges", "", "file of judges, as \"ojud court judges\" takes it: personas, models, sources and stakes of each")
	f.StringArrayVar(&m.urls, "model-url", nil, "start of the OpenAI-compatible API of the judges' model; judges take turns if there are several")
	f.StringArrayVar(&m.names, "model", nil, "the server's name of the model, one for each --model-url")
	f.StringArrayVar(&m.keys, "model-key", nil, "place of the server's key, one for each --model-url: ${env:NAME} or ${file:PATH}, never the key itself")
	f.IntVar(&m.seats, "model-seats", 0, "judges that ask a model, the first ones; the others judge by code alone (default all)")
}

// Read reads the file of judges, if there is one, and returns how many judges it has.
func (m *Models) Read() (int, error) {
	if m.file == "" {
		return 0, nil
	}
	if m.Given() {
		return 0, cli.Usage("--judges says the models of each judge, and so do --model-url, --model, --model-key and --model-seats").Next("leave these out")
	}
	var err error
	if m.plan, err = homes.Read(m.file); err != nil {
		return 0, cli.Usage("--judges: %s", cli.Plain(err))
	}
	return len(m.plan), nil
}

// Given reports whether one of the flags for models was given.
func (m *Models) Given() bool { return len(m.urls)+len(m.names)+len(m.keys) > 0 || m.seats != 0 }

// localModel says how to run a model on one's own machine.
const localModel = "with llama.cpp: llama-server -m qwen3-8b.gguf --port 8080, then --model-url http://127.0.0.1:8080/v1 --model qwen3-8b; " +
	"with Ollama: ollama pull qwen3:8b, then --model-url http://127.0.0.1:11434/v1 --model qwen3:8b"

// Ask returns the configuration with these judges, or with these models for the judges of the story
// about them.
func (m *Models) Ask(c cluster.Config) (cluster.Config, error) {
	if m.plan != nil {
		reasoning := c.Node.Judge.Reasoning
		c = c.Reasoned() // models are slow; how often they are asked is up to the file
		c.Judges, c.Node.Judge.Reasoning = m.plan, reasoning
		return c, nil
	}
	if c.Story != cluster.StoryJudges && !m.Given() {
		return c, nil
	}
	switch n := len(m.urls); {
	case n == 0:
		return c, cli.Usage("the judges of this demo ask a model, and there is none").Next(localModel)
	case len(m.names) != n:
		return c, cli.Usage("%d --model-url and %d --model", n, len(m.names)).Next("name one model for each server, as the server calls it: GET /models below its URL lists them")
	case len(m.keys) != 0 && len(m.keys) != n:
		return c, cli.Usage("%d --model-url and %d --model-key", n, len(m.keys)).Next("name one key for each server; leave it empty if the server needs none")
	}
	c = c.Reasoned()
	c.ModelSeats = m.seats
	for i, url := range m.urls {
		key := ""
		if len(m.keys) > 0 {
			key = absolute(m.keys[i])
		}
		c = c.Asking(url, m.names[i], key)
	}
	return c, nil
}

// absolute returns an absolute path to a key file, because judges have homes of their own.
func absolute(key string) string {
	path, ok := strings.CutPrefix(key, "${file:")
	if !ok || filepath.IsAbs(path) {
		return key
	}
	whole, err := filepath.Abs(strings.TrimSuffix(path, "}"))
	if err != nil {
		return key // the check of the settings reports the error
	}
	return "${file:" + whole + "}"
}

// Probe sends a tiny request to the models before a court waits for them.
func Probe(ctx context.Context, cfg cluster.Config, say func(format string, args ...any)) error {
	reports, err := cfg.Probe(ctx)
	for _, r := range reports {
		if r.Err == nil {
			say("The model %s answered something tiny in %s.", r.Name, r.Took.Round(time.Millisecond))
		}
	}
	if errors.Is(err, homes.ErrNoModel) {
		return cli.Fail("%s", cli.Plain(err)).Next("look whether its server runs, and check URL, name and key; " + localModel)
	}
	if err != nil {
		return fmt.Errorf("the models: %w", err)
	}
	return nil
}

// Kept returns the number of judges that a devnet has in its folder from an earlier start.
func Kept(dir string) (int, error) { return homes.Kept(dir) }
