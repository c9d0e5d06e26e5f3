package program

import "slices"

// word is what there is to say about a code.
type word struct{ name, meaning, next string }

// words are in the order of the codes.
func words() []word {
	return slices.Concat(accountWords(), taskWords(), judgeWords(), paymentWords(), relayWords(), freshWords())
}

const ours = "this is a fault of the client, not of yours: report it with the transaction's signature"

func accountWords() []word {
	return []word{
		{"BadInstruction", "the instruction is unknown or its data has the wrong length", "check that ojud is of the same version as the program on this network"},
		{"NotEnoughAccounts", "accounts are missing from the instruction", ours},
		{"NotSigner", "an account that has to sign did not", "sign with the key that the instruction names"},
		{"NotWritable", "an account that has to be writable is not", ours},
		{"WrongOwner", "an account does not belong to the oju program, or is the wrong system program or sysvar", "check the address, and that the account exists on this network"},
		{"WrongAccount", "an account is of another kind, version or size", "check the address, and that ojud is of the same version as the program on this network"},
		{"WrongAddress", "an account is not at the address that it has to have", "check the addresses; they depend on the program, the authority and the task"},
		{"DuplicateAccount", "two accounts that have to be different are the same", "name two different accounts"},
		{"AlreadyExists", "the account exists already", "read it again: somebody, or an earlier try, has made it"},
		{"Overflow", "an amount does not fit", "use a smaller amount"},
		{"NotAuthority", "the signer is not the authority for this", "sign with the authority's key"},
		{"BadConfig", "a parameter is out of its range", "compare the parameters with section 4 of docs/protocol.md"},
		{"Paused", "the program takes no new tasks and no new judges at the moment", "try again later; tasks and cases that exist go on"},
		{"WrongPage", "the agent would be entered in the wrong page of the registry", "read the config again and use the page agent_count / 128"},
		{"NotEnoughInVault", "the agent's vault does not hold enough", "deposit lamports into the vault, then try again"},
		{"ZeroAmount", "the amount is zero", "name an amount"},
		{"BadName", "the name is not 1 to 32 bytes of a-z, 0-9, point, dash and underscore", "choose another name"},
		{"DataTooLarge", "the data account can hold 9,216 bytes, and one write 900", "store the content elsewhere and keep its hash here, or write in pieces"},
		{"GrantsFull", "a data account has room for 8 grants", "revoke a grant of a task that is over"},
		{"NoGrant", "there is no such grant", "ask the owner of the data for a grant for this task"},
		{"BadFlags", "a grant is 1 (read), 2 (write) or 3 (both)", "name one of these"},
	}
}

func taskWords() []word {
	return []word{
		{"WrongStatus", "the task or case is in a state that does not allow this", "read it again: somebody was faster, or it is too soon"},
		{"BadReward", "the reward is below the network's minimum, or the lowest is above the highest", "raise the reward; without an auction both are the same"},
		{"BadDuration", "a duration is zero, too long, or in the past", "work time is 1 s to 365 days, an auction 1 s to 30 days, claim_by in the future"},
		{"BadTerm", "auction or on_undecided is none of the known values", "auction is 0 or 1, on_undecided 1 (refund), 2 (pay) or 3 (split)"},
		{"WrongEngine", "this version of the program has one engine, 0", "use engine 0"},
		{"MissingHash", "a hash is all zero", "give the SHA-256 of the document"},
		{"NotCreator", "only the task's creator may do this", "sign with the creator's key"},
		{"NotWorker", "only the task's worker may do this", "sign with the worker's key"},
		{"OwnTask", "nobody may claim a task of their own", "use another agent"},
		{"WorkerBarred", "this worker missed the deadline of this task and may not claim it again", "leave it to somebody else"},
		{"PriceTooLow", "the task pays less at this moment than was asked for", "wait until the price has risen, or ask for less"},
		{"TooLate", "the time for this is over", "read the task or case again: anyone may expire or settle it now"},
		{"TooEarly", "the time for this has not come", "read the deadline and try again after it"},
		{"ReworksExhausted", "the task has been reworked as often as is allowed", "counter-object, or let the objection stand"},
	}
}

func judgeWords() []word {
	return []word{
		{"AlreadyOnRoster", "this authority is a judge already", "top up its stake instead"},
		{"PeerTaken", "another judge has this node key", "every node needs a node key of its own: use that of this node"},
		{"BadPeerProof", "the instruction before this one does not prove that the node key agrees", "sign the join proof with the node key, for this network, program and authority"},
		{"StakeTooSmall", "the stake is below the network's minimum", "stake at least min_stake of the config"},
		{"RosterFull", "there is no room for another judge", "try again when a judge has left"},
		{"NotOnRoster", "this authority is no judge", "join the roster first"},
		{"AlreadyExiting", "this judge is leaving already", "withdraw the stake when the cooldown is over"},
		{"NotExiting", "this judge has not begun to leave", "begin the exit first"},
		{"StakeLocked", "this judge is seated in a live round", "try again when the round is settled"},
		{"WrongRound", "the case is in another round", "read the case again"},
		{"TooFewJudges", "fewer judges may sit in this case than a panel needs", "who joins now may sit in it when its seed slot has moved, 512 slots (about 205 s) after the present one; after draw_by anyone may end the case undecided"},
		{"NotSeated", "this judge has no seat in this round", "read the case again: another panel may have been drawn"},
		{"AlreadyCommitted", "this seat has committed", "nothing is left to do until the reveal"},
		{"NotCommitted", "this seat has not committed, so that there is nothing to reveal", "nothing can be done: the seat counts as absent"},
		{"AlreadyRevealed", "this seat is revealed", "nothing is left to do: anyone may reveal, and somebody was faster"},
		{"WrongOpening", "what was revealed does not hash to the commitment", "reveal what was committed: choice, opinion, receipts and salt of this round"},
		{"BadChoice", "a choice is 1 (accept), 2 (reject) or 3 (abstain)", "name one of these"},
		{"BadSealed", "the sealed opening is 93 bytes long, or empty", "leave it out, or seal as section 3 of docs/protocol.md says"},
		{"NotYetSettleable", "seats may still commit or reveal", "try again when all have revealed or the time is over"},
		{"BadEvidence", "the instruction before this one holds no two statements of this judge for this round with different commitments", "check network, program, task, round and judge of both statements"},
		{"Equivocated", "this seat was shown to have signed two different commitments", "nothing can be done: its vote does not count"},
		{"NothingToClaim", "no rewards are waiting", "try again after the next round that this judge wins"},
	}
}

func paymentWords() []word {
	return []word{
		{"BadVoucher", "the instruction before this one does not hold the payer's signature of a voucher for this payee", "check network, program, payer and payee of the voucher, and that the payer's own key signed it"},
		{"VoucherExpired", "the time in which this voucher could be pulled is over", "ask the payer for a new voucher, and pull it earlier"},
		{"VoucherSpent", "all that this voucher promises is paid", "nothing is left to do: pull the next, higher voucher"},
		{"VaultEmpty", "the payer's vault holds nothing", "serve this payer no more until its vault is filled, and pull again before the voucher expires"},
	}
}

func relayWords() []word {
	return []word{
		{"BadRelay", "the instruction before this one does not hold the judge's request to have this commitment brought to the chain", "check network, program, task, round, judge, commitment and sealed opening of the request, and that the judge's node key signed it"},
	}
}

func freshWords() []word {
	return []word{
		{"StillFresh", "this judge joined or topped up within the last 512 slots (about 205 s), and the draws of that time must still tell what it had before", "try again a few minutes after the last time; between two top-ups, in slots of their own, there are more than 512 slots"},
	}
}
