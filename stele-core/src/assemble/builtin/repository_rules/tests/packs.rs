//! Packs: objects beside and on top of each other, and packs that lie about what is in them.

use gix_hash::{Kind as HashKind, ObjectId};
use proptest::prelude::*;

use super::*;

/// Kinds of entries in a pack, by their numbers.
const COMMIT: u8 = 1;
const TREE: u8 = 2;
const BLOB: u8 = 3;
const ON_TOP_OF_OFFSET: u8 = 6;
const ON_TOP_OF_NAME: u8 = 7;

fn sha1(bytes: &[u8]) -> ObjectId {
    let mut hasher = gix_hash::hasher(HashKind::Sha1);
    hasher.update(bytes);
    hasher.try_finalize().expect("no collision is known of these bytes")
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 }))
}

/// Bytes in the form of zlib, not made smaller.
pub(super) fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let mut chunks = bytes.chunks(65_535).peekable();
    if chunks.peek().is_none() {
        out.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(chunk) = chunks.next() {
        let length = u16::try_from(chunk.len()).expect("chunks are that long at most");
        out.push(u8::from(chunks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(chunk);
    }
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    out.extend(((b << 16) | a).to_be_bytes());
    out
}

/// Numbers of seven bits, the lowest first.
fn sevens(mut number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        out.push(if number > 0 { low | 0x80 } else { low });
        if number == 0 {
            return out;
        }
    }
}

/// What makes one text of another: so many bytes of the beginning of the old one, then new bytes.
fn change(old: u64, kept: u8, added: &[u8]) -> Vec<u8> {
    let mut out = sevens(old);
    out.extend(sevens(u64::from(kept) + added.len() as u64));
    out.extend([0x90, kept]);
    out.push(u8::try_from(added.len()).expect("short"));
    out.extend(added);
    out
}

/// A pack under way.
#[derive(Default)]
struct Pack {
    bytes: Vec<u8>,
    entries: Vec<(ObjectId, u64, u32)>,
}

impl Pack {
    /// Adds an entry that claims a size, and gives its offset.
    fn add(&mut self, id: ObjectId, kind: u8, claimed: u64, base: &[u8], data: &[u8]) -> u64 {
        let at = self.bytes.len();
        let offset = (at + 12) as u64;
        let rest = claimed >> 4;
        self.bytes.push((kind << 4) | (claimed & 15) as u8 | if rest > 0 { 0x80 } else { 0 });
        if rest > 0 {
            self.bytes.extend(sevens(rest));
        }
        self.bytes.extend(base);
        self.bytes.extend(stored(data));
        let crc = crc32(&self.bytes[at..]);
        self.entries.push((id, offset, crc));
        offset
    }

    fn object(&mut self, kind: u8, data: &[u8]) -> (ObjectId, u64) {
        let id = name(kind, data);
        (id, self.add(id, kind, data.len() as u64, &[], data))
    }

    /// Writes the pack and its index into a repository.
    fn write(self, written: &Written) {
        let count = u32::try_from(self.entries.len()).expect("few");
        let mut pack = [b"PACK".as_slice(), &2u32.to_be_bytes(), &count.to_be_bytes(), &self.bytes].concat();
        let sum = sha1(&pack);
        pack.extend(sum.as_slice());
        let mut entries = self.entries;
        entries.sort_by_key(|(id, ..)| *id);
        let mut index = [[0xff, b't', b'O', b'c'], 2u32.to_be_bytes()].concat();
        for first in 0..=255u8 {
            let below = entries.iter().filter(|(id, ..)| id.as_slice()[0] <= first).count();
            index.extend(u32::try_from(below).expect("few").to_be_bytes());
        }
        index.extend(entries.iter().flat_map(|(id, ..)| id.as_slice().to_vec()));
        index.extend(entries.iter().flat_map(|(.., crc)| crc.to_be_bytes()));
        index.extend(entries.iter().flat_map(|(_, offset, _)| u32::try_from(*offset).expect("a small pack").to_be_bytes()));
        index.extend(sum.as_slice());
        let sum = sha1(&index);
        index.extend(sum.as_slice());
        let folder = written.git_dir.join("objects/pack");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("pack-1.pack"), pack).expect("a pack");
        std::fs::write(folder.join("pack-1.idx"), index).expect("an index");
    }
}

fn name(kind: u8, data: &[u8]) -> ObjectId {
    let word = match kind {
        COMMIT => "commit",
        TREE => "tree",
        _ => "blob",
    };
    sha1(&[format!("{word} {}\0", data.len()).as_bytes(), data].concat())
}

/// Adds a commit of one file to a pack.
fn commit_in(pack: &mut Pack, file: ObjectId) -> ObjectId {
    let (tree, _) = pack.object(TREE, &[b"100644 AGENTS.md\0", file.as_slice()].concat());
    pack.object(COMMIT, format!("tree {tree}\nauthor A <a> 0 +0000\ncommitter A <a> 0 +0000\n\n").as_bytes()).0
}

/// How far back an entry's base stands.
fn back(from: u64, to: u64) -> Vec<u8> {
    let mut distance = from - to;
    let mut out = vec![(distance & 0x7f) as u8];
    while distance >> 7 > 0 {
        distance = (distance >> 7) - 1;
        out.insert(0, 0x80 | (distance & 0x7f) as u8);
    }
    out
}

#[test]
fn packed_objects_are_read_whether_they_are_whole_or_changes_of_others() {
    let (folder, written) = project();
    let mut pack = Pack::default();
    let (base, at) = pack.object(BLOB, b"Never push.\nUse tabs.\n");
    let second = name(BLOB, b"Never push.\nUse spaces.\n");
    let by_offset = back(pack.bytes.len() as u64 + 12, at);
    let delta = change(22, 16, b"spaces.\n");
    pack.add(second, ON_TOP_OF_OFFSET, delta.len() as u64, &by_offset, &delta);
    let third = name(BLOB, b"Never push.\nAsk.\n");
    let delta = change(24, 12, b"Ask.\n");
    pack.add(third, ON_TOP_OF_NAME, delta.len() as u64, second.as_slice(), &delta);
    for (file, text) in [(base, "Never push.\nUse tabs."), (second, "Never push.\nUse spaces."), (third, "Never push.\nAsk.")] {
        let commit = commit_in(&mut pack, file);
        let copy = Pack { bytes: pack.bytes.clone(), entries: pack.entries.clone() };
        copy.write(&written);
        written.set("refs/heads/main", commit);
        assert_eq!(told(&ask(folder.path())), [("AGENTS.md", text)]);
    }
    let id = second.to_string();
    let short = RepositoryRules::new(folder.path().to_path_buf(), Some(id[..8].to_owned()), Vec::new());
    assert!(fault(&short).contains("no branch, tag or commit"));
}

/// What becomes of a packed file that lies.
fn lie(add: impl FnOnce(&mut Pack) -> ObjectId) -> Vec<String> {
    let (folder, written) = project();
    let mut pack = Pack::default();
    let file = add(&mut pack);
    let commit = commit_in(&mut pack, file);
    pack.write(&written);
    written.set("refs/heads/main", commit);
    let supply = ask(folder.path());
    assert!(supply.entries.is_empty());
    supply.warnings
}

#[test]
fn a_pack_that_claims_more_than_is_allowed_is_not_unpacked() {
    let id = name(BLOB, b"x");
    let size = 1 << 30;
    assert_eq!(
        lie(|pack| {
            pack.add(id, BLOB, size, &[], b"x");
            id
        }),
        [format!("AGENTS.md has {size} bytes, and more than 262144 are not read")]
    );
    // A change that claims to make a large file of a small one.
    let claims = |pack: &mut Pack| {
        let (base, _) = pack.object(BLOB, b"base");
        let delta = [sevens(4), sevens(size), vec![0x90, 4]].concat();
        pack.add(id, ON_TOP_OF_NAME, delta.len() as u64, base.as_slice(), &delta);
        id
    };
    assert_eq!(lie(claims), [format!("AGENTS.md has {size} bytes, and more than 262144 are not read")]);
    // A small file made of one that is too large.
    let from_large = |pack: &mut Pack| {
        let base = name(BLOB, b"large");
        pack.add(base, BLOB, size, &[], b"x");
        let delta = [sevens(size), sevens(4), vec![0x90, 4]].concat();
        pack.add(id, ON_TOP_OF_NAME, delta.len() as u64, base.as_slice(), &delta);
        id
    };
    let told = lie(from_large);
    assert!(told[0].starts_with("AGENTS.md cannot be read: ") && told[0].contains("too large"), "{told:?}");
}

#[test]
fn a_pack_whose_changes_go_in_a_ring_or_lack_their_base_is_told() {
    let (one, two) = (name(BLOB, b"one"), name(BLOB, b"two"));
    let delta = change(4, 4, b"x");
    let ring = |pack: &mut Pack| {
        pack.add(one, ON_TOP_OF_NAME, delta.len() as u64, two.as_slice(), &delta);
        pack.add(two, ON_TOP_OF_NAME, delta.len() as u64, one.as_slice(), &delta);
        one
    };
    assert!(lie(ring)[0].starts_with("AGENTS.md cannot be read"));
    let alone = |pack: &mut Pack| {
        pack.add(one, ON_TOP_OF_NAME, delta.len() as u64, two.as_slice(), &delta);
        one
    };
    assert!(lie(alone)[0].starts_with("AGENTS.md cannot be read"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn damage_is_told_and_never_more_than_a_fault(places in prop::collection::vec((0usize..4, any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let (folder, written) = project();
        let mut pack = Pack::default();
        let (base, _) = pack.object(BLOB, b"Never push.\nUse tabs.\n");
        let second = name(BLOB, b"Never push.\nAsk.\n");
        let delta = change(22, 12, b"Ask.\n");
        pack.add(second, ON_TOP_OF_NAME, delta.len() as u64, base.as_slice(), &delta);
        let commit = commit_in(&mut pack, second);
        pack.write(&written);
        written.set("refs/heads/main", commit);
        std::fs::write(written.git_dir.join("packed-refs"), format!("# pack-refs with: peeled fully-peeled sorted \n{commit} refs/heads/other\n")).expect("names");
        for (file, at, byte) in places {
            let path = written.git_dir.join(["objects/pack/pack-1.pack", "objects/pack/pack-1.idx", "refs/heads/main", "packed-refs"][file]);
            let mut bytes = std::fs::read(&path).expect("a file");
            let at = at.index(bytes.len());
            bytes[at] = byte;
            std::fs::write(&path, bytes).expect("damage");
        }
        for base in [None, Some("other".to_owned()), Some(commit.to_string()[..6].to_owned())] {
            // Whatever it answers, it answers.
            _ = RepositoryRules::new(folder.path().to_path_buf(), base, Vec::new()).fetch(&plenty());
        }
    }
}
