package trade

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/ledger"
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

// TestPatiently: while the chain is away a start is tried again, at longer and longer times.
// Another error ends it, and so does a signal.
func TestPatiently(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken, tries, began := errors.New("broken"), 0, time.Now()
		gone := []error{fmt.Errorf("x: %w", ledger.ErrUnavailable), &net.OpError{Op: "dial", Err: broken}, ledger.ErrRateLimited}
		var told []time.Duration
		tell := func(_ error, wait time.Duration) { told = append(told, wait) }
		if err := patiently(t.Context(), tell, func() error {
			if tries++; tries <= len(gone) {
				return gone[tries-1]
			}
			return nil
		}); err != nil || tries != 4 || len(told) != 3 || time.Since(began) != 7*time.Second {
			t.Errorf("%d tries, %v, after %s: %v", tries, told, time.Since(began), err)
		}
		if err := patiently(t.Context(), tell, func() error { return broken }); !errors.Is(err, broken) {
			t.Error(err)
		}
		forged := &tls.CertificateVerificationError{Err: broken}
		if err := patiently(t.Context(), tell, func() error { return &url.Error{Op: "Get", Err: forged} }); !errors.Is(err, forged) {
			t.Error(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Hour, stop)
		if err := patiently(ctx, tell, func() error { return ledger.ErrUnavailable }); !errors.Is(err, context.Canceled) || told[len(told)-1] != lastWait {
			t.Errorf("%v, %v", told, err)
		}
	})
}

// TestAway: both commands wait for a court that nobody tells of yet, say so, and end without an
// error when a signal comes.
func TestAway(t *testing.T) {
	t.Parallel()
	settings := map[string]string{
		"work.toml": "[budget]\nstake = \"1sol\"\n[[skill]]\nname = \"a\"\nwords = [\"a\"]\nleast = \"0.05sol\"\ncommand = [\"cat\"]\n",
		"post.toml": "queue = \"orders\"\nreward = \"0.1sol\"\n[budget]\nstake = \"1sol\"\n",
	}
	for name, command := range map[string]func(*cli.App) *cobra.Command{"work.toml": Work, "post.toml": Post} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, name), []byte(settings[name]), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		said := &teller{until: "the chain is away", stop: stop}
		a := cli.New([]string{"OJUD_NETWORK=http://127.0.0.1:1/network.json"}, io.Discard, said)
		a.Home, a.Key = home, filepath.Join(home, "key.json")
		if err := a.CreateKey(); err != nil {
			t.Fatal(err)
		}
		cmd := command(a)
		cmd.SetArgs(nil)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.ExecuteContext(ctx); err != nil || !strings.Contains(said.text.String(), "trying again in 1s") {
			t.Errorf("%s: %v, %s", name, err, said.text.String())
		}
	}
}

// teller calls stop when a text was written.
type teller struct {
	text  bytes.Buffer
	until string
	stop  func()
}

func (o *teller) Write(p []byte) (int, error) {
	n, err := o.text.Write(p)
	if strings.Contains(o.text.String(), o.until) {
		o.stop()
	}
	return n, err
}
