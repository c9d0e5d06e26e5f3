package anex_test

import (
	"fmt"
	"strings"
	"testing"

	"ojud/datasource/anex"
)

// posts is data of about n bytes, as a list of posts.
func posts(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"posts":[`)
	for i := 0; b.Len() < n-200; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"text":"the quick brown fox jumps over the lazy dog","author":{"name":"eve","ip":"192.0.2.1"}}`, i)
	}
	return []byte(b.String() + "]}")
}

func BenchmarkCut(b *testing.B) {
	for _, n := range []int{1 << 10, 64 << 10, 640 << 10} {
		data := posts(n)
		b.Run(fmt.Sprintf("%dKiB", n>>10), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := anex.Cut(data, []string{"/posts/id", "/posts/text", "/posts/author/name"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{1 << 10, 64 << 10, 640 << 10} {
		raw := []byte(strings.Replace(strings.Replace(strings.Replace(good, "REQUEST", "INFORM", 1), "ANEX-Handshaking", "ANEX-Data-Exchange", 1),
			`{"message":"x"}`, `{"data":`+string(posts(n))+`,"receipt":{}}`, 1))
		b.Run(fmt.Sprintf("%dKiB", n>>10), func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := anex.Parse(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
