package brain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

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
}

func newEvaluate(a *cli.App) *cobra.Command {
	return taskCommand(a, &cobra.Command{
		Use:   "evaluate TASK SCORES.json",
		Short: "Commit to your scores as an evaluator, without showing them",
		Long: `Evaluate sends a hash of your scores. SCORES.json has one for each worker that handed in something:
{"scores": [{"worker": "ADDRESS", "score": 85, "confidence": 90, "why": "…"}]}. Scores and
confidences are 0 to 100. "ojud brain results TASK" shows the results. A worker that you leave out
gets no score of you.

When all evaluators have committed, or their time is over, reveal the scores with "ojud brain
submit TASK", or let "ojud brain crank" do so.`,
		Example: `  ojud brain results 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G
  ojud brain evaluate 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G scores.json`,
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
		return d.Evaluate(ctx, at, o.Scores, raw, o.Metadata)
	}, spoken(a), "a file with your scores")
}

func newResults(a *cli.App) *cobra.Command {
	return taskCommand(a, &cobra.Command{
		Use:   "results TASK",
		Short: "Show what the workers of a task handed in",
		Long: `Results gets the revealed results of a task from the home or from the memory nodes of its class and
of --memory, checks them against the hashes on the chain, keeps them in the home, and prints them.`,
		Example: `  ojud brain results 8HpUUP54sncaD9TgMKHW1EYNAQ7FZXvnQjPkGxsS4m1G \
      --memory http://127.0.0.1:4900 --json`,
	}, true, cli.PerhapsKey, func(ctx context.Context, d *megabrain.Desk, at onchain.Address, _ []string) ([]megabrain.HandedIn, error) {
		return d.Results(ctx, at)
	}, func(all []megabrain.HandedIn) error {
		return cli.List(a, all, "No worker was drawn yet.", []string{"WORKER", "HAS", "SHA-256", "RESULT"}, func(h megabrain.HandedIn) []string {
			return []string{h.Worker, h.State, h.Hash, h.Text}
		})
	})
}
