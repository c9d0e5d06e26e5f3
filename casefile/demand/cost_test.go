package demand_test

import (
	"strings"
	"testing"

	"ojud/casefile/demand"
)

// TestPrices: each demand has a price above that of a check without one.
func TestPrices(t *testing.T) {
	text, n := "x", uint64(1)
	least := demand.Demands{}.Cost()
	seen := 0
	for name, d := range map[string]demand.Demands{
		"sorted": {Sorted: &demand.Sorted{}}, "unique": {Unique: &demand.Unique{}}, "set": {Set: &demand.Set{}}, "near": {Near: &demand.Near{}},
		"dates": {Dates: &demand.Dates{}}, "pattern": {Pattern: &text}, "not_contains": {NotContains: []string{"x"}}, "words": {Words: &demand.Words{Min: &n}},
		"url": {URL: &demand.URL{}}, "language": {Language: &text}, "parses": {Parses: &text}, "translation": {Translation: &demand.Translation{}}, "media": {Media: &demand.Media{}},
		"grounded": {Grounded: &demand.Grounded{What: []demand.Named{demand.Names}}}, "quoted": {Quoted: []string{""}}, "pays": {Pays: &demand.Pays{}}, "has": {Has: []byte(`{}`)},
	} {
		if seen++; d.Cost() <= least || d.Cost() > 210 {
			t.Errorf("%s costs %d", name, d.Cost())
		}
	}
	if all := len(strings.Split(demand.All(), ", ")); seen != all {
		t.Errorf("%d of %d demands have a price", seen, all)
	}
}
