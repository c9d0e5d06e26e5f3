package sources

import (
	"maps"
	"slices"
	"strings"

	"ojud/datasource/kind"
	"ojud/datasource/preset"
)

// Presets lists the names of presets.
func Presets() []string { return slices.Sorted(maps.Keys(preset.All())) }

// header is the flag of headers.
const header = "header"

// Apply fills in what the draft leaves open from the preset that it names, if any, and the request
// to try it with. Headers of both are sent.
func (d *Draft) Apply(o *Options) error {
	if d.As == "" {
		return nil
	}
	p, ok := preset.All()[d.As]
	if !ok {
		return wrong("as", "%.40q is no preset; choose one of %s", d.As, strings.Join(Presets(), ", "))
	}
	if d.File != "" {
		return wrong("file", "is a whole source, so --as says it twice; leave one of them out")
	}
	if d.Upstream == nil {
		d.Upstream = kind.Values{}
	}
	for flag, values := range p.Upstream {
		switch {
		case len(d.Upstream[flag]) == 0:
			d.Upstream[flag] = values
		case flag == header:
			d.Upstream[flag] = merged(values, d.Upstream[flag])
		}
	}
	for _, open := range []struct {
		into *string
		from string
	}{{&d.Name, p.Name}, {&d.Description, p.About}, {&d.InputSchema, p.In}, {&d.OutputSchema, p.Out}, {&d.TotalRate, p.Total}} {
		if *open.into == "" {
			*open.into = open.from
		}
	}
	if len(d.Access) == 0 {
		d.Access = p.Access
	}
	if d.Freshness == nil {
		d.Freshness = &p.Fresh
	}
	if len(o.Request) == 0 && p.Sample != "" {
		o.Request = []byte(p.Sample)
	}
	return nil
}

// merged returns headers of which each name stands once: the owner's value counts.
func merged(given, own []string) []string {
	name := func(header string) string {
		n, _, _ := strings.Cut(header, "=")
		return strings.ToLower(strings.TrimSpace(n))
	}
	out := slices.Clone(own)
	for _, h := range given {
		if !slices.ContainsFunc(own, func(o string) bool { return name(o) == name(h) }) {
			out = append(out, h)
		}
	}
	return out
}
