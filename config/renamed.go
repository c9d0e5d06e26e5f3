package config

import "strings"

// renamed maps old names of settings to the present ones. Load refuses an old name with an error
// that has the new one.
func renamed() map[string]string {
	out := map[string]string{}
	for _, in := range []struct{ old, now, fields string }{
		{"api", "api", "timeout=request_timeout"},
		{"blobs", "blobs", "max_blob=max_blob_bytes min_free=min_free_bytes quota=quota_bytes"},
		{"data.desk", "data.requester", "bytes=max_bytes find=search_timeout holder=holder_timeout linger=close_timeout " +
			"max_price=max_price max_spend=max_spend_per_case own=own_answer_wait promises=promises " +
			"receipts=max_receipts requests=max_requests require=required_promises " +
			"reserve=stop_before_deadline second=second_answer_wait share=shared_answers_wait " +
			"slack=clock_tolerance stale=stale_after tries=max_holders"},
		{"data.holder", "data.holder", "cases=max_cases conversations=max_conversations credit=max_unpaid_per_judge " +
			"forget=forgive_debts_after linger=close_timeout openings=openings_per_minute " +
			"per_peer=max_conversations_per_peer"},
		{"data.log", "data.log", "bytes=max_file_bytes sweep=expiry_interval"},
		{"habits", "voting", "carry=max_relayed_seats carry_delay=relay_delay_seconds " +
			"catch_up_every=catch_up_interval_seconds crank_step=crank_step_seconds " +
			"fresh_slack=new_journal_margin_seconds keep_gone=keep_missing_cases_seconds " +
			"landed_wait=landed_timeout_seconds max_cases=max_cases " +
			"opinion_margin=opinion_margin_seconds relay_margin=relay_margin_seconds " +
			"retry_max=retry_max_seconds retry_min=retry_min_seconds slot_millis=slot_milliseconds"},
		{"journal", "journal", "cache=cache_bytes collect_every=collect_interval mem_table=write_buffer_bytes " +
			"min_free=min_free_bytes"},
		{"judge", "judge", "grace=close_timeout parallel=max_parallel_cases"},
		{"judge.limits", "judge.limits", "errors=max_errors"},
		{"judge.memory", "judge.memory", "keep=max_rounds least=min_similarity on=enabled recall=max_recalled_cases"},
		{"judge.reasoning", "judge.reasoning", "agreement=min_agreement asks=max_data_questions batch=batch_size items=max_requirements " +
			"reserve=stop_before_deadline text=max_text_bytes tokens=max_answer_tokens"},
		{"ledger.calls", "ledger.calls", "max_answer=max_answer_bytes patience=total_timeout rate=max_per_second " +
			"timeout=attempt_timeout"},
		{"ledger.send", "ledger.send", "compute_margin=compute_margin_percent priority_cap=max_priority_fee " +
			"rebroadcast=rebroadcast_interval status=status_interval"},
		{"ledger.watch", "ledger.watch", "buffer=max_pending_transactions history_cache=history_cache_bytes " +
			"max_history=max_case_transactions max_message=max_message_bytes overlap=overlap_slots " +
			"page=signatures_per_page ping=ping_interval poll=poll_interval " +
			"reconnect_max=max_reconnect_wait remember=remembered_signatures rescan=rescan_interval " +
			"stall=stall_timeout sweep=sweep_interval window=max_catch_up_signatures"},
		{"p2p.dht", "p2p.dht", "health=health_interval refresh=refresh_interval reprovide=reprovide_interval"},
		{"p2p.gossip", "p2p.gossip", "inbox=inbox_messages max_message=max_message_bytes"},
		{"p2p.push", "p2p.push", "idle=idle_timeout max_message=max_message_bytes queue=queue_messages"},
		{"p2p.redial", "p2p.redial", "interval=min_interval max=max_interval timeout=attempt_timeout"},
		{"p2p.registry", "p2p.registry", "announce=announce_interval save=save_interval sync=sync_interval"},
		{"payment", "payment", "fee=pull_fee late=pull_before_expiry least=min_voucher_time margin=expiry_margin " +
			"remember=keep_bills term=voucher_time timeout=chain_timeout worth=min_pull_fees"},
		{"sources", "sources", "poll=poll_interval"},
		{"voting", "voting", "carry_delay_seconds=relay_delay_seconds max_carried_seats=max_relayed_seats"},
		{"sync", "sync", "every=interval max_puts=max_put_bytes_per_hour timeout=request_timeout twin=twin_wait"},
	} {
		for pair := range strings.FieldsSeq(in.fields) {
			old, now, _ := strings.Cut(pair, "=")
			out[in.old+"."+old] = in.now + "." + now
		}
	}
	return out
}
