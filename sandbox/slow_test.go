package sandbox

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestAttackSlowToCompile: modules that keep a compiler busy for minutes are interpreted, and reach
// their end.
func TestAttackSlowToCompile(t *testing.T) {
	e := openEngine(t)
	get := func(n int) string { return "\x20" + string(number(n)) }
	set := func(n int) string { return "\x21" + string(number(n)) }
	fn := func(locals int, code string) string {
		types := section(1, vector("\x60\x00\x00"))
		body := "\x01" + string(number(locals)) + "\x7f" + code + "\x0b"
		return head + types + section(3, vector("\x00")) + section(5, vector("\x00\x01")) + section(7, vector(text("_start")+"\x00\x00", text("memory")+"\x02\x00")) + section(10, vector(text(body)))
	}
	var many strings.Builder
	for i := 0; many.Len() < MaxModule-4_000; i++ {
		many.WriteString(get(i*7919%60000) + get(i*31%60000) + "\x6a" + set(i*17%60000))
	}
	var blocks strings.Builder
	for i := 0; blocks.Len() < MaxModule-4_000; i++ {
		blocks.WriteString(get(i*7919%2000) + "\x04\x40" + get(i*31%2000) + set(i*17%2000) + "\x0b")
	}
	var wide strings.Builder
	for i := 0; wide.Len() < MaxModule-4_000; i++ {
		wide.WriteString(get(i*7919%60000) + "\x04\x40" + get(i*31%60000) + set(i*17%60000) + "\x0b")
	}
	nest := strings.Repeat("\x03\x40", 900)
	var loops strings.Builder
	loops.WriteString(nest)
	for i := 0; loops.Len() < MaxModule-4_000; i++ {
		loops.WriteString(get(i*7919%3000) + "\x0d" + string(number(i%900)) + get(i*31%3000) + set(i*17%3000))
	}
	loops.WriteString(strings.Repeat("\x0b", 900))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for name, m := range map[string]string{"locals": fn(60000, many.String()), "blocks": fn(2000, blocks.String()), "wide": fn(60000, wide.String()), "loops": fn(3000, loops.String())} {
		at := time.Now()
		run, err := e.Module(ctx, []byte(m), nil)
		if err != nil || run.Said != None {
			t.Errorf("%s: %+v, %v", name, run, err)
		}
		t.Logf("%s: %d bytes took %s: %+v", name, len(m), time.Since(at), run)
	}
}
