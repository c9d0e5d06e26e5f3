package check_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ojud/casefile/demand"
)

// TestDocuments: docs/judges.md has a row for each demand, with an example that a task may have,
// and the protocol has its rule.
func TestDocuments(t *testing.T) {
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	judges, protocol := read("judges.md"), read("protocol.md")
	for name := range strings.SplitSeq(demand.All(), ", ") {
		row := regexp.MustCompile("\\| `" + name + "` \\| `(.*)` \\|\n").FindStringSubmatch(judges)
		if row == nil {
			t.Errorf("docs/judges.md has no row for %s", name)
			continue
		}
		example := row[1]
		for _, source := range []string{"pages", "chain"} {
			example = strings.ReplaceAll(example, `"data_source": "`+source+`"`, `"data_source": "s"`)
		}
		if _, err := made(t, example, `{"quote":"a b c"}`, `{"body":"x","transfers":[]}`); err == nil && name != "not_contains" {
			t.Errorf("%s: it is met by a result that has nothing", name)
		}
		if !strings.Contains(protocol, "\n| `"+name+"` |") {
			t.Errorf("docs/protocol.md has no row for %s", name)
		}
	}
}
