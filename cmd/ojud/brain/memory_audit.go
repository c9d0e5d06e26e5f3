package brain

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/megabrain/memory"
	"ojud/megabrain/memory/remote"
	"ojud/node/library"
)

// audits are the flags of "memory audit".
type audits struct {
	asks
	samples  int
	salt     string
	others   []string
	file     string
	from, to int64
}

// audited is what an audit shows.
type audited struct {
	Node    string            `json:"node"`
	Head    string            `json:"head"`
	Salt    memory.Digest     `json:"salt"`
	Counts  memory.Counts     `json:"counts"`
	Kept    bool              `json:"kept"`
	Payment *memory.Retention `json:"payment,omitempty"`
}

func newMemoryAudit(a *cli.App) *cobra.Command {
	var f audits
	cmd := &cobra.Command{
		Use:   "audit [HASH]",
		Short: "Check that a node has one log, and still has what it promised",
		Long: `Audit asks a node for random KiB of random artifacts of its log, or of one artifact, and checks each
against the promise. A salt chooses them; without --salt it is random, so the node cannot know it
before. Audit also checks that the log goes on with the head that this home saw last, and with each
document of --against: a receipt, head or audit that somebody else got from the node. If the node
has signed two logs, the proof is saved, and anybody verifies it offline.

Of 32 random samples, one at least is missing with 81 % chance if 5 % of the artifacts are lost. A
sample shows that the node has a part, or got it from somebody in time; not that it has a copy of
its own.

With --pay-from and --pay-to (Unix seconds), audit says in lamports what keeping the artifact in
this time is worth by the rate of the promise: all of it if each sample is shown, otherwise nothing.
Use a salt that nobody knew before --pay-to, such as the hash of a slot.

The exit status is 1 if something promised is missing.`,
		Example: `  ojud brain memory audit --node http://10.0.0.7:4900 --samples 64
  ojud brain memory audit --against bob-receipt.json --out audit.json
  ojud brain memory audit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 \
      --pay-from 1790000000 --pay-to 1790086400 --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, a, args) },
	}
	f.add(cmd)
	cmd.Flags().IntVar(&f.samples, "samples", 32, "how many KiB are asked for, 1 to 64")
	cmd.Flags().StringVar(&f.salt, "salt", "", "32 bytes in hexadecimal that choose them (default: random)")
	cmd.Flags().StringArrayVar(&f.others, "against", nil, "document of the same node that its log must agree with; may be repeated")
	cmd.Flags().StringVar(&f.file, "out", "", "file for the audit, which verifies offline")
	cmd.Flags().Int64Var(&f.from, "pay-from", 0, "begin of the time that is paid, in Unix seconds")
	cmd.Flags().Int64Var(&f.to, "pay-to", 0, "end of the time that is paid, in Unix seconds")
	return cmd
}

func (f *audits) run(cmd *cobra.Command, a *cli.App, args []string) error {
	q := memory.Question{Count: f.samples, Index: -1, At: time.Now().Unix()}
	rand.Read(q.Salt[:])
	if f.salt != "" {
		salt, err := memory.ParseDigest(f.salt)
		if err != nil {
			return cli.Usage("--salt: %v", err)
		}
		q.Salt = salt
	}
	if err := q.Check(); err != nil {
		return cli.Usage("--samples: %v", err)
	}
	if f.to != 0 && len(args) == 0 {
		return cli.Usage("--pay-to needs the SHA-256 of the artifact that is paid for")
	}
	var hash memory.Digest
	if len(args) == 1 {
		var err error
		if hash, err = memory.ParseDigest(args[0]); err != nil {
			return cli.Usage("%v", err)
		}
	}
	others, err := readDocuments(f.others)
	if err != nil {
		return err
	}
	return f.with(cmd, a, func(ctx context.Context, c *remote.Auditor) error {
		head, err := c.Head(ctx)
		if err != nil {
			return err
		}
		for _, d := range others {
			if err := against(ctx, c, head, d); err != nil {
				return err
			}
		}
		if len(args) == 1 {
			in, err := c.Prove(ctx, hash)
			if err != nil {
				return err
			}
			head, q.Index = in.Head, in.Index
		}
		if head.Size == 0 {
			return cli.Fail("the node has promised nothing yet")
		}
		t, counts, err := c.Audit(ctx, head, q)
		if err != nil {
			return err
		}
		return f.show(a, t, counts)
	})
}

// against compares the log of a node with what somebody else got from it.
func against(ctx context.Context, c *remote.Auditor, head memory.TreeHead, d memory.Document) error {
	heads, promises := d.Shows()
	for _, h := range heads {
		if _, err := c.Grown(ctx, h, head); err != nil {
			return err
		}
	}
	for _, p := range promises {
		own, err := c.ProveAt(ctx, p.Index)
		if err != nil {
			return fmt.Errorf("the node signed a promise at place %d, and does not show it: %w", p.Index, err)
		}
		if e := memory.ComparePlaces(p, own); e != nil {
			return &remote.Exposed{Exposure: *e}
		}
	}
	return nil
}

func (f *audits) show(a *cli.App, t memory.Trial, counts memory.Counts) error {
	s := audited{Node: t.Head.Node.String(), Head: t.Head.String(), Salt: t.Question.Salt, Counts: counts, Kept: counts.Kept()}
	sheet := view.Sheet{
		{"node", s.Node}, {"log", s.Head}, {"salt", s.Salt.String()},
		{"samples", fmt.Sprintf("%d of %d shown, %d after their term, %d missing", counts.Proven, counts.Asked, counts.Over, counts.Missing)},
	}
	if f.to != 0 {
		r, err := t.Retained(f.from, f.to)
		if err != nil {
			return cli.Fail("%v", err)
		}
		s.Payment = &r
		sheet.Add("due", amount(r.Lamports))
	}
	if f.file != "" {
		if err := save(f.file, memory.Document{Audit: &t}); err != nil {
			return err
		}
		sheet.Add("audit", f.file)
	}
	if err := a.Show(s, sheet.Write); err != nil {
		return err
	}
	if counts.Missing > 0 {
		return cli.Fail("the node does not show %d of %d samples that it promised to keep", counts.Missing, counts.Asked)
	}
	return nil
}

// readDocuments reads and verifies documents.
func readDocuments(files []string) ([]memory.Document, error) {
	out := make([]memory.Document, len(files))
	for i, name := range files {
		raw, err := library.ReadFile(name, memory.MaxDocument)
		if err != nil {
			return nil, cli.Usage("%v", err)
		}
		if out[i], err = memory.ParseDocument(raw); err != nil {
			return nil, cli.Fail("%s: %v", name, err)
		}
		if _, err := out[i].Verify(); err != nil {
			return nil, cli.Fail("%s does not verify: %v", name, err)
		}
	}
	return out, nil
}

// shown is what verify says of a file.
type shown struct {
	File string `json:"file"`
	memory.Shown
}

func newMemoryVerify(a *cli.App) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check receipts, heads, audits and exposures offline",
		Long: `Verify checks documents of memory nodes without asking anybody: signatures, proofs and samples. It
then compares all documents of one node. If two of them show two logs, it writes the proof to
--exposure, and the exit status is 1. An exposure that verifies proves that the node lied.`,
		Example: `  ojud brain memory verify receipt.json audit.json
  ojud brain memory verify alice-receipt.json bob-receipt.json --exposure lie.json
  ojud brain memory verify lie.json --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error { return verify(a, files, file) },
	}
	cmd.Flags().StringVar(&file, "exposure", "exposure.json", "file for the proof if two documents contradict each other")
	return cmd
}

func verify(a *cli.App, files []string, file string) error {
	documents, err := readDocuments(files)
	if err != nil {
		return err
	}
	items := make([]shown, len(files))
	for i, d := range documents {
		s, err := d.Verify()
		if err != nil {
			return cli.Fail("%s does not verify: %v", files[i], err)
		}
		items[i] = shown{files[i], s}
	}
	show := func(s shown) error {
		return a.Show(s, func(w io.Writer) error {
			return view.Sheet{{"verified", s.File}, {"kind", s.Kind}, {"node", s.Node}, {"says", s.Says}}.Write(w)
		})
	}
	for _, s := range items {
		if err := show(s); err != nil {
			return err
		}
	}
	for i, d := range documents {
		for j := range i {
			e := memory.Contradiction(documents[j], d)
			if e == nil {
				continue
			}
			if err := save(file, memory.Document{Exposure: e}); err != nil {
				return err
			}
			return cli.Fail("%s and %s show two logs of %s; the proof is in %s", files[j], files[i], items[i].Node, file)
		}
	}
	return nil
}
