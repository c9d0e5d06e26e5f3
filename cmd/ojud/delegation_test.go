package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDelegationPage types the commands of docs/delegation.md in order. A line after "# refused: X"
// is refused with exit status 2, and says X.
func TestDelegationPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/delegation.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	addresses := map[string]string{}
	typed, refused := 0, ""
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[1]) {
			if reason, ok := strings.CutPrefix(strings.TrimSpace(line), "# refused: "); ok {
				refused = reason
				continue
			}
			args := strings.Fields(strings.ReplaceAll(line, "'", ""))[1:]
			for i, a := range args {
				if at, ok := addresses[a]; ok {
					args[i] = at
				}
			}
			code, out, errs := lineIn(t.Context(), []string{"HOME=."}, append(args, "--json")...)
			if want := map[bool]int{false: 0, true: 1}[refused != ""]; code != want || !strings.Contains(out+errs, refused) {
				t.Fatalf("%s: %d, want %d and %q: %s%s", line, code, want, refused, out, errs)
			}
			if strings.Contains(line, " admit ") && strings.Contains(line, "--home") && code == 0 {
				var v struct{ Call string }
				if err := json.Unmarshal([]byte(out), &v); err != nil || v.Call == "" {
					t.Fatalf("%s: %v", out, err)
				}
				addresses["CALL"] = v.Call
			}
			if says := map[string]string{" spent ": `"dollars":"0.07"`, " waiting ": `"domains":["finance"]`, " look ": `"state":"admitted"`, " verify ": `"entries":8`}; code == 0 {
				for word, want := range says {
					if strings.Contains(line, word) && !strings.Contains(out, want) {
						t.Errorf("%s does not say %s: %s", line, want, out)
					}
				}
			}
			if strings.Contains(line, "--create-key") {
				var key struct{ Address, DID string }
				if err := json.Unmarshal([]byte(out), &key); err != nil || !strings.HasPrefix(key.DID, "did:key:z6Mk") {
					t.Fatalf("%s: %v", out, err)
				}
				name := strings.ToUpper(strings.TrimSuffix(args[len(args)-1], ".json"))
				addresses[name] = key.Address
			}
			typed, refused = typed+1, ""
		}
	}
	if typed < 15 {
		t.Errorf("the page has only %d commands", typed)
	}
	code, out, _ := lineIn(t.Context(), []string{"HOME=."}, "agent", "delegation", "show", "carol.chain")
	for _, says := range []string{"link 2", "may call", "/llm/summarize", "asks about", "finance", "spend at most 0.50 dollars", "/github/issues/delete"} {
		if code != 0 || !strings.Contains(out, says) {
			t.Errorf("%d, does not say %q: %s", code, says, out)
		}
	}
	if err := os.WriteFile("bad.chain", []byte(`{"format":"ojud-delegation/1","links":["AAAA"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Glob("alice/audit/*.audit")
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v, %v", logs, err)
	}
	whole, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	for says, log := range map[string]string{
		"line 1: it has the number 2":    strings.Join(lines[1:], ""),
		"line 2: it has the number 3":    lines[0] + lines[2] + lines[1],
		"lines were cut off":             strings.Join(lines[:4], ""),
		"line 2: the agent did not sign": lines[0] + strings.Replace(lines[1], "admitted", "refused", 1),
	} {
		if err := os.WriteFile(logs[0], []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := lineIn(t.Context(), []string{"HOME=."}, "agent", "audit", "verify", "--home", "alice"); code != 1 || !strings.Contains(errs, says) {
			t.Errorf("%d, does not say %q: %s%s", code, says, out, errs)
		}
	}
	if err := os.WriteFile(logs[0], whole, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, says := range map[string]string{
		"settle " + addresses["CALL"] + " --dollars 1 --home alice --key alice.json":   "OverBudget",
		"settle x --home alice --key alice.json":                                       "no such call",
		"approve x --home alice --key bob.json":                                        "waits at this home",
		"admit call.json --executor " + addresses["ALICE"] + " --domain x":             "--home",
		"admit call.json --home alice --key bob.json --executor " + addresses["ALICE"]: "signs its audit log",
		"revoke bob.chain --link 9 --key alice.json --home alice":                      "links 1 to 1",
		"show bad.chain":                                 "Malformed",
		"show none.chain":                                "none.chain",
		"call bob.chain --do x --key carol.json":         "the chain is for",
		"call carol.chain --do x --key carol.json":       "MatchError",
		"call carol.chain --key carol.json":              "--do",
		"check carol.chain --call A":                     "--call",
		"check carol.chain --at 2001-01-01T00:00:00Z":    "TooEarly",
		"check carol.chain --at noon":                    "--at",
		"check carol.chain --call x --dollars 1e9":       "--dollars",
		"revoke carol.chain --key carol.json":            "issued no link",
		"revoke bob.chain --link 4 --key alice.json":     "links 1 to 1",
		"admit call.json --executor ../x":                "--executor",
		"admit bob.chain --executor " + addresses["BOB"]: "format",
	} {
		status := 2 // the command line is wrong
		if slices.Contains([]string{"OverBudget", "no such call", "links 1 to 1", "MatchError", "TooEarly"}, says) {
			status = 1 // it is right, and refused
		}
		if code, out, errs := lineIn(t.Context(), []string{"HOME=."}, append([]string{"agent", "delegation"}, strings.Fields(args)...)...); code != status || !strings.Contains(out+errs, says) {
			t.Errorf("%s: %d, want %d and %q: %s%s", args, code, status, says, out, errs)
		}
	}
}
