package sources

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ojud/datasource"
)

// mostWithheld bounds the list of withheld parts.
const mostWithheld = 20

// withheld lists the removed and masked parts of an answer by JSON pointers, without values.
func withheld(raw, given json.RawMessage) []string {
	var before, after any
	if json.Unmarshal(raw, &before) != nil || json.Unmarshal(given, &after) != nil {
		return nil
	}
	var out []string
	compare("", before, after, &out)
	slices.Sort(out)
	out = slices.Compact(out)
	if more := len(out) - mostWithheld; more > 0 {
		out = append(out[:mostWithheld], fmt.Sprintf("and %d more", more))
	}
	return out
}

func compare(at string, before, after any, out *[]string) {
	switch old := before.(type) {
	case map[string]any:
		now, same := after.(map[string]any)
		if !same {
			break
		}
		for name, item := range old {
			place := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			if left, there := now[name]; there {
				compare(place, item, left, out)
			} else {
				*out = append(*out, place+" removed")
			}
		}
		return
	case []any:
		now, same := after.([]any)
		if !same {
			break
		}
		if len(now) != len(old) {
			*out = append(*out, fmt.Sprintf("%s: %d of %d items removed", place(at), len(old)-len(now), len(old)))
			return
		}
		for i, item := range old {
			compare(fmt.Sprintf("%s/%d", at, i), item, now[i], out)
		}
		return
	}
	if text, masked := after.(string); masked && before != after && strings.Contains(text, datasource.Redacted) {
		*out = append(*out, place(at)+" masked")
	}
}

func place(at string) string {
	if at == "" {
		return "the answer"
	}
	return at
}
