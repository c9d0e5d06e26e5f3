package cluster

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

// The MCP server of the story, in the version that the tests of package datasource/kind use.
const (
	serverPackage = "@modelcontextprotocol/server-memory"
	serverVersion = "2026.8.31"
)

const (
	leastNode  = 20
	fetchTime  = 3 * time.Minute // for npm to fetch it
	fetchWords = 5 * time.Second // between two reminders
)

// ErrNoNode means that the machine cannot run programs from npm.
var ErrNoNode = errors.New("cluster: the MCP server of the story is a program from npm, and needs Node.js 20 or later with npx")

// checkNode checks that Node.js and npx are there.
func checkNode(ctx context.Context) error {
	if _, err := exec.LookPath("npx"); err != nil {
		return fmt.Errorf("%w: %w", ErrNoNode, err)
	}
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoNode, err)
	}
	version := strings.TrimSpace(string(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < leastNode {
		return fmt.Errorf("%w: node --version says %.20q", ErrNoNode, version)
	}
	return nil
}

// where prints the path of the server's script. npx puts the server's folder at the head of PATH.
// The script has no characters that shells treat differently.
const where = `process.env.PATH.split(require('path').delimiter).map(d=>require('path').resolve(d,'..','` + serverPackage +
	`','dist','index.js')).find(f=>require('fs').existsSync(f))`

// fetchServer makes npx put the server into npm's cache, unless it is there, and returns the path
// of its script.
func (c *Cluster) fetchServer(ctx context.Context) (string, error) {
	c.say("npm brings %s@%s, if it is not here yet.", serverPackage, serverVersion)
	over := make(chan struct{})
	told := make(chan struct{})
	go func() { defer close(told); c.remind(over) }()
	script, err := npx(ctx)
	close(over)
	<-told
	return script, err
}

// remind reports that the fetch is still running.
func (c *Cluster) remind(over <-chan struct{}) {
	tick := time.NewTicker(fetchWords)
	defer tick.Stop()
	for began := time.Now(); ; {
		select {
		case <-over:
			return
		case <-tick.C:
			c.say("npm is still at it after %s.", time.Since(began).Round(time.Second))
		}
	}
}

func npx(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npx", "--yes", "--prefer-offline", "--fetch-retries=1", "--package="+serverPackage+"@"+serverVersion, "--", "node", "-p", where)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	script := strings.TrimSpace(string(out))
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("cluster: npx %s@%s: %w", serverPackage, serverVersion, ctx.Err())
	case err != nil:
		return "", fmt.Errorf("cluster: npx could not bring %s@%s: %w%s", serverPackage, serverVersion, err, complaint(err))
	case !strings.HasSuffix(script, "index.js"):
		return "", fmt.Errorf("cluster: npx brought %s@%s, but it is not where npx puts things: %.200q", serverPackage, serverVersion, script)
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
