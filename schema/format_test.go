package schema

import (
	"strings"
	"testing"
	"time"

	"ojud/test/longtest"
)

// TestFormats: each format accepts and refuses what its standard says.
func TestFormats(t *testing.T) {
	t.Parallel()
	for format, c := range map[string]struct{ good, bad []string }{
		"date":                  {[]string{"2026-11-24", "2024-02-29"}, []string{"2026-13-01", "2025-02-29", "24.11.2026", "2026-11-24T00:00:00Z", ""}},
		"date-time":             {[]string{"2026-11-24T10:00:00Z", "2026-11-24t10:00:00.5+01:00"}, []string{"2026-11-24 10:00", "2026-11-24T25:00:00Z", "2026-11-24T10:00:00"}},
		"time":                  {[]string{"10:00:00Z", "23:59:59.9-07:30"}, []string{"10:00", "24:00:00Z", "10:00:00"}},
		"duration":              {[]string{"P1D", "PT1H30M", "P2W"}, []string{"P", "1D", "P1D2W", "PT"}},
		"email":                 {[]string{"a@example.org", "a.b+c@example.org"}, []string{"a", "a@", "a b@example.org"}},
		"hostname":              {[]string{"example.org", "a-b.c"}, []string{"-a.org", "a..b", "a_b.c", strings.Repeat("a", 64) + ".org"}},
		"ipv4":                  {[]string{"192.0.2.1"}, []string{"192.0.2.256", "192.0.2", "192.0.02.1"}},
		"ipv6":                  {[]string{"2001:db8::1", "::1"}, []string{"192.0.2.1", "2001:db8", "::1%eth0"}},
		"uri":                   {[]string{"https://example.org/a?b#c", "urn:isbn:1"}, []string{"/a", "example.org", "https://[::1", "a b:c", "https://example.org/a b", "https://example.org/ä", "https://example.org/a|b", "https://example.org/<>"}},
		"uri-reference":         {[]string{"/a", "../b?c", "https://example.org"}, []string{"\\\\a", "https://[::1", "a b", "ä"}},
		"iri":                   {[]string{"https://exämple.org/ä"}, []string{"/a"}},
		"iri-reference":         {[]string{"/ä"}, []string{"https://[::1"}},
		"uri-template":          {[]string{"https://example.org/{id}"}, []string{"https://example.org/{id", "https://example.org/}"}},
		"uuid":                  {[]string{"2eb8aa08-aa98-11ea-b4aa-73b441d16380"}, []string{"2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380"}},
		"json-pointer":          {[]string{"", "/a/0/~0~1"}, []string{"a", "/~2", "/~"}},
		"relative-json-pointer": {[]string{"0", "1/a", "2#"}, []string{"/a", "01", "-1"}},
	} {
		s, err := Compile([]byte(`{"format":"`+format+`"}`), DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		for want, texts := range map[bool][]string{true: c.good, false: c.bad} {
			for _, text := range texts {
				bad, err := s.Validate(t.Context(), text)
				if err != nil || (len(bad) == 0) != want || !want && (bad[0].Keyword != "format" || len(bad[0].Problem) > 200) {
					t.Errorf("%s of %q: %v %v", format, text, bad, err)
				}
			}
		}
	}
	for name, want := range map[string]string{
		`{"format":"semver"}`: "semver", `{"format":"email"}`: "", `{"properties":{"a":{"format":"phone"}}}`: "phone", `{"const":{"format":"phone"}}`: "",
		`{"properties":{"format":{"type":"string"}}}`: "", `{"allOf":[{"items":{"format":""}}]}`: "",
	} {
		doc, err := DefaultLimits().DecodeSchema([]byte(name))
		if err != nil {
			t.Fatal(err)
		}
		if got := UnknownFormat(doc); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestAttackFormats: a megabyte of each kind of text costs a check no more than its steps, and no
// format is slow on it.
func TestAttackFormats(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	const size = 1 << 20
	for _, format := range Formats() {
		s, err := Compile([]byte(`{"format":"`+format+`"}`), DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"a", "a.", "1.", "1:", "/", "~0", "{a}", "@", "%41", "P1D", "-", "\"", "[", "é", "\x00"} {
			for _, text := range []string{strings.Repeat(part, size/len(part)), "a:" + strings.Repeat(part, size/len(part)), "P" + strings.Repeat(part, size/len(part))} {
				start := time.Now()
				if _, err := s.Validate(t.Context(), text); err != nil {
					t.Errorf("%s of many %q: %v", format, part, err)
				}
				if took := time.Since(start); took > 2*time.Second {
					t.Errorf("%s of many %q took %s", format, part, took)
				}
			}
		}
	}
}
