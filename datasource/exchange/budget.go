package exchange

import (
	"context"

	"ojud/datasource"
)

// budget is what is left of an evaluation's. What a conversation may take is set aside when it begins, so that several at once cannot
// take more together; what it does not take comes back, and whoever lacked room for it then goes on.
type budget struct {
	requests, receipts, bytes int
	aside                     int           // conversations for which something is set aside
	back                      chan struct{} // closed when something comes back
}

// reserve sets room for one answer aside, and waits if others have set aside what may come back. price is what the answer costs, nil if that
// is not known. lamports is the most that it may cost.
func (s *Session) reserve(ctx context.Context, price *uint64) (lamports uint64, lack why, ok bool) {
	for {
		lamports, lack, back := s.grab(price)
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

// grab sets room aside if there is any. Otherwise it says what is lacking, or when to look again.
func (s *Session) grab(price *uint64) (lamports uint64, lack why, back <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &s.budget
	if b.receipts == 0 || b.bytes < datasource.MaxAnswer {
		lack = whySpent
	} else if aside, ok := s.desk.setAside(s.eval.Case, price); ok {
		b.receipts--
		b.bytes -= datasource.MaxAnswer
		b.aside++
		return aside, why{}, nil
	} else {
		lack = whyPrice
	}
	if b.aside == 0 || lack == whyPrice && *price > s.desk.cfg.MaxPrice {
		return 0, lack, nil
	}
	if b.back == nil {
		b.back = make(chan struct{})
	}
	return 0, lack, b.back
}

// release gives back what was not taken: bytes of the answer, or -1 if there is none, and what was paid of the lamports.
func (s *Session) release(lamports, paid uint64, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &s.budget
	if bytes < 0 {
		bytes = 0
		b.receipts++
	}
	b.bytes += datasource.MaxAnswer - bytes
	b.aside--
	if lamports > 0 {
		s.desk.spend(s.eval.Case, lamports, paid)
	}
	if b.back != nil {
		close(b.back)
		b.back = nil
	}
}

// affords is how much of what was set aside can be promised: who cannot pay does not ask for what has a price. ok is false if that is less than
// the price that the card says.
func (s *Session) affords(ctx context.Context, aside uint64, price *uint64) (limit uint64, ok bool) {
	if aside == 0 {
		return 0, true
	}
	room, err := s.desk.deps.Purse.Room(ctx)
	if err != nil {
		s.desk.deps.Log.Warn("nothing can be paid", "err", err)
		room = 0
	}
	limit = min(aside, room)
	return limit, price == nil || *price <= limit
}
