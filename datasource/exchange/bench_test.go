package exchange_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
)

// BenchmarkAnswer measures one answer with everything (terms, cut, receipt, its check), beside its
// floor: one frame there and one of that size back on the same line. Run it with
//
//	go test ./datasource/exchange -run '^$' -bench Answer -count 5
func BenchmarkAnswer(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10} {
		text := `"` + strings.Repeat("x", size-20) + `"`
		b.Run(fmt.Sprintf("floor/%dKiB", size>>10), func(b *testing.B) { benchFloor(b, size) })
		b.Run(fmt.Sprintf("anex/%dKiB", size>>10), func(b *testing.B) { benchAnswer(b, text) })
	}
}

func benchFloor(b *testing.B, size int) {
	ask, answer := make([]byte, 300), make([]byte, size)
	for b.Loop() {
		near, far := pipe(1)
		done := make(chan error, 1)
		go func() {
			_, err := far.Receive(context.Background(), exchange.MaxToHolder)
			if err == nil {
				err = far.Send(answer)
			}
			done <- err
		}()
		if err := near.Send(ask); err != nil {
			b.Fatal(err)
		}
		if _, err := near.Receive(context.Background(), exchange.MaxToAsker); err != nil {
			b.Fatal(err)
		}
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		hang(near, far)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "answers/s")
}

func benchAnswer(b *testing.B, text string) {
	me := newJudge(0)
	w := newWeb(b, me)
	defer w.close()
	books := newBook(text)
	books.card.Terms.Rate, books.card.Terms.TotalRate, books.card.Terms.Quota = unlimited, unlimited, 1_000_000
	w.holder(newJudge(1), books, func(c *exchange.HolderConfig, _ *exchange.HolderDeps) { c.OpeningsPerMinute = 10_000 })
	d := w.desk(me, nil)
	for i := 0; b.Loop(); i++ {
		if i%9000 == 0 { // a peer may begin 10,000 conversations in a minute
			w.cards, w.serves = nil, map[casefile.DID]func(context.Context, casefile.DID, exchange.Stream){}
			w.holder(newJudge(1), books, func(c *exchange.HolderConfig, _ *exchange.HolderDeps) { c.OpeningsPerMinute = 10_000 })
		}
		s := d.open(b, time.Minute)
		if answers, err := ask(s, "7"); err != nil || len(answers) != 1 {
			b.Fatal(answers, err, reasons(s))
		}
		s.Close()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "answers/s")
}

var unlimited = datasource.Rate{Requests: 1_000_000, Seconds: 1}
