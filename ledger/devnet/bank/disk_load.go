package bank

import (
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

// load reads the chain. If there is no genesis, there is no chain, and the rest of an interrupted
// creation is cleared.
func (d *disk) load() (*saved, error) {
	s := &saved{}
	err := d.db.View(func(txn *badger.Txn) error {
		var err error
		if s.genesis, err = value(txn, []byte(keyGenesis)); err != nil {
			return err
		}
		return s.read(txn)
	})
	if errors.Is(err, badger.ErrKeyNotFound) && s.genesis == nil {
		if err := d.db.DropAll(); err != nil {
			return nil, fmt.Errorf("bank: clear an interrupted creation: %w", err)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("bank: read the chain: %w", err)
	}
	return s, nil
}

func value(txn *badger.Txn, key []byte) ([]byte, error) {
	item, err := txn.Get(key)
	if err != nil {
		return nil, err
	}
	return item.ValueCopy(nil)
}

func (s *saved) read(txn *badger.Txn) error {
	raw, err := value(txn, []byte(keyHead))
	if err != nil {
		return fmt.Errorf("%w: no head: %w", errCorrupt, err)
	}
	if s.head, err = decodeHead(raw); err != nil {
		return err
	}
	for prefix, take := range map[byte]func(key, value []byte) error{
		keyAccount: s.account, keyBlock: s.block, keyRecord: s.record,
	} {
		if err := each(txn, prefix, take); err != nil {
			return err
		}
	}
	return nil
}

// each calls take with all keys of a kind in ascending order, and their values. take may keep both.
func each(txn *badger.Txn, prefix byte, take func(key, value []byte) error) error {
	options := badger.DefaultIteratorOptions
	options.Prefix = []byte{prefix}
	it := txn.NewIterator(options)
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		v, err := it.Item().ValueCopy(nil)
		if err != nil {
			return err
		}
		if err := take(it.Item().KeyCopy(nil)[1:], v); err != nil {
			return err
		}
	}
	return nil
}

func (s *saved) account(key, value []byte) error {
	a, err := decodeAccount(value)
	if err != nil || len(key) != solana.PublicKeyLength {
		return errors.Join(err, errCorrupt)
	}
	s.accounts = append(s.accounts, accounts.Keyed{Key: solana.PublicKey(key), Account: a})
	return nil
}

func (s *saved) block(_, value []byte) error {
	b, err := decodeBlock(value)
	s.blocks = append(s.blocks, b)
	return err
}

func (s *saved) record(_, value []byte) error {
	s.records = append(s.records, value)
	return nil
}
