package delegation

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

const noon = 1_767_225_600

// wide are terms that a root gives.
func wide() Scope {
	return Scope{
		Allow: []string{"/github", "/llm/summarize"}, Deny: []string{"/github/issues/delete"}, Budget: Amounts{1000, 500, 20},
		NotBefore: noon, Until: noon + 3600, Approval: []string{"finance"},
	}
}

func issue(t *testing.T, from, to key, terms Scope, before ...*Delegation) *Delegation {
	t.Helper()
	d, err := Issue(from, to.Principal(), terms, before, []byte(t.Name()[:min(len(t.Name()), 12)]), time.Unix(noon, 0))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestIssue: terms survive the token, and a link may repeat or narrow the one before it.
func TestIssue(t *testing.T) {
	a, b, c := testKey("alice"), testKey("bob"), testKey("carol")
	root := issue(t, a, b, wide())
	got, conditions, err := root.Scope()
	if err != nil || len(conditions) > 0 || !reflect.DeepEqual(got, wide()) {
		t.Fatalf("%+v, %v, %v", got, conditions, err)
	}
	next := wide()
	next.Allow, next.Budget = []string{"/github/issues"}, Amounts{10, 0, 20}
	link := issue(t, b, c, next, root)
	if got, _, err := link.Scope(); err != nil || !reflect.DeepEqual(got, next) {
		t.Errorf("%+v, %v", got, err)
	}
	if link.Command != "/github/issues" || root.Command != "/" {
		t.Errorf("%s, %s", link.Command, root.Command)
	}
}

// TestNarrow: a link that widens any field is refused by the name of the field, when it is issued
// and when it is checked.
func TestNarrow(t *testing.T) {
	a, b, c := testKey("alice"), testKey("bob"), testKey("carol")
	root := issue(t, a, b, wide())
	for field, edit := range map[string]func(*Scope){
		"allow":               func(t *Scope) { t.Allow = []string{"/github", "/llm"} },
		"deny":                func(t *Scope) { t.Deny = nil },
		"budget.lamports":     func(t *Scope) { t.Budget[0]++ },
		"budget.tokens":       func(t *Scope) { t.Budget[1] = Unlimited },
		"budget.microdollars": func(t *Scope) { t.Budget[2] = 21 },
		"not_before":          func(t *Scope) { t.NotBefore-- },
		"until":               func(t *Scope) { t.Until = never },
		"approval":            func(t *Scope) { t.Approval = nil },
	} {
		terms := wide()
		edit(&terms)
		_, err := Issue(b, c.Principal(), terms, []*Delegation{root}, nil, time.Unix(noon, 0))
		var r *Refusal
		if !errors.As(err, &r) || r.Name != Widened || r.Field != field || r.Link != 1 {
			t.Errorf("%s: %v", field, err)
		}
		// A delegate that does not run our code signs it all the same: then the check refuses.
		alone, err := Issue(a, c.Principal(), terms, nil, nil, time.Unix(noon, 0))
		if err != nil {
			t.Fatal(err)
		}
		alone.Issuer = b.Principal()
		if alone, err = alone.sign(b); err != nil {
			t.Fatal(err)
		}
		if err := Profile([]*Delegation{root, alone}); !errors.As(err, &r) || r.Name != Widened || r.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	// Denying again is needless where the link does not allow it.
	terms := wide()
	terms.Allow, terms.Deny = []string{"/llm/summarize"}, nil
	issue(t, b, c, terms, root)
}

// TestPermitted: a call under two links, and calls that the links refuse.
func TestPermitted(t *testing.T) {
	a, b, c := testKey("alice"), testKey("bob"), testKey("carol")
	root := issue(t, a, b, wide())
	next := wide()
	next.Budget = Amounts{10, 0, 20}
	next.Approval = []string{"finance", "pii"}
	links := []*Delegation{root, issue(t, b, c, next, root)}
	try := func(edit func(map[string]any), by key, at int64) (Permit, error) {
		args := Call("/github/issues/list", Amounts{10, 0, 0}, "which are open?")
		if edit != nil {
			edit(args)
		}
		inv, err := Invoke(by, a.Principal(), args, links, []byte("n"), time.Unix(noon, 0), time.Unix(noon+60, 0))
		if err != nil {
			return Permit{}, err
		}
		got, err := Verify(inv, Check{Now: time.Unix(at, 0), Executor: a.Principal(), Find: func(id string) ([]byte, bool) {
			for _, d := range links {
				if d.ID() == id {
					return d.Bytes(), true
				}
			}
			return nil, false
		}, Skew: Skew})
		if err != nil {
			return Permit{}, err
		}
		return Permitted(inv, got)
	}
	p, err := try(nil, c, noon)
	if err != nil || p.Command != "/github/issues/list" || len(p.Links) != 2 || p.Links[1].Budget != next.Budget || p.Spend != (Amounts{10, 0, 0}) || strings.Join(p.Approval, " ") != "finance pii" {
		t.Errorf("%+v, %v", p, err)
	}
	spend := func(n any) func(map[string]any) {
		return func(args map[string]any) { args["spend"].(map[string]any)["lamports"] = n }
	}
	for name, c := range map[string]struct {
		edit func(map[string]any)
		by   key
		at   int64
		want RefusalName
	}{
		"denied":           {func(m map[string]any) { m["call"] = "/github/issues/delete" }, c, noon, MatchError},
		"below denied":     {func(m map[string]any) { m["call"] = "/github/issues/delete/all" }, c, noon, MatchError},
		"not allowed":      {func(m map[string]any) { m["call"] = "/llm/train" }, c, noon, MatchError},
		"too dear":         {spend(int64(11)), c, noon, MatchError},
		"no amount":        {spend("9"), c, noon, MatchError},
		"negative":         {spend(int64(-1)), c, noon, InvalidClaim},
		"another calls":    {nil, b, noon, InvalidAudience},
		"late within skew": {nil, c, noon + 119, ""},
		"late":             {nil, c, noon + 120, Expired},
		"early":            {nil, c, noon - 61, TooEarly},
	} {
		_, err := try(c.edit, c.by, c.at)
		var r *Refusal
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &r) || r.Name != c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if name == "not allowed" && !strings.Contains(err.Error(), "and the call is /llm/train") {
			t.Errorf("it does not say what was allowed: %v", err)
		}
	}
	// Policies see arguments alone, so that an invocation of another command than they say is a
	// lie.
	args := Call("/github/issues/list", Amounts{}, nil)
	inv, err := Invoke(c, a.Principal(), args, links, nil, time.Unix(noon, 0), time.Unix(noon+60, 0))
	if err != nil {
		t.Fatal(err)
	}
	inv.Command = "/github/issues/delete"
	if inv, err = inv.sign(c); err != nil {
		t.Fatal(err)
	}
	var r *Refusal
	if _, err := Permitted(inv, links); !errors.As(err, &r) || r.Field != "args.call" {
		t.Errorf("%v", err)
	}
}

// TestChainBounds: chains that are too deep, that come back to an agent, whose tokens are swapped
// or revoked, and invocations for another executor.
func TestChainBounds(t *testing.T) {
	name := func(i int) key { return testKey(string(rune('a' + i))) }
	terms := Scope{Allow: []string{"/x"}, Budget: Amounts{Unlimited, Unlimited, Unlimited}, Until: never}
	var links []*Delegation
	for i := range maxProofs {
		links = append(links, issue(t, name(i), name(i+1), terms, links...))
	}
	now := Check{Now: time.Unix(noon, 0)}
	if err := Grant(links, now); err != nil {
		t.Fatal(err)
	}
	refused := func(err error, want RefusalName) {
		t.Helper()
		var r *Refusal
		if !errors.As(err, &r) || r.Name != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err := Issue(name(maxProofs), name(maxProofs+1).Principal(), terms, links, nil, time.Unix(noon, 0))
	refused(err, TooDeep)
	_, err = Issue(name(2), name(0).Principal(), terms, links[:2], nil, time.Unix(noon, 0))
	refused(err, Cycle)
	refused(Grant([]*Delegation{links[1], links[0]}, now), InvalidSubject)
	refused(Grant(nil, now), InvalidClaim)
	last := links[3].ID()
	now.Revoked = func(id string) bool { return id == last }
	refused(Grant(links, now), Revoked)
	inv, err := Invoke(name(1), name(0).Principal(), Call("/x", Amounts{}, nil), links[:1], nil, time.Unix(noon, 0), time.Unix(noon+9, 0))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Verify(inv, Check{Now: time.Unix(noon, 0), Executor: name(5).Principal()})
	refused(err, InvalidAudience)
	_, err = Verify(inv, Check{Now: time.Unix(noon, 0), Executor: name(0).Principal(), Find: func(string) ([]byte, bool) { return links[1].Bytes(), true }})
	refused(err, UnavailableProof)
}

// TestValidate: terms that no token can say are refused by field.
func TestValidate(t *testing.T) {
	for field, edit := range map[string]func(*Scope){
		"allow":           func(t *Scope) { t.Allow = nil },
		"deny":            func(t *Scope) { t.Deny = []string{"/A"} },
		"approval":        func(t *Scope) { t.Approval = []string{"two words"} },
		"budget.lamports": func(t *Scope) { t.Budget[0] = math.MaxInt64 },
		"until":           func(t *Scope) { t.Until = t.NotBefore },
	} {
		terms := wide()
		edit(&terms)
		var r *Refusal
		if err := terms.Validate(); !errors.As(err, &r) || r.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for text, want := range map[string]string{
		":github.issues.list": "/github/issues/list", "process.*": "/process", "*": "/", "/": "/", "/a/b": "/a/b",
		"": "", "/a/": "", "/A": "", "a b": "", "/a//b": "", "/a/*": "", "../x": "", "/" + strings.Repeat("a", maxCommand): "",
	} {
		got, err := ParseCommand(text)
		if text == "" { // nothing is everything only if it is written
			want = "/"
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
