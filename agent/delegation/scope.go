package delegation

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Unlimited is the amount of a budget that has no limit.
const Unlimited = -1

const (
	maxCommands = 32 // of allow, and of deny
	maxDomains  = 16 // of approval
)

// units are the parts of a budget, as the arguments of a call name them.
var units = [...]string{"lamports", "tokens", "microdollars"}

// Units is how many parts a budget has.
const Units = len(units)

// Unit returns the name of a part of a budget: lamports, tokens, microdollars.
func Unit(i int) string { return units[i] }

// Amounts are an amount of each unit: lamports, tokens of models, millionths of a dollar.
type Amounts [Units]int64

// Scope are what a delegation of ojud allows.
type Scope struct {
	Allow     []string // commands, with all below them
	Deny      []string // commands that are refused although Allow covers them
	Budget    Amounts  // the most that all calls together may spend; Unlimited
	NotBefore int64    // Unix seconds, 0 for no bound
	Until     int64    // Unix seconds, never for no bound
	Approval  []string // domains in which a person must approve each call
}

// domainForm is the form of an approval domain.
var domainForm = regexp.MustCompile(`^[a-z0-9_-]{1,32}$`)

// Validate refuses terms that no token can say, by an error that names the field. It sorts and
// shortens the lists.
func (t *Scope) Validate() error {
	for _, f := range []struct {
		name string
		list *[]string
	}{{"allow", &t.Allow}, {"deny", &t.Deny}} {
		for i, c := range *f.list {
			parsed, err := ParseCommand(c)
			if err != nil {
				return Refuse(InvalidClaim, f.name, "%v", err)
			}
			(*f.list)[i] = parsed
		}
		slices.Sort(*f.list)
		if *f.list = slices.Compact(*f.list); len(*f.list) > maxCommands {
			return Refuse(InvalidClaim, f.name, "%d commands, at most %d; name a command that stands above them", len(*f.list), maxCommands)
		}
	}
	if len(t.Allow) == 0 {
		return Refuse(InvalidClaim, "allow", "it allows nothing; name at least one command")
	}
	slices.Sort(t.Approval)
	if t.Approval = slices.Compact(t.Approval); len(t.Approval) > maxDomains {
		return Refuse(InvalidClaim, "approval", "%d domains, at most %d", len(t.Approval), maxDomains)
	}
	for _, d := range t.Approval {
		if !domainForm.MatchString(d) {
			return Refuse(InvalidClaim, "approval", "%.40q is no domain of at most 32 characters, such as finance: it has a-z, 0-9, _ and -", d)
		}
	}
	for i, most := range t.Budget {
		if most < Unlimited || most > maxSafe {
			return Refuse(InvalidClaim, "budget."+units[i], "%d is not an amount from 0 to %d", most, int64(maxSafe))
		}
	}
	if t.Until <= t.NotBefore {
		return Refuse(InvalidClaim, "until", "it ends at %d, before it begins at %d", t.Until, t.NotBefore)
	}
	return nil
}

// narrow refuses terms of a link that are wider than those of the link before it. The refusal names
// the first field that is.
func narrow(before, after Scope) error {
	for _, c := range after.Allow {
		if !covered(before.Allow, c) {
			return Refuse(Widened, "allow", "%s is not among what the link before it allows: %s", c, strings.Join(before.Allow, ", "))
		}
	}
	for _, c := range before.Deny {
		relevant := slices.ContainsFunc(after.Allow, func(a string) bool { return covers(a, c) || covers(c, a) })
		if relevant && !covered(after.Deny, c) {
			return Refuse(Widened, "deny", "the link before it denies %s, and this one does not", c)
		}
	}
	for i, most := range before.Budget {
		if most != Unlimited && (after.Budget[i] == Unlimited || after.Budget[i] > most) {
			return Refuse(Widened, "budget."+units[i], "%s is more than the %d of the link before it", amount(after.Budget[i]), most)
		}
	}
	if after.NotBefore < before.NotBefore {
		return Refuse(Widened, "not_before", "it begins before the link before it, at %s", clock(before.NotBefore))
	}
	if after.Until > before.Until {
		return Refuse(Widened, "until", "it ends after the link before it, at %s", clock(before.Until))
	}
	for _, d := range before.Approval {
		if !slices.Contains(after.Approval, d) {
			return Refuse(Widened, "approval", "the link before it asks a person about calls in the domain %s, and this one does not", d)
		}
	}
	return nil
}

func amount(n int64) string {
	if n == Unlimited {
		return "no limit"
	}
	return fmt.Sprint(n)
}

// Issue signs a delegation. A nil subject is that of the link before it, or the signer if there is
// none; before is the chain so far, root first, which must end at the signer.
func Issue(s Signer, to Principal, t Scope, before []*Delegation, nonce []byte, now time.Time) (*Delegation, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	d := &Delegation{Audience: to, NotBefore: t.NotBefore}
	d.Issuer, d.Subject, d.Command, d.Nonce, d.Expires = s.Principal(), s.Principal(), common(t.Allow), nonce, t.Until
	if len(before) > 0 {
		d.Subject = before[0].Subject
	}
	d.Meta = map[string]any{"issued": now.Unix()}
	if len(t.Approval) > 0 {
		d.Meta["approval"] = list(t.Approval)
	}
	if len(t.Allow) > 1 {
		d.policy = append(d.policy, anyOf(t.Allow))
	}
	for _, c := range t.Deny {
		d.policy = append(d.policy, []any{"not", anyOf([]string{c})})
	}
	for i, most := range t.Budget {
		if most != Unlimited {
			d.policy = append(d.policy, []any{"<=", ".spend." + units[i], most})
		}
	}
	if d.policy == nil {
		d.policy = []any{}
	}
	d, err := d.sign(s)
	if err != nil {
		return nil, err
	}
	if err := Profile(append(slices.Clone(before), d)); err != nil {
		return nil, err
	}
	return d, Grant(append(slices.Clone(before), d), Check{Now: time.Unix(max(now.Unix(), t.NotBefore), 0)})
}

// anyOf is the statement that .call is one of commands or below one.
func anyOf(commands []string) []any {
	var either []any
	for _, c := range commands {
		if c == "/" {
			either = append(either, []any{"like", ".call", "/*"})
			continue
		}
		either = append(either, []any{"==", ".call", c}, []any{"like", ".call", c + "/*"})
	}
	return []any{"or", either}
}

func list(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}

// Scope reads what a delegation allows. Statements that no terms say stay in the policy: they only
// narrow, and conditions counts them.
func (d *Delegation) Scope() (t Scope, conditions []string, err error) {
	t = Scope{Budget: Amounts{Unlimited, Unlimited, Unlimited}, NotBefore: d.NotBefore, Until: d.Expires}
	for _, s := range d.policy {
		switch allow, deny, unit, most := d.read(s); {
		case allow != nil && t.Allow == nil:
			t.Allow = allow
		case deny != "":
			t.Deny = append(t.Deny, deny)
		case unit >= 0 && (t.Budget[unit] == Unlimited || most < t.Budget[unit]):
			t.Budget[unit] = most
		case unit >= 0: // a higher bound beside a lower one says nothing
		default:
			conditions = append(conditions, short(s))
		}
	}
	if t.Allow == nil {
		t.Allow = []string{d.Command}
	}
	if approval, ok := d.Meta["approval"]; ok {
		domains, ok := approval.([]any)
		if !ok {
			return t, nil, Refuse(Malformed, "meta.approval", "it is no list of domains")
		}
		for _, v := range domains {
			domain, ok := v.(string)
			if !ok {
				return t, nil, Refuse(Malformed, "meta.approval", "it is no list of domains")
			}
			t.Approval = append(t.Approval, domain)
		}
	}
	if err := t.Validate(); err != nil {
		return t, nil, err
	}
	for _, c := range t.Allow {
		if !covers(d.Command, c) {
			return t, nil, Refuse(InvalidCommand, "allow", "%s is not below the command %s of the token", c, d.Command)
		}
	}
	return t, conditions, nil
}

// read recognizes a statement that Issue writes. Unit is -1 if it is no bound of a budget.
func (d *Delegation) read(v any) (allow []string, deny string, unit int, most int64) {
	unit = -1
	parts, _ := v.([]any)
	if len(parts) == 3 {
		text, _ := parts[1].(string)
		name, ok := strings.CutPrefix(text, ".spend.")
		n, isInt := parts[2].(int64)
		if i := slices.Index(units[:], name); ok && isInt && n >= 0 && i >= 0 && parts[0] == "<=" {
			return nil, "", i, n
		}
	}
	if len(parts) != 2 {
		return nil, "", unit, 0
	}
	if parts[0] == "or" {
		return commands(v), "", unit, 0
	}
	if denied := commands(parts[1]); parts[0] == "not" && len(denied) == 1 {
		return nil, denied[0], unit, 0
	}
	return nil, "", unit, 0
}

// commands reads a statement of anyOf.
func commands(v any) (out []string) {
	parts, _ := v.([]any)
	if len(parts) != 2 || parts[0] != "or" {
		return nil
	}
	either, _ := parts[1].([]any)
	for i := 0; i < len(either); i++ {
		s, _ := either[i].([]any)
		if len(s) != 3 || s[1] != ".call" {
			return nil
		}
		text, _ := s[2].(string)
		if s[0] == "like" && text == "/*" {
			out = append(out, "/")
			continue
		}
		if s[0] != "==" || i+1 == len(either) || !commandForm.MatchString(text) {
			return nil
		}
		below, _ := either[i+1].([]any)
		if len(below) != 3 || below[0] != "like" || below[1] != ".call" || below[2] != text+"/*" {
			return nil
		}
		out = append(out, text)
		i++
	}
	return out
}

// Profile refuses a chain if one of its links is wider than the link before it.
func Profile(links []*Delegation) error {
	var before Scope
	for n, d := range links {
		t, _, err := d.Scope()
		if err != nil {
			return inLink(n, err)
		}
		if n > 0 {
			if err := narrow(before, t); err != nil {
				return inLink(n, err)
			}
		}
		before = t
	}
	return nil
}

// Link is a link of a chain that spending is counted for.
type Link struct {
	ID     string
	To     Principal // whom it allows
	Budget Amounts
	Until  int64 // Unix seconds, never for no bound
}

// Permit is what a checked call of an agent may do.
type Permit struct {
	Links    []Link // root first
	Command  string
	Spend    Amounts // what the call may spend at most
	Approval []string
}

// Call returns the arguments of a call: the command, which policies cannot see otherwise, what the
// call may spend at most, and the input.
func Call(command string, spend Amounts, input any) map[string]any {
	amounts := map[string]any{}
	for i, n := range spend {
		amounts[units[i]] = n
	}
	return map[string]any{"call": command, "spend": amounts, "input": input}
}

// Invoke signs a call under a chain, root first; without links the signer calls itself.
func Invoke(s Signer, executor Principal, args map[string]any, links []*Delegation, nonce []byte, now time.Time, expires time.Time) (*Invocation, error) {
	command, _ := args["call"].(string)
	inv := &Invocation{Audience: executor, Args: args, Issued: now.Unix()}
	inv.Issuer, inv.Subject, inv.Command, inv.Nonce, inv.Expires = s.Principal(), s.Principal(), command, nonce, expires.Unix()
	if len(links) > 0 {
		inv.Subject = links[0].Subject
	}
	for _, d := range links {
		inv.Proofs = append(inv.Proofs, d.id)
	}
	return inv.sign(s)
}

// Permitted checks a call of ojud whose chain Verify accepted: the links only narrow, and the
// arguments say what is called and what it may spend.
func Permitted(inv *Invocation, links []*Delegation) (p Permit, err error) {
	if err := Profile(links); err != nil {
		return p, err
	}
	p.Command = inv.Command
	if call, _ := inv.Args["call"].(string); call != inv.Command {
		return p, Refuse(InvalidClaim, "args.call", "it is %.140q, and the invocation calls %s", call, inv.Command)
	}
	amounts, _ := inv.Args["spend"].(map[string]any)
	for i, unit := range units {
		n, ok := amounts[unit].(int64)
		if !ok || n < 0 {
			return p, Refuse(InvalidClaim, "args.spend."+unit, "it is no amount from 0")
		}
		p.Spend[i] = n
	}
	for _, d := range links {
		t, _, err := d.Scope()
		if err != nil {
			return p, err
		}
		p.Links = append(p.Links, Link{ID: d.ID(), To: d.Audience, Budget: t.Budget, Until: d.Expires})
		p.Approval = append(p.Approval, t.Approval...)
	}
	slices.Sort(p.Approval)
	p.Approval = slices.Compact(p.Approval)
	return p, nil
}

// short shows a value in at most 300 bytes of JSON.
func short(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%.300v", v)
	}
	return string(raw[:min(len(raw), 300)])
}

const _ = uint(Units - 3) // the amounts of Scope begin without a limit, all three

// Allows reports whether a checked chain allows its holder a call, by an error that says why not.
// It knows nothing of what was spent before.
func Allows(links []*Delegation, command string, spend Amounts) error {
	args := Call(command, spend, nil)
	for n, d := range links {
		if !covers(d.Command, command) {
			return at(n, d, InvalidCommand, "cmd", "it allows %s, and the call is %s", d.Command, command)
		}
		if err := d.admit(n, args); err != nil {
			return err
		}
	}
	return nil
}
