package casefile_test

import (
	"testing"

	"ojud/casefile/casetest"
	"ojud/casefile/verify"
)

func BenchmarkVerify(b *testing.B) {
	file, err := casetest.File(casetest.Scripts()[0])
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if r := verify.File(file); !r.OK() {
			b.Fatal(r.String())
		}
	}
}
