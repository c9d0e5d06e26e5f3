package holdings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
	"ojud/node/holdings"
	"ojud/node/library"
)

const (
	maxReceipts = 64 << 20    // bytes of the file of receipts
	announceAt  = time.Minute // how often new private data are announced
)

// receipts is a file with a receipt on each line.
type receipts struct {
	mu   sync.Mutex
	file *os.File
	tell func(holdings.Receipt) error
}

// torn reports whether the last line has no end: the power was cut, or the disk was full.
func (r *receipts) torn(size int64) (bool, error) {
	if size == 0 {
		return false, nil
	}
	last := make([]byte, 1)
	_, err := r.file.ReadAt(last, size-1)
	return last[0] != '\n', err
}

// keep adds a receipt, so that it is there after a power cut.
func (r *receipts) keep(one holdings.Receipt) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	raw, err := json.Marshal(one)
	if err != nil {
		return err
	}
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > maxReceipts {
		return errFull
	}
	torn, err := r.torn(info.Size())
	if err != nil {
		return err
	}
	if torn {
		raw = append([]byte{'\n'}, raw...) // else this receipt would be part of the torn line
	}
	if _, err := r.file.Write(append(raw, '\n')); err != nil {
		return err
	}
	return errors.Join(r.file.Sync(), r.tell(one))
}

// serving is what serve prints first.
type serving struct {
	Addresses []string `json:"addresses"`
	Items     int      `json:"private_items"`
	Receipts  string   `json:"receipts"`
}

func newServe(a *cli.App) *cobra.Command {
	var listen []string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Hand over the keys of private data to agents with a grant",
		Long: `Serve runs until you stop it. An agent that has a grant of a task that is not over gets the key of
that item, in a sealed box that only its own key opens. Each request is checked against the chain,
and a refusal says why. A receipt with both signatures is on the disk before the key leaves: in the
file data/receipts.jsonl of the home, or that of --receipts. It prints a line for each.

Others find the host by the data that it announces in the court's network, or by an address that you
tell them.`,
		Example: `  ojud agent data serve --key alice.json
  ojud agent data serve --listen /ip4/0.0.0.0/tcp/4700 --receipts alice.jsonl --key alice.json`,
		Args: cli.Takes(0),
	}
	path := ""
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		own, err := key(a)
		if err != nil {
			return err
		}
		log, err := a.Logger()
		if err != nil {
			return err
		}
		return a.With(cmd, cli.WithKey, func(ctx context.Context, c *client.Client) (err error) {
			file, err := open(a, path)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, file.Close()) }()
			r := &receipts{file: file, tell: func(one holdings.Receipt) error {
				if a.JSON {
					return a.Line(one)
				}
				return write(a.Out, "%s got the key of %s for the task %s\n", one.Request.Asker, one.Request.Data, one.Request.Task)
			}}
			h, err := holdings.Serve(ctx, c, own, holdings.Net{Listen: listen, Log: log}, r.keep)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, h.Close()) }()
			a.Stays.Store(true)
			return serve(ctx, a, h, file.Name())
		})
	}
	cmd.Flags().StringArrayVar(&listen, "listen", nil, "multiaddr to listen on; repeat it for several (default a free port)")
	cmd.Flags().StringVar(&path, "receipts", "", "file to which receipts are added (default data/receipts.jsonl in the home)")
	return cmd
}

// open opens the file of receipts.
func open(a *cli.App, path string) (*os.File, error) {
	if path == "" {
		home, err := a.HomeDir()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(home, "data", "receipts.jsonl")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, cli.Fail("%v", err)
		}
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, cli.Fail("the file of receipts: %v", err).Next("name another one with --receipts")
	}
	return file, nil
}

// serve announces the data until ctx ends.
func serve(ctx context.Context, a *cli.App, h *holdings.Giver, file string) error {
	n, err := h.Announce(ctx)
	if err != nil {
		return err
	}
	at, err := h.Addrs()
	if err != nil {
		return err
	}
	s := serving{Addresses: at, Items: n, Receipts: file}
	if err := a.Show(s, serveSheet(s).Write); err != nil {
		return err
	}
	again := time.NewTicker(announceAt)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
		if _, err := h.Announce(ctx); err != nil && ctx.Err() == nil {
			if err := write(a.Err, "could not announce the data, and tries again: %s\n", cli.Plain(err)); err != nil {
				return err
			}
		}
	}
}

func serveSheet(s serving) (out view.Sheet) {
	for _, at := range s.Addresses {
		out.Add("reached at", at)
	}
	out.Add("private items", fmt.Sprint(s.Items))
	out.Add("receipts", s.Receipts)
	return out
}

func newRequest(a *cli.App) *cobra.Command {
	var of, task, receipt string
	var at []string
	var raw bool
	cmd := &cobra.Command{
		Use:   "request NAME|ADDRESS --task TASK",
		Short: "Ask for private data of another agent under a grant, and print it",
		Long: `Request asks the owner's host for the key of private data, opens the data with it, and prints them.
It needs a grant: the owner gives it for a task, which is not over. The request is signed by your
key, and is for this one connection. --receipt keeps the owner's signed receipt in a new file. With
--json the content is in base64, with the receipt.

Without --at it looks in the court's network for hosts that announce the data.`,
		Example: `  ojud agent data request plan --of 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin \
      --task 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --key bob.json`,
		Args: cli.Takes(1, "the name or the address of data"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, err := where(args[0], of)
		if err != nil {
			return err
		}
		if w.Data.IsZero() && w.Owner.IsZero() {
			return cli.Usage("whose data?").Next("name the owner with --of, or the data by its address")
		}
		ask := holdings.Ask{Where: w, At: at}
		if ask.Task, err = taskFlag(task); err != nil {
			return err
		}
		own, err := key(a)
		if err != nil {
			return err
		}
		log, err := a.Logger()
		if err != nil {
			return err
		}
		return a.With(cmd, cli.WithKey, func(ctx context.Context, c *client.Client) error {
			got, err := cli.Wait(ctx, a, "asking for the key of the data", func(ctx context.Context) (holdings.Handed, error) {
				return holdings.Fetch(ctx, c, own, ask, holdings.Net{Log: log})
			})
			if err != nil {
				return err
			}
			if receipt != "" {
				if err := cli.Save(receipt, func(w io.Writer) error { return json.NewEncoder(w).Encode(got.Receipt) }); err != nil {
					return err
				}
			}
			if a.JSON {
				return a.Show(got, nil)
			}
			return a.Content(got.Content, raw)
		})
	}
	cmd.Flags().StringVar(&of, "of", "", "address of the agent whose data it is")
	cmd.Flags().StringVar(&task, "task", "", "task of the grant")
	cmd.Flags().StringArrayVar(&at, "at", nil, "multiaddr of the owner's host (default what the network knows)")
	cmd.Flags().StringVar(&receipt, "receipt", "", "new file for the owner's receipt")
	cmd.Flags().BoolVar(&raw, "raw", false, "print it as it is, also on a terminal")
	return cmd
}

// Pin pins the data that a task names, and refuses a task that names data that is not there. With
// loose it pins nothing.
func Pin(ctx context.Context, c *client.Client, task library.Document, loose bool) (library.Document, error) {
	pinned, err := holdings.Pin(ctx, c, task)
	if err != nil {
		return task, cli.Fail("the task cannot be posted: %s", cli.Plain(err))
	}
	if loose {
		return task, nil
	}
	return pinned, nil
}

// opens is the key that opens private data: that of its owner. Public data needs none.
func opens(a *cli.App, private bool) (*client.Keypair, error) {
	if !private {
		return nil, nil
	}
	path, _, err := a.KeyPath()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Fail("the data is private, and there is no key at %s", path).
			Next("with a grant, ask for its key: ojud agent data request; the owner names the key file with --key FILE")
	}
	return key(a)
}
