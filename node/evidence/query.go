package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/node/network"
)

// Query is a question of a person to peers: the body of POST /v1/query. The answers are in no case
// file.
type Query struct {
	Source  string          `json:"data_source"`
	Request json.RawMessage `json:"request"` // an object, at most exchange.MaxRequest bytes
	// Case is a case in whose live round this node sits, as base58. The node then asks as the seat;
	// if it is empty, only as a judge on the Roster.
	Case string `json:"case,omitempty"`
	// Holder is the peer to ask, a did:key. Empty: two of the peers that have the source.
	Holder string `json:"holder,omitempty"`
	// MaxPrice is the highest price of each answer, in lamports. At most three answers are bought.
	// 0: nothing is spent.
	MaxPrice uint64 `json:"max_price,string"`
	// Seconds is how long the person waits, 2 to 300.
	Seconds int `json:"timeout_seconds"`
}

// Limits of a query.
const (
	minSeconds    = 2
	MaxSeconds    = 300     // of Query.Seconds
	maxAnswers    = 3       // of one query: two, and one more if they contradict each other
	maxQueryPrice = 1 << 60 // lamports
)

// The price of all answers fits into 64 bits.
const _ = uint64(maxAnswers * maxQueryPrice)

// QueryResult is the result of a Query.
type QueryResult struct {
	Source      string            `json:"data_source"`
	Request     json.RawMessage   `json:"request"` // canonical
	RequestHash casefile.Digest   `json:"request_hash"`
	Judge       casefile.Address  `json:"judge"` // authority of this node
	Asker       casefile.DID      `json:"asker"` // this node
	Case        *casefile.Address `json:"case,omitempty"`
	Round       uint8             `json:"round,omitempty"`
	Own         bool              `json:"own"` // this node has the source itself; the query did not ask it
	Answers     []QueryAnswer     `json:"answers"`
	Failures    []QueryFailure    `json:"failures"`
	Problem     string            `json:"problem,omitempty"` // why there is no answer
	Millis      int64             `json:"took_ms"`
}

// QueryAnswer is the answer of one holder. Its content is hostile: nothing here interprets it.
type QueryAnswer struct {
	Holder   casefile.DID      `json:"holder"`
	Judge    *casefile.Address `json:"holder_judge,omitempty"` // the holder's authority, if it is on the Roster
	Answer   json.RawMessage   `json:"answer"`
	Price    casefile.Amount   `json:"price"`    // lamports
	Access   []string          `json:"access"`   // the agreed access; empty: all of the answer
	Promises []string          `json:"promises"` // of both sides, as agreed
	Receipt  casefile.Receipt  `json:"receipt"`
	Hash     casefile.Digest   `json:"receipt_hash"`
	Age      int64             `json:"age_seconds"` // how long ago the holder asked its source, by two clocks
	Stale    bool              `json:"stale"`       // it is older than the holder's card promises, or much older than another one
	Disputed bool              `json:"disputed"`    // another holder answered something else
}

// QueryFailure is a holder that gave nothing usable. Without Holder, no peer with the source was
// found.
type QueryFailure struct {
	casefile.Failure
	Remedy exchange.Remedy `json:"remedy,omitempty"` // what a person can do about it
	Next   string          `json:"next,omitempty"`   // the same in words
}

// next returns the remedy of a failure for people.
func next(r exchange.Remedy) string {
	return map[exchange.Remedy]string{
		exchange.RemedyCase: "name a live case in which this node sits and whose task names the source with --case, " +
			"or have the holder's owner let every judge ask (ojud source add … --who roster --replace)",
		exchange.RemedyOwner:   "have the holder's owner add this judge to those who may ask (ojud source add … --who ADDRESS,… --replace)",
		exchange.RemedyLater:   "try again later",
		exchange.RemedyPrice:   "see the price with --list, and allow it with --max-price",
		exchange.RemedyDeposit: "put lamports into this judge's vault: ojud agent deposit",
		exchange.RemedyPromise: "see what is demanded with --list --json, and promise it: data.requester.promises in the settings of this node",
		exchange.RemedyRequest: "see what the source takes with --list --json: inputSchema on the card",
	}[r]
}

// Holding is a peer that claims to have a source.
type Holding struct {
	Holder casefile.DID      `json:"holder"`
	Judge  *casefile.Address `json:"holder_judge,omitempty"` // its authority, if it is on the Roster
	Hash   *casefile.Digest  `json:"card_hash,omitempty"`
	Card   *datasource.Card  `json:"card,omitempty"` // nil if unknown; then the peer tells its terms when it is asked
}

// These are the reasons why a query cannot be asked. The words are for people.
var (
	// ErrQuery means that the query itself is wrong.
	ErrQuery = errors.New("evidence: query")
	// ErrState means that this node cannot ask it now.
	ErrState = errors.New("evidence: not possible now")
)

// ParseQuery reads a Query and the holder that it names, if any.
func ParseQuery(raw []byte) (q Query, only *casefile.DID, err error) {
	if err := network.DecodeStrict(raw, &q); err != nil {
		return q, nil, fmt.Errorf("%w: %w", ErrQuery, err)
	}
	switch {
	case !datasource.ValidName(q.Source):
		return q, nil, fmt.Errorf("%w: data_source is no name of a source: 1 to 64 of the characters a-z 0-9 . _ : -", ErrQuery)
	case q.Seconds < minSeconds || q.Seconds > MaxSeconds:
		return q, nil, fmt.Errorf("%w: timeout_seconds is %d; set it to %d to %d", ErrQuery, q.Seconds, minSeconds, MaxSeconds)
	case q.MaxPrice > maxQueryPrice:
		return q, nil, fmt.Errorf("%w: max_price is %d lamports; set it to %d at most", ErrQuery, q.MaxPrice, uint64(maxQueryPrice))
	}
	if q.Request, err = casefile.Canonical(q.Request, exchange.MaxRequest); err != nil {
		return q, nil, fmt.Errorf("%w: request: %w", ErrQuery, err)
	}
	if q.Holder == "" {
		return q, nil, nil
	}
	var did casefile.DID
	if err := did.UnmarshalText([]byte(q.Holder)); err != nil {
		return q, nil, fmt.Errorf("%w: holder: %w", ErrQuery, err)
	}
	return q, &did, nil
}

// wait returns how long the person waits.
func (q Query) wait() time.Duration { return time.Duration(q.Seconds) * time.Second }
