package trader

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"ojud/agent/work"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/library"
	"ojud/voting"
)

// The names of the settings files in a home.
const (
	WorkFile = "work.toml"
	PostFile = "post.toml"
)

// workSettings are the settings of a worker.
type workSettings struct {
	AtOnce       int             `toml:"at_once"`
	LeastSeconds int             `toml:"least_seconds"`
	Undecided    []string        `toml:"undecided"`
	MostLost     int             `toml:"most_lost"`
	Reworks      int             `toml:"reworks"`
	Poll         string          `toml:"poll"`
	Budget       bounds          `toml:"budget"`
	Skills       []skillSettings `toml:"skill"`
	Mints        []mintSettings  `toml:"mint"`
}

// mintSettings name tokens that a worker takes beside a reward. Worth is that of a whole token.
type mintSettings struct {
	Address string `toml:"address"`
	Worth   string `toml:"worth"`
}

// bounds are the settings of a budget. A member that is left out is no bound.
type bounds struct {
	Stake   string  `toml:"stake"`
	Loss    string  `toml:"loss"`
	Tokens  int     `toml:"tokens"`
	Dollars float64 `toml:"dollars"`
}

// skillSettings are the settings of a skill.
type skillSettings struct {
	Name  string   `toml:"name"`
	Words []string `toml:"words"`
	Least string   `toml:"least"`
	dutySettings
}

// postSettings are the settings of a creator.
type postSettings struct {
	Queue       string `toml:"queue"`
	Reward      string `toml:"reward"`
	Mint        string `toml:"mint"`
	Tokens      string `toml:"tokens"`
	WorkTime    string `toml:"work_time"`
	ClaimTime   string `toml:"claim_time"`
	Undecided   string `toml:"undecided"`
	Seats       int    `toml:"seats"`
	AtOnce      int    `toml:"at_once"`
	Patience    string `toml:"patience"`
	Vault       string `toml:"vault"`
	UnsureWords string `toml:"unsure"`
	Ends        bool   `toml:"ends"`
	Poll        string `toml:"poll"`
	Budget      bounds `toml:"budget"`
	agentSettings
}

// WorkPlan is what the settings of a worker say.
type WorkPlan struct {
	Policy work.WorkerPolicy
	Duties map[string]Duty // by skill
	Poll   time.Duration
}

// PostPlan is what the settings of a creator say.
type PostPlan struct {
	Policy work.CreatorPolicy
	Queue  string
	Judge  Employed // who judges results that code cannot
	Terms  client.Offer
	Poll   time.Duration
}

// The limits of settings.
const (
	maxSettings = 256 << 10 // bytes of a file
	maxAtOnce   = 64
	maxSkills   = 64
	maxWord     = 100
	maxGuide    = 16 << 10
)

// problem collects the first fault of a file, with its line.
type problem struct {
	name string
	raw  []byte
	err  error
}

// at notes a fault of a field, such as "budget.stake" or "skill[1].least".
func (p *problem) at(field, format string, args ...any) {
	if p.err != nil {
		return
	}
	where := p.name
	if n := lineOf(p.raw, field); n > 0 {
		where = fmt.Sprintf("%s:%d", p.name, n)
	}
	p.err = fmt.Errorf("%s: %s %s", where, field, fmt.Sprintf(format, args...))
}

func (p *problem) number(field string, n, least, most int) {
	if n < least || n > most {
		p.at(field, "is %d; give a number from %d to %d", n, least, most)
	}
}

func (p *problem) amount(field, text string) uint64 {
	if text == "" {
		return 0
	}
	n, err := client.ParseLamports(text)
	if err != nil {
		p.at(field, "is %.40q; give an amount such as \"0.1sol\" or \"5000lamports\"", text)
	}
	return uint64(n)
}

func (p *problem) span(field, text string, otherwise, least, most time.Duration) time.Duration {
	if text == "" {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > most {
		p.at(field, "is %.40q; give a time from %s to %s, such as \"30s\" or \"2h\"", text, least, most)
	}
	return d
}

func (p *problem) budget(b bounds) work.Budget {
	p.number("budget.tokens", b.Tokens, 0, 1<<40)
	if b.Dollars < 0 || b.Dollars > 1e6 {
		p.at("budget.dollars", "is %v; give 0 to 1000000", b.Dollars)
	}
	return work.Budget{Stake: p.amount("budget.stake", b.Stake), Loss: p.amount("budget.loss", b.Loss), Tokens: b.Tokens, Micros: uint64(max(b.Dollars, 0) * 1e6)}
}

var (
	section = regexp.MustCompile(`^\s*(\[\[?)\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(?:#.*)?$`)
	member  = regexp.MustCompile(`^\s*([A-Za-z0-9_-]+)\s*=`)
)

// lineOf returns the line of a field, or of the table that lacks it; 0: it is nowhere.
func lineOf(raw []byte, field string) int {
	table, best, count := "", 0, map[string]int{}
	for n, text := range strings.Split(string(raw), "\n") {
		if m := section.FindStringSubmatch(text); m != nil {
			if table = m[2]; m[1] == "[[" {
				table = fmt.Sprintf("%s[%d]", m[2], count[m[2]])
				count[m[2]]++
			}
			if strings.HasPrefix(field, table+".") || field == table {
				best = n + 1
			}
		} else if m := member.FindStringSubmatch(text); m != nil {
			name := m[1]
			if table != "" {
				name = table + "." + name
			}
			if name == field {
				return n + 1
			}
		}
	}
	return best
}

// decode reads TOML strictly.
func decode(name string, raw []byte, v any, fields string) error {
	if len(raw) > maxSettings {
		return fmt.Errorf("%s: it has more than %d bytes; shorten it", name, maxSettings)
	}
	d := toml.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	var strict *toml.StrictMissingError
	var at *toml.DecodeError
	switch {
	case errors.As(err, &strict) && len(strict.Errors) > 0:
		row, _ := strict.Errors[0].Position()
		return fmt.Errorf("%s:%d: %q is no field; there are %s", name, row, strings.Join(strict.Errors[0].Key(), "."), fields)
	case errors.As(err, &at):
		row, column := at.Position()
		return fmt.Errorf("%s:%d:%d: %s", name, row, column, strings.TrimPrefix(at.Error(), "toml: "))
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

const poll = 3 * time.Second

// ReadWork reads the settings of a worker. The error names the file, the line, the field, its
// limits and the fix.
func ReadWork(path string) (WorkPlan, error) {
	raw, err := library.ReadFile(path, maxSettings)
	if err != nil {
		return WorkPlan{}, err
	}
	return parseWork(path, raw)
}

// parseWork is ReadWork for the bytes of a file.
func parseWork(name string, raw []byte) (plan WorkPlan, err error) {
	s := workSettings{AtOnce: 1, LeastSeconds: 60, Undecided: []string{"split", "pay"}, MostLost: 2, Reworks: 1}
	if err := decode(name, raw, &s, "at_once, least_seconds, undecided, most_lost, reworks, poll, the table budget (stake, loss, tokens, dollars), tables mint (address, worth) and tables skill (name, words, least, command, agent, agent_home, agent_tokens, agent_dollars, instructions, time, cpu, memory_mb, attempts)"); err != nil {
		return plan, err
	}
	p := &problem{name: name, raw: raw}
	p.number("at_once", s.AtOnce, 1, maxAtOnce)
	p.number("least_seconds", s.LeastSeconds, 0, 31_536_000)
	p.number("most_lost", s.MostLost, 0, 1_000_000)
	p.number("reworks", s.Reworks, 0, 10)
	for _, u := range s.Undecided {
		if !slices.Contains(client.UndecidedWords(), u) {
			p.at("undecided", "has %.40q; give some of refund, pay and split", u)
		}
	}
	if len(s.Skills) == 0 || len(s.Skills) > maxSkills {
		p.at("skill", "is there %d times; write 1 to %d tables [[skill]]", len(s.Skills), maxSkills)
	}
	plan = WorkPlan{Duties: map[string]Duty{}, Poll: p.span("poll", s.Poll, poll, 100*time.Millisecond, time.Hour)}
	plan.Policy = work.WorkerPolicy{AtOnce: s.AtOnce, LeastSeconds: uint32(s.LeastSeconds), Undecided: s.Undecided, MostLost: uint32(s.MostLost), Reworks: s.Reworks, Budget: p.budget(s.Budget)}
	plan.Policy.Mints = p.mints(s.Mints)
	for n, k := range s.Skills {
		field := func(name string) string { return fmt.Sprintf("skill[%d].%s", n, name) }
		switch _, twice := plan.Duties[k.Name]; {
		case k.Name == "" || len(k.Name) > maxWord:
			p.at(field("name"), "is %.40q; give a name of 1 to %d bytes", k.Name, maxWord)
		case twice:
			p.at(field("name"), "is %q as in an earlier skill; give each its own", k.Name)
		case len(k.Words) == 0 || len(k.Words) > maxSkills || slices.ContainsFunc(k.Words, func(w string) bool { return w == "" || len(w) > maxWord }):
			p.at(field("words"), "must be 1 to %d words of at most %d bytes, which stand in the instruction of a task that it fits", maxSkills, maxWord)
		}
		plan.Policy.Skills = append(plan.Policy.Skills, work.Skill{Name: k.Name, Words: k.Words, Least: p.amount(field("least"), k.Least), Attempts: p.attempts(field, k.Attempts)})
		plan.Duties[k.Name] = p.duty(field, k.dutySettings)
	}
	return plan, p.err
}

// mints reads which tokens a worker takes.
func (p *problem) mints(all []mintSettings) map[string]uint64 {
	if len(all) > maxSkills {
		p.at("mint", "is there %d times; write at most %d tables [[mint]]", len(all), maxSkills)
		return nil
	}
	out := map[string]uint64{}
	for n, m := range all {
		field := fmt.Sprintf("mint[%d].", n)
		_, err := onchain.ParseAddress(m.Address)
		switch _, twice := out[m.Address]; {
		case err != nil:
			p.at(field+"address", "is %.60q; give the address of a mint. A name says nothing, because anybody can give it to a mint", m.Address)
		case twice:
			p.at(field+"address", "is that of an earlier mint; name each once")
		}
		if out[m.Address] = p.amount(field+"worth", m.Worth); out[m.Address] == 0 {
			p.at(field+"worth", "is %.40q; say what a whole token is worth to you, such as \"0.005sol\"", m.Worth)
		}
	}
	return out
}

// ReadPost reads the settings of a creator, as ReadWork does.
func ReadPost(path string) (PostPlan, error) {
	raw, err := library.ReadFile(path, maxSettings)
	if err != nil {
		return PostPlan{}, err
	}
	return parsePost(path, raw)
}

// parsePost is ReadPost for the bytes of a file.
func parsePost(name string, raw []byte) (plan PostPlan, err error) {
	s := postSettings{AtOnce: 4, Undecided: "split"}
	if err := decode(name, raw, &s, "queue, reward, mint, tokens, work_time, claim_time, undecided, seats, at_once, patience, vault, unsure, ends, poll, agent, agent_home, agent_tokens, agent_dollars and the table budget (stake, loss, tokens, dollars)"); err != nil {
		return plan, err
	}
	p := &problem{name: name, raw: raw}
	p.number("at_once", s.AtOnce, 1, maxAtOnce)
	p.number("seats", s.Seats, 0, voting.MaxSeats)
	if s.Queue == "" {
		p.at("queue", "is missing; name a folder of task files, or a file with an order in each line")
	}
	if !slices.Contains(client.UndecidedWords(), s.Undecided) {
		p.at("undecided", "is %.40q; give refund, pay or split", s.Undecided)
	}
	if s.UnsureWords == "" {
		s.UnsureWords = "accept"
		if s.Agent != "" { // who names a judge does not want to pay for what nobody has judged
			s.UnsureWords = "object"
		}
	}
	if s.UnsureWords != "accept" && s.UnsureWords != "object" {
		p.at("unsure", "is %.40q; give accept or object", s.UnsureWords)
	}
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	plan = PostPlan{Queue: s.Queue, Poll: p.span("poll", s.Poll, poll, 100*time.Millisecond, time.Hour)}
	plan.Judge = p.employed(func(name string) string { return name }, s.agentSettings)
	plan.Terms = client.DefaultOffer(client.Lamports(p.amount("reward", s.Reward)))
	plan.Terms.WorkSeconds = uint32(p.span("work_time", s.WorkTime, day, time.Second, year) / time.Second)
	plan.Terms.ClaimWithin = uint32(p.span("claim_time", s.ClaimTime, 7*day, time.Second, year) / time.Second)
	plan.Terms.OnUndecided, plan.Terms.Seats = s.Undecided, uint8(s.Seats)
	plan.Policy = work.CreatorPolicy{
		AtOnce: s.AtOnce, Patience: int64(p.span("patience", s.Patience, 0, time.Second, year) / time.Second), Vault: p.amount("vault", s.Vault),
		Object: s.UnsureWords == "object", Ends: s.Ends, Budget: p.budget(s.Budget),
	}
	if plan.Policy.Tokens, err = tokensOf(s.Mint, s.Tokens); err != nil {
		p.at("tokens", "cannot be taken: %v", err)
	}
	if s.Budget.Loss == "" && s.Budget.Stake == "" {
		p.at("budget", "names neither stake nor loss; bound what the creator may pay, such as loss = \"2sol\"")
	}
	return plan, p.err
}
