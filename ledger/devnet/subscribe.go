package devnet

import (
	"encoding/json"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
)

// subscribeTable lists the methods of a websocket. The hub's lock is held while they run.
func (k *socket) subscribeTable() methods {
	table := methods{
		"accountSubscribe":      {1, 2, k.account},
		"programSubscribe":      {1, 2, k.program},
		"logsSubscribe":         {1, 2, k.logs},
		"signatureSubscribe":    {1, 2, k.signature},
		"slotSubscribe":         {0, 0, k.plain(topicSlot)},
		"rootSubscribe":         {0, 0, k.plain(topicRoot)},
		"slotsUpdatesSubscribe": {0, 0, k.plain(topicUpdates)},
		"getVersion":            {0, 0, getVersion},
	}
	for t := topicAccount; t <= topicUpdates; t++ {
		table[t.name()+"Unsubscribe"] = method{1, 1, k.unsubscribe}
	}
	return table
}

// subscribe registers a subscription within the limit.
func (k *socket) subscribe(s *subscription) (any, error) {
	if len(k.subscriptions) >= k.hub.config.MaxSubscriptions {
		return nil, &rpcError{Code: codeInternal, Message: fmt.Sprintf(
			"Internal Error: Subscription refused. Connection subscription limit of %d reached", k.hub.config.MaxSubscriptions)}
	}
	s.socket = k
	return k.hub.add(s), nil
}

func (k *socket) unsubscribe(p *params) (any, error) {
	id := p.u64(0)
	s, ok := k.subscriptions[id]
	if !ok {
		return nil, invalidParams("Invalid subscription id.")
	}
	k.hub.remove(s)
	return true, nil
}

func (k *socket) plain(t topic) handler {
	return func(*params) (any, error) {
		return k.subscribe(&subscription{address: address{topic: t}})
	}
}

// named parses the address of a subscription, which was read before.
func (p *params) named(word, what string) solana.PublicKey {
	key, err := parseKey(word)
	if err != nil {
		p.fail(invalidParams("Invalid Request: Invalid %s provided", what))
	}
	return key
}

func (k *socket) account(p *params) (any, error) {
	return k.accounts(p, topicAccount, "struct RpcAccountInfoConfig")
}

func (k *socket) program(p *params) (any, error) {
	return k.accounts(p, topicProgram, "struct RpcProgramAccountsConfig")
}

func (k *socket) accounts(p *params, t topic, expected string) (any, error) {
	word := p.text(0)
	var c programConfig
	p.optional(1, &c, expected)
	if t == topicAccount {
		c.Filters = nil
	}
	p.fail(verifyFilters(c.Filters))
	key := p.named(word, "pubkey")
	if p.err != nil {
		return nil, p.err
	}
	return k.subscribe(&subscription{
		address: address{topic: t, key: key}, level: c.Commitment.or(bank.Finalized), config: c,
	})
}

// logsFilter is "all", "allWithVotes" or {"mentions": [address]}.
type logsFilter struct {
	all      bool
	mentions []string
}

// UnmarshalJSON reads the three forms.
func (f *logsFilter) UnmarshalJSON(raw []byte) error {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		f.all = word == "all" || word == "allWithVotes"
		if !f.all {
			return &variantError{fmt.Sprintf("unknown variant `%s`, expected one of `all`, `allWithVotes`, `mentions`", word)}
		}
		return nil
	}
	var object struct {
		Mentions *[]string `json:"mentions"`
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return err
	}
	if object.Mentions == nil {
		return &variantError{"unknown variant, expected one of `all`, `allWithVotes`, `mentions`"}
	}
	f.mentions = *object.Mentions
	return nil
}

func (k *socket) logs(p *params) (any, error) {
	var f logsFilter
	p.read(0, &f, "enum RpcTransactionLogsFilter")
	var c contextConfig
	p.optional(1, &c, "struct RpcTransactionLogsConfig")
	s := &subscription{address: address{topic: topicLogs, every: f.all}, level: c.Commitment.or(bank.Finalized)}
	if !f.all {
		if len(f.mentions) != 1 {
			return nil, invalidParams("Invalid Request: Only 1 address supported")
		}
		s.address.key = p.named(f.mentions[0], "mentions")
	}
	if p.err != nil {
		return nil, p.err
	}
	return k.subscribe(s)
}

// signature subscribes to the outcome of a transaction. If it is already known, it is reported
// right after the response. Otherwise clients that send first and then subscribe would wait for
// ever.
func (k *socket) signature(p *params) (any, error) {
	word := p.text(0)
	var c struct {
		contextConfig
		Receipt bool `json:"enableReceivedNotification"`
	}
	p.optional(1, &c, "struct RpcSignatureSubscribeConfig")
	sig, err := parseSignature(word)
	if err != nil {
		p.fail(invalidParams("Invalid Request: Invalid signature provided"))
	}
	if p.err != nil {
		return nil, p.err
	}
	s := &subscription{
		address: address{topic: topicSignature, sig: sig}, level: c.Commitment.or(bank.Finalized), receipt: c.Receipt,
	}
	id, err := k.subscribe(s)
	if err != nil {
		return nil, err
	}
	return id, k.already(s)
}

// already queues the outcome of a transaction behind the response if the hub has already reported
// it.
func (k *socket) already(s *subscription) error {
	found, ok, err := k.hub.bank.Status(s.address.sig)
	if err != nil || !ok || found.Transaction.Sequence >= k.hub.told.next {
		return err
	}
	t := found.Transaction
	level, slot := bank.Processed, t.Slot
	switch {
	case t.Slot <= k.hub.told.root:
		level = bank.Finalized
	case t.Slot <= k.hub.told.confirmed:
		level = bank.Confirmed
	}
	k.after = append(k.after, func() {
		if _, still := k.subscriptions[s.id]; !still {
			return
		}
		if s.receipt {
			k.hub.tell(s, noticeOf(slot, "receivedSignature"))
		}
		if level >= s.level {
			k.hub.landed(s, slot, t)
		}
	})
	return nil
}
