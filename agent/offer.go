package agent

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"ojud/schema"
)

var names = regexp.MustCompile(`^[a-zA-Z0-9_.:-]{1,64}$`)

// maxDescription bounds a title and a description, which a peer may have written, in bytes.
const maxDescription = 4 << 10

// Validate returns an ErrRequest if a description cannot be used because of its name, the length of
// its texts, or its schemas. Before you offer tools that peers described, leave out those that
// fail, because a run refuses a request with one of them.
func (r Repr) Validate(l schema.Limits) error {
	_, err := newOffer(r, l)
	return err
}

// offer is a tool or a minion of a run. If it has neither a tool nor an agent, the client runs it.
type offer struct {
	repr   Repr
	in     *schema.Schema
	out    *schema.Schema
	tool   Tool
	agent  Agent
	minion bool
}

func newOffer(r Repr, l schema.Limits) (*offer, error) {
	if !names.MatchString(r.Name) {
		return nil, bad("the name %q of a tool or minion is not 1 to 64 of a-z A-Z 0-9 . _ : -", plain(r.Name, 80))
	}
	if len(r.Title) > maxDescription || len(r.Description) > maxDescription {
		return nil, bad("%s: its description has more than %d bytes", r.Name, maxDescription)
	}
	in, err := schema.Compile(r.InputSchema, l)
	if err != nil {
		return nil, bad("%s: its input schema: %w", r.Name, err)
	}
	out, err := schema.Compile(r.OutputSchema, l)
	if err != nil {
		return nil, bad("%s: its output schema: %w", r.Name, err)
	}
	return &offer{repr: r, in: in, out: out}, nil
}

// kit has the tools and minions of a run, by name.
type kit map[string]*offer

// add adds tools and minions. It refuses a name that exists already.
func (k kit) add(l schema.Limits, tools []Tool, minions []Agent) error {
	for _, t := range tools {
		if err := k.put(l, t.Repr(), func(o *offer) { o.tool = t }); err != nil {
			return err
		}
	}
	for _, m := range minions {
		if err := k.put(l, m.Repr(), func(o *offer) { o.agent, o.minion = m, true }); err != nil {
			return err
		}
	}
	return nil
}

// addClient adds those of the client whose names are free.
func (k kit) addClient(l schema.Limits, own kit, tools, minions []Repr) error {
	for i, r := range slices.Concat(tools, minions) {
		if own[r.Name] != nil {
			continue
		}
		if err := k.put(l, r, func(o *offer) { o.minion = i >= len(tools) }); err != nil {
			return err
		}
	}
	return nil
}

func (k kit) put(l schema.Limits, r Repr, is func(*offer)) error {
	o, err := newOffer(r, l)
	if err != nil {
		return err
	}
	if k[r.Name] != nil {
		return bad("there are two tools or minions with the name %s", r.Name)
	}
	is(o)
	k[r.Name] = o
	return nil
}

// reprs returns the descriptions, sorted by name.
func (k kit) reprs() []Repr {
	var out []Repr
	for _, name := range slices.Sorted(maps.Keys(k)) {
		out = append(out, k[name].repr)
	}
	return out
}

// holds returns an error that says how a text violates a schema.
func holds(ctx context.Context, s *schema.Schema, raw []byte) error {
	wrong, err := s.Check(ctx, raw)
	if err != nil {
		return err
	}
	if len(wrong) == 0 {
		return nil
	}
	list := ""
	for _, v := range wrong {
		list += "; " + v.String()
	}
	return fmt.Errorf("%s", plain(list[2:], 4*maxWords))
}
