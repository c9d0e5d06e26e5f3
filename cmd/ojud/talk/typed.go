package talk

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ojud/agent/talk"
	"ojud/agent/talk/owner"
)

// maxTyped is the longest line that a person may type.
const maxTyped = 1 << 20

// read hands what people type to conversations. A line may begin with the number of one.
func (r *room) read(ctx context.Context, in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxTyped)
	for ctx.Err() == nil && lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if line == "help" {
			r.mu.Lock()
			_, _ = fmt.Fprintln(r.a.Err, owner.Commands)
			r.mu.Unlock()
			continue
		}
		c, rest, why := r.addressed(ctx, line)
		if c == nil {
			r.mu.Lock()
			_, _ = fmt.Fprintln(r.a.Err, why)
			r.mu.Unlock()
			continue
		}
		c.typed(ctx, rest)
	}
}

// addressed finds the conversation of a line, or says why there is none. It waits for the first
// one. A line without a number never goes to a conversation that the person did not choose: with
// several open, or if another one is over, somebody else would get what was meant for that one.
func (r *room) addressed(ctx context.Context, line string) (c *conversation, rest, why string) {
	select {
	case <-ctx.Done():
		return nil, "", "the command ends"
	case <-r.begun:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	word, rest, _ := strings.Cut(line, " ")
	if n, err := strconv.Atoi(word); err == nil {
		if c = r.all[n]; c == nil {
			return nil, "", fmt.Sprintf("the conversation %d is not open; %s", n, r.open())
		}
		r.chosen = n
		if rest = strings.TrimSpace(rest); rest == "" {
			return nil, "", fmt.Sprintf("%d is with %s; type %d and what you say", n, c.peer, n)
		}
		return c, rest, ""
	}
	switch c = r.all[r.chosen]; {
	case len(r.all) == 0:
		return nil, "", r.open()
	case c == nil || len(r.all) > 1:
		return nil, "", "nothing is said: write the number of the conversation first; " + r.open()
	}
	return c, line, ""
}

// open lists the conversations that are open.
func (r *room) open() string {
	if len(r.all) == 0 {
		return "no conversation is open"
	}
	const most = 8
	text := "open are"
	for i, n := range slices.Sorted(maps.Keys(r.all)) {
		if i == most {
			return fmt.Sprintf("%s and %d more", text, len(r.all)-most)
		}
		text += fmt.Sprintf(" %d with %s;", n, r.all[n].peer)
	}
	return strings.TrimSuffix(text, ";")
}

// typed says what a person typed.
func (c *conversation) typed(ctx context.Context, line string) {
	c.mu.Lock()
	said, err := c.owner.ReadLine(line)
	if unseen := len(c.unseen); err == nil && said.Binds && unseen > 0 {
		err = fmt.Errorf("%d bytes of the terms were not shown; type %d show", unseen, c.number)
	}
	c.mu.Unlock()
	if err == nil && said.Show {
		c.mu.Lock()
		rest := c.unseen
		c.mu.Unlock()
		if rest == "" {
			rest = "all of it was shown"
		}
		c.page("show", rest, "")
		return
	}
	if err != nil {
		c.tell("refused", err.Error(), nil)
		return
	}
	if a := said.Signs; a != nil {
		if raw, err := a.Terms(); err == nil {
			c.tell("sign", "with "+c.peer+": "+cut(string(raw)), raw)
		}
	}
	if said.Await != "" {
		c.await(ctx, said.Await)
		return
	}
	select {
	case c.moves <- said.Move:
	case <-c.over:
	case <-ctx.Done():
	}
}

// await waits until something is heard that was not awaited before.
func (c *conversation) await(ctx context.Context, what talk.What) {
	for {
		c.mu.Lock()
		for len(c.whats) > 0 {
			first := c.whats[0]
			c.whats = c.whats[1:]
			if first == what {
				c.mu.Unlock()
				return
			}
		}
		if c.news == nil {
			c.news = make(chan struct{})
		}
		news := c.news
		c.mu.Unlock()
		select {
		case <-news:
		case <-c.over:
			return
		case <-ctx.Done():
			return
		}
	}
}
