package casefile_test

import (
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
)

func TestLookupFields(t *testing.T) {
	const task = `{"instruction":["x"],"output_schema":{"id":"string"},"data_sources":["site.post"],"expected":[{"path":"","count":1,"data":%}]}`
	for data, want := range map[string]string{
		`{"data_source":"site.post","request":{},"from_result":{"id":"/id"}}`:             "",
		`{"data_source":"site.post","request":{"a":1}}`:                                   "",
		`{"data_source":"other","request":{}}`:                                            "expected[0].data.data_source",
		`{"data_source":"Site Post","request":{}}`:                                        "expected[0].data.data_source",
		`{"data_source":"site.post","request":[]}`:                                        "expected[0].data.request",
		`{"data_source":"site.post","request":null}`:                                      "expected[0].data.request",
		`{"data_source":"site.post","request":{},"from_result":{"id":"id"}}`:              "expected[0].data.from_result.id",
		`{"data_source":"site.post","request":{"id":1},"from_result":{"id":"/id"}}`:       "expected[0].data.from_result.id",
		`{"data_source":"site.post","request":{},"from_results":{}}`:                      "expected[0].data.from_results",
		`{"data_source":"site.post"}`:                                                     "expected[0].data.request",
		`{"data_source":"site.post","request":{"a":"` + strings.Repeat("x", 4096) + `"}}`: "expected[0].data.request",
	} {
		_, err := casefile.ParseTask([]byte(strings.Replace(task, "%", data, 1)))
		var f *casefile.FieldError
		if errors.As(err, &f); (err == nil) != (want == "") || f != nil && f.Field != want {
			t.Errorf("%.80s: %v, want %q", data, err, want)
		}
	}
}
