package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/node"
	"ojud/node/evidence"
	"ojud/voting"
)

// QueryView is the result of a query, with this program's own check of the receipts.
type QueryView struct {
	evidence.QueryResult
	Answers []AnswerView `json:"answers"`
}

// AnswerView is an answer with the check of its receipt.
type AnswerView struct {
	evidence.QueryAnswer
	Check string `json:"check"` // ReceiptGood, or what does not hold
}

// ReceiptGood is the Check of a receipt that the holder signed for this network, over this request
// and this answer.
const ReceiptGood = "good"

// maxAnswer bounds the bytes of a node's answer: three answers to a query with their receipts, or
// all payments.
const maxAnswer = 16 << 20

// querySlack is the time that the program waits longer than the query may take.
const querySlack = 15 * time.Second

// Query makes the node ask peers for a source. Query checks the receipts itself, against the court
// of network, so that it need not trust the node.
func (n *Node) Query(ctx context.Context, network node.Descriptor, q evidence.Query) (QueryView, error) {
	domain, err := network.Domain()
	if err != nil {
		return QueryView{}, err
	}
	body, err := json.Marshal(q)
	if err != nil {
		return QueryView{}, fmt.Errorf("api: query: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(q.Seconds)*time.Second+querySlack)
	defer cancel()
	var r evidence.QueryResult
	if err := n.read(ctx, http.MethodPost, "/v1/query", body, &r); err != nil {
		return QueryView{}, err
	}
	return Checked(r, domain), nil
}

// Checked checks the receipts of a result against a court.
func Checked(r evidence.QueryResult, domain voting.Domain) QueryView {
	v := QueryView{QueryResult: r, Answers: []AnswerView{}}
	for _, a := range r.Answers {
		v.Answers = append(v.Answers, AnswerView{a, check(r, a, domain)})
	}
	return v
}

// Holders lists the peers that announce a source.
func (n *Node) Holders(ctx context.Context, source string) (all []evidence.Holding, err error) {
	return all, n.read(ctx, http.MethodGet, "/v1/holders?data_source="+url.QueryEscape(source), nil, &all)
}

// maxSources is how many sources Sources asks for.
const maxSources = 100

// Sources names the sources that nodes of the court announce, those with the most staked judges
// first.
func (n *Node) Sources(ctx context.Context) (names []string, err error) {
	var list struct {
		Sources []struct {
			Source string `json:"source"`
		} `json:"sources"`
	}
	if err := n.read(ctx, http.MethodGet, fmt.Sprintf("/v1/sources?limit=%d", maxSources), nil, &list); err != nil {
		return nil, err
	}
	for _, s := range list.Sources {
		names = append(names, s.Source)
	}
	return names, nil
}

// check compares a receipt with the request and the answer.
func check(r evidence.QueryResult, a evidence.QueryAnswer, d voting.Domain) string {
	hash, err := a.Receipt.Hash()
	if err != nil {
		return "has no canonical form"
	}
	if err := a.Receipt.Verify(d); err != nil {
		return strings.TrimPrefix(err.Error(), "receipt: ")
	}
	for _, part := range []struct {
		name string
		same bool
	}{
		{"holder", a.Receipt.Holder == a.Holder}, {"source", a.Receipt.Source == r.Source}, {"asker", a.Receipt.Asker == r.Asker},
		{"judge", a.Receipt.Judge == r.Judge}, {"request", names(a.Receipt.Request, r.Request)}, {"answer", names(a.Receipt.Response, a.Answer)},
		{"price", a.Receipt.Price == a.Price}, {"hash", hash == voting.Hash(a.Hash)}, {"task", a.Receipt.Case == caseOf(r)},
	} {
		if !part.same {
			return "is of another " + part.name
		}
	}
	return ReceiptGood
}

// caseOf is the case or task of a query; zero: none.
func caseOf(r evidence.QueryResult) casefile.Address {
	if r.Case == nil {
		return casefile.Address{}
	}
	return *r.Case
}

// names reports whether a hash is the hash of the canonical form of some JSON.
func names(hash casefile.Digest, raw []byte) bool {
	canonical, err := canon.JSON(raw, casefile.MaxBlob)
	return err == nil && casefile.HashOf(canonical) == voting.Hash(hash)
}

// read asks the node and reads its answer into a value.
func (n *Node) read(ctx context.Context, method, path string, body []byte, into any) error {
	raw, err := n.ask(ctx, method, path, body, maxAnswer)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("api: node at %s: %w", n.address, err)
	}
	return nil
}

// ask asks the node with the API key of its home, for at most askTime if ctx has no end of its
// own.
func (n *Node) ask(ctx context.Context, method, path string, body []byte, limit int64) ([]byte, error) {
	if _, ends := ctx.Deadline(); !ends {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, askTime)
		defer cancel()
	}
	key, err := os.ReadFile(filepath.Join(n.home, "api.key"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotRunning, err)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+n.address+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("api: node at %s: %w", n.address, err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(key)))
	answer, err := n.http.Do(r)
	var unreachable *net.OpError
	if errors.As(err, &unreachable) && unreachable.Op == "dial" {
		return nil, fmt.Errorf("%w: no program answers at %s, where one ran; start it with: ojud run", ErrNotRunning, n.address)
	}
	if err != nil {
		return nil, fmt.Errorf("api: node at %s: %w", n.address, err)
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return nil, fmt.Errorf("api: node at %s: %w", n.address, err)
	}
	return raw, n.accept(answer, raw, limit)
}

// accept returns the error in an answer of the node, or nil for a success of at most limit bytes.
func (n *Node) accept(answer *http.Response, raw []byte, limit int64) error {
	var said struct {
		Error string `json:"error"`
	}
	switch {
	case int64(len(raw)) > limit:
		return fmt.Errorf("api: node at %s: the answer is larger than %d bytes", n.address, limit)
	case answer.StatusCode == http.StatusOK:
		return nil
	case json.Unmarshal(raw, &said) == nil && said.Error != "":
		return fmt.Errorf("api: the node says: %s", said.Error)
	}
	return fmt.Errorf("api: node at %s: %s: %.300q", n.address, answer.Status, raw)
}
