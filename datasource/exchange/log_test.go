package exchange_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource/exchange"
)

func newLog(t *testing.T, path string, bytes int) *exchange.Log {
	t.Helper()
	cfg := exchange.DefaultLogConfig()
	cfg.MaxFileBytes = bytes
	l, err := exchange.OpenLog(path, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func shut(t *testing.T, l *exchange.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func entry(n int) exchange.LogEntry {
	j := newJudge(n)
	return exchange.LogEntry{Time: time.Now(), Source: source, Asker: j.peer, Judge: j.authority, Case: task, Round: 1,
		Request: json.RawMessage(fmt.Sprintf(`{ "id": "%d" }`, n)), Result: exchange.Answered, Bytes: n, Price: 1 << 60, Took: 5}
}

func read(t *testing.T, path string, f exchange.Filter) []exchange.LogEntry {
	t.Helper()
	entries, skipped, err := exchange.ReadLog(path, f)
	if err != nil || skipped != 0 {
		t.Error(skipped, err)
	}
	return entries
}

// TestLog: written entries are read in order, as a filter selects them, and a holder writes them.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), exchange.LogFile)
	if got := read(t, path, exchange.Filter{}); len(got) != 0 {
		t.Error(got)
	}
	synctest.Test(t, func(t *testing.T) {
		good := newJudge(0)
		l := newLog(t, path, 1<<20)
		defer shut(t, l)
		b := newBook(`"x"`)
		b.delay = 7 * time.Millisecond
		h, me := stand(t, b, newChain(good), func(_ *exchange.HolderConfig, d *exchange.HolderDeps) { d.Asked = l })
		asking{self: good, asks: []string{"7"}}.run(t, h, me, good.peer)
		asking{self: newJudge(3), asks: []string{"7"}}.run(t, h, me, newJudge(3).peer)
		got := read(t, path, exchange.Filter{})
		if len(got) != 2 {
			t.Fatal(got)
		}
		e := got[0]
		if e.Source != source || e.Asker != good.peer || e.Judge != good.authority || e.Case != task || e.Round != 1 || string(e.Request) != `{"id":"7"}` ||
			*e.Hash != casefile.Digest(casefile.HashOf(e.Request)) || e.Result != exchange.Answered || e.Bytes == 0 || e.Took != 7 {
			t.Errorf("%+v", e)
		}
		if e = got[1]; e.Result != exchange.ErrNoSeat.Error() || e.Asker != newJudge(3).peer || e.Hash != nil {
			t.Errorf("%+v", e)
		}
		for _, f := range []exchange.Filter{{Result: exchange.Answered}, {Asker: good.peer}, {Judge: good.authority}, {Limit: 1}, {Result: exchange.Answered, Case: task}} {
			if got := read(t, path, f); len(got) != 1 {
				t.Errorf("%+v: %v", f, got)
			}
		}
		if len(read(t, path, exchange.Filter{Source: "x"})) != 0 || len(read(t, path, exchange.Filter{Since: time.Now().Add(time.Hour)})) != 0 {
			t.Error("a filter lets through")
		}
	})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

// TestRetention: the promises of the terms are kept, even for entries on disk already, and over
// restarts.
func TestRetention(t *testing.T) {
	path := filepath.Join(t.TempDir(), exchange.LogFile)
	synctest.Test(t, func(t *testing.T) {
		none, hour := int64(0), int64(3600)
		l := newLog(t, path, 1<<20)
		for i, retention := range []*int64{&none, &hour, nil} {
			if err := l.Append(entry(i), retention); err != nil {
				t.Fatal(err)
			}
		}
		check := func(want ...bool) {
			t.Helper()
			for i, e := range read(t, path, exchange.Filter{}) {
				if has := e.Hash != nil; has != want[i] || has != (e.Request != nil) || e.Judge != newJudge(i).authority {
					t.Errorf("%d: %+v", i, e)
				}
			}
		}
		check(false, true, true)
		time.Sleep(59 * time.Minute)
		check(false, true, true)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		check(false, false, true)
		if err := l.Append(entry(3), &hour); err != nil {
			t.Fatal(err)
		}
		shut(t, l)
		time.Sleep(2 * time.Hour)
		l = newLog(t, path, 1<<20)
		check(false, false, true, false)
		shut(t, l)
		shut(t, newLog(t, path, 1<<20))
		if err := l.Append(entry(4), nil); err == nil {
			t.Error("written after Close")
		}
	})
}

// TestRotation: the log has a bound, and a line cut short by a crash costs only that line.
func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), exchange.LogFile)
	l := newLog(t, path, 4<<10)
	for i := range 100 {
		if err := l.Append(entry(i%3), nil); err != nil {
			t.Fatal(err)
		}
	}
	shut(t, l)
	total := 0
	for _, name := range []string{path, path + ".1"} {
		info, err := os.Stat(name)
		if err != nil || info.Size() > 4<<10 {
			t.Fatal(info, err)
		}
		total += int(info.Size())
	}
	if got := read(t, path, exchange.Filter{}); len(got) < 8 || total < 4<<10 {
		t.Error(len(got), total)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw[:len(raw)-10], 0o600); err != nil {
		t.Fatal(err)
	}
	before, skipped, err := exchange.ReadLog(path, exchange.Filter{})
	if skipped != 1 || err != nil {
		t.Error(skipped, err)
	}
	l = newLog(t, path, 4<<10)
	if err := l.Append(entry(1), nil); err != nil {
		t.Fatal(err)
	}
	shut(t, l)
	if after, skipped, err := exchange.ReadLog(path, exchange.Filter{}); skipped != 1 || err != nil || len(after) != len(before)+1 {
		t.Error(len(after), skipped, err)
	}
}

func FuzzParseLogEntry(f *testing.F) {
	line, err := json.Marshal(entry(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte(strings.Replace(string(line), `"price":"`, `"price":"-`, 1)))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := exchange.ParseLogEntry(line)
		if err != nil {
			return
		}
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := exchange.ParseLogEntry(raw)
		if err != nil || !again.Time.Equal(e.Time) {
			t.Fatalf("%s: %v", raw, err)
		}
		again.Time = e.Time
		if e.Request != nil {
			again.Request, e.Request = nil, nil
		}
		if !reflect.DeepEqual(again, e) {
			t.Fatalf("%+v\n%+v", again, e)
		}
	})
}

// TestAttackLogFlood: a stranger who may not ask sends the largest requests, so that the log is
// full of them and what was answered is lost. Of a long request that got no data the hash is
// kept.
func TestAttackLogFlood(t *testing.T) {
	path := filepath.Join(t.TempDir(), exchange.LogFile)
	l := newLog(t, path, 256<<10)
	defer shut(t, l)
	if err := l.Append(entry(1), nil); err != nil {
		t.Fatal(err)
	}
	flood := entry(2)
	flood.Result, flood.Request = "not allowed", json.RawMessage(`{"id":"`+strings.Repeat("x", 60<<10)+`"}`)
	for range 50 { // 3 MiB, and both files have half a MiB
		if err := l.Append(flood, nil); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, path, exchange.Filter{})
	if len(got) != 51 || got[0].Result != exchange.Answered || got[0].Request == nil || got[1].Request != nil || got[1].Hash == nil {
		t.Errorf("%d entries, the first: %+v", len(got), got[0])
	}
	// A short one is kept, so that the owner sees what was wrong with it.
	short := entry(3)
	short.Result = "not allowed"
	if err := l.Append(short, nil); err != nil {
		t.Fatal(err)
	}
	if got = read(t, path, exchange.Filter{}); string(got[51].Request) != `{"id":"3"}` {
		t.Errorf("%+v", got[51])
	}
}
