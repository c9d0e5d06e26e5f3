// Package npm brings the MCP server of the story about data from the registry of npm.
package npm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Server is the MCP server of the story.
const Server = "@modelcontextprotocol/server-memory"

// version is the one that the tests of package datasource/kind use.
const version = "2026.8.31"

const (
	leastNode  = 20
	fetchTime  = 3 * time.Minute // for npm to fetch it
	fetchWords = 5 * time.Second // between two reminders
)

// ErrNoNode means that the machine cannot run programs from npm.
var ErrNoNode = errors.New("cluster: the MCP server of the story is a program from npm, and needs Node.js 20 or later with npx")

// Check checks that Node.js and npx are there.
func Check(ctx context.Context) error {
	if _, err := exec.LookPath("npx"); err != nil {
		return fmt.Errorf("%w: %w", ErrNoNode, err)
	}
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoNode, err)
	}
	said := strings.TrimSpace(string(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(said, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < leastNode {
		return fmt.Errorf("%w: node --version says %.20q", ErrNoNode, said)
	}
	return nil
}

// where prints the path of the server's script. npx puts the server's folder at the head of PATH.
// The script has no characters that shells treat differently.
const where = `process.env.PATH.split(require('path').delimiter).map(d=>require('path').resolve(d,'..','` + Server +
	`','dist','index.js')).find(f=>require('fs').existsSync(f))`

// Fetch makes npx put the server into npm's cache, unless it is there, and returns the path of its
// script. It says what it waits for.
func Fetch(ctx context.Context, say func(format string, args ...any)) (string, error) {
	say("npm brings %s@%s, if it is not here yet.", Server, version)
	over := make(chan struct{})
	told := make(chan struct{})
	go func() { defer close(told); remind(over, say) }()
	script, err := npx(ctx)
	close(over)
	<-told
	return script, err
}

// remind reports that the fetch is still running.
func remind(over <-chan struct{}, say func(format string, args ...any)) {
	tick := time.NewTicker(fetchWords)
	defer tick.Stop()
	for began := time.Now(); ; {
		select {
		case <-over:
			return
		case <-tick.C:
			say("npm is still at it after %s.", time.Since(began).Round(time.Second))
		}
	}
}

func npx(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npx", "--yes", "--prefer-offline", "--fetch-retries=1", "--package="+Server+"@"+version, "--", "node", "-p", where)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	script := strings.TrimSpace(string(out))
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("cluster: npx %s@%s: %w", Server, version, ctx.Err())
	case err != nil:
		return "", fmt.Errorf("cluster: npx could not bring %s@%s: %w%s", Server, version, err, complaint(err))
	case !strings.HasSuffix(script, "index.js"):
		return "", fmt.Errorf("cluster: npx brought %s@%s, but it is not where npx puts things: %.200q", Server, version, script)
	}
	return script, nil
}

// complaint returns npm's text about an error.
func complaint(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return ""
	}
	var said []string
	for line := range bytes.Lines(exit.Stderr) {
		text, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "npm error ")
		if ok && len(said) < 4 {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return ": " + strings.Join(said, "; ")
}
