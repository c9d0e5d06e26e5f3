package main

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"io"

	"github.com/spf13/cobra"

	"ojud/node/client"
)

// fetched is the result of task fetch with --json.
type fetched struct {
	Hash    string `json:"hash"`
	Bytes   int    `json:"bytes"`
	Content string `json:"content"` // base64
}

func newTaskFetch(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "fetch HASH",
		Short: "Get a document from nodes by its hash",
		Long: `Fetch gets content from nodes of the court, checks that it has the hash, and writes it as it is to standard output (with --json
in base64). "task show" prints the hashes of a task.`,
		Example: `  ojud task fetch 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 > result.json`,
		Args:    takes(1, "a hash"),
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := hex.DecodeString(args[0])
			if err != nil || len(raw) != 32 {
				return usage("%q is no hash", args[0]).next("write the 64 hex digits that \"ojud task show\" prints")
			}
			return a.with(cmd, perhapsKey, func(ctx context.Context, c *client.Client) error {
				content, err := wait(ctx, a, "asking nodes", func(ctx context.Context) ([]byte, error) { return c.Fetch(ctx, [32]byte(raw)) })
				if err != nil {
					return err
				}
				v := fetched{Hash: args[0], Bytes: len(content), Content: base64.StdEncoding.EncodeToString(content)}
				return a.show(v, func(w io.Writer) error {
					_, err := w.Write(content)
					return err
				})
			})
		},
	}
}
