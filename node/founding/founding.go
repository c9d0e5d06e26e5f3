package founding

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/node/client"
	oju "ojud/programs/oju"
	"ojud/voting"
)

// errOtherProgram means that the program at the address is not that of this ojud.
var errOtherProgram = errors.New("founding: another program is deployed there")

// errOtherCourt means that the program has a court already, and not the one that is wished for.
var errOtherCourt = errors.New("founding: the program has another court")

// ErrNotAllowed means that the key may not found the court or change its program.
var ErrNotAllowed = errors.New("founding: this key may not do that")

// Wish is the court that somebody wants to found.
type Wish struct {
	Ledger    ledger.Config // the cluster
	Program   onchain.Address
	Key       *client.Keypair // the program's upgrade authority, which pays; Look needs none
	Name      string          // of the court
	Listed    bool            // only judges that the authority admits may join
	Params    program.Params
	Bootstrap []string          // addresses of nodes that others find first
	Faucet    bool              // the cluster gives lamports away
	Transport http.RoundTripper // nil means the network
}

// Court is a court, or what would become one.
type Court struct {
	// Result is "would be founded", "founded", or "stands already".
	Result    string          `json:"result"`
	Program   string          `json:"program"`
	Authority string          `json:"authority"` // over the court
	Upgrade   string          `json:"upgrade"`   // who may replace the program
	Listed    bool            `json:"listed"`
	Signature string          `json:"signature,omitempty"`
	Paid      client.Lamports `json:"paid,omitempty"` // rent and fee
	Network   node.Descriptor `json:"network"`        // what network.json says
}

// The values of Court.Result.
const (
	wouldFound = "would be founded"
	founded    = "founded"
	stands     = "stands already"
)

// SHA256 returns the hash of the program in this ojud, in hex.
func SHA256() string {
	sum := sha256.Sum256(oju.ELF())
	return hex.EncodeToString(sum[:])
}

// Look says what Found would do. It checks everything that the cluster can tell, and sends nothing.
func Look(ctx context.Context, w Wish) (Court, error) {
	court, done, err := look(ctx, w)
	if err == nil {
		done()
	}
	return court.Court, err
}

// Found founds the court, unless it stands.
func Found(ctx context.Context, w Wish) (Court, error) {
	c, done, err := look(ctx, w)
	if err != nil {
		return c.Court, err
	}
	defer done()
	if c.Result == stands {
		return c.Court, nil
	}
	if w.Key == nil || w.Key.Address().String() != c.Upgrade {
		return c.Court, fmt.Errorf("%w: only %s can, because it may upgrade the program; name its key file with --key", ErrNotAllowed, c.Upgrade)
	}
	before, _, err := c.chain.Balance(ctx, w.Key.Address())
	if err != nil {
		return c.Court, err
	}
	sender, err := ledger.OpenSender(ctx, c.chain, &ledger.MemoryOutbox{})
	if err != nil {
		return c.Court, err
	}
	defer sender.Close()
	wanted := program.InitConfig{Network: voting.Hash(c.genesis), Params: w.Params}
	if w.Listed {
		wanted.Listed = 1
	}
	p := c.chain.Program()
	out, err := sender.Submit(ctx, []onchain.Instruction{p.InitConfig(w.Key.Address(), wanted)}, ledger.SubmitOptions{
		Purpose: "found", Payer: w.Key, Done: func(ctx context.Context) (bool, error) { return stood(ctx, c.chain) },
	})
	switch {
	case err != nil:
		return c.Court, fmt.Errorf("founding: %w", err)
	case out.Class == ledger.Rejected:
		return c.Court, fmt.Errorf("founding: the program refused: %w", law.Explain(ctx, c.chain, out.Rejection))
	case out.Class != ledger.Landed && out.Class != ledger.AlreadyDone:
		return c.Court, errors.New("founding: the chain did not take the transaction in time, and it cannot land any more; do it again")
	}
	after, _, err := c.chain.Balance(ctx, w.Key.Address())
	if err != nil {
		return c.Court, err
	}
	c.Result, c.Signature, c.Paid = founded, out.Signature.String(), client.Lamports(before-min(after, before))
	return c.Court, nil
}

// seen is what a look found.
type seen struct {
	Court
	chain   *ledger.Client
	genesis onchain.Hash
}

// look reads the cluster. If it returns no error, the caller calls done.
func look(ctx context.Context, w Wish) (s seen, done func(), err error) {
	s.Program, s.Listed = w.Program.String(), w.Listed
	if err := w.Params.Validate(); err != nil {
		return s, nil, law.Bound(w.Params, err)
	}
	if s.chain, err = ledger.New(w.Ledger, w.Program, ledger.Deps{Transport: w.Transport}); err != nil {
		return s, nil, err
	}
	defer func() {
		if err != nil {
			s.chain.Close()
		}
	}()
	if s.genesis, err = s.chain.Genesis(ctx); err != nil {
		return s, nil, err
	}
	s.Network = w.network(s.genesis)
	if err = s.Network.Validate(); err != nil {
		return s, nil, err
	}
	if s.Upgrade, err = deployed(ctx, s.chain); err != nil {
		return s, nil, err
	}
	s.Result, s.Authority = wouldFound, s.Upgrade
	there, err := stood(ctx, s.chain)
	if err != nil {
		return s, nil, err
	}
	if there {
		config, _, err := s.chain.Config(ctx)
		if err != nil {
			return s, nil, err
		}
		s.Result, s.Authority, s.Listed = stands, config.Authority.String(), config.Listed != 0
		if config.Authority.IsZero() {
			s.Authority = ""
		}
		if err := s.isWished(ctx, w); err != nil {
			return s, nil, err
		}
	}
	return s, s.chain.Close, nil
}

// network is what network.json says of the court on a cluster with this genesis.
func (w Wish) network(genesis onchain.Hash) node.Descriptor {
	return node.Descriptor{
		Format: node.DescriptorFormat, Name: w.Name, Network: voting.Hash(genesis).String(), Program: w.Program.String(),
		RPC: w.Ledger.RPC, WS: w.Ledger.WS, Bootstrap: append([]string{}, w.Bootstrap...), Faucet: w.Faucet,
	}
}

// isWished compares the court that stands with the one that is wished for, so that a founder does
// not take the court of others for a new one.
func (s seen) isWished(ctx context.Context, w Wish) error {
	if key := w.Key; key != nil && key.Address().String() != s.Authority && key.Address().String() != s.Upgrade {
		return fmt.Errorf("%w: its authority is %s, and not this key; to join a court, use its network.json",
			ErrNotAllowed, cmp.Or(s.Authority, "nobody's key"))
	}
	if w.Listed && !s.Listed {
		return fmt.Errorf("%w: it is open to every judge, and cannot become listed", errOtherCourt)
	}
	if w.Params == program.DefaultParams() {
		return nil
	}
	now, err := law.Read(ctx, s.chain)
	if err != nil {
		return err
	}
	if w.Params != now.Now.Params {
		return fmt.Errorf("%w: its rules are not those of --set and --rules; leave these out, and change rules with: ojud court rules propose", errOtherCourt)
	}
	return nil
}

// stood reports whether the program has a court.
func stood(ctx context.Context, c *ledger.Client) (bool, error) {
	genesis, err := c.Genesis(ctx)
	if err != nil {
		return false, err
	}
	err = c.CheckChain(ctx, genesis)
	if errors.Is(err, ledger.ErrNoConfig) {
		return false, nil
	}
	return err == nil, err
}

// The layout of the accounts of Solana's upgradeable loader: a state (u32, 3 is program data), the
// slot (u64), and the upgrade authority (a byte that says whether there is one, and the key). The
// program follows.
const (
	dataState = 3
	dataHead  = 4 + 8 + 1 + 32
)

// deployed returns who may upgrade the program, after it has compared it with that of this ojud.
func deployed(ctx context.Context, c *ledger.Client) (string, error) {
	id := c.Program().ID()
	all, _, err := c.Accounts(ctx, id, c.Program().ProgramData())
	if err != nil {
		return "", err
	}
	switch {
	case all[0] == nil || !all[0].Executable:
		return "", fmt.Errorf("%w: there is no program at %s; without --program, ojud court create deploys one", ledger.ErrNoProgram, id)
	case all[1] == nil:
		return "", fmt.Errorf("%w: %s was not deployed by the upgradeable loader, which the court needs to know who may found it", errOtherProgram, id)
	}
	authority, elf, err := programData(all[1].Data)
	if err != nil {
		return "", fmt.Errorf("founding: %s: %w", id, err)
	}
	want := oju.ELF()
	if len(elf) < len(want) || !bytes.Equal(elf[:len(want)], want) || len(bytes.Trim(elf[len(want):], "\x00")) > 0 {
		sum := sha256.Sum256(bytes.TrimRight(elf, "\x00"))
		return "", fmt.Errorf("%w: that at %s has the SHA-256 %x without its padding, and this ojud has %s; write it with \"ojud court program FILE\" and deploy that",
			errOtherProgram, id, sum, SHA256())
	}
	if authority.IsZero() {
		return "", fmt.Errorf("%w: nobody may upgrade the program at %s, and a court is founded with that key; deploy the program again, and give the key up after the founding", ErrNotAllowed, id)
	}
	return authority.String(), nil
}

// programData reads the account with the code of an upgradeable program.
func programData(raw []byte) (authority onchain.Address, elf []byte, err error) {
	if len(raw) < dataHead || raw[0] != dataState || raw[1]|raw[2]|raw[3] != 0 || raw[12] > 1 {
		return authority, nil, errors.New("its program data account has another layout than that of the upgradeable loader")
	}
	if raw[12] == 1 {
		authority = onchain.Address(raw[13:dataHead])
	}
	return authority, raw[dataHead:], nil
}

// Next says what a founder does next, one step on each line. The argument is the place of
// network.json.
func (c Court) Next(file string) []string {
	network := cmp.Or(file, "network.json")
	out := []string{
		"publish " + network + ", so that judges and parties find the court",
		"start a first judge: ojud join " + network + " --stake 2sol",
		"name its address in network.json, so that others find it: ojud court create … --bootstrap ADDRESS",
	}
	if c.Listed {
		out = append(out, "admit the judges: ojud court admit ADDRESS --network "+network)
	}
	return append(out, "read docs/courts.md and docs/keyholder.md")
}
