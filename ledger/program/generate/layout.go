package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// accounts prints the accounts, and what they consist of.
func (g *generator) accounts() {
	g.print("// accounts returns an empty account of every type.\nfunc accounts() []Account {\nreturn []Account{%s}\n}", empty(g.Accounts))
	account := map[string]bool{}
	for _, a := range g.Accounts {
		account[a.Name] = true
	}
	for _, s := range g.Types {
		if s.Serialization != "bytemuck" && s.Name != "Params" || manual(s.Name) {
			continue
		}
		g.structure(s)
		if account[s.Name] {
			g.print("\n// AccountName returns %q.\nfunc (*%s) AccountName() string { return %[1]q }", s.Name, s.Name)
			g.print("\n// Encode returns the account's bytes.\nfunc (v *%s) Encode() []byte { return encode(v) }", s.Name)
			g.print("\n// Decode%s decodes %s; ErrAccount if the bytes are none.", s.Name, article(s.Name))
			g.print("func Decode%s(data []byte) (*%[1]s, error) { return decodeAs[%[1]s](data) }", s.Name)
		}
		g.layout(s, account[s.Name])
	}
}

func article(name string) string {
	if strings.ContainsAny(name[:1], "AEIO") {
		return "an " + name + " account"
	}
	return "a " + name + " account"
}

// empty lists pointers to empty values.
func empty(all []named) string {
	var b strings.Builder
	for _, n := range all {
		b.WriteString("\n&" + camel(n.Name) + "{},")
	}
	return b.String() + "\n"
}

// events prints the events, and what they consist of.
func (g *generator) events() {
	g.print("// events returns an empty event of every type, in the order of the protocol.")
	g.print("func events() []Event {\nreturn []Event{%s}\n}", empty(g.Events))
	event := map[string]bool{}
	for _, e := range g.Events {
		event[e.Name] = true
	}
	for _, s := range g.Types {
		if s.Serialization == "bytemuck" || s.Name == "Params" {
			continue
		}
		g.structure(s)
		if event[s.Name] {
			g.print("\n// EventName returns %q.\nfunc (*%s) EventName() string { return %[1]q }", s.Name, s.Name)
		}
		g.layout(s, false)
	}
}

// instructions prints the arguments of all instructions.
func (g *generator) instructions() {
	var all []named
	for _, i := range g.Instructions {
		all = append(all, i.named)
	}
	g.print("// instructions returns an empty instruction of every type, in the order of the protocol.")
	g.print("func instructions() []Instruction {\nreturn []Instruction{%s}\n}", empty(all))
	for _, i := range g.Instructions {
		s := structure{named: named{Name: camel(i.Name), Docs: i.Docs}}
		s.Type.Fields = i.Args
		g.structure(s)
		g.print("\n// InstructionName returns %q.\nfunc (*%s) InstructionName() string { return %[1]q }", i.Name, s.Name)
		var roles []string
		for _, a := range i.Accounts {
			flags := ""
			for _, f := range []struct {
				on   bool
				name string
			}{{a.Signer, "s"}, {a.Writable, "w"}, {a.Optional, "o"}} {
				if f.on {
					flags += f.name
				}
			}
			roles = append(roles, fmt.Sprintf("%q", strings.TrimSuffix(a.Name+":"+flags, ":")))
		}
		g.print("\n// Accounts returns the roles of the instruction's accounts, in order.")
		g.print("func (*%s) Accounts() []AccountRole {\nreturn roles(%s)\n}", s.Name, strings.Join(roles, ", "))
		g.layout(s, false)
	}
}

// failures prints the error codes.
func (g *generator) failures() {
	g.print("// The errors of the program.\nconst (")
	for i, f := range g.Errors {
		if i == 0 {
			g.print("Err%s Code = %d + iota", f.Name, f.Code)
		} else {
			g.print("Err%s", f.Name)
		}
	}
	g.print(")\n\nconst (\nfirstCode = Err%s\nlastCode = Err%s\n)", g.Errors[0].Name, g.Errors[len(g.Errors)-1].Name)
	g.print("\n// codeNames returns the names in the IDL, in the order of the codes.\nfunc codeNames() []string {\nreturn []string{")
	for _, f := range g.Errors {
		g.print("%q,", f.Name)
	}
	g.print("}\n}\n\n// codeMeanings returns the messages of the IDL, in the order of the codes.\nfunc codeMeanings() []string {\nreturn []string{")
	for _, f := range g.Errors {
		g.print("%q,", f.Msg)
	}
	g.print("}\n}")
}

// structure prints a struct.
func (g *generator) structure(s structure) {
	g.print("")
	g.comment("", s.Docs)
	g.print("type %s struct {", s.Name)
	p, inPart := g.parts[s.Name], false
	for _, f := range s.Type.Fields {
		h := g.hint(s, f)
		if g.inside(s.Name, f.Name) {
			if !inPart && p.name != "" {
				g.print("%s %s // %s", p.name, p.kind, p.doc)
			}
			inPart = true
			continue
		}
		if f.pad() || h.Count != "" || f.Name == "version" && s.Serialization == "bytemuck" {
			continue
		}
		doc := strings.Join(f.Docs, " ")
		if len(doc) > 60 {
			g.comment("\t", f.Docs)
			doc = ""
		}
		if doc != "" {
			doc = " // " + doc
		}
		g.print("%s %s%s", goName(f, h), goType(f, h), doc)
	}
	if t, ok := g.tails[s.Name]; ok {
		g.print("%s", cmp.Or(t.fields, fmt.Sprintf("Entries []%s // %s", t.item, t.doc)))
	}
	if p.kind != "" && p.name == "" {
		g.print("%s", p.kind)
	}
	g.print("}")
}

// inside reports whether a field belongs to the struct inside.
func (g *generator) inside(name, fieldName string) bool {
	p := g.parts[name]
	if p.fields == "" {
		return slices.Contains(p.list, fieldName)
	}
	return slices.ContainsFunc(g.find(p.fields).Type.Fields, func(f field) bool { return f.Name == fieldName })
}

// hint merges the hints of a field, the most special one first.
func (g *generator) hint(s structure, f field) (h hint) {
	group := ""
	if slices.ContainsFunc(g.Events, func(n named) bool { return n.Name == s.Name }) {
		group = "event."
	}
	for _, key := range []string{s.Name + ".", group, "*."} {
		if found, ok := g.hints[key+f.Name]; ok {
			h.Name, h.Type, h.Count = cmp.Or(h.Name, found.Name), cmp.Or(h.Type, found.Type), cmp.Or(h.Count, found.Count)
			h.Low, h.High = cmp.Or(h.Low, found.Low), cmp.Or(h.High, found.High)
		}
	}
	return h
}

func goName(f field, h hint) string { return cmp.Or(h.Name, camel(f.Name)) }

func goType(f field, h hint) string {
	switch {
	case h.Type != "":
		return h.Type
	case f.Type.Of == "array" && f.Type.Name == "u8":
		return "voting.Hash"
	case f.Type.Of == "array" && f.Type.Name == "u64":
		return fmt.Sprintf("[%d]uint64", f.Type.Len)
	case f.Type.Of != "":
		return "[]" + f.Type.Name
	}
	return cmp.Or(map[string]string{
		"pubkey": addressType, "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "i64": "int64", "bytes": "[]byte",
	}[f.Type.Name], f.Type.Name)
}

// addressType is the Go type of an address.
const addressType = "onchain.Address"

// camel turns task_hash into TaskHash.
func camel(name string) string {
	if name == "id" {
		return "ID"
	}
	var b strings.Builder
	for _, word := range strings.Split(name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
