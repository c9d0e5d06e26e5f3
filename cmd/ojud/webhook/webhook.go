// Package webhook has the commands for webhooks: which receivers the settings name, and whether
// they take what this home sends.
package webhook

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/webhook"
)

// Command returns the command "webhook" with all that belong to it.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "webhook",
		Short: "Try the receivers that are told what happens to the judge",
		Long: `A running node posts signed notifications to the receivers in the settings: the judge was drawn,
voted, was absent, lost or earned money, a case was appealed, a source or a model fails, funds are
low, new rules are announced. docs/webhooks.md explains the settings and how a receiver checks the
signature.`,
		Example: `  ojud webhook list
  ojud webhook test
  ojud webhook test pager`,
	})
	cmd.PersistentFlags().StringVar(&a.Config, "config", "", "settings file (default ojud.toml in the home, if there is one)")
	cmd.AddCommand(newList(a), newTest(a))
	return cmd
}

const noHooks = "the settings name no receiver; docs/webhooks.md shows how to add one to ojud.toml"

// receiver is a line of the list.
type receiver struct {
	Name    string   `json:"name"`
	Host    string   `json:"host"`
	Events  []string `json:"events"`
	Waiting int      `json:"waiting"`
}

func newList(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the receivers, and how many notifications wait for each",
		Long: `List prints the receivers of the settings, the kinds of events that each gets, and how many
notifications wait for it on this home. It shows only scheme and host of a URL, because the rest may
be secret. With --json each line is an object.`,
		Example: `  ojud webhook list
  ojud webhook list --json`,
		Args: cli.Takes(0),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			var all []receiver
			for _, hook := range cfg.Node.Webhooks.List {
				r := receiver{Name: hook.Name, Host: hook.Host(), Events: hook.Events}
				if len(r.Events) == 0 {
					r.Events = webhook.Kinds()
				}
				if r.Waiting, err = webhook.Waiting(cfg.Home, hook.Name); err != nil {
					return cli.Fail("%s", cli.Plain(err))
				}
				all = append(all, r)
			}
			return cli.List(a, all, noHooks, []string{"RECEIVER", "HOST", "WAITING", "EVENTS"}, func(r receiver) []string {
				events := "all"
				if len(r.Events) < len(webhook.Kinds()) {
					events = strings.Join(r.Events, ", ")
				}
				return []string{r.Name, r.Host, strconv.Itoa(r.Waiting), events}
			})
		},
	}
}

// tried is the result of a test.
type tried struct {
	Name string `json:"name"`
	ID   string `json:"id"`
	webhook.Reply
	Problem string `json:"problem,omitempty"` // empty: the receiver took it
}

func newTest(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "test [NAME]",
		Short: "Post a test event, and say what the receiver answered",
		Long: `Test posts a signed event of the kind webhook.test to each receiver, or to the one that is named,
and prints what it answered. It tries once. It needs no running node. With --json each line is an
object. The exit status is 1 if a receiver did not take the event.`,
		Example: `  ojud webhook test
  ojud webhook test pager --json`,
		Args: cli.Takes(0, "the name of a receiver"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			failed, found := "", false
			for _, hook := range cfg.Node.Webhooks.List {
				if len(args) > 0 && hook.Name != args[0] {
					continue
				}
				found = true
				t := tried{Name: hook.Name}
				var problem error
				t.ID, t.Reply, problem = webhook.Try(cmd.Context(), cfg.Node.Webhooks, hook, webhook.Parts{
					Dir: cfg.Home, LookupEnv: a.LookupEnv,
				})
				if problem != nil {
					t.Problem, failed = cli.Plain(problem), hook.Name
				}
				if err := a.Show(t, t.sheet().Write); err != nil {
					return err
				}
			}
			switch {
			case !found && len(args) > 0:
				return cli.Usage("the settings name no receiver %q", args[0]).Next("see: ojud webhook list")
			case !found:
				return cli.Fail(noHooks)
			case failed != "":
				return cli.Fail("%s did not take the event", failed)
			}
			return nil
		},
	}
}

func (t tried) sheet() view.Sheet {
	s := view.Sheet{{"receiver", t.Name}, {"id", t.ID}}
	if t.Status != 0 {
		s.Add("answer", fmt.Sprintf("%d after %s", t.Status, t.Took.Round(time.Millisecond)))
		s.Add("it says", view.Short(view.Escape(t.Text)))
	}
	s.Add("problem", t.Problem)
	return s
}
