package source

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"ojud/casefile"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/api"
	outside "ojud/node/asking"
	"ojud/node/client"
	"ojud/node/evidence"
)

func newAsk(a *cli.App) *cobra.Command {
	q := &asking{app: a}
	cmd := cli.Court(a, &cobra.Command{
		Use:   "ask NAME [REQUEST]",
		Short: "Ask holders of a data source as an agent or a party of a task, without a node",
		Long: `Ask joins the network of a court by your own key, and asks holders of a source as a judge would:
two, and a third if they contradict each other. It prints the answers and checks each receipt.
REQUEST is a JSON object, or @FILE. Without one it is {}.

Holders answer if the terms of their source allow it: --who anyone allows every key, --who agents
those of registered agents, --who parties the creator and the worker of the task that --task
names, and a list of addresses those keys. With --task the receipts are bound to that task, which
must be yours whatever the terms are.

A receipt proves what a holder told you, and when. It costs nothing, because holders that want
money answer judges only. The exit status is 1 if there was no answer, or if a receipt is not good.`,
		Example: `  ojud source ask site.post '{"id":"7"}' --key worker.json --network http://127.0.0.1:8899 \
      --task 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2
  ojud source ask memory.search '{"query":"post 7"}' --key agent.json --json`,
		Args: cli.Takes(1, "the source's name", "a request"),
		RunE: q.outside,
	})
	flags := cmd.Flags()
	flags.StringVar(&q.task, "task", "", "a task whose creator or worker you are: the receipts are bound to it")
	flags.StringVar(&q.holder, "holder", "", "ask only this node (did:key)")
	flags.DurationVar(&q.timeout, "timeout", 30*time.Second, "how long to wait for answers, 2s to 5m")
	return cmd
}

// question reads the arguments, with the holder to ask, if only one.
func (q *asking) question(args []string) (v evidence.Query, only *casefile.DID, err error) {
	if v, err = q.query(args); err != nil {
		return v, nil, err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return v, nil, err
	}
	if v, only, err = evidence.ParseQuery(raw); err != nil {
		return v, nil, cli.Usage("%s", view.Escape(cli.Plain(err)))
	}
	return v, only, nil
}

// outside asks by the own key.
func (q *asking) outside(cmd *cobra.Command, args []string) error {
	v, only, err := q.question(args)
	if err != nil {
		return err
	}
	log, err := q.app.Logger()
	if err != nil {
		return err
	}
	path, _, err := q.app.KeyPath()
	if err != nil {
		return err
	}
	key, err := client.LoadKey(path)
	if err != nil {
		return err
	}
	return q.app.With(cmd, cli.WithKey, func(ctx context.Context, c *client.Client) error {
		domain, err := c.Network().Domain()
		if err != nil {
			return err
		}
		r, err := cli.Wait(ctx, q.app, "asking holders of "+v.Source, func(ctx context.Context) (evidence.QueryResult, error) {
			return outside.Ask(ctx, c, key, v, only, log)
		})
		if errors.Is(err, outside.ErrNoSecret) {
			return cli.Fail("%s", cli.Plain(err)).Next("name a key file with --key")
		}
		if err != nil {
			return err
		}
		shown := api.Checked(r, domain)
		if err := q.app.Show(shown, view.Query(shown).Write); err != nil {
			return err
		}
		return queryFault(shown)
	})
}
