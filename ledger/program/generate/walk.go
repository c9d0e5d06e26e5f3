package main

import (
	"fmt"
	"strings"
)

const headSize = 10 // of an account: discriminator, version, bump

// layout prints the walk over a structure, and the constants of its size.
func (g *generator) layout(s structure, account bool) {
	offset, padded := 0, false
	if account {
		offset = 8
	}
	var body []string
	line := func(format string, args ...any) { body = append(body, fmt.Sprintf(format, args...)) }
	if account {
		line("w.head(%q, &v.Bump)", s.Name)
	}
	for _, f := range s.Type.Fields {
		size := g.size(f.Type)
		if f.pad() {
			offset, padded = offset+size, true
			continue
		}
		if !account || offset >= headSize {
			at := "w"
			if padded {
				at = fmt.Sprintf("w.at(%d)", offset)
			}
			g.value(s, f, at, line)
		}
		offset, padded = offset+size, false
	}
	name := strings.ToLower(s.Name[:1]) + s.Name[1:]
	switch t, long := g.tails[s.Name]; {
	case long:
		if t.walk != "" {
			line("v.%s", t.walk)
		} else {
			line("many(w.at(%sHeadSize), \"entries\", %q, int(%s), %sSize, &v.Entries)", name, t.item, t.count, lower(t.item))
		}
		g.print("\nconst %sHeadSize = %d\n", name, offset)
		g.print("// %sSize is the size in bytes of %s with that many entries.", s.Name, article(s.Name))
		g.print("func %sSize(entries int) int { return %sHeadSize + %sSize*entries }", s.Name, name, lower(t.item))
	case account:
		g.print("\n// %sSize is the size in bytes of %s.\nconst %[1]sSize = %[3]d", s.Name, article(s.Name), offset)
		if padded {
			line("w.at(%sSize)", s.Name)
		}
	case s.Serialization == "bytemuck", g.item(s.Name):
		g.print("\nconst %sSize = %d", name, offset)
	}
	for _, f := range s.Type.Fields {
		if f.Type.Of == "array" && f.Type.Name == "u64" {
			g.print("\n// The IDL and package voting agree on the length of %s.\nvar _ = [1]struct{}{}[%s-%d]", f.Name, "MaxJudges/PageEntries", f.Type.Len)
		} else if f.Type.Of == "array" && f.Type.Name != "u8" {
			g.print("\n// The IDL and package voting agree on the length of %s.\nvar _ = [1]struct{}{}[%s-%d]", f.Name, maxSeats, f.Type.Len)
		}
	}
	if len(body) == 0 {
		g.print("\nfunc (*%s) walk(*walk) {}", s.Name)
		return
	}
	g.print("\nfunc (v *%s) walk(w *walk) {", s.Name)
	for _, l := range body {
		g.print("%s", l)
	}
	g.print("}")
}

func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// item reports whether a structure is the item of a list.
func (g *generator) item(name string) bool {
	for _, s := range g.Types {
		for _, f := range s.Type.Fields {
			if f.Type.Of == "vec" && f.Type.Name == name {
				return true
			}
		}
	}
	return false
}

// value prints the walk over one field.
func (g *generator) value(s structure, f field, at string, line func(string, ...any)) {
	h := g.hint(s, f)
	target := "v." + goName(f, h)
	if p := g.parts[s.Name]; p.name != "" && g.inside(s.Name, f.Name) {
		target = "v." + p.name + "." + goName(f, h)
	}
	if h.Count != "" {
		target = lower(camel(f.Name))
		line("%s := uint%s(len(v.%s))", target, f.Type.Name[1:], h.Count)
	}
	switch t := f.Type; {
	case t.Of == "array" && t.Name == "u8":
		line("hash(%s, %q, &%s)", at, f.Name, target)
	case t.Of == "array" && t.Name == "u64":
		line("numbers(%s, %q, %s[:])", at, f.Name, target)
	case t.Of == "array":
		line("places(%s, %q, %q, int(seats), %s, %sSize, &%s)", at, f.Name, t.Name, maxSeats, lower(t.Name), target)
	case t.Of == "vec" && t.Name == "u16":
		line("vec(%s, %q, \"u16\", seatIndexSize, &%s)", at, f.Name, target)
	case t.Of == "vec":
		line("vec(%s, %q, %q, %sSize, &%s)", at, f.Name, t.Name, lower(t.Name), target)
	case t.Name == "pubkey":
		line("key(%s, %q, &%s)", at, f.Name, target)
	case t.Name == "string":
		line("text(%s, %q, &%s)", at, f.Name, target)
	case t.Name == "bytes":
		line("blob(%s, %q, \"bytes\", &%s)", at, f.Name, target)
	case strings.Trim(t.Name, "ui0123456789") == "":
		line("%s(%s, %q, &%s)", t.Name, at, f.Name, target)
	default:
		line("one(%s, %q, %q, 0, &%s)", at, f.Name, t.Name, target)
	}
	switch {
	case f.Type.Of == "vec" && h.High != "":
		line("w.within(%q, uint64(len(%s)), 0, %s)", "number of "+f.Name, target, h.High)
	case h.High != "" && f.Type.Of == "":
		line("w.within(%q, uint64(%s), uint64(%s), uint64(%s))", f.Name, target, h.Low, h.High)
	}
}
