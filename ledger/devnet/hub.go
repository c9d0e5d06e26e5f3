package devnet

import (
	"cmp"
	"log/slog"
	"slices"
	"sync"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
)

// topic is the kind of a subscription.
type topic uint8

const (
	topicAccount topic = iota
	topicProgram
	topicLogs
	topicSignature
	topicSlot
	topicRoot
	topicUpdates
)

// name is the first part of the methods' names: accountSubscribe, accountUnsubscribe,
// accountNotification.
func (t topic) name() string {
	return [...]string{"account", "program", "logs", "signature", "slot", "root", "slotsUpdates"}[t]
}

// address is the key of subscriptions: their topic and, if there is one, the address.
type address struct {
	topic topic
	key   solana.PublicKey // of the account, the program or the mention
	every bool             // logs of every transaction
	sig   solana.Signature
}

// subscription is one socket's subscription.
type subscription struct {
	id      uint64
	socket  *socket
	address address
	level   bank.Level
	config  programConfig // encoding, slice, filters
	receipt bool          // of a signature: also report its receipt
}

// hub reports the chain's events to subscribers. It records how far they were informed, so that
// they get each event once and not too early.
type hub struct {
	config  Config
	log     *slog.Logger
	metrics *metrics
	bank    *bank.Bank

	// mu is locked after the journal's lock and before the bank's. A holder must not wait for the
	// disk.
	mu      sync.Mutex
	closed  bool
	lastID  uint64
	sockets map[*socket]struct{}
	where   map[address]map[uint64]*subscription
	group   sync.WaitGroup

	told struct {
		next            uint64 // sequence of the next transaction
		confirmed, root uint64 // slots
	}
}

func newHub(c Config, log *slog.Logger, m *metrics) *hub {
	return &hub{
		config: c, log: log, metrics: m,
		sockets: map[*socket]struct{}{}, where: map[address]map[uint64]*subscription{},
	}
}

// start takes over the state of a chain.
func (h *hub) start(b *bank.Bank) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bank = b
	b.Read(bank.Processed, func(v *bank.View) { h.told.next, h.told.root = v.Transactions(), v.Root() })
	b.Read(bank.Confirmed, func(v *bank.View) { h.told.confirmed = v.Slot() })
}

// at lists the subscriptions at an address and a level, oldest first.
func (h *hub) at(a address, level bank.Level) []*subscription {
	var out []*subscription
	for _, s := range h.where[a] {
		if s.level == level {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *subscription) int { return cmp.Compare(a.id, b.id) })
	return out
}

// add registers a subscription and returns its id. Ids begin with 1, because clients take 0 for
// none.
func (h *hub) add(s *subscription) uint64 {
	h.lastID++
	s.id = h.lastID
	if h.where[s.address] == nil {
		h.where[s.address] = map[uint64]*subscription{}
	}
	h.where[s.address][s.id] = s
	s.socket.subscriptions[s.id] = s
	h.metrics.subscription(1)
	return s.id
}

func (h *hub) remove(s *subscription) {
	delete(s.socket.subscriptions, s.id)
	delete(h.where[s.address], s.id)
	if len(h.where[s.address]) == 0 {
		delete(h.where, s.address)
	}
	h.metrics.subscription(-1)
}

// publish reports an event to its subscribers. It is the bank's observer.
func (h *hub) publish(e bank.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note(e)
	if len(h.sockets) == 0 {
		return
	}
	h.tellAccounts(e)
	for _, t := range e.Transactions {
		h.tellLogs(e, t)
		h.tellSignature(e, t)
	}
	h.tellSlots(e)
}

// note records how far subscribers were informed.
func (h *hub) note(e bank.Event) {
	switch e.Level {
	case bank.Processed:
		for _, t := range e.Transactions {
			h.told.next = t.Sequence + 1
		}
	case bank.Confirmed:
		h.told.confirmed = e.Slot
	case bank.Finalized:
		h.told.root = e.Slot
	}
}

// disconnect closes all sockets with a handshake.
func (h *hub) disconnect() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.sockets {
		s.goodbye()
	}
}

// close ends all sockets, takes no new ones and waits for their goroutines.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.disconnect()
	h.group.Wait()
}
