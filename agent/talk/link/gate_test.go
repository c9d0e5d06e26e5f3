package link

import (
	"fmt"
	"testing"
	"time"
)

// TestCrowd: one key and one address have a share of a server's conversations, at once and in an
// hour, and what ended makes room.
func TestCrowd(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	var c Crowd
	enter := func(peer, address string) func() {
		leave, err := c.Enter(peer, address, now)
		if err != nil {
			return nil
		}
		return leave
	}
	var inside []func()
	for range maxTalks {
		if leave := enter("one", "10.0.0.1:1"); leave != nil {
			inside = append(inside, leave)
		}
	}
	if len(inside) != eachKey {
		t.Errorf("one key has %d conversations", len(inside))
	}
	for i := range maxTalks {
		if leave := enter(fmt.Sprint("key ", i), fmt.Sprintf("10.0.0.1:%d", i+1)); leave != nil {
			inside = append(inside, leave)
		}
	}
	if len(inside) != eachHost {
		t.Errorf("one address has %d conversations", len(inside))
	}
	if enter("another", "[2001:db8::1]:1") == nil {
		t.Error("there is no room for another")
	}
	for _, leave := range inside {
		leave()
		leave()
	}
	begun := 0
	for range 2 * hourKey {
		if leave := enter("one", ""); leave != nil {
			begun++
			leave()
		}
	}
	if begun != hourKey-eachKey {
		t.Errorf("one key begins %d conversations more in an hour", begun)
	}
	now = now.Add(time.Hour)
	if enter("one", "") == nil {
		t.Error("the next hour has no room")
	}
	for address, want := range map[string]string{
		"10.0.0.7:1": "10.0.0.7", "[::ffff:10.0.0.7]:1": "10.0.0.7", "[2001:db8::1%eth0]:1": "2001:db8::/48", "[2001:db8:0:ffff::1]:1": "2001:db8::/48", "[2001:db8:1::1]:1": "2001:db8:1::/48", "x:1": "x", "": "",
	} {
		if got := Place(address); got != want {
			t.Errorf("%s is of %s, not %s", address, got, want)
		}
	}
}
