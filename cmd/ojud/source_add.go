package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ojud/node/client"
	"ojud/node/shelf"
)

func newSourceAdd(a *app) *cobra.Command {
	var flags sourceFlags
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Offer a data source to judges",
		Long: `Add makes a source of an MCP server's tool, an HTTP API, files, a SQLite database, an account or a transaction of Solana, tries
it, and writes it to the home. A node that runs there takes it up by itself. What is not said has a default: it is free, and judges
who are seated in a case whose task names the source may ask. Secrets are named, not typed: ${env:NAME} or ${file:PATH}.`,
		Example: `  ojud source add site.post --http 'https://api.site.example/posts/{id}' --header 'Authorization=Bearer ${env:SITE_KEY}' --pointer /data
  ojud source add memory.search --mcp 'npx -y @modelcontextprotocol/server-memory@2026.8.31' --tool search_nodes
  ojud source add prices --files /srv/prices --allow '*.json' --format json
  ojud source add posts.by --sqlite posts.db --sql 'select id, text from posts where author = :author' --price 5000
  ojud source add accounts --solana account --who judges
  ojud source add --file my.source.json`,
		Args: takes(0, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.finish(cmd, args); err != nil {
				return err
			}
			s, err := a.shelf(cmd.Context())
			if err != nil {
				return err
			}
			what := "trying " + first(flags.Name, flags.File)
			if program := strings.Fields(flags.MCP); len(program) > 0 {
				what = "starting " + program[0] + " and trying " + flags.Name
			}
			added, err := wait(cmd.Context(), a, what, func(ctx context.Context) (shelf.Added, error) { return s.Add(ctx, flags.Draft, flags.Options) })
			if err != nil {
				return sourceError(cmd, err)
			}
			return a.show(added, func(w io.Writer) error { return a.addedSheet(added).write(w) })
		},
	}
	flags.add(cmd.Flags())
	return cmd
}

// addedSheet says what was done, what peers see, and what comes next.
func (a *app) addedSheet(v shelf.Added) sheet {
	s := sheet{{v.Result, v.Name}, {"file", v.File}}
	if v.Trial != nil {
		s.add("tried", trialText(*v.Trial))
		s.add("held back", shelf.Visible(strings.Join(v.Trial.Withheld, ", ")))
	}
	s = append(s, cardSheet(v.Card, v.Hash.String())...)
	s.add("secrets", secretsText(v.Secrets))
	for _, step := range a.nextSteps(v) {
		s.add("next", step)
	}
	return s
}

// cardSheet is what peers see.
func cardSheet(c shelf.Card, hash string) sheet {
	var s sheet
	s.add("peers see", shelf.Visible(c.Description))
	s.add("request", schemaText(c.InputSchema, "any JSON object"))
	s.add("answer", schemaText(c.OutputSchema, "any JSON value"))
	s.add("terms", fmt.Sprintf("%s an answer; %d requests in %d s of one asker, %d in %d s of all, %d of a case", priceText(uint64(c.Terms.Price)),
		c.Terms.Rate.Requests, c.Terms.Rate.Seconds, c.Terms.TotalRate.Requests, c.Terms.TotalRate.Seconds, c.Terms.Quota))
	s.add("who", whoWords(c))
	s.add("promises", strings.Join(promises(c), "; "))
	s.add("demands", strings.Join(c.Terms.Demands, "; "))
	s.add("fields", strings.Join(c.Terms.Access, ", "))
	if c.Redacts {
		s.add("redacts", "peers know that something is taken out of answers, not what")
	}
	s.add("card", hash)
	return s
}

func priceText(lamports uint64) string {
	if lamports == 0 {
		return "free"
	}
	return client.Lamports(lamports).String()
}

func whoWords(c shelf.Card) string {
	switch c.Terms.Who.Class {
	case "seated":
		return "judges seated in a live round of a case whose task names the source"
	case "judges":
		return "judges seated in any live round"
	case "roster":
		return "every judge on the roster"
	}
	var list []string
	for _, a := range c.Terms.Who.Authorities {
		list = append(list, a.String())
	}
	return "the judges " + strings.Join(list, ", ")
}

func promises(c shelf.Card) (out []string) {
	p := c.Terms.Promises
	if r := p.RetentionSeconds; r != nil && *r == 0 {
		out = append(out, "requests are not kept")
	} else if r != nil {
		out = append(out, fmt.Sprintf("requests are kept for %d s", *r))
	}
	if p.FreshnessSeconds > 0 {
		out = append(out, fmt.Sprintf("answers are at most %d s old", p.FreshnessSeconds))
	}
	return append(out, p.Others...)
}

// secretsText says which secrets a source refers to, and whether there is something here.
func secretsText(list []shelf.Secret) string {
	var out []string
	for _, s := range list {
		state := "set here; the node needs it in its own environment"
		if strings.HasPrefix(s.Reference, "${file:") {
			state = "is there"
		}
		if !s.Set {
			state = "NOT SET here"
		}
		out = append(out, s.Reference+" ("+state+")")
	}
	return strings.Join(out, ", ")
}

// nextSteps are what is left to do.
func (a *app) nextSteps(v shelf.Added) (steps []string) {
	flag := ""
	if a.home != "" {
		flag = " --home " + a.home
	}
	if v.Trial == nil || v.Trial.Asked != shelf.AskedAnswer || v.Trial.Problem != "" {
		steps = append(steps, "try it with a request of your own: ojud source test "+v.Name+flag+" REQUEST")
	}
	home, err := a.homeDir()
	there := func(name string) bool {
		_, missing := os.Stat(filepath.Join(home, name))
		return err == nil && missing == nil
	}
	switch {
	case there("api"):
		return append(steps, "nothing: the node that runs on this home takes it up by itself; ojud source log"+flag+" tells who asked")
	case there("network.json"):
		return append(steps, "start the node: ojud run"+flag)
	}
	return append(steps, "join a court: ojud join URL"+flag)
}

// schemaText is a schema on one line, or what one that demands nothing means.
func schemaText(raw json.RawMessage, open string) string {
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil || line.String() == "{}" {
		return open
	}
	return shelf.Visible(line.String())
}
