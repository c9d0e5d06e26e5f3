package mcp

import (
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ojud/agent/face"
)

// Bounds of a server over HTTP.
const (
	maxSessions = 64               // at the same time
	idleTime    = 15 * time.Minute // after which a session without a request ends
	maxEvents   = 16 << 20         // bytes of events that are kept for clients that come back
	writeTime   = 30 * time.Second // for which a client may leave what it is sent unread
)

// Handler serves the tools over streamable HTTP to clients that send the word as a bearer token. A
// client that lost a stream gets what it missed when it comes back with Last-Event-ID. A page of
// another origin is refused, even if it has the word.
func (s *Face) Handler(word string) http.Handler {
	streams := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		Logger: s.cfg.Log, SessionTimeout: idleTime, MaxRequestBodyBytes: maxMessage, EventStore: s.events,
	})
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !bearer || subtle.ConstantTimeCompare([]byte(given), []byte(word)) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the word of this server: Authorization: Bearer WORD", http.StatusUnauthorized)
		case r.Header.Get("Mcp-Session-Id") == "" && s.sessions() >= maxSessions:
			http.Error(w, "too many sessions are open; end one, or try again later", http.StatusServiceUnavailable)
		default:
			s.agreed(r)
			streams.ServeHTTP(face.Patient(w, s.patience), r)
		}
	}))
}

// versions are those of the protocol whose sessions a header names.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// agreed makes the version of a request the one that its session agreed on. Some clients name an
// older one in the header; they would get streams that cannot be resumed.
func (s *Face) agreed(r *http.Request) {
	const header = "Mcp-Protocol-Version"
	id := r.Header.Get("Mcp-Session-Id")
	if id == "" || !slices.Contains(versions, r.Header.Get(header)) {
		return
	}
	for session := range s.sdk.Sessions() {
		if p := session.InitializeParams(); session.ID() == id && p != nil && slices.Contains(versions, p.ProtocolVersion) {
			r.Header.Set(header, p.ProtocolVersion)
		}
	}
}

// store returns a store of events. If it is full, it forgets the oldest, and a client that comes
// back for these gets an error.
func store() sdk.EventStore {
	events := sdk.NewMemoryEventStore(nil)
	events.SetMaxBytes(maxEvents)
	return events
}

func (s *Face) sessions() (n int) {
	for range s.sdk.Sessions() {
		n++
	}
	return n
}
