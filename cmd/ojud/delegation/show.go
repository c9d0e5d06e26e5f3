package delegation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/host/shell"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/client"
)

// wanted says which lines of an audit log are shown.
type wanted struct {
	since, until         int64 // Unix seconds; until is 0 for no end
	with                 *delegation.Principal
	capability, result   string
	conversation, hashed string
	limit                int
}

func (w wanted) has(l audit.LogLine) bool {
	act := l.Act
	return l.At >= w.since && (w.until == 0 || l.At <= w.until) &&
		(w.with == nil || act.From == *w.with || act.To == *w.with) &&
		(w.capability == "" || beneath(act.Capability, w.capability)) &&
		(w.result == "" || act.Result == w.result) &&
		(w.conversation == "" || strings.HasPrefix(act.Call, w.conversation) || strings.HasPrefix(act.Conversation, w.conversation) || act.Conversation == w.hashed)
}

// beneath reports whether a capability is another one or stands below it. "anex" has the
// conversations below it, which are no commands.
func beneath(capability, of string) bool {
	plain := func(text string) string { return strings.ReplaceAll(strings.TrimPrefix(text, "/"), "/", ".") }
	return plain(capability) == plain(of) || strings.HasPrefix(plain(capability), plain(of)+".")
}

// mostLines is how many lines of a log are shown at most.
const mostLines = 100_000

func newAuditShow(a *cli.App) *cobra.Command {
	var since, until, with, conversation string
	w := wanted{limit: 200}
	cmd := &cobra.Command{
		Use:   "show [AGENT]...",
		Short: "Show who called whom, when, and what became of it",
		Long: `Show prints the audit logs of AGENTs, the newest lines last, or all logs of the home: calls that an
agent made or was asked to execute, refusals with their reason, what was taken back, and the steps
of conversations (anex). An AGENT is the id of an agent whose key is in agents/keys or its archive,
an address, a did:key, or the file of a log. Each line is checked as by verify; if one is wrong,
show ends there with exit status 1. The host of the agents may run or not. An agent without a log
may stand in those of others (--with).

Each line shows how the id of its call or conversation begins; --conversation takes that, or the
whole. It also takes the id of a conversation as an agreement has it, of which the log has only the
hash. --json prints the lines as they stand in the log.`,
		Example: `  ojud agent audit show counter --home ~/host --since 1h
  ojud agent audit show --result refused --with did:key:z6Mk... --home ~/host
  ojud agent audit show --capability anex --home ~/joe --json | jq -c .act`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, agents []string) error {
			if w.limit < 1 || w.limit > mostLines {
				return cli.Usage("--limit is %d; give 1 to %d", w.limit, mostLines)
			}
			known, err := agentsOf(a)
			if err != nil {
				return err
			}
			now := time.Now()
			if w.since, err = moment("--since", since, now); err != nil {
				return err
			}
			if w.until, err = moment("--until", until, now); err != nil {
				return err
			}
			if with != "" {
				p, err := known.find("--with", with)
				if err != nil {
					return err
				}
				w.with = &p
			}
			w.conversation, w.hashed = conversation, audit.Conversation(conversation)
			files, err := known.logs(a, agents)
			if err != nil {
				return err
			}
			shown := 0
			for _, file := range files {
				n, err := known.show(a, file, w, len(agents) > 0, shown > 0)
				if shown += n; err != nil {
					return err
				}
			}
			if shown == 0 && len(agents) == 0 && !a.JSON {
				return view.Sheet{{"lines", "none is of this kind"}}.Write(a.Out)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&since, "since", "", "only since then: 90s, 30m, 8h, 2d ago, or a time such as 2026-12-01T08:00:00Z")
	flags.StringVar(&until, "until", "", "only until then, likewise")
	flags.StringVar(&with, "with", "", "only with this other side: an id of the host, an address or a did:key")
	flags.StringVar(&w.capability, "capability", "", "only of this capability and those below it, such as counter.words or anex")
	flags.StringVar(&w.result, "result", "", "only with this result, such as refused")
	flags.StringVar(&conversation, "conversation", "", "only of this call or conversation: its id, or how that begins")
	flags.IntVar(&w.limit, "limit", w.limit, "at most so many lines of a log, the latest")
	return cmd
}

// moment reads a time, or how long ago it was. Nothing is 0.
func moment(what, text string, now time.Time) (int64, error) {
	if text == "" {
		return 0, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.Unix(), nil
	}
	var ago cli.Span
	if err := ago.Set(text); err != nil {
		return 0, cli.Usage("%s is %.40q", what, text).Next("write how long ago, such as 30m, 8h or 2d, or a time such as 2026-12-01T08:00:00Z")
	}
	return now.Unix() - int64(ago.Seconds), nil
}

// acquaintances are the ids of agents of a host by their keys.
type acquaintances map[delegation.Principal]string

// agentsOf reads whose keys a home has, also of agents that are terminated, and those that files of
// agents name.
func agentsOf(a *cli.App) (acquaintances, error) {
	home, err := a.HomeDir()
	if err != nil {
		return nil, err
	}
	out := acquaintances{}
	for _, folder := range []string{"keys/archive", "keys"} {
		dir := filepath.Join(home, "agents", folder)
		files, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, f := range files {
			id, is := strings.CutSuffix(f.Name(), ".json")
			if !is {
				continue
			}
			key, err := client.LoadKey(filepath.Join(dir, f.Name()))
			if errors.Is(err, fs.ErrPermission) {
				return nil, err
			}
			if err != nil {
				continue // it is no key, and names nobody
			}
			out[delegation.Principal(key.Address())] = id
		}
	}
	named, _, err := shell.Inspect(home)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for id, path := range named {
		if path == "" {
			continue
		}
		key, err := client.LoadKey(path)
		if errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		if err != nil {
			continue // it is no key, and names nobody
		}
		out[delegation.Principal(key.Address())] = id
	}
	return out, nil
}

// find reads an id of an agent of the host, an address or a did:key.
func (k acquaintances) find(what, text string) (delegation.Principal, error) {
	var keys []string
	var found delegation.Principal
	for p, id := range k {
		if id == text {
			found, keys = p, append(keys, p.String())
		}
	}
	switch {
	case len(keys) == 1:
		return found, nil
	case len(keys) > 1:
		slices.Sort(keys)
		return found, cli.Usage("%s: %s has had %d keys; give one of them", what, text, len(keys)).Next(strings.Join(keys, ", "))
	}
	p, err := principal(what, text)
	if err != nil && len(k) > 0 {
		return p, cli.Usage("%s: %.80q is no agent of this home, no address and no did:key", what, text).Next("agents of this home: " + strings.Join(slices.Sorted(maps.Values(k)), ", "))
	}
	return p, err
}

// logs returns the files of the logs of agents, or all of the home.
func (k acquaintances) logs(a *cli.App, agents []string) (files []string, err error) {
	if len(agents) == 0 {
		return allLogs(a)
	}
	dir, err := Logs(a)
	if err != nil {
		return nil, err
	}
	for _, agent := range agents {
		file := agent
		if _, err := os.Stat(agent); err != nil || !strings.HasSuffix(agent, ".audit") {
			who, err := k.find("AGENT", agent)
			if err != nil {
				return nil, err
			}
			file = audit.File(dir, who)
		}
		_, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, cli.Fail("there is no audit log of %s in %s", agent, dir).Next("see what other logs of this home have of it: ojud agent audit show --with " + agent + ", with the same --home")
		}
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// show prints the lines of a log that are wanted, and returns how many. A log without one is left
// out, unless it was asked for. An empty line parts it from a log before it.
func (k acquaintances) show(a *cli.App, file string, w wanted, asked, further bool) (n int, err error) {
	var last []audit.LogLine
	s, bad := audit.Read(file, func(l audit.LogLine) {
		if !w.has(l) {
			return
		}
		if n++; len(last) >= 2*w.limit {
			last = slices.Delete(last, 0, len(last)-w.limit+1)
		}
		last = append(last, l)
	})
	last = last[max(0, len(last)-w.limit):]
	if a.JSON {
		for _, l := range last {
			if err := a.Line(json.RawMessage(l.Raw)); err != nil {
				return n, err
			}
		}
	} else if n > 0 || asked {
		if further {
			if _, err := fmt.Fprintln(a.Out); err != nil {
				return n, err
			}
		}
		if err := k.head(file, s, n, len(last)).Write(a.Out); err != nil {
			return n, err
		}
		rows := make([][]string, len(last))
		for i, l := range last {
			rows[i] = []string{time.Unix(l.At, 0).UTC().Format(time.DateTime), l.Act.Result, k.words(l.Act)}
		}
		if err := view.Table(a.Out, nil, rows); err != nil {
			return n, err
		}
	}
	if bad != nil {
		return n, cli.Fail("%s does not verify: %v", file, bad)
	}
	return n, nil
}

// head is what stands above the lines of a log.
func (k acquaintances) head(file string, s audit.Verified, n, shown int) (out view.Sheet) {
	whose := s.Agent
	for p, id := range k {
		if p.String() == s.Agent {
			whose = id + " " + whose
		}
	}
	out.Add("log", cli.First(whose, file))
	text := fmt.Sprintf("%d of %s, times in UTC", shown, view.Count(int(s.Entries), "line"))
	if n > shown {
		text += fmt.Sprintf("; %d older ones are of this kind, too (--limit)", n-shown)
	}
	out.Add("lines", text)
	if s.Torn {
		out.Add("unfinished", "the last line: it is being written, or a crash cut it off")
	}
	return out
}

// name is the id of an agent of the home, or its did:key.
func (k acquaintances) name(p delegation.Principal) string {
	switch id := k[p]; {
	case id != "":
		return id
	case p == (delegation.Principal{}):
		return "somebody without a key"
	}
	return p.String()
}

// words says what a line of a log is about.
func (k acquaintances) words(act audit.AgentInvoke) string {
	part := func(id string) string { // what tells it from others: CIDs begin with the same letters
		kind, rest, found := strings.Cut(id, ":")
		if !found {
			kind, rest = "", id
		} else {
			kind += ":"
		}
		return kind + rest[:min(16, len(rest))]
	}
	var out strings.Builder
	out.WriteString(act.Capability)
	if act.From != act.To {
		fmt.Fprintf(&out, " from %s to %s", k.name(act.From), k.name(act.To))
	}
	if act.Call != "" {
		out.WriteString(", " + map[bool]string{true: "message ", false: "call "}[strings.HasPrefix(act.Call, "sha256:")] + part(act.Call))
	}
	if act.Conversation != "" {
		out.WriteString(", conversation " + part(act.Conversation))
	}
	switch {
	case act.Result == "revoked" && len(act.Chain) > 0:
		out.WriteString(", link " + part(act.Chain[0]))
	case len(act.Chain) > 0:
		out.WriteString(", under " + view.Count(len(act.Chain), "link"))
	}
	if act.Reason != "" {
		out.WriteString(": " + act.Reason)
	}
	return out.String()
}
