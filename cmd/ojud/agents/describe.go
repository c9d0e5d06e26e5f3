package agents

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"ojud/agent/host"
	"ojud/agent/host/shell"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
)

// describeFar shows what an agent of another host says of itself. The address has no capability.
func describeFar(ctx context.Context, a *cli.App, at place, far distant) error {
	address := at.address
	expected, err := far.expected()
	if err != nil {
		return err
	}
	if expected, err = at.whom(expected); err != nil {
		return err
	}
	if strings.Count(address, "/") > 3 {
		return cli.Usage("%.120q names a capability; write agent://HOST:PORT/ID", address)
	}
	to, err := abroad(a, address+"/"+host.Describe, far.under, expected, nil, nil)
	if err != nil {
		return err
	}
	answer, _, err := to.Invoke(ctx, 0, nil)
	if err != nil {
		return explained(err)
	}
	var said shell.Description
	if answer.Status != host.OK {
		return cli.Fail("the host answers with the status %q: %s", answer.Status, answer.Error)
	}
	if err := json.Unmarshal(answer.Result, &said); err != nil {
		return cli.Fail("what the agent says of itself cannot be read: %v", err)
	}
	out := struct {
		shell.Description
		Endpoints []string `json:"endpoints"` // of the capabilities
	}{said, []string{}}
	for _, c := range said.Capabilities {
		out.Endpoints = append(out.Endpoints, address+"/"+c.Name)
	}
	return a.Show(out, farSheet(address, said).Write)
}

func farSheet(address string, v shell.Description) view.Sheet {
	short := func(text string) string { return view.Short(view.Escape(text)) }
	s := view.Sheet{{"agent", short(v.ID)}, {"name", short(v.Name)}, {"about", short(v.Description)}, {"state", short(string(v.Life))}, {"key", short(v.DID)}}
	if v.Down > 0 {
		s.Add("down since", time.UnixMilli(v.Down).UTC().Format(time.RFC3339))
	}
	s.Add("a person approves", short(strings.Join(v.Required, ", ")))
	for _, c := range v.Capabilities {
		s.Add("capability", short(strings.TrimSuffix(address+"/"+c.Name+": "+c.Description, ": ")))
		s.Add("  takes", short(string(c.Input)))
		s.Add("  parameters", short(string(c.Params)))
		s.Add("  returns", short(string(c.Output)))
		s.Add("  domains", short(strings.Join(c.Approval, ", ")))
	}
	return s
}
