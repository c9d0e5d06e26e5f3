"""Drives the chain with solders: the types of Agave's own RPC, in Python."""

import json
import os
import time
import urllib.request

from solders.account_decoder import UiAccountEncoding, UiDataSliceConfig
from solders.commitment_config import CommitmentLevel
from solders.hash import Hash
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.rpc import requests
from solders.rpc.config import (RpcAccountInfoConfig, RpcContextConfig, RpcProgramAccountsConfig,
                                RpcSendTransactionConfig, RpcSimulateTransactionConfig,
                                RpcTransactionConfig)
from solders.rpc.responses import (GetAccountInfoResp, GetBalanceResp, GetGenesisHashResp,
                                   GetLatestBlockhashResp, GetMultipleAccountsResp,
                                   GetProgramAccountsResp, GetSignatureStatusesResp,
                                   GetTransactionResp, RequestAirdropResp,
                                   SendTransactionPreflightFailureMessage, SendTransactionResp,
                                   SimulateTransactionResp)
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction
from solders.transaction_status import TransactionConfirmationStatus

SOL = 1_000_000_000
CHAIN = json.loads(os.environ["OJUD_E2E"])
PROGRAM = Pubkey.from_string(CHAIN["program"])
CONFIRMED = CommitmentLevel.Confirmed
LANDED = (TransactionConfirmationStatus.Confirmed, TransactionConfirmationStatus.Finalized)


def ask(request, kind):
    """Sends a request as solders writes it, and reads the answer with Agave's types."""
    call = urllib.request.Request(CHAIN["rpc"], request.to_json().encode(),
                                  {"Content-Type": "application/json"})
    with urllib.request.urlopen(call, timeout=20) as answer:
        out = kind.from_json(answer.read().decode())
    return out


def value(request, kind):
    out = ask(request, kind)
    assert isinstance(out, kind), out
    return out.value


def confirmed(signature):
    for _ in range(400):
        status = value(requests.GetSignatureStatuses([signature]), GetSignatureStatusesResp)[0]
        if status is not None and status.confirmation_status in LANDED:
            return status
        time.sleep(0.025)
    raise AssertionError(f"{signature} does not land")


def signed(payer, *instructions):
    latest = value(requests.GetLatestBlockhash(RpcContextConfig(CONFIRMED)), GetLatestBlockhashResp)
    message = MessageV0.try_compile(payer.pubkey(), list(instructions), [], latest.blockhash)
    return VersionedTransaction(message, [payer])


def transactions():
    payer, friend = Keypair(), Keypair().pubkey()
    confirmed(value(requests.RequestAirdrop(payer.pubkey(), 10 * SOL), RequestAirdropResp))
    pay = transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=friend, lamports=SOL))
    options = RpcSendTransactionConfig(preflight_commitment=CONFIRMED)
    request = requests.SendVersionedTransaction(signed(payer, pay), options)
    sent = value(request, SendTransactionResp)
    assert confirmed(sent).err is None
    balance = requests.GetBalance(friend, RpcContextConfig(CONFIRMED))
    assert value(balance, GetBalanceResp) == SOL
    found = value(requests.GetTransaction(sent, RpcTransactionConfig(
        commitment=CONFIRMED, max_supported_transaction_version=0)), GetTransactionResp)
    assert found.transaction.meta.fee == 5000 and found.transaction.meta.err is None
    print("ok - airdrop, transfer, status, transaction")

    fails = signed(payer, Instruction(PROGRAM, b"", []))
    told = ask(requests.SendVersionedTransaction(fails, options), SendTransactionResp)
    assert isinstance(told, SendTransactionPreflightFailureMessage), told
    assert told.data.err is not None and told.data.logs
    request = requests.SimulateVersionedTransaction(
        signed(payer, pay), RpcSimulateTransactionConfig(commitment=CONFIRMED))
    tried = value(request, SimulateTransactionResp)
    assert tried.err is None and tried.units_consumed == 150
    print("ok - preflight and simulation")


def accounts():
    data = {bytes([1, i]) + bytes(30): d for i, d in enumerate(
        (b"\0\0\0\0\1\0\0\0\0", b"\0\0\0\0\2\0\0\0\0", b"\0\0\0\0\2"))}
    keys = [Pubkey(k) for k in data]
    kind = UiAccountEncoding
    for encoding in (kind.Base58, kind.Base64, kind.Base64Zstd):
        for offset, length in ((0, 9), (0, 5), (4, 3), (4, 100), (9, 1), (0, 0), (1 << 40, 1)):
            config = RpcAccountInfoConfig(encoding, UiDataSliceConfig(offset, length), CONFIRMED)
            want = [d[offset:offset + length] for d in data.values()]
            one = value(requests.GetAccountInfo(keys[0], config), GetAccountInfoResp)
            several = value(requests.GetMultipleAccounts(keys, config), GetMultipleAccountsResp)
            listed = value(requests.GetProgramAccounts(PROGRAM, RpcProgramAccountsConfig(config)),
                           GetProgramAccountsResp)
            listed = {bytes(k.pubkey): k.account.data for k in listed}
            place = f"{length} from {offset} in {encoding}"
            assert one.data == want[0], place
            assert [a.data for a in several] == want, place
            assert [listed[k] for k in data] == want, place
    nobody = value(requests.GetAccountInfo(Keypair().pubkey()), GetAccountInfoResp)
    assert nobody is None
    print("ok - accounts and their parts")


genesis = value(requests.GetGenesisHash(), GetGenesisHashResp)
assert genesis == Hash.from_string(CHAIN["genesis"])
transactions()
accounts()
