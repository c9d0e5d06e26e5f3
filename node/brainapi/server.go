package brainapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/megabrain/memory/remote"
	"ojud/node/brainview"
	"ojud/node/megabrain"
)

// Hand acts with one key: *megabrain.Desk.
type Hand interface {
	Commit(ctx context.Context, at onchain.Address, result []byte, summary string, proof []byte) (megabrain.Spoken, error)
	Evaluate(ctx context.Context, at onchain.Address, scores []megabrain.Score, document []byte, metadata string) (megabrain.Spoken, error)
	Find(ctx context.Context, at onchain.Address, g megabrain.Gaps) (megabrain.Found, error)
	Dispute(ctx context.Context, f megabrain.Found, rationale string) (megabrain.Disputed, error)
	Give(ctx context.Context, at onchain.Address, content []byte) (nodes int, err error)
}

// TaskView reads tasks: *brainview.TaskReader.
type TaskView interface {
	Tasks(ctx context.Context) (brainview.List, error)
	Task(ctx context.Context, at onchain.Address) (brainview.Detail, error)
	Anew(ctx context.Context, at onchain.Address) (brainview.Detail, error)
	Members(ctx context.Context) ([]brainview.Membership, error)
	Acting(ctx context.Context) (map[string][]string, error)
	File(ctx context.Context, at onchain.Address, hash [32]byte) ([]byte, finding.Attachment, error)
}

// Means are what a server works with.
type Means struct {
	View  TaskView
	Hands map[onchain.Address]Hand // by the keys with which the server acts
	// Appeal brings a golden task to the court with one of these keys.
	Appeal func(ctx context.Context, key onchain.Address, g megabrain.Grievance) (megabrain.Contested, error)
	// Embed asks the embedding of a task's class for the vectors of its results, by worker. Nil:
	// agents bring them.
	Embed  func(ctx context.Context, key, at onchain.Address, scores []megabrain.Score) (map[string]json.RawMessage, error)
	Folder megabrain.Folder // keeps attachments and scores
	Secret []byte           // signs tokens; 32 bytes
	Life   time.Duration    // of a token
	Now    func() time.Time
	Log    *slog.Logger
	Names  []string // by which clients ask, such as brain.example; addresses need none
}

// AgentAPI answers requests.
type AgentAPI struct {
	n       Means
	mux     *http.ServeMux
	api     huma.API
	own     room // of agents that the server acts for
	others  room
	start   time.Time
	names   names
	replies replies
	drafts  drafts
}

// New returns a server.
func New(n Means) *AgentAPI {
	s := &AgentAPI{n: n, mux: http.NewServeMux(), own: newRoom(maxOwn, ownViewers), others: newRoom(maxOthers, otherViewers), start: n.Now(), drafts: drafts{folder: n.Folder}}
	c := huma.DefaultConfig("MegaBrain of ojud", "1")
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = root+"/openapi", "", ""
	c.CreateHooks = nil // answers are exactly as the specification writes them, without $schema
	c.Info.Description = "The agent API of the MegaBrain Protocol (C.6). Identifiers are 0x and 64 hexadecimal digits: the 32 bytes of an account or a key of Solana."
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{bearer: {Type: "http", Scheme: "bearer", BearerFormat: "JWT"}}
	s.api = humago.New(s.mux, c)
	s.api.UseMiddleware(s.authenticate)
	s.register()
	s.listing()
	s.handing()
	s.scoring()
	s.reading()
	s.following()
	return s
}

const (
	root   = "/api/v1"
	bearer = "bearer"
)

// op is an operation that needs a token.
func op(method, path, id, summary string, tags ...string) huma.Operation {
	return huma.Operation{
		Method: method, Path: root + path, OperationID: id, Summary: summary, Tags: tags, MaxBodyBytes: maxBody, BodyReadTimeout: bodyTime,
		Security: []map[string][]string{{bearer: {}}}, Errors: []int{http.StatusUnauthorized, http.StatusConflict, http.StatusServiceUnavailable},
	}
}

// OpenAPI is the description of the API, in JSON.
func (s *AgentAPI) OpenAPI() ([]byte, error) { return s.api.OpenAPI().MarshalJSON() }

// problem answers as RFC 9457 says.
func problem(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code)
	_, _ = fmt.Fprintf(w, "{\"title\":%q,\"status\":%d,\"detail\":%q}\n", http.StatusText(code), code, strings.ToValidUTF8(text, "?")) // the client is gone
}

// Run serves on a listener until ctx ends. The Host of a request has to be an address, of this
// machine if the listener is for it alone, or one of the server's names.
func (s *AgentAPI) Run(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: s.hosted(l.Addr().String()), ReadHeaderTimeout: headTime, WriteTimeout: writeTime, IdleTimeout: idleTime, MaxHeaderBytes: 16 << 10, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := server.Shutdown(late); err != nil {
			s.n.Log.Debug("brain api", "err", errors.Join(err, server.Close()))
		}
	})
	defer stop()
	err := server.Serve(remote.Doors(l, maxConns, eachConns))
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("brainapi: %w", err)
}

// refused says why the chain, or this machine, does not do what was asked.
func refused(err error) error {
	switch {
	case errors.Is(err, brainview.ErrNone):
		return huma.Error404NotFound(err.Error())
	case errors.Is(err, ledger.ErrUnavailable), errors.Is(err, ledger.ErrRateLimited), errors.Is(err, context.DeadlineExceeded):
		return huma.Error503ServiceUnavailable("the chain does not answer now; ask again: " + err.Error())
	}
	var denied brain.Denial
	if errors.As(err, &denied) {
		return huma.Error409Conflict("the program refused: " + err.Error())
	}
	return huma.Error409Conflict(err.Error())
}
