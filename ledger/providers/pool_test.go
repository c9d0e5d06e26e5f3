package providers

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
)

// court is an account whose content says what a panel, a deadline and a balance would say.
var court, busy = onchain.Address{1}, onchain.Address{2}

// cluster is a chain with several RPC nodes in front, on fake time: a slot every 400 ms. The
// account court is "truth" and has 100 lamports; busy changes every second.
type cluster struct {
	began time.Time

	mu    sync.Mutex
	nodes map[string]*node
	calls map[string]int // by host
}

// node is one RPC node of a cluster, with its faults.
type node struct {
	text     string        // content of court; "": that of the chain
	lamports uint64        // 0: those of the chain
	ahead    int64         // seconds that its clock is off
	slots    int64         // slots that it is ahead, or behind if negative
	down     bool          // it refuses connections
	hang     bool          // it never answers
	frozen   bool          // it stands still at its first slot
	genesis  string        // "": that of the chain
	delay    time.Duration // before it answers
	status   string        // what it says about each transaction: "" that it landed, "null" that it does not know it
}

const (
	truth    = "truth"
	lie      = "a lie"
	lamports = 100
)

func newCluster(nodes map[string]*node) *cluster {
	return &cluster{began: time.Now(), nodes: nodes, calls: map[string]int{}}
}

func (c *cluster) slot() int64 { return 1000 + int64(time.Since(c.began)/(400*time.Millisecond)) }

// RoundTrip implements http.RoundTripper.
func (c *cluster) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	n := c.nodes[r.URL.Host]
	c.calls[r.URL.Host]++
	c.mu.Unlock()
	var q struct {
		ID     json.RawMessage
		Method string
		Params []json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		return nil, err
	}
	switch {
	case n == nil || n.down:
		return nil, errors.New("connection refused")
	case n.hang:
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	time.Sleep(n.delay)
	slot := c.slot() + n.slots
	if n.frozen {
		slot = 1000
	}
	var result any
	switch q.Method {
	case "getMultipleAccounts":
		var options struct{ MinContextSlot int64 }
		if err := json.Unmarshal(q.Params[1], &options); err != nil {
			return nil, err
		}
		if slot < options.MinContextSlot {
			return reply(q.ID, "error", map[string]any{"code": rpc.CodeMinContextSlot, "message": "behind"})
		}
		var addresses []onchain.Address
		if err := json.Unmarshal(q.Params[0], &addresses); err != nil {
			return nil, err
		}
		all := make([]any, len(addresses))
		for i, a := range addresses {
			all[i] = c.account(n, a, slot)
		}
		result = map[string]any{"context": map[string]any{"slot": slot}, "value": all}
	case "getGenesisHash":
		result = "genesis" + n.genesis
	case "getSignatureStatuses":
		status := any(map[string]any{"slot": slot - 2, "confirmations": 3, "err": nil, "confirmationStatus": "confirmed"})
		if n.status != "" {
			status = json.RawMessage(n.status)
		}
		result = map[string]any{"context": map[string]any{"slot": slot}, "value": []any{status}}
	case "sendTransaction":
		result = "sent to " + r.URL.Host
	default:
		result = r.URL.Host
	}
	return reply(q.ID, "result", result)
}

func (c *cluster) account(n *node, a onchain.Address, slot int64) any {
	data, have := []byte(truth), uint64(lamports)
	switch a {
	case onchain.ClockAccount():
		data = make([]byte, looks.ClockSize)
		binary.LittleEndian.PutUint64(data, uint64(slot))
		binary.LittleEndian.PutUint64(data[32:], uint64(1_800_000_000+(slot-n.slots)*2/5+n.ahead))
	case busy:
		data = fmt.Append(nil, slot*2/5)
	case court:
		if n.text != "" {
			data = []byte(n.text)
		}
		if n.lamports != 0 {
			have = n.lamports
		}
	}
	return map[string]any{"lamports": have, "owner": "owner", "executable": false, "data": []string{base64.StdEncoding.EncodeToString(data), "base64"}}
}

func reply(id json.RawMessage, what string, v any) (*http.Response, error) {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, what: v})
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text))}, nil
}

func calls() rpc.Calls {
	return rpc.Calls{
		Timeout: 10 * time.Second, Patience: 20 * time.Second, BackoffMin: 200 * time.Millisecond, BackoffMax: 5 * time.Second,
		MaxInFlight: 16, MaxAnswer: 1 << 20,
	}
}

// pool asks the own nodes of a cluster; others are offered by other judges, of whom each has a
// fifth of the stake, and one in capitals a twentieth.
func (c *cluster) pool(t *testing.T, own, others string) *Pool {
	t.Helper()
	m := rpc.NewMetrics("")
	d := Connections{Open: func(url string) (*rpc.Caller, error) { return rpc.NewCaller(url, calls(), c, m) }}
	if others != "" {
		d.Offered = func() (out []Guest) {
			for _, u := range urls(strings.ToLower(others)) {
				out = append(out, Guest{u, 0.2})
			}
			for i, h := range strings.Fields(others) {
				if h != strings.ToLower(h) {
					out[i].Share = 0.05
				}
			}
			return out
		}
	}
	p, err := New(urls(own), calls(), d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func urls(hosts string) (out []string) {
	for h := range strings.SplitSeq(hosts, " ") {
		out = append(out, "http://"+h)
	}
	return out
}

// account is court as a read shows it.
type account struct {
	text     string
	lamports uint64
	unix     int64
	slot     uint64
}

func (p *Pool) look(t *testing.T, least uint64) (account, error) {
	t.Helper()
	var out rpc.Contexted[[]struct {
		Lamports uint64   `json:"lamports"`
		Data     []string `json:"data"`
	}]
	options := map[string]any{"encoding": "base64"}
	if least > 0 {
		options["minContextSlot"] = least
	}
	params := []any{[]onchain.Address{onchain.ClockAccount(), court, busy}, options}
	if err := p.Call(t.Context(), "getMultipleAccounts", params, &out, nil); err != nil {
		return account{}, err
	}
	text, err := base64.StdEncoding.DecodeString(out.Value[1].Data[0])
	if err != nil {
		return account{}, err
	}
	clock, err := base64.StdEncoding.DecodeString(out.Value[0].Data[0])
	if err != nil {
		return account{}, err
	}
	m, err := looks.DecodeClock(clock)
	return account{string(text), out.Value[1].Lamports, m.Unix, out.Context.Slot}, err
}

func (p *Pool) state(host string) string {
	for _, v := range p.List() {
		if v.Host == host {
			return v.State
		}
	}
	return ""
}

// TestAgreement reads from providers that lie, alone and in majority, that are late, forked, ahead,
// silent or slow. A read gives the truth, or errContradiction: never a lie.
func TestAgreement(t *testing.T) {
	liar := func() *node { return &node{text: lie} }
	for name, c := range map[string]struct {
		nodes       map[string]*node
		own, others string
		want        error
		lying, well string // hosts whose state must be that
		tell        string // in the problems
		slow        bool   // it may take longer than a second
	}{
		"all agree": {
			nodes: map[string]*node{"a": {}, "b": {}, "c": {}}, own: "a b c", well: "a b c",
		},
		"a few slots apart": {
			nodes: map[string]*node{"a": {slots: -3}, "b": {slots: 2}, "c": {delay: 700 * time.Millisecond}}, own: "a b c", well: "a b c", slow: true,
		},
		"one lies, and other judges settle it": {
			nodes: map[string]*node{"a": {}, "b": liar(), "c": {}, "x": {}, "y": {}}, own: "a b c", others: "x y",
			lying: "b", well: "a c", tell: "b: refuted", slow: true,
		},
		"one lies, and nobody settles it": {
			nodes: map[string]*node{"a": liar(), "b": {}, "c": {}}, own: "a b c", want: errContradiction, tell: "b and c against a", slow: true,
		},
		"two of three lie, and nobody settles it": {
			nodes: map[string]*node{"a": liar(), "b": {}, "c": liar()}, own: "a b c", want: errContradiction, tell: "a and c against b", slow: true,
		},
		"two of three lie, and other judges settle it": {
			nodes: map[string]*node{"a": liar(), "b": {}, "c": liar(), "x": {}, "y": {}, "z": {}}, own: "a b c", others: "x y z", lying: "a c", well: "b", slow: true,
		},
		"two of three lie, and so does one other judge": {
			nodes: map[string]*node{"a": liar(), "b": {}, "c": liar(), "x": liar(), "y": {}}, own: "a b c", others: "x y", want: errContradiction, slow: true,
		},
		"two of three lie about the balance": {
			nodes: map[string]*node{"a": {lamports: 1}, "b": {lamports: 1}, "c": {}, "x": {}, "y": {}}, own: "a b c", others: "x y", lying: "a b", slow: true,
		},
		"two of three lie about the time": {
			nodes: map[string]*node{"a": {ahead: 600}, "b": {ahead: 600}, "c": {}}, own: "a b c", want: errContradiction, tell: "time", slow: true,
		},
		"two of three are ahead": {
			nodes: map[string]*node{"a": {slots: 1e6, text: lie}, "b": {slots: 1e6, text: lie}, "c": {}}, own: "a b c", want: errContradiction, slow: true,
		},
		"one of two lies": {
			nodes: map[string]*node{"a": {}, "b": liar()}, own: "a b", want: errContradiction, slow: true,
		},
		"a fork": {
			nodes: map[string]*node{"a": {}, "b": {text: "of a fork"}, "x": {}}, own: "a b", others: "x", lying: "b", slow: true,
		},
		"one hangs":    {nodes: map[string]*node{"a": {}, "b": {hang: true}, "c": {}}, own: "a b c", well: "a c", tell: "b: silent", slow: true},
		"two are down": {nodes: map[string]*node{"a": {down: true}, "b": {down: true}, "c": {}}, own: "a b c", well: "c", tell: "a: silent", slow: true},
		"all are down, other judges agree": {
			nodes: map[string]*node{"a": {down: true}, "b": {down: true}, "x": {}, "y": {}}, own: "a b", others: "x y", slow: true,
		},
		"all are down, one other judge": {
			nodes: map[string]*node{"a": {down: true}, "b": {down: true}, "x": {}}, own: "a b", others: "x", want: rpc.ErrUnavailable, slow: true,
		},
		"the only one is down, other judges agree": {
			nodes: map[string]*node{"a": {down: true}, "x": {}, "y": {}}, own: "a", others: "x y", slow: true,
		},
		"the only one is down, other judges contradict each other": {
			nodes: map[string]*node{"a": {down: true}, "x": {}, "y": liar()}, own: "a", others: "x y", want: errContradiction, slow: true,
		},
		"the only one is down, and two strangers with little stake lie": {
			nodes: map[string]*node{"a": {down: true}, "x": liar(), "y": liar()}, own: "a", others: "X Y", want: rpc.ErrUnavailable, slow: true,
		},
		"the only one is down, two strangers lie, one does not": {
			nodes: map[string]*node{"a": {down: true}, "x": liar(), "y": liar(), "z": {}}, own: "a", others: "x y z", want: errContradiction, slow: true,
		},
		"the only one is limited, and six strangers with little stake lie": {
			nodes: map[string]*node{"a": {down: true}, "u": liar(), "v": liar(), "w": liar(), "x": liar(), "y": liar(), "z": liar()}, own: "a",
			others: "U V W X Y Z", want: rpc.ErrUnavailable, slow: true,
		},
		"other judges never count against all own": {
			nodes: map[string]*node{"a": {}, "b": {}, "x": liar(), "y": liar(), "z": liar()}, own: "a b", others: "x y z", well: "a b",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newCluster(c.nodes).pool(t, c.own, c.others)
				began := time.Now()
				got, err := p.look(t, 0)
				if !errors.Is(err, c.want) || c.want == nil && err != nil {
					t.Fatalf("it ends with %v, want %v", err, c.want)
				}
				if err == nil && (got.text != truth || got.lamports != lamports || got.slot > 2000) {
					t.Errorf("it shows %+v", got)
				}
				if d := time.Since(began); !c.slow && d > time.Second || d > 30*time.Second {
					t.Errorf("it took %v", d)
				}
				for _, want := range []struct{ hosts, state string }{{c.lying, lying}, {c.well, Good}} {
					for h := range strings.FieldsSeq(want.hosts) {
						if p.state(h) != want.state {
							t.Errorf("%s is %q, want %q", h, p.state(h), want.state)
						}
					}
				}
				if all := strings.Join(p.Problems(), "\n"); !strings.Contains(all, c.tell) {
					t.Errorf("the operator is told %q, not %q", all, c.tell)
				}
			})
		})
	}
}

// TestNoComparison is the negative control: a node with one provider believes its lie.
func TestNoComparison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, err := newCluster(map[string]*node{"a": {text: lie, ahead: 600}}).pool(t, "a", "").look(t, 0)
		if err != nil || got.text != lie {
			t.Fatalf("it shows %+v, %v: the lie of TestAgreement deceives nobody", got, err)
		}
	})
}

// TestRefutedReturns has a provider lie, be left out and named, and count again when it tells the
// truth.
func TestRefutedReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &node{text: lie}
		c := newCluster(map[string]*node{"a": {}, "b": b, "c": {}, "x": {}})
		p := c.pool(t, "a b c", "x")
		if _, err := p.look(t, 0); err != nil || p.state("b") != lying {
			t.Fatalf("b is %q, %v", p.state("b"), err)
		}
		asked := c.calls["b"]
		began := time.Now()
		if got, err := p.look(t, 0); err != nil || got.text != truth || time.Since(began) > time.Second || c.calls["b"] != asked {
			t.Fatalf("%+v, %v after %v; b was asked %d times more", got, err, time.Since(began), c.calls["b"]-asked)
		}
		b.text = ""
		time.Sleep(mostAbsence + time.Second)
		if _, err := p.look(t, 0); err != nil || p.state("b") != Good || len(p.Problems()) != 0 {
			t.Fatalf("b is %q, %v; %q", p.state("b"), err, p.Problems())
		}
	})
}

// TestLateProvider has one provider stand still. It does not count as lying, and the node goes on.
func TestLateProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(map[string]*node{"a": {}, "b": {frozen: true}, "c": {}})
		p := c.pool(t, "a b c", "")
		first, err := p.look(t, 0)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if got, err := p.look(t, first.slot+20); err != nil || got.text != truth || got.slot < first.slot+20 {
			t.Fatalf("%+v, %v", got, err)
		}
		if s := p.state("b"); s == lying {
			t.Errorf("b is %q: it is only late", s)
		}
	})
}

// TestStatuses: a transaction landed if all say so, and is unknown if nobody knows it. With two of
// three lying it is sent on, and not signed anew.
func TestStatuses(t *testing.T) {
	for name, c := range map[string]struct {
		status [3]string
		want   string
	}{
		"all say that it landed": {want: `"confirmed"`},
		"two do not know it":     {status: [3]string{"null", "null", ""}, want: `"processed"`},
		"two say that it landed": {status: [3]string{"null", "", ""}, want: `"processed"`},
		"nobody knows it":        {status: [3]string{"null", "null", "null"}, want: "[null]"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newCluster(map[string]*node{"a": {status: c.status[0]}, "b": {status: c.status[1]}, "c": {status: c.status[2]}}).pool(t, "a b c", "")
				var out json.RawMessage
				if err := p.Call(t.Context(), "getSignatureStatuses", []any{[]string{"sig"}}, &out, nil); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(string(out), c.want) {
					t.Errorf("%s, want %s", out, c.want)
				}
			})
		})
	}
}

// TestSend sends to all providers, also to those that are left out.
func TestSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(map[string]*node{"a": {down: true}, "b": {}, "c": {text: lie}, "x": {}})
		p := c.pool(t, "a b c", "x")
		if _, err := p.look(t, 0); err != nil {
			t.Fatal(err)
		}
		before := c.count()
		var out string
		if _, err := p.Once(t.Context(), "sendTransaction", []any{"raw"}, &out); err != nil || out == "" {
			t.Fatalf("%q, %v", out, err)
		}
		after := c.count()
		for _, h := range []string{"a", "b", "c"} {
			if after[h] != before[h]+1 {
				t.Errorf("%s got %d", h, after[h]-before[h])
			}
		}
		if after["x"] != before["x"] {
			t.Errorf("another judge's provider got the transaction")
		}
	})
}

func (c *cluster) count() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]int{}
	for h, n := range c.calls {
		out[h] = n
	}
	return out
}

// TestTurns: what one provider answers comes from each in turn, so that none can hide something.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newCluster(map[string]*node{"a": {}, "b": {}, "c": {down: true}}).pool(t, "a b c", "")
		var got []string
		for range 6 {
			var out string
			if err := p.Call(t.Context(), "getProgramAccounts", []any{"program"}, &out, nil); err != nil {
				t.Fatal(err)
			}
			got = append(got, out)
		}
		if !slices.Contains(got, "a") || !slices.Contains(got, "b") {
			t.Errorf("%q", got)
		}
	})
}

// TestBelievable compares a time that a websocket tells with what all agreed on.
func TestBelievable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newCluster(map[string]*node{"a": {}, "b": {}}).pool(t, "a b", "")
		if p.Believable(looks.Moment{Slot: 1, Unix: 1}) {
			t.Error("before the first comparison it believes a time")
		}
		got, err := p.look(t, 0)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		for off, want := range map[int64]bool{0: true, 3: true, -3: true, 10: false, -10: false, 600: false} {
			if p.Believable(looks.Moment{Slot: got.slot + 50, Unix: got.unix + 20 + off}) != want {
				t.Errorf("%d seconds off: want %t", off, want)
			}
		}
	})
}
