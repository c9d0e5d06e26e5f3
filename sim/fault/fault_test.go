package fault_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"ojud/sim/fault"
)

const page = "../../docs/faults.md"

var rewrite = flag.Bool("rewrite", false, "write the tables of docs/faults.md anew")

// The tables of the page stand between these two lines.
const (
	begin = "<!-- The tables are written by: go test ./sim/fault -rewrite -->"
	end   = "<!-- End of the tables. -->"
)

// TestNames checks that names and sentences are unique, that a fault has a group, and that some
// laboratory causes it.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range fault.All() {
		for _, text := range []string{string(d.Kind), d.Meaning} {
			if seen[text] {
				t.Errorf("%q stands twice", text)
			}
			seen[text] = true
		}
		if strings.Trim(string(d.Kind), "abcdefghijklmnopqrstuvwxyz-") != "" || d.Group == "" {
			t.Errorf("%q in group %q", d.Kind, d.Group)
		}
		if !strings.HasSuffix(d.Meaning, ".") || strings.Count(d.Meaning, ".") != 1 {
			t.Errorf("%s: %q is not one sentence", d.Kind, d.Meaning)
		}
		if d.Core == "" && !d.Court && d.Process == "" && d.Devnet == "" {
			t.Errorf("%s: no laboratory causes it", d.Kind)
		}
	}
}

// TestPage compares docs/faults.md with the list.
func TestPage(t *testing.T) {
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	_, after, found := strings.Cut(rest, end)
	if !ok || !found {
		t.Fatalf("%s does not have the lines %q and %q", page, begin, end)
	}
	want := before + begin + "\n\n" + tables(fault.All()) + end + after
	if *rewrite {
		if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(raw) {
		t.Errorf("%s is not that of the list; run: go test ./sim/fault -rewrite", page)
	}
}

// TestPageControl checks that a missing fault changes the tables.
func TestPageControl(t *testing.T) {
	all := fault.All()
	if tables(all) == tables(all[1:]) {
		t.Error("the tables do not show the first fault")
	}
}

// tables writes one table for each group.
func tables(all []fault.Definition) string {
	var b strings.Builder
	group := fault.Group("")
	for _, d := range all {
		if d.Group != group {
			if group != "" {
				b.WriteString("\n")
			}
			group = d.Group
			fmt.Fprintf(&b, "## %s\n\n| fault | meaning | `votetest` | `node/sim` | `test/process` | `devnet` |\n|---|---|---|---|---|---|\n", group)
		}
		court := ""
		if d.Court {
			court = "seed"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", d.Kind, d.Meaning, code(d.Core), court, code(d.Process), code(d.Devnet))
	}
	return b.String() + "\n"
}

// code formats options as code.
func code(options string) string {
	if options == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(options, ", ", "`, `") + "`"
}
