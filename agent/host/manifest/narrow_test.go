package manifest

import (
	"strings"
	"testing"
)

// TestNarrow: a copy has the limits that were asked for and is otherwise the same; limits that are
// not in a table of their own are refused, and never left as they were.
func TestNarrow(t *testing.T) {
	t.Parallel()
	const head = "[mind]\nkind = \"executable\"\nrun = [\"./a.sh\"]\n"
	const tail = "[[capabilities]]\nname = \"a\"\n"
	two, memory := 2, int64(64)
	for words, k := range map[string]struct{ text, want string }{
		"no limits":             {head + tail, ""},
		"limits at the end":     {head + tail + "[limits]\nconcurrent = 3\ncpu = \"9s\"", ""},
		"limits between":        {head + "  [limits]  \nconcurrent = 3\n# a\ncpu = \"9s\"\n" + tail, ""},
		"limits in line":        {"limits = { concurrent = 3 }\n" + head + tail, "limits"},
		"dotted limits":         {"limits.concurrent = 3\n" + head + tail, "limits"},
		"limits with a comment": {head + "[limits] # mine\nconcurrent = 3\n" + tail, "limits"},
		"a text that has them":  {"description = \"\"\"\n[limits]\nconcurrent = 9\n\"\"\"\n" + head + tail, "limits"},
	} {
		m, err := Parse([]byte(k.text), "x.toml", "x")
		if err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		text, err := m.Narrow(Bounds{Concurrent: &two, CPU: "5s", MemoryMB: &memory})
		if k.want != "" {
			if err == nil || !strings.Contains(err.Error(), k.want) {
				t.Errorf("%s: %s, %v", words, text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", words, err)
			continue
		}
		c, err := Parse([]byte(text), "y.toml", "y")
		if err != nil || c.Quota.Concurrent != 2 || c.Quota.CPU.Seconds() != 5 || c.Quota.Memory != 64<<20 || c.Quota.Spawned != 0 || c.Quota.Tokens != m.Quota.Tokens {
			t.Errorf("%s: %+v, %v", words, c.Quota, err)
		}
	}
}

// TestDeployer: the file of a deployer names what it copies, and has nothing else.
func TestDeployer(t *testing.T) {
	t.Parallel()
	const good = "autonomy = 3\ncalls = [\"a/*\"]\n[mind]\nkind = \"deployer\"\n[[capabilities]]\nname = \"deploy\"\n"
	if _, err := Parse([]byte(good), "d.toml", "d"); err != nil {
		t.Error(err)
	}
	for from, to := range map[string]string{
		"autonomy = 3": "autonomy = 2", "autonomy = 3\n": "autonomy = 4\n", "calls = [\"a/*\"]\n": "", "name = \"deploy\"": "name = \"draft\"", "kind = \"deployer\"": "kind = \"deployer\"\nrun = [\"./a\"]",
	} {
		if _, err := Parse([]byte(strings.Replace(good, from, to, 1)), "d.toml", "d"); err == nil {
			t.Errorf("%q in place of %q is taken", to, from)
		}
	}
}
