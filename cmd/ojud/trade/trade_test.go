package trade

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
)

// TestSettingsFaults: without settings, or with wrong ones, both commands say what to do, before
// they look at a court.
func TestSettingsFaults(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]func(*cli.App) *cobra.Command{"work.toml": Work, "post.toml": Post} {
		for text, want := range map[string]string{"": "there is no", "at_once = 0\n": name + ":1: at_once is 0", "x = 1\n": name + ":1: \"x\" is no field"} {
			home := t.TempDir()
			if text != "" {
				if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			a := cli.New([]string{"OJUD_NETWORK=http://127.0.0.1:1/network.json"}, &out, &out)
			a.Home = home
			cmd := command(a)
			cmd.SetArgs(nil)
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s with %q: %v", name, text, err)
			}
		}
	}
}
