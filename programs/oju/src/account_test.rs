use super::*;
use crate::layout::Head;
use bytemuck::{Pod, Zeroable};
use pinocchio::account::{NOT_BORROWED, RuntimeAccount};

const PROGRAM: Address = Address::new_from_array([1; 32]);

/// An account in the runtime's layout with 24 bytes of data and room for sixteen more.
#[repr(C)]
struct Fixture {
    header: RuntimeAccount,
    data: [u64; 5],
}

impl Fixture {
    fn new() -> Self {
        let header = RuntimeAccount {
            borrow_state: NOT_BORROWED,
            is_signer: 1,
            is_writable: 1,
            padding: 24u32.to_le_bytes(),
            owner: PROGRAM,
            lamports: 100,
            data_len: 24,
            ..RuntimeAccount::default()
        };
        Fixture { header, data: [u64::from_le_bytes(Counter::KIND), layout::VERSION as u64, 5, 6, 7] }
    }

    fn with(is_signer: u8, is_writable: u8) -> Self {
        let mut fixture = Self::new();
        (fixture.header.is_signer, fixture.header.is_writable) = (is_signer, is_writable);
        fixture
    }

    fn view(&mut self) -> AccountView {
        // SAFETY: the data follows the header, and both outlive the view in every test.
        unsafe { AccountView::new_unchecked((&raw mut *self).cast()) }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Counter {
    head: Head,
    pad: [u8; 6],
    count: u64,
}

impl Record for Counter {
    const NAME: &'static str = "TestCounter";
}

/// It may be anywhere but at the address of zeros and ones.
impl Located for Counter {
    fn locate(&self, account: &AccountView, _: &Address) -> Outcome {
        require(account.address() != &PROGRAM, Error::WRONG_ADDRESS)
    }
}

#[test]
fn accounts_are_taken_in_their_roles() {
    let (mut plain, mut signs, mut written, mut both) =
        (Fixture::with(0, 0), Fixture::with(1, 0), Fixture::with(0, 1), Fixture::with(1, 1));
    let all = [plain.view(), signs.view(), written.view(), both.view()];
    let err = |roles| take::<4>(&all, roles).err();
    assert_eq!(err([R, S, W, SW]), None);
    assert_eq!(err([S, S, W, SW]), Some(Error::NOT_SIGNER));
    assert_eq!(err([W, S, W, SW]), Some(Error::NOT_WRITABLE));
    assert_eq!(err([W, S, SW, SW]), Some(Error::NOT_SIGNER));
    assert_eq!(take::<5>(&all, [R; 5]).err(), Some(Error::NOT_ENOUGH_ACCOUNTS));
    assert_eq!(take::<1>(&all, [R]).unwrap(), [all[0]]);
}

#[test]
fn one_account_in_two_writable_roles_is_refused() {
    let (mut one, mut two) = (Fixture::new(), Fixture::new());
    let all = [one.view(), two.view(), one.view()];
    let err = |roles| take::<3>(&all, roles).err();
    assert_eq!(err([W, W, W]), Some(Error::DUPLICATE_ACCOUNT));
    assert_eq!(err([SW, R, W]), Some(Error::DUPLICATE_ACCOUNT));
    assert_eq!(err([W, W, R]), None);
    assert_eq!(err([S, W, R]), None);
    assert!(take_any::<3>(&all, [W, W, W]).is_ok());
}

#[test]
fn owner_address_and_system_are_checked() {
    let mut fixture = Fixture::new();
    let account = fixture.view();
    assert_eq!((owned(&account, &PROGRAM), system(&account)), (Ok(()), Ok(())));
    assert_eq!(address(&account, &Address::default()), Ok(()));
    assert_eq!(owned(&account, &Address::default()), Err(Error::WRONG_OWNER));
    assert_eq!(address(&account, &PROGRAM), Err(Error::WRONG_ADDRESS));
    fixture.header.address = PROGRAM;
    assert_eq!(system(&fixture.view()), Err(Error::WRONG_OWNER));
}

#[test]
fn a_record_is_lent_once() {
    let mut fixture = Fixture::new();
    let (mut first, mut second) = (fixture.view(), fixture.view());
    let mut counter = open::<Counter>(&mut first, &PROGRAM).unwrap();
    counter.count += 1;
    assert_eq!(read::<Counter>(&second, &PROGRAM).err(), Some(Error::DUPLICATE_ACCOUNT));
    assert_eq!(open::<Counter>(&mut second, &PROGRAM).err(), Some(Error::DUPLICATE_ACCOUNT));
    drop(counter);
    assert_eq!(read::<Counter>(&second, &PROGRAM).unwrap().count, 6);
}

#[test]
fn a_refused_record_is_not_left_borrowed() {
    let mut fixture = Fixture::new();
    fixture.data[0] = 0;
    let mut account = fixture.view();
    assert_eq!(read::<Counter>(&account, &PROGRAM).err(), Some(Error::WRONG_ACCOUNT));
    assert_eq!(open::<Counter>(&mut account, &PROGRAM).err(), Some(Error::WRONG_ACCOUNT));
    assert!(!account.is_borrowed());
    let mut fixture = Fixture::new();
    fixture.header.address = PROGRAM;
    let mut account = fixture.view();
    assert_eq!(read::<Counter>(&account, &PROGRAM).err(), Some(Error::WRONG_ADDRESS));
    assert_eq!(open::<Counter>(&mut account, &PROGRAM).err(), Some(Error::WRONG_ADDRESS));
    assert!(!account.is_borrowed());
}

#[test]
fn a_stranger_s_record_is_refused() {
    let mut fixture = Fixture::new();
    fixture.header.owner = Address::default();
    let mut account = fixture.view();
    assert_eq!(read::<Counter>(&account, &PROGRAM).err(), Some(Error::WRONG_OWNER));
    assert_eq!(open::<Counter>(&mut account, &PROGRAM).err(), Some(Error::WRONG_OWNER));
}

#[test]
fn new_bytes_are_zero() {
    let mut fixture = Fixture::new();
    let mut account = fixture.view();
    resize(&mut account, 40).unwrap();
    assert_eq!(account.try_borrow().unwrap()[24..], [0; 16]);
    assert_eq!(resize(&mut account, 24 + 10_241), Err(Error::DATA_TOO_LARGE));
    let lent = account.try_borrow().unwrap();
    assert_eq!(resize(&mut account.clone(), 24), Err(Error::DUPLICATE_ACCOUNT));
    drop(lent);
}

#[test]
fn lamports_are_conserved() {
    let (mut from, mut to) = (Fixture::new(), Fixture::new());
    let (mut source, mut target) = (from.view(), to.view());
    assert_eq!(pay(&mut source, &mut target, 101), Err(Error::OVERFLOW));
    pay(&mut source, &mut target, 60).unwrap();
    assert_eq!((source.lamports(), target.lamports()), (40, 160));
    let mut same = source;
    pay(&mut source, &mut same, 30).unwrap();
    assert_eq!(source.lamports(), 40);
    target.set_lamports(u64::MAX);
    assert_eq!(pay(&mut source, &mut target, 1), Err(Error::OVERFLOW));
    assert_eq!(source.lamports(), 40);
}

#[test]
fn a_closed_account_is_empty_and_the_system_s() {
    let (mut from, mut to) = (Fixture::new(), Fixture::new());
    let (mut source, mut target) = (from.view(), to.view());
    assert_eq!(close(&mut source, &mut target), Ok(100));
    assert_eq!((source.lamports(), source.data_len(), target.lamports()), (0, 0, 200));
    assert_eq!(source.owner(), &Address::default());
    let mut same = target;
    assert_eq!(close(&mut target, &mut same), Err(Error::DUPLICATE_ACCOUNT));
}
