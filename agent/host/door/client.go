package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"

	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/shell"
	"ojud/agent/host/warden"
	"ojud/casefile"
)

// ErrNotRunning: no agent host runs on the home.
var ErrNotRunning = errors.New("no agent host is running here")

// maxAnswer bounds an answer of the host. The list of agents is the longest.
const maxAnswer = 64 << 20

// Guest asks the agent host of a home.
type Guest struct {
	file
	// Away is told if the host goes away during a Talk, and then nil when it is back.
	Away func(error)
	home string
	http *http.Client
}

// Open finds the host that runs on a home. It sends nothing.
func Open(home string) (*Guest, error) {
	f, err := os.Open(path(home))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is not there", ErrNotRunning, path(home))
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return nil, err
	}
	c := &Guest{home: home, http: &http.Client{}}
	if err := json.Unmarshal(raw, &c.file); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w; start the agent host again", path(home), err)
	}
	if u, err := url.Parse(c.URL); err != nil || u.Scheme != "http" {
		return nil, fmt.Errorf("%s has no address; start the agent host again", path(home))
	}
	return c, nil
}

// Use uses a capability of the host. The error is a *host.Refused if the host refused it.
func (c *Guest) Use(ctx context.Context, skill string, input, output any) error {
	body, err := json.Marshal(input)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/v1/"+skill, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			return fmt.Errorf("%w: %w", ErrNotRunning, err)
		}
		return err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("the agent host did not answer to the end: %w", err)
	case len(raw) > maxAnswer:
		return fmt.Errorf("the answer of the agent host has more than %d bytes", maxAnswer)
	case answer.StatusCode == http.StatusOK:
		return json.Unmarshal(raw, output)
	}
	var said fault
	if err := json.Unmarshal(raw, &said); err != nil || said.Words == "" {
		return fmt.Errorf("the agent host answers with status %d", answer.StatusCode)
	}
	if said.Code == foreign || said.Code == failed {
		return errors.New(said.Words)
	}
	return &host.Refused{Code: said.Code, Words: said.Words, Name: said.Name}
}

// Invoke makes a call and checks the attestation of its end. The key is the one that the caller
// expects; the zero key is that of the host's own word. An end that the host reports itself is not
// signed, and then attested is false.
func (c *Guest) Invoke(ctx context.Context, order attest.Commission, key casefile.DID) (a shell.Returned, attested bool, err error) {
	skill := "agent.invoke"
	if len(order.Allow)+len(order.Deny)+len(order.Approval) > 0 || order.Tokens != nil || order.Micros != nil {
		skill = "agent.delegate"
	}
	target, err := host.ParseTarget(order.Target)
	if err != nil {
		return a, false, &host.Refused{Code: host.Form, Words: err.Error()}
	}
	order.Caller, order.Target = host.Operator, target.String()
	input := map[string]any{"target": order.Target, "payload": order.Payload, "correlation_id": order.Correlation}
	if order.Timeout != 0 {
		input["timeout_ms"] = order.Timeout
	}
	if skill == "agent.delegate" {
		input["allow"], input["deny"], input["approval"] = order.Allow, order.Deny, order.Approval
		if order.Tokens != nil {
			input["tokens"] = *order.Tokens
		}
		if order.Micros != nil {
			input["microdollars"] = *order.Micros
		}
	}
	if err := c.Use(ctx, skill, input, &a); err != nil {
		return a, false, err
	}
	return checked(a, order, key)
}

// Visit makes a call that its caller signed. The file of the home gives the address alone: no word
// is shown.
func (c *Guest) Visit(ctx context.Context, by string, v warden.Visit, timeout int64, key casefile.DID) (a shell.Returned, attested bool, err error) {
	input := map[string]any{"target": v.Target.String(), "payload": json.RawMessage(v.Payload), "invocation": v.Call}
	if len(v.Onward) > 0 {
		input["onward"] = v.Onward
	}
	if timeout != 0 {
		input["timeout_ms"] = timeout
	}
	bare := &Guest{file: file{URL: c.URL}, http: c.http}
	if err := bare.Use(ctx, "agent.invoke", input, &a); err != nil {
		return a, false, err
	}
	return checked(a, attest.Commission{Caller: by, Target: v.Target.String(), Payload: v.Payload, Timeout: timeout}, key)
}

// checked checks the attestation of an answer, if there is one.
func checked(a shell.Returned, order attest.Commission, key casefile.DID) (_ shell.Returned, attested bool, err error) {
	if len(a.Attestation) == 0 {
		return a, false, nil
	}
	if key == (casefile.DID{}) {
		if key, err = casefile.ParseDID(a.Agent); err != nil {
			return a, false, err
		}
	}
	order.Correlation = a.Correlation
	return a, true, attest.Check(a.Invocation(), order, key)
}
