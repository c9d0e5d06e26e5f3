package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"ojud/datasource"
)

// Story is the dispute that Play brings before the court.
type Story string

// The stories, each an example of seed 000.
const (
	StoryEleptiger Story = "eleptiger" // a drawing that code can judge
	StoryData      Story = "data"      // a post on a social site, which only judges with access to the site can see
)

// source is the one that the story of the post is about, and the number of the post.
const (
	source = "site.post"
	postID = "1843"
)

func (c Config) checkStory() error {
	switch {
	case c.Story != StoryEleptiger && c.Story != StoryData:
		return fmt.Errorf("cluster: story is %q, set it to %q or %q", c.Story, StoryEleptiger, StoryData)
	case c.Story != StoryData && (c.Holders != 0 || c.Lying != 0):
		return fmt.Errorf("cluster: holders and lying belong to the story %q", StoryData)
	case c.Holders < 0 || c.Lying < 0 || c.Holders+c.Lying > c.Nodes-c.Absent:
		return fmt.Errorf("cluster: %d holders and %d lying ones, but %d judges are there", c.Holders, c.Lying, c.Nodes-c.Absent)
	}
	return nil
}

// site is the social site of the story: a real HTTP server on this machine.
type site struct {
	server   *http.Server
	listener net.Listener
}

// openSite starts it. /posts has what the worker posted; /rumours says something else, for holders that lie.
func openSite(ctx context.Context, log *slog.Logger) (*site, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cluster: the site: %w", err)
	}
	mux := http.NewServeMux()
	for path, text := range map[string]string{"posts": "Osiris is live.", "rumours": "Nothing to see here."} {
		mux.HandleFunc("GET /"+path+"/"+postID, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if _, err := fmt.Fprintf(w, `{"id":%q,"author":"worker","text":%q}`, postID, text); err != nil {
				return // the asker went away
			}
		})
	}
	s := &site{server: &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}, listener: l}
	go func() {
		if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("the site ended", "err", err)
		}
	}()
	return s, nil
}

func (s *site) close() error {
	if err := s.server.Close(); err != nil {
		return fmt.Errorf("cluster: the site: %w", err)
	}
	return nil
}

// offer writes the source file of a judge that has access to the site, and removes that of an earlier story from others.
func (c *Cluster) offer(m *Member) error {
	dir := m.Home.Path(c.cfg.Node.Sources.Dir)
	path := c.cfg.sourcePath(m.Number)
	if path == "" || c.site == nil {
		if err := datasource.Remove(dir, source); err != nil && !errors.Is(err, datasource.ErrUnknown) && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("cluster: %s: %w", m.Name(), err)
		}
		return nil
	}
	s, err := datasource.Parse(fmt.Appendf(nil, `{"name":%q,"description":"a post of the site, by its number",
"inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false},
"outputSchema":{"type":"object","properties":{"id":{"type":"string"},"author":{"type":"string"},"text":{"type":"string"}}},
"terms":{"promises":{"freshness_seconds":60}},
"upstream":{"kind":"http","url":"http://%s/%s/{id}","hosts":[%q],"allow_private":true,"missing":{}}}`,
		source, c.site.listener.Addr(), path, c.site.listener.Addr().String()))
	if err == nil {
		err = datasource.Write(dir, s)
	}
	if err != nil {
		return fmt.Errorf("cluster: %s: source %s: %w", m.Name(), source, err)
	}
	return nil
}

// sourcePath is what of the site the judge with that number sees; empty: nothing. The first judges hold the source.
func (c Config) sourcePath(number int) string {
	switch {
	case c.Story != StoryData || number > c.Holders+c.Lying:
		return ""
	case number > c.Holders:
		return "rumours"
	}
	return "posts"
}
