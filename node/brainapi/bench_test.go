//go:build unix

package brainapi

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/brainview"
	"ojud/node/megabrain"
	"ojud/p2p/p2ptest/floor"
)

// What BenchmarkServe asks for, and how large the chain is.
const (
	askRate    = 1_000                 // requests a second
	goal       = 50 * time.Millisecond // of the slowest in a hundred
	chainDelay = 5 * time.Millisecond  // of each request to the chain
	chainTasks = 200
)

// far is a chain with many tasks of one class of sixty-four members. Each answer takes a while.
type far struct {
	prog  brain.Megabrain
	heads []*ledger.Account
	all   map[onchain.Address]*ledger.Account
	calls int
	mu    sync.Mutex
}

func (f *far) wait() {
	f.mu.Lock()
	f.calls++
	f.mu.Unlock()
	<-time.After(chainDelay)
}

func (f *far) Accounts(_ context.Context, all ...onchain.Address) (out []*ledger.Account, slot uint64, err error) {
	f.wait()
	for _, at := range all {
		out = append(out, f.all[at])
	}
	return out, 1, nil
}

func (f *far) Heads(_ context.Context, account string, _ ledger.Filter, _, length int) (out []*ledger.Account, err error) {
	f.wait()
	for _, a := range f.heads {
		if kind := brain.Kind(account); bytes.HasPrefix(a.Data, kind[:]) {
			out = append(out, &ledger.Account{Address: a.Address, Owner: a.Owner, Data: a.Data[:length]})
		}
	}
	return out, nil
}

// newFar makes a chain in which an agent works in every tenth task.
func newFar(b *testing.B, self onchain.Address) *far {
	b.Helper()
	f := &far{prog: brain.Devnet(), all: map[onchain.Address]*ledger.Account{}}
	add := func(at onchain.Address, parts ...any) {
		a := &ledger.Account{Address: at, Owner: f.prog.ID()}
		for _, p := range parts {
			var err error
			if a.Data, err = binary.Append(a.Data, binary.LittleEndian, p); err != nil {
				b.Fatal(err)
			}
		}
		f.heads, f.all[at] = append(f.heads, a), a
	}
	class := onchain.Address{8}
	members := make([]brain.Member, 64)
	for i := range members {
		members[i] = brain.Member{Agent: onchain.Address{20, byte(i)}, Stake: 5, Reputation: 2_000, Role: brain.WorkerRole, State: 1}
	}
	members[0].Agent = self
	add(class, brain.Kind("Class"), [2]uint8{brain.Version, 255}, uint16(len(members)), [4]byte{}, onchain.Address{9}, [32]byte{1}, brain.Defaults(), [brain.MaxNear]onchain.Address{}, members)
	for n := range chainTasks {
		var k brain.TaskAccount
		k.Head.Kind, k.Head.Version, k.Status = brain.Kind("Task"), brain.Version, brain.Settled
		k.Counts, k.Parties = brain.Counts{Workers: 3, Evaluators: 2, Seated: 2, Drawn: 3}, brain.Parties{Requester: onchain.Address{2}, Class: class}
		k.Money.Budget, k.Clock.Deadline, k.Clock.CreatedSlot = 1_000_000_000, 9_000, uint64(n)
		for i := range 3 {
			k.Work[i] = brain.WorkSeat{Agent: onchain.Address{20, byte(n), byte(i)}, State: 2, ResultHash: [32]byte{byte(n), byte(i)}}
		}
		if n%10 == 0 {
			k.Status, k.Work[0] = brain.Working, brain.WorkSeat{Agent: self}
		}
		add(onchain.Address{7, byte(n)}, k)
	}
	f.all[onchain.ClockAccount()] = &ledger.Account{Data: binary.LittleEndian.AppendUint64(make([]byte, 32), 5_000)}
	return f
}

// BenchmarkServe asks a server on loopback, and a bare handler with an answer of the same size, for
// so many requests a second as a server has to answer. Latency counts from the moment at which a
// request was due. The chain of the server takes its time, and its answers grow old meanwhile.
func BenchmarkServe(b *testing.B) {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{3}, 32))
	self := onchain.Address(private.Public().(ed25519.PublicKey))
	chain := newFar(b, self)
	api := New(Means{
		View: brainview.New(brainview.Sources{
			Chain: chain, Program: chain.prog.ID(),
			Content: func(context.Context, [32]byte) ([]byte, error) { return nil, errors.New("nobody has it") },
			Words:   func(context.Context, onchain.Address) ([][]byte, error) { chain.wait(); return nil, nil },
		}),
		Hands: map[onchain.Address]Hand{self: nil}, Folder: megabrain.Folder{Dir: b.TempDir()}, Secret: make([]byte, 32), Life: time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	w := &world{private: private, self: self}
	token := w.registered(b, api)
	for _, c := range []struct{ name, path string }{
		{"available", "/tasks/available?role=worker"}, {"task", "/tasks/" + id(onchain.Address{7, 10})}, {"results", "/tasks/" + id(onchain.Address{7, 11}) + "/results"}, {"reputation", "/agents/" + id(self) + "/reputation"},
	} {
		b.Run(c.name, func(b *testing.B) {
			at := served(b, api)
			answer := got(b, at+root+c.path, token)
			bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(answer) // the client is gone
			}))
			defer bare.Close()
			report := func(name string, m measured) time.Duration {
				slowest := m.took[len(m.took)*99/100]
				b.ReportMetric(float64(m.took[len(m.took)/2].Microseconds())/1_000, name+"p50-ms")
				b.ReportMetric(float64(slowest.Microseconds())/1_000, name+"p99-ms")
				b.ReportMetric(float64(m.processor.Microseconds())/float64(b.N), name+"cpu-us")
				return slowest
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(len(answer)), "bytes")
			machine := floor.ReadMachine(b)
			least, most := report("floor-", ask(b, bare.URL, "")), report("", ask(b, at+root+c.path, token))
			switch {
			case b.N < askRate || most <= goal:
			case least > goal/5:
				b.Logf("others used %s: one request in a hundred takes %s, and of a bare handler %s", machine.Foreign(b), most, least)
			default:
				b.Errorf("one request in a hundred takes %s, of a bare handler %s; the goal is %s", most, least, goal)
			}
		})
	}
}

// registered gets a token.
func (w *world) registered(b *testing.B, api *AgentAPI) string {
	b.Helper()
	body, err := json.Marshal(w.signed(uuid, time.Now().Unix()))
	if err != nil {
		b.Fatal(err)
	}
	r, out := httptest.NewRequest(http.MethodPost, root+"/auth/register", bytes.NewReader(body)), httptest.NewRecorder()
	r.Header.Set("Content-Type", "application/json")
	api.ServeHTTP(out, r)
	var said struct{ Token string }
	if err := json.Unmarshal(out.Body.Bytes(), &said); err != nil || said.Token == "" {
		b.Fatal(out.Code, out.Body, err)
	}
	return said.Token
}

// served runs a server on loopback until the benchmark ends.
func served(b *testing.B, api *AgentAPI) string {
	b.Helper()
	l, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- api.Run(ctx, l) }()
	b.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// got is one answer.
func got(b *testing.B, url, token string) []byte {
	b.Helper()
	raw, err := answerOf(b.Context(), &http.Client{Timeout: time.Minute}, url, token)
	if err != nil {
		b.Fatal(err)
	}
	return raw
}

func answerOf(ctx context.Context, client *http.Client, url, token string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%d: %s", answer.StatusCode, raw)
	}
	return raw, err
}

// measured is what requests took, the fastest first, and the processor time of all, with their
// client's.
type measured struct {
	took      []time.Duration
	processor time.Duration
}

// ask sends b.N requests at the rate.
func ask(b *testing.B, url, token string) (m measured) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 64, MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	m.took = make([]time.Duration, b.N)
	faults := make([]error, b.N)
	var all sync.WaitGroup
	before, began := floor.CPU(b), time.Now()
	for i := range m.took {
		due := began.Add(time.Duration(i) * time.Second / askRate)
		if left := time.Until(due); left > 0 {
			<-time.After(left)
		}
		all.Go(func() {
			_, faults[i] = answerOf(b.Context(), client, url, token)
			m.took[i] = time.Since(due)
		})
	}
	all.Wait()
	m.processor = floor.CPU(b) - before
	if err := errors.Join(faults...); err != nil {
		b.Fatal(err)
	}
	slices.Sort(m.took)
	return m
}
