package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"ojud/datasource"
	"ojud/node/cluster/npm"
	"ojud/node/cluster/site"
)

// memory is a popular MCP server that keeps a graph of notes in a file. Every holder's node runs
// one.
type memory struct {
	command []string
}

// memoryFile is the file of a holder's server, in its home.
const memoryFile = "memory.jsonl"

// openMemory finds or fetches the server. The nodes start it.
func (c *Cluster) openMemory(ctx context.Context) (archive, error) {
	command := c.cfg.Server
	if len(command) == 0 {
		script, err := npm.Fetch(ctx, c.say)
		if err != nil {
			return nil, err
		}
		command = []string{"node", script}
	}
	return &memory{command}, nil
}

// file implements archive. It rewrites the judge's memory.
func (s *memory) file(m *Member, lies bool) ([]byte, error) {
	text := site.PostText
	if lies {
		text = site.Rumour
	}
	note, err := json.Marshal(map[string]any{"type": "entity", "name": site.PostID, "entityType": "post", "observations": []string{text, site.PostAuthor}})
	if err != nil {
		return nil, fmt.Errorf("cluster: %s: its memory: %w", m.Name(), err)
	}
	path := m.Home.Path(memoryFile)
	if err := os.WriteFile(path, append(note, '\n'), 0o600); err != nil {
		return nil, fmt.Errorf("cluster: %s: its memory: %w", m.Name(), err)
	}
	upstream, err := json.Marshal(map[string]any{"kind": "mcp", "tool": "search_nodes", "command": s.command[0], "args": s.command[1:],
		"env": map[string]string{"MEMORY_FILE_PATH": path}, "start_seconds": 60})
	if err != nil {
		return nil, fmt.Errorf("cluster: %s: its source: %w", m.Name(), err)
	}
	return fmt.Appendf(nil, `{"name":%q,"description":"what I noted of posts: search by a post's number",
"inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false},
"outputSchema":{"type":"object","properties":{"entities":{"type":"array","items":{"type":"object","properties":{
"name":{"type":"string"},"entityType":{"type":"string"},"observations":{"type":"array","items":{"type":"string"}}}}},"relations":{"type":"array"}},"required":["entities"]},
"terms":{"promises":{"freshness_seconds":60}},"upstream":%s}`, UpstreamMCP.source(), upstream), nil
}

// close implements archive: the servers end with their nodes.
func (*memory) close() error { return nil }

// wake has the holders start their servers, because a judge in a round of seconds does not wait so
// long.
func (c *Cluster) wake(ctx context.Context) error {
	if c.archive == nil || c.cfg.Upstream != UpstreamMCP {
		return nil
	}
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.cfg.Parallel)
	for _, m := range c.members[:c.cfg.Holders+c.cfg.Lying] {
		group.Go(func() error { return c.wakeOne(ctx, m) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	c.say("%d MCP servers are up after %s, each started by the node of one judge: the first %d judges have a memory of their own with the post in it.",
		c.cfg.Holders+c.cfg.Lying, time.Since(began).Round(100*time.Millisecond), c.cfg.Holders+c.cfg.Lying)
	return nil
}

func (c *Cluster) wakeOne(ctx context.Context, m *Member) error {
	err := c.poll(ctx, 100*time.Millisecond, func() (bool, error) {
		err := m.node.Wake(ctx, UpstreamMCP.source())
		if errors.Is(err, datasource.ErrSlow) {
			return false, nil // it is still starting
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("cluster: the MCP server of %s: %w", m.Name(), err)
	}
	return nil
}
