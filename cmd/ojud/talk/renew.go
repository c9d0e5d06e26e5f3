package talk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/datasource/anex"
	"ojud/node/library"
	"ojud/node/sources"
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

// feed is a data source of the home whose answer is told.
type feed struct {
	name, request, part string
	every               time.Duration
	from                *sources.Home
}

// subscribe takes the data from a source.
func (r *room) subscribe(ctx context.Context, f feed) (err error) {
	switch {
	case r.manners.data != "":
		return cli.Usage("--data and --data-source do not go together")
	case f.every < time.Second || f.every > 24*time.Hour:
		return cli.Usage("--every is %s; write 1s to 24h", f.every)
	}
	if f.from, err = r.a.Sources(ctx); err != nil {
		return err
	}
	r.feed = &f
	if r.data, err = r.current(ctx); err != nil {
		return cli.Fail("--data-source: %v", err).Next("try it with: ojud source test " + f.name + " REQUEST")
	}
	return nil
}

// patience is how long a data source may take.
const patience = time.Minute

// current reads the data anew. An answer of a source that is no object is told by the name of the
// source.
func (r *room) current(ctx context.Context) ([]byte, error) {
	if r.feed == nil {
		return r.manners.read()
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	t, err := r.feed.from.Test(ctx, r.feed.name, []byte(r.feed.request))
	if err != nil {
		return nil, err
	}
	if !t.OK || len(t.Answer) == 0 {
		return nil, fmt.Errorf("the source %s gives no answer: %s", r.feed.name, cmp.Or(t.Problem, t.Told, "it was not asked"))
	}
	for step := range strings.FieldsFuncSeq(r.feed.part, func(c rune) bool { return c == '/' }) {
		var all map[string]json.RawMessage
		if json.Unmarshal(t.Answer, &all) != nil || all[step] == nil {
			return nil, fmt.Errorf("the answer of the source %s has no part %.100q (--part)", r.feed.name, r.feed.part)
		}
		t.Answer = all[step]
	}
	if t.Answer[0] != '{' {
		if t.Answer, err = json.Marshal(map[string]json.RawMessage{r.feed.name: t.Answer}); err != nil {
			return nil, err
		}
	}
	return anex.Spell(t.Answer, anex.MaxData)
}

// watch reads the data again at each tick. While it cannot be used, such as in the middle
// of a write, the data before stays.
func (r *room) watch(ctx context.Context, tick <-chan time.Time) {
	problem := ""
	for {
		select {
		case <-tick:
		case <-ctx.Done():
			return
		}
		data, err := r.current(ctx)
		if err != nil {
			if problem != err.Error() {
				problem = err.Error()
				r.end.Log.Warn("the data cannot be read; those before stay", "err", err)
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
