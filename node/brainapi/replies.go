package brainapi

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// The limits of remembered answers.
const (
	maxReplies = 10_000
	replyTime  = 24 * time.Hour
)

// replies remembers the answers to requests with an Idempotency-Key.
type replies struct {
	mu  sync.Mutex
	all map[string]reply
}

// reply is an answer to a request. While the request is done, it has none.
type reply struct {
	request [32]byte
	at      time.Time
	done    bool
	value   any
}

// once does what a request asks for, or returns what it was answered before. Without a key it is
// done again, which does no harm: the chain takes a commitment once.
func once[T any](s *AgentAPI, a agent, key string, request []byte, do func() (T, error)) (out T, err error) {
	if key == "" {
		return do()
	}
	name, sum, now := a.key.String()+" "+key, sha256.Sum256(request), s.n.Now()
	r := &s.replies
	r.mu.Lock()
	if r.all == nil {
		r.all = map[string]reply{}
	}
	known, ok := r.all[name]
	if ok && now.Sub(known.at) > replyTime {
		ok = false
	}
	if !ok && len(r.all) >= maxReplies {
		for old, it := range r.all {
			if it.done {
				delete(r.all, old)
				break
			}
		}
	}
	if !ok {
		r.all[name] = reply{request: sum, at: now}
	}
	r.mu.Unlock()
	switch {
	case ok && known.request != sum:
		return out, huma.Error422UnprocessableEntity("this Idempotency-Key was used for another request; take a new one")
	case ok && !known.done:
		return out, huma.Error409Conflict("the request with this Idempotency-Key is being done; ask again")
	case ok:
		return known.value.(T), nil
	}
	out, err = do()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		delete(r.all, name) // it may be tried again
		return out, err
	}
	r.all[name] = reply{sum, now, true, out}
	return out, nil
}
