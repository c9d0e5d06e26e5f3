package schema

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// hostile returns schemas and values that are as expensive as their authors could make them within
// the limits of size.
func hostile() map[string][2]string {
	numbers := "[" + list(2401, "%d") + "]"
	refs := func(n int) string { return list(n, `{"$ref":"#/$defs/x"}`) }
	var doubling strings.Builder
	for i := range 40 {
		fmt.Fprintf(&doubling, `,"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i+1, i, i)
	}
	double := func(levels int, s string) string {
		return fmt.Sprintf(`{"$defs":{"a0":%s%s},"$ref":"#/$defs/a%d"}`, s, doubling.String(), levels)
	}
	digits := strings.Repeat("7", 300)
	return map[string][2]string{
		// 5,752 bytes that took the library 27 s on 240 kB.
		"const of numbers, 400 references": {`{"$defs":{"x":{"not":{"const":` + numbers + `}}},"items":{"allOf":[` + refs(400) + `]}}`,
			"[" + strings.Repeat(numbers+",", 40) + numbers + "]"},
		"const of numbers, few items": {`{"$defs":{"x":{"not":{"const":` + numbers + `}}},"items":{"allOf":[` + refs(40) + `]}}`, "[" + numbers + "]"},
		"enum of objects, 400 references": {`{"$defs":{"x":{"not":{"enum":[` + list(1000, `{"a":[%d]}`) + `]}}},"items":{"allOf":[` + refs(400) + `]}}`,
			"[" + list(1000, `{"a":[%d,1]}`) + "]"},
		"enum of large arrays":    {`{"items":{"enum":[` + list(3, numbers) + `]}}`, "[" + list(40, strings.TrimSuffix(numbers, "2400]")+"1]") + "]"},
		"enum of numbers":         {`{"items":{"enum":[` + list(4000, "1.%d") + `]}}`, "[" + list(90, "2.%d") + "]"},
		"unique numbers":          {`{"uniqueItems":true}`, "[" + list(99_000, "%d") + "]"},
		"unique objects":          {`{"uniqueItems":true}`, "[" + list(30_000, `{"a":%d}`) + "]"},
		"unique, many times":      {double(10, `{"uniqueItems":true}`), "[" + list(300, "%d") + "]"},
		"doubling":                {double(17, `{"type":"number"}`), "1"},
		"doubling without end":    {double(40, `{"type":"number"}`), "1"},
		"doubling of a length":    {double(12, `{"minLength":2}`), `"` + strings.Repeat("é", 500_000) + `"`},
		"doubling of a const":     {double(12, `{"const":"`+strings.Repeat("x", 50_000)+`"}`), `"` + strings.Repeat("x", 50_000) + `"`},
		"items":                   {`{"items":{"allOf":[{"type":"number"},{"maximum":3}]}}`, "[" + list(99_000, "%d") + "]"},
		"violations":              {`{"items":{"type":"string"}}`, "[" + list(99_000, "%d") + "]"},
		"violations in one place": {double(17, `false`), "1"},
		"violations with long paths": {`{"additionalProperties":{"items":{"type":"string"}}}`,
			`{"` + strings.Repeat("k", 400_000) + `":[` + list(80_000, "%d") + `]}`},
		"names refused":        {`{"additionalProperties":false}`, "{" + list(49_000, `"k%d":1`) + "}"},
		"names refused often":  {double(6, `{"additionalProperties":false}`), "{" + list(49_000, `"k%d":1`) + "}"},
		"names that violate":   {`{"propertyNames":{"pattern":"x"}}`, "{" + list(49_000, `"k%d":1`) + "}"},
		"required":             {`{"items":{"required":[` + list(3000, `"name%d"`) + `]}}`, "[" + list(33_000, "{}") + "]"},
		"required, few items":  {`{"items":{"required":[` + list(3000, `"name%d"`) + `]}}`, "[" + list(900, "{}") + "]"},
		"a long pattern":       {`{"pattern":"(x+x+)+y{200}"}`, `"` + strings.Repeat("x", 100_000) + `"`},
		"a large pattern":      {`{"pattern":"(a{30}){30}b"}`, `"` + strings.Repeat("a", 25_000) + `"`},
		"patterns":             {`{"items":{"pattern":"(a{30}){30}b"}}`, `[` + list(50, `"`+strings.Repeat("a", 500)+`"`) + `]`},
		"a pattern of classes": {`{"pattern":"(\\pL|\\pN|[^\\x00-\\x7f]){100}$"}`, `"` + strings.Repeat("é", 1500) + `"`},
		"patterns of names":    {`{"patternProperties":{"(a|b|c|d|e|f)*x{50}":true}}`, "{" + list(40_000, `"k%d":1`) + "}"},
		"unevaluated": {`{"allOf":[` + list(40, `{"properties":{"k1":true},"patternProperties":{"^k":true}}`) + `],"unevaluatedProperties":false}`,
			"{" + list(20_000, `"k%d":1`) + "}"},
		"unevaluated items": {`{"allOf":[` + list(20, `{"contains":{"minimum":5}}`) + `],"unevaluatedItems":false}`, "[" + list(10_000, "%d") + "]"},
		"multiples":         {`{"items":{"multipleOf":1e-300}}`, "[" + list(3000, digits[:290]+"%d") + "]"},
		"small multiples":   {`{"items":{"multipleOf":0.000000001}}`, "[" + list(79_000, "%d") + "]"},
		"formats":           {`{"allOf":[` + list(1900, `{"format":"uri"}`) + `]}`, `"a:` + strings.Repeat("%41", 300_000) + `"`},
		"bounds":            {`{"items":{"minimum":-1e300,"maximum":1e300,"exclusiveMaximum":1e301}}`, "[" + list(79_000, "%d.5") + "]"},
	}
}

// most returns the largest limits that a package of this project sets by default.
func most() Limits {
	l := DefaultLimits()
	l.Steps = 400_000
	return l
}

// list writes a format n times, with a number in it if it has a verb for one.
func list(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if strings.Contains(format, "%d") {
			fmt.Fprintf(&b, format, i)
		} else {
			b.WriteString(format)
		}
	}
	return b.String()
}

// TestStopped: if the context ended before the check, the check ends at once with that cause.
func TestStopped(t *testing.T) {
	s, err := Compile(nil, most())
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the deadline of the case")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := s.Check(ctx, []byte("1")); !errors.Is(err, cause) {
		t.Error(err)
	}
}

// BenchmarkWorst runs the hostile schemas.
func BenchmarkWorst(b *testing.B) {
	for name, c := range hostile() {
		b.Run(name, func(b *testing.B) {
			s, err := Compile([]byte(c[0]), most())
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				_, _ = s.Check(b.Context(), []byte(c[1]))
			}
		})
	}
}
