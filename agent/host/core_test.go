package host

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// def returns the definition of an agent.
func def(id string, change func(*Definition)) Definition {
	d := Definition{ID: id, Capabilities: []Capability{{Name: "do"}}, Autonomy: LevelCalls, Calls: []string{"*"}, Idle: time.Minute, Quota: DefaultQuota()}
	d.Quota.Concurrent = 2
	if change != nil {
		change(&d)
	}
	return d
}

func known(all ...Definition) (out []Known) {
	for _, d := range all {
		out = append(out, Known{d, "did:key:" + d.ID})
	}
	return out
}

// invoke makes a call of an agent.
func invoke(id, caller, agent string, now int64) Invoked {
	return Invoked{Invocation: Invocation{ID: id, Caller: caller, Target: Target{agent, "do"}, Correlation: id, Task: id}, Now: now}
}

// acts writes the acts of a plan.
func acts(p Consequence) string {
	var out []string
	for _, a := range p.Acts {
		switch a := a.(type) {
		case OpenAgent:
			out = append(out, "open "+a.Agent)
		case CloseAgent:
			out = append(out, "close "+a.Agent)
		case StartCall:
			out = append(out, "start "+a.ID)
		case StopCall:
			out = append(out, "stop "+a.Call)
		case Tell:
			out = append(out, "tell "+a.ID+" "+a.Status)
		case Join:
			out = append(out, "join "+a.Ref+" "+a.Call)
		case Settle:
			code := "yes"
			if a.Refusal != nil {
				code = a.Refusal.Code
			}
			out = append(out, "settle "+a.Ref+" "+code)
		case Archive:
			out = append(out, "archive "+a.Agent)
		}
	}
	return strings.Join(out, "; ")
}

func expect(t *testing.T, p Consequence, want string) {
	t.Helper()
	if got := acts(p); got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// TestLives: a call wakes an agent, an idle agent hibernates, and a terminated one never answers.
func TestLives(t *testing.T) {
	c, p := New(0, known(def("a", nil), def("s", func(d *Definition) { d.Service = true })), nil, nil)
	expect(t, p, "open s")
	expect(t, c.Step(invoke("1", Operator, "a", 1)), "settle 1 yes; open a")
	expect(t, c.Step(invoke("2", Operator, "a", 2)), "settle 2 yes")
	expect(t, c.Step(invoke("3", Operator, "a", 2)), "settle 3 busy")
	expect(t, c.Step(Asked{By: Operator, Agent: "a", What: Hibernate, Ref: "r", Now: 3}), "settle r busy")
	expect(t, c.Step(Opened{Agent: "a", Now: 4}), "start 1; start 2")
	expect(t, c.Step(Ended{Call: "1", Status: OK, Now: 5}), "tell 1 ok")
	expect(t, c.Step(invoke("4", Operator, "a", 6)), "settle 4 yes; start 4")
	expect(t, c.Step(Ended{Call: "4", Status: OK, Now: 6}), "tell 4 ok")
	expect(t, c.Step(Ended{Call: "2", Status: OK, Now: 6}), "tell 2 ok")
	expect(t, c.Step(Ticked{Now: 60_005}), "")
	expect(t, c.Step(Ticked{Now: 60_006}), "close a")
	if v, _, _ := c.Look("a"); v.Life != Dormant || v.Calls != 3 {
		t.Errorf("%+v", v)
	}
	expect(t, c.Step(Asked{By: Operator, Agent: "a", What: Wake, Ref: "r", Now: 60_007}), "settle r yes; open a")
	expect(t, c.Step(Asked{By: Operator, Agent: "a", What: Hibernate, Ref: "r", Now: 60_008}), "settle r yes")
	expect(t, c.Step(Opened{Agent: "a", Now: 60_009}), "close a")
	expect(t, c.Step(invoke("5", Operator, "a", 60_010)), "settle 5 yes; open a")
	expect(t, c.Step(Opened{Agent: "a", Problem: "no program", Now: 60_011}), "tell 5 error")
	expect(t, c.Step(invoke("6", Operator, "a", 60_012)), "settle 6 yes; open a")
	expect(t, c.Step(Opened{Agent: "a", Now: 60_013}), "start 6")
	expect(t, c.Step(Asked{By: Operator, Agent: "a", What: Terminate, Ref: "r", Now: 60_014}), "settle r yes; stop 6; tell 6 cancelled; close a; archive a")
	expect(t, c.Step(Ended{Call: "6", Status: OK, Now: 60_015}), "")
	expect(t, c.Step(invoke("7", Operator, "a", 60_016)), "settle 7 gone")
	expect(t, c.Step(invoke("8", Operator, "none", 60_016)), "settle 8 unknown")
	expect(t, c.Step(Spawned{By: Operator, Definition: def("a", nil), Ref: "r", Now: 60_017}), "settle r conflict")
}

// TestServiceRetried: a service that cannot be opened is tried again later and later, until it is
// open, or its operator lets it sleep. Other agents wait for a call.
func TestServiceRetried(t *testing.T) {
	c, p := New(0, known(def("a", nil), def("s", func(d *Definition) { d.Service = true })), nil, nil)
	expect(t, p, "open s")
	at := int64(0)
	for _, wait := range []int64{5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000} {
		expect(t, c.Step(Opened{Agent: "s", Problem: "no program", Now: at}), "")
		expect(t, c.Step(Ticked{Now: at + wait - 1}), "")
		at += wait
		expect(t, c.Step(Ticked{Now: at}), "open s")
		expect(t, c.Step(Ticked{Now: at + 1}), "") // it is being opened
	}
	if !c.Failing("s") || c.Failing("a") {
		t.Error("only the service fails")
	}
	expect(t, c.Step(Opened{Agent: "s", Now: at}), "")
	expect(t, c.Step(Ticked{Now: at + 1_000_000}), "")
	if v, _, _ := c.Look("s"); v.Life != Running || c.Failing("s") {
		t.Errorf("%+v", v)
	}
	expect(t, c.Step(Asked{By: Operator, Agent: "s", What: Hibernate, Ref: "r", Now: at}), "settle r yes; close s")
	expect(t, c.Step(Ticked{Now: at + 1_000_000}), "")
	expect(t, c.Step(Asked{By: Operator, Agent: "s", What: Wake, Ref: "r", Now: at}), "settle r yes; open s")
	expect(t, c.Step(Opened{Agent: "s", Problem: "no program", Now: at}), "")
	expect(t, c.Step(Asked{By: Operator, Agent: "s", What: Hibernate, Ref: "r", Now: at}), "settle r yes")
	expect(t, c.Step(Ticked{Now: at + 1_000_000}), "")
	c.Step(invoke("1", Operator, "a", at))
	expect(t, c.Step(Opened{Agent: "a", Problem: "no program", Now: at}), "tell 1 error")
	expect(t, c.Step(Ticked{Now: at + 1_000_000}), "")
}

// TestOnce: the same correlation id is the same call, or a conflict.
func TestOnce(t *testing.T) {
	c, _ := New(0, known(def("a", nil)), nil, nil)
	first := c.Step(invoke("1", Operator, "a", 1))
	again := invoke("2", Operator, "a", 2)
	again.Task, again.Earlier = "1", &first.Calls[0]
	expect(t, c.Step(again), "join 2 1")
	over := c.Step(Ended{Call: "1", Status: OK, Now: 3})
	again.Earlier = &over.Calls[0]
	expect(t, c.Step(again), "join 2 1; tell 1 ok")
	again.Task = "other"
	expect(t, c.Step(again), "settle 2 conflict")
}

// TestCrash: after a crash at any point a call that had started is reported and counted, one that
// waited is made, and one whose time is over ends. Nothing starts twice.
func TestCrash(t *testing.T) {
	files := known(def("a", nil))
	c, p := New(0, files, nil, nil)
	disk := map[string]Invocation{}
	agents := map[string]Agent{}
	started := map[string]int{}
	save := func(p Consequence) {
		for _, a := range p.Agents {
			agents[a.ID] = a
		}
		for _, call := range p.Calls {
			disk[call.ID] = call
		}
	}
	save(p)
	random := rand.New(rand.NewPCG(1, 2))
	var told, acked int
	now := int64(0)
	for n := range 5_000 {
		now += int64(random.IntN(40))
		var o Occurrence
		switch random.IntN(5) {
		case 0, 1:
			o = invoke(fmt.Sprint(n), Operator, "a", now)
		case 2:
			o = Opened{Agent: "a", Now: now}
		case 3:
			o = Ticked{Now: now}
		default:
			for id := range c.calls {
				o = Ended{Call: id, Status: OK, Now: now}
			}
			if o == nil {
				continue
			}
		}
		p := c.Step(o)
		save(p)
		crash := random.IntN(10) == 0
		for _, act := range p.Acts {
			if crash && random.IntN(2) == 0 {
				break // the host dies between two acts
			}
			switch act := act.(type) {
			case StartCall:
				started[act.ID]++
			case Settle:
				if act.Refusal == nil {
					acked++
				}
			case Tell:
				told++
			}
		}
		if !crash {
			continue
		}
		var under []Invocation
		for _, call := range disk {
			if call.Stage != Over {
				under = append(under, call)
			}
		}
		c, p = New(now, files, []Agent{agents["a"]}, under)
		save(p)
	}
	for id, n := range started {
		if n > 1 {
			t.Errorf("call %s started %d times", id, n)
		}
	}
	reported := 0
	for id, call := range disk {
		if call.Stage != Over && c.calls[id] == nil {
			t.Errorf("call %s is lost: %+v", id, call)
		}
		if call.Status == Interrupted {
			reported++
		}
	}
	if len(disk) < acked || acked < 500 || reported < 20 || told < 200 {
		t.Errorf("%d calls on the disk, %d acknowledged, %d interrupted, %d told: too few to mean anything", len(disk), acked, reported, told)
	}
}

// TestLostTalk: a call whose client gave more than the payload is never made without that: if the
// host stops before the call starts, it ends as interrupted. A control without more is made.
func TestLostTalk(t *testing.T) {
	for _, waits := range []bool{false, true} {
		for _, attended := range []bool{false, true} {
			c, _ := New(0, known(def("a", nil)), nil, nil)
			v := invoke("1", outside+"z", "a", 1)
			v.Admitted, v.Waits, v.Attended = true, waits, attended
			saved := c.Step(v).Calls
			again, p := New(2, known(def("a", nil)), nil, saved)
			if waits {
				p = again.Step(Answered{Call: "1", Now: 3})
			}
			p.Calls = append(p.Calls, again.Step(Opened{Agent: "a", Now: 4}).Calls...)
			last := Invocation{}
			for _, call := range p.Calls {
				last = call
			}
			if attended && last.Status != Interrupted || !attended && last.Stage != Started {
				t.Errorf("waits %t, attended %t: %+v", waits, attended, last)
			}
		}
	}
}

// TestWaits: a call that a person has to approve starts after that, also after a crash, and takes
// nothing from the agent before. A caller from outside needs a call that was admitted.
func TestWaits(t *testing.T) {
	c, _ := New(0, known(def("a", func(d *Definition) { d.Quota.Concurrent = 1 })), nil, nil)
	ask := func(id string, now int64) Invoked {
		v := invoke(id, outside+"z", "a", now)
		v.Admitted, v.Waits = true, true
		return v
	}
	p := c.Step(ask("1", 1))
	expect(t, p, "settle 1 yes")
	expect(t, c.Step(ask("2", 1)), "settle 2 yes")
	expect(t, c.Step(Ticked{Now: 900_000}), "")
	expect(t, c.Step(Answered{Call: "1", Now: 900_001}), "open a")
	expect(t, c.Step(Answered{Call: "1", Problem: "no", Now: 900_001}), "")
	expect(t, c.Step(Opened{Agent: "a", Now: 900_002}), "start 1")
	expect(t, c.Step(Answered{Call: "2", Now: 900_003}), "tell 2 error")
	c, again := New(900_004, known(def("a", nil)), nil, []Invocation{p.Calls[0]})
	expect(t, again, "")
	expect(t, c.Step(Answered{Call: "1", Problem: "NotApproved", Now: 900_005}), "tell 1 error")
	stranger := invoke("3", outside+"z", "a", 900_006)
	expect(t, c.Step(stranger), "settle 3 unknown")
}

// TestPermits: what each level of autonomy and each file permits.
func TestPermits(t *testing.T) {
	level := func(n int) func(*Definition) {
		return func(d *Definition) { d.Autonomy, d.Calls = n, []string{"b/*"} }
	}
	files := known(def("b", nil), def("c", nil), def("l0", level(0)), def("l1", level(1)), def("l2", level(2)), def("l3", level(3)), def("l4", level(4)))
	c, _ := New(0, files, nil, nil)
	for _, k := range []struct{ by, to, want string }{
		{Operator, "c", "yes"}, {"l1", "b", Denied}, {"l2", "b", "yes"}, {"l2", "c", Denied}, {"none", "b", Unknown},
	} {
		v := invoke(k.by+k.to, k.by, k.to, 1)
		if got := acts(c.Step(v)); !strings.HasPrefix(got, "settle "+v.ID+" "+k.want) {
			t.Errorf("%s calls %s: %s, want %s", k.by, k.to, got, k.want)
		}
	}
	spawn := func(by, id string, change func(*Definition)) string {
		return acts(c.Step(Spawned{By: by, Definition: def(id, change), Ref: "r", Now: 1}))
	}
	for _, k := range []struct {
		by     string
		change func(*Definition)
		want   string
	}{
		{"l2", level(0), Denied},
		{"l3", level(4), Denied},
		{"l3", func(d *Definition) { d.Autonomy, d.Calls = 2, []string{"*"} }, Denied},
		{"l3", func(d *Definition) { level(2)(d); d.Quota.Memory *= 2 }, Denied},
		{"l3", func(d *Definition) { level(2)(d); d.Quota.Concurrent = 9 }, Denied},
		{"l3", func(d *Definition) { level(2)(d); d.ID = "../x" }, Form},
		{"l3", level(2), "yes"},
	} {
		if got := spawn(k.by, "child", k.change); got != "settle r "+k.want {
			t.Errorf("%s spawns: %s, want %s", k.by, got, k.want)
		}
	}
	for n := range DefaultQuota().Spawned {
		want := "settle r yes"
		if n == DefaultQuota().Spawned-1 {
			want = "settle r busy"
		}
		if got := spawn("l3", fmt.Sprint("child-", n), level(2)); got != want {
			t.Errorf("child %d: %s, want %s", n, got, want)
		}
	}
	for _, k := range []struct{ by, to, want string }{
		{"l2", "child", Denied}, {"l3", "child", "yes"}, {"l3", "b", Denied}, {"l4", "b", "yes"}, {"l4", "l4", Denied}, {Operator, "l4", "yes"},
	} {
		if got := acts(c.Step(Asked{By: k.by, Agent: k.to, What: Terminate, Ref: "r", Now: 2})); !strings.HasPrefix(got, "settle r "+k.want) {
			t.Errorf("%s terminates %s: %s, want %s", k.by, k.to, got, k.want)
		}
	}
	if c.May("c", ActRecall, "l2") == nil || c.May("c", ActRecall, "c") != nil || c.May(Operator, ActRecall, "c") != nil {
		t.Error("an agent has its own memory, and no other")
	}
}

// TestLeases: each delegate has its own number of copies of a deployer, and a copy ends with the
// delegation, also one that is awake.
func TestLeases(t *testing.T) {
	t.Parallel()
	c, _ := New(0, known(def("d", func(d *Definition) { d.Autonomy, d.Quota.Spawned = LevelSpawns, 1 })), nil, nil)
	for _, k := range []struct{ id, delegate, want string }{
		{"carol-1", "carol", "yes; open carol-1"}, {"carol-2", "carol", Busy}, {"dave-1", "dave", "yes; open dave-1"}, {"own-1", "", "yes; open own-1"}, {"own-2", "", Busy},
	} {
		s := Spawned{By: "d", Definition: def(k.id, func(d *Definition) { d.Service, d.Quota.Spawned = true, 0 }), Ref: "r", Now: 1}
		if k.delegate != "" {
			s.Lease = Lease{k.delegate, "link of " + k.delegate, 100}
		}
		if k.delegate == "dave" {
			s.Lease.Until = 0
		}
		expect(t, c.Step(s), "settle r "+k.want)
	}
	c.Step(Opened{Agent: "carol-1", Now: 2})
	expect(t, c.Step(invoke("1", Operator, "carol-1", 3)), "settle 1 yes; start 1")
	expect(t, c.Step(Ticked{Now: 99}), "")
	expect(t, c.Step(Ticked{Now: 100}), "stop 1; tell 1 cancelled; close carol-1; archive carol-1")
	expect(t, c.Step(Ticked{Now: 101}), "")
	if l := c.Leases(); len(l) != 1 || l["dave-1"].Link != "link of dave" {
		t.Errorf("living agents with leases: %v", l)
	}
}

// TestBudget: a call is refused if it could bring the agent above what its file allows, also with
// calls under way, and an interrupted call counts as if it had spent all.
func TestBudget(t *testing.T) {
	d := def("a", func(d *Definition) { d.Quota.Concurrent, d.Quota.Tokens, d.Quota.TotalTokens = 9, 10, 25 })
	c, _ := New(0, known(d), nil, nil)
	c.Step(invoke("1", Operator, "a", 1))
	c.Step(invoke("2", Operator, "a", 1))
	expect(t, c.Step(invoke("3", Operator, "a", 1)), "settle 3 budget")
	c.Step(Opened{Agent: "a", Now: 2})
	p := c.Step(Ended{Call: "1", Status: OK, Tokens: 4, Now: 3})
	expect(t, c.Step(invoke("4", Operator, "a", 4)), "settle 4 yes; start 4")
	expect(t, c.Step(invoke("5", Operator, "a", 4)), "settle 5 budget")
	two := *c.calls["2"]
	c, _ = New(5, known(d), []Agent{p.Agents[len(p.Agents)-1]}, []Invocation{two})
	if v, _, _ := c.Look("a"); v.Tokens != 14 {
		t.Errorf("%d tokens", v.Tokens)
	}
	d.Quota.TotalMicros, d.Quota.Micros = 5, 6
	c, _ = New(0, known(d), nil, nil)
	expect(t, c.Step(invoke("1", Operator, "a", 1)), "settle 1 budget")
}

// TestInside: a call that another call made ends with it, and calls inside calls are bounded.
func TestInside(t *testing.T) {
	c, _ := New(0, known(def("a", nil), def("b", nil)), nil, nil)
	c.Step(invoke("1", Operator, "a", 1))
	c.Step(Opened{Agent: "a", Now: 1})
	inner := invoke("2", "a", "b", 2)
	inner.Parent, inner.Depth = "1", 1
	expect(t, c.Step(inner), "settle 2 yes; open b")
	c.Step(Opened{Agent: "b", Now: 2})
	expect(t, c.Step(Ended{Call: "1", Status: TimedOut, Now: 3}), "tell 1 timeout; stop 2; tell 2 cancelled")
	expect(t, c.Step(inner), "settle 2 gone")
	deep := invoke("3", "a", "b", 2)
	deep.Depth = maxDepth + 1
	expect(t, c.Step(deep), "settle 3 denied")
	late := invoke("5", Operator, "b", 2)
	late.Timeout = DefaultQuota().Time.Milliseconds() + 1
	expect(t, c.Step(late), "settle 5 form")
}

// TestValidate: an error names the field, its limits and the fix.
func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Definition){
		"id is":                            func(d *Definition) { d.ID = "A" },
		`id is "operator"`:                 func(d *Definition) { d.ID = Operator },
		"capabilities has 0":               func(d *Definition) { d.Capabilities = nil },
		"capabilities[1].name":             func(d *Definition) { d.Capabilities = append(d.Capabilities, d.Capabilities[0]) },
		"calls[0] is":                      func(d *Definition) { d.Calls = []string{"a"} },
		"autonomy is 5; set it to 0 to 4":  func(d *Definition) { d.Autonomy = 5 },
		"limits.memory_mb is 1; set it to": func(d *Definition) { d.Quota.Memory = 1 << 20 },
		"limits.time is 0s; set it to":     func(d *Definition) { d.Quota.Time = 0 },
		"description has":                  func(d *Definition) { d.Description = strings.Repeat("x", 3_000) },
	} {
		if err := def("a", change).Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if err := def("a", nil).Validate(); err != nil {
		t.Error(err)
	}
}

// TestRemote: addresses on other hosts are read and written, and what is none of them is refused.
func TestRemote(t *testing.T) {
	const key = "z6MkfPkNBpncLsovoiT236ie9UczsHu8Gwtkq2RjLT3TxaKW"
	const peer, relay = "12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN", "12D3KooWKnDdG3iXw9eTFijk3EWSunZcFi54Zka4wmtqtt6rPxc8"
	for _, text := range []string{
		"agent://" + peer + "@w.local:4801/a/b", "agent://" + peer + "+" + relay + "@[2001:db8::1]:4801/a/*",
		"agent://worker.local:8081/worker-01/execute", "agent://" + key + "@10.0.0.7:4800/a/b.c", "agent://[2001:db8::1]:1/a/*",
	} {
		r, err := ParseRemote(text)
		if err != nil || r.String() != text || !IsRemote(text) {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
		if _, err := ParseTarget(text); err == nil {
			t.Errorf("%q is taken as an address on this host", text)
		}
	}
	for _, text := range []string{
		"agent://a/b", "worker.local:8081/a/b", "agent://worker.local/a/b", "agent://h:0/a/b", "agent://h:70000/a/b", "agent://h:1/../b",
		"agent://" + peer + "/a/b", "agent://" + peer + "+" + peer + "@h:1/a/b", "agent://" + peer + "+@h:1/a/b", "agent://" + key + "+" + relay + "@h:1/a/b",
		"agent://" + peer + "x@h:1/a/b", "agent://" + strings.Replace(peer, "D", "0", 1) + "@h:1/a/b", "agent://" + peer + "+" + relay + "+" + relay + "@h:1/a/b",
		"agent://h:1/a", "agent://h:1/a/b/c", "agent://x@h:1/a/b", "agent://u:p@h:1/a/b", "agent://h_:1/a/b", "agent://h:1/operator/b",
		"agent://" + strings.Repeat("h", 300) + ":1/a/b", "agent://h:1/a/b?x", "agent://h:1/A/b", "agent://h%2f:1/a/b",
	} {
		if r, err := ParseRemote(text); err == nil {
			t.Errorf("%q is taken: %+v", text, r)
		}
	}
	file, err := ParseRemote("agent://" + key + "@h:1/a/*")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"agent://h:1/a/b": true, "agent://" + key + "@h:1/a/b": true, "agent://h:2/a/b": false, "agent://g:1/a/b": false, "agent://h:1/ab/b": false,
		"agent://" + strings.Replace(key, "f", "g", 1) + "@h:1/a/b": false,
	} {
		if to, err := ParseRemote(text); err != nil || file.Covers(to) != want {
			t.Errorf("%q: %t, %v", text, !want, err)
		}
	}
	for text, want := range map[string]string{
		peer + "@10.0.0.7:4801":              "/ip4/10.0.0.7/tcp/4801/p2p/" + peer,
		peer + "+" + relay + "@w.local:4801": "/dns/w.local/tcp/4801/p2p/" + relay + "/p2p-circuit/p2p/" + peer,
		peer + "@[2001:db8::1]:1":            "/ip6/2001:db8::1/tcp/1/p2p/" + peer,
	} {
		to, err := ParseRemote("agent://" + text + "/a/b")
		if err != nil {
			t.Fatal(err)
		}
		if at, err := to.Multiaddr(); err != nil || at != want || file.Covers(to) {
			t.Errorf("%s: %s, %v", text, at, err)
		}
		if one := (Remote{Peer: peer, Host: to.Host, Target: to.Target}); one.Covers(to) != (to.Relay == "") {
			t.Errorf("%s: a file without a relay covers it: %t", text, one.Covers(to))
		}
	}
}

// FuzzParseTarget: an address that can be read is written as it was read, and no id has a slash.
func FuzzParseTarget(f *testing.F) {
	for _, text := range []string{"agent://a/b", "a/b", "agent://host:80/a/b", "agent://z6MkfPkNBpncLsovoiT236ie9UczsHu8Gwtkq2RjLT3TxaKW@[::1]:80/a/*", "agent://../b", "//", "agent://a/b/c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := ParseRemote(text); err == nil {
			if again, err := ParseRemote(r.String()); err != nil || again != r || strings.ContainsAny(r.Agent, "/.:@") {
				t.Errorf("%q: %+v, %v", text, r, err)
			}
		}
		a, err := ParseTarget(text)
		if err != nil {
			return
		}
		if again, err := ParseTarget(a.String()); err != nil || again != a || strings.ContainsAny(a.Agent, "/.:") || strings.Contains(a.Capability, "/") {
			t.Errorf("%q: %+v, %v", text, a, err)
		}
		if raw, err := json.Marshal(a); err != nil || len(raw) > 200 {
			t.Errorf("%s, %v", raw, err)
		}
	})
}

// TestModelless: a program whose host is killed in a call, or whose caller withdraws it, used no
// tokens, so it is never refused for a budget that it did not spend. One with a model counts as if
// it had spent all.
func TestModelless(t *testing.T) {
	t.Parallel()
	for _, program := range []bool{true, false} {
		d := def("a", func(d *Definition) {
			d.Modelless, d.Quota.TotalTokens, d.Quota.TotalMicros = program, 2*d.Quota.Tokens, 2*d.Quota.Micros
		})
		started := invoke("1", Operator, "a", 1).Invocation
		started.Stage, started.Accepted, started.Started = Started, 1, 1
		agent := Agent{ID: "a", DID: "z", Life: Running}
		if program {
			agent.Tokens = 3 * d.Quota.Tokens // as an earlier version counted
		}
		before := agent.Tokens
		c, _ := New(2, known(d), []Agent{agent}, []Invocation{started})
		c.Step(Opened{Agent: "a", Now: 2})
		c.Step(invoke("2", Operator, "a", 2))
		c.Step(Opened{Agent: "a", Now: 2})
		c.Step(Withdrawn{By: Operator, Call: "2", Ref: "w", Now: 3})
		used, want := c.agents["a"].Tokens-before, 2*d.Quota.Tokens
		if program {
			want = 0
		}
		if used != want {
			t.Errorf("program %t: %d tokens are counted, want %d", program, used, want)
		}
		refused := false
		for _, a := range c.Step(invoke("3", Operator, "a", 4)).Acts {
			s, ok := a.(Settle)
			refused = refused || ok && s.Refusal != nil && s.Refusal.Code == Budget
		}
		if refused == program {
			t.Errorf("program %t: refused for its budget %t", program, refused)
		}
	}
}
