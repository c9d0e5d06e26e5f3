package prose

import "encoding/json"

// Words appends the names, texts and numbers of a JSON value, in one case and with single spaces,
// without empty ones.
func Words(doc any, out []string) []string {
	switch v := doc.(type) {
	case map[string]any:
		for name, member := range v {
			out = Words(member, Words(name, out))
		}
	case []any:
		for _, item := range v {
			out = Words(item, out)
		}
	case string:
		if text := Squeeze(Normal(v)); text != "" {
			out = append(out, text)
		}
	case json.Number:
		out = append(out, v.String())
	}
	return out
}
