package talk

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"ojud/datasource/anex"
	"ojud/node/library"
)

// read reads the file of --data; nil: there is none.
func (m manners) read() ([]byte, error) {
	if m.data == "" {
		return nil, nil
	}
	data, err := library.ReadFile(m.data, anex.MaxData)
	if err == nil {
		data, err = anex.Spell(data, anex.MaxData)
	}
	if err == nil && data[0] != '{' {
		err = fmt.Errorf("%s is no JSON object", m.data)
	}
	return data, err
}

// watch reads the file of --data again at each tick. While it cannot be used, such as in the middle
// of a write, the data before stays.
func (r *room) watch(ctx context.Context, tick <-chan time.Time) {
	problem := ""
	for {
		select {
		case <-tick:
		case <-ctx.Done():
			return
		}
		data, err := r.manners.read()
		if err != nil {
			if problem != err.Error() {
				problem = err.Error()
				r.end.Log.Warn("the file of --data cannot be used; the data before it stays", "err", err)
			}
			continue
		}
		problem = ""
		r.mu.Lock()
		if !bytes.Equal(data, r.data) {
			r.data = data
			close(r.renewed)
			r.renewed = make(chan struct{})
		}
		r.mu.Unlock()
	}
}

// renew tells the subscribers of a conversation what changed, until it is over. A conversation that
// is slow hears the newest data alone.
func (c *conversation) renew(ctx context.Context) {
	for {
		c.room.mu.Lock()
		data, renewed := c.room.data, c.room.renewed
		c.room.mu.Unlock()
		c.mu.Lock()
		moves := c.owner.Renew(data)
		c.mu.Unlock()
		for _, m := range moves {
			select {
			case c.moves <- m:
			case <-c.over:
				return
			case <-ctx.Done():
				return
			}
		}
		select {
		case <-renewed:
		case <-c.over:
			return
		case <-ctx.Done():
			return
		}
	}
}

// expire deletes what was said longer ago than it is kept, each hour.
func (r *room) expire(ctx context.Context, keep time.Duration) {
	look := time.NewTicker(time.Hour)
	defer look.Stop()
	for {
		select {
		case now := <-look.C:
			if err := r.store.expire(now.Add(-keep)); err != nil {
				r.end.Log.Warn("what was said before cannot be deleted; it is tried again in an hour", "err", err)
			}
		case <-ctx.Done():
			return
		}
	}
}
