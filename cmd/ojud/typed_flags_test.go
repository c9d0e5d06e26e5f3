package main

import (
	"io"
	"testing"
)

// TestTyped: the commands in a message get the flags that the user gave and that they have.
func TestTyped(t *testing.T) {
	t.Parallel()
	a := newApp(nil, io.Discard, io.Discard)
	newRoot(a)
	const no = "no agent; run: ojud agent deposit 96.05sol"
	if got := a.Typed(no); got != no {
		t.Errorf("without flags: %s", got)
	}
	a.Home, a.Key, a.Network = "/tmp/my home", "bob.json", "http://127.0.0.1:8899"
	const home, key = " --home '/tmp/my home'", " --key bob.json --network http://127.0.0.1:8899"
	for text, want := range map[string]string{
		"run: ojud agent deposit 96.05sol":                         "run: ojud agent deposit" + home + key + " 96.05sol",
		"start it with: ojud run":                                  "start it with: ojud run" + home,
		"ojud run, or see the chain: ojud case show X":             "ojud run" + home + ", or see the chain: ojud case show" + home + key + " X",
		"make one: ojud agent register --create-key --key FILE":    "make one: ojud agent register" + home + " --network http://127.0.0.1:8899 --create-key --key FILE",
		"ojud judge withdraw, ojud judge register":                 "ojud judge withdraw" + home + key + ", ojud judge register" + home + key,
		"this ojud knows; ojud is of the same version; ojud 'x'":   "this ojud knows; ojud is of the same version; ojud 'x'",
		"ojud join URL --home /srv/ojud; then ojud source log":     "ojud join URL --home /srv/ojud; then ojud source log" + home,
		"the journal /var/ojud has no room, and ojud/x is nothing": "the journal /var/ojud has no room, and ojud/x is nothing",
	} {
		if got := a.Typed(text); got != want {
			t.Errorf("%q becomes\n%s\nwant\n%s", text, got, want)
		}
	}
}
