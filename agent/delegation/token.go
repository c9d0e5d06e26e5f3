package delegation

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ipfs/go-cid"
)

// never is the time of expiry of a token that does not expire.
const never = math.MaxInt64

const (
	delegationTag = "ucan/dlg@1.0.0"
	invocationTag = "ucan/inv@1.0.0"

	minNonce, maxNonce = 0, 64 // bytes
	maxProofs          = 16    // links of a chain
)

// varsig is the header of an Ed25519 signature over DAG-CBOR.
func varsig() []byte { return []byte{0x34, 0x01, 0xed, 0x01, 0xed, 0x01, 0x13, 0x71} }

// common members of both tokens.
type token struct {
	Issuer  Principal
	Subject Principal
	Command string
	Nonce   []byte
	Meta    map[string]any
	Expires int64 // Unix seconds, or never

	raw       []byte
	signed    []byte
	signature []byte
	id        cid.Cid
}

// Delegation is one link of a chain: its issuer allows its audience something of the subject.
type Delegation struct {
	token
	Audience  Principal
	Powerline bool  // the link is about any subject, and Subject is zero
	NotBefore int64 // Unix seconds, 0 if the token says nothing
	policy    []any
	rules     []statement
}

// Invocation is a signed call.
type Invocation struct {
	token
	Audience Principal // who is to execute it: the subject if the token names nobody
	Args     map[string]any
	Proofs   []cid.Cid // root first
	Issued   int64     // Unix seconds, 0 if the token says nothing
	named    bool      // the token names its audience
}

// Bytes returns the token as it is sent and stored.
func (t *token) Bytes() []byte { return slices.Clone(t.raw) }

// ID returns the CID of the token.
func (t *token) ID() string { return t.id.String() }

// Signature returns the signature of the issuer.
func (t *token) Signature() []byte { return slices.Clone(t.signature) }

// authentic refuses a token that its issuer did not sign.
func (t *token) authentic() *Refusal {
	if !t.Issuer.Verifies(t.signed, t.signature) {
		return Refuse(InvalidSignature, "signature", "the issuer %s did not sign this token", t.Issuer)
	}
	return nil
}

// envelope signs a payload and returns the token.
func envelope(tag string, payload map[string]any, s Signer) ([]byte, error) {
	content := map[string]any{"h": varsig(), tag: payload}
	signed, err := encodeValue(content)
	if err != nil {
		return nil, err
	}
	signature := s.Sign(signed)
	return encodeValue([]any{signature[:], content})
}

// open reads the envelope of a token with that tag.
func open(raw []byte, tag string) (t token, members members, err error) {
	v, err := decodeValue(raw)
	if err != nil {
		name := Malformed
		if len(raw) > maxToken {
			name = TooLarge
		}
		return t, members, Refuse(name, "", "%v", err)
	}
	parts, _ := v.([]any)
	if len(parts) != 2 {
		return t, members, Refuse(Malformed, "", "a token is a list of a signature and what it signs")
	}
	signature, ok := parts[0].([]byte)
	content, isMap := parts[1].(map[string]any)
	if !ok || !isMap || len(content) != 2 {
		return t, members, Refuse(Malformed, "", "a token is a list of a signature and what it signs")
	}
	if header, ok := content["h"].([]byte); !ok || !bytes.Equal(header, varsig()) {
		return t, members, Refuse(InvalidSignature, "h", "the header is not that of an Ed25519 signature over DAG-CBOR")
	}
	payload, ok := content[tag].(map[string]any)
	if !ok {
		return t, members, Refuse(Malformed, tag, "the token has no such member; this version reads UCAN 1.0.0")
	}
	if t.signed, err = encodeValue(content); err != nil {
		return t, members, Refuse(Malformed, "", "%v", err)
	}
	if t.id, err = identify(raw); err != nil {
		return t, members, Refuse(Malformed, "", "%v", err)
	}
	t.raw, t.signature = slices.Clone(raw), signature
	members = newMembers(payload)
	t.Issuer = members.principal("iss")
	t.Command = members.command("cmd")
	t.Nonce = members.bytes("nonce")
	t.Meta = members.object("meta", false)
	t.Expires = members.expiry("exp")
	return t, members, nil
}

// parseDelegation reads a delegation. It does not check the signature: Verify and Grant do.
func parseDelegation(raw []byte) (*Delegation, error) {
	t, m, err := open(raw, delegationTag)
	if err != nil {
		return nil, err
	}
	d := &Delegation{token: t, Audience: m.principal("aud"), NotBefore: m.time("nbf")}
	if d.Powerline = m.isNull("sub"); !d.Powerline {
		d.Subject = m.principal("sub")
	}
	d.policy = m.list("pol")
	if err := m.end(); err != nil {
		return nil, err
	}
	if d.rules, err = compile(d.policy); err != nil {
		return nil, Refuse(Malformed, "pol", "%v", err)
	}
	return d, nil
}

// parseInvocation reads an invocation. It does not check the signature: Verify does.
func parseInvocation(raw []byte) (*Invocation, error) {
	t, m, err := open(raw, invocationTag)
	if err != nil {
		return nil, err
	}
	t.Subject = m.principal("sub")
	i := &Invocation{token: t, Audience: t.Subject, Issued: m.time("iat"), Args: m.object("args", true)}
	if i.named = m.has("aud"); i.named {
		i.Audience = m.principal("aud")
	}
	for _, v := range m.list("prf") {
		link, ok := v.(cid.Cid)
		if !ok {
			m.fail("prf", "a proof is no CID")
			break
		}
		i.Proofs = append(i.Proofs, link)
	}
	if m.has("cause") {
		if _, ok := m.take("cause").(cid.Cid); !ok {
			m.fail("cause", "it is no CID")
		}
	}
	if err := m.end(); err != nil {
		return nil, err
	}
	return i, nil
}

// sign signs the delegation and sets its bytes.
func (d *Delegation) sign(s Signer) (*Delegation, error) {
	payload := map[string]any{
		"iss": d.Issuer.String(), "aud": d.Audience.String(), "sub": nil, "cmd": d.Command, "pol": d.policy,
		"nonce": d.Nonce, "exp": nil,
	}
	if !d.Powerline {
		payload["sub"] = d.Subject.String()
	}
	if d.Expires != never {
		payload["exp"] = d.Expires
	}
	if d.NotBefore != 0 {
		payload["nbf"] = d.NotBefore
	}
	if len(d.Meta) > 0 {
		payload["meta"] = d.Meta
	}
	raw, err := envelope(delegationTag, payload, s)
	if err != nil {
		return nil, err
	}
	return parseDelegation(raw)
}

// sign signs the invocation and sets its bytes.
func (i *Invocation) sign(s Signer) (*Invocation, error) {
	proofs := make([]any, len(i.Proofs))
	for n, p := range i.Proofs {
		proofs[n] = p
	}
	payload := map[string]any{
		"iss": i.Issuer.String(), "sub": i.Subject.String(), "cmd": i.Command, "args": i.Args,
		"prf": proofs, "nonce": i.Nonce, "exp": nil,
	}
	if i.Audience != i.Subject {
		payload["aud"] = i.Audience.String()
	}
	if i.Expires != never {
		payload["exp"] = i.Expires
	}
	if i.Issued != 0 {
		payload["iat"] = i.Issued
	}
	raw, err := envelope(invocationTag, payload, s)
	if err != nil {
		return nil, err
	}
	return parseInvocation(raw)
}

// members reads the members of a payload and keeps the first fault.
type members struct {
	left map[string]any
	err  *error
}

func newMembers(payload map[string]any) members {
	return members{left: maps.Clone(payload), err: new(error)}
}

func (m members) fail(field, format string, args ...any) {
	if *m.err == nil {
		*m.err = Refuse(Malformed, field, "%s", fmt.Sprintf(format, args...))
	}
}

func (m members) has(field string) bool {
	_, ok := m.left[field]
	return ok
}

func (m members) take(field string) any {
	v := m.left[field]
	delete(m.left, field)
	return v
}

// end returns the first fault, or that of a member that the specification does not know.
func (m members) end() error {
	for _, field := range slices.Sorted(maps.Keys(m.left)) {
		m.fail(field, "the specification does not know this member")
	}
	return *m.err
}

func (m members) text(field string) string {
	s, ok := m.take(field).(string)
	if !ok {
		m.fail(field, "it is no text")
	}
	return s
}

func (m members) principal(field string) Principal {
	p, err := ParsePrincipal(m.text(field))
	if err != nil {
		m.fail(field, "%v", err)
	}
	return p
}

func (m members) command(field string) string {
	c := m.text(field)
	if len(c) > maxCommand || !commandForm.MatchString(c) {
		m.fail(field, "%.140q is not a command of at most %d characters, such as /msg/send", c, maxCommand)
	}
	return c
}

func (m members) bytes(field string) []byte {
	b, ok := m.take(field).([]byte)
	if !ok || len(b) < minNonce || len(b) > maxNonce {
		m.fail(field, "it is not %d to %d bytes", minNonce, maxNonce)
	}
	return b
}

func (m members) isNull(field string) bool {
	v, ok := m.left[field]
	if ok && v == nil {
		delete(m.left, field)
		return true
	}
	return false
}

func (m members) list(field string) []any {
	l, ok := m.take(field).([]any)
	if !ok {
		m.fail(field, "it is no list")
	}
	return l
}

func (m members) object(field string, must bool) map[string]any {
	if !must && !m.has(field) {
		return nil
	}
	o, ok := m.take(field).(map[string]any)
	if !ok {
		m.fail(field, "it is no map")
	}
	return o
}

// time reads Unix seconds, 0 if the member is missing.
func (m members) time(field string) int64 {
	if !m.has(field) {
		return 0
	}
	t, ok := m.take(field).(int64)
	if !ok || t < 0 {
		m.fail(field, "it is no time in seconds since 1970")
	}
	return t
}

// expiry reads Unix seconds or null, which is never. The member must be there.
func (m members) expiry(field string) int64 {
	if m.isNull(field) {
		return never
	}
	if !m.has(field) {
		m.fail(field, "it is missing; null means that the token never expires")
	}
	return m.time(field)
}
