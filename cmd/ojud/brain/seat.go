package brain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/library"
	"ojud/node/megabrain"
)

// maxScores bounds a file with scores.
const maxScores = 256 << 10

func seats(workers, evaluators uint8) string { return fmt.Sprintf("%d + %d", workers, evaluators) }

func spoken(a *cli.App) func(megabrain.Spoken) error {
	return func(s megabrain.Spoken) error {
		return a.Show(s, append(view.Sent(s.Sent), view.Sheet{{"task", s.Task}, {s.Did, s.Hash}}...).Write)
	}
}

func newCommit(a *cli.App) *cobra.Command {
	var summary, proof string
	return flagged(taskCommand(a, &cobra.Command{
		Use:   "commit TASK RESULT.json",
		Short: "Commit to your result as a worker, without showing it",
		Long: `Commit sends a hash of your result, so that nobody can copy it. RESULT.json is any JSON of at most
22 KiB; it is kept in canonical form. What opens the hash is on the disk before the hash is sent,
in the home, so that a crash loses nothing: keep this home until the result is revealed. A
commitment stays.

When all workers have committed, or their time is over, reveal it with "ojud brain submit TASK", or
let "ojud brain crank" do so. If you do not, you lose the stake of a missed deadline.`,
		Example: `  ojud brain commit 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G result.json \
      --summary "1931, because the firms of the valley worked for four years"`,
	}, false, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, args []string) (megabrain.Spoken, error) {
		result, err := library.ReadFile(args[0], 4*finding.MaxResult)
		if err != nil {
			return megabrain.Spoken{}, cli.Usage("%v", err)
		}
		return d.Commit(ctx, at, result, summary, []byte(proof))
	}, spoken(a), "a file with your result"), func(cmd *cobra.Command) {
		cmd.Flags().StringVar(&summary, "summary", "", "what the result says, at most 500 characters and 700 bytes")
		cmd.Flags().StringVar(&proof, "proof", "", "what shows it, at most 200 bytes")
	})
}

// flagged adds flags to a command.
func flagged(cmd *cobra.Command, add func(*cobra.Command)) *cobra.Command {
	add(cmd)
	return cmd
}

func newSubmit(a *cli.App) *cobra.Command {
	return taskCommand(a, &cobra.Command{
		Use:   "submit TASK",
		Short: "Reveal what your key committed to: a result, or scores",
		Long: `Submit opens the commitment of your key. The result, or the document of the evaluation, goes to the
memory nodes of the class and of --memory, where evaluators and judges find it. The home has to be
the one that committed.`,
		Example: `  ojud brain submit 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G \
      --memory http://127.0.0.1:4900`,
	}, true, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) (megabrain.Spoken, error) {
		return d.Reveal(ctx, at)
	}, spoken(a))
}

// opinion is a file with scores.
type opinion struct {
	Scores   []megabrain.Score `json:"scores"`
	Metadata string            `json:"metadata,omitempty"`
	finding.Says
}

func newEvaluate(a *cli.App) *cobra.Command {
	var embed bool
	return flagged(taskCommand(a, &cobra.Command{
		Use:   "evaluate TASK SCORES.json",
		Short: "Commit to your scores as an evaluator, without showing them",
		Long: `Evaluate sends a hash of your scores. SCORES.json has one for each worker that handed in something:
{"scores": [{"worker": "ADDRESS", "score": 85, "confidence": 90, "why": "…", "corrections": []}]}.
Scores and confidences are 0 to 100, and a correction is any JSON about one issue. "ojud brain
results TASK" shows the results. A worker that you leave out gets no score of you.

"same" may say which results mean the same: [["ADDRESS", "ADDRESS"], …] are groups, in which each
means what each other one means. More than half of the evaluators decide so where code does not know
it. If the class names an embedding, "vectors" has that of each result: {"ADDRESS": [12, -7, …]}.
With --embed they come from the model of that name in [[models.embeddings]] of ojud.toml; a file
that has vectors already is refused.

When all evaluators have committed, or their time is over, reveal the scores with "ojud brain
submit TASK", or let "ojud brain crank" do so.`,
		Example: `  ojud brain results 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G
  ojud brain evaluate 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G scores.json --embed`,
	}, false, cli.WithKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, args []string) (megabrain.Spoken, error) {
		raw, err := library.ReadFile(args[0], maxScores)
		if err != nil {
			return megabrain.Spoken{}, cli.Usage("%v", err)
		}
		var o opinion
		in := json.NewDecoder(bytes.NewReader(raw))
		in.DisallowUnknownFields()
		if err := in.Decode(&o); err != nil {
			return megabrain.Spoken{}, cli.Usage("%s: %v", args[0], err).Next("see: ojud brain evaluate --help")
		}
		if embed && len(o.Vectors) > 0 {
			return megabrain.Spoken{}, cli.Usage("%s has vectors already; leave them or --embed out", args[0])
		}
		if embed {
			if o.Vectors, err = megabrain.Embed(ctx, d, at, o.Scores, embedder(a)); err != nil {
				return megabrain.Spoken{}, err
			}
			if o.Vectors == nil {
				return megabrain.Spoken{}, cli.Usage("--embed adds nothing: the class names no embedding, or no result has text in the prose fields of the class")
			}
			if raw, err = json.Marshal(o); err != nil {
				return megabrain.Spoken{}, err
			}
		}
		return d.Evaluate(ctx, at, o.Scores, raw, o.Metadata)
	}, spoken(a), "a file with your scores"), func(cmd *cobra.Command) {
		cmd.Flags().BoolVar(&embed, "embed", false, "add the vectors of the class's embedding, from the model that ojud.toml names")
	})
}

func newResults(a *cli.App) *cobra.Command {
	var out string
	return flagged(taskCommand(a, &cobra.Command{
		Use:   "results TASK",
		Short: "Show what the workers of a task handed in, and what evaluators say of it",
		Long: `Results gets the revealed results of a task from the home or from the memory nodes of its class and
of --memory, checks them against the hashes on the chain, keeps them in the home, and prints them.
--json has the proofs, the attachments, and what each evaluator says: score, confidence, rationale,
corrections, and which results mean the same.

--out DIR writes each result and its attachments as files, into a folder for each worker.
Attachments are the work of strangers: look at them with care.`,
		Example: `  ojud brain results 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G \
      --memory http://127.0.0.1:4900 --json
  ojud brain results 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G --out ./results`,
	}, true, cli.PerhapsKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) ([]megabrain.HandedIn, error) {
		most := -1 // attachments are listed
		if out != "" {
			most = finding.MaxAttachment
		}
		all, err := d.Results(ctx, at, most)
		if err == nil && out != "" {
			err = writeResults(out, all)
		}
		return all, err
	}, func(all []megabrain.HandedIn) error {
		return cli.List(a, all, "No worker was drawn yet.", []string{"WORKER", "HAS", "SHA-256", "RESULT", "BESIDE", "SAID"}, func(h megabrain.HandedIn) []string {
			return []string{h.Worker, h.State, h.Hash, h.Text, beside(h), saidOf(h)}
		})
	}), func(cmd *cobra.Command) {
		cmd.Flags().StringVar(&out, "out", "", "folder for the results and their attachments")
	})
}

// beside is what stands beside a result, in one line.
func beside(h megabrain.HandedIn) string {
	all := []string{}
	if h.Proof != "" {
		all = append(all, "proof "+h.Proof)
	}
	for _, f := range h.Files {
		all = append(all, fmt.Sprintf("%s (%s, %d bytes)", f.Name, f.Type, f.Bytes))
	}
	return cli.First(strings.Join(all, "; "), "-")
}

// saidOf is what evaluators say of a result, in one line.
func saidOf(h megabrain.HandedIn) string {
	all := []string{}
	for _, e := range h.Says {
		text := strconv.Itoa(e.Score)
		if e.Rationale != "" {
			text += " " + e.Rationale
		}
		for _, c := range e.Corrections {
			text += " [" + string(c) + "]"
		}
		if len(e.SameAs) > 0 {
			text += " (means the same: " + strings.Join(e.SameAs, ", ") + ")"
		}
		all = append(all, text)
	}
	return cli.First(strings.Join(all, "; "), "-")
}

// writeResults writes results and attachments below a folder. The names of strangers lead nowhere
// else: each begins with a number, and no link is followed out of the folder.
func writeResults(dir string, all []megabrain.HandedIn) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cli.Fail("--out: %v", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return cli.Fail("--out: %v", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, h := range all {
		files := map[string][]byte{}
		if h.Text != "" {
			files["result.json"] = []byte(h.Text)
		}
		for i, f := range h.Files {
			if f.Path != "" {
				files[fmt.Sprintf("%d-%s", i+1, f.Name)] = f.Content
			}
		}
		if len(files) == 0 {
			continue
		}
		if err := root.Mkdir(h.Worker, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return cli.Fail("--out: %v", err)
		}
		for name, content := range files {
			if err := root.WriteFile(filepath.Join(h.Worker, name), content, 0o600); err != nil {
				return cli.Fail("--out: %v", err)
			}
		}
	}
	return nil
}
