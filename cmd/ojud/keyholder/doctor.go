package keyholder

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/founding"
	"ojud/node/status"
)

func newDoctor(a *cli.App) *cobra.Command {
	return cli.Court(a, &cobra.Command{
		Use:   "doctor",
		Short: "Say what is unsafe about a court, and how to mend it",
		Long: `Doctor looks at a court as who runs it should: network.json, the program and who may replace it, the
authority over the rules, the pause, the judges and the season. It needs no key and changes nothing.
Its exit status is 1 if something is wrong. "notice" is said of what may be meant so, such as one
key that can replace the program. "ojud doctor" looks at a judge's node instead.`,
		Example: `  ojud court doctor --network network.json
  ojud court doctor --network http://127.0.0.1:8899 --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return examine(cmd.Context(), a) },
	})
}

func examine(ctx context.Context, a *cli.App) error {
	w, err := courtOf(ctx, a, cli.PerhapsKey)
	if err != nil {
		return err
	}
	d, err := a.LoadNetwork(ctx)
	if err != nil {
		return err
	}
	found, err := cli.Wait(ctx, a, "looking at the court", func(ctx context.Context) ([]status.Finding, error) { return founding.Check(ctx, w, d) })
	if err != nil {
		return err
	}
	wrong := 0
	var s view.Sheet
	for _, f := range found {
		state := "ok"
		switch {
		case !f.OK:
			state = "not ok"
			wrong++
		case f.Notice:
			state = "notice"
		}
		s.Add(state, f.Name+": "+f.Detail)
		if f.Next != "" {
			s = append(s, [2]string{"", f.Next})
		}
		if a.JSON {
			if err := a.Line(f); err != nil {
				return err
			}
		}
	}
	if !a.JSON {
		if err := a.Show(nil, func(out io.Writer) error { return s.Write(out) }); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return cli.Fail("%d of %d findings are not ok", wrong, len(found))
	}
	return nil
}
