package dispute

import (
	"bytes"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/cmd/ojud/cli"
	"ojud/node/dispute"
	"ojud/node/library"
)

// TestAttackMisfitClaim: a party brings a claim in its own words under terms that demand another
// form. Judges reject it, and the fee is gone. So it is refused before anything is paid.
func TestAttackMisfitClaim(t *testing.T) {
	t.Parallel()
	const owl, free = `{"instruction":["Paint an owl."],"output_schema":{"type":"object","required":["owl"]}}`,
		`{"instruction":["Send the parcel."],"output_schema":{"type":"object"}}`
	for name, k := range map[string]struct{ terms, claim, bad, warns string }{
		"the right form":   {owl, `{"owl":"two eyes, a beak"}`, "", ""},
		"words alone":      {owl, `{"claim":"Joe never painted an owl."}`, "missing property 'owl'", ""},
		"any form":         {free, `{"claim":"It never came."}`, "", ""},
		"no usable schema": {`{"instruction":["Send it."],"output_schema":{"type":7}}`, `{"claim":"It never came."}`, "", "not checked in full"},
	} {
		var warned bytes.Buffer
		file := func(text string) library.Document {
			return library.Document{Content: []byte(text), Hash: casefile.HashOf([]byte(text))}
		}
		err := fits(t.Context(), &cli.App{Err: &warned}, nil, dispute.Claim{Terms: file(k.terms), Claim: file(k.claim)})
		if (err == nil) != (k.bad == "") || err != nil && !strings.Contains(err.Error(), k.bad) ||
			(k.warns == "") != (warned.Len() == 0) || !strings.Contains(warned.String(), k.warns) {
			t.Errorf("%s: %v, %s", name, err, &warned)
		}
	}
}
