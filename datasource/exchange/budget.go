package exchange

import (
	"context"

	"ojud/datasource"
)

// budget is the rest that an evaluation may still use. A conversation reserves its share when it
// begins, so that several conversations at once cannot use more together. It returns what it does
// not use, and those that wait for room then go on.
type budget struct {
	requests, receipts, bytes int
	reserved                  int           // conversations with a reservation
	back                      chan struct{} // closed when a reservation is returned
}

// reserve reserves room for one answer. It waits if a conversation under way may return enough.
// price is the price of the answer, or nil if it is not known. lamports is the highest price that
// the answer may have.
func (s *Session) reserve(ctx context.Context, price *uint64) (lamports uint64, lack why, ok bool) {
	for {
		lamports, lack, back := s.tryReserve(price)
		if back == nil {
			return lamports, lack, lack == why{}
		}
		select {
		case <-back:
		case <-ctx.Done():
			return 0, whyLate, false
		}
	}
}

// tryReserve reserves room, or returns the missing resource, or when to try again.
func (s *Session) tryReserve(price *uint64) (lamports uint64, lack why, back <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &s.budget
	if b.receipts == 0 || b.bytes < datasource.MaxAnswer {
		lack = whySpent
	} else if reserved, ok := s.requester.reservePrice(s.eval.Case, price); ok {
		b.receipts--
		b.bytes -= datasource.MaxAnswer
		b.reserved++
		return reserved, why{}, nil
	} else {
		lack = whyPrice
	}
	if b.reserved == 0 || lack == whyPrice && *price > s.requester.cfg.MaxPrice {
		return 0, lack, nil
	}
	if b.back == nil {
		b.back = make(chan struct{})
	}
	return 0, lack, b.back
}

// release returns what the answer did not use; bytes is -1 if there is none.
func (s *Session) release(lamports, paid uint64, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &s.budget
	if bytes < 0 {
		bytes = 0
		b.receipts++
	}
	b.bytes += datasource.MaxAnswer - bytes
	b.reserved--
	if lamports > 0 {
		s.requester.spend(s.eval.Case, lamports, paid)
	}
	if b.back != nil {
		close(b.back)
		b.back = nil
	}
}

// affords returns how much of the reservation this node can promise, because it must not ask for an
// answer that it cannot pay. ok is false if that is less than the price in the card.
func (s *Session) affords(ctx context.Context, reserved uint64, price *uint64) (limit uint64, ok bool) {
	if reserved == 0 {
		return 0, true
	}
	room, err := s.requester.deps.Purse.Room(ctx)
	if err != nil {
		s.requester.deps.Log.Warn("nothing can be paid", "err", err)
		room = 0
	}
	limit = min(reserved, room)
	return limit, price == nil || *price <= limit
}
