package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/host"
	"ojud/agent/host/door"
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
	Agent string   `json:"agent"` // of a minion: the address of a capability

	form *schema.Schema // of the input
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
				Next(`write a list of {"name", "description", "inputSchema", "outputSchema", "run": ["PROGRAM"]}`)
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
	case one.Agent != "" && host.IsRemote(one.Agent):
		_, err = host.ParseRemote(one.Agent)
	case one.Agent != "":
		_, err = host.ParseTarget(one.Agent)
	}
	if err != nil {
		return cli.Usage("%s: %v", one.Name, err)
	}
	o.all[one.Name] = one
	o.list = append(o.list, one)
	return nil
}

// remote reports whether a minion is an agent of another host.
func (o *offers) remote() bool {
	return slices.ContainsFunc(o.list, func(one offered) bool { return host.IsRemote(one.Agent) })
}

// safe refuses minions of the own host for an agent of another one: they are called as by the
// operator, so nobody would be asked, and a stranger would say with what.
func (o *offers) safe(address string) error {
	for _, one := range o.list {
		if host.IsRemote(address) && one.Agent != "" && !host.IsRemote(one.Agent) {
			return cli.Usage("the minion %s is an agent of your own host, which would do for the agent of another host what it does for you; leave it out", one.Name).
				Next("give that agent's operator a delegation instead, or offer your agent by its public address under --under")
		}
	}
	return nil
}

// purse is what calls of minions of other hosts may spend together. They come one after the other.
type purse struct {
	mu             sync.Mutex
	open           bool
	tokens, micros *int64 // nil: nothing was allowed
}

// take locks the purse. The caller gives it back.
func (p *purse) take(d distant) (err error) {
	p.mu.Lock()
	if p.open {
		return nil
	}
	if p.tokens, err = amount("--tokens", d.tokens, 0); err == nil {
		p.micros, err = amount("--dollars", d.dollars, 6)
	}
	p.open = err == nil
	return err
}

// giveBack takes out what a call spent; nil: all, because nobody says how much.
func (p *purse) giveBack(u *agent.Usage) {
	defer p.mu.Unlock()
	for left, spent := range map[*int64]func() int64{
		p.tokens: func() int64 { return int64(u.Prompt) + int64(u.Completion) }, p.micros: func() int64 { return int64(min(u.Cost, 1<<62)) },
	} {
		switch {
		case left == nil:
		case u == nil || u.Prompt < 0 || u.Completion < 0 || u.Prompt > 1<<40 || u.Completion > 1<<40:
			*left = 0
		default:
			*left = max(0, *left-spent())
		}
	}
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
		output, err = t.minion(ctx, one.Agent, c)
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

// execute runs the program of a tool.
func execute(ctx context.Context, run []string, input json.RawMessage, environ string) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	p := exec.CommandContext(ctx, run[0], run[1:]...)
	p.Stdin, p.WaitDelay, p.Env = bytes.NewReader(input), time.Second, append(os.Environ(), environ)
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(out, maxOutput+1))
	if len(raw) > maxOutput {
		cancel()
	}
	err = errors.Join(err, p.Wait())
	switch {
	case len(raw) > maxOutput:
		return nil, fmt.Errorf("it printed more than %d bytes", maxOutput)
	case err != nil:
		return nil, err
	case !json.Valid(raw):
		return nil, errors.New("it did not print one JSON value")
	}
	return raw, nil
}

// minion has another agent make a call, and shows its steps as those of a minion. The agent that
// called it tells its result.
func (t *talk) minion(ctx context.Context, address string, c agent.ClientCall) (json.RawMessage, error) {
	var used *agent.Usage
	if host.IsRemote(address) {
		err := t.purse.take(t.distant)
		defer func() { t.purse.giveBack(used) }()
		if err != nil {
			return nil, err
		}
	}
	line, err := t.reach(ctx, address, channel.RunOrder{Input: c.Input, Context: c.Context, Chunks: t.chunks})
	if err != nil {
		return nil, err
	}
	defer line.Close()
	if err := t.show(channel.Body{MinionStart: &agent.MinionStart{ID: c.ID, Name: c.Name}}); err != nil {
		return nil, err
	}
	for {
		m, err := line.Receive(ctx)
		switch {
		case err != nil:
			brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			return nil, errors.Join(err, line.Send(brief, channel.Body{Cancel: &channel.Cancel{}}))
		case m.Call != nil: // it was offered nothing
			err = line.Send(ctx, channel.Body{Result: &agent.ToolResult{ID: m.Call.ID, Name: m.Call.Name, Error: "it was not offered"}})
		case m.Final != nil:
			used = &m.Final.Usage
		case m.End != nil:
			return ended(line, m.End)
		case m.Refused == nil:
			err = t.show(m.Beneath(c.ID))
		}
		if err != nil {
			return nil, err
		}
	}
}

// ended reads the end of the call of a minion.
func ended(line *door.Talk, raw json.RawMessage) (json.RawMessage, error) {
	a, attested, err := line.End(raw)
	switch {
	case err != nil:
		return nil, err
	case a.Status != host.OK:
		return nil, fmt.Errorf("its call ended as %s: %s", a.Status, a.Error)
	case !attested:
		return nil, errors.New("its result is not signed")
	}
	return a.Result, nil
}

// reach begins a call of an agent of this host, or of another one by the flags of the command.
func (t *talk) reach(ctx context.Context, address string, order channel.RunOrder) (*door.Talk, error) {
	if host.IsRemote(address) {
		to, err := abroad(t.a, address, t.distant.under, casefile.DID{}, t.purse.tokens, t.purse.micros)
		if err != nil {
			return nil, err
		}
		return to.Talk(ctx, order)
	}
	target, err := host.ParseTarget(address)
	if err != nil {
		return nil, err
	}
	c, err := open(t.a)
	if err != nil {
		return nil, err
	}
	return c.Talk(ctx, target, order, "")
}
