package agents

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ojud/agent/host/shell"
	"ojud/casefile"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
)

// packed is the result of export, and of import.
type packed struct {
	Agent    string `json:"agent"` // its id
	DID      string `json:"did"`   // the key that signed the file
	File     string `json:"file"`
	SHA256   string `json:"sha256,omitempty"` // of the file; of import
	Memories int    `json:"memories"`
	Moves    string `json:"moves_to,omitempty"` // did:key of the operator that gets the key
	Calls    int    `json:"calls,omitempty"`    // ended ones that move with it
	Chains   int    `json:"chains,omitempty"`
	Text     string `json:"text,omitempty"` // the file of the agent; of import without --yes
	Done     bool   `json:"done"`
}

func describe(path string, p shell.Packed) packed {
	return packed{
		Agent: p.ID, DID: p.Agent.String(), File: path, Memories: len(p.Memories), Moves: p.To, Calls: len(p.Calls), Chains: len(p.Chains),
	}
}

func (p packed) show(a *cli.App, done string) error {
	return a.Show(p, func(w io.Writer) error {
		s := view.Sheet{{"agent", p.Agent}, {"signed by", p.DID}, {"file", view.Escape(p.File)}}
		s.Add("sha256", p.SHA256)
		s.Add("memories", fmt.Sprint(p.Memories))
		s.Add("moves to", view.Escape(p.Moves))
		s.Add("done", done)
		if err := s.Write(w); err != nil || p.Text == "" {
			return err
		}
		_, err := fmt.Fprintf(view.Escaper(w), "\n%s", p.Text)
		return err
	})
}

func newExport(a *cli.App) *cobra.Command {
	var out, to string
	cmd := &cobra.Command{
		Use:   "export AGENT",
		Short: "Write an agent with its memory into a file for another host",
		Long: `Export writes the file of an agent and what it remembers into a new file, signed by the agent. Its
key stays, so who imports the file has another agent that knows the same.

With --move-to, the did:key of another host's operator, the agent itself moves: the file also has
its key, sealed so that only that operator can open it, its card, its chains of delegations and its
ended calls. The agent is terminated on this host before the file is written. So no two hosts answer
with one key: this one never does again, and the other takes it once. If the file is lost, repeat
the command with the same --move-to. Programs and servers that the file of an agent names do not
move.`,
		Example: `  ojud agents export writer --out writer.agent --home ~/agents
  ojud agents export writer --out writer.agent --move-to did:key:z6Mk... --home ~/agents`,
		Args: cli.Takes(1, "the id of an agent"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return cli.Usage("--out is missing; name the new file")
			}
			path, err := filepath.Abs(out)
			if err != nil {
				return cli.Fail("%v", err)
			}
			if to != "" {
				if _, err := casefile.ParseDID(to); err != nil {
					return cli.Usage("--move-to is %.80q, which is no did:key; the other host prints that of its operator when it starts", to)
				}
			}
			c, err := open(a)
			if err != nil {
				return err
			}
			var done changed
			if err := c.Use(cmd.Context(), "agent.export", map[string]string{"agent": args[0], "path": path, "to": to}, &done); err != nil {
				return explained(err)
			}
			p, err := shell.ReadPacked(path)
			if err != nil {
				return cli.Fail("%v", err)
			}
			v := describe(path, p)
			v.Done = true
			words := "it can be imported"
			if to != "" {
				words = "it is terminated here, and can be imported there once"
			}
			return v.show(a, words)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the new file")
	cmd.Flags().StringVar(&to, "move-to", "", "did:key of the operator of the host to which the agent moves (default: it stays)")
	return cmd
}

func newImport(a *cli.App) *cobra.Command {
	var as, did, hash string
	var yes bool
	cmd := &cobra.Command{
		Use:   "import FILE|https://ADDRESS|HASH",
		Short: "Take an agent in that another host has exported",
		Long: `Import checks the signature of the agent and shows its file. Look at it: it can name programs of
this machine, models and variables. With --yes the host takes the agent in, with what it remembers.

An agent that moves here keeps its key. The file has to be sealed for the operator of this host, and
no agent of this host may have the key or have had it. Every other agent gets a new key. --did
demands that this key has signed the file, and --sha256 that the file has this hash. From an address
it is taken in only with one of both, so that it is the one that you looked at.

HASH is the SHA-256 of the file, or of an agent card that names it (card_hash of "ojud agent find
--json"). Then a card of the court (--network) says where the file is. It is taken only if it has
the hash that the card says and the agent of the card signed it. Write ./NAME if a file is called
so.`,
		Example: `  ojud agents import writer.agent
  ojud agents import writer.agent --as writer-2 --did did:key:z6Mk... --yes --home ~/agents
  ojud agents import https://w.example/writer.agent --sha256 53a9b6... --yes --home ~/agents
  ojud agents import 53a9b6... --network http://127.0.0.1:8899`,
		Args: cli.Takes(1, "the file that agents export wrote, its address or its hash"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if strings.Contains(args[0], "://") && yes && did+hash == "" {
				return cli.Usage("--yes of an agent at an address needs --sha256 or --did; without --yes the command shows both")
			}
			var raw []byte
			var sum string
			if hashForm.MatchString(args[0]) {
				if hash != "" {
					return cli.Usage("--sha256 is for a file or an address; the hash is given already, so leave it out")
				}
				raw, args[0], sum, err = byHash(cmd.Context(), a, args[0])
			} else {
				raw, sum, err = pinned(cmd.Context(), a, args[0], hash)
			}
			if err != nil {
				return err
			}
			p, err := shell.Unpack(args[0], raw)
			if err != nil {
				return cli.Usage("%v", err)
			}
			if did != "" && did != p.Agent.String() {
				return cli.Fail("%s is signed by %s, and not by %.80q", args[0], p.Agent, did)
			}
			v := describe(args[0], p)
			v.SHA256 = sum
			if as != "" {
				v.Agent = as
			}
			if !yes {
				v.Text = p.Text
				return v.show(a, "nothing; take it in with --yes")
			}
			c, err := open(a)
			if err != nil {
				return err
			}
			path, removed, err := left(a, raw)
			if err != nil {
				return cli.Fail("%v", err)
			}
			defer func() { err = errors.Join(err, removed()) }()
			var done changed
			if err := c.Use(cmd.Context(), "agent.import", map[string]string{"agent": as, "path": path}, &done); err != nil {
				return explained(err)
			}
			v.Agent, v.Done = done.Agent, true
			return v.show(a, "it can be called")
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "the id on this host (default that of the file)")
	cmd.Flags().StringVar(&did, "did", "", "the key that must have signed the file")
	cmd.Flags().StringVar(&hash, "sha256", "", "the hash that the file must have, in hex")
	court(a, cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "take the agent in; without it the file is only shown")
	return cmd
}
