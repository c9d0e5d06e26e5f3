// Vouchers: the payments of one agent to another for data.

import { number } from '../lib/bytes.mjs';
import { voucher } from './rule.mjs';

/** What the payer promised in the instruction before, or undefined. */
function promised(m, network, deal) {
  const signatures = m.chain.before;
  if (signatures?.length !== 1) return undefined;
  const [{ key, message }] = signatures;
  if (key !== deal.payer || message.length !== 154) return undefined;
  const terms = { cumulative: number(message, 138), expires: BigInt.asIntN(64, number(message, 146)) };
  const same = Buffer.compare(message, voucher(network, m.chain.program, { ...deal, ...terms })) === 0;
  return same ? terms : undefined;
}

export const payments = {
  pull_payment(m) {
    const { network } = m.chain.get(m.at.config);
    const [from, to] = [m.at.payer_agent, m.at.payee_agent];
    m.need(from !== to, 'DuplicateAccount');
    const [payer, payee] = [m.open('payer_agent'), m.open('payee_agent')];
    const deal = { payer: payer.authority, payee: payee.authority };
    const paid = m.chain.get(m.at.channel)?.paid ?? 0n;
    const terms = promised(m, network, deal);
    m.need(terms, 'BadVoucher');
    m.need(m.now < terms.expires, 'VoucherExpired');
    m.need(terms.cumulative > paid, 'VoucherSpent');
    m.need(payer.vault > 0n, 'VaultEmpty');
    const owed = terms.cumulative - paid;
    const amount = owed < payer.vault ? owed : payer.vault;
    const fresh = { kind: 'Channel', bump: m.at.bumps.channel, ...deal };
    const channel = m.chain.get(m.at.channel) ? m.open('channel') : m.create('channel', m.at.signer, fresh);
    channel.paid = paid + amount;
    payer.vault -= amount;
    payee.vault += amount;
    m.move(from, to, amount);
    m.log('DataPaid', { ...deal, amount, paid: channel.paid });
  },
};
