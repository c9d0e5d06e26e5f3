package process

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scenario is a file of steps, one a line, with comments after #. WHO is a seat (j1, j2, …), chain,
// or "all", which means the seats. "it" is the seat that the last reach found.
//
//	arm WHO POINT      makes it stop at the point (see breakpoints), in this or a later case
//	open               brings a dispute before the court
//	reach WHO POINT    waits until it is there; "any" is the first armed seat, and disarms the others
//	go WHO             lets it continue
//	kill WHO           kill -9
//	start WHO
//	pause WHO TIME     SIGSTOP, and SIGCONT after that time
//	image WHO          copies the disk of a judge that does not run
//	back WHO           replaces its disk by that copy
//	wipe WHO           loses its disk except the keys
//	fill WHO, room WHO fills its disk, and frees the space again (a small tmpfs in some scenarios)
//	dies WHO           waits until it ends by itself
//	wait TIME
//	until N commits, until N reveals, until N round, until decided
//	may-miss WHO       this seat may be absent in the end; all others may not
//	links …            changes the network: see links_linux_test.go
//	healed             heals the network and measures how long until all links and votes are back
//	end                waits for the end of the case and checks it
type scenario struct {
	name  string
	steps [][]string
}

var scenarioFlag = flag.String("scenarios", "", "which scenarios: all, or names with commas; empty: a few")

// scenarios reads the files of a folder. few names those of the short form.
func scenarios(t *testing.T, folder string, few ...string) (out []scenario) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		chosen := few
		if *scenarioFlag != "" {
			chosen = strings.Split(*scenarioFlag, ",")
		}
		if *scenarioFlag != "all" && !slices.Contains(chosen, name) {
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := scenario{name: name}
		for line := range strings.Lines(string(raw)) {
			text, _, _ := strings.Cut(line, "#")
			if fields := strings.Fields(text); len(fields) > 0 {
				s.steps = append(s.steps, fields)
			}
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		t.Logf("no scenario of %s is chosen", folder)
	}
	return out
}

// play is a running scenario.
type play struct {
	*laboratory
	task   string
	it     *seat
	images map[string]string
	may    []string // seats that may be absent
	armed  []*seat
	links  linker
	heal   time.Duration // how long healing took
}

// linker changes the network of a court.
type linker interface {
	set(args []string) error
	heal() error
}

// play plays a scenario.
func (c *laboratory) play(t *testing.T, s scenario, links linker) *play {
	t.Helper()
	p := &play{laboratory: c, images: map[string]string{}, links: links}
	was := c.t
	c.t = t
	defer func() { c.t = was }()
	for _, step := range s.steps {
		p.step(step)
	}
	for _, s := range c.seats {
		if s.cmd == nil {
			t.Errorf("%s is down at the end of the scenario", s.name)
		}
	}
	return p
}

// who returns the seats that a word names.
func (p *play) who(name string) []*seat {
	p.t.Helper()
	if name == "all" {
		return p.seats
	}
	if name == "it" {
		return []*seat{p.it}
	}
	i := slices.IndexFunc(p.seats, func(s *seat) bool { return s.name == name })
	if i < 0 {
		p.t.Fatalf("nobody is called %q", name)
	}
	return p.seats[i : i+1]
}

func (p *play) duration(text string) time.Duration {
	p.t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		p.t.Fatal(err)
	}
	return d
}

// step does one step.
func (p *play) step(step []string) {
	p.t.Helper()
	verb, args := step[0], step[1:]
	arg := func(i int) string {
		if i >= len(args) {
			p.t.Fatalf("step %q: something is missing", strings.Join(step, " "))
		}
		return args[i]
	}
	switch verb {
	case "open":
		p.task = p.open()
	case "wait":
		<-time.After(p.duration(arg(0)))
	case "until":
		p.untilCase(args)
	case "end":
		p.end()
	case "links":
		if err := p.links.set(args); err != nil {
			p.t.Fatal(err)
		}
	case "healed":
		p.healed()
	case "may-miss":
		p.may = append(p.may, arg(0))
	case "reach":
		p.reach(arg(0), strings.Join(args[1:], " "))
	default:
		if arg(0) == "chain" {
			p.chainStep(verb)
			return
		}
		for _, s := range p.who(arg(0)) {
			p.seatStep(verb, s, args[1:])
		}
	}
}

func (p *play) chainStep(verb string) {
	p.t.Helper()
	switch verb {
	case "kill":
		p.processes.kill(p.chain)
	case "start":
		p.openChain()
	default:
		p.t.Fatalf("the chain cannot %s", verb)
	}
}

func (p *play) seatStep(verb string, s *seat, args []string) {
	p.t.Helper()
	switch verb {
	case "arm":
		s.order("arm " + strings.Join(args, " "))
		p.armed = append(p.armed, s)
	case "go":
		s.order("go")
	case "kill":
		s.kill()
	case "start":
		s.start()
	case "pause":
		s.signal(syscall.SIGSTOP)
		<-time.After(p.duration(args[0]))
		s.signal(syscall.SIGCONT)
	case "image":
		p.images[s.name] = s.image()
	case "back":
		s.putBack(p.images[s.name])
	case "wipe":
		s.wipe()
	case "fill":
		s.fill()
	case "room":
		s.room()
	case "dies":
		s.dies()
	default:
		p.t.Fatalf("nobody can %s", verb)
	}
}

// reach waits for a seat, or for the first of the armed seats. Then it disarms the others.
func (p *play) reach(name, point string) {
	p.t.Helper()
	if name != "any" {
		p.it = p.who(name)[0]
		p.it.reached(point)
		return
	}
	looked := time.Now()
	p.until("somebody at "+point, func() bool {
		for _, s := range p.armed {
			select {
			case text := <-s.said:
				if text == "at "+point {
					p.it = s
					return true
				}
				p.t.Fatalf("%s says %q", s.name, text)
			default:
			}
		}
		if time.Since(looked) > 2*time.Second { // a judge in the chain's process came first: try again
			if looked = time.Now(); len(p.now(p.task).Seats) > 0 {
				p.task = p.open()
			}
		}
		return false
	})
	for _, s := range p.armed { // the other seats do not stop there
		if s != p.it {
			s.order("disarm")
		}
	}
	p.armed = nil
}

func (s *seat) signal(sig syscall.Signal) {
	s.court.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.court.t.Fatal(err)
	}
}

// dies waits until the process ends by itself, as it must if its disk fails.
func (s *seat) dies() {
	s.court.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case err := <-done:
		if err == nil {
			s.court.t.Errorf("%s ended without an error", s.name)
		}
	case <-time.After(patience):
		s.court.t.Fatalf("%s goes on\n%s", s.name, s.tail())
	}
	s.cmd = nil
}

// untilCase waits for a moment of the case.
func (p *play) untilCase(args []string) {
	p.t.Helper()
	what := strings.Join(args, " ")
	p.until(what, func() bool {
		v := p.now(p.task)
		if what == "decided" {
			return v.Over
		}
		n, err := strconv.Atoi(args[0])
		if err != nil || len(args) != 2 {
			p.t.Fatalf("until %s", what)
		}
		return args[1] == "round" && int(v.Round) >= n || args[1] == "commits" && v.Committed >= n || args[1] == "reveals" && v.Revealed >= n
	})
}

// end waits for the end of the case and checks how it ended.
func (p *play) end() {
	p.t.Helper()
	v := p.ended(p.task)
	if v.Verdict != "accept" {
		p.t.Errorf("the case ended %s", v.Verdict)
	}
	for _, name := range p.sound(p.task, v) {
		if !slices.Contains(p.may, name) {
			p.t.Errorf("%s was absent in round %d", name, v.Round)
		}
	}
	p.t.Logf("%d of %d seats revealed, round %d", v.Revealed, len(v.Seats), v.Round)
}
