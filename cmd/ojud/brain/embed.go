package brain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ojud/agent/model"
	agentwork "ojud/agent/work"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/megabrain/finding"
	"ojud/node/library"
)

// The bounds of texts to compare.
const (
	maxTexts     = 32
	maxTextsFile = 256 << 10
)

// between is what a model says of how far apart texts are.
type between struct {
	Model      string   `json:"model"`
	Dimensions int      `json:"dimensions"`
	Texts      []string `json:"texts"`
	Distances  [][]int  `json:"distances"` // of each text to those before it, in 10,000ths
}

func newEmbed(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "embed MODEL TEXTS.json",
		Short: "Show how far apart an embedding model puts texts, to choose near of a class",
		Long: `Embed asks a model that ojud.toml in the home names in [[models.embeddings]] for vectors of the
texts of a JSON list, 2 to 32, and shows the cosine distance of each two in 10,000ths, as judges
compute it. Put in texts that mean the same and texts that do not. Choose near of the class between
their distances, and take its dimensions from the first lines. MODEL is the name in ojud.toml, which
has to be that of the class's embedding.`,
		Example: `  ojud brain embed text-embedding-3-large texts.json
  ojud brain embed text-embedding-3-large texts.json --json`,
	}
	cmd.Args = cli.Takes(2, "the name of a model", "a file with texts")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		raw, err := library.ReadFile(args[1], maxTextsFile)
		if err != nil {
			return cli.Usage("%v", err)
		}
		v := between{Model: args[0]}
		if err := json.Unmarshal(raw, &v.Texts); err != nil || len(v.Texts) < 2 || len(v.Texts) > maxTexts {
			return cli.Usage("%s has to be a JSON list of 2 to %d texts", args[1], maxTexts)
		}
		by, done, err := embedder(a)(args[0])
		if err != nil {
			return err
		}
		v, err = cli.Wait(cmd.Context(), a, "the vectors", func(ctx context.Context) (_ between, err error) {
			v.Distances, v.Dimensions, err = finding.Distances(ctx, by, v.Texts)
			return v, err
		})
		if err := errors.Join(err, done()); err != nil {
			return err
		}
		return a.Show(v, v.write)
	}
	return cmd
}

func (v between) write(w io.Writer) error {
	if err := (view.Sheet{{"model", v.Model}, {"dimensions", strconv.Itoa(v.Dimensions)}}).Write(w); err != nil {
		return err
	}
	var rows [][]string
	for i, row := range v.Distances {
		for j, d := range row {
			rows = append(rows, []string{strconv.Itoa(d), shortened(v.Texts[j]), shortened(v.Texts[i])})
		}
	}
	return table(w, []string{"DISTANCE", "TEXT", "TEXT"}, rows)
}

// shortened is the beginning of a text, in one line.
func shortened(text string) string {
	const most = 40
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return text
}

// embedder opens an embedding model of the settings by its name.
func embedder(a *cli.App) func(name string) (finding.Embedder, func() error, error) {
	return func(name string) (finding.Embedder, func() error, error) {
		e, err := embeddingOf(a, name)
		if err != nil {
			return nil, nil, err
		}
		return e, e.Close, nil
	}
}

func embeddingOf(a *cli.App, name string) (*model.Embedder, error) {
	home, err := a.HomeDir()
	if err != nil {
		return nil, err
	}
	settings, err := a.Settings()
	if err != nil {
		return nil, err
	}
	e, err := model.NewEmbedder(settings.Node.Models, name, model.Deps{Dir: home})
	if errors.Is(err, model.ErrNoEmbedding) {
		return nil, fmt.Errorf("%w; add [[models.embeddings]] with this name to ojud.toml in %s: docs/megabrain.md has an example", err, home)
	}
	return e, err
}

// bought asks the embedding of a class for the vectors of results, and says what that has cost.
func bought(ctx context.Context, a *cli.App, of finding.TaskClass, results map[string][]byte) (_ map[string]json.RawMessage, use agentwork.Use, err error) {
	e, err := embeddingOf(a, of.Embedding.Name)
	if err != nil {
		return nil, use, err
	}
	vectors, err := of.Vectors(ctx, e, results)
	u := e.Usage()
	return vectors, agentwork.Use{Tokens: u.Prompt, Micros: u.Cost}, errors.Join(err, e.Close())
}
