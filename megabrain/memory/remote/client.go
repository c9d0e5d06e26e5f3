package remote

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"ojud/agent/delegation"
	"ojud/megabrain/memory"
	"ojud/p2p/direct"
)

// Auditor asks a node, and checks what it answers. Close it.
type Auditor struct {
	Token string
	// Heads remembers the newest head of each node. If it is nil, each call stands for itself.
	Heads *Heads
	// Most is how many bytes of an artifact Get returns; 0 is all that a node may keep. A larger
	// one is ErrLarger.
	Most int64
	// Cut ends the reading of a larger one there, so that its hash is not known.
	Cut bool

	base string
	http *http.Client
	peer string // did:key that the way proves; empty over HTTP
	want *delegation.Principal
	end  func() error
	now  func() time.Time
}

// Dial returns a client of the node at http://HOST:PORT, https://HOST:PORT, or a libp2p address
// such as /ip4/10.0.0.7/tcp/4001/p2p/12D3…. If want is not nil, the log must be that of this node.
// Only libp2p needs the key.
func Dial(ctx context.Context, address string, want *delegation.Principal, key func() (direct.Key, error)) (*Auditor, error) {
	if !strings.HasPrefix(address, "/") {
		return overHTTP(address, want, &http.Transport{Proxy: http.ProxyFromEnvironment})
	}
	return overLibp2p(ctx, address, want, key)
}

func overHTTP(address string, want *delegation.Principal, t *http.Transport) (*Auditor, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%.120q is no address of a memory node: it is http://HOST:PORT, or /ip4/…/tcp/…/p2p/…", address)
	}
	t.MaxResponseHeaderBytes, t.ResponseHeaderTimeout = maxHeaders, slowest
	c := &http.Client{Transport: t, Timeout: 2 * slowest, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("a memory node does not send its clients elsewhere")
	}}
	end := func() error { t.CloseIdleConnections(); return nil }
	return &Auditor{want: want, base: strings.TrimSuffix(u.String(), "/"), http: c, end: end, now: time.Now}, nil
}

func overLibp2p(ctx context.Context, address string, want *delegation.Principal, key func() (direct.Key, error)) (*Auditor, error) {
	k, err := key()
	if err != nil {
		return nil, err
	}
	t, err := direct.Dial(ctx, k, protocol(memory.MaxArtifact), address)
	if err != nil {
		return nil, err
	}
	c := &http.Client{Transport: &frames{talk: t}, Timeout: 2 * slowest}
	return &Auditor{want: want, base: "http://memory", http: c, peer: t.Peer, end: t.Close, now: time.Now}, nil
}

// Close ends the connection.
func (c *Auditor) Close() error { return c.end() }

// frames carries requests of HTTP in frames of libp2p, one after another.
type frames struct {
	mu   sync.Mutex
	talk *direct.Talk
}

// RoundTrip implements http.RoundTripper.
func (f *frames) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		return nil, err
	}
	if err := f.talk.Write(r.Context(), out.Bytes()); err != nil {
		return nil, err
	}
	frame, err := f.talk.Read(r.Context())
	if err != nil {
		return nil, err
	}
	return http.ReadResponse(bufio.NewReader(bytes.NewReader(frame)), r)
}

// call makes a request, and returns at most limit bytes of the answer.
func (c *Auditor) call(ctx context.Context, method, path string, body []byte, limit int64) (raw []byte, err error) {
	err = c.answer(ctx, method, path, body, func(in io.Reader) error {
		if raw, err = io.ReadAll(io.LimitReader(in, limit+1)); err != nil {
			return fmt.Errorf("remote: %w", err)
		}
		if int64(len(raw)) > limit {
			return fmt.Errorf("remote: the answer has more than %d bytes", limit)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return raw, nil
}

// answer makes a request, and lets the answer be read.
func (c *Auditor) answer(ctx context.Context, method, path string, body []byte, take func(io.Reader) error) error {
	r, err := http.NewRequestWithContext(ctx, method, c.base+root+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", bytesType)
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	res, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		return fault(res)
	}
	return take(res.Body)
}

// fault reads what a node says that it does not do.
func fault(res *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxSmall))
	if err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	var p problem
	if res.Header.Get("Content-Type") != problemType || json.Unmarshal(raw, &p) != nil {
		p.Detail = http.StatusText(res.StatusCode)
	}
	return &refusal{res.StatusCode, fmt.Sprintf("%.300s", p.Detail)}
}

// Head returns the newest head of the node, after checking that its log goes on with the one that
// was seen last.
func (c *Auditor) Head(ctx context.Context) (h memory.TreeHead, err error) {
	raw, err := c.call(ctx, http.MethodGet, "head", nil, maxSmall)
	if err != nil {
		return h, err
	}
	if h, err = memory.ParseHead(raw); err != nil {
		return h, err
	}
	return h, c.Follow(ctx, h)
}

// Offer returns what the node offers.
func (c *Auditor) Offer(ctx context.Context) (o Introduction, err error) {
	raw, err := c.call(ctx, http.MethodGet, "conditions", nil, maxSmall)
	if err == nil {
		err = memory.Decode(raw, &o)
	}
	return o, err
}

// Follow checks that a head is of the node that is wanted, and that it and the head that was seen
// last are of one log. Then it remembers the newer one. The error is Exposed if the node lies.
func (c *Auditor) Follow(ctx context.Context, h memory.TreeHead) error {
	if c.want != nil && h.Node != *c.want {
		return fmt.Errorf("remote: the log is that of %s, not of %s", h.Node, c.want)
	}
	if c.peer != "" && h.Node.String() != c.peer {
		return fmt.Errorf("remote: the log is that of %s, and the peer is %s", h.Node, c.peer)
	}
	if c.Heads == nil {
		return nil
	}
	old, ok, err := c.Heads.Load(h.Node)
	if err != nil {
		return err
	}
	if ok {
		if _, err := c.Grown(ctx, old, h); err != nil {
			return err
		}
		if old.Size >= h.Size {
			return nil
		}
	}
	return c.Heads.save(h)
}

// Grown returns the proof that the larger of two heads goes on with the other; nil if they are of
// one size, or one is of no promises. The error is Exposed if the node lies.
func (c *Auditor) Grown(ctx context.Context, a, b memory.TreeHead) (*memory.Growth, error) {
	if a.Node != b.Node {
		return nil, fmt.Errorf("remote: two heads are of %s and %s", a.Node, b.Node)
	}
	if e := memory.Compare(a, b); e != nil {
		return nil, &Exposed{*e}
	}
	if a.Size > b.Size {
		a, b = b, a
	}
	if a.Size == 0 || a.Size == b.Size {
		return nil, nil
	}
	raw, err := c.call(ctx, http.MethodGet, fmt.Sprintf("consistency?old=%d&new=%d", a.Size, b.Size), nil, memory.MaxDocument)
	if err != nil {
		return nil, fmt.Errorf("the node does not prove that its log of %d promises goes on with that of %d, and has signed both: %w", b.Size, a.Size, err)
	}
	var got consistency
	if err := memory.Decode(raw, &got); err != nil {
		return nil, err
	}
	g := &memory.Growth{Old: a, Prefix: memory.Prefix{Head: b, Size: a.Size, Root: got.Root, Proof: got.Proof}}
	e, err := g.Prefix.Continues(a)
	if err == nil && e != nil {
		err = &Exposed{*e}
	}
	return g, err
}

// receipt reads a receipt, checks it, and follows its head.
func (c *Auditor) receipt(ctx context.Context, raw []byte, err error) (in memory.Inclusion, _ error) {
	if err != nil {
		return in, err
	}
	d, err := memory.ParseDocument(raw)
	if err != nil {
		return in, err
	}
	if d.Receipt == nil {
		return in, errors.New("remote: the answer is no receipt")
	}
	if err := d.Receipt.Verify(); err != nil {
		return in, err
	}
	return *d.Receipt, c.Follow(ctx, d.Receipt.Head)
}

// maxSkew is how far the clocks of a client and a node may be apart.
const maxSkew = 5 * time.Minute

// covers fails if a promise does not last for the term from now on, or begins later.
func covers(p memory.Promise, now time.Time, term time.Duration) error {
	skew := min(maxSkew, term/10)
	if p.From > now.Add(skew).Unix() || p.Until < now.Add(term-skew).Unix() {
		return fmt.Errorf("remote: the node promised to keep it from %s to %s, and not for %s from now on",
			time.Unix(p.From, 0).UTC().Format(time.RFC3339), time.Unix(p.Until, 0).UTC().Format(time.RFC3339), term)
	}
	return nil
}

// Put has the node keep an artifact for a term at least. It returns the receipt.
func (c *Auditor) Put(ctx context.Context, content []byte, term time.Duration) (memory.Inclusion, error) {
	pieces, err := memory.Divide(content)
	if err != nil {
		return memory.Inclusion{}, err
	}
	seconds := int64(term / time.Second)
	raw, err := c.call(ctx, http.MethodPost, fmt.Sprintf("artifacts?seconds=%d", seconds), content, memory.MaxDocument)
	in, err := c.receipt(ctx, raw, err)
	if err != nil {
		return in, err
	}
	want, err := pieces.Promise(in.Promise.From, in.Promise.Until, in.Promise.Rate)
	if err == nil && want != in.Promise {
		err = errors.New("remote: the node promised another artifact")
	}
	if err == nil {
		err = covers(in.Promise, c.now(), term)
	}
	return in, err
}

// ErrLarger means that an artifact has more than Most bytes. The node has it.
var ErrLarger = errors.New("remote: the artifact is larger than any that is wanted")

// Get returns an artifact. If the node has promised it and does not give it, the error says so.
func (c *Auditor) Get(ctx context.Context, hash memory.Digest) (content []byte, err error) {
	most := int64(memory.MaxArtifact)
	if c.Most > 0 {
		most = min(most, c.Most)
	}
	larger := false
	err = c.answer(ctx, http.MethodGet, "artifacts/"+hash.String(), nil, func(in io.Reader) error {
		seen := sha256.New()
		in = io.TeeReader(io.LimitReader(in, memory.MaxArtifact+1), seen)
		content, err = io.ReadAll(io.LimitReader(in, most))
		if err != nil {
			return fmt.Errorf("remote: %w", err)
		}
		if c.Cut {
			in = io.LimitReader(in, 1)
		}
		rest, err := io.Copy(io.Discard, in)
		switch larger = rest > 0; {
		case larger && c.Cut:
			return nil
		case err != nil:
			return fmt.Errorf("remote: %w", err)
		case memory.Digest(seen.Sum(nil)) != hash:
			return fmt.Errorf("%w: it gives other content", errLost)
		}
		return nil
	})
	var f *refusal
	switch {
	case errors.As(err, &f) && f.Status == http.StatusInternalServerError:
		return nil, fmt.Errorf("%w: %w", errLost, err)
	case err != nil:
		return nil, err
	case larger:
		return nil, fmt.Errorf("%w: more than %d bytes", ErrLarger, most)
	}
	return content, nil
}

// Prove returns the receipt of the longest promise of an artifact.
func (c *Auditor) Prove(ctx context.Context, hash memory.Digest) (memory.Inclusion, error) {
	raw, err := c.call(ctx, http.MethodGet, "proofs/"+hash.String(), nil, memory.MaxDocument)
	in, err := c.receipt(ctx, raw, err)
	if err == nil && in.Promise.Hash != hash {
		err = errors.New("remote: the receipt is of another artifact")
	}
	return in, err
}

// ProveAt returns the receipt of the promise at a place of the log.
func (c *Auditor) ProveAt(ctx context.Context, at int64) (memory.Inclusion, error) {
	raw, err := c.call(ctx, http.MethodGet, fmt.Sprintf("promises/%d", at), nil, memory.MaxDocument)
	in, err := c.receipt(ctx, raw, err)
	if err == nil && in.Index != at {
		err = errors.New("remote: the receipt is of another place")
	}
	return in, err
}

// Audit asks for chunks of the promises of a head, and checks them.
func (c *Auditor) Audit(ctx context.Context, h memory.TreeHead, q memory.Question) (t memory.Trial, counts memory.Counts, err error) {
	t = memory.Trial{Head: h, Question: q}
	body, err := json.Marshal(examination{h.Size, q})
	if err != nil {
		return t, counts, err
	}
	raw, err := c.call(ctx, http.MethodPost, "audits", body, memory.MaxDocument)
	if err != nil {
		return t, counts, err
	}
	var got answers
	if err := memory.Decode(raw, &got); err != nil {
		return t, counts, err
	}
	t.Samples = got.Samples
	counts, err = t.Verify()
	return t, counts, err
}
