package talk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	"ojud/agent/talk/owner"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/cmd/ojud/cli"
	"ojud/ledger/journal/durable"
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
	tally tally
	self  shell.Signer             // to whom the operator's link was given
	chain []*delegation.Delegation // that link
	until int64                    // the day of that link
}

// open finds the mind; nil: there is none.
func (t thinking) open(ctx context.Context, home, self string) (*thinker, error) {
	if t.address == "" {
		if t.goal != "" {
			return nil, cli.Usage("--goal is for a mind; name one with --mind")
		}
		return nil, nil //nolint:nilnil // nobody thinks
	}
	if host.IsRemote(t.address) {
		return nil, cli.Usage("--mind is an agent of another host, which would not forget what was said when both promise it; a mind is an agent of a host of this machine").
			Next("start a host here with an agent that names the other under [[remotes]] and asks it, and give it agent.invoke and agent.reach with --mind-allow")
	}
	target, err := host.ParseTarget(t.address)
	if err != nil {
		return nil, cli.Usage("--mind: %v", err)
	}
	if t.turns < 1 || t.turns > maxAnswers || t.answers < 1 || t.answers > maxAnswers || t.tokens < 1 || t.tokens > maxTokens || !(t.dollars >= 0 && t.dollars <= 1000) {
		return nil, cli.Usage("--mind-turns and --mind-answers are 1 to %d, --mind-tokens 1 to %d, --mind-dollars 0 to 1000", maxAnswers, maxTokens)
	}
	m := &thinker{thinking: t, target: target, tally: tallyOf(home, self)}
	home = cli.First(t.home, home)
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

// link counts an answer, and returns the operator's link for it. The link has the budget of the
// answers that are left of the day, also if the command was started again in it.
func (t *thinker) link() (self shell.Signer, chain []*delegation.Delegation, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	day, left, err := t.tally.count(t.agent.String()+" "+t.target.String(), t.answers, now)
	if err != nil {
		return self, nil, err
	}
	if !left {
		return self, nil, fmt.Errorf("%w in a day, %d times (--mind-answers)", errEnough, t.answers)
	}
	if t.until != day.Until {
		if t.self, err = fresh(); err != nil {
			return self, nil, err
		}
		s, err := t.scope(t.answers-day.Used+1, time.UnixMilli(day.Until).Sub(now))
		if err != nil {
			return self, nil, err
		}
		if t.chain, err = issue(t.owner, t.self.Principal(), s, nil); err != nil {
			return self, nil, err
		}
		t.until = day.Until
	}
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
	const lasts = 16 * time.Minute // to be admitted, or to be approved by a person
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

// toForget is the folder of a home whose files are named by the own agent and by keys that an agent
// host has to forget.
const toForget = "talks-to-forget"

// mustForget notes in the home that the host has to forget the conversation, so that the next start
// does it if this command is killed.
func (t *thought) mustForget(s *store, home string) error {
	if t.erase {
		return nil
	}
	t.erase = true
	if err := os.MkdirAll(filepath.Join(home, toForget), 0o700); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(home, toForget, s.self+"-"+strings.TrimPrefix(t.key.Principal().String(), didKey)), nil)
}

// didKey begins the names of keys.
const didKey = "did:key:"

// forget has the host forget conversations of the own agent: that of a key, or if it is empty all
// that an earlier command left. The mind is not asked in them any more.
func (t *thinker) forget(ctx context.Context, s *store, home, key string) error {
	files, err := os.ReadDir(filepath.Join(home, toForget))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		rest, own := strings.CutPrefix(f.Name(), s.self+"-")
		if !own {
			continue
		}
		of, name := didKey+rest, filepath.Join(home, toForget, f.Name())
		if key != "" && of != key {
			continue
		}
		var done shell.Forgotten
		failed := t.host.Use(ctx, "agent.forget", map[string]string{"of": of}, &done)
		if failed == nil {
			failed = os.Remove(name)
		}
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("the agent host did not forget a conversation: %w; the next start tries again, or: ojud agents forget --of %s", failed, of))
		}
	}
	return err
}
