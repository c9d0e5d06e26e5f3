package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node"
	"ojud/node/doctor"
	"ojud/node/status"
)

func newDoctor(a *app) *cobra.Command {
	var flags cli.NodeFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that the node needs, and say how to fix it",
		Long: `Doctor checks keys, disk, ports, chain, clock, funds, stake, the court's rules, the running node and
its peers, and tries each data source of the home and each model of its judge: a source with one
request if that can do no harm, a model with one tiny question, at its price. It prints each finding
as soon as it has it: ok, not ok, or a notice of what you should know, such as rules that are
announced. It changes nothing, and you may run it while the node runs. The exit status is 1 if
anything is wrong.

"ojud run" and "ojud join" make the same checks of ports, chain, clock, funds, stake and models
themselves.`,
		Example: `  ojud doctor
  ojud doctor --home /srv/ojud --json`,
		Args: cli.Takes(0), SuggestFor: []string{"check", "diagnose", "health"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := a.Logger()
			if err != nil {
				return err
			}
			h, cfg, err := a.homeWith(&flags)
			if err != nil {
				return err
			}
			var wrong []string
			over := a.Waiting("still looking: chain, sources and models may take a while to answer")
			err = doctor.Examine(cmd.Context(), h, cfg.Node, doctor.Deps{Node: node.Deps{Transport: a.Transport}, Log: log}, func(f status.Finding) error {
				if !f.OK {
					wrong = append(wrong, f.Name)
				}
				if a.JSON {
					return a.Line(f)
				}
				return a.finding(a.Out, f)
			})
			over()
			if err == nil && len(wrong) > 0 {
				err = cli.Fail("%s is not as it should be", wrong[0])
			}
			return err
		},
	}
	flags.Add(a.App, cmd)
	return cmd
}

// finding writes one finding.
func (a *app) finding(w io.Writer, f status.Finding) error {
	word := map[bool]string{true: "ok", false: "not ok"}[f.OK]
	if f.OK && f.Notice {
		word = "notice"
	}
	text := fmt.Sprintf("%-6s  %s: %s", word, f.Name, cli.Plain(errors.New(f.Detail)))
	if f.Next != "" {
		text += "; " + a.Typed(f.Next)
	}
	_, err := fmt.Fprintln(w, view.Wrap(text, 0))
	return err
}
