// A large Roster at once.

import * as act from './act.mjs';
import { encode } from './account.mjs';
import { NOBODY } from './bytes.mjs';
import { ROSTER } from './court.mjs';
import { SOL, peer } from './world.mjs';

/** Puts `count` judges on the Roster without their transactions. */
export async function enroll(scene, count, stake = () => SOL) {
  const roster = scene.roster();
  for (let i = 0; i < count; i++) {
    roster.entries.push({
      authority: await act.key(`j${i}`), peer: peer(`j${i}`).address, operator: NOBODY,
      withdraw: await act.key(`j${i}`), stake: stake(i), rewards: 0n, locked: 0n,
      exit_at: 0n, joined_at: scene.time, seated: 0, majority: 0, minority: 0, absent: 0, abstained: 0, equivocated: 0, live: 0, state: 1, right: 0, wrong: 0, seen: 0, since: 0,
      owned: 0, weight: 0n, weight_before: 0n, exit_slot: 0n,
    });
  }
  roster.count = roster.entries.length;
  roster.active += count;
  roster.total_stake = roster.entries.reduce((sum, entry) => sum + entry.stake, 0n);
  const data = encode(roster);
  const account = scene.raw(ROSTER.address);
  scene.set({ ...account, data, lamports: scene.rent(data.length) + roster.total_stake + roster.total_rewards });
  await scene.ok({ name: 'begin_season', units: 400_000 });
}
