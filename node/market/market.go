// Package market reads what is for work in a court: the tasks that are not over, with what they
// order, what a claim gets now, and what comes next.
//
// It asks the chain for lists, which are long and may be refused, so its caller should ask seldom
// and show the last answer meanwhile. The words of a task are those of a stranger: who shows them
// makes them harmless.
package market

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/tokens"
	"ojud/voting"
)

// Lister is what the market needs of the chain.
type Lister interface {
	// Heads lists the program's accounts of one type and one status, with length bytes of each.
	Heads(ctx context.Context, account string, having ledger.Filter, offset, length int) ([]*ledger.Account, error)
	Accounts(ctx context.Context, all ...onchain.Address) (found []*ledger.Account, slot uint64, err error)
	// Clock returns the chain's time, and that of auctions, in Unix seconds.
	Clock(ctx context.Context) (now, market int64, err error)
}

// Listing is a task that is not over.
type Listing struct {
	Task    voting.Key
	Terms   *program.Task
	Price   uint64   // lamports: of the claim; without one, what a claim gets now
	Pledge  *Pledge  // tokens beside the reward; nil: none
	Subject string   // the first instruction; empty: the document is not here
	Sources []string // of data that the task names
}

// Has reports whether each of some words stands in the subject, in the name of a source, or is a
// part of the address of the task or of its parties.
func (o Listing) Has(text string) bool {
	all := strings.ToLower(strings.Join(append([]string{o.Subject}, o.Sources...), " "))
	for _, word := range strings.Fields(text) {
		in := func(key [32]byte) bool { return strings.Contains(casefile.Address(key).String(), word) }
		if !strings.Contains(all, strings.ToLower(word)) && !in(o.Task) && !in(o.Terms.Creator) && !in(o.Terms.Worker) {
			return false
		}
	}
	return true
}

// Market is the market at a time of the chain. Offers are newest first.
type Market struct {
	Now    int64 // Unix seconds
	Offers []Listing
	Left   int // tasks that are not listed, because there are too many
}

// The limits of a look at the market.
const (
	maxOffers = 2_000
	maxFetch  = 32                      // documents that are asked for in one look
	atOnce    = 8                       // of them
	patience  = 1500 * time.Millisecond // for all of them
	retry     = time.Minute             // before a document that nobody sent is asked for again
	maxKept   = 4_000                   // documents whose words are remembered
	fresh     = 5 * time.Second         // how long Latest shows an answer again
)

// Reader reads the market. It is safe for concurrent use.
type Reader struct {
	chain Lister
	words *Words
	mints map[onchain.Address]*tokens.Mint // only the goroutine that reads uses it

	reading chan struct{} // holds a token while Latest reads
	last    Market
	at      time.Time
}

// New returns a reader. fetch gets a document by its hash, from this node or from others.
func New(c Lister, fetch func(ctx context.Context, hash voting.Hash) ([]byte, error)) *Reader {
	return &Reader{chain: c, words: NewWords(fetch), mints: map[onchain.Address]*tokens.Mint{}, reading: make(chan struct{}, 1)}
}

// open returns the statuses of tasks that are not over.
func open() []program.TaskStatus {
	return []program.TaskStatus{program.Created, program.Claimed, program.InProgress, program.Verification, program.Disputed, program.Judiciary}
}

// Latest is Read, or its last answer if that is younger than fresh.
func (r *Reader) Latest(ctx context.Context) (Market, error) {
	select {
	case r.reading <- struct{}{}:
		defer func() { <-r.reading }()
	case <-ctx.Done():
		return Market{}, ctx.Err()
	}
	if !r.at.IsZero() && time.Since(r.at) < fresh {
		return r.last, nil
	}
	m, err := r.Read(ctx)
	if err == nil {
		r.last, r.at = m, time.Now()
	}
	return m, err
}

// Read looks at the market. The error is that of the chain. A document that no node sends in time
// leaves its task without words.
func (r *Reader) Read(ctx context.Context) (Market, error) {
	now, market, err := r.chain.Clock(ctx)
	if err != nil {
		return Market{}, err
	}
	m := Market{Now: now}
	for _, status := range open() {
		all, err := r.chain.Heads(ctx, "Task", ledger.Filter{Offset: ledger.StatusOffset, Bytes: []byte{uint8(status)}}, 0, program.TaskSize)
		if err != nil {
			return Market{}, err
		}
		for _, a := range all {
			t, err := program.DecodeTask(a.Data)
			if err != nil || t.Status != status || t.IsDispute() {
				continue // it changed meanwhile, so that the next look has it, or nobody works on it
			}
			price, err := t.Offer().Price(market)
			if err != nil {
				continue // a task that cannot be priced cannot be claimed
			}
			m.Offers = append(m.Offers, Listing{Task: voting.Key(a.Address), Terms: t, Price: price})
		}
	}
	slices.SortFunc(m.Offers, func(a, b Listing) int {
		return cmp.Or(cmp.Compare(b.Terms.CreatedAt, a.Terms.CreatedAt), slices.Compare(a.Task[:], b.Task[:]))
	})
	m.Left = max(0, len(m.Offers)-maxOffers)
	m.Offers = m.Offers[:len(m.Offers)-m.Left]
	pledges, err := r.pledges(ctx)
	if err != nil {
		return Market{}, err
	}
	hashes := make([]voting.Hash, len(m.Offers))
	for i, o := range m.Offers {
		hashes[i], m.Offers[i].Pledge = o.Terms.TaskHash, pledges[onchain.Address(o.Task)]
	}
	r.words.Learn(ctx, hashes)
	for i, hash := range hashes {
		m.Offers[i].Subject, m.Offers[i].Sources, _ = r.words.Of(hash)
	}
	return m, nil
}
