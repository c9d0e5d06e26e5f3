package talk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/door"
	"ojud/agent/host/shell"
	"ojud/agent/host/warden"
	"ojud/agent/talk"
	"ojud/agent/talk/owner"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/cmd/ojud/cli"
	"ojud/datasource/anex"
	"ojud/ledger/transact"
)

// thinking are the flags of a mind that decides in place of a person.
type thinking struct {
	address, home, goal string
	may                 []string
	turns, answers      int
	tokens              int64
	dollars             float64
}

func (t *thinking) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&t.address, "mind", "", "agent://ID/CAPABILITY of a host of this machine that decides in place of a person (default none)")
	f.StringVar(&t.home, "mind-home", "", "home of that agent host (default --home)")
	f.StringSliceVar(&t.may, "mind-allow", nil, "what the mind may use while it answers, such as tool.calendar (default nothing)")
	f.IntVar(&t.turns, "mind-turns", 24, "how often the mind may answer in one conversation")
	f.IntVar(&t.answers, "mind-answers", 500, "how often it may answer in a day, in all conversations")
	f.Int64Var(&t.tokens, "mind-tokens", 20_000, "tokens of models that one answer may use")
	f.Float64Var(&t.dollars, "mind-dollars", 0.05, "dollars that one answer may cost")
}

// The bounds of a mind.
const (
	maxAnswers = 100_000
	maxTokens  = 10_000_000
	waiting    = 8              // messages of a peer that wait for the mind
	tries      = 2              // of the mind to say one line that can be said
	term       = 24 * time.Hour // for which the operator's link holds
	longest    = 3 * time.Hour  // of a conversation, by talk.DefaultCaps
)

// thinker asks an agent of a host of this machine. It signs each question by a key of the
// conversation, under a chain that begins at the operator of that host: so the host bounds what the
// answers cost, and what the agent remembers of one conversation it does not know in another.
type thinker struct {
	thinking
	host   *door.Guest
	target host.Target
	agent  casefile.DID
	owner  shell.Signer

	mu    sync.Mutex
	self  shell.Signer             // to whom the operator's link was given
	chain []*delegation.Delegation // that link
	until time.Time
	used  int // answers under that link
}

// open finds the mind; nil: there is none.
func (t thinking) open(ctx context.Context, home string) (*thinker, error) {
	if t.address == "" {
		if t.goal != "" {
			return nil, cli.Usage("--goal is for a mind; name one with --mind")
		}
		return nil, nil //nolint:nilnil // nobody thinks
	}
	target, err := host.ParseTarget(t.address)
	if err != nil {
		return nil, cli.Usage("--mind: %v", err)
	}
	if t.turns < 1 || t.turns > maxAnswers || t.answers < 1 || t.answers > maxAnswers || t.tokens < 1 || t.tokens > maxTokens || t.dollars < 0 || t.dollars > 1000 {
		return nil, cli.Usage("--mind-turns and --mind-answers are 1 to %d, --mind-tokens 1 to %d, --mind-dollars 0 to 1000", maxAnswers, maxTokens)
	}
	home = cli.First(t.home, home)
	m := &thinker{thinking: t, target: target}
	if m.host, err = door.Open(home); err != nil {
		return nil, cli.Fail("the mind is not there: %v", err).Next("start its host with: ojud agents run --home " + home)
	}
	var v host.Portrait
	if err := m.host.Use(ctx, host.Describe, map[string]string{"agent": target.Agent}, &v); err != nil {
		return nil, cli.Fail("the mind is not there: %v", err)
	}
	if m.agent, err = casefile.ParseDID(v.DID); err != nil {
		return nil, err
	}
	key, err := transact.LoadKeypair(filepath.Join(home, shell.Folder, "keys", host.Operator+".json"))
	if err != nil {
		return nil, cli.Fail("a mind answers by a delegation of the operator of its host: %v", err)
	}
	m.owner = shell.Signer{Keypair: key}
	return m, nil
}

// scope is what a number of answers may cost, for a time.
func (t *thinker) scope(answers int, lasts time.Duration) (s delegation.Scope, err error) {
	command, err := warden.Command(t.target)
	now := time.Now()
	return delegation.Scope{
		Allow: append([]string{command}, t.may...), Budget: delegation.Amounts{0, int64(answers) * t.tokens, int64(answers) * t.micros()},
		NotBefore: now.Add(-delegation.Skew).Unix(), Until: now.Add(lasts).Unix(),
	}, err
}

func (t *thinker) micros() int64 { return int64(t.dollars * 1e6) }

func issue(from shell.Signer, to delegation.Principal, s delegation.Scope, before []*delegation.Delegation) ([]*delegation.Delegation, error) {
	nonce := make([]byte, 16)
	rand.Read(nonce)
	d, err := delegation.Issue(from, to, s, before, nonce, time.Now())
	return append(append([]*delegation.Delegation{}, before...), d), err
}

func fresh() (shell.Signer, error) {
	key, err := transact.NewKeypair(rand.Reader)
	return shell.Signer{Keypair: key}, err
}

// errEnough: the mind has answered as often as it may.
var errEnough = errors.New("the mind has answered as often as it may")

// link returns the operator's link, and counts an answer under it.
func (t *thinker) link() (self shell.Signer, chain []*delegation.Delegation, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Until(t.until) < longest {
		if t.self, err = fresh(); err != nil {
			return self, nil, err
		}
		s, err := t.scope(t.answers, term+longest)
		if err != nil {
			return self, nil, err
		}
		if t.chain, err = issue(t.owner, t.self.Principal(), s, nil); err != nil {
			return self, nil, err
		}
		t.until, t.used = time.Now().Add(term+longest), 0
	}
	if t.used >= t.answers {
		return self, nil, fmt.Errorf("%w in a day, %d times (--mind-answers)", errEnough, t.answers)
	}
	t.used++
	return t.self, t.chain, nil
}

// thought is the part of a mind in one conversation.
type thought struct {
	*thinker
	key   shell.Signer
	chain []*delegation.Delegation
	left  int

	questions chan question
	past      owner.Past // the conversation's mu guards it
	erase     bool       // both promised to delete what was said
}

// remember keeps what was said for the mind.
func (c *conversation) remember(from, text string) {
	if c.thought == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.thought.past.Add(from, text)
}

// ask asks the mind for a line.
func (t *thought) ask(ctx context.Context, b owner.Brief) (line string, err error) {
	if t.left == 0 {
		return "", fmt.Errorf("%w in one conversation, %d times (--mind-turns)", errEnough, t.turns)
	}
	self, root, err := t.link()
	if err != nil {
		return "", err
	}
	if t.chain == nil {
		if t.key, err = fresh(); err != nil {
			return "", err
		}
		s, err := t.scope(t.turns, longest)
		if err != nil {
			return "", err
		}
		if t.chain, err = issue(self, t.key.Principal(), s, root); err != nil {
			return "", err
		}
	}
	t.left--
	b.Turns = t.left
	raw, err := json.Marshal(b)
	if err == nil {
		raw, err = canon.JSON(raw, shell.MaxPayload)
	}
	if err != nil {
		return "", err
	}
	spend := delegation.Amounts{0, t.tokens, t.micros()}
	const lasts = 5 * time.Minute // to be admitted, or to be approved by a person
	v, err := warden.Sign(t.key, t.chain, delegation.Principal(t.agent), t.target, raw, spend, lasts)
	if err != nil {
		return "", err
	}
	answer, attested, err := t.host.Visit(ctx, t.key.Principal().String(), v, 0, t.agent)
	switch {
	case err != nil:
		return "", err
	case answer.Status != host.OK || !attested:
		return "", fmt.Errorf("the mind ended as %s: %s", answer.Status, answer.Error)
	}
	return said(answer.Result)
}

// said reads the line of a mind: a text, or an object with the member say.
func said(raw json.RawMessage) (line string, err error) {
	var object struct {
		Say string `json:"say"`
	}
	if err = json.Unmarshal(raw, &line); err != nil {
		if err = json.Unmarshal(raw, &object); err == nil {
			line = object.Say
		}
	}
	if line = strings.TrimSpace(line); err != nil || line == "" {
		return "", fmt.Errorf(`the mind says %.100q; it has to say a line as a text, or as {"say": LINE}`, raw)
	}
	return line, nil
}

// forget has the host forget what the agent heard in the conversation.
func (t *thought) forget(ctx context.Context) error {
	if t.chain == nil {
		return nil
	}
	var done struct{}
	return t.host.Use(ctx, "agent.forget", map[string]string{"agent": t.target.Agent, "of": t.key.Principal().String()}, &done)
}

// think leaves a decision to the mind, if there is one and it may decide. Otherwise it returns what
// is said without a person, or asks one. Asked is false if the message needs no answer, and the
// mind is only told of it.
func (c *conversation) think(h talk.Heard, asked bool) (otherwise []talk.Move) {
	c.mu.Lock()
	no, decides := c.owner.Otherwise(), c.owner.Decides(h)
	c.mu.Unlock()
	if !asked {
		no = gaveUp()
	}
	if c.thought != nil && decides {
		select {
		case c.thought.questions <- question{h, no}:
			return nil
		default:
			c.tell("refused", fmt.Sprintf("%d messages wait for the mind; it does not hear this one", waiting), nil)
			return []talk.Move{no}
		}
	}
	if c.room.manners.alone {
		return []talk.Move{no}
	}
	c.decide()
	return nil
}

// pursues reports whether the mind is asked what comes next.
func (c *conversation) pursues(what talk.What) bool {
	return c.thought != nil && c.thought.goal != "" && c.owner.First && owner.Follows(what)
}

// gaveUp ends a conversation whose mind does not go on.
func gaveUp() talk.Move {
	return talk.Move{Kind: talk.Say, Message: message(anex.ActCancel, anex.Handshaking, map[string]string{"message": "Cancelled."})}
}

// decide asks a person.
func (c *conversation) decide() {
	c.tell("decide", fmt.Sprintf("what do you say to %s? type %d and what you say; help lists it", c.peer, c.number), nil)
}

// question is something for a mind to decide, and what is said if it does not.
type question struct {
	heard     talk.Heard
	otherwise talk.Move
}

// answer has the mind answer questions in order, until the conversation is over. A mind that begins
// one is introduced first.
func (c *conversation) answer(ctx context.Context) {
	if c.pursues(owner.Begin) {
		c.typed(ctx, "greet")
		select {
		case c.thought.questions <- question{talk.Heard{What: owner.Begin}, gaveUp()}:
		default: // the peer said much already, and the mind goes on from there
		}
	}
	for {
		var q question
		select {
		case q = <-c.thought.questions:
		case <-c.over:
			return
		case <-ctx.Done():
			return
		}
		m, err := c.decided(ctx, q)
		switch {
		case errors.Is(err, owner.ErrPerson) && !c.room.manners.alone:
			c.decide()
			continue
		case err != nil:
			c.tell("refused", err.Error(), nil)
			m = q.otherwise
		}
		if m.Kind == 0 {
			continue // there is nothing to say
		}
		select {
		case c.moves <- m:
		case <-c.over:
			return
		case <-ctx.Done():
			return
		}
	}
}

// decided asks the mind until it says something that can be said.
func (c *conversation) decided(ctx context.Context, q question) (m talk.Move, err error) {
	ctx, stop := context.WithTimeout(ctx, c.room.manners.wait)
	defer stop()
	problem := ""
	for range tries {
		c.mu.Lock()
		b := c.owner.Brief(q.heard, append(owner.Past{}, c.thought.past...), c.room.manners.alone)
		c.mu.Unlock()
		b.Peer, b.Goal, b.Error = c.peer, c.thought.goal, problem
		line, err := c.thought.ask(ctx, b)
		if err != nil {
			return m, fmt.Errorf("the mind does not answer: %w", err)
		}
		c.tell("mind", cut(line), nil)
		c.mu.Lock()
		s, err := c.owner.ReadAnswer(q.heard, line)
		c.mu.Unlock()
		if err == nil || errors.Is(err, owner.ErrPerson) {
			if a := s.Signs; a != nil && err == nil {
				if raw, bad := a.Terms(); bad == nil {
					c.tell("sign", "with "+c.peer+": "+cut(string(raw)), raw)
				}
			}
			return s.Move, err
		}
		problem = err.Error()
	}
	return m, fmt.Errorf("the mind says nothing that can be said: %s", problem)
}
