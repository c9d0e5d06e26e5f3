package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const classFile = `{"name":"a fact with its reason","about":"Say the year, and why.",
	"meaning":["/year"],"prose":["/why"],"least_words":6}`

func class(t testing.TB) TaskClass {
	t.Helper()
	c, content, err := ReadClass([]byte(classFile))
	if err != nil || content[0] != '{' || strings.Contains(string(content), "\n") {
		t.Fatal(err)
	}
	return c
}

// result is a canonical result.
func result(year int, why string) []byte { return fmt.Appendf(nil, `{"why":%q,"year":%d}`, why, year) }

const (
	honest = "The bridge opened in the spring after four years of work by two firms from the valley"
	other  = "After building it for four years, both firms from the valley opened the bridge in spring"
)

// TestAssess: an honest pair is one cluster; a copy, an empty result, one that lies and one that
// was never handed in are not in it; and who passes all of them alike has stamped.
func TestAssess(t *testing.T) {
	c := class(t)
	works := []Work{
		{Content: result(1931, strings.Replace(honest, "spring", "early spring", 1)), There: true, At: 30}, // copied
		{Content: result(1931, honest), There: true, At: 10},
		{Content: result(1931, "yes"), There: true, At: 11}, // lazy
		{Content: result(1935, other), There: true, At: 12}, // wrong
		{Content: []byte("{}"), There: true, At: 13},
		{At: 14},
	}
	said := [][]int{{90, 90, 20, 30, 0, Silent}, {85, 85, 88, 80, 86, 85}, {Silent, Silent, 90, Silent, Silent, Silent}, {}}
	f, err := c.Assess(works, said, nil, Scale{Pass: 50, Sigma: 10})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range f.Facts {
		got = append(got, fmt.Sprint(x.Complete, x.Cluster, x.CopyOf, x.LowEffort))
	}
	want := []string{"10000 0 2 false", "10000 2 0 false", "10000 0 0 true", "10000 4 0 false", "0 0 0 true", "0 0 0 false"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q: %+v", got, want, f.Facts)
	}
	if !slices.Equal(f.Stamped, []bool{false, true, false, false}) {
		t.Errorf("stamped: %v", f.Stamped)
	}
	again, err := c.Assess(works, said, nil, Scale{Pass: 50, Sigma: 10})
	if err != nil || fmt.Sprint(again) != fmt.Sprint(f) {
		t.Errorf("a second look finds %+v, %v", again, err)
	}
}

// TestEqual: values that are equal are one cluster, and no copies, however late they are. Of two
// results of one second none is a copy.
func TestEqual(t *testing.T) {
	c := class(t)
	c.Prose, c.LeastWords = nil, 0
	works := []Work{{Content: result(1931, honest), There: true, At: 1}, {Content: result(1931, honest), There: true, At: 9}}
	f, err := c.Assess(works, nil, nil, Scale{Pass: 50, Sigma: 10})
	if err != nil || f.Facts[1].CopyOf != 0 || f.Facts[1].Cluster != 1 {
		t.Errorf("%+v, %v", f, err)
	}
	c, works[1].At = class(t), 1
	if f, err = c.Assess(works, nil, nil, Scale{Pass: 50, Sigma: 10}); err != nil || f.Facts[1].CopyOf != 0 || f.Facts[1].Cluster != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestUnreadable: what cannot be read is no effort and stops nobody.
func TestUnreadable(t *testing.T) {
	c := class(t)
	for _, content := range []string{"", "null", "[]", `{"year": 1931}`, "{\"why\":1}", "\xff", strings.Repeat("[", 5000), result64(), `{"why":"` + strings.Repeat("a", MaxResult) + `"}`} {
		f, err := c.Assess([]Work{{Content: []byte(content), There: true}}, [][]int{{101}}, nil, Scale{Pass: 50, Sigma: 10})
		if err != nil || !f.Facts[0].LowEffort || f.Facts[0].Cluster != 0 || f.Stamped[0] {
			t.Errorf("%.40q: %+v, %v", content, f, err)
		}
	}
}

func result64() string { return `{"why":"` + strings.Repeat("b ", 40_000) + `"}` }

// TestReadClass: a class has bounds, and each refusal names its field.
func TestReadClass(t *testing.T) {
	for raw, want := range map[string]string{
		`{"name":"","about":"","meaning":["/a"]}`:                                                                    "name has 0 characters",
		`{"name":"x","about":"","meaning":[]}`:                                                                       "class has 0 fields",
		`{"name":"x","about":"","meaning":["a"]}`:                                                                    "no JSON pointer",
		`{"name":"x","about":"","meaning":["/a"],"least_words":3}`:                                                   "no prose",
		`{"name":"x","about":"","meaning":["/a"],"prose":["/b"],"most":1}`:                                           "unknown field",
		`{"name":"x","about":"` + strings.Repeat("é", 2001) + `","meaning":[]}`:                                      "about has 2001",
		`{"name":"x","about":"` + strings.Repeat("e", 9000) + `","meaning":[]}`:                                      "at most 8192",
		`{"name":"x","about":"","meaning":["/a"],"memory":["http://a","http://b","http://c","http://d","http://e"]}`: "memory has 5 nodes; it has at most 4",
		`{"name":"x","about":"","meaning":["/a"],"memory":["http://a","http://a"]}`:                                  "memory[1] is there twice",
		`{"name":"x","about":"","meaning":["/a"],"memory":["ftp://a"]}`:                                              "memory[0] is",
		`{"name":"x","about":"","meaning":["/a"],"memory":["https://"]}`:                                             "memory[0] is",
		`{"name":"x","about":"","meaning":["/a"],"memory":["https://me:secret@a"]}`:                                  "memory[0] is",
		`{"name":"x","about":"","meaning":["/a"],"memory":["/dns4/a/tcp/1/p2p/b"]}`:                                  "memory[0] is",
		`{"name":"x","about":"","meaning":["/a"],"memory":["http://` + strings.Repeat("a", 160) + `"]}`:              "at most 160 bytes",
		`{"name":"x"`: "",
	} {
		if _, _, err := ReadClass([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, not %q", raw, err, want)
		}
	}
}

// FuzzAssess: whatever workers hand in, everybody finds the same, and it has the form that the
// program takes: a cluster has the number of its first worker, and a copy is later than its
// original.
func FuzzAssess(f *testing.F) {
	f.Add(result(1, honest), result(1, other), []byte(`{}`), int64(5))
	f.Fuzz(func(t *testing.T, a, b, c []byte, at int64) {
		works := []Work{{a, true, 3}, {b, true, at}, {c, true, 4}, {a, true, at}}
		if all, ok := class(t).Texts(a); ok && len(all) != len(class(t).Prose) {
			t.Errorf("%q has %d texts", a, len(all))
		}
		found, err := class(t).Assess(works, [][]int{{50, 50, 50, 50}}, nil, Scale{Pass: 50, Sigma: 10})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range found.Facts {
			if x.Cluster > i+1 || x.Cluster > 0 && found.Facts[x.Cluster-1].Cluster != x.Cluster {
				t.Errorf("cluster %d of worker %d", x.Cluster, i+1)
			}
			if x.CopyOf > 0 && works[x.CopyOf-1].At >= works[i].At {
				t.Errorf("worker %d copied a later result", i+1)
			}
		}
	})
}

// FuzzReadClass: a class that was read has one form, which is read again.
func FuzzReadClass(f *testing.F) {
	f.Add([]byte(classFile))
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, content, err := ReadClass(raw)
		if err != nil {
			return
		}
		if _, again, err := ReadClass(content); err != nil || string(again) != string(content) {
			t.Errorf("%q became %q, %v", content, again, err)
		}
	})
}

// TestNodes: a class names its memory nodes, and a task as many of them as there is room for.
func TestNodes(t *testing.T) {
	nodes := []string{"http://192.0.2.7:4900", "https://memory.example", "/ip4/192.0.2.7/tcp/4001/p2p/12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5"}
	c, raw, err := ReadClass([]byte(`{"name":"x","about":"","meaning":["/a"],"memory":["` + strings.Join(nodes, `","`) + `"]}`))
	if err != nil || !slices.Equal(c.Memory, nodes) {
		t.Fatalf("%v, %v", c.Memory, err)
	}
	if again, _, err := ReadClass(raw); err != nil || !slices.Equal(again.Memory, nodes) {
		t.Errorf("its canonical form: %v, %v", again.Memory, err)
	}
	for room, want := range map[int][]string{200: nodes, 60: nodes[:2], 21: nodes[:1], 3: nil} {
		text := Metadata(nodes, room)
		if got := Nodes(text); len(text) > room || !slices.Equal(got, want) {
			t.Errorf("%d bytes: %q, %v", room, text, got)
		}
	}
	for _, text := range []string{"", "a sentence", "http://a and more", "http://a http://a"} {
		if got := Nodes(text); len(got) > 0 {
			t.Errorf("%q names %v", text, got)
		}
	}
}

// TestBeside: lists of attachments and documents of evaluations are the words of strangers. A list
// that leads out of a folder is none, and what is too long is cut.
func TestBeside(t *testing.T) {
	const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	one := `{"bytes":5,"name":"notes.txt","sha256":"` + hash + `","type":"text/plain"}`
	if all := ReadAttachments([]byte(`{"attachments":[` + one + `]}`)); len(all) != 1 || all[0].Name != "notes.txt" || all[0].Hash()[0] != 0x9f {
		t.Errorf("%+v", all)
	}
	for _, bad := range []string{
		"", "{", `{"attachments":[]}`, `{"attachments":[` + strings.Repeat(one+",", 4) + one + `]}`, `{"more":1,"attachments":[` + one + `]}`,
		`{"attachments":[` + strings.Replace(one, "notes.txt", "../notes.txt", 1) + `]}`, `{"attachments":[` + strings.Replace(one, "notes.txt", `a\\b`, 1) + `]}`,
		`{"attachments":[` + strings.Replace(one, "notes.txt", "", 1) + `]}`, `{"attachments":[` + strings.Replace(one, "notes.txt", "invoice\u202efdp.exe", 1) + `]}`, `{"attachments":[` + strings.Replace(one, "notes.txt", `a\u001b[2J`, 1) + `]}`,
		`{"attachments":[` + strings.Replace(one, ":5", ":-1", 1) + `]}`, `{"attachments":[` + strings.Replace(one, ":5", ":262145", 1) + `]}`,
		`{"attachments":[` + strings.Replace(one, hash, hash[:62], 1) + `]}`, `{"attachments":[` + strings.Replace(one, "text/plain", "a\\nb", 1) + `]}`,
	} {
		if all := ReadAttachments([]byte(bad)); all != nil {
			t.Errorf("%s is %+v", bad, all)
		}
	}
	said := ReadRemarks([]byte(`{"evaluations":[{"confidence":1,"corrections":["the year"],"rationale":"` + strings.Repeat("a", 5_000) + `","score":1,"worker":"x"},{"rationale":"again","worker":"x"}]}`))
	if len(said) != 1 || len(said["x"].Rationale) != maxRationale || len(said["x"].Corrections) != 1 {
		t.Errorf("%d, %+v", len(said), said)
	}
	if said := ReadRemarks([]byte(`{"scores":[{"corrections":["` + strings.Repeat("b", maxRemarks) + `",{"at":3}],"why":"wrong","worker":"x"}]}`)); said["x"].Rationale != "wrong" || len(said["x"].Corrections) != 1 {
		t.Errorf("%+v", said)
	}
	var many []string
	for i := range 8 {
		many = append(many, fmt.Sprintf(`{"why":%q,"worker":"w%d"}`, strings.Repeat("c", 4_000), i))
	}
	total := 0
	for _, r := range ReadRemarks([]byte(`{"scores":[` + strings.Join(many, ",") + `]}`)) {
		total += len(r.Rationale)
	}
	if total != maxRemarks {
		t.Errorf("one evaluator says %d bytes", total)
	}
	for raw, want := range map[string]string{"seen by a notary": "seen by a notary", "\x00\x01": "0x0001", "\xff": "0xff"} {
		if got := Proof([]byte(raw)); got != want {
			t.Errorf("%q is %q", raw, got)
		}
	}
}

// FuzzBeside: whatever strangers write, names lead nowhere and sizes are bounded.
func FuzzBeside(f *testing.F) {
	f.Add([]byte(`{"attachments":[{"bytes":5,"name":"a","sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","type":"b"}]}`))
	f.Add([]byte(`{"scores":[{"corrections":[1],"why":"wrong","worker":"x"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, a := range ReadAttachments(raw) {
			if strings.ContainsAny(a.Name, "/\\\x00") || a.Bytes > MaxAttachment || a.Hash() == [32]byte{} && strings.Trim(a.SHA256, "0") != "" {
				t.Errorf("%+v", a)
			}
		}
		for _, r := range ReadRemarks(raw) {
			if len(r.Rationale) > maxRationale {
				t.Errorf("%d bytes", len(r.Rationale))
			}
		}
	})
}

// TestAlike: three results with one value and a text that differs in one word stand apart, and each
// says why: nothing tells which of them means what another means.
func TestAlike(t *testing.T) {
	c, _, err := ReadClass([]byte(`{"about":"","name":"x","meaning":["/year"],"prose":["/why"]}`))
	if err != nil {
		t.Fatal(err)
	}
	var works []Work
	for _, word := range []string{"work", "labour", "toil"} {
		works = append(works, Work{[]byte(`{"why":"The bridge opened in the spring after four years of ` + word + ` by two firms","year":1932}`), true, 1})
	}
	for range 5 { // the outcome's document has these words
		f, err := c.Assess(works, [][]int{{50, 50, 50}}, nil, Scale{Pass: 50, Sigma: 10, Consensus: 6600})
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range f.Facts {
			of := map[bool]int{true: 2, false: 1}[i == 0]
			if !strings.Contains(at.Why, fmt.Sprintf("its text is that of worker %d but for a few words", of)) || len(at.Why) > 150 {
				t.Errorf("worker %d: %+v", i+1, at)
			}
		}
	}
}
