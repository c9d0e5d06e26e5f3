package manifest

import (
	"strings"
	"testing"
	"time"
)

const three = `name = "Three"
autonomy = 2
calls = ["b/*"]
require_approval = ["fire"]
[mind]
kind = "executable"
run = ["cat"]
[[capabilities]]
name = "read"
input = '{"type":"string"}'
[[capabilities]]
name = "write"
[limits]
time = "20s"
[[capabilities]]
name = "burn"
approval = ["fire"]
`

// TestCopy: a copy has less autonomy, fewer capabilities and lower limits than its image, and
// nothing else changes. More of anything is refused, and so is a copy that its file does not allow.
func TestCopy(t *testing.T) {
	t.Parallel()
	m, err := Parse([]byte(three), "a.toml", "a")
	if err != nil {
		t.Fatal(err)
	}
	level := func(n int) *int { return &n }
	text, err := m.Copy(Less{Autonomy: level(1), Capabilities: []string{"burn", "write"}, Limits: &Bounds{Time: "5s"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse([]byte(text), "a.toml", "a")
	if err != nil || c.Autonomy != 1 || len(c.Capabilities) != 2 || c.Capabilities[0].Name != "write" || c.Capabilities[1].Approval[0] != "fire" || c.Quota.Time != 5*time.Second || c.Name != "Three" || len(c.Calls) != 1 {
		t.Errorf("%+v, %v\n%s", c, err, text)
	}
	if text, err := m.Copy(Less{}); err != nil || text != three {
		t.Errorf("%s, %v", text, err)
	}
	for want, l := range map[string]Less{
		"autonomy is 3":           {Autonomy: level(3)},
		"autonomy is -1":          {Autonomy: level(-1)},
		`capabilities has "rule"`: {Capabilities: []string{"read", "rule"}},
		"limits.time":             {Limits: &Bounds{Time: "30s"}},
		"copy of agent a cannot":  {Capabilities: []string{"read"}}, // require_approval needs burn
	} {
		if text, err := m.Copy(l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %s, %v; want %s", l, text, err, want)
		}
	}
	odd, err := Parse([]byte(strings.Replace(three, "autonomy = 2\n", "\"autonomy\" = 2\n", 1)), "a.toml", "a")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := odd.Copy(Less{Autonomy: level(0)}); err == nil {
		t.Errorf("%s", text)
	}
}
