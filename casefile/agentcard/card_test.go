package agentcard_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"os"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/casefile/canon"
)

// owner is an agent's key.
func owner(seed byte) (casefile.Address, func([]byte) [64]byte) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	return casefile.Address(key.Public().(ed25519.PublicKey)), func(m []byte) [64]byte { return [64]byte(ed25519.Sign(key, m)) }
}

func example(t testing.TB) []byte {
	t.Helper()
	raw, err := os.ReadFile("../../examples/agent/card.json")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func signed(t testing.TB, raw []byte) []byte {
	t.Helper()
	who, sign := owner(1)
	content, err := agentcard.Sign(raw, who, sign)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// edited replaces a text that must be there.
func edited(t *testing.T, raw []byte, from, to string) []byte {
	t.Helper()
	if !bytes.Contains(raw, []byte(from)) {
		t.Fatalf("%s is not in %s", from, raw)
	}
	return bytes.Replace(raw, []byte(from), []byte(to), 1)
}

// TestSign: a signed card is read again as it was written, and the signature is that of RFC 7515.
func TestSign(t *testing.T) {
	t.Parallel()
	who, _ := owner(1)
	content := signed(t, example(t))
	s, err := agentcard.Parse(append([]byte("  "), content...))
	if err != nil {
		t.Fatal(err)
	}
	if s.Authority != who || s.Name != "Translator" || len(s.Skills) != 1 || !bytes.Equal(s.Content, content) || s.Hash != casefile.HashOf(content) {
		t.Errorf("%+v", s)
	}
	at := bytes.Index(content, []byte(`"signatures":[`))
	end := bytes.Index(content[at:], []byte(`],`)) + at + len(`],`)
	payload := append(bytes.Clone(content[:at]), content[end:]...)
	message := s.Signatures[0].Protected + "." + base64.RawURLEncoding.EncodeToString(payload)
	signature, err := base64.RawURLEncoding.DecodeString(s.Signatures[0].Signature)
	if err != nil || !ed25519.Verify(who[:], []byte(message), signature) {
		t.Errorf("the signature is not that of the card without signatures: %v", err)
	}
	if again := signed(t, content); !bytes.Equal(again, content) {
		t.Errorf("signed again: %s", again)
	}
}

// TestHosted: a card may say at which agent host the agent is, over TLS, libp2p and a relay.
func TestHosted(t *testing.T) {
	t.Parallel()
	peer := "12D3KooW" + strings.Repeat("a", 44)
	for _, at := range []string{
		"h.example:4800", "[::1]:4800", "127.0.0.1:1", "z6Mk" + strings.Repeat("a", 44) + "@h.example:4800", peer + "@h.example:4801", peer + "+" + peer + "@h.example:4801",
	} {
		raw := edited(t, example(t), `"https://translator.example/a2a", "protocolBinding": "JSONRPC"`, `"agent://`+at+`/counter","protocolBinding":"OJUD-AGENT"`)
		s, err := agentcard.Parse(signed(t, raw))
		if err != nil || s.Interfaces[0].URL != "agent://"+at+"/counter" {
			t.Errorf("%s: %+v, %v", at, s.Interfaces, err)
		}
	}
}

// TestAttackCardOfAnother: a card cannot speak for another agent, and no byte of it can be changed.
func TestAttackCardOfAnother(t *testing.T) {
	t.Parallel()
	content := signed(t, example(t))
	who, _ := owner(1)
	mallory, sign := owner(2)
	if _, err := agentcard.Sign(content, mallory, sign); !errors.Is(err, agentcard.ErrForm) || !strings.Contains(err.Error(), "sign with the authority's key") {
		t.Errorf("mallory signed the card of another: %v", err)
	}
	if _, err := agentcard.Sign(content, who, sign); !errors.Is(err, agentcard.ErrForged) {
		t.Errorf("mallory's signature counts for another: %v", err)
	}
	for from, to := range map[string]string{
		who.String(): mallory.String(), "https://translator.example": "https://mallory.example", `"translation"`: `"accounting"`, "1.0.0": "1.0.1",
	} {
		if _, err := agentcard.Parse(edited(t, content, from, to)); !errors.Is(err, agentcard.ErrForged) {
			t.Errorf("%s for %s: %v", to, from, err)
		}
	}
	if _, err := agentcard.Parse(example(t)); !errors.Is(err, agentcard.ErrForm) || !strings.Contains(err.Error(), "agent card sign adds it") {
		t.Errorf("no authority: %v", err)
	}
}

// TestAttackHostileCard: what is too large, too deep, ambiguous or of another form is refused, and
// the error names the place and the fix.
func TestAttackHostileCard(t *testing.T) {
	t.Parallel()
	who, sign := owner(1)
	raw := example(t)
	skill := `{"id":"translation","name":"x","description":"x","tags":[]}`
	for name, c := range map[string]struct {
		raw  []byte
		want string
		is   error
	}{
		"old TOML":        {[]byte("name = \"Translator\"\n"), "agent card is a JSON object", agentcard.ErrForm},
		"free text":       {[]byte("I translate."), "write it as JSON", agentcard.ErrForm},
		"nothing":         {nil, "JSON object", agentcard.ErrForm},
		"large":           {bytes.Repeat([]byte("{"), 3*agentcard.MaxBytes), "at most 65536", canon.ErrTooLarge},
		"large in itself": {edited(t, raw, `"capabilities": {}`, `"capabilities":{"extensions":[{"uri":"x","params":{"a":"`+strings.Repeat("a", agentcard.MaxBytes)+`"}}]}`), "at most 65536", canon.ErrTooLarge},
		"deep":            {edited(t, raw, `"capabilities": {}`, `"securityRequirements":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+`,"capabilities":{}`), "", canon.ErrTooLarge},
		"twice a member":  {edited(t, raw, `"name": "Translator"`, `"name":"a","name":"b"`), "", canon.ErrNotJSON},
		"unknown":         {edited(t, raw, `"capabilities"`, `"skils":[],"capabilities"`), "skils", agentcard.ErrForm},
		"long name":       {edited(t, raw, "Translator", strings.Repeat("é", 129)), "name: has 129 characters; at most 128", agentcard.ErrForm},
		"no name":         {edited(t, raw, "Translator", ""), "name: is empty", agentcard.ErrForm},
		"many skills":     {edited(t, raw, `"skills": [`, `"skills":[`+strings.Repeat(skill+",", 64)), "skills: has 65 entries; at most 64", agentcard.ErrForm},
		"same skill":      {edited(t, raw, `"skills": [`, `"skills":[`+skill+","), "skills[1].id: another skill", agentcard.ErrForm},
		"markup for id":   {edited(t, raw, `"id": "translation"`, `"id":"<script>"`), "skills[0].id: needs", agentcard.ErrForm},
		"script for URL":  {edited(t, raw, "https://translator.example/a2a", "javascript:alert(1)"), "supportedInterfaces[0].url: needs", agentcard.ErrForm},
		"host with a skill": {edited(t, raw, `"https://translator.example/a2a", "protocolBinding": "JSONRPC"`, `"agent://h.example:4800/a/words","protocolBinding":"OJUD-AGENT"`),
			"supportedInterfaces[0].url: is no address", agentcard.ErrForm},
		"host of markup":  {edited(t, raw, `"https://translator.example/a2a", "protocolBinding": "JSONRPC"`, `"agent://x@h.example:4800/a","protocolBinding":"OJUD-AGENT"`), "is no address", agentcard.ErrForm},
		"host by JSONRPC": {edited(t, raw, "https://translator.example/a2a", "agent://h.example:4800/a"), "protocolBinding: is", agentcard.ErrForm},
		"URL by agent":    {edited(t, raw, "JSONRPC", "OJUD-AGENT"), "is no address", agentcard.ErrForm},
		"URL as another":  {edited(t, raw, "https://translator.example/a2a", "https://bank.example@mallory.example/"), "without a password", agentcard.ErrForm},
		"price of nothing": {edited(t, raw, `"capabilities": {}`, `"capabilities":{"extensions":[{"uri":"urn:ojud:agent:1","params":{"authority":"`+who.String()+
			`","prices":[{"skill":"accounting","lamports":"5"}]}}]}`), "prices[0].skill: the card has no skill", agentcard.ErrForm},
		"price as number": {edited(t, raw, `"capabilities": {}`, `"capabilities":{"extensions":[{"uri":"urn:ojud:agent:1","params":{"authority":"`+who.String()+
			`","prices":[{"skill":"translation","lamports":5}]}}]}`), "lamports", agentcard.ErrForm},
		"two terms": {edited(t, raw, `"capabilities": {}`, `"capabilities":{"extensions":[{"uri":"urn:ojud:agent:1","params":{"authority":"`+who.String()+
			`"}},{"uri":"urn:ojud:agent:1","params":{"authority":"`+who.String()+`"}}]}`), "leave one", agentcard.ErrForm},
	} {
		if _, err := agentcard.Sign(c.raw, who, sign); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := agentcard.Parse(c.raw); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, read: %v", name, err)
		}
	}
}

// TestAttackOlderCard: each version of a card has its own hash, so the hash on the chain names one.
func TestAttackOlderCard(t *testing.T) {
	t.Parallel()
	older, newer := signed(t, example(t)), signed(t, edited(t, example(t), "1.0.0", "1.1.0"))
	a, err := agentcard.Parse(older)
	if err != nil {
		t.Fatal(err)
	}
	b, err := agentcard.Parse(newer)
	if err != nil {
		t.Fatal(err)
	}
	if a.Hash == b.Hash {
		t.Error("two cards have one hash")
	}
	// A second form of the same signed card would be a second hash.
	for from, to := range map[string]string{`"capabilities":{`: `"capabilities":{"streaming":false,`, `"version":`: `"iconUrl":"","version":`} {
		if _, err := agentcard.Parse(edited(t, older, from, to)); !errors.Is(err, agentcard.ErrForm) {
			t.Errorf("%s: %v", to, err)
		}
	}
}

// FuzzParse: an accepted card is canonical, and reads as itself.
// TestWithTerms: prices and sources come into a card, and replace those that it had. A price of a
// skill that the card does not have is refused when it is signed.
func TestWithTerms(t *testing.T) {
	t.Parallel()
	who, sign := owner(1)
	raw := example(t)
	for _, lamports := range []casefile.Amount{5, 7} {
		priced, err := agentcard.WithTerms(raw, who, []agentcard.Price{{Skill: "translation", Lamports: lamports}}, []string{"rates"})
		if err != nil {
			t.Fatal(err)
		}
		if raw, err = agentcard.Sign(priced, who, sign); err != nil {
			t.Fatal(err)
		}
		s, err := agentcard.Parse(raw)
		if err != nil || len(s.Prices) != 1 || s.Prices[0].Lamports != lamports || len(s.Sources) != 1 || s.Authority != who {
			t.Errorf("%+v %v", s.CourtTerms, err)
		}
	}
	kept, err := agentcard.WithTerms(raw, who, nil, []string{"posts"})
	if err != nil || !bytes.Contains(kept, []byte(`"lamports":"7"`)) || bytes.Contains(kept, []byte("rates")) {
		t.Errorf("%s %v", kept, err)
	}
	wrong, err := agentcard.WithTerms(example(t), who, []agentcard.Price{{Skill: "accounting", Lamports: 5}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := agentcard.Sign(wrong, who, sign); !errors.Is(err, agentcard.ErrForm) || !strings.Contains(err.Error(), "the card has no skill") {
		t.Error(err)
	}
	if _, err := agentcard.WithTerms([]byte("x"), who, nil, nil); !errors.Is(err, agentcard.ErrForm) {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(signed(f, example(f)))
	f.Add(example(f))
	f.Add([]byte(`{"capabilities":{"extensions":[{"params":null,"uri":"urn:ojud:agent:1"}]}}`))
	who, sign := owner(1)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, card := range [][]byte{raw, resigned(raw, who, sign)} {
			s, err := agentcard.Parse(card)
			if err != nil {
				continue
			}
			if err := canon.Exact(s.Content, agentcard.MaxBytes); err != nil {
				t.Error(err)
			}
			if again, err := agentcard.Parse(s.Content); err != nil || again.Hash != s.Hash {
				t.Errorf("%s: %v", s.Content, err)
			}
		}
	})
}

// resigned returns a signed card, or nothing if it cannot be signed.
func resigned(raw []byte, who casefile.Address, sign func([]byte) [64]byte) []byte {
	content, err := agentcard.Sign(raw, who, sign)
	if err != nil {
		return nil
	}
	return content
}
