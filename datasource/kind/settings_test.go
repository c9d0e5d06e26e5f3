package kind

import (
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/canon"
)

// TestDecode: every mistake is named with its field.
func TestDecode(t *testing.T) {
	for in, want := range map[string][2]string{ // field, problem
		`[]`: {"upstream", "not an object"}, `{}`: {"upstream.kind", "missing"}, `{"kind":"ftp"}`: {"upstream.kind", `"files", "http", "mcp", "solana" or "sqlite"`},
		`{"kind":"files","dir":"d","allow":["x"],"alow":[]}`:        {"upstream.alow", `did you mean "allow"`},
		`{"kind":"files","allow":["x"]}`:                            {"upstream.dir", "missing"},
		`{"kind":"files","dir":"","allow":["x"]}`:                   {"upstream.dir", "name the folder"},
		`{"kind":"files","dir":7,"allow":["x"]}`:                    {"upstream.dir", "a string is needed"},
		`{"kind":"files","dir":null,"allow":["x"]}`:                 {"upstream.dir", "null"},
		`{"kind":"files","dir":"d","allow":"x"}`:                    {"upstream.allow", "an array is needed"},
		`{"kind":"files","dir":"d","allow":[]}`:                     {"upstream.allow", "1 to 100"},
		`{"kind":"files","dir":"d","allow":["../x"]}`:               {"upstream.allow[0]", "below dir"},
		`{"kind":"files","dir":"d","allow":["a","[" ]}`:             {"upstream.allow[1]", "below dir"},
		`{"kind":"files","dir":"d","allow":["x"],"format":"xml"}`:   {"upstream.format", "lines"},
		`{"kind":"files","dir":"d","allow":["x"],"max_rows":10001}`: {"upstream.max_rows", "10000"},
		`{"kind":"files","dir":"d","allow":["x"],"max_rows":1.5}`:   {"upstream.max_rows", "an integer is needed"},

		`{"kind":"http","url":"ftp://a/","hosts":["a"]}`:                                                   {"upstream.url", "https://"},
		`{"kind":"http","url":"https://{h}/","hosts":["a"]}`:                                               {"upstream.url", "host that is fixed"},
		`{"kind":"http","url":"https://${env:H}/","hosts":["a"]}`:                                          {"upstream.url", "host that is fixed"},
		`{"kind":"http","url":"{s}://a/","hosts":["a"]}`:                                                   {"upstream.url", "https://"},
		`{"kind":"http","url":"https://u:p@a/","hosts":["a"]}`:                                             {"upstream.url", "user name"},
		`{"kind":"http","url":"https://a/../b","hosts":["a"]}`:                                             {"upstream.url", "plain path"},
		`{"kind":"http","url":"https://a/#x","hosts":["a"]}`:                                               {"upstream.url", "characters"},
		`{"kind":"http","url":"https://a/{b c}","hosts":["a"]}`:                                            {"upstream.url", "characters"},
		`{"kind":"http","url":"https://a/${vault:x}","hosts":["a"]}`:                                       {"upstream.url", ""},
		`{"kind":"http","url":"https://a/"}`:                                                               {"upstream.hosts", "missing"},
		`{"kind":"http","url":"https://a/","hosts":[]}`:                                                    {"upstream.hosts", "1 to 32"},
		`{"kind":"http","url":"https://a/","hosts":["b"]}`:                                                 {"upstream.hosts", `add "a"`},
		`{"kind":"http","url":"https://a:8443/","hosts":["a"]}`:                                            {"upstream.hosts", `add "a:8443"`},
		`{"kind":"http","url":"https://a/","hosts":["*.a"]}`:                                               {"upstream.hosts[0]", "without *"},
		`{"kind":"http","url":"https://a/","hosts":["a/b"]}`:                                               {"upstream.hosts[0]", "no host"},
		`{"kind":"http","url":"https://a/","hosts":["a"],"method":"PUT"}`:                                  {"upstream.method", "GET nor POST"},
		`{"kind":"http","url":"https://a/","hosts":["a"],"body":{}}`:                                       {"upstream.body", "POST"},
		`{"kind":"http","url":"https://a/","hosts":["a"],"pointer":"data"}`:                                {"upstream.pointer", "begins with /"},
		`{"kind":"http","url":"https://a/","hosts":["a"],"networks":["10.0.0.0"]}`:                         {"upstream.networks[0]", ""},
		`{"kind":"http","url":"https://a/","hosts":["a"],"headers":{"Authorization":"Bearer hidden-key"}}`: {"upstream.headers.Authorization", "${env:NAME}"},
		`{"kind":"http","url":"https://a/","hosts":["a"],"headers":{"Host":"b"}}`:                          {"upstream.headers.Host", "set by the node"},
		`{"kind":"http","url":"https://a/","hosts":["a"],"headers":{"X Y":"b"}}`:                           {`upstream.headers["X Y"]`, "no header"},
		`{"kind":"http","url":"https://a/","hosts":["a"],"headers":{"X":"a\nb"}}`:                          {"upstream.headers.X", "no header"},
		`{"kind":"http","url":"https://a/","hosts":["a"],"headers":{"X":"${KEY}"}}`:                        {"upstream.headers.X", "${env:NAME}"},
		`{"kind":"http","url":"https://a/","hosts":["a"],"query":{"access_token":"hidden-key"}}`:           {"upstream.query.access_token", "${env:NAME}"},
		`{"kind":"http","url":"http://a/","hosts":["a"],"query":{"k":"${env:K}"}}`:                         {"upstream.url", "unencrypted"},

		`{"kind":"mcp","tool":"x"}`:                                                {"upstream.command", "or url"},
		`{"kind":"mcp","tool":"","command":"x"}`:                                   {"upstream.tool", "1 to 128"},
		`{"kind":"mcp","tool":"x","command":"x","url":"https://a/"}`:               {"upstream.command", "not both"},
		`{"kind":"mcp","tool":"x","command":"x","args":["--key=${env:K}"]}`:        {"upstream.args[0]", "in env"},
		`{"kind":"mcp","tool":"x","command":"x","env":{"API_KEY":"hidden-key"}}`:   {"upstream.env.API_KEY", "${env:NAME}"},
		`{"kind":"mcp","tool":"x","command":"x","env":{"A=B":"c"}}`:                {`upstream.env["A=B"]`, "without ="},
		`{"kind":"mcp","tool":"x","command":"x","headers":{"A":"b"}}`:              {"upstream.headers", "belong to url"},
		`{"kind":"mcp","tool":"x","url":"https://a/","env":{"A":"b"}}`:             {"upstream.args", "belong to command"},
		`{"kind":"mcp","tool":"x","url":"https://a/{x}"}`:                          {"upstream.url", "fixed"},
		`{"kind":"mcp","tool":"x","url":"http://a/","headers":{"A":"${env:KEY}"}}`: {"upstream.url", "unencrypted"},
		`{"kind":"mcp","tool":"x","command":"x","start_seconds":301}`:              {"upstream.start_seconds", "300"},

		`{"kind":"sqlite","path":"","queries":{"a":{"sql":"select 1"}}}`:                          {"upstream.path", "database"},
		`{"kind":"sqlite","path":"p","queries":{}}`:                                               {"upstream.queries", "1 to 100"},
		`{"kind":"sqlite","path":"p","queries":{"a b":{"sql":"select 1"}}}`:                       {`upstream.queries["a b"]`, "no name"},
		`{"kind":"sqlite","path":"p","queries":{"a":{"sql":"delete from x"}}}`:                    {"upstream.queries.a.sql", "SELECT"},
		`{"kind":"sqlite","path":"p","queries":{"a":{"sql":"select 1; delete from x"}}}`:          {"upstream.queries.a.sql", "one statement"},
		`{"kind":"sqlite","path":"p","queries":{"a":{"sql":"select :xy","parameters":["x"]}}}`:    {"upstream.queries.a.parameters[0]", ":x"},
		`{"kind":"sqlite","path":"p","queries":{"a":{"sql":"select :x","parameters":["x","x"]}}}`: {"upstream.queries.a.parameters[1]", "once"},
		`{"kind":"sqlite","path":"p","queries":{"a":{"sql":"select 1","max_rows":10001}}}`:        {"upstream.queries.a.max_rows", "10000"},
		`{"kind":"sqlite","path":"p","queries":{"a":{"sql":"select 1","rows":1}}}`:                {"upstream.queries.a.rows", "max_rows"},
		`{"kind":"sqlite","path":"p","immutable":"yes","queries":{"a":{"sql":"select 1"}}}`:       {"upstream.immutable", "true or false"},

		`{"kind":"solana","read":"block"}`:                                                    {"upstream.read", "transaction"},
		`{"kind":"solana","read":"account","address":"x"}`:                                    {"upstream.address", ""},
		`{"kind":"solana","read":"transaction","address":"11111111111111111111111111111111"}`: {"upstream.address", "list addresses"},
		`{"kind":"solana","read":"account","allow_private":true}`:                             {"upstream.url", "empty"},
		`{"kind":"solana","read":"account","url":"https://a/{x}"}`:                            {"upstream.url", "fixed"},
		`{"kind":"solana","read":"account","url":"http://a/?k=${env:KEY}"}`:                   {"upstream.url", "unencrypted"},
	} {
		_, err := Decode("source file", []byte(in), "upstream")
		var at *casefile.FieldError
		if !errors.As(err, &at) || at.Field != want[0] || !strings.Contains(at.Problem, want[1]) {
			t.Errorf("%s\n\tgives %v\n\twant %q with %q", in, err, want[0], want[1])
		}
		if err != nil && strings.Contains(err.Error(), "hidden-key") {
			t.Errorf("%s: the error shows the key: %v", in, err)
		}
	}
}

// TestEncode: written settings can be read again.
func TestEncode(t *testing.T) {
	for _, in := range []string{
		`{"allow":["a/*.json"],"dir":"d","format":"json","kind":"files","max_rows":5}`,
		`{"allow_private":true,"headers":{"X-Api-Key":"${env:KEY}"},"hosts":["a:80"],"kind":"http","networks":["10.0.0.0/8"],"pointer":"/data","url":"http://a/{b}"}`,
		`{"args":["-y"],"command":"npx","env":{"KEY":"${file:key}"},"kind":"mcp","tool":"x"}`,
		`{"kind":"sqlite","path":"p","queries":{"a":{"parameters":["x"],"sql":"select :x"}}}`,
		`{"addresses":["11111111111111111111111111111111"],"kind":"solana","read":"account"}`,
	} {
		s, err := Decode("source file", []byte(in), "upstream")
		if err != nil {
			t.Fatal(err)
		}
		out, err := Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := canon.JSON(out, 1<<16)
		if err != nil {
			t.Fatal(err)
		}
		same(t, string(canonical), in)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"kind":"http","url":"https://a/{b}","hosts":["a"],"networks":["10.0.0.0/8"]}`))
	f.Add([]byte(`{"kind":"mcp","tool":"x","command":"c","env":{"A":"${env:B}"}}`))
	f.Add([]byte(`{"kind":"sqlite","path":"p","queries":{"a":{"sql":"select :x","parameters":["x"]}}}`))
	f.Add([]byte(`{"kind":"solana","read":"account","address":"11111111111111111111111111111111"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		canonical, err := canon.JSON(raw, 1<<16)
		if err != nil {
			return
		}
		s, err := Decode("source file", canonical, "upstream")
		if err != nil {
			return
		}
		out, err := Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		if out, err = canon.JSON(out, 1<<20); err != nil {
			return // a number that was written differently
		}
		if _, err := Decode("source file", out, "upstream"); err != nil {
			t.Fatalf("%s is written %s: %v", canonical, out, err)
		}
	})
}
