package program

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ojud/ledger/onchain"
)

// A reader of IDLs that knows Borsh and nothing of this package: it decodes the golden vectors with
// the IDL alone.

type idlNode = map[string]any

type idlReader struct {
	types map[string]idlNode
	data  []byte
	pos   int
	out   []byte            // the same, encoded again from the values
	found map[string]string // path: value
}

func loadIDL(t *testing.T) idlNode {
	t.Helper()
	raw, err := os.ReadFile(idlPath)
	if err != nil {
		t.Fatal(err)
	}
	var idl idlNode
	if err := json.Unmarshal(raw, &idl); err != nil {
		t.Fatal(err)
	}
	return idl
}

// entry finds a named entry of one of the IDL's lists.
func entry(t *testing.T, idl idlNode, list, name string) idlNode {
	t.Helper()
	for _, e := range idl[list].([]any) {
		if e.(idlNode)["name"] == name {
			return e.(idlNode)
		}
	}
	t.Fatalf("the IDL has no %s among its %s", name, list)
	return nil
}

func newIDLReader(idl idlNode, data []byte) *idlReader {
	r := &idlReader{types: map[string]idlNode{}, data: data, found: map[string]string{}}
	for _, e := range idl["types"].([]any) {
		r.types[e.(idlNode)["name"].(string)] = e.(idlNode)["type"].(idlNode)
	}
	return r
}

func (r *idlReader) take(n int) []byte {
	b := r.data[r.pos : r.pos+n]
	r.pos += n
	return b
}

func (r *idlReader) discriminator(t *testing.T, e idlNode) {
	t.Helper()
	for i, b := range r.take(8) {
		want := byte(e["discriminator"].([]any)[i].(float64))
		if b != want {
			t.Fatalf("%s: byte %d of the discriminator is %d, the IDL says %d", e["name"], i, b, want)
		}
		r.out = append(r.out, want)
	}
}

func (r *idlReader) fields(path string, fields []any) {
	for _, f := range fields {
		r.read(path+f.(idlNode)["name"].(string), f.(idlNode)["type"])
	}
}

func (r *idlReader) read(path string, kind any) {
	switch kind := kind.(type) {
	case string:
		r.scalar(path, kind)
	case idlNode:
		if defined, ok := kind["defined"]; ok {
			r.fields(path+".", r.types[defined.(idlNode)["name"].(string)]["fields"].([]any))
		} else if vec, ok := kind["vec"]; ok {
			n := binary.LittleEndian.Uint32(r.take(4))
			r.out = binary.LittleEndian.AppendUint32(r.out, n)
			r.items(path, vec, int(n))
		} else {
			array := kind["array"].([]any)
			r.array(path, array[0], int(array[1].(float64)))
		}
	}
}

// items reads a list. Its items are named as the vectors name them.
func (r *idlReader) items(path string, kind any, n int) {
	for i := range n {
		item := fmt.Sprintf("%s[%d]", path, i)
		if kind == "u16" {
			item += ".index"
		}
		r.read(item, kind)
	}
}

func (r *idlReader) array(path string, kind any, n int) {
	if kind != "u8" {
		r.items(path, kind, n)
		return
	}
	b := r.take(n)
	r.out = append(r.out, b...)
	if !strings.Contains(path, "_pad_") {
		r.found[path] = hex.EncodeToString(b)
	}
}

// scalar decodes a value to its text and encodes it again from the text.
func (r *idlReader) scalar(path, kind string) {
	var text string
	switch kind {
	case "pubkey":
		text = onchain.Address(r.take(32)).String()
		key, err := onchain.ParseAddress(text)
		if err != nil {
			panic(err)
		}
		r.out = append(r.out, key[:]...)
	case "string", "bytes":
		b := r.take(int(binary.LittleEndian.Uint32(r.take(4))))
		r.out = append(binary.LittleEndian.AppendUint32(r.out, uint32(len(b))), b...)
		if text = string(b); kind == "bytes" {
			text = hex.EncodeToString(b)
		}
	default:
		size, err := strconv.Atoi(kind[1:])
		if err != nil {
			panic("the IDL has the type " + kind)
		}
		text = r.number(kind[0], size/8)
	}
	r.found[path] = text
}

func (r *idlReader) number(sign byte, size int) string {
	wide := make([]byte, 8)
	copy(wide, r.take(size))
	v := binary.LittleEndian.Uint64(wide)
	text := strconv.FormatUint(v, 10)
	if sign == 'i' {
		text = strconv.FormatInt(int64(v), 10)
		back, _ := strconv.ParseInt(text, 10, 64)
		v = uint64(back)
	} else {
		v, _ = strconv.ParseUint(text, 10, 64)
	}
	r.out = append(r.out, binary.LittleEndian.AppendUint64(nil, v)[:size]...)
	return text
}

type readVector struct {
	Name        string
	Account     string
	Instruction string
	Event       string
	Data        string
	Fields      []vectorField
	Args        []vectorField
	Accounts    []vectorMeta
}

func loadVectors(t *testing.T, file string) (all []readVector) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(vectorDir, file))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &all); err != nil || len(all) == 0 {
		t.Fatalf("%s: %v", file, err)
	}
	return all
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// agree compares what the IDL found with the vector. Fields after the IDL's struct begin with one
// of the prefixes.
func (r *idlReader) agree(t *testing.T, name string, want []vectorField, trailing ...string) {
	t.Helper()
	if string(r.out) != string(r.data[:r.pos]) {
		t.Errorf("%s: encoding by the IDL gives other bytes", name)
	}
	expected := 0
fields:
	for _, f := range want {
		for _, prefix := range trailing {
			if strings.HasPrefix(f.Name, prefix) {
				continue fields
			}
		}
		expected++
		if got, ok := r.found[f.Name]; !ok || got != f.Value {
			t.Errorf("%s: %s is %q by the IDL, %q in the vector", name, f.Name, got, f.Value)
		}
	}
	if expected == 0 && len(r.found) > 0 {
		t.Errorf("%s: the vector has no fields, the IDL %v", name, r.found)
	}
}

func TestIDLDecodesTheAccounts(t *testing.T) {
	idl := loadIDL(t)
	for _, v := range loadVectors(t, "accounts.json") {
		r := newIDLReader(idl, unhex(t, v.Data))
		r.discriminator(t, entry(t, idl, "accounts", v.Account))
		r.fields("", r.types[v.Account]["fields"].([]any))
		trailing := []string{"entries[", "content"}
		if len(r.data) != r.pos { // the entries follow
			r.trailing(t, v)
			trailing = nil
		}
		r.agree(t, v.Name, v.Fields, trailing...)
		if r.pos != len(r.data) {
			t.Errorf("%s: the IDL covers %d of %d bytes", v.Name, r.pos, len(r.data))
		}
	}
}

func (r *idlReader) trailing(t *testing.T, v readVector) {
	t.Helper()
	left := len(r.data) - r.pos
	switch v.Account {
	case "Roster":
		r.items("entries", idlNode{"defined": idlNode{"name": "RosterEntry"}}, left/rosterEntrySize)
	case "RegistryPage":
		r.items("entries", idlNode{"defined": idlNode{"name": "RegistryEntry"}}, left/registryEntrySize)
	case "Case":
		room := func(field string) int {
			n, err := strconv.Atoi(r.found[field])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		seat := idlNode{"defined": idlNode{"name": "Seat"}}
		if appeal := room("appeal_seats"); appeal > 0 {
			r.items("first", seat, room("panel_seats"))
			r.items("panel", seat, appeal)
		} else {
			r.items("panel", seat, left/seatSize)
		}
	case "AgentData":
		r.array("content", "u8", left)
	default:
		t.Errorf("%s: %d bytes are left", v.Name, left)
	}
}

func TestIDLDecodesTheInstructions(t *testing.T) {
	idl := loadIDL(t)
	seen := map[string]bool{}
	for _, v := range loadVectors(t, "instructions.json") {
		e := entry(t, idl, "instructions", v.Instruction)
		seen[v.Instruction] = true
		r := newIDLReader(idl, unhex(t, v.Data))
		r.discriminator(t, e)
		r.fields("", e["args"].([]any))
		r.agree(t, v.Name, v.Args)
		if r.pos != len(r.data) {
			t.Errorf("%s: the IDL covers %d of %d bytes", v.Name, r.pos, len(r.data))
		}
		for i, m := range v.Accounts {
			a := e["accounts"].([]any)[i].(idlNode)
			if a["name"] != m.Name || (a["signer"] == true) != m.Signer || (a["writable"] == true) != m.Writable {
				t.Errorf("%s: account %d is %+v, in the IDL %v", v.Name, i, m, a)
			}
		}
	}
	if len(seen) != len(idl["instructions"].([]any)) {
		t.Errorf("%d of %d instructions have a vector", len(seen), len(idl["instructions"].([]any)))
	}
}

func TestIDLDecodesTheEvents(t *testing.T) {
	idl := loadIDL(t)
	seen := map[string]bool{}
	for _, v := range loadVectors(t, "events.json") {
		seen[v.Event] = true
		r := newIDLReader(idl, unhex(t, v.Data))
		r.discriminator(t, entry(t, idl, "events", v.Event))
		r.fields("", r.types[v.Event]["fields"].([]any))
		r.agree(t, v.Name, v.Fields)
		if r.pos != len(r.data) {
			t.Errorf("%s: the IDL covers %d of %d bytes", v.Name, r.pos, len(r.data))
		}
	}
	if len(seen) != len(idl["events"].([]any)) {
		t.Errorf("%d of %d events have a vector", len(seen), len(idl["events"].([]any)))
	}
}

// A field of n bytes lies at a multiple of n in every zero-copy struct, and the struct ends at a
// multiple of its largest: repr(C) then adds no padding of its own.
func TestIDLStructsHaveNoHiddenPadding(t *testing.T) {
	idl := loadIDL(t)
	for _, e := range idl["types"].([]any) {
		n := e.(idlNode)
		if n["serialization"] != "bytemuck" {
			continue
		}
		types := newIDLReader(idl, nil).types
		size, align := measure(t, n["name"].(string), types, n["type"].(idlNode))
		if size%align != 0 {
			t.Errorf("%s has %d bytes and the alignment %d", n["name"], size, align)
		}
	}
}

func measure(t *testing.T, name string, types map[string]idlNode, s idlNode) (size, align int) {
	t.Helper()
	align = 1
	names := map[any]bool{}
	for _, f := range s["fields"].([]any) {
		if names[f.(idlNode)["name"]] {
			t.Errorf("%s has two fields %s", name, f.(idlNode)["name"])
		}
		names[f.(idlNode)["name"]] = true
		n, a := measureType(t, types, f.(idlNode)["type"])
		if size%a != 0 {
			t.Errorf("%s.%s lies at %d, which is no multiple of %d", name, f.(idlNode)["name"], size, a)
		}
		size, align = size+n, max(align, a)
	}
	return size, align
}

func measureType(t *testing.T, types map[string]idlNode, kind any) (size, align int) {
	t.Helper()
	switch kind := kind.(type) {
	case string:
		if kind == "pubkey" {
			return 32, 1
		}
		bits, err := strconv.Atoi(kind[1:])
		if err != nil {
			t.Fatalf("%s cannot be in an account", kind)
		}
		return bits / 8, bits / 8
	case idlNode:
		if d, ok := kind["defined"]; ok {
			name := d.(idlNode)["name"].(string)
			return measure(t, name, types, types[name])
		}
		array := kind["array"].([]any)
		size, align = measureType(t, types, array[0])
		return size * int(array[1].(float64)), align
	}
	t.Fatalf("type %v", kind)
	return 0, 0
}
