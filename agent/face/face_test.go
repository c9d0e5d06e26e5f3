package face

import (
	"context"
	"encoding/json"
	"testing"
)

type owlIn struct {
	Owls  int    `json:"owls"`
	Where string `json:"where,omitempty"`
}

// FuzzCall: arguments reach a tool only if they fit its type, without more members.
func FuzzCall(f *testing.F) {
	for _, args := range []string{`{"owls":2}`, `{"owls":2,"where":"oak"}`, `{"OWLS":2}`, `{"owls":"2"}`, `{"owls":2,"more":1}`, `null`, `[]`, ``, `{`} {
		f.Add([]byte(args))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		called := false
		tool := Make(About{Name: "count"}, func(_ context.Context, in owlIn, _ Say) (any, error) { called = true; return in.Owls, nil })
		_, err := tool.Call(t.Context(), args, nil)
		var given map[string]any
		bad := json.Unmarshal(args, &given) != nil
		for name := range given {
			bad = bad || name != "owls" && name != "where"
		}
		if _, is := given["owls"].(float64); called != (err == nil) || called && (bad || !is) {
			t.Errorf("%s: %v", args, err)
		}
	})
}

// TestCheck: tools of one name, and of types without a schema, are refused.
func TestCheck(t *testing.T) {
	t.Parallel()
	good := Make(About{Name: "a"}, func(context.Context, owlIn, Say) (any, error) { return nil, nil })
	bad := Make(About{Name: "b"}, func(context.Context, struct{ F func() }, Say) (any, error) { return nil, nil })
	for _, c := range []struct {
		tools []Tool
		ok    bool
	}{{[]Tool{good}, true}, {[]Tool{good, good}, false}, {[]Tool{good, bad}, false}} {
		if err := Check(c.tools); (err == nil) != c.ok {
			t.Error(err)
		}
	}
}
