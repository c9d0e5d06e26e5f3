package cli

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"ojud/config"
)

// TestNodeLog: on a terminal a node tells its life in sentences, and elsewhere, or if it is told
// to, in lines for machines.
func TestNodeLog(t *testing.T) {
	for _, c := range []struct {
		format string
		tty    bool
		want   string
	}{
		{"auto", true, `^\d\d:\d\d:\d\d  You were drawn\.\n\d\d:\d\d:\d\d  data source is ready \(source=a\)\n\d\d:\d\d:\d\d  warning: The model is dead\. \(case=7 x\.err="no route"\)\n$`},
		{"plain", false, `^\d\d:\d\d:\d\d  You were drawn\.\n`},
		{"auto", false, `^time=\S+ level=INFO msg="You were drawn\." seat=9\n`},
		{"text", true, `^time=\S+ level=INFO msg="You were drawn\." seat=9\n`},
		{"json", true, `^\{"time"`},
	} {
		var out bytes.Buffer
		a := New(nil, &out, &out)
		a.ErrTTY = c.tty
		log, err := a.NodeLog(&out, config.Logging{Level: "info", Format: c.format})
		if err != nil {
			t.Fatal(err)
		}
		log.Info("You were drawn.", "seat", 9)
		log.Info("data source is ready", "source", "a")
		log.Debug("hidden")
		log.With("case", 7).WithGroup("x").Warn("The model is dead.", "err", errors.New("no route"))
		if !regexp.MustCompile(c.want).MatchString(out.String()) || strings.Contains(out.String(), "hidden") {
			t.Errorf("%s, terminal %t:\n%s", c.format, c.tty, out.String())
		}
	}
	if _, err := New(nil, nil, nil).NodeLog(nil, config.Logging{Level: "loud", Format: "plain"}); err == nil {
		t.Error("an unknown level was taken")
	}
}
