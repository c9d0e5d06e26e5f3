package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/host"
	"ojud/agent/host/mind"
	"ojud/casefile"
	"ojud/cmd/ojud/cli"
	"ojud/node/library"
	"ojud/schema"
)

const (
	maxTools  = 256 << 10       // bytes of the file of --tools
	maxOutput = 32 << 10        // bytes of the output of a tool
	toolTime  = 5 * time.Minute // for a call of a tool
)

// offered is a tool or a minion that the user lets an agent call: an entry of the file of --tools.
type offered struct {
	agent.Repr
	Run   []string `json:"run"`   // of a tool: a program with its arguments
	Agent string   `json:"agent"` // of a minion: the address of a capability; lead makes it a place
	Under string   `json:"under"` // of a minion: the file of the chain for it, if it is not that of --under
	Tools []string `json:"tools"` // of a minion: the tools that it may have this machine run

	form   *schema.Schema // of the input
	signer casefile.DID   // who has to sign the result of a minion; zero: whom its host names
}

// offers are what an agent may call, by name.
type offers struct {
	all  map[string]offered
	list []offered // in the order in which they were given
}

// newOffers reads --tools, --tool and --minion.
func newOffers(file string, tools, minions []string) (o offers, err error) {
	o.all = map[string]offered{}
	var listed []offered
	if file != "" {
		raw, err := library.ReadFile(file, maxTools)
		if err != nil {
			return o, cli.Usage("--tools: %v", err)
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&listed); err != nil {
			return o, cli.Usage("--tools: %s is no list of tools: %v", file, err).
				Next(`write a list of {"name", "description", "inputSchema", "outputSchema", "run": ["PROGRAM"]}; a minion has "agent": "ADDRESS" instead of run, and may have "under" and "tools"`)
		}
	}
	for _, kind := range []struct {
		flag  string
		texts []string
	}{{"--tool", tools}, {"--minion", minions}} {
		for _, text := range kind.texts {
			name, what, ok := strings.Cut(text, "=")
			if !ok || what == "" {
				return o, cli.Usage("%s is %.80q; write NAME=%s", kind.flag, text, map[string]string{"--tool": "PROGRAM", "--minion": "ADDRESS"}[kind.flag])
			}
			one := offered{Repr: agent.Repr{Name: name, Description: "A tool of the caller: " + name}, Run: []string{what}}
			if kind.flag == "--minion" {
				one = offered{Repr: agent.Repr{Name: name, Description: "An agent of the caller: " + name}, Agent: what}
			}
			listed = append(listed, one)
		}
	}
	for _, one := range listed {
		if err := o.put(one); err != nil {
			return o, err
		}
	}
	for _, one := range listed {
		if one.Under != "" && one.Agent == "" {
			return o, cli.Usage(`%s has "under", which is for a minion of another host; leave it out`, one.Name)
		}
		for _, name := range one.Tools {
			if one.Agent == "" || len(o.all[name].Run) == 0 {
				return o, cli.Usage("%s may call %.80q: only minions call tools, and only those that are offered here", one.Name, name)
			}
		}
	}
	return o, nil
}

// put adds an offer.
func (o *offers) put(one offered) (err error) {
	if len(one.InputSchema) == 0 {
		one.InputSchema = json.RawMessage(`{}`)
	}
	if err := one.Validate(schema.DefaultLimits()); err != nil {
		return cli.Usage("a tool or minion cannot be used: %v", err)
	}
	if one.form, err = schema.Compile(one.InputSchema, schema.DefaultLimits()); err != nil {
		return cli.Usage("%s: %v", one.Name, err)
	}
	_, twice := o.all[one.Name]
	switch {
	case twice:
		return cli.Usage("the name %s is given twice; each tool and minion has its own", one.Name)
	case (len(one.Run) == 0 || one.Run[0] == "") == (one.Agent == ""):
		return cli.Usage(`%s has both "run" and "agent", or neither; a tool has "run", a minion "agent"`, one.Name)
	}
	o.all[one.Name] = one
	o.list = append(o.list, one)
	return nil
}

// lead finds where the minions are, as the command finds the agent that it calls. The chain of a
// minion of its own comes before that of --under.
func (o *offers) lead(ctx context.Context, a *cli.App, under string) error {
	for i := range o.list {
		one := &o.list[i]
		if one.Agent == "" {
			continue
		}
		to, err := resolved(ctx, a, one.Agent, cli.First(one.Under, under))
		if err != nil {
			return err
		}
		one.Agent, one.signer = to.address, to.agent
		if host.IsRemote(one.Agent) {
			_, err = host.ParseRemote(one.Agent)
		} else {
			_, err = host.ParseTarget(one.Agent)
		}
		if err != nil {
			return cli.Usage("%s: %v", one.Name, err)
		}
		if one.Under != "" && !host.IsRemote(one.Agent) {
			return cli.Usage(`%s is an agent of this host and has "under", which is for a minion of another one; leave it out`, one.Name)
		}
		o.all[one.Name] = *one
	}
	return nil
}

// minions reports whether there is a minion, and whether one is an agent of another host.
func (o *offers) minions() (some, far bool) {
	for _, one := range o.list {
		some, far = some || one.Agent != "", far || host.IsRemote(one.Agent)
	}
	return some, far
}

// safe refuses minions of the own host for an agent of another one: a stranger would say with what
// they are called.
func (o *offers) safe(address string) error {
	for _, one := range o.list {
		if host.IsRemote(address) && one.Agent != "" && !host.IsRemote(one.Agent) {
			return cli.Usage("the minion %s is an agent of your own host, and an agent of another host would say with what it is called; leave it out", one.Name).
				Next("give that agent's operator a delegation instead, or offer your agent by its public address under --under")
		}
	}
	return nil
}

// describe tells the agent what it may call.
func (o *offers) describe(order *channel.RunOrder) {
	for _, one := range o.list {
		if one.Agent == "" {
			order.Tools = append(order.Tools, one.Repr)
		} else {
			order.Minions = append(order.Minions, one.Repr)
		}
	}
}

// use makes a call of the agent. The host may not have checked its input. The context is nil unless
// the program of a tool changed it.
func (t *talk) use(ctx context.Context, c agent.ClientCall) (output, about json.RawMessage, err error) {
	one, there := t.offers.all[c.Name]
	if !there {
		return nil, nil, errors.New("it was not offered")
	}
	input := c.Input
	if len(input) == 0 {
		input = json.RawMessage("null")
	}
	wrong, err := one.form.Check(ctx, input)
	switch {
	case err != nil:
		return nil, nil, err
	case len(wrong) > 0:
		return nil, nil, fmt.Errorf("the input is not as inputSchema says: %s", wrong[0])
	case one.Agent != "":
		output, err = t.minion(ctx, one, c)
		return output, nil, err
	}
	file, err := mind.WriteContext("", c.Context)
	if err != nil {
		return nil, nil, err
	}
	output, err = execute(ctx, one.Run, input, file.Environ())
	about, wrote := file.Take()
	return output, about, errors.Join(err, wrote)
}

// execute runs the program of a tool. What is in its process group ends with it, unless this
// command is killed.
func execute(ctx context.Context, run []string, input json.RawMessage, environ string) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	p, out := exec.CommandContext(ctx, run[0], run[1:]...), &printed{full: cancel}
	p.Stdin, p.Stdout, p.WaitDelay, p.Env = bytes.NewReader(input), out, time.Second, append(os.Environ(), environ)
	err := mind.RunGroup(p)
	switch {
	case len(out.raw) > maxOutput:
		return nil, fmt.Errorf("it printed more than %d bytes", maxOutput)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // a child held its output for longer; what it printed counts
		return nil, err
	case !json.Valid(out.raw):
		return nil, errors.New("it did not print one JSON value")
	}
	return out.raw, nil
}

// printed is the output of a tool, which is ended if it prints too much.
type printed struct {
	raw  []byte
	full func()
}

func (p *printed) Write(b []byte) (int, error) {
	p.raw = append(p.raw, b[:min(len(b), maxOutput+1-len(p.raw))]...)
	if len(p.raw) > maxOutput {
		p.full()
	}
	return len(b), nil
}
