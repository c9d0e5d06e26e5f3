package homes

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"ojud/node/cluster"
)

// TestAsk: flags name the models of the story about judges, and one key for each.
func TestAsk(t *testing.T) {
	t.Parallel()
	read := func(args ...string) (cluster.Config, error) {
		var m Models
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		m.Flags(flags)
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		c := cluster.DefaultConfig()
		c.Story = cluster.StoryJudges
		return m.Ask(c)
	}
	c, err := read("--model-url", "http://127.0.0.1:9/v1", "--model", "a@b", "--model-key", "${file:key}", "--model-seats", "3")
	if m := c.Models; err != nil || len(m) != 1 || m[0].Name != "a-b" || !strings.HasPrefix(m[0].Key, "${file:/") || c.ModelSeats != 3 {
		t.Errorf("%+v, %v", c.Models, err)
	}
	if _, err := read("--model", "a"); err == nil {
		t.Error("a model without a server")
	}
	if _, err := read("--model-url", "x", "--model", "a", "--model-key", "", "--model-key", ""); err == nil || !strings.Contains(err.Error(), "one key for each server") {
		t.Error(err)
	}
}
