package ledger

import (
	"encoding/binary"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
	"ojud/voting"
)

// TestHint: with an RPC node that lists neither cases nor transactions, a case is found because a
// peer named it, and by nothing else. A flood of hints about cases that do not exist causes one
// request in five seconds.
func TestHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.unix = time.Now().Unix()
		node.seated()
		node.fault = func(method string, _ int) fault {
			if method == rpc.ListMethod || method == "getSignaturesForAddress" {
				return fault{code: -32010}
			}
			return fault{}
		}
		named, unnamed := node.dispute(1, voting.Committing), node.dispute(2, voting.Committing)
		node.tick(2)
		node.start(t)
		w := watched(t, node.open(t, testConfig()), Cursor{})
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if len(w.of(named)) != 0 {
			t.Fatal("the case was found without a hint")
		}
		w.Hint(named)
		w.Hint(named)
		time.Sleep(hintEvery)
		synctest.Wait()
		if len(w.of(named)) != 1 || len(w.of(unnamed)) != 0 {
			t.Fatalf("%d looks at the case that was named, %d at the other", len(w.of(named)), len(w.of(unnamed)))
		}
		quiet := node.count("getMultipleAccounts")
		time.Sleep(time.Minute)
		synctest.Wait()
		quiet = node.count("getMultipleAccounts") - quiet
		before := node.count("getMultipleAccounts")
		for second := range uint64(60) {
			for i := range uint64(1000) {
				w.Hint(onchain.Address(binary.BigEndian.AppendUint64(make([]byte, 24), second*1000+i)))
			}
			w.Hint(named)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if n := node.count("getMultipleAccounts") - before; n < quiet || n > quiet+13 {
			t.Errorf("%d requests in a minute of lies, %d in one without", n, quiet)
		}
		if n := len(w.of(named)); n != 1 {
			t.Errorf("%d looks at a case that is followed", n)
		}
	})
}
