package payment

import "math"

// promise is the payer's side of a channel: the highest voucher that it signed. No voucher expires
// later than a higher one, so that all have expired when this one has. The zero promise is one that
// never was.
type promise struct {
	Cumulative uint64 `json:"cumulative,string"` // lamports
	Expires    int64  `json:"expires"`           // Unix seconds
}

// alive reports whether the voucher may still be pulled, or was pulled so lately that it is not
// seen yet.
func (p promise) alive(now int64, margin int64) bool {
	return p.Cumulative > 0 && now < p.Expires+margin
}

// reaches is up to where the payee can draw: what the channel has paid, and what is promised. It
// never exceeds the sum of all prices, by induction over raise.
func (p promise) reaches(paid uint64, now, margin int64) uint64 {
	if p.alive(now, margin) {
		return max(paid, p.Cumulative)
	}
	return paid
}

// raise promises that much more, until a time. ok is false if it cannot be written down.
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

// open is what is promised and not drawn.
func (p promise) open(paid uint64, now, margin int64) uint64 {
	return p.reaches(paid, now, margin) - paid
}
