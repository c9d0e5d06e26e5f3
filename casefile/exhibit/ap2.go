package exhibit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

const ap2Mandate = "AP2 mandate"

// vcts are the types of mandates, without their versions.
var vcts = [...]string{"mandate.payment.open", "mandate.checkout.open", "mandate.payment", "mandate.checkout"}

// mandate checks an AP2 mandate: an SD-JWT or a chain of them.
func (k *known) mandate(text string) Found {
	chain, err := parseChain(text)
	id := sha256.Sum256([]byte(strings.SplitN(text, "~", 2)[0]))
	if len(chain) > 0 {
		id = chain[len(chain)-1].id()
	}
	if err != nil {
		return wrong(ap2Mandate, id, err)
	}
	c := mandates{known: k}
	issuer, _ := chain[0].disclosed["iss"].(string)
	key, err := k.find(chain[0].token, nil, issuer)
	for i := 0; i < len(chain) && err == nil; i++ {
		err = c.add(chain, i)
	}
	if err != nil {
		return wrong(ap2Mandate, id, err)
	}
	if c.detail == "" {
		return wrong("SD-JWT", id, errors.New("it is signed rightly, but no type (vct) says that it is a mandate of AP2 of version 1"))
	}
	who, mine := k.whose(key, chain[0].kid, issuer)
	detail := "the first token is signed by " + who
	if n := len(chain) - 1; n > 0 {
		detail += fmt.Sprintf(", and %d more by the keys to which the tokens before are bound", n)
	}
	withheld := 0
	for _, h := range chain {
		withheld += h.withheld
	}
	f := say(ap2Mandate, id, mine && withheld == 0 && !c.late, c.about, detail+c.detail)
	if c.late {
		f.warn("it expired before the task was claimed, and only its holder says when it was used")
	}
	if withheld > 0 {
		f.warn(fmt.Sprintf("%d parts that were signed are withheld, and may be limits or an expiry", withheld))
	}
	return f
}

// mandates are those of a chain, as far as they were checked.
type mandates struct {
	*known
	detail   string
	about    bool
	used     int64 // when the last token says that it was made; 0: nothing says it
	limits   []map[string]any
	checkout string // hash of the checkout; empty: nothing says it
	expires  []int64
	late     bool  // one expired before the task was claimed
	spent    int64 // by all payments
}

// add checks a token of a chain, and its mandates.
func (c *mandates) add(chain []hop, i int) error {
	h := chain[i]
	if i > 0 {
		if err := h.bound(chain[i-1]); err != nil {
			return err
		}
	}
	proof, err := h.possessed()
	if err != nil {
		return err
	}
	if proof != nil && i < len(chain)-1 {
		return errors.New("a proof of possession stands in the middle of a chain")
	}
	if at, is := whole(h.disclosed["iat"]); is {
		if i > 0 && at < c.used {
			return errors.New("a token of the chain was made before the one that it uses, by their own words (iat)")
		}
		c.used = at
	} else if i > 0 {
		return errors.New("a token of the chain does not say when it was made (iat)")
	}
	all := h.mandates()
	for _, m := range all {
		if err := c.one(h, m); err != nil {
			return err
		}
	}
	if proof != nil {
		if at, is := whole(proof.claims["iat"]); is {
			c.used = at
		}
		c.about = c.about || c.known.about(proof.claims)
	}
	c.about = c.about || c.known.about(h.disclosed)
	if at, is := whole(h.disclosed["exp"]); is {
		c.expires = append(c.expires, at)
	}
	for _, until := range c.expires {
		c.late = c.late || until < c.Claimed
		if c.used > until {
			return fmt.Errorf("a mandate expired at %s, and was used at %s", when(until), when(c.used))
		}
	}
	return nil
}

// one checks a mandate.
func (c *mandates) one(h hop, m map[string]any) error {
	vct, _ := m["vct"].(string)
	kind := ""
	for _, v := range vcts {
		if vct == v || vct == v+".1" {
			kind = v
			break
		}
	}
	if kind == "" {
		return nil
	}
	c.detail += "; " + strings.TrimPrefix(kind, "mandate.") + " mandate"
	if at, is := whole(m["iat"]); is {
		c.detail += ", " + c.asIssued(at)
		c.used = max(c.used, at)
	}
	if at, is := whole(m["exp"]); is {
		c.detail += ", good until " + when(at)
		c.expires = append(c.expires, at)
	}
	switch kind {
	case "mandate.payment.open":
		list, _ := m["constraints"].([]any)
		others := 0
		for _, item := range list {
			if one, is := item.(map[string]any); is && one["type"] == "payment.amount_range" {
				c.limits = append(c.limits, one)
			} else {
				others++
			}
		}
		c.detail += fmt.Sprintf(", with %d limits of the amount, and %d other constraints, which code does not check", len(c.limits), others)
	case "mandate.payment":
		return c.payment(m)
	case "mandate.checkout":
		return c.bought(h, m)
	}
	return nil
}

// payment checks the amount of a payment, and of which checkout it is.
func (c *mandates) payment(m map[string]any) error {
	pay, _ := m["payment_amount"].(map[string]any)
	amount, is := whole(pay["amount"])
	currency, _ := pay["currency"].(string)
	if !is || amount < 0 || !anyCurrency.MatchString(currency) {
		return errors.New("its payment_amount has no whole amount, or no currency of three letters")
	}
	c.detail += fmt.Sprintf(" of %d of the smallest unit of %s", amount, currency)
	c.spent = min(c.spent+amount, 1<<60)
	for _, limit := range c.limits {
		most, bounded := whole(limit["max"])
		least, _ := whole(limit["min"])
		if !bounded || limit["currency"] != currency || c.spent > most || amount < least {
			return errors.New("the amount is outside of the limits that the mandate before it sets")
		}
	}
	return c.same(m["transaction_id"])
}

// same remembers the checkout, or compares it.
func (c *mandates) same(hash any) error {
	text, _ := hash.(string)
	if c.checkout != "" && text != c.checkout {
		return errors.New("its mandates are for different checkouts")
	}
	c.checkout = text
	if len(text) >= 32 && c.names(text) {
		c.about = true
	}
	return nil
}

// bought checks that the hash of a checkout is right, if the checkout is disclosed.
func (c *mandates) bought(h hop, m map[string]any) error {
	text, is := m["checkout_jwt"].(string)
	if is && m["checkout_hash"] != h.hash(text) {
		return errors.New("checkout_hash is not the hash of checkout_jwt")
	}
	if is {
		c.detail += ", with the checkout"
	} else {
		c.detail += ", without the checkout itself"
	}
	return c.same(m["checkout_hash"])
}
