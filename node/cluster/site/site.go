// Package site has what the holders of a story's data source have access to: a social site on this
// machine, or the transactions of the chain.
package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"ojud/casefile"
	"ojud/ledger/onchain"
)

// PageKind is what a site shows.
type PageKind string

// The kinds.
const (
	posts PageKind = "posts" // with number, author and text
	dated PageKind = "dated" // with the time, too
	files PageKind = "files" // as they are
)

// PageKindOf is what the site of a story shows; empty if the story has no site.
func PageKindOf(story string) PageKind {
	return map[string]PageKind{"data": posts, "dated": dated, "file": files}[story]
}

// The names of the sources.
const (
	PostSource = "site.post"
	FileSource = "site.file"
)

// The post, and the text that lying holders give.
const (
	PostID     = "1843"
	PostText   = "Osiris is live."
	PostAuthor = "worker"
	Rumour     = "Nothing to see here."
)

// The time of the post, and the file.
const (
	postedAt  = "2026-03-03T09:30:00Z"
	fileName  = "table-107.csv"
	fileBytes = "id,amount\n107,0.25\n108,1.5\n"
)

// Site is a site with one post or file: a real HTTP server.
type Site struct {
	server   *http.Server
	listener net.Listener
	kind     PageKind
}

// Open starts a site. /rumours has another text under the name of the post or file, for lying
// holders.
func Open(ctx context.Context, log *slog.Logger, kind PageKind) (*Site, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cluster: the site: %w", err)
	}
	s := &Site{listener: l, kind: kind}
	mux := http.NewServeMux()
	for folder, text := range map[string]string{"": "", "/rumours": Rumour} {
		mux.HandleFunc("GET "+folder+s.path(), func(w http.ResponseWriter, _ *http.Request) {
			as, body := s.page(text)
			w.Header().Set("Content-Type", as)
			if _, err := io.WriteString(w, body); err != nil {
				return // the client went away
			}
		})
	}
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("the site ended", "err", err)
		}
	}()
	return s, nil
}

// page is what the site shows, with another text unless it is empty, and its type.
func (s *Site) page(other string) (as, body string) {
	switch s.kind {
	case files:
		return "text/csv; charset=utf-8", cmp.Or(other, fileBytes)
	case dated:
		return "application/json", fmt.Sprintf(`{"id":%q,"author":%q,"text":%q,"at":%q}`, PostID, PostAuthor, cmp.Or(other, PostText), postedAt)
	}
	return "application/json", fmt.Sprintf(`{"id":%q,"author":%q,"text":%q}`, PostID, PostAuthor, cmp.Or(other, PostText))
}

func (s *Site) path() string {
	return "/" + string(s.kind) + "/" + map[bool]string{true: fileName, false: PostID}[s.kind == files]
}

// URL is the address of the post or the file.
func (s *Site) URL() string { return "http://" + s.listener.Addr().String() + s.path() }

// Source is the file of a source of what the site shows.
func (s *Site) Source(lies bool) []byte {
	folder, addr := string(s.kind), s.listener.Addr().String()
	if lies {
		folder = "rumours/" + folder
	}
	name, about, member, shows := PostSource, "a post of the site, by its number", "id", `,"id":{"type":"string"},"author":{"type":"string"},"at":{"type":"string"}`
	if s.kind == files {
		name, about, member, shows = FileSource, "a text file of the site, by its name", "name", ""
	}
	return fmt.Appendf(nil, `{"name":%q,"description":%q,
"inputSchema":{"type":"object","properties":{%q:{"type":"string"}},"required":[%[3]q],"additionalProperties":false},
"outputSchema":{"type":"object","properties":{"text":{"type":"string"}%s}},
"terms":{"promises":{"freshness_seconds":60}},
"upstream":{"kind":"http","url":"http://%s/%s/{%[3]s}","hosts":[%[5]q],"allow_private":true,"missing":{}}}`, name, about, member, shows, addr, folder)
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
