package process

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ethernetSwitch is an Ethernet switch in this process that connects the machines of a lan. It
// makes loss, delay and cuts of one direction, because the kernels of CI machines often lack netem.
// It forwards frames with the kernel's header for checksums and segments, so these stay switched
// on.
type ethernetSwitch struct {
	lan   *lan
	ports []*switchPort
	mu    sync.Mutex
	rules map[[2]int]rule // from, to: by number of the port
	stop  chan struct{}
	done  sync.WaitGroup
}

// switchPort is the end of a machine's cable.
type switchPort struct {
	*space
	number int
	socket int
	mac    [6]byte
}

// rule says what happens to frames in one direction. The zero rule passes them.
type rule struct {
	cut   bool
	loss  int // percent
	delay time.Duration
	flap  time.Duration // cut for this time, then open for this time
}

const vnetHeader = 10 // struct virtio_net_hdr

// newEthernetSwitch returns a switch without machines. Add them before it serves.
func newEthernetSwitch(n *lan) *ethernetSwitch {
	e := &ethernetSwitch{lan: n, rules: map[[2]int]rule{}, stop: make(chan struct{})}
	n.t.Cleanup(func() {
		close(e.stop)
		e.done.Wait()
		for _, p := range e.ports {
			n.must(unix.Close(p.socket))
		}
	})
	return e
}

// machine makes a namespace that is plugged into the switch.
func (e *ethernetSwitch) machine() *space {
	n := e.lan
	n.t.Helper()
	p := &switchPort{number: len(e.ports), space: n.space(fmt.Sprintf("10.77.0.%d", 10+n.last))}
	p.mac = [6]byte{2, 0x77, 0, 0, 0, byte(n.last)}
	p.port = fmt.Sprintf("port%d", n.last)
	n.must(n.hub.ip4("link", "add", p.port, "type", "veth", "peer", "name", "eth0", "address", net.HardwareAddr(p.mac[:]).String(), "netns", p.name),
		n.hub.ip4("link", "set", p.port, "up"), p.ip4("addr", "add", p.ip+"/24", "dev", "eth0"), p.ip4("link", "set", "eth0", "up"))
	n.must(n.hub.do(func() (err error) {
		p.socket, err = tap(p.port)
		return err
	}))
	e.mu.Lock()
	e.ports = append(e.ports, p)
	e.mu.Unlock()
	e.done.Go(func() { e.carry(p) })
	return p.space
}

// tap opens a socket that receives and sends whole frames of an interface.
func tap(name string) (int, error) {
	link, err := net.InterfaceByName(name)
	if err != nil {
		return 0, err
	}
	all := binary.BigEndian.Uint16([]byte{0, unix.ETH_P_ALL})
	all = all<<8 | all>>8
	s, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(unix.SetsockoptInt(s, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1), unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_RCVBUF, 8<<20),
		unix.SetsockoptTimeval(s, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 200_000}),
		unix.Bind(s, &unix.SockaddrLinklayer{Protocol: all, Ifindex: link.Index})); err != nil {
		return 0, errors.Join(err, unix.Close(s))
	}
	return s, nil
}

// carry forwards the frames of a machine to their destination.
func (e *ethernetSwitch) carry(from *switchPort) {
	frame := make([]byte, 128<<10)
	for {
		select {
		case <-e.stop:
			return
		default:
		}
		n, address, err := unix.Recvfrom(from.socket, frame, 0)
		if link, ok := address.(*unix.SockaddrLinklayer); err != nil || n < vnetHeader+14 || ok && link.Pkttype == unix.PACKET_OUTGOING {
			continue // no frame, or a frame from this switch
		}
		e.mu.Lock()
		ports := slices.Clone(e.ports)
		e.mu.Unlock()
		for _, to := range ports {
			if mac := frame[vnetHeader : vnetHeader+6]; to != from && (mac[0]&1 == 1 || [6]byte(mac) == to.mac) {
				e.bring(from, to, frame[:n])
			}
		}
	}
}

// bring forwards a frame by the rule of its direction. The frame is lost if the queue is full, as
// in a real switch, or if the machine is already removed at the end.
func (e *ethernetSwitch) bring(from, to *switchPort, frame []byte) {
	e.mu.Lock()
	r := e.rules[[2]int{from.number, to.number}]
	e.mu.Unlock()
	if r.cut || r.flap > 0 && time.Now().UnixNano()/int64(r.flap)%2 == 0 || rand.IntN(100) < r.loss {
		return
	}
	if r.delay == 0 {
		e.put(to, frame)
		return
	}
	late := slices.Clone(frame)
	time.AfterFunc(r.delay, func() {
		select {
		case <-e.stop:
		default:
			e.put(to, late)
		}
	})
}

func (e *ethernetSwitch) put(to *switchPort, frame []byte) {
	if _, err := unix.Write(to.socket, frame); err != nil && !errors.Is(err, unix.ENOBUFS) && !errors.Is(err, unix.ENETDOWN) && !errors.Is(err, unix.ENXIO) {
		e.lan.t.Errorf("a frame to %s: %v", to.ip, err)
	}
}

// between changes the rule of a direction.
func (e *ethernetSwitch) between(from, to int, change func(*rule)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.rules[[2]int{from, to}]
	change(&r)
	e.rules[[2]int{from, to}] = r
}

// heal removes all rules.
func (e *ethernetSwitch) heal() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.rules)
	return nil
}

// set changes the network. WHO is j1, j2, … or chain, several with commas:
//
//	cut WHO WHO        both ways between every two of them; "all" is everybody else
//	oneway WHO WHO     frames of the first do not reach the second
//	loss PERCENT       everywhere
//	delay TIME         everywhere, one way
//	flap WHO WHO TIME  cut every other so long
func (e *ethernetSwitch) set(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("links %v", args)
	}
	switch args[0] {
	case "cut", "oneway", "flap":
		return e.divide(args)
	case "loss":
		percent, err := strconv.Atoi(args[1])
		e.everywhere(func(r *rule) { r.loss = percent })
		return err
	case "delay":
		d, err := time.ParseDuration(args[1])
		e.everywhere(func(r *rule) { r.delay = d })
		return err
	}
	return fmt.Errorf("links %v", args)
}

func (e *ethernetSwitch) everywhere(change func(*rule)) {
	for from := range e.ports {
		for to := range e.ports {
			e.between(from, to, change)
		}
	}
}

func (e *ethernetSwitch) divide(args []string) (err error) {
	if len(args) < 3 {
		return fmt.Errorf("links %v", args)
	}
	change := func(r *rule) { r.cut = true }
	if args[0] == "flap" {
		var d time.Duration
		if d, err = time.ParseDuration(args[len(args)-1]); err != nil {
			return err
		}
		change = func(r *rule) { r.flap = d }
	}
	for _, a := range e.who(args[1], "") {
		for _, b := range e.who(args[2], args[1]) {
			e.between(a, b, change)
			if args[0] != "oneway" {
				e.between(b, a, change)
			}
		}
	}
	return nil
}

// who returns the ports of a list of names. "all" means every port that is not in the other list.
// Port 0 is the chain's, port n that of jn.
func (e *ethernetSwitch) who(names, but string) (out []int) {
	if names == "all" {
		not := e.who(but, "")
		for i := range e.ports {
			if !slices.Contains(not, i) {
				out = append(out, i)
			}
		}
		return out
	}
	for name := range strings.SplitSeq(names, ",") {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "j")); err == nil {
			out = append(out, n)
		}
		if name == "chain" {
			out = append(out, 0)
		}
	}
	return out
}

// browser returns an HTTP client on the machine.
func (s *space) browser() *http.Client {
	return &http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		return s.dial(ctx, network, address)
	}}}
}
