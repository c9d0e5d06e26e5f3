package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/api"
	"ojud/node/client"
	"ojud/node/evidence"
)

// asking holds the flags of source query.
type asking struct {
	app     *cli.App
	task    string
	holder  string
	price   cli.Amount
	timeout time.Duration
	list    bool
}

func newQuery(a *cli.App) *cobra.Command {
	q := &asking{app: a}
	cmd := &cobra.Command{
		Use:   "query NAME [REQUEST]",
		Short: "Ask peers for a data source, through the node that runs here",
		Long: `Query makes the running node of the home ask peers for a source, as a judge would: two holders, and
a third if they contradict each other. It prints each holder, its terms, its answer, and whether the
receipt is good. This program checks the receipt itself. REQUEST is a JSON object, or @FILE. Without
one it is {}. --list sends no request, but lists the holders of the source and their terms.

The node asks as a judge on the roster. Holders answer if the terms of the source let every judge
ask (--who roster), list this judge, or let judges of any live round ask (--who judges) and this
judge sits in one. By default they only answer judges of a live round whose task names the source:
use --case to ask as the node's seat in that round.

A query costs nothing without --max-price, and no case file uses its answers. The exit status is 1
if there was no answer, or if a receipt is not good.`,
		Example: `  ojud source query memory.search --list
  ojud source query memory.search '{"query":"post 7"}'
  ojud source query site.post '{"id":"7"}' --case 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      --json
  ojud source query posts.by '{"author":"worker"}' --max-price 5000lamports`,
		Args: cli.Takes(1, "the source's name", "a request"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.list {
				return q.holders(cmd, args)
			}
			return q.ask(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&q.list, "list", false, "list the holders of the source with their prices and terms, without a request for data")
	flags.StringVar(&q.task, "case", "", "ask as the seat that this node has in the live round of this case")
	flags.StringVar(&q.holder, "holder", "", "ask only this node (did:key)")
	flags.Var(&q.price, "max-price", "the most that each of at most three answers may cost, such as 5000lamports (default nothing)")
	flags.DurationVar(&q.timeout, "timeout", 30*time.Second, "how long to wait for answers, 2s to 5m")
	return cmd
}

// query builds the query to the node.
func (q *asking) query(args []string) (evidence.Query, error) {
	request, err := cli.ReadRequest("REQUEST", cli.First(args[1:]...))
	if err != nil {
		return evidence.Query{}, err
	}
	if request == nil {
		request = []byte("{}")
	}
	if _, err := cli.Address("the case", q.task); err != nil {
		return evidence.Query{}, err
	}
	if q.timeout < 2*time.Second || q.timeout > 5*time.Minute {
		return evidence.Query{}, cli.Usage("--timeout is %s", q.timeout).Next("set it to 2s to 5m")
	}
	return evidence.Query{Source: args[0], Request: request, Case: q.task, Holder: q.holder, MaxPrice: uint64(q.price.Lamports),
		Seconds: int(q.timeout / time.Second)}, nil
}

func (q *asking) ask(cmd *cobra.Command, args []string) error {
	query, err := q.query(args)
	if err != nil {
		return err
	}
	home, err := q.app.HomeDir()
	if err != nil {
		return err
	}
	running, err := q.app.Node()
	if err != nil {
		return err
	}
	network, err := client.LoadNetwork(cmd.Context(), filepath.Join(home, "network.json"), nil)
	if err != nil {
		return err
	}
	v, err := cli.Wait(cmd.Context(), q.app, "asking peers for "+args[0], func(ctx context.Context) (api.QueryView, error) { return running.Query(ctx, network, query) })
	if err != nil {
		return err
	}
	if err := q.app.Show(v, view.Query(v).Write); err != nil {
		return err
	}
	return queryFault(v)
}

// queryFault returns the error that decides the exit status.
func queryFault(v api.QueryView) error {
	for _, a := range v.Answers {
		if a.Check != api.ReceiptGood {
			return cli.Fail("the receipt of %s does not hold: %s", a.Holder, a.Check)
		}
	}
	if len(v.Answers) > 0 {
		return nil
	}
	text := fmt.Sprintf("no answer from %s: %s", v.Source, cli.First(v.Problem, "no peer was asked"))
	if next := remedies(v.Failures); next != "" {
		return cli.Fail("%s", text).Next(next)
	}
	return cli.Fail("%s", text)
}

func (q *asking) holders(cmd *cobra.Command, args []string) error {
	if len(args) > 1 || q.task != "" || q.holder != "" || q.price.Given {
		return cli.Usage("--list takes the name of a source, and no other flag").Next("see: " + cmd.CommandPath() + " --help")
	}
	running, err := q.app.Node()
	if err != nil {
		return err
	}
	all, err := cli.Wait(cmd.Context(), q.app, "looking for holders of "+args[0], func(ctx context.Context) ([]evidence.Holding, error) { return running.Holders(ctx, args[0]) })
	if err != nil {
		return err
	}
	header := []string{"HOLDER", "JUDGE", "PRICE", "RATE", "WHO MAY ASK", "PROMISES"}
	return cli.List(q.app, all, "no peer says that it has "+args[0], header, view.Holding)
}

// remedies lists the possible next steps after failures, each once.
func remedies(failures []evidence.QueryFailure) string {
	var out []string
	for _, f := range failures {
		if f.Next != "" && !slices.Contains(out, f.Next) {
			out = append(out, f.Next)
		}
	}
	return strings.Join(out, "; or ")
}

func newPayments(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "payments",
		Short: "Show what was earned and paid for data, and the debts",
		Long: `Payments asks the running node of the home about the payments of judges for its answers, payments
not yet drawn from their vaults, unpaid answers, and the node's own payments to others.`,
		Example: `  ojud source payments
  ojud source payments --json`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			running, err := a.Node()
			if err != nil {
				return err
			}
			p, err := cli.Wait(cmd.Context(), a, "asking the node", running.Payments)
			if err != nil {
				return err
			}
			return a.Show(p, func(w io.Writer) error { return view.Payments(w, p, vaultProblem(p)) })
		},
	}
}

// vaultProblem says why the vault is not known, without package names.
func vaultProblem(p evidence.Payments) string {
	if p.Problem == "" {
		return ""
	}
	return cli.Plain(errors.New(p.Problem))
}
