package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node/client"
)

// exported is the result of case export.
type exported struct {
	Case  string `json:"case"`
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
}

func newCaseExport(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "export TASK",
		Short: "Write the case file of a case, from the node that runs here",
		Long: `Export asks the node that runs on the home for the case file and writes it to TASK.case.json, or to --output ("-" is standard
output). A file is complete some seconds after the case was decided, when the judges' nodes have exchanged their records.`,
		Example: `  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud case export 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --home /srv/ojud --output case.json`,
		Args: takes(1, "the task's address"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		task, err := address("the task", args[0])
		if err != nil {
			return err
		}
		file, err := a.caseFile(cmd.Context(), task)
		if err != nil {
			return err
		}
		return a.writeCase(task.String(), first(output, task.String()+".case.json"), file)
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", `file to write, or "-"`)
	return cmd
}

func (a *app) caseFile(ctx context.Context, task solana.PublicKey) ([]byte, error) {
	home, err := a.homeDir()
	if err != nil {
		return nil, err
	}
	local, err := client.OpenLocal(home)
	if err != nil {
		return nil, err
	}
	return wait(ctx, a, "putting the case file together", func(ctx context.Context) ([]byte, error) { return local.CaseFile(ctx, task) })
}

// writeCase puts the file there whole or not at all.
func (a *app) writeCase(name, path string, file []byte) error {
	if path == "-" {
		_, err := a.out.Write(file)
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, file, 0o644); err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return a.show(exported{Case: name, File: path, Bytes: len(file)}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s  %d bytes\nnext: ojud case verify %s\n", path, len(file), path)
		return err
	})
}
