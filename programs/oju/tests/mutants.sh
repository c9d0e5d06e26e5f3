#!/usr/bin/env bash
# Proves that the attacks and the random sequences find a program that lacks a check: each case
# takes one check out of a copy of the sources, builds it, and the tests have to fail. Run by
# `make mutants`.
#
#   mutants.sh [NAME]     all of them, or those whose name contains NAME
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$here/build.sh"
clean_environment
find_compiler
find_linker
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wanted=${1:-} found=0 missed=0
difftest=$here/../../ledger/svm/difftest
(cd "$difftest" && go test -c -o "$scratch/attack" ./oju && go test -c -o "$scratch/sequence" ./sequence)

# attempt DIR COMMAND...: prints the end of what a test binary says, and fails as it does.
attempt() { (cd "$1" && shift && "$@") >"$scratch/said" 2>&1; }

# mutant NAME FILE SED: with the sources changed like this, somebody has to notice.
mutant() {
	[[ $1 == *"$wanted"* ]] || return 0
	cp -r "$here/src/." "$scratch/src/"
	cp -r "$here/verdict/." "$scratch/verdict/"
	cp -r "$here/signers/." "$scratch/signers/"
	cp -r "$here/escrow/." "$scratch/escrow/"
	local as=-elf features=()
	[[ $2 != ../signers/* ]] || as=-signers features=(--features signers)
	[[ $2 != ../escrow/* ]] || as=-escrow features=(--features escrow)
	sed -i "$3" "$scratch/src/$2"
	if cmp -s "$here/src/$2" "$scratch/src/$2"; then
		echo "not ok: $1: nothing to change in $2: the mutant is out of date" >&2
		exit 1
	fi
	compile "$scratch" "$scratch/mutant.so" "${features[@]}" >"$scratch/built" 2>&1 || { tail -5 "$scratch/built" >&2; exit 1; }
	local by=''
	attempt "$difftest/oju" "$scratch/attack" "$as" "$scratch/mutant.so" -test.run 'TestExploit|TestAttack|TestSigners' || by+=' attacks'
	if [[ $as == -elf ]]; then
		attempt "$difftest/oju" "$scratch/attack" -elf "$scratch/mutant.so" -test.run 'TestSubstitution$' || by+=' substitutions'
		attempt "$difftest/sequence" "$scratch/sequence" -elf "$scratch/mutant.so" -test.run 'TestSequences$' -sequences 20000 || by+=' sequences'
	fi
	if [[ -z $by ]]; then
		echo "not ok: $1 is noticed by nobody" >&2
		missed=$((missed + 1))
		return 0
	fi
	echo "ok: $1 is found by:$by"
	found=$((found + 1))
}

copy_sources "$scratch"

mutant 'no check of signers' account.rs 's/account.is_signer() || !role.signer/true/'
mutant 'no check of writables' account.rs 's/account.is_writable() || !role.writable/true/'
mutant 'no check of duplicates' account.rs 's/require(!both || accounts\[i\] != accounts\[j\]/require(true || both/'
mutant 'no check of owners' account.rs 's/require(account.owned_by(program), Error::WRONG_OWNER)/require(true || account.owned_by(program), Error::WRONG_OWNER)/'
mutant 'any agent is a party of the task' state/agent.rs 's/require(agent.authority == \*authority, /require(true || agent.authority == *authority, /'
mutant 'settle takes any task' instruction/settle.rs 's/account::address(&task.account, &docket.parts()?.0.task)?;//'
mutant 'draw takes any task' instruction/draw.rs 's/account::address(&task, &case.task)?;//'
mutant 'rewards go to any wallet' instruction/reward.rs 's/if withdraw != \*wallet.address()/if false/'
mutant 'rewards go to an account of a program' instruction/reward.rs 's/account::wallet(&wallet, &withdraw)?;//'
mutant 'the voting key begins an exit' instruction/exit.rs '/^pub fn begin(/,/^}/s/require(entry.withdraw == \*withdraw.address(), Error::NOT_AUTHORITY)?;//'
mutant 'anybody takes the stake' instruction/exit.rs '/^pub fn withdraw(/,/^}/s/require(entry.withdraw == \*withdraw.address(), Error::NOT_AUTHORITY)?;//'
mutant 'anybody changes the withdraw key' instruction/exit.rs '/^pub fn change_withdraw(/,/^}/s/require(entry.withdraw == \*withdraw.address(), Error::NOT_AUTHORITY)?;//'
mutant 'the withdraw key may be zero' instruction/join.rs 's/require(withdraw != Address::default(), Error::NO_WITHDRAW_KEY)?;//'
mutant 'a listed court takes anybody' instruction/join.rs 's/config.listed != 0/false/'
mutant 'the admission of another judge' instruction/admission.rs 's/require(admission.judge == \*judge, /require(true || admission.judge == *judge, /'
mutant 'anybody admits judges' instruction/admission.rs 's/config.only_authority(authority.address())?;//'
mutant 'anybody revokes admissions' instruction/admission.rs 's/config.only_authority(signer.address())?;//'
mutant 'the rent of an admission goes to any wallet' instruction/admission.rs 's/account::address(&wallet, &admission.payer)?;//'
mutant 'a listed court is given up' instruction/authority.rs 's/require(config.listed == 0, Error::COURT_LISTED)?;//'
mutant 'operators need not sign' account.rs 's/require(account.is_signer(), Error::NOT_SIGNER)?;//'
mutant 'any other operator signs' account.rs '/^pub fn cosigned/,/^}/s/address(account, key)/Ok(())/'
mutant 'operators of judges need not sign' instruction/join.rs 's/account::cosigned(cx.accounts, 7, &operator)?;//'
mutant 'new operators need not sign' instruction/agent.rs 's/account::cosigned(cx.accounts, 2, &operator)?;//'
mutant 'a claim forgets the worker' instruction/claim.rs 's/Parties::with(&task, worker, &agent.operator)/Parties::of(\&task)/'
mutant 'rewards can be claimed twice' instruction/reward.rs 's/core::mem::take(&mut entries\[index\].rewards)/entries[index].rewards/'
mutant 'the rent goes to any wallet' instruction/close.rs 's/account::address(&wallet, &case.payer)?;//'
mutant 'a seated judge can leave' instruction/exit.rs 's/require(entry.live == 0, Error::STAKE_LOCKED)?;//'
mutant 'who leaves need not wait' instruction/exit.rs 's/require(clock()?.time >= entry.exit_at, Error::TOO_EARLY)?;//'
mutant 'a vote is revealed twice' instruction/reveal.rs 's/require(!seat.has(REVEALED), Error::ALREADY_REVEALED)?;//'
mutant 'a changed vote is taken' instruction/reveal.rs 's/require(commitment(cx.program, &place, &opening) == seat.commitment, /require(true || commitment(cx.program, \&place, \&opening) == seat.commitment, /'
mutant 'a vote is taken too late' instruction/reveal.rs 's/require(now < case.reveal_ends, Error::TOO_LATE)/Ok(())/'
mutant 'who equivocated is slashed twice' rule/slash.rs 's/require(!seat.has(EQUIVOCATED), Error::EQUIVOCATED)?;//; s/seat.flags |= EQUIVOCATED;//'
mutant 'evidence need not differ' instruction/slash.rs 's/both \&\& one != two/both/'
mutant 'anybody signs the join proof' instruction/join.rs 's/signed.key == peer.as_array()/true/'
mutant 'anybody asks for a relay' instruction/relay.rs 's/signed.key == peer.as_array() \&\& asks/asks/'
mutant 'a voucher of anybody' instruction/pay.rs 's/(signed.key == deal.payer.as_array()).then_some(voucher)/Some(voucher)/'
mutant 'settled before its time' rule/settle.rs 's/now >= case.reveal_ends || !committing/true || !committing/'
mutant 'two thirds are not needed' rule/tally.rs 's/product_exceeds(2, case.seated_weight, 3, sides + case.abstain_weight)/false/'
mutant 'abstentions alone are a quorum' rule/tally.rs 's/product_exceeds(51, case.seated_weight, 100, sides)/false/'
mutant 'the fee of the terms prices the worker out' rule/price.rs 's/!arith::product_exceeds(fee_min, bonded(seats), reward_min, 1)/true/'
mutant 'a panel of any size' instruction/offer.rs 's/ \&\& sizes(rules).contains(&task.seats)//'
mutant 'the terms raise no fee' rule/price.rs 's/.max(rules.fee_min).max(task.fee_min)/.max(rules.fee_min)/'
mutant 'a winner ends the time to appeal' instruction/settle.rs 's/account::cosigned(cx.accounts, 6, &loser(case, &bench.task))?;//'
mutant 'a verdict is final before its time' instruction/settle.rs 's/require(waives || now >= case.appeal_by, Error::TOO_EARLY)?;//'
mutant 'an appeal after its time' instruction/appeal.rs 's/require(clock.time < case.appeal_by, Error::TOO_LATE)?;//'
mutant 'an appeal by two judges' rule/appeal.rs 's/others < LEAST as usize/others < 2/'
mutant 'the same judges hear the appeal' rule/draw.rs 's/let fresh = !case.appealed() || !case.sat(index);/let fresh = true;/'
mutant 'the first panel is not noted' rule/draw.rs 's/        case.sat\[index \/ 8\] |= 1 << (index % 8);//'
mutant 'a void round uses up its judges' rule/draw.rs 's/        case.sat.fill(0);//'
mutant 'a busy judge starves an appeal' rule/draw.rs 's/entry.free() < risk \&\& !case.appealed()/entry.free() < risk/'
mutant 'a judge that leaves starves an appeal' rule/draw.rs 's/let leaves = case.appealed() \&\& entry.state == EXITING;/let leaves = false;/'
mutant 'judges that leave are not counted for an appeal' rule/appeal.rs 's/entry.state != FREE \&\& !case.sat(index)/entry.state == 1 \&\& !case.sat(index)/'
mutant 'a judge leaves between the levels' rule/settle.rs 's/    if !seat.has(HELD) {/    if true {/'
mutant 'a reversal costs nothing' rule/pay.rs 's/Due::Reversal => self.case.reversal,/Due::Reversal => 0,/'
mutant 'a narrow reversal costs as much' rule/pay.rs 's/let turned = case.level == SECOND \&\& clear \&\& /let turned = case.level == SECOND \&\& /'
mutant 'an undrawn appeal costs its bond' instruction/settle.rs 's/        if case.seats == 0 {/        if false {/'
mutant 'an appeal for nothing' instruction/appeal.rs 's/    agent.debit(bond)?;//'
mutant 'the rent of an appeal goes to anybody' instruction/close.rs 's/account::address(&paid, &appellant)?;//'
mutant 'the tallies stay those of a void appeal' rule/appeal.rs 's/                self.case.recall();//'
mutant 'a remainder is lost' rule/pay.rs 's/let due = arith::mul_div(purse, weight, total)?;/let due = arith::mul_div(purse, weight, total)?.saturating_sub(1);/'
mutant 'who leaves is drawn no more' state/roster.rs 's/ || self.state == EXITING \&\& self.exit_slot >= seed//'
mutant 'any seed slot is drawn with' state/roster.rs 's/slot.saturating_sub(seed) > WINDOW/slot.saturating_sub(seed) > 100 * WINDOW/'
mutant 'the golden pot gets nothing' instruction/payout.rs 's/let fee = trade(amount, task.trade_bps)?;/let fee = 0;/'
mutant 'the golden pot counts what it does not get' instruction/payout.rs 's/pot.credit(amount)?;/pot.credit(amount + 1)?;/'
mutant 'a claim costs nothing' instruction/claim.rs 's/let bond = price::claim(task.reward_max, task.claim_bps)?;/let bond = 0;/'
mutant 'a missed deadline costs nothing' instruction/expire.rs 's/return payout::missed(task, .*);/return payout::claim_bond(task, \&mut parties.worker);/'
mutant 'the auction runs while the task is claimed' state/task.rs 's/self.auction_from = market.saturating_sub(self.auction_run as i64);//'
mutant 'the auction runs on in a pause' state/config.rs 's/now.saturating_sub(self.stood(now) as i64)/now/'
mutant 'the auction runs on until a pause ends' state/config.rs 's/if self.paused == 0 { 0 }/if true { 0 }/'
mutant 'a pause that is repeated begins again' state/config.rs 's/if self.paused < paused {/if paused == 1 {/'
mutant 'a claim forgets how long the auction had run' instruction/claim.rs 's/task.auction_run = price::run(&task, market);//'
mutant 'a new auction begins before its task' instruction/offer.rs 's/config.market(now));/now);/'
mutant 'a claim is given back by the clock of the chain' instruction/claim.rs 's/task.reopen(config.market(at));/task.reopen(at);/'
mutant 'a claim is missed by the clock of the chain' instruction/expire.rs 's/task.reopen(config.market(at));/task.reopen(at);/'
mutant 'a moment of a pause excuses void leaves' state/batch.rs 's/let long = .*/let long = true;/'
mutant 'a pause before the batch excuses void leaves' instruction/proctor.rs 's/(rules.challenge_seconds, config.stood(now))/(rules.challenge_seconds, 0)/'
mutant 'the price of a missed claim stays' state/task.rs 's/(self.reward, self.submitted_at) = (0, 0);/self.submitted_at = 0;/'
mutant 'a claim can be given back at any time' instruction/claim.rs 's/task.may_give_back(at)?;//'
mutant 'each worker may hold a task for nothing' instruction/claim.rs 's/task.give_back(at);//'
mutant 'a creator uses up the time to give a task back, and keeps the bonds' instruction/payout.rs 's/if task.released_seconds > 0/if false/'
mutant 'a bad result can be given back' instruction/claim.rs 's/require(task.submitted_at == 0, Error::WRONG_STATUS)?;//'
mutant 'an engine that is silent costs nothing' instruction/expire.rs 's/payout::silence(task, &mut parties.pot, outcome)?;//'
mutant 'nobody pays for an undecided case' instruction/settle.rs 's/payout::forfeit(task, outcome);//'
mutant 'the wrong side pays for silence' instruction/payout.rs 's/Payout::Refunded => (task.creator_bond, 0),/Payout::Refunded => (0, task.worker_bond),/'
mutant 'rules in force are withdrawn' instruction/rules.rs 's/require(clock()?.time < announced.from, Error::TOO_LATE)?;//'
mutant 'anybody withdraws rules' instruction/rules.rs '/^pub fn withdraw(/,/^}/s/config.only_authority(authority.address())?;//'
mutant 'old rules are withdrawn' instruction/rules.rs 's/announced.numbered(config.rules)?;//'
mutant 'withdrawn rules still end those before' instruction/rules.rs 's/(last.until, config.rules) = (0, last.number);/config.rules = last.number;/'
mutant 'a price above the escrow' rule/price.rs 's/Ok(price.min(task.escrow))/Ok(price)/'
mutant 'a task without a number is over' instruction/grant.rs 's/Ok(id < creator.tasks_created \&\& numbered == \*task.address())/Ok(numbered == *task.address())/'
mutant 'a verdict is published before the end' instruction/verdict.rs 's/require(is_over(case.status), Error::WRONG_STATUS)?;//'
mutant 'a verdict about any task' instruction/verdict.rs 's/account::address(&task_account, &case.task)?;//'
mutant 'a verdict forgets its parties' state/verdict.rs 's/(self.creator, self.worker) = (task.creator, task.worker);//'
mutant 'a verdict forgets the tallies' state/verdict.rs 's/(self.abstain_weight, self.seated_weight) = (case.abstain_weight, case.seated_weight);//'
mutant 'the facts forget the weights' state/verdict.rs 's/?.put_u64(\*weight)//'
mutant 'any program is the engine' ../verdict/src/lib.rs 's/passed.owner != program/false/'
mutant 'any group of an engine decides' instruction/engine.rs 's/false => read_group(engine, group, subject, &passed)/false => read(engine, subject, \&passed)/'
mutant 'signers: a stranger is a member' ../signers/ballot.rs 's/record.find(member.address())?/0/'
mutant 'signers: a member counts twice' ../signers/ballot.rs 's/require(ballot.signed\[place\] == 0, Error::ALREADY_COMMITTED)?;//'
mutant 'signers: a word counts for every task' ../signers/ballot.rs 's/require(ballot.group == .*, Error::WRONG_ADDRESS)?;//'
mutant 'signers: a verdict can turn' ../signers/ballot.rs 's/require(ballot.decided == 0, Error::WRONG_STATUS)?;//'
mutant 'signers: two of five are a majority' ../signers/group.rs 's/require(2 \* threshold > count, Error::BAD_CONFIG)?;//'
mutant 'signers: one key is two members' ../signers/group.rs 's/require(last.as_array() < member.as_array(), Error::BAD_CONFIG)?;//'
mutant 'escrow: the buyer is not in the address' ../escrow/mod.rs 's/let seeds = \[SEED, buyer.address().as_ref(), seller.as_ref(), subject.as_ref()\];/let seeds = [SEED, SEED, seller.as_ref(), subject.as_ref()];/'
mutant 'escrow: the money is taken back at once' ../escrow/mod.rs 's/require(clock()?.time >= escrow.back_at, Error::TOO_EARLY)?;//'
mutant 'escrow: the money is taken back from the winner' ../escrow/mod.rs 's/require(escrow.winner(&told).is_err(), Error::WRONG_STATUS)?;//'
mutant 'escrow: another account is the missing verdict' ../escrow/mod.rs 's/account::address(&told, &place)?;//'
mutant 'escrow: anybody takes the money back' ../escrow/mod.rs 's/require(escrow.buyer == \*buyer.address(), Error::NOT_CREATOR)?;//'
mutant 'escrow: the case of others pays' ../escrow/mod.rs 's/require(case.worker == self.seller, Error::NOT_WORKER)?;//'
mutant 'an engine decides too late' instruction/engine.rs 's/task.in_time(at)?;//'
mutant 'an engine decides a task of the court' state/task.rs 's/require(self.status == Status::Judiciary as u8 \&\& self.deadline != 0, /require(self.status == Status::Judiciary as u8, /'
mutant 'an engine pays its fee to a party' instruction/offer.rs 's/require(task.engine_agent != \*creator, Error::WRONG_ENGINE)?;//'
mutant 'the court takes a task too early' instruction/counter.rs '/^pub fn open_case/,/^}/s/require(clock.time >= task.deadline, Error::TOO_EARLY)?;//'
mutant 'an expired task is paid without its time' instruction/expire.rs 's/require(at >= task.deadline, Error::TOO_EARLY)?;//'
mutant 'one announcement stops new tasks' rule/params.rs 's/let open = reward \&\& stake/let open = stake/'
mutant 'one announcement takes judges off the panels' rule/params.rs 's/let open = reward \&\& stake/let open = reward/'
mutant 'one judge becomes a panel' rule/params.rs 's/let open = reward \&\& stake \&\& seats/let open = reward \&\& stake/'
mutant 'a cooldown of a month by one announcement' rule/params.rs 's/(old.cooldown_seconds..=longest).contains(&new.cooldown_seconds)/new.cooldown_seconds >= old.cooldown_seconds/'
mutant 'no stake covers a reward' instruction/offer.rs 's/require(price::covered(new.reward_max, weight, rules.cover_bps), Error::NOT_COVERED)?;//'
mutant 'the lowest reward is covered, not the highest' instruction/offer.rs 's/price::covered(new.reward_max, /price::covered(new.reward_min, /'
mutant 'parties sit in their own case' rule/draw.rs 's/ || !parties.may_be_judged_by(entry)//'
mutant 'a claim looks at no judges' instruction/claim.rs 's/require(parties.have_judges(judges.parts()?.1, &rules), Error::TOO_FEW_IMPARTIAL)?;//'
mutant 'the draw forgets the cap' rule/draw.rs 's/weight.min(case.max_seat_weight).min(entry.stake)/weight.min(entry.stake)/'
mutant 'the draw forgets what was slashed' rule/draw.rs 's/weight.min(case.max_seat_weight).min(entry.stake)/weight.min(case.max_seat_weight)/'
mutant 'the busy sit, too' rule/draw.rs 's/entry.free() < risk/false/'
mutant 'the free are the panel' rule/draw.rs 's/case.seated_weight > busy/case.seated_weight > 0 || busy > 0/'
mutant 'the draw sees the season of its moment' state/roster.rs 's/if self.season_slot < seed {/if seed > 0 {/'
mutant 'the draw sees a season of the seed slot' state/roster.rs 's/if self.season_slot < seed {/if self.season_slot <= seed {/'
mutant 'a season begins at any time' instruction/season.rs 's/require(head.season_over(entries, &rules, &clock), Error::SEASON_RUNS)?;//'
mutant 'seasons follow each other in a slot' state/roster.rs 's/ \&\& (first || clock.slot.saturating_sub(self.season_slot) > apart)//'
mutant 'a small court begins seasons at any time' state/roster.rs 's/(few || clock.time >= due) \&\& (first || /few || clock.time >= due \&\& (first || /'
mutant 'a new version makes objections too dear' rule/params.rs 's/ \&\& fee \&\& weight \&\& drawn/ \&\& weight \&\& drawn/'
mutant 'a new version changes who outweighs whom' rule/params.rs 's/ \&\& fee \&\& weight \&\& drawn/ \&\& fee \&\& drawn/'
mutant 'a new version leaves no time to draw' rule/params.rs 's/ \&\& fee \&\& weight \&\& drawn/ \&\& fee \&\& weight/'
mutant 'a new version covers nothing' rule/params.rs 's/(old.cover_bps.min(LEAST_COVER)/(1/'
mutant 'an engine takes all bonds' instruction/offer.rs 's/ \&\& !dear//'
mutant 'an engine has no time' instruction/offer.rs 's/rules.commit_seconds + rules.reveal_seconds..=MAX_ENGINE/rules.min_work_seconds..=MAX_ENGINE/'
mutant 'who is right pays the engine' instruction/payout.rs 's/Decision::Accept => (task.engine_fee, 0)/Decision::Accept => (half, half)/'
mutant 'who has just left makes a season begin' state/roster.rs 's/self.sits_at(slot.saturating_sub(WINDOW))/self.state == ACTIVE/'
mutant 'an heir has the weight of who left' state/roster.rs 's/owned: 0, ..with/owned: self.owned, ..with/'
mutant 'who leaves takes its weight out of the draw' state/roster.rs 's/\*self = Entry { weight, weight_before, owned: 0, ..with };/*self = with;/'
mutant 'who leaves gets a weight' state/roster.rs 's/self.state == ACTIVE \&\& self.stake >= (rules/self.stake >= (rules/'
mutant 'golden: anybody commits a batch' instruction/proctor.rs 's/^    admitted(&proctor, authority.address(), cx.program)?;//'
mutant 'golden: anybody admits proctors' instruction/proctor.rs '/^pub fn admit(/,/^}/s/config.only_authority(authority.address())?;//'
mutant 'golden: a batch runs into other rules' instruction/proctor.rs 's/require(rules.until == 0 || open_by <= rules.until, Error::WRONG_RULES)?;//'
mutant 'golden: no allowance' instruction/proctor.rs 's/require(pot.spend(leaves), Error::TOO_MANY_LEAVES)?;/pot.spend(leaves);/'
mutant 'golden: no deposit' instruction/proctor.rs 's/require(deposit >= golden::deposit(&rules, leaves)?, Error::DEPOSIT_TOO_SMALL)?;//'
mutant 'golden: anybody opens leaves' instruction/golden.rs 's/batch.only_proctor(authority.address())?;//'
mutant 'golden: leaves are opened at any time' instruction/golden.rs 's/require(now < batch.open_by, Error::TOO_LATE)?;//'
mutant 'golden: any leaf is in the batch' rule/leaf.rs 's/require(root == \*at.root, Error::NOT_IN_BATCH)/Ok(())/'
mutant 'golden: a leaf is opened twice' state/batch.rs 's/require(\*byte \& bit == 0, Error::LEAF_OPEN)?;//'
mutant 'golden: a leaf is void at will' instruction/golden.rs 's/let void = !golden_task(/let void = cx.accounts.len() < 4 || !golden_task(/'
mutant 'golden: the case of any task' instruction/golden.rs 's/require(case.task == address, Error::WRONG_ADDRESS)?;//'
mutant 'golden: a case that is not over' instruction/golden.rs 's/require(is_over(case.status), Error::WRONG_STATUS)?;//'
mutant 'golden: losses beyond the deposit' state/batch.rs 's/require(self.exposed <= self.deposit, Error::DEPOSIT_TOO_SMALL)/Ok(())/'
mutant 'golden: another result counts' state/batch.rs 's/\&\& task.result_hash == \*leaf.result_hash//'
mutant 'golden: a task older than its batch' state/batch.rs 's/\&\& task.created_at >= self.committed_at//'
mutant 'golden: an unbalanced batch is fair' state/batch.rs 's/ \&\& self.balanced()$//'
mutant 'golden: any number of void leaves' state/batch.rs 's/self.complete() \&\& self.hardly_void() /self.complete() /'
mutant 'golden: one claim burns the deposit of eight leaves' state/batch.rs 's/let spare = .*/let spare = false;/'
mutant 'golden: one claim tips the balance of ten leaves' state/batch.rs 's/        share || accepts.abs_diff.*/        share/'
mutant 'golden: a pause excuses leaves that are not open' state/batch.rs 's/        self.complete() \&\& self.void > 0/        (self.void > 0 || self.leaves > 0)/'
mutant 'golden: a pause excuses a batch without void leaves' state/batch.rs 's/        self.complete() \&\& self.void > 0/        self.complete()/'
mutant 'golden: an incomplete batch is fair' state/batch.rs 's/self.complete() \&\& self.hardly_void()/self.hardly_void()/'
mutant 'golden: applied twice' instruction/golden.rs 's/ \&\& case.applied == 0//'
mutant 'golden: applied by any batch' instruction/golden.rs 's/ \&\& case.batch == batch.number//'
mutant 'golden: applied in a pause' instruction/golden.rs 's/config.open()?;//'
mutant 'golden: no time to challenge' instruction/golden.rs 's/require(clock.time >= batch.apply_from(config.resumed_at), Error::TOO_EARLY)?;//'
mutant 'golden: a pause uses up the time' state/batch.rs 's/self.complete_at.max(resumed_at)/self.complete_at/'
mutant 'golden: a leaf that nobody judged earns a fee' rule/golden.rs 's/seat.result != 0/true/'
mutant 'golden: an appeal hides the first panel' rule/golden.rs 's/let firsts = self.case.level(true).len();/let firsts = 0;/'
mutant 'golden: a right seat gets all it is due' rule/golden.rs 's/gain(&self.case, weight)?.min(part)/gain(\&self.case, weight)?/'
mutant 'golden: wrong costs nothing' rule/golden.rs 's/let slashed = self.slash(first, i, loss)?;/let slashed = self.slash(first, i, loss - loss)?;/'
mutant 'golden: silence is not seen' rule/golden.rs 's/self.seen += 1;/self.seen += seat.sided() as u8;/'
mutant 'golden: an incomplete batch costs nothing' instruction/proctor.rs 's/if outcome == closed::FORFEITED/if false/'
mutant 'golden: a batch is closed before it is applied' instruction/proctor.rs 's/require(batch.applied == batch.counting() || now >= batch.keep_until, Error::TOO_EARLY)?;//'
mutant 'golden: anybody gets the deposit' instruction/proctor.rs '/^pub fn close(/,/^}/s/account::address(&wallet, &batch.proctor)?;//'
mutant 'golden: a challenge without a verdict' instruction/challenge.rs 's/require(accepted \&\& answered, Error::NOT_FALSE)?;/require(answered, Error::NOT_FALSE)?;/'
mutant 'golden: a challenge by any result' instruction/challenge.rs 's/challenge.task_hash == asked \&\& challenge.result_hash == denied()/challenge.task_hash == asked/'
mutant 'golden: a challenge about any leaf' instruction/challenge.rs 's/require(leaf.seal() == golden.seal, Error::NOT_IN_BATCH)?;//'
mutant 'golden: a challenge after the money moved' instruction/challenge.rs 's/require(batch.applied == 0, Error::TOO_LATE)?;//'
mutant 'a claimant that did not sign' instruction/dispute.rs 's/account::take(cx.accounts, \[SW, S, R, R, R, W, W, R\])/account::take(cx.accounts, [SW, R, R, R, R, W, W, R])/'
mutant 'a dispute in a pause' instruction/dispute.rs 's/config.open()?;//'
mutant 'a dispute with oneself' instruction/dispute.rs 's/require(respondent != new.worker, Error::OWN_TASK)?;//'
mutant 'a dispute about nothing' instruction/dispute.rs 's/require(new.reward >= rules.min_reward, Error::BAD_REWARD)?;//'
mutant 'a dispute with any panel' instruction/dispute.rs 's/require(sizes(&rules).contains(&new.seats), Error::BAD_TERM)?;//'
mutant 'a dispute without a claim' instruction/dispute.rs 's/require(named, Error::MISSING_HASH)?;//'
mutant 'a dispute that nobody may judge' instruction/dispute.rs 's/require(Parties::of(&new).have_judges(entries, &rules), Error::TOO_FEW_IMPARTIAL)?;//'
mutant 'a dispute beyond the cover' instruction/dispute.rs 's/require(price::covered(.*//'
mutant 'a dispute by old rules' instruction/dispute.rs 's/rules.in_force(now)?;//'
mutant 'anybody answers a dispute' instruction/dispute.rs 's/task.only_creator(respondent.address())?;//'
mutant 'a dispute is answered twice' instruction/dispute.rs 's/require(task.dispute == ABSENT, Error::WRONG_STATUS)?;//'
mutant 'a dispute is answered late' instruction/dispute.rs 's/task.in_time(at)?;//'
mutant 'a dispute is answered by nothing' instruction/dispute.rs 's/require(hash != \[0; 32\], Error::MISSING_HASH)?;//'
mutant 'a dispute settles the case of another' instruction/dispute.rs 's/account::address(&task.account, &docket.parts()?.0.task)?;//'
mutant 'the verdict of another dispute' instruction/dispute.rs 's/account::address(&task.account, &verdict.subject)?;//'
mutant 'anybody gets the fee of a dispute' instruction/dispute.rs 's/account::address(&payer, &task.worker_operator)?;//'
mutant 'the fee of a dispute comes back' instruction/dispute.rs 's/let kept = if drawn { fee } else { 0 };/let kept = 0;/'
mutant 'a dispute expires before its time' instruction/dispute.rs 's/require(now >= case.draw_by, Error::TOO_EARLY)?;//'
mutant 'a dispute is settled before its time' instruction/dispute.rs 's/require(settleable(&case, now), Error::NOT_YET_SETTLEABLE)?;//'
mutant 'a dispute is settled as a task' instruction/settle.rs 's/require(!task.is_dispute(), Error::WRONG_STATUS)?;//'
mutant 'the zero engine decides a dispute' instruction/engine.rs 's/require(task.foreign(), Error::WRONG_STATUS)?;//'
mutant 'a dispute is appealed' state/case.rs 's/if task.is_dispute() { 0 } else { rules.appeal_seconds }/rules.appeal_seconds/'
mutant 'the rent of a dispute goes to its respondent' state/task.rs 's/if self.is_dispute() { &self.worker_operator } else { &self.creator }/\&self.creator/'
mutant 'the verdict of a dispute is final at once' state/verdict.rs 's/        (self.subject, self.creator, self.worker) =/        self.is_final = 1;\n        (self.subject, self.creator, self.worker) =/'
mutant 'the verdict says that nobody answered' state/verdict.rs 's/self.joined = task.dispute;//'
mutant 'golden: a challenge by a dispute' instruction/challenge.rs 's/ \&\& !challenge.is_dispute()//'
mutant 'novices: they weigh as much as others' state/roster.rs 's/if rules.credential != APART {/if true {/'
mutant 'novices: each has the whole room' state/roster.rs 's/\*left -= weight;//'
mutant 'novices: a few proven judges are enough' state/roster.rs 's/judges >= rules.min_seats as u32/judges > 0/'
mutant 'novices: a bad record makes room' state/roster.rs 's/entry.stays(rules) \&\& entry.tried() \&\& entry.holds()/entry.stays(rules) \&\& entry.tried()/'
mutant 'novices: they make room for themselves' state/roster.rs 's/entry.stays(rules) \&\& entry.tried() \&\& entry.holds()/entry.stays(rules) \&\& entry.holds()/'
mutant 'golden: the record is not asked' state/roster.rs 's/let free = rules.credential == 0;/let free = true;/'

echo "$found found, $missed missed"
((missed == 0))
