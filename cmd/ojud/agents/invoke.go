package agents

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent"
	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/door"
	"ojud/agent/host/shell"
	"ojud/agent/host/warden"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
)

// invoked is the result of invoke.
type invoked struct {
	shell.Returned
	Attested bool `json:"attested"`
}

func newInvoke(a *cli.App) *cobra.Command {
	var order attest.Commission
	var timeout time.Duration
	var key, under, tokens, dollars string
	cmd := &cobra.Command{
		Use:   "invoke ADDRESS [PAYLOAD]",
		Short: "Call a capability of an agent and check the signed result",
		Long: `Invoke calls agent://ID/CAPABILITY with a JSON value, or with the JSON file @FILE, and prints the
result. It checks the attestation: the agent's signature over the hashes of the task, the delegation
and the outcome. --did names the key that must have signed, if you know it from elsewhere.

If a call breaks off, repeat it with the same --correlation-id: you get its result, and it is not
made again.

agent://HOST:PORT/ID/CAPABILITY is an agent of another host. You need a delegation of its operator
or of the agent (--under), and sign the call with your key (--key). The host has to show the key at
which the chain begins, or the key in the address, agent://KEY@HOST:PORT/ID/CAPABILITY, or a
certificate of an authority. No home is needed. Only --tokens, --dollars, --timeout and --did are
possible beside.

If the host of the home has no agent ID, or none runs, ID is looked for in the cards of the court
(--network): that of an agent ID at a host at which the chain of --under begins. In place of ID may
stand the address of the agent in the court, or its did:key without "did:key:". That is also the key
that has to sign the result.

--allow, --deny, --ask, --tokens and --dollars delegate to the agent for this call alone: what it
may use, and what it may spend with all that it calls. Names are those of its tools (tool.search),
of capabilities of the host (agent.invoke) and of other agents (writer.draft). They do not confine
a program. A call in a domain of --ask waits for ojud agent delegation approve. An agent's file
may ask for that, too (require_approval), in calls of others than the operator.

--under calls by a chain that the operator of the host, or the agent, gave to your key (--key). Then
--tokens and --dollars are what the call may spend, and agents/api of the home gives only the
address.

If another host dies in the call, the command says so on standard error within 5 seconds, and looks
for the host for two minutes. If it is back by then, the call has gone on.

The exit status is 1 unless the status of the call is "ok".`,
		Example: `  ojud agents invoke agent://upper/shout '"hello"' --home ~/agents
  ojud agents invoke agent://writer/draft @task.json --timeout 2m --correlation-id order-17 --json
  ojud agents invoke agent://writer/draft '{"about":"owls"}' --allow tool.search --dollars 0.20
  ojud agents invoke agent://writer/draft '"owls"' --under carol.chain --key carol.json
  ojud agents invoke agent://w.example:4800/writer/draft '"owls"' --under c.chain --key c.json
  ojud agents invoke agent://7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2/draft '"owls"' \
      --under c.chain --key c.json --network http://127.0.0.1:8899`,
		Args: cli.Takes(1, "the address of a capability", "the payload"),
		RunE: func(cmd *cobra.Command, args []string) error {
			order.Target, order.Timeout, order.Payload = args[0], timeout.Milliseconds(), json.RawMessage("null")
			if len(args) > 1 {
				var err error
				if order.Payload, err = payload(args[1]); err != nil {
					return err
				}
			}
			if timeout != 0 && order.Timeout < 1 {
				return cli.Usage("--timeout is %s; write a time such as 30s", timeout)
			}
			var expected casefile.DID
			if key != "" {
				var err error
				if expected, err = casefile.ParseDID(key); err != nil {
					return cli.Usage("--did is %.80q, which is no did:key of an Ed25519 key", key)
				}
			}
			var err error
			if order.Tokens, err = amount("--tokens", tokens, 0); err != nil {
				return err
			}
			if order.Micros, err = amount("--dollars", dollars, 6); err != nil {
				return err
			}
			to, err := resolved(cmd.Context(), a, order.Target, under)
			if err != nil {
				return err
			}
			order.Target = to.address
			if expected, err = to.whom(expected); err != nil {
				return err
			}
			if host.IsRemote(order.Target) {
				if len(order.Allow)+len(order.Deny)+len(order.Approval) > 0 || order.Correlation != "" {
					return cli.Usage("a call of another host has the terms of its chain, and a name of its own; leave --allow, --deny, --ask and --correlation-id out")
				}
				to, err := abroad(a, order.Target, under, expected, order.Tokens, order.Micros)
				if err != nil {
					return err
				}
				answer, attested, err := to.Invoke(cmd.Context(), order.Timeout, order.Payload)
				if err != nil {
					return explained(err)
				}
				return penniless(show(a, answer, attested), answer, order)
			}
			if under != "" {
				return visit(cmd.Context(), a, order, under, expected)
			}
			return call(cmd.Context(), a, order, expected)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "how long the call may take (default what the agent's file allows)")
	cmd.Flags().StringVar(&order.Correlation, "correlation-id", "", "your name of the call; the same name is the same call (default a random one)")
	cmd.Flags().StringVar(&key, "did", "", "the key that must have signed the result (default the one that the host names)")
	cmd.Flags().StringSliceVar(&order.Allow, "allow", nil, "what the agent may use in this call (default all that its file allows)")
	cmd.Flags().StringSliceVar(&order.Deny, "deny", nil, "what the agent may not use in this call")
	cmd.Flags().StringSliceVar(&order.Approval, "ask", nil, "domain in which a person approves each call, such as finance")
	cmd.Flags().StringVar(&tokens, "tokens", "", "tokens of models that may be used in this call, and in those that it makes")
	cmd.Flags().StringVar(&dollars, "dollars", "", "dollars that may be spent in this call, and in those that it makes")
	cmd.Flags().StringVar(&a.Key, "key", "", "key file at which the chain of --under ends (default $OJUD_KEY or the home's authority.json)")
	cmd.Flags().StringVar(&under, "under", "", "file of a chain of delegations that ends at your key")
	court(a, cmd)
	return cmd
}

// payload reads an argument: JSON, or @FILE.
func payload(text string) (json.RawMessage, error) {
	raw := []byte(text)
	if name, ok := strings.CutPrefix(text, "@"); ok {
		f, err := os.Open(name)
		if err != nil {
			return nil, cli.Usage("the payload cannot be read: %v", err)
		}
		defer f.Close()
		if raw, err = io.ReadAll(io.LimitReader(f, shell.MaxPayload+1)); err != nil {
			return nil, cli.Usage("the payload cannot be read: %v", err)
		}
	}
	if !json.Valid(raw) {
		return nil, cli.Usage("the payload is no JSON: %.80q", raw).Next(`write a JSON value, such as '"hello"', or @FILE`)
	}
	return raw, nil
}

func call(ctx context.Context, a *cli.App, order attest.Commission, expected casefile.DID) error {
	c, err := open(a)
	if err != nil {
		return err
	}
	if order.Correlation == "" {
		order.Correlation = rand.Text() // so that a call can be repeated whose answer did not come
	}
	answer, attested, err := c.Invoke(ctx, order, expected)
	again := "get its end by the same command with --correlation-id " + order.Correlation + "; the call is not made twice"
	switch {
	case err != nil && ctx.Err() != nil:
		return cli.Fail("you ended the command, and not the call").Next(again)
	case errors.Is(err, door.ErrNotRunning):
		return cli.Fail("%v", err).Next("start it with: ojud agents run; if the call had begun, " + again)
	}
	if err != nil {
		return explained(err)
	}
	return show(a, answer, attested)
}

// visit makes a call under a chain, signed by the key of the command.
func visit(ctx context.Context, a *cli.App, order attest.Commission, under string, expected casefile.DID) error {
	if len(order.Allow)+len(order.Deny)+len(order.Approval) > 0 || order.Correlation != "" {
		return cli.Usage("--under has its terms in the chain, and its own name of the call; leave --allow, --deny, --ask and --correlation-id out")
	}
	chain, err := chainOf(under)
	if err != nil {
		return err
	}
	path, _, err := a.KeyPath()
	if err != nil {
		return err
	}
	key, err := client.LoadKey(path)
	if err != nil {
		return cli.Fail("%v", err).Next("name the key at which the chain ends with --key")
	}
	target, err := host.ParseTarget(order.Target)
	if err != nil {
		return cli.Usage("%v", err)
	}
	c, err := open(a)
	if err != nil {
		return err
	}
	if expected == (casefile.DID{}) {
		var v host.Portrait
		if err := c.Use(ctx, "agent.status", map[string]string{"agent": target.Agent}, &v); err != nil {
			return explained(err)
		}
		if expected, err = casefile.ParseDID(v.DID); err != nil {
			return err
		}
	}
	payload, err := canon.JSON(order.Payload, shell.MaxPayload)
	if err != nil {
		return cli.Usage("the payload cannot be used: %v", err)
	}
	var spend delegation.Amounts
	for unit, n := range map[int]*int64{1: order.Tokens, 2: order.Micros} {
		if n != nil {
			spend[unit] = *n
		}
	}
	const lasts = 16 * time.Minute // to be admitted, or to be approved by a person
	v, err := warden.Sign(shell.Signer{Keypair: key}, chain, delegation.Principal(expected), target, payload, spend, lasts)
	if err != nil {
		return cli.Usage("%v", err)
	}
	answer, attested, err := c.Visit(ctx, shell.Signer{Keypair: key}.Principal().String(), v, order.Timeout, expected)
	if err != nil {
		return explained(err)
	}
	return penniless(show(a, answer, attested), answer, order)
}

// penniless says why a call under a chain failed whose caller let it use nothing.
func penniless(err error, answer shell.Returned, order attest.Commission) error {
	if err == nil || !strings.Contains(answer.Error, agent.Words(agent.ErrSpent)) || order.Tokens != nil && *order.Tokens > 0 {
		return err
	}
	return cli.Fail("the call ended with the status %q: it may use 0 tokens of models", answer.Status).Next("allow it some with --tokens, within those of the chain")
}

// amount reads a decimal number; nil is none.
func amount(flag, text string, places int) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole+part+strings.Repeat("0", max(0, places-len(part))), 10, 53)
	if err != nil || len(part) > places {
		return nil, cli.Usage("%s is %.40q; write a number from 0 with at most %d places", flag, text, places)
	}
	out := int64(n)
	return &out, nil
}

// show prints the end of a call.
func show(a *cli.App, answer shell.Returned, attested bool) error {
	out := invoked{answer, attested}
	if err := a.Show(out, func(w io.Writer) error {
		s := view.Sheet{{"status", out.Status}, {"source", out.Source}, {"correlation id", view.Escape(out.Correlation)}}
		s.Add("result", view.Escape(string(out.Result)))
		s.Add("error", view.Escape(out.Error))
		if attested {
			s.Add("signed by", out.Agent)
		} else {
			s.Add("signed by", "nobody: the host reports this itself")
		}
		return s.Write(w)
	}); err != nil {
		return err
	}
	if out.Status != host.OK {
		return cli.Fail("the call ended with the status %q", out.Status)
	}
	return nil
}
