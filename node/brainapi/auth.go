package brainapi

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/golang-jwt/jwt/v5"

	"ojud/ledger/onchain"
)

const (
	issuer = "ojud-brain"
	// skew is how far the time of a registration may be from the server's.
	skew = 5 * time.Minute
	// maxNames bounds the names that are remembered, of strangers and of agents that the server
	// acts for.
	maxNames = 10_000
	// maxUsed bounds the registrations of a name that count at a time.
	maxUsed = 100
)

// agent is who asks.
type agent struct {
	id      string
	key     onchain.Address
	expires time.Time
}

// claims are what a token says.
type claims struct {
	Key string `json:"key"`
	jwt.RegisteredClaims
}

// names remembers which key an agent's name has, and which registrations were used. Agents that the
// server acts for and strangers have each their own list, so that strangers displace strangers.
type names struct {
	mu          sync.Mutex
	own, others roll
}

// roll is a list of names. The oldest makes room for a new one.
type roll struct {
	all   map[string]name
	order []string
}

// name is whose a name is, and when its registrations were signed that still count.
type name struct {
	key  onchain.Address
	used []int64
}

// errs of registrations.
var (
	errTaken = errors.New("another key registered this agentId; choose another UUID")
	errUsed  = errors.New("this registration was used; sign a new timestamp")
	errOften = fmt.Errorf("this agentId registered %d times in %s; its token is still valid", maxUsed, 2*skew)
)

// add remembers a registration.
func (n *names) add(id string, key onchain.Address, signed int64, held bool, now time.Time) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	at := &n.others
	if held {
		at = &n.own
	}
	if by, ok := n.own.all[id]; ok && by.key != key {
		return errTaken
	}
	it, known := at.all[id]
	if known && it.key != key {
		return errTaken // if it is held, the name is that of a held key
	}
	it.key, it.used = key, slices.DeleteFunc(it.used, func(t int64) bool { return now.Sub(time.Unix(t, 0)) > skew })
	switch {
	case slices.Contains(it.used, signed):
		return errUsed
	case len(it.used) >= maxUsed:
		return errOften
	}
	it.used = append(it.used, signed)
	if at.all == nil {
		at.all = map[string]name{}
	}
	if !known {
		if len(at.order) >= maxNames {
			delete(at.all, at.order[0])
			at.order = at.order[1:]
		}
		at.order = append(at.order, id)
	}
	at.all[id] = it
	return nil
}

// find returns the key of an agent: its name is a UUID that registered, or the key itself.
func (n *names) find(text string) (onchain.Address, bool) {
	if key, err := address(text); err == nil {
		return key, true
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	it, ok := n.own.all[strings.ToLower(text)]
	if !ok {
		it, ok = n.others.all[strings.ToLower(text)]
	}
	return it.key, ok
}

// registration is the body of a registration.
type registration struct {
	Body struct {
		AgentID   string `json:"agentId" pattern:"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$" patternDescription:"a UUID of version 4" doc:"name of the agent, which it chooses"`
		PublicKey string `json:"publicKey" pattern:"^0x[0-9a-fA-F]{64}$" patternDescription:"0x and 64 hexadecimal digits" doc:"Ed25519 key: the agent's address on Solana"`
		Signature string `json:"signature" pattern:"^0x[0-9a-fA-F]{128}$" patternDescription:"0x and 128 hexadecimal digits" doc:"of MBP_REGISTER:{agentId}:{timestamp}, with agentId and timestamp as they stand here"`
		Timestamp int64  `json:"timestamp" minimum:"1" doc:"Unix seconds, at most 5 minutes from the server's time"`
	}
}

// registered is the answer to a registration.
type registered struct {
	Body struct {
		AgentID   string `json:"agentId"`
		PublicKey string `json:"publicKey"`
		Token     string `json:"token" doc:"for Authorization: Bearer"`
		ExpiresAt int64  `json:"expiresAt" doc:"Unix seconds"`
		Acts      bool   `json:"acts" doc:"the server holds this key, so that it can hand in results and scores for it"`
	}
}

func (s *AgentAPI) register() {
	o := op(http.MethodPost, "/auth/register", "register", "Register an agent by a signature, and get a token", "agents")
	o.Security, o.MaxBodyBytes, o.DefaultStatus = nil, maxRegister, http.StatusCreated
	huma.Register(s.api, o, func(_ context.Context, in *registration) (*registered, error) {
		key, err := address(in.Body.PublicKey)
		if err != nil {
			return nil, huma.Error422UnprocessableEntity("publicKey: " + err.Error())
		}
		signature, err := hex.DecodeString(in.Body.Signature[2:])
		if err != nil {
			return nil, huma.Error422UnprocessableEntity("signature: " + err.Error())
		}
		now := s.n.Now()
		if off := now.Sub(time.Unix(in.Body.Timestamp, 0)); off > skew || off < -skew {
			return nil, huma.Error401Unauthorized(fmt.Sprintf("timestamp is %d, and the server's time is %d; it is at most %d s from it", in.Body.Timestamp, now.Unix(), int(skew.Seconds())))
		}
		if in.Body.Timestamp < s.start.Unix() { // it may have counted before a restart
			return nil, huma.Error401Unauthorized(fmt.Sprintf("timestamp is %d, and this server started at %d; sign a new timestamp", in.Body.Timestamp, s.start.Unix()))
		}
		said := fmt.Sprintf("MBP_REGISTER:%s:%d", in.Body.AgentID, in.Body.Timestamp)
		if !ed25519.Verify(key[:], []byte(said), signature) {
			return nil, huma.Error401Unauthorized("signature is not that of publicKey over " + said)
		}
		id := strings.ToLower(in.Body.AgentID)
		_, held := s.n.Hands[key]
		if err := s.names.add(id, key, in.Body.Timestamp, held, now); err != nil {
			return nil, huma.Error409Conflict(err.Error())
		}
		out := &registered{}
		out.Body.Acts = held
		out.Body.AgentID, out.Body.PublicKey, out.Body.ExpiresAt = id, hexed(key), now.Add(s.n.Life).Unix()
		out.Body.Token, err = jwt.NewWithClaims(jwt.SigningMethodHS256, claims{hexed(key), jwt.RegisteredClaims{
			Issuer: issuer, Subject: id, IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(s.n.Life)),
		}}).SignedString(s.n.Secret)
		return out, err
	})
}

// asking is the key of the agent in a context.
type asking struct{}

// authenticate checks the token of operations that need one.
func (s *AgentAPI) authenticate(c huma.Context, next func(huma.Context)) {
	if len(c.Operation().Security) == 0 {
		next(c)
		return
	}
	from, ok := c.Context().Value(called{}).(caller)
	if !ok {
		from.err = errors.New("the request did not come in by ServeHTTP")
	}
	refuse := func(code int, err error) {
		if err := huma.WriteErr(s.api, c, code, err.Error()); err != nil {
			s.n.Log.Debug("brain api: answer not written", "err", err)
		}
	}
	if from.err != nil {
		c.SetHeader("WWW-Authenticate", `Bearer realm="MegaBrain"`)
		refuse(http.StatusUnauthorized, from.err)
		return
	}
	if c.Method() == http.MethodPost { // a stranger's body is not read
		if _, err := s.hand(from.agent); err != nil {
			refuse(http.StatusForbidden, err)
			return
		}
	}
	next(huma.WithValue(c, asking{}, from.agent))
}

// read reads a token.
func (s *AgentAPI) read(header string) (agent, error) {
	text, ok := strings.CutPrefix(header, "Bearer ")
	if !ok || len(text) > 2<<10 {
		return agent{}, errors.New("the request has no token; register, and send Authorization: Bearer TOKEN")
	}
	var said claims
	_, err := jwt.ParseWithClaims(text, &said, func(*jwt.Token) (any, error) { return s.n.Secret, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithIssuer(issuer), jwt.WithExpirationRequired(), jwt.WithTimeFunc(s.n.Now))
	if err != nil {
		return agent{}, fmt.Errorf("the token is not valid; register again: %w", err)
	}
	key, err := address(said.Key)
	return agent{said.Subject, key, said.ExpiresAt.Time}, err
}

// who is the agent that asks. A token may have expired while a body came in.
func (s *AgentAPI) who(ctx context.Context) (agent, error) {
	a, ok := ctx.Value(asking{}).(agent)
	if !ok || !s.n.Now().Before(a.expires) {
		return agent{}, huma.Error401Unauthorized("the token expired while the request came in; register again, and repeat it with the same Idempotency-Key")
	}
	return a, nil
}

// hand is what acts for the agent that asks.
func (s *AgentAPI) hand(a agent) (Hand, error) {
	if h, ok := s.n.Hands[a.key]; ok {
		return h, nil
	}
	return nil, huma.Error403Forbidden("this server does not hold the key " + a.key.String() + ", so it cannot act for it; its operator starts it with --agent-key FILE")
}

// about is the agent that asks about a task.
func (s *AgentAPI) about(ctx context.Context, id string) (a agent, task onchain.Address, err error) {
	if a, err = s.who(ctx); err != nil {
		return a, task, err
	}
	if task, err = address(id); err != nil {
		err = huma.Error422UnprocessableEntity("taskId: " + err.Error())
	}
	return a, task, err
}

// acting is an agent that acts in a task, by the hand of the server.
type acting struct {
	agent
	hand Hand
	task onchain.Address
}

func (s *AgentAPI) acts(ctx context.Context, id string) (p acting, err error) {
	if p.agent, p.task, err = s.about(ctx, id); err == nil {
		p.hand, err = s.hand(p.agent)
	}
	return p, err
}

// address reads 0x and 64 hexadecimal digits.
func address(text string) (at onchain.Address, err error) {
	digits, ok := strings.CutPrefix(text, "0x")
	raw, err := hex.DecodeString(digits)
	if !ok || err != nil || len(raw) != len(at) {
		return at, fmt.Errorf("%.80q is not 0x and 64 hexadecimal digits", text)
	}
	return onchain.Address(raw), nil
}

func hexed[T ~[32]byte](at T) string {
	raw := [32]byte(at)
	return "0x" + hex.EncodeToString(raw[:])
}

// hexOf writes an address in base58 as 0x and hexadecimal digits.
func hexOf(text string) string {
	at, err := onchain.ParseAddress(text)
	if err != nil {
		return text
	}
	return hexed(at)
}
