package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// site is the social site of the story: a real HTTP server on this machine.
type site struct {
	server   *http.Server
	listener net.Listener
}

// openSite starts the site. /posts has the worker's post. /rumours has another text, for lying
// holders.
func openSite(ctx context.Context, log *slog.Logger) (*site, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cluster: the site: %w", err)
	}
	mux := http.NewServeMux()
	for path, text := range map[string]string{"posts": postText, "rumours": rumour} {
		mux.HandleFunc("GET /"+path+"/"+postID, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if _, err := fmt.Fprintf(w, `{"id":%q,"author":%q,"text":%q}`, postID, postAuthor, text); err != nil {
				return // the client went away
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

// file implements archive.
func (s *site) file(_ *Member, lies bool) ([]byte, error) {
	path, addr := "posts", s.listener.Addr().String()
	if lies {
		path = "rumours"
	}
	return fmt.Appendf(nil, `{"name":%q,"description":"a post of the site, by its number",
"inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false},
"outputSchema":{"type":"object","properties":{"id":{"type":"string"},"author":{"type":"string"},"text":{"type":"string"}}},
"terms":{"promises":{"freshness_seconds":60}},
"upstream":{"kind":"http","url":"http://%s/%s/{id}","hosts":[%q],"allow_private":true,"missing":{}}}`,
		UpstreamHTTP.source(), addr, path, addr), nil
}

// close implements archive.
func (s *site) close() error {
	if err := s.server.Close(); err != nil {
		return fmt.Errorf("cluster: the site: %w", err)
	}
	return nil
}
