package payment

import "math"

// promise is the payer's side of a channel: the highest voucher that it signed. No voucher expires
// later than a higher one, so all have expired when this one has. The zero promise is no promise.
type promise struct {
	Cumulative uint64 `json:"cumulative,string"` // lamports
	Expires    int64  `json:"expires"`           // Unix seconds
}

// alive reports whether the voucher may be pulled, or a recent pull not visible yet.
func (p promise) alive(now int64, margin int64) bool {
	return p.Cumulative > 0 && now < p.Expires+margin
}

// reaches returns how far the payee can draw: the larger of the paid and the promised amount. By
// induction over raise, it never exceeds the sum of all prices.
func (p promise) reaches(paid uint64, now, margin int64) uint64 {
	if p.alive(now, margin) {
		return max(paid, p.Cumulative)
	}
	return paid
}

// raise promises so much more, until a time. ok is false if the numbers are too large.
func (p promise) raise(more, paid uint64, now, margin, expires int64) (next promise, ok bool) {
	from := p.reaches(paid, now, margin)
	if more > math.MaxUint64-from || expires > maxExpires {
		return p, false
	}
	if p.alive(now, margin) {
		expires = max(expires, p.Expires)
	}
	return promise{Cumulative: from + more, Expires: expires}, true
}

func (p promise) open(paid uint64, now, margin int64) uint64 {
	return p.reaches(paid, now, margin) - paid
}
