package anex_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"ojud/datasource/anex"
)

// seedMessages are the ten messages of the seed of ANEX, one a line, byte for byte.
func seedMessages(t testing.TB) [][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/seed_messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if len(lines) != 10 {
		t.Fatalf("%d messages instead of the seed's ten", len(lines))
	}
	return lines
}

func TestSeedMessagesByteForByte(t *testing.T) {
	for _, raw := range seedMessages(t) {
		m, err := anex.Parse(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		got, err := anex.Encode(m)
		if err != nil || !bytes.Equal(got, raw) {
			t.Errorf("encoded again, %v:\n%s\n%s", err, got, raw)
		}
	}
}

// TestOtherSpellings: compact, indented and reordered JSON is the same message.
func TestOtherSpellings(t *testing.T) {
	for _, raw := range seedMessages(t) {
		want, err := anex.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		var small, wide bytes.Buffer
		var members map[string]json.RawMessage
		if err := errors.Join(json.Compact(&small, raw), json.Indent(&wide, raw, "", "\t"), json.Unmarshal(raw, &members)); err != nil {
			t.Fatal(err)
		}
		var sorted bytes.Buffer
		encoder := json.NewEncoder(&sorted)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(members); err != nil {
			t.Fatal(err)
		}
		for _, other := range [][]byte{small.Bytes(), wide.Bytes(), sorted.Bytes()} {
			if got, err := anex.Parse(other); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v\n%+v\n%+v", other, err, got, want)
			}
		}
	}
}

func TestOptionalFields(t *testing.T) {
	m := anex.Message{Performative: anex.ActCFP, Sender: "a\"b", Receiver: "ü", Content: json.RawMessage(`{"b":1,"a":[1,{}, [ ]]}`), Protocol: anex.ContractNet,
		Conversation: "c1", ReplyWith: "a1", InReplyTo: "h1", ReplyBy: 1_700_000_000_120}
	raw, err := anex.Encode(m)
	const want = `{ "performative": "CFP", "sender": "a\"b", "receiver": "ü", "content": { "b": 1, "a": [1, {}, []] }, "language": "JSON", ` +
		`"ontology": "ANEX-Ontology", "protocol": "FIPA-Contract-Net", "conversation-id": "c1", "reply-with": "a1", "in-reply-to": "h1", ` +
		`"reply-by": "2023-11-14T22:13:20.120Z" }`
	if err != nil || string(raw) != want {
		t.Fatalf("%v\n%s\n%s", err, raw, want)
	}
	got, err := anex.Parse(raw)
	if m.Content = json.RawMessage(`{ "b": 1, "a": [1, {}, []] }`); err != nil || !reflect.DeepEqual(got, m) {
		t.Fatalf("%v\n%+v\n%+v", err, got, m)
	}
}

// good is a message. Each test changes a part of it.
const good = `{"performative":"REQUEST","sender":"a","receiver":"b","content":{"message":"x"},"language":"JSON","ontology":"ANEX-Ontology","protocol":"ANEX-Handshaking"}`

func TestParseRefuses(t *testing.T) {
	with := func(this, that string) string { return strings.Replace(good, this, that, 1) }
	long := strings.Repeat("x", 70_000)
	tests := []struct {
		name, raw string
		want      error
	}{
		{"nothing", "", anex.ErrNotJSON},
		{"an array", "[" + good + "]", anex.ErrMalformed},
		{"cut off", good[:len(good)-1], anex.ErrNotJSON},
		{"more behind it", good + "{}", anex.ErrNotJSON},
		{"twice the same key", with(`"sender":"a"`, `"sender":"a","sender":"a"`), anex.ErrNotJSON},
		{"the same key escaped", with(`"sender":"a"`, `"sender":"a","s\u0065nder":"a"`), anex.ErrNotJSON},
		{"the same key inside", with(`"message":"x"`, `"message":"x","o":[{"k":1,"k":2}]`), anex.ErrNotJSON},
		{"bad UTF-8", with("x", "\xff"), anex.ErrNotJSON},
		{"half a surrogate pair", with("x", `\ud800`), anex.ErrNotJSON},
		{"the other half", with("x", `\udc00`), anex.ErrNotJSON},
		{"half a pair and an escape", with("x", `\ud800\n`), anex.ErrNotJSON},
		{"control character", with("x", "\n"), anex.ErrNotJSON},
		{"a number with a zero in front", with(`"x"`, "01"), anex.ErrNotJSON},
		{"a comma too many", with(`"x"`, `"x",`), anex.ErrNotJSON},
		{"unknown field", with(`"sender"`, `"encoding":"b64","sender"`), anex.ErrMalformed},
		{"reply-to of FIPA", with(`"sender"`, `"reply-to":"c","sender"`), anex.ErrMalformed},
		{"other case", with(`"sender"`, `"Sender"`), anex.ErrMalformed},
		{"missing field", with(`"sender":"a",`, ``), anex.ErrMalformed},
		{"null", with(`"sender":"a"`, `"sender":null`), anex.ErrMalformed},
		{"wrong type", with(`"sender":"a"`, `"sender":{"name":"a"}`), anex.ErrMalformed},
		{"content a string", with(`{"message":"x"}`, `"x"`), anex.ErrMalformed},
		{"empty performative", with("REQUEST", ""), anex.ErrMalformed},
		{"performative in small letters", with("REQUEST", "request"), anex.ErrMalformed},
		{"long name", with(`"a"`, `"`+strings.Repeat("a", 257)+`"`), anex.ErrMalformed},
		{"local time", with(`"ANEX-Handshaking"`, `"ANEX-Handshaking","reply-by":"2026-01-01T00:00:00+01:00"`), anex.ErrMalformed},
		{"short hour", with(`"ANEX-Handshaking"`, `"ANEX-Handshaking","reply-by":"2026-01-01T1:00:00Z"`), anex.ErrMalformed},
		{"comma in time", with(`"ANEX-Handshaking"`, `"ANEX-Handshaking","reply-by":"2026-01-01T00:00:00,1Z"`), anex.ErrMalformed},
		{"empty optional", with(`"ANEX-Handshaking"`, `"ANEX-Handshaking","reply-with":""`), anex.ErrMalformed},
		{"space in an id", with(`"ANEX-Handshaking"`, `"ANEX-Handshaking","reply-with":"a b"`), anex.ErrMalformed},
		{"other language", with(`"JSON"`, `"XML"`), anex.ErrUnknown},
		{"other ontology", with("ANEX-Ontology", "FIPA-SL"), anex.ErrUnknown},
		{"too large", with("x", long), anex.ErrTooLarge},
		{"larger still", with("x", strings.Repeat(long, 30)), anex.ErrTooLarge},
		{"too large as it came", with(`"x"`, `"x"`+strings.Repeat(" ", 66_000)), anex.ErrTooLarge},
		{"too large with spaces", with(`"x"`, "["+strings.Repeat("1,", 30_000)+"1]"), anex.ErrTooLarge},
		{"too deep", with(`"x"`, strings.Repeat("[", 63)+strings.Repeat("]", 63)), anex.ErrTooLarge},
	}
	for _, test := range tests {
		_, err := anex.Parse([]byte(test.raw))
		if !errors.Is(err, test.want) || anex.Blame(err) != anex.Theirs {
			t.Errorf("%s: %v instead of %v", test.name, err, test.want)
		}
	}
	if _, err := anex.Parse([]byte(with(`"x"`, strings.Repeat("[", 62)+strings.Repeat("]", 62)))); err != nil {
		t.Errorf("as deep as it may be: %v", err)
	}
}

func TestBothSpellingsOfNotUnderstood(t *testing.T) {
	for _, word := range []string{"NOT-UNDERSTOOD", "NOT_UNDERSTOOD"} {
		m, err := anex.Parse([]byte(strings.Replace(good, "REQUEST", word, 1)))
		if err != nil || m.Performative != anex.ActNotUnderstood {
			t.Errorf("%s: %+v %v", word, m, err)
		}
	}
	m, err := anex.Parse([]byte(strings.Replace(good, "REQUEST", "CONFIRM", 1)))
	if err != nil || m.Performative.Known() {
		t.Errorf("a performative of FIPA that ANEX has not: %+v %v", m, err)
	}
}

// TestOneMebibyteFits: an INFORM with the largest data and receipt.
func TestOneMebibyteFits(t *testing.T) {
	data := `["` + strings.Repeat("x", anex.MaxData-4) + `"]`
	receipt := `{ "r": "` + strings.Repeat("y", anex.MaxReceipt-11) + `" }`
	raw := strings.Replace(strings.Replace(good, "REQUEST", "INFORM", 1), "ANEX-Handshaking", "ANEX-Data-Exchange", 1)
	raw = strings.Replace(raw, `{"message":"x"}`, `{ "data": `+data+`, "receipt": `+receipt+` }`, 1)
	m, err := anex.Parse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := anex.Encode(m); err != nil {
		t.Fatal(err)
	}
	if _, err := anex.Parse([]byte(strings.Replace(raw, "INFORM", "REQUEST", 1))); !errors.Is(err, anex.ErrTooLarge) {
		t.Errorf("as a REQUEST: %v", err)
	}
}
