use super::*;
use bytemuck::{Pod, Zeroable};
use pinocchio::account::{NOT_BORROWED, RuntimeAccount};

const PROGRAM: Address = Address::new_from_array([1; 32]);

/// An account in the runtime's layout with sixteen bytes of data and room for sixteen more.
#[repr(C)]
struct Fixture {
    header: RuntimeAccount,
    data: [u64; 4],
}

impl Fixture {
    fn new() -> Self {
        let header = RuntimeAccount {
            borrow_state: NOT_BORROWED,
            is_signer: 1,
            is_writable: 1,
            padding: 16u32.to_le_bytes(),
            owner: PROGRAM,
            lamports: 100,
            data_len: 16,
            ..RuntimeAccount::default()
        };
        Fixture { header, data: [u64::from_le_bytes(Counter::KIND), 5, 6, 7] }
    }

    fn view(&mut self) -> AccountView {
        // SAFETY: the data follows the header, and both outlive the view in every test.
        unsafe { AccountView::new_unchecked((&raw mut *self).cast()) }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Counter {
    kind: [u8; 8],
    count: u64,
}

impl Record for Counter {
    const KIND: [u8; 8] = *b"counter\0";
}

#[test]
fn flags_owner_address_and_length_are_checked() {
    let mut fixture = Fixture::new();
    let account = fixture.view();
    assert_eq!(signer(&account), Ok(()));
    assert_eq!(writable(&account), Ok(()));
    assert_eq!(owned(&account, &PROGRAM), Ok(()));
    assert_eq!(address(&account, &Address::default()), Ok(()));
    assert_eq!(length(&account, 16), Ok(()));

    fixture.header.is_signer = 0;
    fixture.header.is_writable = 0;
    let account = fixture.view();
    assert_eq!(signer(&account), Err(Error::MISSING_SIGNATURE));
    assert_eq!(writable(&account), Err(Error::NOT_WRITABLE));
    assert_eq!(owned(&account, &Address::default()), Err(Error::WRONG_OWNER));
    assert_eq!(address(&account, &PROGRAM), Err(Error::WRONG_ADDRESS));
    assert_eq!(length(&account, 15), Err(Error::WRONG_LENGTH));
}

#[test]
fn one_account_in_two_roles_is_refused() {
    let (mut one, mut two) = (Fixture::new(), Fixture::new());
    assert_eq!(distinct(&[one.view(), two.view()]), Ok(()));
    assert_eq!(distinct(&[one.view(), two.view(), one.view()]), Err(Error::DUPLICATE_ACCOUNT));
    assert_eq!(distinct(&[one.view(), one.view()]), Err(Error::DUPLICATE_ACCOUNT));
}

#[test]
fn a_record_is_lent_once() {
    let mut fixture = Fixture::new();
    let (mut first, second) = (fixture.view(), fixture.view());
    let mut counter = record_mut::<Counter>(&mut first, &PROGRAM).unwrap();
    counter.count += 1;
    assert_eq!(record::<Counter>(&second, &PROGRAM).err(), Some(Error::BORROWED));
    drop(counter);
    assert_eq!(record::<Counter>(&second, &PROGRAM).unwrap().count, 6);
}

#[test]
fn a_refused_record_is_not_left_borrowed() {
    let mut fixture = Fixture::new();
    fixture.data[0] = 0;
    let mut account = fixture.view();
    assert_eq!(record_mut::<Counter>(&mut account, &PROGRAM).err(), Some(Error::WRONG_KIND));
    assert_eq!(data_mut::<Counter>(&mut account, &PROGRAM).err(), Some(Error::WRONG_KIND));
    assert!(!account.is_borrowed());
}

#[test]
fn a_stranger_s_record_is_refused() {
    let mut fixture = Fixture::new();
    fixture.header.owner = Address::default();
    let mut account = fixture.view();
    assert_eq!(record::<Counter>(&account, &PROGRAM).err(), Some(Error::WRONG_OWNER));
    assert_eq!(record_mut::<Counter>(&mut account, &PROGRAM).err(), Some(Error::WRONG_OWNER));
    assert_eq!(data::<Counter>(&account, &PROGRAM).err(), Some(Error::WRONG_OWNER));
}

#[test]
fn a_read_only_record_is_not_changed() {
    let mut fixture = Fixture::new();
    fixture.header.is_writable = 0;
    let mut account = fixture.view();
    assert_eq!(record_mut::<Counter>(&mut account, &PROGRAM).err(), Some(Error::NOT_WRITABLE));
    assert_eq!(data_mut::<Counter>(&mut account, &PROGRAM).err(), Some(Error::NOT_WRITABLE));
    assert_eq!(record::<Counter>(&account, &PROGRAM).unwrap().count, 5);
}

#[test]
fn new_bytes_are_zero() {
    let mut fixture = Fixture::new();
    let mut account = fixture.view();
    grow(&mut account, 16).unwrap();
    let data = data::<Counter>(&account, &PROGRAM).unwrap();
    assert_eq!(data[16..], [0; 16]);
    drop(data);
    assert_eq!(grow(&mut account, 10_241), Err(Error::WRONG_LENGTH));
}

#[test]
fn lamports_are_conserved() {
    let (mut from, mut to) = (Fixture::new(), Fixture::new());
    let (mut source, mut target) = (from.view(), to.view());
    assert_eq!(pay(&mut source, &mut target, 101), Err(Error::INSUFFICIENT_LAMPORTS));
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
    close(&mut source, &mut target).unwrap();
    assert_eq!((source.lamports(), source.data_len(), target.lamports()), (0, 0, 200));
    assert_eq!(source.owner(), &Address::default());
    let mut same = target;
    assert_eq!(close(&mut target, &mut same), Err(Error::DUPLICATE_ACCOUNT));
}
