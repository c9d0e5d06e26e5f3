package meeting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"ojud/agent/delegation"
	"ojud/datasource/anex"
)

// Frames is a connection to a peer that is proven.
type Frames interface {
	// Read returns the next frame, of at most anex.MaxInform bytes.
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, frame []byte) error
}

// Owner is who takes part.
type Owner interface {
	// Entry stores and shows an entry. It is called before others get it. If it fails, the
	// meeting is over.
	Entry(raw []byte, h Noted) error
	// Refused is told why a remark was not made.
	Refused(err error)
}

const (
	writeTime = 30 * time.Second // for a peer to read one entry
	carryTime = 30 * time.Second // for the convener to carry a remark, and to begin
	lastTime  = 5 * time.Second  // for members to read the last entries
)

// Table is the side of a meeting to which the members come.
type Table struct {
	key   delegation.Signer
	owner Owner

	mu      sync.Mutex
	minutes *Minutes
	entries [][]byte
	more    chan struct{} // closed when there is another entry
	here    map[string]bool
	gone    chan struct{} // closed when a member's connection is over
	fault   error
}

// Convene opens a meeting.
func Convene(key delegation.Signer, o Opening, owner Owner, now time.Time) (*Table, error) {
	until, err := time.Parse(time.RFC3339, o.Until)
	if err != nil || !until.After(now) || until.After(now.Add(MaxTime)) {
		return nil, fmt.Errorf("%w: a meeting lasts at most %s", errRule, MaxTime)
	}
	c := &Table{key: key, owner: owner, minutes: newMinutes(key.Principal().String()), more: make(chan struct{}), gone: make(chan struct{}), here: map[string]bool{}}
	content, err := json.Marshal(map[string]Opening{"opening": o})
	if err != nil {
		return nil, err
	}
	return c, c.Say(anex.Message{Performative: anex.ActInform, Protocol: protocol, Content: content})
}

// ID is the hash by which members know the meeting.
func (c *Table) ID() string { return c.minutes.ID() }

// Minutes calls a function with the minutes, which it must not keep.
func (c *Table) Minutes(see func(*Minutes)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	see(c.minutes)
}

// Say says something as the convener.
func (c *Table) Say(x anex.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.say(x)
}

func (c *Table) say(x anex.Message) error {
	raw, err := c.minutes.Say(c.key, x)
	if err != nil {
		return err
	}
	return c.order(c.key.Principal().String(), raw)
}

// order carries a remark to all.
func (c *Table) order(from string, said []byte) error {
	raw, h, err := c.minutes.Order(c.key, from, said, time.Now().UnixMilli())
	if err != nil {
		return err
	}
	if c.fault = errors.Join(c.fault, c.owner.Entry(raw, h)); c.fault != nil {
		c.minutes.closed = true // what is not stored is not carried
	} else {
		c.entries = append(c.entries, raw)
	}
	close(c.more)
	c.more = make(chan struct{})
	return c.fault
}

// Close says that the meeting is over.
func (c *Table) Close(why string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.minutes.Closed() {
		return c.fault
	}
	content, err := json.Marshal(map[string]string{"message": why})
	if err != nil {
		return err
	}
	return c.say(anex.Message{Performative: anex.ActInform, Protocol: anex.Termination, Content: content})
}

// Remove tells all that a member is out.
func (c *Table) Remove(who, why string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	content, err := json.Marshal(map[string]string{"member": who, "message": fmt.Sprintf("%.300s", why)})
	if err != nil || c.minutes.Closed() || c.minutes.Out(who) {
		return err
	}
	return c.say(anex.Message{Performative: anex.ActCancel, Protocol: anex.Handshaking, Content: content})
}

// Run returns when the meeting is over, closed or by its time, and members had time to read that.
// When ctx ends, it closes the meeting.
func (c *Table) Run(ctx context.Context) error {
	err := c.carry(ctx)
	late := time.NewTimer(lastTime)
	defer late.Stop()
	for {
		c.mu.Lock()
		left, gone := len(c.here), c.gone
		c.mu.Unlock()
		if left == 0 {
			return err
		}
		select {
		case <-gone:
		case <-late.C:
			return err
		}
	}
}

// carry waits until the meeting is closed.
func (c *Table) carry(ctx context.Context) error {
	timer := time.NewTimer(time.Until(time.UnixMilli(c.minutes.Until())))
	defer timer.Stop()
	for {
		c.mu.Lock()
		more, closed, fault := c.more, c.minutes.Closed(), c.fault
		c.mu.Unlock()
		if closed {
			return fault
		}
		select {
		case <-ctx.Done():
			return c.Close("The convener ends the meeting.")
		case <-timer.C:
			return c.Close("The time is over.")
		case <-more:
		}
	}
}

// Serve takes the connection of a member, to its end. A member whose connection ends, or who breaks
// the rules, is removed.
func (c *Table) Serve(ctx context.Context, peer string, f Frames) error {
	c.mu.Lock()
	who := c.minutes.members[peer]
	if who == nil || who.out || c.here[peer] || c.minutes.Closed() || peer == c.minutes.convener {
		c.mu.Unlock()
		return fmt.Errorf("%w: %.80q is no member, or is here already", errRule, peer)
	}
	c.here[peer] = true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.here, peer)
		close(c.gone)
		c.gone = make(chan struct{})
		c.mu.Unlock()
	}()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	written := make(chan error, 1)
	go func() {
		written <- c.write(ctx, peer, f)
		stop()
	}()
	err := c.listen(ctx, peer, f)
	why := "It broke the rules."
	if errors.Is(err, errHangup) {
		why = "Its connection ended."
	}
	err = errors.Join(err, c.Remove(peer, why))
	c.mu.Lock()
	over := c.minutes.Closed() || c.minutes.Out(peer)
	c.mu.Unlock()
	if !over {
		stop()
	}
	// The last entries go out, also to who was removed, if it reads.
	return errors.Join(err, <-written)
}

var errHangup = errors.New("meeting: the connection ended")

// listen takes remarks until the member is out.
func (c *Table) listen(ctx context.Context, peer string, f Frames) error {
	for {
		raw, err := f.Read(ctx)
		c.mu.Lock()
		over := c.minutes.Closed() || c.minutes.Out(peer)
		switch {
		case over:
			err = nil
		case err != nil:
			err = fmt.Errorf("%w: %w", errHangup, err)
		default:
			err = c.order(peer, raw)
			over = c.minutes.Closed() || c.minutes.Out(peer)
		}
		c.mu.Unlock()
		if over || err != nil {
			return err
		}
	}
}

// write sends the entries, until the one after which the member is out.
func (c *Table) write(ctx context.Context, peer string, f Frames) error {
	for at := 0; ; {
		c.mu.Lock()
		entries, more, over := c.entries[at:], c.more, c.minutes.Closed() || c.minutes.Out(peer)
		c.mu.Unlock()
		for _, raw := range entries {
			within, stop := context.WithTimeout(ctx, writeTime)
			err := f.Write(within, raw)
			stop()
			if err != nil {
				return err
			}
			at++
		}
		if over {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-more:
		}
	}
}
