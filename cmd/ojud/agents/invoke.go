package agents

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/shell"
	"ojud/casefile"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
)

// invoked is the result of invoke.
type invoked struct {
	shell.Returned
	Attested bool `json:"attested"`
}

func newInvoke(a *cli.App) *cobra.Command {
	var order attest.Commission
	var timeout time.Duration
	var key string
	cmd := &cobra.Command{
		Use:   "invoke ADDRESS [PAYLOAD]",
		Short: "Call a capability of an agent and check the signed result",
		Long: `Invoke calls agent://ID/CAPABILITY with a JSON value, or with the JSON file @FILE, and prints the
result. It checks the attestation: the agent's signature over the hashes of the task, the delegation
and the outcome. --did names the key that must have signed, if you know it from elsewhere.

If a call breaks off, repeat it with the same --correlation-id: you get its result, and it is not
made again. --allow and --deny narrow what the agent may use in this call: names of its tools, such
as search, capabilities of the host, such as agent.invoke, and targets, such as 'writer/*'. They do
not confine a program.

The exit status is 1 unless the status of the call is "ok".`,
		Example: `  ojud agents invoke agent://upper/shout '"hello"' --home ~/agents
  ojud agents invoke agent://writer/draft @task.json --timeout 2m --correlation-id order-17 --json
  ojud agents invoke agent://writer/draft '{"about":"owls"}' --allow search --deny 'agent.*'`,
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
			return call(cmd.Context(), a, order, expected)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "how long the call may take (default what the agent's file allows)")
	cmd.Flags().StringVar(&order.Correlation, "correlation-id", "", "your name of the call; the same name is the same call (default a random one)")
	cmd.Flags().StringVar(&key, "did", "", "the key that must have signed the result (default the one that the host names)")
	cmd.Flags().StringSliceVar(&order.Allow, "allow", nil, "tools and targets that the agent may use in this call (default all that its file allows)")
	cmd.Flags().StringSliceVar(&order.Deny, "deny", nil, "tools and targets that the agent may not use in this call")
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
	answer, attested, err := c.Invoke(ctx, order, expected)
	if err != nil {
		return explained(err)
	}
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
