package datasource

import (
	"container/list"
	"sync"
	"time"
)

// cache keeps the most recently used answers, to return them again.
type cache struct {
	mu    sync.Mutex
	most  int // bytes
	bytes int
	order *list.List // of *kept, the newest first
	byKey map[string]*list.Element
}

type kept struct {
	key    string
	answer Answer
	until  time.Time
}

// overhead is the approximate size of an entry besides its body and key.
const overhead = 300

func (k *kept) size() int { return len(k.key) + len(k.answer.Body) + overhead }

func newCache(most int) *cache {
	return &cache{most: most, order: list.New(), byKey: map[string]*list.Element{}}
}

func (c *cache) get(key string) (Answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return Answer{}, false
	}
	k := e.Value.(*kept)
	if !time.Now().Before(k.until) {
		c.drop(e)
		return Answer{}, false
	}
	c.order.MoveToFront(e)
	answer := k.answer
	answer.Cached = true
	return answer, true
}

// put keeps an answer while it is fresh, unless others need the room.
func (c *cache) put(key string, answer Answer, fresh time.Duration) {
	k := &kept{key, answer, answer.FetchedAt.Add(fresh)}
	if fresh <= 0 || k.size() > c.most {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.drop(e)
	}
	c.byKey[key] = c.order.PushFront(k)
	for c.bytes += k.size(); c.bytes > c.most; {
		c.drop(c.order.Back())
	}
}

func (c *cache) drop(e *list.Element) {
	k := c.order.Remove(e).(*kept)
	delete(c.byKey, k.key)
	c.bytes -= k.size()
}
