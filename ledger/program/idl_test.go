package program

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
)

// The layouts are generated from the IDL. TestIDL makes an IDL from the layouts again: nothing was
// lost on the way. idl_check_test.go reads the IDL without the layouts.

type idlFile struct {
	Address      string           `json:"address"`
	Metadata     map[string]any   `json:"metadata"`
	Docs         []string         `json:"docs"`
	Instructions []idlInstruction `json:"instructions"`
	Accounts     []idlNamed       `json:"accounts"`
	Events       []idlNamed       `json:"events"`
	Errors       []idlError       `json:"errors"`
	Types        []idlType        `json:"types"`
}

type idlNamed struct {
	Name          string `json:"name"`
	Discriminator bytes8 `json:"discriminator"`
}

type idlInstruction struct {
	Name          string       `json:"name"`
	Docs          []string     `json:"docs"`
	Discriminator bytes8       `json:"discriminator"`
	Accounts      []idlAccount `json:"accounts"`
	Args          []idlField   `json:"args"`
}

type idlAccount struct {
	Name     string   `json:"name"`
	Docs     []string `json:"docs,omitempty"`
	Writable bool     `json:"writable,omitempty"`
	Signer   bool     `json:"signer,omitempty"`
	Optional bool     `json:"optional,omitempty"`
	Address  string   `json:"address,omitempty"`
	PDA      *idlPDA  `json:"pda,omitempty"`
}

type idlPDA struct {
	Seeds   []idlSeed `json:"seeds"`
	Program *idlSeed  `json:"program,omitempty"`
}

type idlSeed struct {
	Kind    string `json:"kind"`
	Value   bytes8 `json:"value,omitempty"`
	Path    string `json:"path,omitempty"`
	Account string `json:"account,omitempty"`
}

type idlError struct {
	Code uint32 `json:"code"`
	Name string `json:"name"`
	Msg  string `json:"msg"`
}

type idlField struct {
	Name string   `json:"name"`
	Docs []string `json:"docs,omitempty"`
	Type any      `json:"type"`
}

type idlType struct {
	Name          string            `json:"name"`
	Docs          []string          `json:"docs,omitempty"`
	Serialization string            `json:"serialization,omitempty"`
	Repr          map[string]string `json:"repr,omitempty"`
	Type          idlStruct         `json:"type"`
}

type idlStruct struct {
	Kind   string     `json:"kind"`
	Fields []idlField `json:"fields"`
}

// bytes8 is bytes as a list of numbers.
type bytes8 []byte

// MarshalJSON writes a list of numbers, not base64.
func (b bytes8) MarshalJSON() ([]byte, error) {
	return []byte(strings.ReplaceAll(fmt.Sprint([]byte(b)), " ", ",")), nil
}

func TestIDL(t *testing.T) {
	golden(t, idlPath, makeIDL(t))
}

func makeIDL(t *testing.T) idlFile {
	docs := typeDocs(t)
	f := idlFile{
		Address: pub("program").String(),
		Metadata: map[string]any{"name": "oju", "version": "0.1.0", "spec": "0.1.0",
			"description": "Tasks, escrow, judges and disputes between agents that do not trust each other"},
		Docs: []string{
			"Version 2 of docs/protocol.md, which is normative.",
			"`address` is that of the golden vectors: put in the address at which the program runs on your network (network.json).",
		},
	}
	types := map[string]idlType{}
	for _, i := range instructions() {
		f.Instructions = append(f.Instructions, idlInstructionOf(i, docs, types))
	}
	for _, a := range sampleAccounts() {
		types[a.AccountName()] = accountType(a.Account, docs, types)
	}
	for _, a := range accounts() {
		f.Accounts = append(f.Accounts, idlNamed{a.AccountName(), discriminator("account", a.AccountName())})
	}
	for _, e := range sampleEvents() {
		types[e.EventName()] = structType(e.EventName(), list(e.Event), docs, types)
	}
	for _, e := range events() {
		f.Events = append(f.Events, idlNamed{e.EventName(), discriminator("event", e.EventName())})
	}
	for c := ErrBadInstruction; c.Known(); c++ {
		f.Errors = append(f.Errors, idlError{uint32(c), c.Name(), c.Meaning()})
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		f.Types = append(f.Types, types[name])
	}
	return f
}

func discriminator(space, name string) bytes8 {
	d := Discriminator(space, name)
	return d[:]
}

// typeDocs are the doc comments of the package's types, a line each.
func typeDocs(t *testing.T) map[string][]string {
	t.Helper()
	docs := map[string][]string{}
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE || g.Doc == nil {
				continue
			}
			var lines []string
			for _, paragraph := range strings.Split(g.Doc.Text(), "\n\n") {
				lines = append(lines, strings.Join(strings.Fields(paragraph), " "))
			}
			spec := g.Specs[0].(*ast.TypeSpec)
			docs[spec.Name.Name] = lines
			if fields, ok := spec.Type.(*ast.StructType); ok {
				fieldDocs(spec.Name.Name, fields, docs)
			}
		}
	}
	return docs
}

// fieldDocs adds the comments of fields.
func fieldDocs(owner string, s *ast.StructType, docs map[string][]string) {
	for _, f := range s.Fields.List {
		text := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
		for _, n := range f.Names {
			if text != "" {
				docs[owner+"."+idlName(owner, n.Name)] = []string{text}
			}
		}
	}
}

// idlName turns TaskHash into task_hash.
func idlName(owner, name string) string {
	switch owner + "." + name {
	case "Task.ID", "Revoke.ID":
		return "id"
	case "WriteData.DataName":
		return "name"
	case "Case.Seats":
		return "panel"
	}
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func idlInstructionOf(i Instruction, docs map[string][]string, types map[string]idlType) idlInstruction {
	goName := strings.TrimPrefix(fmt.Sprintf("%T", i), "*program.")
	if len(docs[goName]) == 0 {
		panic(goName + " has no doc comment")
	}
	out := idlInstruction{Name: i.InstructionName(), Docs: docs[goName], Discriminator: discriminator("global", i.InstructionName()),
		Accounts: []idlAccount{}, Args: idlFields(goName, list(i), docs, types, false)}
	for _, r := range i.Accounts() {
		a := idlAccount{Name: r.Name, Writable: r.Writable, Signer: r.Signer, Optional: r.Optional, Address: knownAddress(r.Name)}
		a.PDA = idlSeeds(i, r.Name)
		a.Docs = whenOptional(i.InstructionName(), r)
		if r.Name == "creator_agent" && i.InstructionName() == "revoke" {
			a.Docs = []string{"Matters only if somebody else than the agent revokes, and the task's account is gone; else pass any account."}
		}
		out.Accounts = append(out.Accounts, a)
	}
	return out
}

// whenOptional says when an account is left out.
func whenOptional(instruction string, r AccountRole) []string {
	if !r.Optional {
		return nil
	}
	when := map[string]string{
		"expire": "the task has no worker", "register_agent": "no operator is declared", "join_roster": "no operator is declared",
		"create_task": "no fee is paid to another engine", "settle_by_engine": "no fee is paid to another engine",
		"open_leaf": "the leaf is void", "update_agent": "the operator is zero, or the present one", "claim_reward": "the wallet is the withdraw key's own account",
		"finish_case": "appeal_by is over", "close_case": "nobody appealed, or the payer did",
	}[instruction]
	if when == "" {
		return nil
	}
	return []string{"Leave it out when " + when + "."}
}

func knownAddress(role string) string {
	switch role {
	case "system":
		return onchain.SystemProgram().String()
	case "instructions":
		return onchain.InstructionsAccount().String()
	}
	return ""
}

// idlSeeds says how the address of an account follows from the others, where it does.
func idlSeeds(i Instruction, role string) *idlPDA {
	constant := func(s string) idlSeed { return idlSeed{Kind: "const", Value: bytes8(s)} }
	account := func(path, kind string) idlSeed { return idlSeed{Kind: "account", Path: path, Account: kind} }
	arg := func(path string) idlSeed { return idlSeed{Kind: "arg", Path: path} }
	seeds := func(s ...idlSeed) *idlPDA { return &idlPDA{Seeds: s} }
	has := func(role string) bool {
		return slices.ContainsFunc(i.Accounts(), func(r AccountRole) bool { return r.Name == role })
	}
	party := func(name string) *idlPDA { // creator_agent, worker_agent
		if has(name) {
			return seeds(constant("agent"), account(name, ""))
		}
		return seeds(constant("agent"), account("task."+name, "Task"))
	}
	instruction := i.InstructionName()
	switch {
	case role == "config" || role == "roster" || role == "pot":
		return seeds(constant(role))
	case role == "rules" && instruction == "init_config":
		return seeds(constant("rules"), constant("\x01\x00\x00\x00"))
	case role == "rules" && has("task") && instruction != "create_task":
		return seeds(constant("rules"), account("task.rules", "Task"))
	case role == "agent" && instruction == "appeal":
		return seeds(constant("agent"), account("party", ""))
	case role == "agent" && has("authority"):
		return seeds(constant("agent"), account("authority", ""))
	case role == "pledge":
		return seeds(constant(role), account("task", ""))
	case role == "agent" && instruction == "pay_pledge":
		return nil // of either party
	case role == "admission" && has("signer"):
		return nil // of whichever judge
	case role == "admission" && instruction == "join_roster":
		return seeds(constant(role), account("authority", ""))
	case role == "admission":
		return seeds(constant(role), arg("judge"))
	case role == "proctor" && instruction == "admit_proctor":
		return seeds(constant(role), arg("proctor"))
	case role == "proctor" && has("batch"):
		return seeds(constant(role), account("authority", ""))
	case role == "batch" && instruction == "commit_batch":
		return seeds(constant(role), account("pot.batches", "Pot"))
	case role == "golden_case":
		return seeds(constant("case"), account("golden_task", ""))
	case role == "page":
		return seeds(constant("registry"), arg("page"))
	case role == "data" && instruction == "write_data":
		return seeds(constant("data"), account("agent.authority", "Agent"), arg("name"))
	case role == "task" && instruction == "create_task":
		return seeds(constant("task"), account("authority", ""), account("agent.tasks_created", "Agent"))
	case role == "creator_agent" && instruction == "revoke":
		return nil // of whichever task
	case role == "creator_agent":
		return party("creator")
	case role == "worker_agent":
		return party("worker")
	case role == "case" && has("task"):
		return seeds(constant("case"), account("task", ""))
	case role == "engine_agent" && instruction == "create_task":
		return seeds(constant("agent"), arg("engine_agent"))
	case role == "engine_agent":
		return seeds(constant("agent"), account("task.engine_agent", "Task"))
	case role == "verdict" && instruction != "settle_by_engine": // which reads that of another program
		return seeds(constant("verdict"), account("task", ""))
	case role == "channel":
		return seeds(constant("channel"), account("payer_agent.authority", "Agent"), account("payee_agent.authority", "Agent"))
	case role == "program_data":
		loader := idlSeed{Kind: "const", Value: solana.BPFLoaderUpgradeableProgramID.Bytes()}
		return &idlPDA{Seeds: []idlSeed{account("program", "")}, Program: &loader}
	}
	return nil
}

// accountType is the zero-copy struct of an account. What follows it in a variable number is not
// part of it.
func accountType(a Account, docs map[string][]string, types map[string]idlType) idlType {
	fields := list(a)[1:] // without the discriminator
	t := idlType{Name: a.AccountName(), Docs: slices.Clone(docs[a.AccountName()]), Serialization: "bytemuck", Repr: map[string]string{"kind": "c"}}
	for last := fields[len(fields)-1]; slices.Contains([]string{"entries", "content", "panel", "first"}, last.Name); last = fields[len(fields)-1] {
		fields = fields[:len(fields)-1]
		if last.Name == "first" {
			continue
		}
		what := map[string]string{"Roster": "`count` RosterEntry", "RegistryPage": "`count` RegistryEntry", "Case": "`panel_seats + appeal_seats` Seat", "AgentData": "`len` bytes of content"}
		t.Docs = append(t.Docs, "Followed in the account by "+what[t.Name]+".")
		idlFields(t.Name, []field{last}, docs, types, true)
	}
	t.Type = idlStruct{"struct", idlFields(t.Name, fields, docs, types, true)}
	return t
}

func structType(name string, fields []field, docs map[string][]string, types map[string]idlType) idlType {
	return idlType{Name: name, Docs: docs[name], Type: idlStruct{"struct", idlFields(name, fields, docs, types, false)}}
}

// idlFields translates fields; structs that they use are added to types. In accounts (zeroCopy)
// lists are arrays.
func idlFields(owner string, fields []field, docs map[string][]string, types map[string]idlType, zeroCopy bool) []idlField {
	out := []idlField{}
	for _, f := range fields {
		name := f.Name
		if f.Type == "pad" {
			name = fmt.Sprint("_pad_", f.Offset)
		}
		out = append(out, idlField{name, docs[owner+"."+name], idlKind(f, docs, types, zeroCopy)})
	}
	return out
}

func idlKind(f field, docs map[string][]string, types map[string]idlType, zeroCopy bool) any {
	switch f.Type {
	case "hash":
		return map[string]any{"array": []any{"u8", 32}}
	case "pad", "rest":
		return map[string]any{"array": []any{"u8", f.Size}}
	}
	var kind any = f.Type
	if f.Many && f.Type != "u16" && f.Type != "u64" || !f.Many && len(f.Fields) > 0 {
		kind = map[string]any{"defined": map[string]any{"name": f.Type}}
		if items := f.Fields; f.Many && len(items) > 0 {
			define(f.Type, items[0].Fields, docs, types, zeroCopy)
		} else if !f.Many {
			define(f.Type, items, docs, types, zeroCopy)
		}
	}
	switch {
	case f.Many && zeroCopy:
		return map[string]any{"array": []any{kind, len(f.Fields)}}
	case f.Many:
		return map[string]any{"vec": kind}
	}
	return kind
}

func define(name string, fields []field, docs map[string][]string, types map[string]idlType, zeroCopy bool) {
	relative := slices.Clone(fields)
	for i := range relative {
		relative[i].Offset -= fields[0].Offset
	}
	t := structType(name, relative, docs, types)
	if zeroCopy {
		t.Serialization, t.Repr = "bytemuck", map[string]string{"kind": "c"}
	}
	types[name] = t
}
