package holdings

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/client"
	"ojud/node/library"
	"ojud/p2p"
	"ojud/p2p/identity"
)

// keyStream is the name of the protocol by which keys are handed over (protocol section 9).
const keyStream = "data-key"

// Times of a request for a key.
const (
	findTime = 15 * time.Second // to find hosts that announce the data
	maxHosts = 8                // that are asked
)

func limits() p2p.StreamLimits {
	l := p2p.DefaultLimits()
	l.MaxRequest, l.MaxResponse, l.Concurrency, l.PerPeer, l.RatePerPeer, l.Burst = maxMessage, maxMessage, 16, 2, 2, 8
	return l
}

// Net is how a host joins the network of a court.
type Net struct {
	Listen []string // multiaddrs; empty: a free port, on loopback if the court is on this machine
	Log    *slog.Logger
}

// whole fills in what is missing.
func (n Net) whole() Net {
	if n.Log == nil {
		n.Log = slog.New(slog.DiscardHandler)
	}
	return n
}

// open starts a host with a key of its own: agents prove who they are by what they sign.
func (n Net) open(ctx context.Context, c *client.Client) (*p2p.Host, error) {
	court := c.Network()
	local, private, err := library.Near(court)
	if err != nil {
		return nil, err
	}
	cfg := p2p.DefaultConfig()
	cfg.Network, cfg.Bootstrap, cfg.LibraryMetrics, cfg.Listen = court.Name, court.Bootstrap, false, n.Listen
	cfg.Reach = p2p.Brief()
	if private {
		cfg.Addresses, cfg.ObserveAddrs = p2p.AddressesPrivate, false
	}
	if len(cfg.Listen) == 0 {
		cfg.Listen = p2p.Anywhere(0)
		if local {
			cfg.Listen = []string{"/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/udp/0/quic-v1"}
		}
	}
	id, err := identity.New(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("holdings: %w", err)
	}
	h, err := p2p.New(ctx, cfg, id, p2p.Deps{Logger: n.Log})
	if err != nil {
		return nil, err
	}
	if err := n.join(ctx, h, court.Bootstrap); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// join connects a host to the bootstrap nodes of its court. A node that does not answer is left
// out.
func (n Net) join(ctx context.Context, h *p2p.Host, nodes []string) error {
	infos, err := library.Peers(nodes)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, info := range infos {
		all.Go(func() {
			if err := h.Connect(ctx, info); err != nil {
				n.Log.Debug("bootstrap node does not answer", "peer", info.ID, "err", err)
			}
		})
	}
	all.Wait()
	return nil
}

// place is what a host announces in the DHT for an item.
func place(at casefile.Address) []byte { return append([]byte("ojud/data/"), at[:]...) }

// Giver hands over the keys of the private items of one agent.
type Giver struct {
	c      *client.Client
	office client.Office
	own    *transact.Keypair
	host   *p2p.Host
	log    *slog.Logger
	keep   func(Receipt) error
}

// Serve opens a giver for the client's agent. It keeps each receipt before it answers; if that
// fails, it hands nothing over.
func Serve(ctx context.Context, c *client.Client, own *client.Keypair, n Net, keep func(Receipt) error) (*Giver, error) {
	n = n.whole()
	host, err := n.open(ctx, c)
	if err != nil {
		return nil, err
	}
	h := &Giver{c: c, office: client.OfficeOf(c), own: own, host: host, log: n.Log, keep: keep}
	if err := host.Handle(keyStream, limits(), h.answer); err != nil {
		return nil, errors.Join(fmt.Errorf("holdings: %w", err), host.Close())
	}
	return h, nil
}

// Close leaves the network.
func (h *Giver) Close() error { return h.host.Close() }

// Addrs returns where the giver is reached.
func (h *Giver) Addrs() (out []string, err error) {
	all, err := h.host.Addrs()
	for _, a := range all {
		out = append(out, a.String())
	}
	return out, err
}

// Announce tells the network that the private items of the agent can be requested here, and returns
// how many it has.
func (h *Giver) Announce(ctx context.Context) (n int, err error) {
	all, err := List(ctx, h.c, h.own.Address())
	if err != nil {
		return 0, err
	}
	for _, i := range all {
		if !i.Private {
			continue
		}
		n++
		if err := h.host.Provide(ctx, place(i.Data)); err != nil && !errors.Is(err, p2p.ErrAlone) { // the host goes on trying
			return n, fmt.Errorf("holdings: announcing %s: %w", i.Name, err)
		}
	}
	return n, nil
}

// refused is a refusal that the asker may read.
func refused(format string, args ...any) error {
	return p2p.Fail(p2p.ErrRefused, fmt.Sprintf(format, args...))
}

// answer hands a key over, or refuses with the reason.
func (h *Giver) answer(ctx context.Context, from peer.ID, raw []byte) ([]byte, error) {
	q, err := decode[KeyRequest](raw)
	if err != nil {
		return nil, p2p.Fail(p2p.ErrBadRequest, "this is no request for a key")
	}
	if q.From != from.String() || q.To != h.host.ID().String() {
		return nil, refused("the request is for another connection")
	}
	if err := q.Verify(); err != nil {
		return nil, refused("the request is not signed by %s", q.Asker)
	}
	r, err := h.hand(ctx, q)
	if err != nil {
		h.log.Info("a key is not handed over", "asker", q.Asker, "data", q.Data, "task", q.Task, "why", err)
		return nil, err
	}
	if err := h.keep(r); err != nil {
		return nil, fmt.Errorf("holdings: keeping a receipt: %w", err)
	}
	return json.Marshal(r)
}

// hand checks the grant on the chain, and makes the receipt with the key.
func (h *Giver) hand(ctx context.Context, q KeyRequest) (Receipt, error) {
	if q.Network.String() != h.c.Network().Network || q.Program != casefile.Address(h.office.Program().ID()) {
		return Receipt{}, refused("the request is for another court")
	}
	i, err := Get(ctx, h.c, Where{Data: onchain.Address(q.Data)})
	switch {
	case errors.Is(err, ErrNone) || err == nil && i.Owner != casefile.Address(h.own.Address()):
		return Receipt{}, p2p.Fail(p2p.ErrNotFound, "this agent has no such data")
	case err != nil:
		return Receipt{}, err
	case !i.Private:
		return Receipt{}, refused("the data is public; read it from the chain")
	case i.Hash != q.Content:
		return Receipt{}, refused("the data has changed; ask again")
	}
	if err := h.allows(ctx, i, q); err != nil {
		return Receipt{}, err
	}
	key, err := keyOf(h.own, onchain.Address(i.Data), i.content)
	if err != nil {
		return Receipt{}, refused("the data is not what its owner wrote")
	}
	if _, err := opened(onchain.Address(i.Data), i.content, key); err != nil {
		return Receipt{}, refused("the data is not what its owner wrote")
	}
	box, err := transact.SealBox(onchain.Address(q.Asker), key[:])
	if err != nil {
		return Receipt{}, refused("nothing can be sealed for %s", q.Asker)
	}
	now, err := law.Read(ctx, h.office)
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{Request: q, Owner: i.Owner, Box: box, At: now.Time}.signed(h.own)
}

// allows refuses an asker without a grant to read by a task that is not over.
func (h *Giver) allows(ctx context.Context, i *Item, q KeyRequest) error {
	t, _, err := ledger.Read(ctx, h.office, onchain.Address(q.Task), program.DecodeTask)
	switch {
	case errors.Is(err, ledger.ErrNotFound), errors.Is(err, ledger.ErrForeign):
		return refused("there is no task %s (any more), so its grant is over", q.Task)
	case err != nil:
		return err
	case t.Status.Over():
		return refused("the task %s is over, and so is its grant", q.Task)
	}
	worker := t.Worker == onchain.Address(q.Asker)
	if !slices.ContainsFunc(i.Grants, func(g Grant) bool {
		return g.Read && g.Task == q.Task && (g.To == q.Asker.String() || g.To == "" && worker)
	}) {
		return refused("%s has no grant to read this data by the task %s", q.Asker, q.Task)
	}
	return nil
}

// Ask is a request for private data.
type Ask struct {
	Where
	Task onchain.Address // of the grant
	At   []string        // multiaddrs of the owner; empty: the hosts that the network knows
}

// Handed is private data, and the receipt of its owner.
type Handed struct {
	Item    *Item   `json:"item"`
	Content []byte  `json:"content"`
	Receipt Receipt `json:"receipt"`
}

// Fetch asks the hosts of private data for its key, and decrypts it. The error says why each of
// them refused.
func Fetch(ctx context.Context, c *client.Client, own *client.Keypair, a Ask, n Net) (out Handed, err error) {
	if out.Item, err = Get(ctx, c, a.Where); err != nil {
		return out, err
	}
	if !out.Item.Private {
		return out, fmt.Errorf("holdings: the data %s is public; read it with: ojud agent data get %s", out.Item.Name, out.Item.Data)
	}
	h, err := n.whole().open(ctx, c)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if err := h.Limit(keyStream, limits()); err != nil {
		return out, fmt.Errorf("holdings: %w", err)
	}
	hosts, err := a.hosts(ctx, h, out.Item)
	if err != nil {
		return out, err
	}
	var failed []error
	for _, info := range hosts {
		if out.Receipt, out.Content, err = ask(ctx, c, own, h, info, a.Task, out.Item); err == nil {
			return out, nil
		}
		failed = append(failed, err)
	}
	return out, fmt.Errorf("holdings: no host handed the key over: %w", errors.Join(failed...))
}

// hosts returns whom to ask.
func (a Ask) hosts(ctx context.Context, h *p2p.Host, i *Item) ([]peer.AddrInfo, error) {
	if len(a.At) > 0 {
		return library.Peers(a.At)
	}
	ctx, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	again := time.NewTicker(findTime / 30)
	defer again.Stop()
	for {
		found, err := h.FindProviders(ctx, place(i.Data), maxHosts)
		if len(found) > 0 {
			return found, nil
		}
		select {
		case <-again.C: // the table of a new host fills after its first links
		case <-ctx.Done():
			return nil, unannounced(i.Owner, err)
		}
	}
}

// unannounced says that nobody announces data of an owner, and why the last look failed, unless its
// time was over. It names no command: that would be one of the owner, with the owner's key.
func unannounced(owner casefile.Address, err error) error {
	none := fmt.Errorf("holdings: no host announces this data; ask its owner %s to serve it", owner)
	if errors.Is(err, context.DeadlineExceeded) {
		return none
	}
	return errors.Join(none, err)
}

// ask asks one host, and checks what it says.
func ask(ctx context.Context, c *client.Client, own *transact.Keypair, h *p2p.Host, to peer.AddrInfo, task onchain.Address, i *Item) (r Receipt, content []byte, err error) {
	q := KeyRequest{
		Program: casefile.Address(client.OfficeOf(c).Program().ID()), Data: i.Data, Content: i.Hash, Task: casefile.Address(task),
		Asker: casefile.Address(own.Address()), From: h.ID().String(), To: to.ID.String(),
	}
	if err := q.Network.UnmarshalText([]byte(c.Network().Network)); err != nil {
		return r, nil, fmt.Errorf("holdings: %w", err)
	}
	if q, err = q.signed(own); err != nil {
		return r, nil, err
	}
	raw, err := json.Marshal(q)
	if err != nil {
		return r, nil, fmt.Errorf("holdings: %w", err)
	}
	if err := h.Connect(ctx, to); err != nil {
		return r, nil, fmt.Errorf("holdings: %s cannot be reached: %w", to.ID, err)
	}
	answer, err := h.Request(ctx, to.ID, keyStream, raw)
	if err != nil {
		return r, nil, err
	}
	if r, err = ParseReceipt(answer); err != nil {
		return r, nil, err
	}
	if r.Request != q {
		return r, nil, errors.New("holdings: the receipt is for another request")
	}
	content, err = r.Open(i, own)
	return r, content, err
}
