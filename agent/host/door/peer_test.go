package door

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/channel/line"
	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/shell"
	"ojud/casefile"
	"ojud/p2p/direct"
	"ojud/test/longtest"
)

// carrier is how callers of other machines reach a host in a test.
type carrier struct {
	t       *testing.T
	peers   bool // over libp2p
	carried bool // through a relay alone
	relay   *direct.Station
	key     shell.Signer // of the relay
	at      string       // of the relay, as libp2p writes it
	listen  string       // of the host
	placed  chan error   // told when the relay carries for the host, or does not
}

// onEach runs a test over each carrier.
func onEach(t *testing.T, test func(*testing.T, *carrier)) {
	t.Parallel()
	for name, c := range map[string]*carrier{"tls": {}, "libp2p": {peers: true}, "relay": {peers: true, carried: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.t = t
			test(t, c)
		})
	}
}

func directKey(s shell.Signer) direct.Key {
	p := s.Principal()
	return direct.Key{Public: p[:], Sign: s.Sign}
}

// join has callers reach a host over the carrier. The host listens at the same address as before.
func (c *carrier) join(f *farHost) {
	c.t.Helper()
	if !c.peers {
		return
	}
	w := direct.Where{Listen: []string{cmp.Or(c.listen, "/ip4/127.0.0.1/tcp/0")}}
	if c.carried {
		if c.relay == nil {
			c.key = freshKey(c.t)
			c.begin(f, "/ip4/127.0.0.1/tcp/0")
		}
		placed := make(chan error, 100)
		c.placed = placed
		w.Listen, w.Through, w.Lost = nil, []string{c.at}, func(_ string, err error) { placed <- err }
	}
	node, err := direct.New(directKey(f.operator), Protocol(), w)
	if err != nil {
		c.t.Fatal(err)
	}
	if !c.carried {
		c.listen, _, _ = strings.Cut(node.Addresses()[0], "/p2p/")
	}
	f.Join(node)
}

// begin begins the relay.
func (c *carrier) begin(f *farHost, at string) {
	c.t.Helper()
	self, err := direct.New(directKey(f.operator), Protocol(), direct.Where{})
	if err != nil {
		c.t.Fatal(err)
	}
	relay, err := direct.New(directKey(c.key), Protocol(), direct.Where{Listen: []string{at}, Carries: []string{self.Peer()}})
	if err = errors.Join(err, self.Close()); err != nil {
		c.t.Fatal(err)
	}
	c.relay, c.at = relay, relay.Addresses()[0]
	c.t.Cleanup(func() {
		if err := relay.Close(); err != nil {
			c.t.Error(err)
		}
	})
}

// remote is the address of a capability over the carrier. Through a relay, it waits until that
// carries for the host.
func (c *carrier) remote(f *farHost, name string) host.Remote {
	c.t.Helper()
	if !c.peers {
		return f.remote(name)
	}
	at, key := strings.Split(c.listen, "/"), f.out.node.Peer()
	if c.carried {
		at, key = strings.Split(c.at, "/"), key+"+"+c.relay.Peer()
		c.wait()
	}
	r, err := host.ParseRemote("agent://" + key + "@" + at[2] + ":" + at[4] + "/" + name)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// wait waits until the relay carries for the host.
func (c *carrier) wait() {
	for c.placed != nil {
		select {
		case err := <-c.placed:
			if err == nil {
				c.placed = nil
			}
		case <-c.t.Context().Done():
			c.t.Fatal("the relay does not carry for the host")
		}
	}
}

// TestRelayLost: a relay dies in the middle of a call and comes back. The session goes on: the
// caller hears each step once, its tool runs once, and it gets the end.
func TestRelayLost(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	way := &carrier{t: t, peers: true, carried: true}
	model := &script{answers: []string{
		`{"thought":"I look.","action":"call","tool":"look","input":{"at":"oak"}}`,
		`{"thought":"Now I know.","action":"finish","result":"an owl"}`,
	}}
	f := publish(t, agentsHome(t, map[string]string{"s.toml": solver}), "127.0.0.1:0", shell.Means{Transport: model}, way.join)
	carol := freshKey(t)
	a := Abroad{Key: carol, Chain: f.allow(carol.Principal(), "/s/solve", 100_000), To: way.remote(f, "s/solve"), Spend: delegation.Amounts{0, 90_000, 0}}
	talk, err := a.Talk(t.Context(), channel.RunOrder{
		Input: json.RawMessage(`"who?"`), Context: json.RawMessage(`{"mine":1}`),
		Tools: []agent.Repr{{Name: "look", Description: "Looks", InputSchema: json.RawMessage(`{"type":"object"}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	m, err := talk.Receive(t.Context())
	if err != nil || m.Step == nil {
		t.Fatalf("%+v, %v", m, err)
	}
	at := way.at
	if err := way.relay.Close(); err != nil {
		t.Fatal(err)
	}
	listen, _, _ := strings.Cut(at, "/p2p/")
	way.begin(f, listen)
	if way.at != at {
		t.Fatalf("the relay came back at %s", way.at)
	}
	heard, end := followTalk(t.Context(), t, talk)
	r, attested, err := talk.End(end)
	if heard != "call result step_end step step_end final end" || err != nil || !attested || r.Status != host.OK {
		t.Errorf("heard %s, %+v, %t, %v", heard, r, attested, err)
	}
}

// TestAttackPeer: what a peer at an address may not be, and what strangers may say on a stream.
func TestAttackPeer(t *testing.T) {
	t.Parallel()
	way := &carrier{t: t, peers: true}
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{}, way.join)
	carol, mallory := freshKey(t), freshKey(t)
	good := Abroad{Key: carol, Chain: f.allow(carol.Principal(), "/e/echo", 0), To: way.remote(f, "e/echo")}
	if r, attested, err := good.Invoke(t.Context(), 0, json.RawMessage("1")); err != nil || !attested || r.Status != host.OK {
		t.Fatalf("a control: %+v, %t, %v", r, attested, err)
	}
	// Mallory's host answers with what she likes.
	lie := certify{Agent: mallory.Principal().String(), ID: "e", Operator: f.operator.Principal().String()}
	liar, err := direct.New(directKey(mallory), Protocol(), direct.Where{Listen: []string{"/ip4/127.0.0.1/tcp/0"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- liar.Serve(ctx, func(ctx context.Context, k *direct.Talk) {
			if _, err := k.Read(ctx); err == nil {
				_ = f.tell(ctx, k, lie)
			}
		})
	}()
	hers := strings.Split(liar.Addresses()[0], "/")
	there := func(peer, name string) host.Remote {
		r, err := host.ParseRemote("agent://" + peer + "@127.0.0.1:" + hers[4] + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	with := func(change func(*Abroad)) Abroad {
		a := good
		change(&a)
		return a
	}
	for words, k := range map[string]struct {
		a    Abroad
		want string
	}{
		"another peer at the address":  {with(func(a *Abroad) { a.To = there(f.out.node.Peer(), "e/echo") }), "peer id mismatch"},
		"a host that names another":    {with(func(a *Abroad) { a.To = there(liar.Peer(), "e/echo") }), "names"},
		"no chain":                     {with(func(a *Abroad) { a.Chain = nil }), "InvalidSubject"},
		"another's chain":              {with(func(a *Abroad) { a.Key = mallory }), "InvalidAudience"},
		"another capability":           {with(func(a *Abroad) { a.To = way.remote(f, "e/sleep") }), "InvalidCommand"},
		"an agent that is not there":   {with(func(a *Abroad) { a.To = way.remote(f, "none/echo") }), "no such agent"},
		"another key of the agent":     {with(func(a *Abroad) { a.Agent = casefile.DID(mallory.Principal()) }), "is expected"},
		"a host that is no agent host": {with(func(a *Abroad) { a.To.Host = f.at }), "cannot be reached"},
		"a peer that is no point": {with(func(a *Abroad) {
			a.To.Peer = "12D3KooW" + strings.Repeat("1", 44)
		}), "cannot be reached"},
	} {
		if r, _, err := k.a.Invoke(t.Context(), 0, json.RawMessage("1")); err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %+v, %v; want %q", words, r, err, k.want)
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	// Strangers.
	stranger, err := direct.New(directKey(mallory), Protocol(), direct.Where{})
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	say := func(text string) string {
		k, err := stranger.Dial(t.Context(), way.listen+"/p2p/"+f.out.node.Peer())
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		err = k.Write(t.Context(), []byte(text))
		var raw []byte
		if err == nil {
			raw, err = k.Read(t.Context())
		}
		if err != nil {
			return err.Error()
		}
		return string(raw)
	}
	for text, want := range map[string]string{
		`{"agent":"e"}`: `"operator"`, `{"agent":"none"}`: "no such agent", `{"agent":"../e"}`: "id of an agent", "[]": "id of an agent", "": "id of an agent",
		`{"agent":"operator"}`: "id of an agent", `{"agent":"e","x":"` + strings.Repeat("x", maxVouch) + `"}`: "id of an agent",
		strings.Repeat("x", channel.MaxFrame+1): "reset",
	} {
		if got := say(text); !strings.Contains(got, want) {
			t.Errorf("%.60q: %s; want %q", text, got, want)
		}
	}
	var open []*direct.Talk
	busy := 0
	for range 2 * eachPlace { // a key has few streams, so each has its own
		k, err := direct.Dial(t.Context(), directKey(freshKey(t)), Protocol(), way.listen+"/p2p/"+f.out.node.Peer())
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Write(t.Context(), []byte(`{"agent":"e"}`)); err != nil {
			t.Fatal(err)
		}
		raw, err := k.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "too many connections") {
			busy++
		}
		open = append(open, k)
	}
	if busy < eachPlace {
		t.Errorf("one machine has %d streams without a signed call", 2*eachPlace-busy)
	}
	for _, k := range open {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		r, _, err := good.Invoke(t.Context(), 0, json.RawMessage("2"))
		if err == nil && r.Status == host.OK {
			return
		}
		var why *host.Refused
		if !errors.As(err, &why) || why.Code != host.Busy {
			t.Fatalf("%+v, %v", r, err)
		}
		<-again.C
	}
}

// TestVectorsOnEach: over each carrier, a host answers the frames that all languages share as they
// say: what is no frame, or no hello, ends the connection with form, and a hello is answered.
func TestVectorsOnEach(t *testing.T) { onEach(t, testVectorsOnEach) }

func testVectorsOnEach(t *testing.T, way *carrier) {
	raw, err := os.ReadFile("../../channel/testdata/frames.json")
	if err != nil {
		t.Fatal(err)
	}
	var shared struct {
		Frames []struct {
			Text  string `json:"text"`
			Valid bool   `json:"valid"`
		} `json:"frames"`
	}
	if err := json.Unmarshal(raw, &shared); err != nil || len(shared.Frames) < 25 {
		t.Fatalf("%d frames, %v", len(shared.Frames), err)
	}
	f := publish(t, sleepHome(t), "127.0.0.1:0", shell.Means{}, func(f *farHost) { f.out.prove = time.Second }, way.join)
	to, _, closed, err := Abroad{Key: f.operator, To: way.remote(f, "e/echo")}.way(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := closed(); err != nil {
			t.Error(err)
		}
	}()
	for _, v := range shared.Frames {
		k, err := to.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(v.Text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", line.NewName()) // so that each begins a session
		if err := k.Write(t.Context(), []byte(text)); err != nil {
			t.Fatal(err)
		}
		answer, err := k.Read(t.Context())
		if err != nil {
			t.Fatalf("%.200s: %v", text, err)
		}
		got, err := channel.Decode(answer)
		if err != nil {
			t.Fatalf("%.200s: %s, %v", text, answer, err)
		}
		asked, _ := channel.Decode([]byte(text))
		switch {
		case !v.Valid || asked.Hello == nil:
			if got.Bye == nil || got.Bye.Code != channel.Malformed {
				t.Errorf("%.200s: %s", text, answer)
			}
		case got.Bye != nil && got.Bye.Code == channel.Malformed:
			t.Errorf("%.200s: %s", text, answer)
		}
		_ = k.Close() // the host may have been first
	}
}
