package node

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"ojud/datasource"
	"ojud/datasource/exchange"
)

// apiKeyFile has the word that a program shows to have the node ask peers: who can read the home may. It is another one after each start.
const apiKeyFile = "api.key"

const (
	queriesAtOnce = 4
	maxQueryBody  = 2 * exchange.MaxRequest // bytes
	answerTime    = 10 * time.Second        // to write an answer
)

// queries are what people ask peers through this node.
type queries struct {
	key  string
	room chan struct{}
}

// openQueries makes the key. The returned function removes it.
func (n *Node) openQueries() (closing func() error, err error) {
	path := n.home.Path(apiKeyFile)
	n.queries = queries{key: rand.Text(), room: make(chan struct{}, queriesAtOnce)}
	return func() error { return os.Remove(path) }, writeFile(path, []byte(n.queries.key+"\n"))
}

// guarded lets a request pass that shows the key, if there is room, and gives it the time that it needs.
func (n *Node) guarded(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		want := "Bearer " + n.queries.key
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte(want)) != 1 {
			n.refuse(w, http.StatusUnauthorized, "this takes the word in the file "+apiKeyFile+" of the node's home: Authorization: Bearer WORD")
			return
		}
		select {
		case n.queries.room <- struct{}{}:
			defer func() { <-n.queries.room }()
		default:
			n.refuse(w, http.StatusTooManyRequests, "this node is asking for others; try again in a moment")
			return
		}
		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(mostWait*time.Second + answerTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			n.refuse(w, http.StatusInternalServerError, err.Error())
			return
		}
		serve(w, r)
	}
}

// serveQuery is POST /v1/query.
func (n *Node) serveQuery(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxQueryBody))
	if err != nil {
		n.refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	q, only, err := parseQuery(raw)
	if err != nil {
		n.refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	result, err := n.query(r.Context(), q, only)
	switch {
	case errors.Is(err, errQuery):
		n.refuse(w, http.StatusBadRequest, err.Error())
	case errors.Is(err, errState):
		n.refuse(w, http.StatusConflict, err.Error())
	case err != nil:
		n.refuse(w, http.StatusInternalServerError, err.Error())
	default:
		n.reply(w, http.StatusOK, result)
	}
}

// serveHolders is GET /v1/holders?data_source=NAME.
func (n *Node) serveHolders(w http.ResponseWriter, r *http.Request) {
	source := r.URL.Query().Get("data_source")
	if !datasource.ValidName(source) {
		n.refuse(w, http.StatusBadRequest, "data_source is no name of a source: 1 to 64 of the characters a-z 0-9 . _ : -")
		return
	}
	n.reply(w, http.StatusOK, n.Holdings(r.Context(), source))
}
