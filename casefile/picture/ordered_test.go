package picture

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ojud/casefile"
)

// TestAttackHiddenDemand: a creator cannot hide a demand from a worker behind a long or an unusual
// document: all of it is there, and programs can be read.
func TestAttackHiddenDemand(t *testing.T) {
	t.Parallel()
	var given []string
	for i := range 250 {
		given = append(given, fmt.Sprintf("part %d", i))
	}
	program := strings.Repeat("// nothing to see\n", 800) + "HIDDEN_CHECK()"
	raw, err := json.Marshal(map[string]any{
		"instruction": []string{strings.Repeat("long ", 1_600) + "HIDDEN_DEMAND", "second"}, "input_data": append(given, "HIDDEN_INPUT"), "output_schema": map[string]string{"text": "string"},
		"pda": []string{"Stake11111111111111111111111111111111111111"}, "data_sources": []string{"site.post"},
		"expected": []map[string]any{{"path": "/text", "min_bytes": 10}, {"path": "/text", "program": map[string]string{"javascript": program}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := casefile.ParseTask(raw); err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	for _, p := range Ordered(raw) {
		page.WriteString(p.Label + ": " + p.Text + "\n")
		if p.Cut {
			t.Errorf("%s is cut", p.Label)
		}
	}
	for _, want := range []string{"HIDDEN_DEMAND", "HIDDEN_INPUT", "data of agents on the chain (pda): ", "Stake11111111111111111111111111111111111111", "// nothing to see\nHIDDEN_CHECK()", "min_bytes", "site.post", "the form of the result"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the worker does not see %s", want)
		}
	}
	if strings.Contains(page.String(), "more bytes") || len(Ordered(raw)) > 60 {
		t.Errorf("%d parts, or a cut one", len(Ordered(raw)))
	}
	if odd := Ordered([]byte(`{"odd": "` + strings.Repeat("x", 2*maxLong) + `HIDDEN"}`)); len(odd) != 1 || !strings.Contains(odd[0].Text, "HIDDEN") {
		t.Errorf("a document that judges cannot read is cut: %d", len(odd))
	}
	// The control: a result is cut, and says so. JSON that is deep is not indented.
	long := Passages([]byte(`{"text": "` + strings.Repeat("x", maxLong+1) + `"}`))
	if !long[0].Cut || !strings.Contains(long[0].Text, "more bytes") {
		t.Errorf("%.80s", long[0].Text)
	}
	deep := Passages([]byte(strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)))
	if len(deep[0].Text) > 19_000 || deep[0].Cut {
		t.Errorf("%d bytes", len(deep[0].Text))
	}
}
