// Package delegation has the commands by which agents allow each other to act for them.
package delegation

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/delegation"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/library"
)

// nonceBytes is the length of the nonces of tokens.
const nonceBytes = 16

// signer is a key file as an agent's key.
type signer struct{ *client.Keypair }

// Principal implements delegation.Signer.
func (s signer) Principal() delegation.Principal { return delegation.Principal(s.Address()) }

// Sign implements delegation.Signer.
func (s signer) Sign(message []byte) [64]byte { return s.Keypair.Sign(message) }

// load reads the key of the command.
func load(a *cli.App) (s signer, err error) {
	path, _, err := a.KeyPath()
	if err != nil {
		return s, err
	}
	key, err := client.LoadKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, cli.Fail("there is no key file %s, and the agent's key signs what it allows", path).Next("name the key with --key, or make it first, by --create-key of ojud agent talk or of ojud agent register")
	}
	return signer{key}, err
}

// Load reads the key of the command, which signs for an agent.
func Load(a *cli.App) (delegation.Signer, error) { return load(a) }

// Principal reads a did:key or an address.
func Principal(what, text string) (delegation.Principal, error) { return principal(what, text) }

// nonce returns random bytes.
func nonce() []byte {
	out := make([]byte, nonceBytes)
	rand.Read(out)
	return out
}

// principal reads a did:key or an address.
func principal(what, text string) (delegation.Principal, error) {
	if strings.HasPrefix(text, "did:") {
		p, err := delegation.ParsePrincipal(text)
		if err != nil {
			return p, cli.Usage("%s: %v", what, err)
		}
		return p, nil
	}
	at, err := cli.Address(what, text)
	if err == nil && at == (onchain.Address{}) {
		err = cli.Usage("%s is missing; name an agent by its address or did:key", what)
	}
	return delegation.Principal(at), err
}

// chain reads the file of a chain.
func chain(path string) ([]*delegation.Delegation, error) {
	raw, err := library.ReadFile(path, delegation.MaxBundle)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	links, err := delegation.ParseChain(raw)
	if err != nil {
		return nil, cli.Usage("%s: %v", path, err)
	}
	return links, nil
}

// revocations reads the files of --revoked.
func revocations(paths []string) (func(id string) bool, error) {
	revoked := map[string]bool{}
	for _, path := range paths {
		raw, err := library.ReadFile(path, delegation.MaxBundle)
		if err != nil {
			return nil, cli.Usage("%v", err)
		}
		link, err := delegation.ParseRevocation(raw)
		if err != nil {
			return nil, cli.Usage("%s: %v", path, err)
		}
		revoked[link.ID()] = true
	}
	return func(id string) bool { return revoked[id] }, nil
}

// budget are the flags of amounts.
type budget struct {
	lamports        cli.Amount
	tokens, dollars string
}

func (b *budget) add(cmd *cobra.Command, what string) {
	cmd.Flags().Var(&b.lamports, "budget", "lamports that "+what+", such as 0.5sol")
	cmd.Flags().StringVar(&b.tokens, "tokens", "", "tokens of models that "+what)
	cmd.Flags().StringVar(&b.dollars, "dollars", "", "dollars that "+what+", such as 1.50")
}

// amounts reads the flags; what is not given is missing.
func (b *budget) amounts(missing int64) (out delegation.Amounts, err error) {
	out = delegation.Amounts{missing, missing, missing}
	if b.lamports.Given {
		if uint64(b.lamports.Lamports) > 1<<53-1 {
			return out, cli.Usage("--budget is more than 9,007,199 SOL")
		}
		out[0] = int64(b.lamports.Lamports)
	}
	if b.tokens != "" {
		n, err := strconv.ParseUint(b.tokens, 10, 53)
		if err != nil {
			return out, cli.Usage("--tokens is %.30q; give a whole number from 0", b.tokens)
		}
		out[1] = int64(n)
	}
	if b.dollars != "" {
		if out[2], err = dollars(b.dollars); err != nil {
			return out, err
		}
	}
	return out, nil
}

// dollars reads dollars as millionths.
func dollars(text string) (int64, error) {
	amount, ok := new(big.Rat).SetString(text)
	if !ok || len(text) > 20 || strings.ContainsAny(text, "eE/_") || amount.Sign() < 0 {
		return 0, cli.Usage("--dollars is %.30q; write an amount such as 1.50", text)
	}
	amount.Mul(amount, big.NewRat(1_000_000, 1))
	if !amount.IsInt() || !amount.Num().IsInt64() || amount.Num().Int64() > 1<<53-1 {
		return 0, cli.Usage("--dollars is %.30q; it has at most six digits after the point", text)
	}
	return amount.Num().Int64(), nil
}

// refused is the refusal in an error, without the way on which it came. The command line is right,
// so the exit status is that of a command that failed.
func refused(err error) error {
	if r := reason(err); r != nil {
		return r
	}
	return err
}

// reason is the refusal in an error, or nil.
func reason(err error) *delegation.Refusal {
	var r *delegation.Refusal
	errors.As(err, &r)
	return r
}

// Group returns the command "delegation" with all that belong to it.
func Group(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "delegation",
		Short: "Show, check and take back what agents allow each other",
		Long: `A chain of delegations says who allows whom to act, and within which limits: it begins at the agent
that something belongs to, and each link only narrows the link before it. ojud agent delegate makes
links. None of these commands needs a network.`,
		Example: `  ojud agent delegation show worker.chain
  ojud agent delegation check worker.chain --call llm.summarize --dollars 0.10
  ojud agent delegation revoke worker.chain --out revoked.json`,
	})
	cmd.AddCommand(newShow(a), newCheck(a), newRevoke(a), newCall(a), newAdmit(a), newKey(a), newSettle(a), newSpent(a), newWaiting(a), newApprove(a), newLook(a))
	return cmd
}

func newShow(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "show CHAIN",
		Short: "Show who allows whom, and what",
		Long: `Show prints the links of a chain and what it allows its holder in all. It checks neither signatures
nor time: ojud agent delegation check does. --json prints the chain as origin, chain (from, to,
attestation, restrictions, timestamp) and constraints.`,
		Example: `  ojud agent delegation show worker.chain
  ojud agent delegation show worker.chain --json | jq .constraints`,
		Args: cli.Takes(1, "a file with a chain"),
		RunE: func(_ *cobra.Command, args []string) error {
			links, err := chain(args[0])
			if err != nil {
				return err
			}
			v, err := delegation.Show(links)
			if err != nil {
				return refused(err)
			}
			return a.Show(v, sheet(v).Write)
		},
	}
}

// checked is the result of check.
type checked struct {
	Valid  bool                  `json:"valid"`
	Allows *bool                 `json:"allows,omitempty"` // a call that was asked about
	Why    *delegation.Refusal   `json:"why,omitempty"`
	View   *delegation.ChainView `json:"delegation,omitempty"`
}

func newCheck(a *cli.App) *cobra.Command {
	var call, holder, at string
	var revoked []string
	var spend budget
	cmd := &cobra.Command{
		Use:   "check CHAIN",
		Short: "Check signatures, time and terms of a chain, and whether it allows a call",
		Long: `Check verifies each link of a chain by UCAN 1.0 and that none is wider than the link before it. With
--call it also says whether the chain allows that capability, with what the call may spend. --holder
refuses the chain of another agent, and --revoked names files of ojud agent delegation revoke. What
was spent before is known to the host of the agent alone. The exit status is 2 if something is
refused; the reason names the link and the field.`,
		Example: `  ojud agent delegation check worker.chain --revoked revoked.json
  ojud agent delegation check worker.chain --call github.issues.list --budget 0.1sol --json`,
		Args: cli.Takes(1, "a file with a chain"),
		RunE: func(_ *cobra.Command, args []string) error {
			links, err := chain(args[0])
			if err != nil {
				return err
			}
			c := delegation.Check{Now: time.Now()}
			if at != "" {
				if c.Now, err = time.Parse(time.RFC3339, at); err != nil {
					return cli.Usage("--at is %.40q; write a time such as 2026-12-01T08:00:00Z", at)
				}
			}
			if c.Revoked, err = revocations(revoked); err != nil {
				return err
			}
			var who *delegation.Principal
			if holder != "" {
				p, err := principal("--holder", holder)
				if err != nil {
					return err
				}
				who = &p
			}
			amounts, err := spend.amounts(0)
			if err != nil {
				return err
			}
			if call != "" {
				if call, err = delegation.ParseCommand(call); err != nil {
					return cli.Usage("--call: %v", err)
				}
			}
			return report(a, links, c, who, call, amounts)
		},
	}
	cmd.Flags().StringVar(&call, "call", "", "capability that the holder would call")
	cmd.Flags().StringVar(&holder, "holder", "", "address or did:key of the agent that the chain must be for")
	cmd.Flags().StringVar(&at, "at", "", "time at which to check (default now)")
	cmd.Flags().StringArrayVar(&revoked, "revoked", nil, "file with a revocation; may be given again")
	spend.add(cmd, "the call may spend")
	return cmd
}

// report checks a chain and shows what was found.
func report(a *cli.App, links []*delegation.Delegation, c delegation.Check, who *delegation.Principal, call string, spend delegation.Amounts) error {
	var out checked
	err := delegation.Grant(links, c)
	if err == nil {
		err = delegation.Profile(links)
	}
	if err == nil && who != nil && links[len(links)-1].Audience != *who {
		err = delegation.Refuse(delegation.InvalidAudience, "aud", "the chain is for %s and not for %s", links[len(links)-1].Audience, *who)
	}
	if out.Valid = err == nil; out.Valid {
		v, showErr := delegation.Show(links)
		if showErr != nil {
			return showErr
		}
		out.View = &v
		if call != "" {
			err = delegation.Allows(links, call, spend)
			allows := err == nil
			out.Allows = &allows
		}
	}
	out.Why = reason(err)
	if err := a.Show(out, out.sheet(call).Write); err != nil {
		return err
	}
	return refused(err)
}

func (c checked) sheet(call string) (out view.Sheet) {
	if c.View == nil {
		out.Add("chain", "refused")
		return out
	}
	out.Add("chain", fmt.Sprintf("valid, %d links", len(c.View.Chain)))
	out = append(out, sheet(*c.View)...)
	if c.Allows != nil && *c.Allows {
		out.Add("call", call+" is allowed")
	} else if c.Allows != nil {
		out.Add("call", call+" is refused")
	}
	return out
}

// sheet shows a chain to people.
func sheet(v delegation.ChainView) (out view.Sheet) {
	for i, h := range v.Chain {
		out.Add(fmt.Sprintf("link %d", i+1), fmt.Sprintf("%s allows %s", h.From, h.To))
		out.Add("", h.ID)
		for _, r := range h.Restrictions {
			out.Add("", r)
		}
	}
	c := v.Constraints
	out.Add("holder", v.Holder.String())
	out.Add("may call", strings.Join(c.Allow, ", "))
	out.Add("never", strings.Join(c.Deny, ", "))
	out.Add("asks about", strings.Join(c.Approval, ", "))
	out.Add("and only if", strings.Join(c.Conditions, " and "))
	return out
}
