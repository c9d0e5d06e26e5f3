package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/stake"
	"ojud/cmd/ojud/view"
	"ojud/config"
	"ojud/node"
	"ojud/node/client"
	"ojud/node/trial"
)

// homeMade is the result of init.
type homeMade struct {
	Home    string `json:"home"`
	Created bool   `json:"created"` // false if it existed
	Network string `json:"network"`
	Judge   string `json:"judge"`    // authority, base58
	NodeID  string `json:"agent_id"` // did:key
	Signer  string `json:"signed_by,omitempty"`
}

func newInit(a *app) *cobra.Command {
	var ref, signer string
	var m mind
	cmd := &cobra.Command{
		Use:   "init --network URL|FILE",
		Short: "Make a home for a judge's node: its keys and its court",
		Long: `Init makes the node's directory: node.key (its identity among peers), authority.json (its Solana
key: stake, fees, rewards) and network.json (which court). It keeps existing keys, so you may repeat
it. Back up both keys: without authority.json the stake is lost. Never run one node.key on two
machines, because the court slashes that.

--persona and --model also write ojud.toml: the way this judge looks at cases, and the model that it
asks.`,
		Example: `  ojud init --network http://127.0.0.1:8899/network.json
  ojud init --network http://127.0.0.1:8899/network.json --persona literal-reader \
      --model-url http://127.0.0.1:8080/v1 --model qwen3-8b
  ojud init --network court.json --home /srv/ojud`,
		Args: cli.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ref == "" {
				return cli.Usage("init needs --network").Next("name the network.json of the court, by URL or file")
			}
			h, created, err := a.makeHome(cmd.Context(), ref, signer)
			if err != nil {
				return err
			}
			if err := m.write(h); err != nil {
				return err
			}
			made, err := describe(h, created)
			if err != nil {
				return err
			}
			return a.Show(made, func(w io.Writer) error {
				return view.Sheet{
					{"home", made.Home}, {"court", made.Network}, {"judge", made.Judge}, {"node", made.NodeID},
					{"signed", cli.First(made.Signer, "network.json is not signed; compare it with that of others")},
					{"next", a.Typed(fmt.Sprintf("give %s some SOL, then: ojud judge register --stake AMOUNT", made.Judge))},
				}.Write(w)
			})
		},
	}
	m.add(cmd)
	cmd.Flags().StringVar(&ref, "network", "", "network.json of the court, URL or file")
	stake.SignedBy(cmd, &signer)
	return cmd
}

// makeHome fetches network.json and makes or updates the home. If a signer is named, it has to have
// signed network.json.
func (a *app) makeHome(ctx context.Context, ref, signer string) (node.Home, bool, error) {
	dir, err := a.HomeDir()
	if err != nil {
		return node.Home{}, false, err
	}
	network, err := client.LoadNetwork(ctx, ref, nil)
	if err != nil {
		return node.Home{}, false, err
	}
	if by := network.Signer(); signer != "" && signer != by {
		return node.Home{}, false, cli.Fail("network.json is signed by %s, and not by %s; nothing was made", cli.First(by, "nobody"), signer).
			Next("get it from somebody that you trust")
	}
	return node.Init(dir, network)
}

func describe(h node.Home, created bool) (homeMade, error) {
	did, err := h.Keys.Identity.DID()
	if err != nil {
		return homeMade{}, fmt.Errorf("node key: %w", err)
	}
	return homeMade{Home: h.Dir, Created: created, Network: h.Descriptor.Name, Judge: h.Keys.Authority.Address().String(), NodeID: did, Signer: h.Descriptor.Signer()}, nil
}

// mind describes how a new judge should think: the flags from which init and join write its
// settings.
type mind struct {
	persona, url, model, key string
}

func (m *mind) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&m.persona, "persona", "", "way of judging (ojud judge personas), or a file of your own that ends in .toml")
	flags.StringVar(&m.url, "model-url", "", "start of an OpenAI-compatible API, such as http://127.0.0.1:8080/v1")
	flags.StringVar(&m.model, "model", "", "the server's name of the model")
	flags.StringVar(&m.key, "model-key", "", `where its key is: "${env:NAME}" or "${file:PATH}"`)
}

// settings is the part of ojud.toml that says how to judge.
type settings struct {
	Judge struct {
		Kind    string `toml:"kind"`
		Persona string `toml:"persona,omitempty"`
	} `toml:"judge"`
	Models struct {
		List []endpoint `toml:"list,omitempty"`
	} `toml:"models,omitempty"`
}

type endpoint struct {
	Name     string `toml:"name"`
	Provider string `toml:"provider"`
	URL      string `toml:"url"`
	Model    string `toml:"model"`
	Key      string `toml:"key,omitempty"`
}

// modelHint is the comment in a file without a model.
const modelHint = `
# Without a model the judge goes by code alone, and abstains where code cannot decide. With one: judge.kind = "model", and
# [[models.list]]
# name = "local"
# provider = "openai"                # and everything that speaks as OpenAI does
# url = "http://127.0.0.1:8080/v1"
# model = "qwen3-8b"
`

// write writes ojud.toml into a home if a flag asks for it. If the file already has this content,
// it does nothing. It never overwrites another content.
func (m mind) write(h node.Home) error {
	if m == (mind{}) {
		return nil
	}
	if (m.url == "") != (m.model == "") || m.url == "" && m.key != "" {
		return cli.Usage("--model-url, --model and --model-key belong together").Next("name the server and its model; add a key only if the server needs one")
	}
	if err := m.known(h); err != nil {
		return err
	}
	text, err := m.text()
	if err != nil {
		return err
	}
	path := h.Path(config.FileName)
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m.place(h, path, text)
	case err == nil && !bytes.Equal(old, text):
		return cli.Usage("%s is there and says something else; --persona and --model do not change it", path).Next("edit judge and models in it; docs/judges.md says how")
	}
	return err
}

// known checks that the persona exists.
func (m mind) known(h node.Home) error {
	ref := m.persona
	if ref == "" {
		return nil
	}
	if strings.HasSuffix(ref, ".toml") && !filepath.IsAbs(ref) {
		ref = h.Path(ref)
	}
	if _, err := trial.Persona(ref); err != nil {
		return cli.Usage("--persona: %v", err).Next("ojud judge personas")
	}
	return nil
}

// text returns the content of the file.
func (m mind) text() ([]byte, error) {
	var s settings
	s.Judge.Kind, s.Judge.Persona = "code", m.persona
	if m.url != "" {
		s.Judge.Kind = "model"
		s.Models.List = []endpoint{{Name: "first", Provider: "openai", URL: m.url, Model: m.model, Key: m.key}}
	}
	body, err := toml.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.FileName, err)
	}
	out := "# How this judge judges. go doc ojud/agent/judge.Config and ojud/agent/model.Config describe every field.\n" + string(body)
	if m.url == "" {
		out += modelHint
	}
	return []byte(out), nil
}

// place checks that the file is valid settings, and then writes the whole file or nothing.
func (m mind) place(h node.Home, path string, text []byte) error {
	fresh := path + ".new"
	if err := os.WriteFile(fresh, text, 0o600); err != nil {
		return err
	}
	if _, err := config.Load(config.Sources{Home: h.Dir, File: fresh}); err != nil {
		if gone := os.Remove(fresh); gone != nil {
			return errors.Join(err, gone)
		}
		return cli.Usage("%v", err).Next("see ojud init --help")
	}
	return os.Rename(fresh, path)
}
