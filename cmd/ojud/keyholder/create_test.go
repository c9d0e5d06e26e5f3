package keyholder

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/node/founding"
	oju "ojud/programs/oju"
)

// typed runs a command line.
func typed(t *testing.T, command func(*cli.App) *cobra.Command, args ...string) (string, error) {
	t.Helper()
	var out, told bytes.Buffer
	cmd := command(cli.New(nil, &out, &told))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// TestCreateFlags: a wrong command line is refused before the cluster is asked, and names the fix.
func TestCreateFlags(t *testing.T) {
	t.Parallel()
	const program = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"
	file := filepath.Join(t.TempDir(), "network.json")
	for _, c := range []struct{ args, want string }{
		{"", "needs --rpc"}, {"--rpc http://127.0.0.1:9", "name its file with --payer"}, {"--rpc http://127.0.0.1:9 --program x", "--program"},
		{"--rpc http://127.0.0.1:9 --program " + program, "name its file with --payer"},
		{"--rpc http://127.0.0.1:9 --program " + program + " --key nowhere.json", "nowhere.json"},
		{"--rpc http://127.0.0.1:9 --program " + program + " --dry-run --set min_stake", "has no value"},
		{"--rpc http://127.0.0.1:9 --program " + program + " --dry-run --set panel_seats=200", "panel_seats"},
		{"--rpc http://127.0.0.1:9 --program " + program + " --dry-run --set colour=red", "colour"},
		{"--rpc http://127.0.0.1:9 --program " + program + " --program-key p.json", "leave one of them out"},
		{"--rpc http://127.0.0.1:9 --room 9000 --payer k.json", "not between 0 and 8192"},
		{"--rpc http://127.0.0.1:9 --payer k.json --rules nowhere.txt", "nowhere.txt"},
	} {
		if _, err := typed(t, newCreate, append(strings.Fields(c.args), "--file", file)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a refused command wrote a file", err)
	}
}

// TestProgram: the program is written as it is in this ojud, and no file is written over.
func TestProgram(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "oju.so")
	out, err := typed(t, newProgram, file)
	raw, broken := os.ReadFile(file)
	if err != nil || broken != nil || !bytes.Equal(raw, oju.ELF()) || !strings.Contains(out, founding.SHA256()) {
		t.Error(out, err, broken)
	}
	if _, err := typed(t, newProgram, file); err == nil {
		t.Error("it wrote over a file")
	}
}
