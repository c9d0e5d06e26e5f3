package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ojud/node/library"
)

// TestReason: flags and answers become a document, or an error that names the next step.
func TestReason(t *testing.T) {
	for _, c := range []struct {
		args, answers, want, wrong string
	}{
		{args: "--reason bad", want: `{"reason":"bad"}`},
		{args: "--kind value --at /total --expected 12", want: `{"grounds":[{"expected":12,"kind":"value","pointer":"/total"}],"reason":"At /total the result should have the value 12."}`},
		{args: "--kind contains --expected owl --found cat", want: `{"grounds":[{"expected":"owl","found":"cat","kind":"contains","pointer":""}],"reason":"The result should contain \"owl\". It has \"cat\"."}`},
		{args: "--kind missing --at /id --reason none", want: `{"grounds":[{"kind":"missing","pointer":"/id"}],"reason":"none"}`},
		{args: "--counterexample median([4,1]) --at /code --expected 2.5", want: `{"grounds":[{"counterexample":{"args":[[4,1]],"function":"median"},"expected":2.5,"kind":"returns","pointer":"/code"}],"reason":"At /code the result should return 2.5 for median([4,1])."}`},
		{args: "--counterexample median --expected 2", wrong: "--counterexample is no call; write the name of a function"},
		{args: "--counterexample f() --kind count --expected 2", wrong: "is for the kind"},
		{args: "--kind returns --expected 2", wrong: "missing; name a call"},
		{answers: "returns\n/code\nf(1)\n2\n", want: `{"grounds":[{"counterexample":{"args":[1],"function":"f"},"expected":2,"kind":"returns","pointer":"/code"}],"reason":"At /code the result should return 2 for f(1)."}`},
		{args: "", wrong: "judges need a reason"},
		{args: "--at /x", wrong: "need a kind"},
		{args: "--kind ugly", wrong: `is "ugly"`},
		{args: "--kind count --at /x", wrong: "is no number"},
		{args: "--file x --kind missing", wrong: "not both"},
		{answers: "count\n/ids\n3\n", want: `{"grounds":[{"expected":3,"kind":"count","pointer":"/ids"}],"reason":"At /ids the result should have 3 items."}`},
		{answers: "missing\n/id\n", want: `{"grounds":[{"kind":"missing","pointer":"/id"}],"reason":"At /id the result lacks something."}`},
		{answers: "It is rude\n", want: `{"reason":"It is rude"}`},
		{answers: "\n", wrong: "judges need a reason"},
		{answers: "value\n/x", wrong: "missing; say what should be there"},
	} {
		var p ReasonFlags
		cmd := &cobra.Command{Use: "x", RunE: func(*cobra.Command, []string) error {
			if c.answers != "" {
				var shown strings.Builder
				if err := p.ask(strings.NewReader(c.answers), &shown); err != nil {
					return err
				}
				if !strings.HasPrefix(shown.String(), "What is wrong? One of contains, count, ") {
					t.Errorf("asked %q", &shown)
				}
			}
			doc, _, err := p.Read(library.ObjectionFile)
			if err == nil && string(doc.Content) != c.want {
				t.Errorf("%s%s: %s", c.args, c.answers, doc.Content)
			}
			return err
		}}
		p.Add(cmd)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetIn(strings.NewReader(""))
		cmd.SetArgs(strings.Fields(c.args))
		if err := cmd.Execute(); c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%q %q: %v", c.args, c.answers, err)
		}
	}
}
