package devnet_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet"
)

// listener is a websocket client without a network.
type listener struct {
	t    testing.TB
	conn *websocket.Conn
	next int
}

func (c *chain) listen() *listener {
	c.t.Helper()
	transport := &http.Transport{DialContext: c.Dial}
	conn, _, err := websocket.Dial(context.Background(), "ws://devnet", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		c.t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	return &listener{t: c.t, conn: conn}
}

func (l *listener) send(body string) {
	l.t.Helper()
	if err := l.conn.Write(context.Background(), websocket.MessageText, []byte(body)); err != nil {
		l.t.Fatal(err)
	}
}

// call sends a request. The answer is the next message.
func (l *listener) call(method, params string) {
	l.t.Helper()
	l.next++
	l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":[%s]}`, l.next, method, params))
}

// read returns the next message. In a bubble a missing one is a deadlock, which fails the test.
func (l *listener) read() string {
	l.t.Helper()
	_, body, err := l.conn.Read(context.Background())
	if err != nil {
		l.t.Fatal(err)
	}
	return string(body)
}

// expect reads messages and compares their relevant parts.
func (l *listener) expect(want ...string) {
	l.t.Helper()
	for _, w := range want {
		if got := l.read(); got != w {
			l.t.Fatalf("got  %s\nwant %s", got, w)
		}
	}
}

func (l *listener) close() {
	l.t.Helper()
	if err := l.conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		l.t.Error(err)
	}
}

// bubble runs a test on fake time with a server and one websocket.
func bubble(t *testing.T, change func(*devnet.Config, *devnet.Deps), f func(t *testing.T, c *chain, l *listener)) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, change)
		l := c.listen()
		f(t, c, l)
		l.close()
	})
}

func answered(id, result any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","result":%v,"id":%v}`, result, id)
}

func refusal(id, code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","error":{"code":%d,"message":%q},"id":%d}`, code, message, id)
}

func told(topic string, subscription int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"%sNotification","params":{"result":%s,"subscription":%d}}`, topic, result, subscription)
}

func at(slot int, value string) string {
	return fmt.Sprintf(`{"context":{"slot":%d},"value":%s}`, slot, value)
}

func (c *chain) process(tx *solana.Transaction) {
	c.t.Helper()
	if _, rejected, err := c.Bank().Process(tx); rejected != nil || err != nil {
		c.t.Fatal(rejected, err)
	}
}

func TestSlotNotifications(t *testing.T) {
	bubble(t, nil, func(t *testing.T, c *chain, l *listener) {
		l.call("slotSubscribe", "")
		l.call("rootSubscribe", "")
		l.expect(answered(1, 1), answered(2, 2))
		c.seal(4)
		l.expect(
			told("slot", 1, `{"parent":1,"root":0,"slot":2}`),
			told("slot", 1, `{"parent":2,"root":0,"slot":3}`),
			told("slot", 1, `{"parent":3,"root":1,"slot":4}`), told("root", 2, "1"),
			told("slot", 1, `{"parent":4,"root":2,"slot":5}`), told("root", 2, "2"),
		)
		l.call("slotUnsubscribe", "1")
		l.expect(answered(3, true))
		c.seal(1)
		l.expect(told("root", 2, "3"))
		l.call("slotUnsubscribe", "1")
		l.expect(refusal(4, -32602, "Invalid subscription id."))
		l.call("slotsUpdatesSubscribe", "")
		l.expect(answered(5, 3))
		c.seal(1)
		for _, kind := range []string{"frozen", "optimisticConfirmation", "createdBank", "root 4", "root"} {
			got := l.read()
			if kind == "root 4" {
				if got != told("root", 2, "4") {
					t.Errorf("got %s", got)
				}
			} else if !strings.Contains(got, `"type":"`+kind+`"`) {
				t.Errorf("got %s, want %s", got, kind)
			}
		}
	})
}

func TestSignatureNotifications(t *testing.T) {
	bubble(t, nil, func(t *testing.T, c *chain, l *listener) {
		tx := transfer(t, "payer", address("alice"), 1, c.blockhash())
		name := fmt.Sprintf("%q", tx.Signatures[0])
		for i, level := range []string{"processed", "confirmed", "finalized"} {
			l.call("signatureSubscribe", fmt.Sprintf(`%s,{"commitment":%q,"enableReceivedNotification":%v}`, name, level, level == "confirmed"))
			l.expect(answered(i+1, i+1))
		}
		c.process(tx)
		l.expect(told("signature", 2, at(1, `"receivedSignature"`)), told("signature", 1, at(1, `{"err":null}`)))
		c.seal(1)
		l.expect(told("signature", 2, at(1, `{"err":null}`)))
		c.seal(2)
		l.expect(told("signature", 3, at(1, `{"err":null}`)))
		l.call("signatureUnsubscribe", "3") // the notification ended it
		l.expect(refusal(4, -32602, "Invalid subscription id."))

		// A landed transaction is reported right after the response, but not before its level.
		l.call("signatureSubscribe", name)
		l.expect(answered(5, 4), told("signature", 4, at(1, `{"err":null}`)))
		fresh := transfer(t, "payer", address("alice"), 2, c.blockhash())
		c.process(fresh)
		name = fmt.Sprintf("%q", fresh.Signatures[0])
		l.call("signatureSubscribe", name+`,{"commitment":"processed"}`)
		l.expect(answered(6, 5), told("signature", 5, at(4, `{"err":null}`)))
		l.call("signatureSubscribe", name+`,{"commitment":"confirmed","enableReceivedNotification":true}`)
		l.expect(answered(7, 6), told("signature", 6, at(4, `"receivedSignature"`)))
		c.seal(1)
		l.expect(told("signature", 6, at(4, `{"err":null}`)))
	})
}

func TestLogNotifications(t *testing.T) {
	bubble(t, func(_ *devnet.Config, d *devnet.Deps) { d.Genesis = nodeGenesis() }, func(t *testing.T, c *chain, l *listener) {
		program := address("program").String()
		l.call("logsSubscribe", `"all",{"commitment":"processed"}`)
		l.call("logsSubscribe", fmt.Sprintf(`{"mentions":[%q]},{"commitment":"confirmed"}`, program))
		l.call("logsSubscribe", `{"mentions":["11111111111111111111111111111111"]},{"commitment":"processed"}`)
		l.expect(answered(1, 1), answered(2, 2), answered(3, 3))
		moves := transfer(t, "payer", address("alice"), 1, c.blockhash())
		fails := signed(t, c.blockhash(), "payer", solana.NewInstruction(address("program"), nil, nil))
		c.process(moves)
		c.process(fails)
		system := "Program 11111111111111111111111111111111 "
		moved := at(1, fmt.Sprintf(`{"signature":%q,"err":null,"logs":["%sinvoke [1]","%ssuccess"]}`, moves.Signatures[0], system, system))
		failed := at(1, fmt.Sprintf(`{"signature":%q,"err":{"InstructionError":[0,{"Custom":7}]},"logs":["Program %[2]s invoke [1]",`+
			`"Program %[2]s consumed 2 of 200000 compute units","Program %[2]s failed: custom program error: 0x7"]}`,
			fails.Signatures[0], program))
		l.expect(told("logs", 1, moved), told("logs", 3, moved), told("logs", 1, failed))
		c.seal(1)
		l.expect(told("logs", 2, failed))
	})
}

func TestAccountNotifications(t *testing.T) {
	bubble(t, func(_ *devnet.Config, d *devnet.Deps) { d.Genesis = nodeGenesis() }, func(t *testing.T, c *chain, l *listener) {
		l.call("accountSubscribe", fmt.Sprintf(`%q,{"commitment":"confirmed","encoding":"base64"}`, address("new")))
		l.call("accountSubscribe", fmt.Sprintf(`%q,{"commitment":"processed"}`, solana.SysVarSlotHashesPubkey))
		l.call("programSubscribe", `"11111111111111111111111111111111",{"commitment":"confirmed","encoding":"base64","filters":[{"dataSize":0}]}`)
		l.call("programSubscribe", `"11111111111111111111111111111111",{"commitment":"confirmed","filters":[{"dataSize":1}]}`)
		l.expect(answered(1, 1), answered(2, 2), answered(3, 3), answered(4, 4))
		for lamports := range uint64(2) {
			c.process(transfer(t, "payer", address("new"), sol+lamports, c.blockhash()))
		}
		c.seal(1)
		account := func(lamports uint64) string {
			return fmt.Sprintf(`{"lamports":%d,"data":["","base64"],"owner":"11111111111111111111111111111111",`+
				`"executable":false,"rentEpoch":18446744073709551615,"space":0}`, lamports)
		}
		// There is one notification for the block, with the account's final state, and none for
		// accounts that the filter excludes.
		var got []string
		for range 5 {
			got = append(got, l.read())
			if strings.HasSuffix(got[len(got)-1], `"subscription":4}}`) {
				t.Errorf("filtered out, but told: %s", got[len(got)-1])
			}
		}
		want := told("account", 1, at(1, account(2*sol+1)))
		if !slices.Contains(got, want) {
			t.Errorf("want %s\ngot  %s", want, strings.Join(got, "\n     "))
		}
		value := fmt.Sprintf(`{"pubkey":%q,"account":%s}`, address("new"), account(2*sol+1))
		if want := told("program", 3, at(1, value)); !slices.Contains(got, want) {
			t.Errorf("want %s\ngot  %s", want, strings.Join(got, "\n     "))
		}
		if !strings.Contains(got[4], "error: data too large for bs58 encoding") {
			t.Errorf("got %s", got[4])
		}
		// A deleted account is empty and belongs to the system program.
		c.process(transfer(t, "new", address("alice"), 2*sol+1-5000, c.blockhash()))
		c.seal(1)
		got = nil
		for range 4 {
			got = append(got, l.read())
		}
		if want := told("account", 1, at(2, account(0))); !slices.Contains(got, want) {
			t.Errorf("want %s\ngot  %s", want, strings.Join(got, "\n     "))
		}
	})
}

func TestSocketErrors(t *testing.T) {
	bubble(t, func(c *devnet.Config, _ *devnet.Deps) { c.MaxSubscriptions = 1 }, func(t *testing.T, _ *chain, l *listener) {
		for i, k := range []struct {
			method, params string
			code           int
			message        string
		}{
			{"blockSubscribe", `"all"`, -32601, "Method not found"},
			{"voteSubscribe", "", -32601, "Method not found"},
			{"getBalance", `"x"`, -32601, "Method not found"},
			{"accountSubscribe", `"x"`, -32602, "Invalid Request: Invalid pubkey provided"},
			{"signatureSubscribe", `"x"`, -32602, "Invalid Request: Invalid signature provided"},
			{"logsSubscribe", `{"mentions":[]}`, -32602, "Invalid Request: Only 1 address supported"},
			{"logsSubscribe", `{"mentions":["x"]}`, -32602, "Invalid Request: Invalid mentions provided"},
			{"logsSubscribe", `"some"`, -32602, "Invalid params: unknown variant `some`, expected one of `all`, `allWithVotes`, `mentions`."},
			{"logsSubscribe", "", -32602, "`params` should have at least 1 argument(s)"},
			{"slotUnsubscribe", "99", -32602, "Invalid subscription id."},
		} {
			l.call(k.method, k.params)
			l.expect(refusal(i+1, k.code, k.message))
		}
		l.send(`{"jsonrpc":"2.0","method":"ping"}`) // web3.js does; there is no answer
		l.send(`nonsense`)
		l.expect(`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}`)
		l.call("slotSubscribe", "")
		l.call("slotSubscribe", "")
		l.expect(answered(11, 1), refusal(12, -32603, "Internal Error: Subscription refused. Connection subscription limit of 1 reached"))
	})
}

// TestSlowReaderIsDisconnected lets notifications pile up for a client that does not read.
func TestSlowReaderIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, func(c *devnet.Config, _ *devnet.Deps) { c.QueueBytes = 1 << 20 })
		slow, good := c.listen(), c.listen()
		slow.call("accountSubscribe", fmt.Sprintf(`%q,{"commitment":"processed","encoding":"base64"}`, solana.SysVarSlotHashesPubkey))
		slow.expect(answered(1, 1))
		good.call("rootSubscribe", "")
		good.expect(answered(1, 2))
		c.seal(60) // 27 KB each
		synctest.Wait()
		for root := 1; root <= 58; root++ {
			good.expect(told("root", 2, fmt.Sprint(root)))
		}
		var err error
		n := 0
		for ; err == nil; n++ {
			_, _, err = slow.conn.Read(context.Background())
		}
		if n > 45 {
			t.Errorf("it was sent %d notifications", n)
		}
		good.close()
	})
}

func TestTooManySockets(t *testing.T) {
	bubble(t, func(c *devnet.Config, _ *devnet.Deps) { c.MaxSockets = 1 }, func(t *testing.T, c *chain, _ *listener) {
		transport := &http.Transport{DialContext: c.Dial}
		_, resp, err := websocket.Dial(context.Background(), "ws://devnet", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
		if err == nil || resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%v %v", resp, err)
		}
		transport.CloseIdleConnections()
	})
}

// TestDeadPeerIsDropped has a client that answers no ping.
func TestDeadPeerIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, nil)
		l := c.listen()
		l.call("slotSubscribe", "")
		l.expect(answered(1, 1))
		time.Sleep(time.Minute) // fake: two pings without a reader
		c.seal(1)
		if _, _, err := l.conn.Read(context.Background()); err == nil {
			if _, _, err = l.conn.Read(context.Background()); err == nil {
				t.Error("it is still connected")
			}
		}
	})
}

// TestCloseSaysGoodbye closes a server that has a client.
func TestCloseSaysGoodbye(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := devnet.New(devnet.DefaultConfig(), devnet.Deps{Logger: quiet(), Genesis: genesis(), Manual: true})
		if err != nil {
			t.Fatal(err)
		}
		c := &chain{Server: s, t: t}
		l := c.listen()
		ended := make(chan error, 1)
		go func() {
			_, _, err := l.conn.Read(context.Background())
			ended <- err
		}()
		synctest.Wait()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; websocket.CloseStatus(err) != websocket.StatusGoingAway {
			t.Errorf("the client was told %v", err)
		}
		if _, err := c.Dial(context.Background(), "", ""); err == nil {
			t.Error("a closed server was reached")
		}
	})
}
