// Package holdings has the commands for the data of agents.
package holdings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/holdings"
	"ojud/node/library"
)

// Command returns the command "data" with all that belong to it.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "data",
		Short: "Keep data of an agent on the chain, and let others read or write it for a task",
		Long: `An agent's data are named bytes in accounts of the chain, each at most 9,216 bytes. Public data can
be read by anybody. Private data are there as ciphertext: the agent's key opens them, and another
agent gets the key of one item if it has a grant, asks for it, and the owner's host runs. A grant
lasts as long as a task. A task names data by its address in the field "pda".

The account's rent comes from the wallet, and goes to the vault when the data are removed.`,
		Example: `  ojud agent data put prices prices.json --key alice.json
  ojud agent data put plan plan.txt --private --key alice.json
  ojud agent data grant plan --task TASK --key alice.json
  ojud agent data serve --key alice.json
  ojud agent data request plan --of ALICE --task TASK --key bob.json`,
	})
	cmd.AddCommand(newPut(a), newGet(a), newList(a), newRemove(a), newAccess(a, true), newAccess(a, false), newServe(a), newRequest(a), newVerify(a))
	return cmd
}

func newPut(a *cli.App) *cobra.Command {
	var private bool
	var of, task string
	cmd := &cobra.Command{
		Use:   "put NAME FILE",
		Short: "Write data of the agent, public or private",
		Long: `Put writes a file into the account of the name: 1 to 32 characters of a-z, 0-9, ".", "_" and "-". It
replaces what was there. - reads standard input. More than 725 bytes take several transactions, and
until the last one readers see a mixture.

--private encrypts the file with a new key, which is there in a sealed box for the agent's own key.
So the key file is enough to read it on any machine, and a key that was handed over before opens
nothing new. With --of and --task it writes data of another agent under a grant. The content must
then be as long as what is there.`,
		Example: `  ojud agent data put prices prices.json --key alice.json
  ojud agent data put plan plan.txt --private --key alice.json
  ojud agent data put notes notes.txt --of 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin \
      --task 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key bob.json`,
		Args: cli.Takes(2, "a name", "a file"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w := holdings.Write{Where: holdings.Where{Name: args[0]}, Private: private}
		var err error
		if w.Owner, err = cli.Address("--of", of); err != nil {
			return err
		}
		if w.Task, err = cli.Address("--task", task); err != nil {
			return err
		}
		if w.Owner.IsZero() != w.Task.IsZero() {
			return cli.Usage("--of and --task belong together: they name the owner and the task of a grant to write")
		}
		if w.Content, err = library.ReadFile(args[1], program.MaxData); err != nil {
			return cli.Usage("%v", err)
		}
		return cli.Act(a, cmd, "writing the data", func(c *client.Client, ctx context.Context) (holdings.ItemDone, error) {
			return holdings.Put(ctx, c, w)
		}, doneSheet)
	}
	cmd.Flags().BoolVar(&private, "private", false, "encrypt it; only the owner's key and those with a grant read it")
	cmd.Flags().StringVar(&of, "of", "", "address of the agent whose data it is (default the key's own)")
	cmd.Flags().StringVar(&task, "task", "", "task of the grant by which it is written")
	return cmd
}

// where reads the name of an item: its address, or a name and an owner.
func where(text, of string) (w holdings.Where, err error) {
	if len(text) > program.MaxDataName {
		w.Data, err = cli.Address("the data", text)
		return w, err
	}
	w.Name = text
	w.Owner, err = cli.Address("--of", of)
	return w, err
}

func newGet(a *cli.App) *cobra.Command {
	var of string
	var raw bool
	cmd := &cobra.Command{
		Use:   "get NAME|ADDRESS",
		Short: "Print data of an agent",
		Long: `Get prints the content of data: of your own by its name, of another agent by its address or by name
and --of. Private data open with the owner's key; others use "ojud agent data request". On a
terminal what could control it is escaped. With --json get prints the account and no content.`,
		Example: `  ojud agent data get plan --key alice.json
  ojud agent data get prices --of 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin >prices.json`,
		Args: cli.Takes(1, "the name or the address of data"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, err := where(args[0], of)
		if err != nil {
			return err
		}
		return a.With(cmd, cli.PerhapsKey, func(ctx context.Context, c *client.Client) error {
			i, err := holdings.Get(ctx, c, w)
			if err != nil {
				return err
			}
			if a.JSON {
				return a.Show(i, nil)
			}
			own, err := opens(a, i.Private)
			if err != nil {
				return err
			}
			content, err := i.Content(own)
			switch {
			case err != nil && own.Address() == onchain.Address(i.Owner):
				return err
			case err != nil:
				return cli.Fail("%s", cli.Plain(err)).Next("with a grant, ask for its key: ojud agent data request")
			}
			return a.Content(content, raw)
		})
	}
	cmd.Flags().StringVar(&of, "of", "", "address of the agent whose data it is (default the key's own)")
	cmd.Flags().BoolVar(&raw, "raw", false, "print it as it is, also on a terminal")
	return cmd
}

func newList(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list [AGENT]",
		Short: "List the data of an agent, with what it grants",
		Long: `List prints the data of the key's own agent, or of the agent with that address. With --json each
line is an object.`,
		Example: `  ojud agent data list --key alice.json
  ojud agent data list 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --json`,
		Args: cli.Takes(0, "an address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			who, err := cli.Address("the agent", cli.First(args...))
			if err != nil {
				return err
			}
			get := func(c *client.Client, ctx context.Context) ([]*holdings.Item, error) {
				if who.IsZero() {
					if who, err = onchain.ParseAddress(c.Me()); err != nil {
						return nil, cli.Usage("whose data?").Next("give the address of an agent, or a key with --key")
					}
				}
				return holdings.List(ctx, c, who)
			}
			header := []string{"NAME", "KIND", "BYTES", "ADDRESS", "GRANTS"}
			return cli.ListAll(a, cmd, get, "the agent has no data", header, func(i *holdings.Item) []string {
				return []string{i.Name, kind(i), fmt.Sprint(i.Bytes), i.Data.String(), fmt.Sprint(len(i.Grants))}
			})
		},
	}
}

func newRemove(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove data of the agent",
		Long: `Rm closes the account of the data. Its rent goes to the agent's vault, and its grants end. The
history of the chain still has what was written.`,
		Example: `  ojud agent data rm plan --key alice.json`,
		Args:    cli.Takes(1, "the name of data"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Act(a, cmd, "removing the data", func(c *client.Client, ctx context.Context) (holdings.ItemDone, error) {
				return holdings.Remove(ctx, c, args[0])
			}, doneSheet)
		},
	}
}

// newAccess returns the command that gives a grant, or that takes one back.
func newAccess(a *cli.App, give bool) *cobra.Command {
	var task, to string
	access := holdings.Access{}
	cmd := &cobra.Command{
		Use:   "revoke NAME --task TASK",
		Short: "Take a grant back before its task is over",
		Long: `Revoke removes a grant. The key that was handed over under it stays known to the one that has it:
put the data again, and they get a new key.`,
		Example: `  ojud agent data revoke plan --task 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      --key alice.json`,
		Args: cli.Takes(1, "the name of data"),
	}
	act := holdings.TakeBack
	if give {
		act = holdings.Give
		cmd.Use, cmd.Short = "grant NAME --task TASK", "Let an agent read data, or write it, until a task is over"
		cmd.Long = `Grant lets the worker of a task, or the agent of --to, read private data until the task is over. The
agent asks for the key: ojud agent data request. With --write it may also change the content, but
not its length. Data have at most 8 grants. Public data can be read by anybody without one.`
		cmd.Example = `  ojud agent data grant plan --task 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 \
      --key alice.json
  ojud agent data grant plan --task 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --write \
      --to 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --key alice.json`
		cmd.Flags().BoolVar(&access.Write, "write", false, "it may write, too")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var err error
		access.Name = args[0]
		if access.Task, err = taskFlag(task); err != nil {
			return err
		}
		if access.To, err = cli.Address("--to", to); err != nil {
			return err
		}
		return cli.Act(a, cmd, "changing the grants", func(c *client.Client, ctx context.Context) (holdings.ItemDone, error) {
			return act(ctx, c, access)
		}, doneSheet)
	}
	cmd.Flags().StringVar(&task, "task", "", "task that the grant lasts as long as")
	cmd.Flags().StringVar(&to, "to", "", "address of the agent that gets it (default the task's worker)")
	return cmd
}

func taskFlag(text string) (onchain.Address, error) {
	if text == "" {
		return onchain.Address{}, cli.Usage("which task?").Next("a grant lasts as long as a task; name it with --task")
	}
	return cli.Address("--task", text)
}

// key loads the key of the command.
func key(a *cli.App) (*client.Keypair, error) {
	path, _, err := a.KeyPath()
	if err != nil {
		return nil, err
	}
	own, err := client.LoadKey(path)
	if err != nil {
		return nil, cli.Fail("%v", err).Next("name the key with --key FILE")
	}
	return own, nil
}

func kind(i *holdings.Item) string {
	if i.Private {
		return "private"
	}
	return "public"
}

func doneSheet(d holdings.ItemDone) view.Sheet {
	s := view.Sent(d.Sent)
	if d.Item != nil {
		s = append(s, sheet(d.Item)...)
	}
	return s
}

// sheet shows an item.
func sheet(i *holdings.Item) (s view.Sheet) {
	s.Add("name", i.Name)
	s.Add("address", i.Data.String())
	s.Add("owner", i.Owner.String())
	s.Add("kind", kind(i))
	s.Add("bytes", fmt.Sprint(i.Bytes))
	s.Add("hash", i.Hash.String())
	s.Add("written", time.Unix(i.UpdatedAt, 0).UTC().Format(time.DateTime))
	for _, g := range i.Grants {
		s.Add("grant", grantText(g))
	}
	return s
}

func grantText(g holdings.Grant) string {
	var can []string
	if g.Read {
		can = append(can, "read")
	}
	if g.Write {
		can = append(can, "write")
	}
	return fmt.Sprintf("%s may %s until the task %s is over", cli.First(g.To, "the worker"), strings.Join(can, " and "), g.Task)
}

func newVerify(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "verify RECEIPT.json",
		Short: "Check receipts for the keys of private data",
		Long: `Verify checks both signatures of a receipt: its asker asked for the key of this data, and its owner
handed a key over. It needs no chain. It cannot tell whether the key was right, because only the
asker can open it. It also reads the file of "ojud agent data serve", with a receipt on each line.
The exit status is 2 if a receipt is refused, or a line was cut off.`,
		Example: `  ojud agent data verify plan.receipt.json
  ojud agent data verify ~/alice/data/receipts.jsonl --json | jq -r .request.asker`,
		Args: cli.Takes(1, "a file with receipts"),
		RunE: func(_ *cobra.Command, args []string) error {
			raw, err := library.ReadFile(args[0], maxReceipts+maxReceipt)
			if err != nil {
				return cli.Usage("%v", err)
			}
			if len(bytes.TrimSpace(raw)) == 0 {
				return cli.Usage("%s: the file has no receipt", view.Escape(args[0]))
			}
			all, refused := verifyAll(raw)
			if refused != nil {
				refused = cli.Usage("%s: %s", view.Escape(args[0]), cli.Plain(refused))
			}
			if len(all) == 1 {
				return errors.Join(a.Show(all[0], receiptSheet(all[0]).Write), refused)
			}
			if len(all) == 0 && refused != nil {
				return refused
			}
			return errors.Join(cli.List(a, all, "There is no receipt in the file.", []string{"handed over", "asker", "data", "task"}, func(r holdings.Receipt) []string {
				return []string{time.Unix(r.At, 0).UTC().Format(time.DateTime), r.Request.Asker.String(), r.Request.Data.String(), r.Request.Task.String()}
			}), refused)
		},
	}
}

// verifyAll returns the receipts of a file that verify, and says which do not.
func verifyAll(raw []byte) (all []holdings.Receipt, refused error) {
	one := func(raw []byte) error {
		r, err := holdings.ParseReceipt(raw)
		if err == nil {
			err = r.Verify()
		}
		if err == nil {
			all = append(all, r)
		}
		return err
	}
	whole := bytes.TrimSpace(raw)
	if err := one(whole); err == nil || !bytes.Contains(whole, []byte("\n")) {
		return all, err
	}
	n, bad := 0, 0
	for line := range bytes.Lines(raw) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := one(line); err != nil {
			if bad++; bad == 1 {
				refused = fmt.Errorf("line %d: %w", n, err)
			}
		}
	}
	if bad > 1 {
		refused = fmt.Errorf("%d lines are refused; the first is %w", bad, refused)
	}
	return all, refused
}

// maxReceipt bounds a receipt, in bytes.
const maxReceipt = 8 << 10

func receiptSheet(r holdings.Receipt) (s view.Sheet) {
	s.Add("owner", r.Owner.String())
	s.Add("asker", r.Request.Asker.String())
	s.Add("data", r.Request.Data.String())
	s.Add("hash", r.Request.Content.String())
	s.Add("task", r.Request.Task.String())
	s.Add("handed over", time.Unix(r.At, 0).UTC().Format(time.DateTime))
	return s
}

// write writes a text, and joins its error.
func write(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return err
}

var errFull = errors.New("the file of receipts is full; move it away")
