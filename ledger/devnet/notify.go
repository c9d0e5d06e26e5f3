package devnet

import (
	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
)

// noticeContext is the context of a notification, which has only the slot.
type noticeContext struct {
	Slot uint64 `json:"slot"`
}

type notice struct {
	Context noticeContext `json:"context"`
	Value   any           `json:"value"`
}

func noticeOf(slot uint64, value any) notice { return notice{noticeContext{slot}, value} }

// tell queues a notification. If it cannot be encoded, that is a bug and not the subscriber's
// fault.
func (h *hub) tell(s *subscription, result any) {
	raw, err := encode(notification{version2, s.address.topic.name() + "Notification", notificationParams{result, s.id}})
	if err != nil {
		h.log.Error("a notification was not encoded", "topic", s.address.topic.name(), "err", err)
		s.socket.stop()
		return
	}
	s.socket.send(raw)
}

func (h *hub) tellAccounts(e bank.Event) {
	for _, a := range e.Accounts {
		for _, s := range h.at(address{topic: topicAccount, key: a.Key}, e.Level) {
			h.tell(s, noticeOf(e.Slot, noticeAccount(a.Account, s)))
		}
		for _, s := range h.at(address{topic: topicProgram, key: a.Account.Owner}, e.Level) {
			if a.Account.Lamports > 0 && allAllow(s.config.Filters, a.Account) {
				h.tell(s, noticeOf(e.Slot, keyedAccount{a.Key.String(), noticeAccount(a.Account, s)}))
			}
		}
	}
}

// noticeAccount encodes an account. A deleted account is empty and belongs to the system program.
// If the data is too long for base58, the notification says so instead, as on a cluster.
func noticeAccount(a accounts.Account, s *subscription) *uiAccount {
	if a.Lamports == 0 {
		a = accounts.Account{RentEpoch: ^uint64(0)}
	}
	form := s.config.Encoding.or(encodingBinary)
	if out, err := encodeAccount(a, form, s.config.DataSlice); err == nil {
		return out
	}
	const tooLarge = "error: data too large for bs58 encoding"
	out := &uiAccount{a.Lamports, []string{tooLarge, string(encodingBase58)}, a.Owner.String(), a.Executable, a.RentEpoch, len(a.Data)}
	if form == encodingBinary {
		out.Data = tooLarge
	}
	return out
}

// uiLogs is the value of a logs notification.
type uiLogs struct {
	Signature string                    `json:"signature"`
	Err       *failure.TransactionError `json:"err"`
	Logs      []string                  `json:"logs"`
}

// tellLogs reports the logs of a transaction that ran.
func (h *hub) tellLogs(e bank.Event, t *bank.Transaction) {
	if !t.Ran {
		return
	}
	var value *uiLogs
	tell := func(a address) {
		for _, s := range h.at(a, e.Level) {
			if value == nil {
				value = &uiLogs{t.Signature().String(), t.Err, append([]string{}, t.Logs...)}
			}
			h.tell(s, noticeOf(e.Slot, value))
		}
	}
	tell(address{topic: topicLogs, every: true})
	tx, err := svm.DecodeTransaction(t.Wire)
	if err != nil {
		h.log.Error("a transaction was not decoded", "signature", t.Signature(), "err", err)
		return
	}
	for _, k := range t.Keys(tx) {
		tell(address{topic: topicLogs, key: k})
	}
}

func (h *hub) tellSignature(e bank.Event, t *bank.Transaction) {
	a := address{topic: topicSignature, sig: t.Signature()}
	if e.Level == bank.Processed {
		for _, level := range []bank.Level{bank.Processed, bank.Confirmed, bank.Finalized} {
			for _, s := range h.at(a, level) {
				if s.receipt {
					h.tell(s, noticeOf(e.Slot, "receivedSignature"))
				}
			}
		}
	}
	for _, s := range h.at(a, e.Level) {
		h.landed(s, e.Slot, t)
	}
}

// landed reports the outcome of a transaction, which ends the subscription.
func (h *hub) landed(s *subscription, slot uint64, t *bank.Transaction) {
	h.tell(s, noticeOf(slot, map[string]*failure.TransactionError{"err": t.Err}))
	h.remove(s)
}

// tellSlots reports slots. Their subscriptions have no level.
func (h *hub) tellSlots(e bank.Event) {
	all := func(t topic, result any) {
		for _, s := range h.at(address{topic: t}, bank.Processed) {
			h.tell(s, result)
		}
	}
	update := func(kind string) map[string]any {
		return map[string]any{"slot": e.Slot, "timestamp": e.Time * 1000, "type": kind}
	}
	switch {
	case e.Opened:
		all(topicSlot, map[string]uint64{"slot": e.Slot, "parent": e.Parent, "root": e.Root})
		created := update("createdBank")
		created["parent"] = e.Parent
		all(topicUpdates, created)
	case e.Level == bank.Confirmed:
		frozen := update("frozen")
		frozen["stats"] = slotStats(e.Transactions)
		all(topicUpdates, frozen)
		all(topicUpdates, update("optimisticConfirmation"))
	case e.Level == bank.Finalized:
		all(topicRoot, e.Slot)
		all(topicUpdates, update("root"))
	}
}

func slotStats(list []*bank.Transaction) map[string]uint64 {
	failed := uint64(0)
	for _, t := range list {
		if t.Err != nil {
			failed++
		}
	}
	n := uint64(len(list))
	return map[string]uint64{
		"numTransactionEntries": n, "numSuccessfulTransactions": n - failed,
		"numFailedTransactions": failed, "maxTransactionsPerEntry": min(n, 1),
	}
}
