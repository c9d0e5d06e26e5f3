package delegation

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// fromJSON reads a value for a policy: whole numbers are int64.
func fromJSON(t *testing.T, text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return numbers(v)
}

func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil && !strings.Contains(v.String(), ".") {
			return i
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

// TestPolicy follows the examples of the specification, and the places where libraries differ.
func TestPolicy(t *testing.T) {
	const katie = `{"name":"Katie","age":35,"nationalities":["Canadian","South African"]}`
	const mail = `{"from":"alice@example.com","to":["bob@example.com","carol@not.example.com"],"cc":{"x":{"y":1},"z":null},"n":1.5}`
	for _, c := range []struct {
		args, policy string
		want         bool
	}{
		{`{"a":[1,2,{"b":3}],"b":1}`, `[["==",".a",[1,2,{"b":3}]],["==",".b",1],["==",".b",1.0],["!=",".b",null],["<",".b",2.5],[">=",".b",1.0],["not",["==",".b",2]]]`, true},
		{`{"a":"x"}`, `[["<",".a",2]]`, false},
		{`{"a":"Alice*, Bob, Dan, Erin, Carol."}`, `[["like",".a","Alice\\*, Bob*, Carol."]]`, true},
		{`{"a":"Alice*, Bob*, Carol."}`, `[["like",".a","Alice\\*, Bob*, Carol."]]`, true},
		{`{"a":"Alice Cooper, Bob, Carol."}`, `[["like",".a","Alice\\*, Bob*, Carol."]]`, false},
		{`{"a":" Alice*, Bob, Carol. "}`, `[["like",".a","Alice\\*, Bob*, Carol."]]`, false},
		{`{"a":"/fs/*read"}`, `[["not",["like",".a","/fs/*"]]]`, false}, // go-ucan v1.1.0 takes the star of the text for that of the pattern
		{`{"a":"aba"}`, `[["like",".a","a*aba"]]`, false},
		{`{"a":"abXba"}`, `[["like",".a","*b*b*"]]`, true},
		{katie, `[["and",[]],["or",[]]]`, true},
		{katie, `[["and",[["==",".name","Katie"],[">=",".age",21],["==",".nationalities",["American"]]]]]`, false},
		{katie, `[["or",[["==",".missing.deep",1],["==",".name","Katie"]]]]`, true}, // go-ucan stops at the missing value
		{`{"a":[{"b":1},{"b":2},{"z":[7]}]}`, `[["any",".a",["==",".b",2]]]`, true},
		{`{"a":[{"b":1},{"b":2},{"z":[7]}]}`, `[["all",".a",[">",".b",0]]]`, false},
		{`{"n":{"x":{"r":[{"e":"bob"}]}}}`, `[["all",".n",["any",".r",["==",".e","bob"]]]]`, true},
		{mail, `[["==",".from","alice@example.com"],["any",".to",["like",".","*@example.com"]]]`, true},
		{mail, `[["==",".to[1]","carol@not.example.com"],["==",".to[-2]","bob@example.com"],["==",".to[99]?",null],["==",".missing",null]]`, true},
		{mail, `[["==",".to[99]",null]]`, false},
		{mail, `[["==",".from?.x",null]]`, false},
		{mail, `[["==",".to[0:1]",["bob@example.com"]],["==",".to[-1:]",["carol@not.example.com"]],["==",".cc[\"x\"].y",1],["all",".cc[]",["!=",".","no"]]]`, true},
		{mail, `[["all",".from",["==",".",1]]]`, false},
		{mail, `[["any",".n",["==",".",1]]]`, false},
	} {
		policy := fromJSON(t, c.policy).([]any)
		rules, err := compile(policy)
		if err != nil {
			t.Errorf("%s: %v", c.policy, err)
			continue
		}
		if failed, ok, err := matches(rules, fromJSON(t, c.args)); ok != c.want || err != nil {
			t.Errorf("%s of %s: %v at %v, %v", c.policy, c.args, ok, failed, err)
		}
	}
	for _, policy := range []string{
		`["=="]`, `[["=="]]`, `[["==",".a"]]`, `[["=","."," "]]`, `[["==","a",1]]`, `[["==","..a",1]]`, `[["like",".a",1]]`, `[["like",".a","\\"]]`,
		`[["not",[]]]`, `[["and",1]]`, `[["==",".[:]",1]]`, `[[1,2,3]]`, `[["and",[` + strings.TrimSuffix(strings.Repeat(`["and",[]],`, maxStatements), ",") + `]]]`,
	} {
		if rules, err := compile(fromJSON(t, policy).([]any)); err == nil {
			t.Errorf("%.80s: %v", policy, rules)
		}
	}
}

// TestPolicyWork: a policy that would take long is refused after a bounded number of steps.
func TestPolicyWork(t *testing.T) {
	items := make([]any, 2000)
	for i := range items {
		items[i] = "x"
	}
	var either []any
	for range 200 {
		either = append(either, []any{"==", ".", "y"})
	}
	rules, err := compile([]any{[]any{"any", ".a", []any{"or", either}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := matches(rules, map[string]any{"a": items}); ok || err == nil {
		t.Errorf("%v, %v", ok, err)
	}
	if _, ok, err := matches(rules, map[string]any{"a": items[:200]}); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

// FuzzToken feeds both decoders. What they accept is canonical, and checking it ends.
func FuzzToken(f *testing.F) {
	a, b := testKey("alice"), testKey("bob")
	d := &Delegation{Audience: b.Principal(), policy: []any{[]any{"any", ".a[0]", []any{"like", ".", "x*"}}}}
	d.Issuer, d.Subject, d.Command, d.Expires, d.Nonce = a.Principal(), a.Principal(), "/x", never, []byte{1}
	d, err := d.sign(a)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(d.Bytes())
	i := &Invocation{Audience: a.Principal(), Args: Call("/x", Amounts{1, 2, 3}, nil)}
	i.Issuer, i.Subject, i.Command, i.Expires, i.Nonce = b.Principal(), a.Principal(), "/x", never, []byte{1}
	i.Proofs = append(i.Proofs, d.id)
	if i, err = i.sign(b); err != nil {
		f.Fatal(err)
	}
	f.Add(i.Bytes())
	for _, b := range [][]byte{must(Bundle([]*Delegation{d})), must(BundleCall(i, []*Delegation{d})), must(BundleRevocation(must(Revoke(a, []*Delegation{d}, 0, nil, time.Unix(noon, 0))), []*Delegation{d}))} {
		f.Add(b)
	}
	f.Add(bytes.Repeat([]byte{0x81}, 40))
	f.Add([]byte{0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{0xbf, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if d, err := parseDelegation(raw); err == nil {
			if !bytes.Equal(d.Bytes(), raw) {
				t.Error("not the bytes of the token")
			}
			_, _, _ = d.Scope()
			_, _, _ = matches(d.rules, map[string]any{"a": []any{"x"}})
		}
		if inv, err := parseInvocation(raw); err == nil {
			if _, err := ParsePrincipal(inv.Issuer.String()); err != nil {
				t.Error(err)
			}
			_, _ = Permitted(inv, nil)
		}
		if c, err := ParseCommand(string(raw)); err == nil && !commandForm.MatchString(c) {
			t.Errorf("%q", c)
		}
		for _, read := range []func([]byte) error{
			func(b []byte) error { _, err := ParseApproval(b); return err },
			func(b []byte) error { return new(Principal).UnmarshalText(b) },
			func(b []byte) error { _, err := ParseChain(b); return err },
			func(b []byte) error { _, err := ParseRevocation(b); return err },
			func(b []byte) error { _, _, err := ParseCall(b); return err },
		} {
			if err := read(raw); err == nil && len(raw) > MaxBundle {
				t.Error("a file that is too large")
			}
		}
		if v, err := decodeValue(raw); err == nil {
			if again, err := encodeValue(v); err != nil || !bytes.Equal(again, raw) {
				t.Errorf("%x, %v", again, err)
			}
		}
	})
}
