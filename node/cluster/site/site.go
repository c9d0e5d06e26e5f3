// Package site has what the holders of a story's data source have access to: a social site on this
// machine, or the transactions of the chain.
package site

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"ojud/casefile"
	"ojud/ledger/onchain"
)

// Site is a social site with one post: a real HTTP server.
type Site struct {
	server   *http.Server
	listener net.Listener
	post     string // its number
}

// Open starts a site. /posts has a post. /rumours has another text under its number, for lying
// holders.
func Open(ctx context.Context, log *slog.Logger, post, author, text, rumour string) (*Site, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cluster: the site: %w", err)
	}
	mux := http.NewServeMux()
	for path, text := range map[string]string{"posts": text, "rumours": rumour} {
		mux.HandleFunc("GET /"+path+"/"+post, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if _, err := fmt.Fprintf(w, `{"id":%q,"author":%q,"text":%q}`, post, author, text); err != nil {
				return // the client went away
			}
		})
	}
	s := &Site{server: &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}, listener: l, post: post}
	go func() {
		if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("the site ended", "err", err)
		}
	}()
	return s, nil
}

// URL is the address of the post.
func (s *Site) URL() string { return fmt.Sprintf("http://%s/posts/%s", s.listener.Addr(), s.post) }

// Source is the file of a source of its posts.
func (s *Site) Source(name string, lies bool) []byte {
	path, addr := "posts", s.listener.Addr().String()
	if lies {
		path = "rumours"
	}
	return fmt.Appendf(nil, `{"name":%q,"description":"a post of the site, by its number",
"inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false},
"outputSchema":{"type":"object","properties":{"id":{"type":"string"},"author":{"type":"string"},"text":{"type":"string"}}},
"terms":{"promises":{"freshness_seconds":60}},
"upstream":{"kind":"http","url":"http://%s/%s/{id}","hosts":[%q],"allow_private":true,"missing":{}}}`, name, addr, path, addr)
}

// Close ends the site.
func (s *Site) Close() error {
	if err := s.server.Close(); err != nil {
		return fmt.Errorf("cluster: the site: %w", err)
	}
	return nil
}

// Transactions is the file of a source of the transactions of the node's chain.
func Transactions(name string) []byte {
	return fmt.Appendf(nil, `{"name":%q,"description":"a transaction of the chain, by its signature",
"inputSchema":{"type":"object","properties":{"signature":{"type":"string"}},"required":["signature"],"additionalProperties":false},
"terms":{"promises":{"freshness_seconds":60}},"upstream":{"kind":"solana","read":"transaction"}}`, name)
}

// Owed is the payment that the first check of a task demands, and its words.
func Owed(task []byte, from onchain.Address) (onchain.Instruction, string, error) {
	doc, err := casefile.ParseTask(task)
	if err != nil {
		return onchain.Instruction{}, "", err
	}
	if len(doc.Value.Expected) == 0 || doc.Value.Expected[0].Pays == nil {
		return onchain.Instruction{}, "", errors.New("cluster: the task demands no payment")
	}
	owed := doc.Value.Expected[0].Pays
	to, err := onchain.ParseAddress(owed.To)
	if err != nil {
		return onchain.Instruction{}, "", fmt.Errorf("cluster: the payment: %w", err)
	}
	lamports, err := strconv.ParseUint(owed.Lamports, 10, 64)
	if err != nil {
		return onchain.Instruction{}, "", fmt.Errorf("cluster: the payment: %w", err)
	}
	return onchain.Transfer(from, to, lamports), owed.Lamports + " lamports to " + owed.To, nil
}
