use super::*;

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Shelf {
    head: Head,
    pad: [u8; 2],
    count: u32,
}

impl Record for Shelf {
    const NAME: &'static str = "TestShelf";
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Item {
    stake: u64,
    key: [u8; 32],
}

impl List for Shelf {
    type Item = Item;

    fn items(&self) -> usize {
        self.count as usize
    }
}

/// Data aligned as the runtime aligns it, of `N` words.
fn fresh<const N: usize>() -> [u64; N] {
    let mut words = [0; N];
    stamp::<Shelf>(bytemuck::cast_slice_mut(&mut words), 254).unwrap();
    words
}

#[test]
fn a_record_is_a_view_of_the_data() {
    let mut words = fresh::<2>();
    let data = bytemuck::cast_slice_mut(&mut words);
    record_mut::<Shelf>(data).unwrap().count = 7;
    assert_eq!(record::<Shelf>(data).unwrap().count, 7);
    assert_eq!((data[8], data[9], data[12]), (VERSION, 254, 7));
}

#[test]
fn a_list_is_as_long_as_its_record_says() {
    let mut words = fresh::<12>();
    let data: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    assert_eq!(list::<Shelf>(data).err(), Some(Error::WRONG_ACCOUNT));
    data[12] = 2;
    list_mut::<Shelf>(data).unwrap().1[1].stake = 9;
    assert_eq!(list::<Shelf>(data).unwrap().1[1].stake, 9);
    for length in [0, 8, 12, 15, 16, 56, 88, 95] {
        assert!(list::<Shelf>(&data[..length]).is_err());
        assert!(list_mut::<Shelf>(&mut data[..length]).is_err());
    }
}

#[test]
fn another_kind_version_length_or_alignment_is_refused() {
    let refused = Some(Error::WRONG_ACCOUNT);
    let mut words = fresh::<3>();
    let data: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    assert_eq!(record::<Shelf>(data).err(), refused);
    for length in 0..16 {
        assert_eq!(record::<Shelf>(&data[..length]).err(), refused);
    }
    for at in 0..9 {
        data[at] ^= 1;
        assert_eq!(record::<Shelf>(&data[..16]).err(), refused);
        data[at] ^= 1;
    }
    assert!(record::<Shelf>(&data[..16]).is_ok());
    data.copy_within(0..16, 1);
    assert_eq!(record::<Shelf>(&data[1..17]).err(), refused);
}

#[test]
fn a_record_is_stamped_once() {
    let mut words = fresh::<2>();
    assert_eq!(stamp::<Shelf>(bytemuck::cast_slice_mut(&mut words), 1), Err(Error::ALREADY_EXISTS));
    assert_eq!(stamp::<Shelf>(&mut [0; 9], 1), Err(Error::WRONG_ACCOUNT));
}
