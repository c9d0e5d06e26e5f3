package program

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The tables of docs/protocol.md are the oracle: what they say is compared with what the code does.

// section returns the lines of one section of the protocol.
func section(t *testing.T, n int) []string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(raw), fmt.Sprintf("\n## %d ", n))
	body, _, _ := strings.Cut(rest, "\n## ")
	if !ok {
		t.Fatalf("docs/protocol.md has no section %d", n)
	}
	return strings.Split(body, "\n")
}

// cells splits a row of a table.
func cells(line string) []string {
	if !strings.HasPrefix(line, "| ") {
		return nil
	}
	parts := strings.Split(strings.Trim(line, "|"), "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

var placed = regexp.MustCompile(`\b(\d+) (?:\| )?([a-z_]+) (u8|u16|u32|u64|i64|\[32\])`)

func TestAccountOffsetsAreThoseOfTheProtocol(t *testing.T) {
	layouts := map[string]layout{}
	for _, a := range sampleAccounts() {
		layouts[a.AccountName()] = a.Account
	}
	layouts["seat"], layouts["entry"] = &revealCase().Seats[0], &sampleRoster().Entries[0]
	documented := map[string]map[string]string{}
	current := ""
	for _, line := range section(t, 4) {
		if name, ok := strings.CutPrefix(line, "**"); ok {
			current, _, _ = strings.Cut(name, "**")
		}
		for _, kind := range []string{"seat", "entry"} {
			if strings.HasPrefix(line, "| "+kind+" offset") {
				current = kind
			}
		}
		for _, m := range placed.FindAllStringSubmatch(line, -1) {
			if m[2] == "pad" || m[2] == "entries" || m[2] == "eight" {
				continue
			}
			if documented[current] == nil {
				documented[current] = map[string]string{}
			}
			documented[current][m[2]] = m[1] + " " + strings.Replace(m[3], "[32]", "32", 1)
		}
	}
	for name, want := range map[string]int{"Config": 8, "Admission": 2, "Proctor": 2, "Batch": 18, "Pot": 3, "Rules": 34, "Agent": 12, "Task": 34, "Roster": 4, "entry": 19, "Case": 36, "seat": 9, "VerdictAccount": 12} {
		if len(documented[name]) < want {
			t.Errorf("%s: only %d fields were found in the protocol: %v", name, len(documented[name]), documented[name])
		}
	}
	for name, fields := range documented {
		compareOffsets(t, name, layouts[name], fields)
	}
}

func compareOffsets(t *testing.T, name string, l layout, documented map[string]string) {
	t.Helper()
	if l == nil {
		t.Errorf("the protocol has %s, the code has not", name)
		return
	}
	coded := map[string]string{}
	for _, f := range flatten("", list(l)) {
		kind := f.Type
		if kind == "pubkey" || kind == "hash" {
			kind = "32"
		}
		coded[f.Name] = fmt.Sprint(f.Offset, " ", kind)
		if _, ok := documented[f.Name]; !ok && !strings.ContainsAny(f.Name, "[.") && !strings.Contains("pad discriminator version bump content claims", f.Name) {
			t.Errorf("%s: the code has %s, the protocol has not", name, f.Name)
		}
	}
	for field, want := range documented {
		if coded[field] != want {
			t.Errorf("%s.%s is at %q, the protocol says %q", name, field, coded[field], want)
		}
	}
}

var typed = regexp.MustCompile(`\b([a-z_]+) (u8|u16|u32|u64|i64|string|bytes|\[32\])`)

// arguments reads the names and types of a list of the protocol.
func arguments(text string) []string {
	text = strings.ReplaceAll(text, "vec of u16", "(index u16)")
	text = strings.Replace(text, "u32, bytes", "u32, bytes bytes", 1)
	var all []string
	for _, m := range typed.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1]+" "+strings.Replace(m[2], "[32]", "32", 1))
	}
	return all
}

// coded lists the fields of l in the same form, of lists those of the first item.
func coded(l layout) []string {
	var all []string
	for _, f := range flatten("", list(l)) {
		name := f.Name
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			if strings.Contains(name, "[") && !strings.Contains(name, "[0]") {
				continue
			}
			name = name[i+1:]
		}
		kind := f.Type
		if kind == "pubkey" || kind == "hash" {
			kind = "32"
		}
		all = append(all, name+" "+kind)
	}
	return all
}

func TestInstructionsAreThoseOfTheProtocol(t *testing.T) {
	lines := section(t, 5)
	all := strings.Join(lines, "\n")
	_, params, _ := strings.Cut(all, "*Params*, in this order: ")
	size := 0
	for _, p := range (Params{}).List() {
		size += p.Bytes
	}
	params, _, ok := strings.Cut(params, fmt.Sprintf(" (%d bytes).", size))
	if !ok {
		t.Fatalf("section 5 does not end the list of Params with its size, %d bytes", size)
	}
	_, terms, _ := strings.Cut(all, "*Engine terms*, in this order: ")
	terms, _, _ = strings.Cut(terms, "(109 bytes)")
	byName := map[string]Instruction{}
	for _, i := range instructions() {
		byName[i.InstructionName()] = i
	}
	rows := 0
	for _, line := range lines {
		c := cells(line)
		if len(c) < 4 || !strings.HasPrefix(c[0], "`") {
			continue
		}
		rows++
		name := strings.Trim(c[0], "`")
		i := byName[name]
		if i == nil {
			t.Errorf("%s is not implemented", name)
			continue
		}
		if i.InstructionName() != instructions()[rows-1].InstructionName() {
			t.Errorf("%s is in another place of the list", name)
		}
		want := arguments(strings.NewReplacer("params", params, "engine terms", terms).Replace(c[1]))
		if got := coded(i); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: arguments\n got %v\nwant %v", name, got, want)
		}
		if got := accountNames(i); got != withoutRemarks(c[2]) {
			t.Errorf("%s: accounts\n got %s\nwant %s", name, got, withoutRemarks(c[2]))
		}
	}
	if rows != len(byName) {
		t.Errorf("%d instructions in the protocol, %d in the code", rows, len(byName))
	}
}

func accountNames(i Instruction) string {
	var all []string
	for _, r := range i.Accounts() {
		name := r.Name + " "
		if r.Signer {
			name += "s"
		}
		if r.Writable {
			name += "w"
		}
		all = append(all, strings.TrimSpace(name))
	}
	return strings.Join(all, ", ")
}

var remark = regexp.MustCompile(` \([^)]*\)`)

func withoutRemarks(s string) string { return remark.ReplaceAllString(s, "") }

func TestEventsAreThoseOfTheProtocol(t *testing.T) {
	byName := map[string]Event{}
	for _, e := range sampleEvents() {
		byName[e.EventName()] = e.Event
	}
	rows := 0
	for _, line := range section(t, 7) {
		c := cells(line)
		if len(c) != 2 || byName[c[0]] == nil {
			if len(c) == 2 && strings.Contains(c[1], "[32]") {
				t.Errorf("event %s is not implemented", c[0])
			}
			continue
		}
		rows++
		if e := events()[rows-1]; e.EventName() != c[0] {
			t.Errorf("%s is in another place of the list", c[0])
		}
		want := arguments(c[1])
		if got := coded(byName[c[0]]); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: fields\n got %v\nwant %v", c[0], got, want)
		}
	}
	if rows != len(events()) {
		t.Errorf("%d events in the protocol, %d in the code", rows, len(events()))
	}
}

func TestErrorsAreThoseOfTheProtocol(t *testing.T) {
	rows := 0
	for _, line := range section(t, 8) {
		c := cells(line)
		if len(c) < 2 || !strings.HasPrefix(c[0], "60") {
			continue
		}
		code := ErrBadInstruction + Code(rows)
		rows++
		if c[0] != fmt.Sprint(uint32(code)) || c[1] != code.Name() {
			t.Errorf("the protocol has %s %s, the code %d %s", c[0], c[1], uint32(code), code.Name())
		}
	}
	if rows != len(codeNames()) || !Code(6000+rows-1).Known() || Code(6000+rows).Known() {
		t.Errorf("%d errors in the protocol, %d in the code", rows, len(codeNames()))
	}
}
