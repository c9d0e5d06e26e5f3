package providers

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
)

// Two clocks of one chain may differ by clockSlack seconds, and by half a second for each slot
// between them, of which at most clockSlots count.
const (
	clockSlack = 4
	clockSlots = 10
)

// fact is the hash of one part of an answer: of an account, or of the whole.
type fact [sha256.Size]byte

// reading is an answer as it is compared.
type reading struct {
	raw    json.RawMessage
	slot   uint64
	facts  []fact
	moment looks.Moment // if the question is for the clock
}

// read makes a reading of an answer.
func (q question) read(raw json.RawMessage) (reading, error) {
	r := reading{raw: raw}
	if q.method != "getMultipleAccounts" {
		var v any
		if err := decode(raw, q.method, &v); err != nil {
			return r, err
		}
		text, err := json.Marshal(v) // keys in order, no spaces
		r.facts = []fact{sha256.Sum256(text)}
		return r, err
	}
	var all rpc.Contexted[[]*struct {
		Lamports   uint64   `json:"lamports"`
		Owner      string   `json:"owner"`
		Executable bool     `json:"executable"`
		Data       []string `json:"data"`
	}]
	if err := decode(raw, q.method, &all); err != nil {
		return r, err
	}
	r.slot, r.facts = all.Context.Slot, make([]fact, len(all.Value))
	for i, a := range all.Value {
		switch {
		case i == q.clock && a != nil && len(a.Data) == 2:
			data, err := base64.StdEncoding.DecodeString(a.Data[0])
			if err != nil {
				return r, fmt.Errorf("%w: the clock: %w", rpc.ErrAnswer, err)
			}
			if r.moment, err = looks.DecodeClock(data); err != nil {
				return r, fmt.Errorf("%w: %w", rpc.ErrAnswer, err)
			}
		case a != nil:
			r.facts[i] = sha256.Sum256(fmt.Appendf(nil, "%d %q %t %q", a.Lamports, a.Owner, a.Executable, a.Data))
		}
	}
	if r.slot < q.least {
		return r, fmt.Errorf("%w: it answers from slot %d, slot %d was seen before", rpc.ErrStale, r.slot, q.least)
	}
	return r, nil
}

// near reports whether two clocks can be those of one chain.
func near(a, b looks.Moment) bool {
	apart := a.Slot - b.Slot
	if b.Slot > a.Slot {
		apart = b.Slot - a.Slot
	}
	between := a.Unix - b.Unix
	if between < 0 {
		between = -between
	}
	return between >= 0 && uint64(between) <= clockSlack+min(apart, clockSlots)/2
}

// maxReadings bounds the answers of one provider that are held.
const maxReadings = 6

// testimony is what one provider said about a question, the newest last.
type testimony struct {
	from *provider
	all  []reading
}

// supports reports whether the provider has seen everything that a reading says, though perhaps not
// at the same time: an account that changes is seen in one state by all.
func (t testimony) supports(r reading, clock int) bool {
	if !slices.ContainsFunc(t.all, func(o reading) bool { return len(o.facts) == len(r.facts) }) {
		return false
	}
	for i := range r.facts {
		if !slices.ContainsFunc(t.all, func(o reading) bool {
			if i >= len(o.facts) {
				return false
			}
			return o.facts[i] == r.facts[i] && (i != clock || near(o.moment, r.moment))
		}) {
			return false
		}
	}
	return true
}

// comparison is a question under way.
type comparison struct {
	question
	began time.Time
	own   []*testimony
	guest []*testimony
	last  error // why the last that failed did
}

func (c *comparison) add(a answer) error {
	if a.err != nil {
		c.last = a.err
		return a.err
	}
	r, err := c.read(a.raw)
	if err != nil {
		c.last = fmt.Errorf("%s at %s: %w", c.method, a.from.name, err)
		return c.last
	}
	to := &c.own
	if a.from.guest {
		to = &c.guest
	}
	i := slices.IndexFunc(*to, func(t *testimony) bool { return t.from == a.from })
	if i < 0 {
		i, *to = len(*to), append(*to, &testimony{from: a.from})
	}
	t := (*to)[i]
	if t.all = append(t.all, r); len(t.all) > maxReadings {
		t.all = t.all[1:]
	}
	return nil
}

// verdict is a reading with those that support it and those that do not.
type verdict struct {
	reading
	own, guests int
	share       float64 // of the court's stake, behind the guests
	against     []*provider
}

// best returns the reading that most support; of these the newest round's, and of this round the
// one of the lowest slot, because a slot that is made up would make the honest ones late.
func (c *comparison) best() (best verdict, found bool) {
	everybody := slices.Concat(c.own, c.guest)
	age := 0
	for _, t := range everybody {
		for i, r := range t.all {
			v := verdict{reading: r}
			for _, other := range everybody {
				switch {
				case other != t && !other.supports(r, c.clock):
					v.against = append(v.against, other.from)
				case other.from.guest:
					v.guests, v.share = v.guests+1, v.share+other.from.share.part()
				default:
					v.own++
				}
			}
			back := len(t.all) - 1 - i
			more, least := v.own+v.guests, best.own+best.guests
			if !found || more > least || more == least && (back < age || back == age && r.slot < best.slot) {
				best, age, found = v, back, true
			}
		}
	}
	return best, found
}

// settled reports whether a reading counts.
func (c *comparison) settled(v verdict, wanted int) bool {
	voices := len(c.own) + len(c.guest)
	if v.own+v.guests < min(wanted, 2) {
		return false
	}
	if len(v.against) == 0 {
		return v.own > 0 || v.share > 1.0/3
	}
	dissent := slices.ContainsFunc(v.against, func(p *provider) bool { return !p.guest })
	if v.own > 0 && !dissent { // only strangers contradict
		return v.own > 1 || 2*(v.own+v.guests) > voices
	}
	return v.own > 0 && 2*v.guests > len(c.guest) && v.own+v.guests > 1 && 2*(v.own+v.guests) > voices
}

// compare asks all until they agree, or the others settle it.
func (p *Pool) compare(ctx context.Context, q question, out any, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Patience)
	defer cancel()
	c := &comparison{question: q, began: time.Now()}
	for n := 0; ; n++ {
		err := p.compareOnce(ctx, c, n, out, check)
		if err == nil || !rpc.Retryable(err) || errors.Is(err, errContradiction) || ctx.Err() != nil {
			return err
		}
		pause := min(leastBetween<<min(n, 8), mostBetween)
		if len(c.own)+len(c.guest) == 0 {
			pause = rpc.Backoff(n, p.cfg.BackoffMin, p.cfg.BackoffMax)
		}
		if rpc.Wait(ctx, pause) != nil {
			return err
		}
	}
}

// compareOnce asks all once more.
func (p *Pool) compareOnce(ctx context.Context, c *comparison, n int, out any, check func() error) error {
	all, age := p.present(), time.Since(c.began)
	switch {
	case len(all) == 0:
		all = p.usable()
	case len(all) == 1 || age >= calm && n > 1:
		all = append(slices.Clone(all), p.visit(maxGuests)...)
	}
	if len(all) == 0 {
		return fmt.Errorf("%w: no RPC node is left to ask", rpc.ErrUnavailable)
	}
	fresh := false
	for _, a := range p.ask(ctx, all, c.question, true) {
		err := c.add(a)
		fresh = fresh || err == nil
		if errors.Is(err, rpc.ErrAnswer) && a.err == nil {
			p.leave(a.from, silent, err.Error())
		}
	}
	v, found := c.best()
	if !found {
		return c.last
	}
	wanted := min(len(all), 2)
	if age >= calm { // the others do not answer
		wanted = 1
	}
	if !c.settled(v, wanted) {
		if len(v.against) == 0 {
			return fmt.Errorf("%w: only %s answers, which does not count alone", rpc.ErrUnavailable, c.describe(v))
		}
		if age < giveUp || !fresh {
			return fmt.Errorf("%w: %s: not compared yet", rpc.ErrStale, c.method)
		}
		return p.contradiction(c.describe(v))
	}
	if err := decode(v.raw, c.method, out); err != nil {
		return err
	}
	if check != nil {
		if err := check(); err != nil {
			return err
		}
	}
	p.conclude(c, v, all)
	return nil
}

// conclude notes what a settled comparison shows about the providers.
func (p *Pool) conclude(c *comparison, v verdict, asked []*provider) {
	for _, t := range slices.Concat(c.own, c.guest) {
		if slices.Contains(v.against, t.from) {
			p.leave(t.from, lying, "most others say otherwise about "+c.differs(v, t))
		} else {
			p.praise(t.from)
		}
	}
	if time.Since(c.began) >= calm {
		for _, one := range asked {
			if !slices.ContainsFunc(slices.Concat(c.own, c.guest), func(t *testimony) bool { return t.from == one }) && !p.leftOut(one) {
				p.leave(one, behind, "it has not reached the slot that others answer from")
			}
		}
	}
	if c.clock >= 0 {
		p.learn(v.moment)
	}
}

// differs names the first thing that a provider says otherwise.
func (c *comparison) differs(v verdict, t *testimony) string {
	last := t.all[len(t.all)-1]
	addresses, _ := c.params0()
	for i := range v.facts {
		switch {
		case i >= len(last.facts):
			return "how many accounts there are"
		case i == c.clock && !near(last.moment, v.moment):
			return fmt.Sprintf("the chain's time: it says %d in slot %d, they say %d in slot %d", last.moment.Unix, last.slot, v.moment.Unix, v.slot)
		case last.facts[i] != v.facts[i] && i < len(addresses):
			return fmt.Sprintf("the account %s in slot %d", addresses[i], last.slot)
		}
	}
	return "the answer to " + c.method
}

func (c *comparison) params0() ([]onchain.Address, bool) {
	if len(c.params) == 0 {
		return nil, false
	}
	all, ok := c.params[0].([]onchain.Address)
	return all, ok
}

// describe says who contradicts whom.
func (c *comparison) describe(v verdict) string {
	var with, against []*provider
	about := "the answer to " + c.method
	for _, t := range slices.Concat(c.own, c.guest) {
		if !slices.Contains(v.against, t.from) {
			with = append(with, t.from)
			continue
		}
		if against = append(against, t.from); len(against) == 1 {
			about = c.differs(v, t)
		}
	}
	if len(against) == 0 {
		return names(with)
	}
	return fmt.Sprintf("%s against %s about %s", names(with), names(against), about)
}

// agreedTime is the chain's time that was agreed on last.
type agreedTime struct {
	moment looks.Moment
	at     time.Time // monotonic; zero: none yet
}

// learn notes the agreed time.
func (p *Pool) learn(m looks.Moment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Unix != 0 && m.Slot >= p.agreed.moment.Slot {
		p.agreed = agreedTime{m, time.Now()}
	}
}

// Believable reports whether a time that one provider tells, as by its websocket, fits the time
// that all agreed on. Before that there is none that does. The only provider is believed.
func (p *Pool) Believable(m looks.Moment) bool {
	if !p.Several() {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.agreed.at.IsZero() {
		return false
	}
	since := int64(time.Since(p.agreed.at) / time.Second)
	off := m.Unix - p.agreed.moment.Unix - since
	slack := clockSlack + since/20 // the chain's clock may run a little differently
	return -slack <= off && off <= slack
}
