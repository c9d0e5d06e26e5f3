package program

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"
)

var rewrite = flag.Bool("rewrite", false, "write the golden vectors and the IDL instead of comparing with them")

const (
	vectorDir = "../../programs/oju/vectors"
	idlPath   = "../../programs/oju/idl/oju.json"
)

// golden compares v, as JSON, with a file, or writes the file.
func golden(t *testing.T, path string, v any) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./ledger/program -rewrite", err)
	}
	if !bytes.Equal(want, b.Bytes()) {
		got, old := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(got), len(old)) {
			if got[i] != old[i] {
				t.Fatalf("%s:%d\n got %s\nwant %s\nif this is meant: go test ./ledger/program -rewrite, and change the program", path, i+1, got[i], old[i])
			}
		}
		t.Fatalf("%s has %d lines, the code makes %d", path, len(old), len(got))
	}
}

type vectorField struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Value  string `json:"value"`
}

// fields lists l without the unused fields.
func fields(l layout, unused func(offset int) bool) []vectorField {
	all := []vectorField{}
	for _, f := range flatten("", list(l)) {
		if f.Type != "pad" && f.Type != "tag" && (unused == nil || !unused(f.Offset)) {
			all = append(all, vectorField{f.Name, f.Type, f.Offset, f.Value})
		}
	}
	return all
}

func TestAccountVectors(t *testing.T) {
	type vector struct {
		Name    string        `json:"name"`
		Account string        `json:"account"`
		Size    int           `json:"size"`
		Data    string        `json:"data"`
		Fields  []vectorField `json:"fields"`
	}
	var all []vector
	for _, a := range sampleAccounts() {
		unused := func(offset int) bool {
			return inUnused(a.Account, offset) && offset < dataHeadSize || inUnusedSeat(a.Account, offset)
		}
		all = append(all, vector{a.name, a.AccountName(), len(a.Encode()), hex.EncodeToString(a.Encode()), fields(a.Account, unused)})
	}
	golden(t, filepath.Join(vectorDir, "accounts.json"), all)
}

func inUnusedSeat(a Account, offset int) bool {
	_, ok := a.(*Case)
	return ok && inUnused(a, offset)
}

type vectorMeta struct {
	Name     string `json:"name"`
	Address  string `json:"address"`
	Signer   bool   `json:"signer"`
	Writable bool   `json:"writable"`
}

func TestInstructionVectors(t *testing.T) {
	type before struct {
		Program string `json:"program"`
		Data    string `json:"data"`
	}
	type vector struct {
		Name        string        `json:"name"`
		Instruction string        `json:"instruction"`
		Before      []before      `json:"before"`
		Data        string        `json:"data"`
		Args        []vectorField `json:"args"`
		Accounts    []vectorMeta  `json:"accounts"`
	}
	var all []vector
	for _, c := range sampleCalls(t) {
		raw := data(t, c.last())
		i, err := DecodeInstruction(raw)
		if err != nil {
			t.Fatal(err)
		}
		v := vector{Name: c.name, Instruction: i.InstructionName(), Before: []before{}, Data: hex.EncodeToString(raw), Args: fields(i, nil)}
		for n := range v.Args {
			v.Args[n].Offset += 8
		}
		for _, b := range c.list[:len(c.list)-1] {
			v.Before = append(v.Before, before{b.Program.String(), hex.EncodeToString(data(t, b))})
		}
		for n, m := range c.last().Accounts {
			v.Accounts = append(v.Accounts, vectorMeta{i.Accounts()[n].Name, m.Address.String(), m.Signer, m.Writable})
		}
		all = append(all, v)
	}
	golden(t, filepath.Join(vectorDir, "instructions.json"), all)
}

func TestEventVectors(t *testing.T) {
	type vector struct {
		Name   string        `json:"name"`
		Event  string        `json:"event"`
		Data   string        `json:"data"`
		Log    string        `json:"log"`
		Fields []vectorField `json:"fields"`
	}
	var all []vector
	for _, e := range sampleEvents() {
		raw := EncodeEvent(e.Event)
		v := vector{e.name, e.EventName(), hex.EncodeToString(raw), "Program data: " + base64.StdEncoding.EncodeToString(raw), fields(e.Event, nil)}
		for n := range v.Fields {
			v.Fields[n].Offset += 8
		}
		all = append(all, v)
	}
	golden(t, filepath.Join(vectorDir, "events.json"), all)
}

func TestNameVectors(t *testing.T) {
	type entry struct {
		Name          string `json:"name"`
		Discriminator string `json:"discriminator"`
	}
	entryOf := func(space, name string) entry {
		return entry{name, fmt.Sprintf("%x", Discriminator(space, name))}
	}
	type code struct {
		Code uint32 `json:"code"`
		Name string `json:"name"`
	}
	var all struct {
		Accounts     []entry `json:"accounts"`
		Instructions []entry `json:"instructions"`
		Events       []entry `json:"events"`
		Errors       []code  `json:"errors"`
	}
	for _, a := range accounts() {
		all.Accounts = append(all.Accounts, entryOf("account", a.AccountName()))
	}
	for _, i := range instructions() {
		all.Instructions = append(all.Instructions, entryOf("global", i.InstructionName()))
	}
	for _, e := range events() {
		all.Events = append(all.Events, entryOf("event", e.EventName()))
	}
	for c := ErrBadInstruction; c.Known(); c++ {
		all.Errors = append(all.Errors, code{uint32(c), c.Name()})
	}
	golden(t, filepath.Join(vectorDir, "names.json"), all)
}

func TestAddressVectors(t *testing.T) {
	type vector struct {
		Account string   `json:"account"`
		Seeds   []string `json:"seeds"`
		Address string   `json:"address"`
		Bump    uint8    `json:"bump"`
	}
	creator, worker, task := pub("creator"), pub("worker"), pub("task")
	var all struct {
		Program string   `json:"program"`
		List    []vector `json:"list"`
	}
	all.Program = pub("program").String()
	for _, c := range []struct {
		account string
		seeds   [][]byte
	}{
		{"Config", [][]byte{[]byte("config")}}, {"Rules", [][]byte{[]byte("rules"), {1, 0, 0, 0}}}, {"Rules", [][]byte{[]byte("rules"), {4, 3, 2, 1}}}, {"Roster", [][]byte{[]byte("roster")}},
		{"RegistryPage", [][]byte{[]byte("registry"), {0, 0, 0, 0}}}, {"RegistryPage", [][]byte{[]byte("registry"), {4, 3, 2, 1}}},
		{"Agent", [][]byte{[]byte("agent"), creator[:]}}, {"AgentData", [][]byte{[]byte("data"), creator[:], []byte("memory")}},
		{"Task", [][]byte{[]byte("task"), creator[:], {8, 7, 6, 5, 4, 3, 2, 1}}}, {"Case", [][]byte{[]byte("case"), task[:]}},
		{"Channel", [][]byte{[]byte("channel"), creator[:], worker[:]}}, {"Admission", [][]byte{[]byte("admission"), creator[:]}}, {"Pledge", [][]byte{[]byte("pledge"), task[:]}},
		{"VerdictAccount", [][]byte{[]byte("verdict"), task[:]}},
	} {
		address, bump, err := solana.FindProgramAddress(c.seeds, solana.PublicKey(pub("program")))
		if err != nil {
			t.Fatal(err)
		}
		v := vector{Account: c.account, Address: address.String(), Bump: bump}
		for _, s := range c.seeds {
			v.Seeds = append(v.Seeds, hex.EncodeToString(s))
		}
		all.List = append(all.List, v)
	}
	golden(t, filepath.Join(vectorDir, "addresses.json"), all)
}
