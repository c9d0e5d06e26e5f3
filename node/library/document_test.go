package library

import (
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/node"
)

// TestFormat: a creator learns before the reward is locked that no judge checks a format.
func TestFormat(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"email": "", "phone": `no judge checks the format "phone"; say it with pattern, or use one of: date, `} {
		_, err := parseTask([]byte(`{"instruction":["x"],"output_schema":{"type":"object","properties":{"a":{"format":"` + format + `"}}}}`))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if _, err := parseTask([]byte(`{"instruction":["x"],"output_schema":{"format":"string"}}`)); err != nil {
		t.Errorf("a field with the name format in the short form: %v", err)
	}
}

// TestFormSettles: a creator learns before the reward is locked that a check of form settles no
// instruction. A task that exists is read all the same.
func TestFormSettles(t *testing.T) {
	t.Parallel()
	for check, good := range map[string]bool{
		`"words":{"max":9}`: false, `"language":"de"`: false, `"pattern":"x"`: false, `"grounded":{"in":["/instruction"],"what":["names"]}`: false,
		`"translation":{"of":"/instruction"}`: false, `"media":{"not_blank":true}`: false, `"unique":{},"sorted":{}`: false, `"contains":"x"`: false,
		`"count":3`: false, `"min_bytes":3`: false, `"dates":{"min":"2026-01-01"}`: false, `"url":{}`: false, `"parses":"go"`: false, `"not_contains":["x"]`: false,
		`"set":{"relation":"subset","items":[1]}`: false, `"set":{"relation":"equal","items":[1],"by":"/id"}`: false, `"each":"","near":{"to":1,"within":1}`: false,
		`"has":{"a":1}`: false, `"data":{"data_source":"s","request":{}},"words":{"max":9}`: false, `"data":{"data_source":"s","request":{}},"quoted":[""]`: false,
		`"equals":"x"`: true, `"sha256":"` + strings.Repeat("ab", 32) + `"`: true, `"near":{"to":1,"within":1}`: true, `"set":{"relation":"equal","items":[1]}`: true,
		`"program":{"javascript":"true"}`: true, `"tests":{"javascript":[{"function":"f","args":[],"returns":1}]}`: true, `"equals":"x","words":{"max":9}`: true,
		`"media":{"scaled_from":"/input_data/0"}`: true, `"data":{"data_source":"s","request":{}},"contains":"x"`: false, `"data":{"data_source":"s","request":{}},"has":{"a":1}`: true,
	} {
		task := []byte(`{"instruction":["x"],"output_schema":{"a":"string"},"data_sources":["s"],"expected":[{"path":"",` + check + `,"settles":[0]}]}`)
		if _, err := casefile.ParseTask(task); err != nil {
			t.Errorf("%s: an old task cannot be read: %v", check, err)
		}
		_, err := parseTask(task)
		if (err == nil) != good || err != nil && !(strings.Contains(err.Error(), `"expected[0].settles"`) && strings.Contains(err.Error(), "looks at the form")) {
			t.Errorf("%s: %v", check, err)
		}
	}
}

// FuzzTask checks that an accepted task has a usable schema, and the spelling that the chain's hash
// covers.
func FuzzTask(f *testing.F) {
	for _, s := range []string{
		`{"title":"t","description":"d","output_schema":{"text":"string"}}`, `{"title":"t","description":"d","output_schema":{"type":"object"}}`, `{"output_schema":{"x":"y"}}`, `{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := parseTask(raw)
		if err != nil {
			return
		}
		again, err := parseTask(doc.Raw)
		if err != nil || again.Hash != doc.Hash || casefile.HashOf(doc.Raw) != doc.Hash {
			t.Fatalf("%s became %s: %v", raw, doc.Raw, err)
		}
	})
}

// FuzzBootstrap checks that each node of a court is listed once.
func FuzzBootstrap(f *testing.F) {
	const id = "/p2p/12D3KooWGRUVh9qkZzG5r4c1mQmGUnYMbRyEJjW1mzSHKuTbN4iY"
	f.Add("/ip4/127.0.0.1/tcp/1"+id, "/ip4/127.0.0.1/udp/1/quic-v1"+id)
	f.Add("/dns4/x.example/tcp/1"+id, id)
	f.Add("", "/ip6/::1")
	f.Fuzz(func(t *testing.T, a, b string) {
		infos, err := bootstrap(node.Descriptor{Bootstrap: []string{a, b}})
		if err == nil && (len(infos) == 0 || len(infos) == 2 && infos[0].ID == infos[1].ID) {
			t.Fatalf("%q %q: %v", a, b, infos)
		}
		near(infos)
	})
}
