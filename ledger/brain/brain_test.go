package brain

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"ojud/ledger/onchain"
)

const (
	idlPath = "../../programs/megabrain/idl/megabrain.json"
	sources = "../../programs/megabrain/src/"
)

var rewrite = flag.Bool("rewrite", false, "write the IDL")

type object = map[string]any

func snake(name string) string {
	var out strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(name[i-1])) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// idlName is the name of a type in Rust, and in the IDL.
func idlName(t reflect.Type) string {
	renamed := map[string]string{
		"classHead": "Class", "TaskAccount": "Task", "WorkSeat": "Worker", "Rating": "Said", "Conclusion": "Finding", "OutcomeArgs": "Outcome",
	}
	return cmp.Or(renamed[t.Name()], t.Name())
}

// idlTypes collects the types that others mention.
type idlTypes map[string]object

func (all idlTypes) of(t reflect.Type) any {
	switch {
	case t == reflect.TypeFor[onchain.Address]():
		return "pubkey"
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Slice:
		return "bytes"
	case t.Kind() == reflect.Array:
		return object{"array": []any{all.of(t.Elem()), t.Len()}}
	case t.Kind() == reflect.Struct:
		all.add(t, false)
		return object{"defined": object{"name": idlName(t)}}
	}
	return map[reflect.Kind]string{reflect.Uint8: "u8", reflect.Uint16: "u16", reflect.Uint32: "u32", reflect.Uint64: "u64", reflect.Int64: "i64"}[t.Kind()]
}

// fields lists the fields of a struct. The head of an account becomes version and bump.
func (all idlTypes) fields(t reflect.Type) []any {
	out := []any{}
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Type == reflect.TypeFor[Head]():
			out = append(out, object{"name": "version", "type": "u8"}, object{"name": "bump", "type": "u8"})
		case f.Name == "_":
			out = append(out, object{"name": fmt.Sprintf("_pad_%d", f.Offset), "type": all.of(f.Type)})
		default:
			out = append(out, object{"name": snake(f.Name), "type": all.of(f.Type)})
		}
	}
	return out
}

func (all idlTypes) add(t reflect.Type, account bool) {
	name := idlName(t)
	if _, ok := all[name]; ok {
		return
	}
	all[name] = nil // it is being made
	def := object{"name": name, "type": object{"kind": "struct", "fields": all.fields(t)}}
	if account || binary.Size(reflect.Zero(t).Interface()) >= 0 {
		def["serialization"], def["repr"] = "bytemuck", object{"kind": "c"}
	}
	all[name] = def
}

// idl makes the IDL from the layouts, the instructions and the codes.
func idl() object {
	types := idlTypes{}
	var instructions, accounts, logged, errs []any
	for _, s := range specs {
		var at []any
		for _, r := range s.roles() {
			a := object{"name": snake(r.name)}
			if r.signer {
				a["signer"] = true
			}
			if r.writable {
				a["writable"] = true
			}
			if r.name == "system" {
				a["address"] = onchain.SystemProgram().String()
			}
			at = append(at, a)
		}
		args := []any{}
		if s.args != nil {
			args = types.fields(reflect.TypeOf(s.args))
		}
		instructions = append(instructions, object{"name": s.name, "docs": []string{s.doc}, "discriminator": numbers(discriminator("global", s.name)), "accounts": at, "args": args})
	}
	for _, a := range []any{Treasury{}, classHead{}, TaskAccount{}} {
		t := reflect.TypeOf(a)
		types.add(t, true)
		name := idlName(t)
		accounts = append(accounts, object{"name": name, "discriminator": numbers(discriminator("account", name))})
	}
	types.add(reflect.TypeFor[Member](), false)
	for _, e := range events {
		t := reflect.TypeOf(e)
		types[t.Name()] = object{"name": t.Name(), "type": object{"kind": "struct", "fields": types.fields(t)}}
		logged = append(logged, object{"name": t.Name(), "discriminator": numbers(discriminator("event", t.Name()))})
	}
	for i, r := range refusals {
		errs = append(errs, object{"code": firstCode + i, "name": r[0], "msg": r[1]})
	}
	var all []any
	for _, name := range slices.Sorted(keys(types)) {
		all = append(all, types[name])
	}
	return object{
		"address":      Devnet().ID().String(),
		"metadata":     object{"name": "megabrain", "version": "0.1.0", "spec": "0.1.0", "description": "Tasks of several workers, evaluators and pools"},
		"docs":         []string{"See docs/megabrain.md. A Class is followed by as many Member as its count says."},
		"instructions": instructions, "accounts": accounts, "events": logged, "errors": errs, "types": all,
	}
}

func keys(m idlTypes) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func numbers(d [8]byte) (out []int) {
	for _, b := range d {
		out = append(out, int(b))
	}
	return out
}

// TestIDL: the committed IDL is what the layouts, the instructions and the codes say.
func TestIDL(t *testing.T) {
	want, err := json.MarshalIndent(idl(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *rewrite {
		if err := os.WriteFile(idlPath, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(idlPath)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: the IDL is stale: go test ./ledger/brain -run TestIDL -rewrite", err)
	}
}

// TestRust: names and codes are those of the Rust sources, and sizes those of its records.
func TestRust(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(sources + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	var names []string
	for _, m := range regexp.MustCompile(`"([a-z_]+)" => instruction::`).FindAllStringSubmatch(read("lib.rs"), -1) {
		names = append(names, m[1])
	}
	var ours []string
	for _, s := range specs {
		ours = append(ours, s.name)
	}
	if !slices.Equal(names, ours) {
		t.Errorf("instructions %q, in Rust %q", ours, names)
	}
	codes := regexp.MustCompile(`(\d{4}) ([A-Z_]+) = "(.*)",`).FindAllStringSubmatch(read("error.rs"), -1)
	if len(codes) != len(refusals) {
		t.Fatalf("%d codes, in Rust %d", len(refusals), len(codes))
	}
	for i, m := range codes {
		name := strings.ToUpper(snake(refusals[i][0]))
		if m[1] != fmt.Sprint(firstCode+i) || m[2] != name || m[3] != refusals[i][1] {
			t.Errorf("%s %s in Rust is %d %s", m[1], m[2], firstCode+i, name)
		}
	}
	for what, want := range map[any]int{classHead{}: 288, Member{}: 304, TaskAccount{}: 2_808, Treasury{}: 88} {
		if got := binary.Size(what); got != want {
			t.Errorf("%T has %d bytes, not %d", what, got, want)
		}
	}
	if got := Denial(6043).Name(); got != "Custom(6043)" {
		t.Error(got)
	}
}

// TestEvents: only what this program wrote while it ran counts.
func TestEvents(t *testing.T) {
	p, other := New(onchain.Address{1}), New(onchain.Address{2})
	line := func(e any) string {
		d := discriminator("event", reflect.TypeOf(e).Name())
		data, err := binary.Append(d[:], binary.LittleEndian, e)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		return "Program data: " + strings.Trim(string(raw), `"`)
	}
	mine, forged := DisputeResolved{Upheld: 1}, DisputeResolved{Upheld: 0}
	id, strange := p.ID().String(), other.ID().String()
	got, err := p.Events([]string{
		"Program " + strange + " invoke [1]", line(forged), "Program log: " + id + " invoke [2]", line(forged),
		"Program " + id + " invoke [2]", line(mine), "Program " + id + " success", line(forged), "Program " + strange + " success",
	})
	if err != nil || len(got) != 1 || got[0] != any(mine) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"Program data: ", "Program data: AAAA", "Program data: AAAAAAAAAAAAAAAA", "Program data: " + strings.Repeat("A", 300)} {
		if _, err := p.Events([]string{"Program " + id + " invoke [1]", bad}); err == nil {
			t.Errorf("%.40q is an event", bad)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range []any{Treasury{}, TaskAccount{}, classHead{}} {
		data, err := raw(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if k, err := DecodeTask(data); err == nil && k.Counts.Drawn > MaxSeats {
			t.Errorf("%d workers", k.Counts.Drawn)
		}
		if c, err := DecodeClass(data); err == nil && 288+binary.Size(c.Members) != len(data) {
			t.Errorf("%d members in %d bytes", len(c.Members), len(data))
		}
		if _, err := decodeEvent(string(data)); err == nil && len(data) > maxLogged {
			t.Errorf("an event of %d characters", len(data))
		}
		if _, err := DecodeTreasury(data); err == nil && len(data) != 88 {
			t.Errorf("a treasury of %d bytes", len(data))
		}
		var told Told
		if told.Hear(onchain.Address{}, &TaskAccount{}, data); told.There {
			t.Error("a task was told by what does not have its hash")
		}
		if all, err := Transfers(data); err != nil && all != nil {
			t.Errorf("%v with %v", all, err)
		}
		if all, err := Instructions(data, []string{string(data)}); err != nil && all != nil {
			t.Error("what is no transaction has instructions")
		}
		var s SubmitResult
		if err := readArgs(data, &s); err == nil && !bytes.Equal(appendArgs(nil, reflect.ValueOf(s)), data) {
			t.Errorf("%x is read as %+v", data, s)
		}
	})
}
