package schema

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bomb doubles the work with every level.
func bomb(levels int, keyword string) string {
	defs := []string{`"d0":false`}
	for i := range levels {
		pair := fmt.Sprintf(`[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]`, i, i)
		if keyword == "dependentSchemas" {
			pair = fmt.Sprintf(`{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}`, i, i)
		}
		defs = append(defs, fmt.Sprintf(`"d%d":{"%s":%s}`, i+1, keyword, pair))
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d%d","$defs":{%s}}`, levels, strings.Join(defs, ","))
}

// Hostile schemas are refused. Without the refusal, a bomb would never end.
func TestRefused(t *testing.T) {
	nested := strings.Repeat(`{"items":`, 30) + `true` + strings.Repeat("}", 30)
	many := `{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"minLength":1},`, 4000), ",") + `]}`
	for _, c := range []struct{ name, schema, result string }{
		{"file reference", `{"$ref":"file:///etc/passwd"}`, `1`},
		{"file reference, other spelling", `{"$ref":"FILE:/etc/passwd"}`, `1`},
		{"relative file reference", `{"$ref":"../../etc/passwd"}`, `1`},
		{"http reference", `{"$ref":"http://localhost:1/x"}`, `1`},
		{"http reference in a definition", `{"$defs":{"a":{"$ref":"https://example.org/x"}},"type":"string"}`, `1`},
		{"metaschema", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `1`},
		{"reference through $id", `{"$id":"file:///etc/","$ref":"passwd"}`, `1`},
		{"other dialect", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}`, `1`},
		{"own dialect", `{"$schema":"file:///etc/passwd","type":"string"}`, `1`},
		{"dynamic reference", `{"$dynamicRef":"#x"}`, `1`},
		{"reference to nothing", `{"$ref":"#/$defs/x"}`, `1`},
		{"reference to itself", `{"$ref":"#"}`, `1`},
		{"references in a circle", `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`, `1`},
		{"allOf bomb", bomb(40, "allOf"), `{"a":1,"b":2}`},
		{"anyOf bomb", bomb(40, "anyOf"), `{"a":1,"b":2}`},
		{"oneOf bomb", bomb(40, "oneOf"), `{"a":1,"b":2}`},
		{"dependentSchemas bomb", bomb(40, "dependentSchemas"), `{"a":1,"b":2}`},
		{"bomb through the result", `{"$ref":"#/$defs/a","$defs":{"a":{"items":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}}`, strings.Repeat("[", 60) + strings.Repeat("]", 60)},
		{"too many values", many, `"x"`},
		{"too large", `{"description":"` + strings.Repeat("x", 70_000) + `"}`, `1`},
		{"huge repetition", `{"pattern":"((a{100}){100}){100}"}`, `"a"`},
		{"large repetition", `{"pattern":"((a{90}){90})"}`, `"` + strings.Repeat("a", 250_000) + `"`},
		{"many patterns", `{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"pattern":"a{900}"},`, 50), ",") + `]}`, `"a"`},
		{"long pattern", `{"pattern":"` + strings.Repeat("a", 600) + `"}`, `"a"`},
		{"no pattern", `{"pattern":"("}`, `"a"`},
		{"look-ahead", `{"pattern":"(?=a)"}`, `"a"`},
		{"unevaluated properties", `{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"properties":{"a":true}},`, 600), ",") + `],"unevaluatedProperties":true}`, wide(20_000)},
		{"not a schema", `{"type":"strings"}`, `1`},
		{"not a schema inside", `{"properties":{"a":{"minLength":-1}}}`, `1`},
		{"type of itself", `{"type":{"type":"string"}}`, `1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile([]byte(c.schema), DefaultLimits())
			if err == nil {
				_, err = s.Check(t.Context(), []byte(c.result))
			}
			if !errors.Is(err, errSchema) {
				t.Errorf("%v", err)
			}
			if err != nil && len(err.Error()) > 3000 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
		})
	}
	if _, err := Compile([]byte(nested), DefaultLimits()); err != nil {
		t.Errorf("30 levels: %v", err)
	}
}

// wide is an object with many fields.
func wide(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"k%d":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",") + "}"
}

// A schema is never read from the file system.
func TestNoFileIsRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "any.json"), []byte("true"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, schema := range []string{
		fmt.Sprintf(`{"$ref":"file://%s/any.json"}`, dir),
		fmt.Sprintf(`{"$id":"file://%s/","$ref":"any.json"}`, dir),
		fmt.Sprintf(`{"$id":"file://%s/","unknown":{"$ref":"any.json"},"$ref":"#/unknown"}`, dir),
		fmt.Sprintf(`{"$ref":"%s/any.json"}`, dir),
	} {
		if _, err := Compile([]byte(schema), DefaultLimits()); !errors.Is(err, errSchema) {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// The loader refuses every reference.
func TestLoaderRefuses(t *testing.T) {
	for _, url := range []string{"file:///etc/passwd", "http://example.org", "oju:other"} {
		if doc, err := (noLoader{}).Load(url); err == nil || doc != nil {
			t.Errorf("%s was loaded", url)
		}
	}
}
