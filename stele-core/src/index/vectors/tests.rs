use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::manifest::{MANIFEST, NEXT_MANIFEST};
use super::scan::{Means, search_with};
use super::writer::Step;
use super::*;
use crate::base::error::{Code, Error};
use crate::base::node_set::NodeSet;
use crate::base::time::Deadline;
use crate::index::simd::{Kernel, dot_exact};

const RECORD: &str = "record-1";
const EMBEDDER: &str = "test-48";
const DIMENSIONS: usize = 48;

/// The state of a log: for every number its units.
type State = BTreeMap<u64, Vec<(u32, Vec<f32>)>>;
/// One change of the log: the number and its units from now on.
type Change = (u64, Vec<(u32, Vec<f32>)>);

struct Source(u64);

impl Source {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn vector(&mut self) -> Vec<f32> {
        let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| self.next() as f32 / (1_u64 << 30) as f32 - 1.0).collect();
        let length = dot_exact(&vector, &vector).sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
        vector
    }
}

/// A log with rewritten numbers, removals, long documents and vectors that are equal to one another.
fn log(changes: usize) -> Vec<Change> {
    let mut source = Source(5);
    let twin = source.vector();
    let change = |nth: usize| {
        let number = 1 + source.next() % (changes as u64 * 2 / 3);
        let units = match nth % 11 {
            3 => 0,
            5 => 9,
            7 => 3,
            _ => 1,
        };
        let vector = |source: &mut Source| if nth.is_multiple_of(5) { twin.clone() } else { source.vector() };
        (number, (0..units).map(|ordinal| (ordinal, vector(&mut source))).collect())
    };
    (0..changes).map(change).collect()
}

fn borrowed(units: &[(u32, Vec<f32>)]) -> Vec<(u32, &[f32])> {
    units.iter().map(|(ordinal, vector)| (*ordinal, &vector[..])).collect()
}

fn state(log: &[Change]) -> State {
    log.iter().cloned().collect()
}

fn tail_of(log: &[Change]) -> VectorTail {
    let mut tail = VectorTail::new(DIMENSIONS);
    for (number, units) in log {
        tail.replace(*number, &borrowed(units));
    }
    tail
}

fn writer(dir: &Path) -> VectorWriter {
    VectorWriter::open_or_create(dir, RECORD, EMBEDDER, DIMENSIONS).expect("a folder to write in")
}

fn open(dir: &Path) -> Result<VectorIndex, String> {
    VectorIndex::open(dir, RECORD, EMBEDDER, DIMENSIONS)
}

fn write(dir: &Path, log: &[Change], sequence: u64) {
    let mut writer = writer(dir);
    for (number, units) in log {
        writer.replace(*number, &borrowed(units)).expect("room");
    }
    writer.commit(sequence).expect("a commit");
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn segment_of(dir: &Path) -> PathBuf {
    files(dir).into_iter().find(|path| path.extension().is_some_and(|ext| ext == "vec")).expect("a segment")
}

/// How many units are live.
fn live(index: &VectorIndex) -> usize {
    let live = |segment: &super::segment::Segment| segment.numbers().filter(|number| !segment.superseded.contains(*number)).count();
    index.segments().iter().map(live).sum()
}

/// What a search must give, by the definition: every number at its nearest unit, in full precision.
fn by_hand(state: &State, query: &[f32], allowed: &NodeSet, limit: usize) -> Vec<VectorHit> {
    let nearest = |(&number, units): (&u64, &Vec<(u32, Vec<f32>)>)| {
        let scored = units.iter().map(|(ordinal, vector)| VectorHit { number, ordinal: *ordinal, cosine: dot_exact(query, vector).clamp(-1.0, 1.0) });
        scored.reduce(|best, hit| if hit.cosine > best.cosine { hit } else { best })
    };
    let mut hits: Vec<_> = state.iter().filter(|(number, _)| allowed.contains(**number)).filter_map(nearest).collect();
    hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.number.cmp(&b.number)));
    hits.truncate(limit);
    hits
}

fn bits(hits: &[VectorHit]) -> Vec<(u64, u32, u32)> {
    hits.iter().map(|hit| (hit.number, hit.ordinal, hit.cosine.to_bits())).collect()
}

fn everything() -> NodeSet {
    NodeSet::up_to(100_000)
}

#[test]
fn a_search_gives_what_the_definition_says() {
    let log = log(400);
    let tail = tail_of(&log);
    let odd: NodeSet = (0..400).filter(|number| number % 2 == 1).collect();
    let mut source = Source(99);
    for _ in 0..20 {
        let query = source.vector();
        for allowed in [&everything(), &odd] {
            for limit in [1, 10, 30] {
                let found = search(None, &tail, &query, allowed, limit, Deadline::NEVER);
                assert!(found.complete);
                assert_eq!(found.visited, tail.numbers.len() as u64);
                assert_eq!(bits(&found.hits), bits(&by_hand(&state(&log), &query, allowed, limit)));
            }
        }
    }
}

#[test]
fn the_border_between_segments_and_tail_changes_no_bit() {
    let log = log(120);
    let mut source = Source(7);
    let queries: Vec<_> = (0..3).map(|_| source.vector()).chain([log[0].1[0].1.clone()]).collect();
    let odd: NodeSet = (0..400).filter(|number| number % 2 == 1).collect();
    let whole = tail_of(&log);
    let dir = tempfile::tempdir().expect("a folder");
    // Every border, with whatever segments the commits so far have left behind.
    for border in 0..=log.len() {
        let mut writer = writer(dir.path());
        if border > 0 {
            let (number, units) = &log[border - 1];
            writer.replace(*number, &borrowed(units)).expect("room");
        }
        writer.commit(border as u64).expect("a commit");
        let index = open(dir.path()).expect("an index");
        let tail = tail_of(&log[border..]);
        for query in &queries {
            for allowed in [&everything(), &odd] {
                let expected = search(None, &whole, query, allowed, 10, Deadline::NEVER);
                let found = search(Some(&index), &tail, query, allowed, 10, Deadline::NEVER);
                assert_eq!(bits(&found.hits), bits(&expected.hits), "border {border}");
            }
        }
        assert_eq!(live(&index), state(&log[..border]).values().map(Vec::len).sum::<usize>(), "border {border}");
        assert!(index.segments().len() <= 8, "{} segments after {border} commits", index.segments().len());
    }
}

#[test]
fn every_kernel_finds_the_same_bits_with_and_without_coarse_rows() {
    let log = log(300);
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), &log[..200], 200);
    let (index, tail) = (open(dir.path()).expect("an index"), tail_of(&log[200..]));
    let mut source = Source(3);
    for _ in 0..20 {
        let query = source.vector();
        let with = |kernel, coarse| bits(&search_with(Means { kernel, coarse }, Some(&index), &tail, &query, &everything(), 10, Deadline::NEVER).hits);
        let plain = with(Kernel::Portable, false);
        for (kernel, coarse) in [(Kernel::best(), false), (Kernel::Portable, true), (Kernel::best(), true)] {
            assert_eq!(plain, with(kernel, coarse), "{kernel:?}, {coarse}");
        }
    }
}

#[test]
fn equal_vectors_at_the_cut_are_taken_by_number() {
    let vector = Source(1).vector();
    let mut log: Vec<Change> = (1..=500).map(|number| (number, vec![(0, vector.clone())])).collect();
    let expected: Vec<u64> = (1..=5).collect();
    for _ in 0..2 {
        log.reverse();
        let found = search(None, &tail_of(&log), &vector, &everything(), 5, Deadline::NEVER);
        assert_eq!(found.hits.iter().map(|hit| hit.number).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_long_document_takes_one_place_and_shows_its_nearest_passage() {
    let mut source = Source(21);
    let query = source.vector();
    let mut passages: Vec<(u32, Vec<f32>)> = (0..500).map(|ordinal| (ordinal, source.vector())).collect();
    passages[321].1 = query.clone();
    let mut log = vec![(7, passages)];
    log.extend((8..30).map(|number| (number, vec![(0, source.vector())])));
    let found = search(None, &tail_of(&log), &query, &everything(), 10, Deadline::NEVER);
    assert_eq!((found.hits[0].number, found.hits[0].ordinal), (7, 321));
    assert_eq!(found.hits.len(), 10);
    assert_eq!(found.hits.iter().filter(|hit| hit.number == 7).count(), 1);
}

#[test]
fn a_number_of_the_tail_without_a_vector_hides_its_row() {
    let log = log(50);
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), &log, 50);
    let index = open(dir.path()).expect("an index");
    let query = Source(3).vector();
    let before = search(Some(&index), &VectorTail::new(DIMENSIONS), &query, &everything(), 3, Deadline::NEVER);
    let mut tail = VectorTail::new(DIMENSIONS);
    tail.replace(before.hits[0].number, &[]);
    let after = search(Some(&index), &tail, &query, &everything(), 2, Deadline::NEVER);
    assert_eq!(bits(&after.hits), bits(&before.hits[1..]));
}

#[test]
fn a_passed_deadline_gives_a_partial_answer_that_says_so() {
    let tail = tail_of(&log(100));
    let found = search(None, &tail, &Source(3).vector(), &everything(), 3, Deadline::after(Duration::ZERO));
    assert_eq!((found.hits.len(), found.complete, found.visited), (0, false, 0));
}

#[test]
fn a_query_of_other_dimensions_or_of_zeros_finds_nothing() {
    let tail = tail_of(&log(100));
    let ask = |query: &[f32]| search(None, &tail, query, &everything(), 3, Deadline::NEVER);
    assert_eq!((ask(&[1.0]).hits.len(), ask(&[1.0]).complete), (0, false));
    assert_eq!((ask(&[0.0; DIMENSIONS]).hits.len(), ask(&[0.0; DIMENSIONS]).complete), (0, true));
}

#[test]
fn an_open_view_keeps_its_answers_and_knows_when_it_is_old() {
    let log = log(200);
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), &log[..100], 100);
    let index = open(dir.path()).expect("an index");
    assert!(index.is_current());
    assert_eq!(index.sequence(), 100);
    let query = Source(3).vector();
    let ask = |index| search(Some(index), &VectorTail::new(DIMENSIONS), &query, &everything(), 10, Deadline::NEVER);
    let before = ask(&index);
    write(dir.path(), &log[100..], 200);
    assert!(!index.is_current());
    assert_eq!(ask(&index), before);
    index.verify().expect("unlinked files stay whole while they are mapped");
    assert_eq!(open(dir.path()).expect("an index").sequence(), 200);
}

#[test]
fn the_index_of_another_record_or_embedder_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), &log(20), 20);
    let reason = |record, embedder, dimensions| VectorIndex::open(dir.path(), record, embedder, dimensions).map(|_| ()).expect_err("not ours");
    assert!(reason("record-2", EMBEDDER, DIMENSIONS).starts_with("foreign: "));
    let empty = tempfile::tempdir().expect("a folder");
    write(empty.path(), &[], 0);
    assert!(VectorIndex::open(empty.path(), "record-2", EMBEDDER, DIMENSIONS).expect_err("not ours").starts_with("foreign: "));
    assert!(reason(RECORD, "other", DIMENSIONS).starts_with("embedder: "));
    assert!(reason(RECORD, EMBEDDER, 256).starts_with("dimensions: "));
    let mut other = VectorWriter::open_or_create(dir.path(), RECORD, "other", 256).expect("a new index in its place");
    assert_eq!(other.sequence(), 0);
    open(dir.path()).expect("the old index stands until the first commit");
    other.commit(0).expect("a commit");
    assert!(open(dir.path()).is_err());
    assert_eq!(files(dir.path()).len(), 1);
}

/// Copies the files of one folder into a new one.
fn copy(from: &Path) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for path in files(from) {
        std::fs::copy(&path, dir.path().join(path.file_name().expect("a name"))).expect("a copy");
    }
    dir
}

#[test]
fn every_damage_is_a_reason_and_the_next_writer_begins_afresh() {
    let log = log(60);
    let (good, foreign) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    write(good.path(), &log, 60);
    let mut other = VectorWriter::open_or_create(foreign.path(), "record-2", EMBEDDER, DIMENSIONS).expect("a folder");
    for (number, units) in &log {
        other.replace(*number, &borrowed(units)).expect("room");
    }
    other.commit(60).expect("a commit");

    type Damage = fn(&Path, &[u8]) -> std::io::Result<()>;
    fn cut_to(path: &Path, length: usize) -> std::io::Result<()> {
        let bytes = std::fs::read(path)?;
        std::fs::write(path, &bytes[..length.min(bytes.len() - 1)])
    }
    let damages: [(&str, Damage); 13] = [
        ("gone", |path, _| std::fs::remove_file(path)),
        ("empty", |path, _| std::fs::write(path, b"")),
        ("one byte", |path, _| cut_to(path, 1)),
        ("no header", |path, _| cut_to(path, 500)),
        ("header only", |path, _| cut_to(path, 1024)),
        ("half", |path, _| cut_to(path, std::fs::metadata(path)?.len() as usize / 2)),
        ("last byte gone", |path, _| cut_to(path, usize::MAX)),
        ("a byte more", |path, _| std::fs::write(path, [&std::fs::read(path)?[..], b"x"].concat())),
        ("zeros", |path, _| std::fs::write(path, vec![0; std::fs::metadata(path)?.len() as usize])),
        ("one bit", |path, _| {
            let mut bytes = std::fs::read(path)?;
            bytes[60] ^= 4;
            std::fs::write(path, bytes)
        }),
        ("another record's", |path, foreign| std::fs::write(path, foreign)),
        ("a folder", |path, _| std::fs::remove_file(path).and_then(|()| std::fs::create_dir(path))),
        ("a symbolic link", |path, _| {
            let kept = path.with_extension("kept");
            std::fs::rename(path, &kept)?;
            #[cfg(unix)]
            std::os::unix::fs::symlink(&kept, path)?;
            Ok(())
        }),
    ];
    for is_segment in [true, false] {
        let place = |dir: &Path| if is_segment { segment_of(dir) } else { dir.join(MANIFEST) };
        let foreign_bytes = std::fs::read(place(foreign.path())).expect("a file");
        for (name, damage) in damages {
            let dir = copy(good.path());
            damage(&place(dir.path()), &foreign_bytes).expect(name);
            let reason = open(dir.path()).map(|_| ()).expect_err(name);
            let known = ["missing: ", "symlink: ", "damaged: ", "foreign: "].iter().any(|word| reason.starts_with(word));
            assert!(known, "{name}: {reason}");
            #[cfg(unix)]
            assert_eq!(reason.starts_with("symlink: "), name == "a symbolic link", "{name}: {reason}");
            assert_eq!(writer(dir.path()).sequence(), 0, "{name}");
            write(dir.path(), &log, 60);
            assert_eq!(live(&open(dir.path()).expect(name)), live(&open(good.path()).expect("an index")), "{name}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_linked_folder_is_refused_and_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a folder");
    let (real, link) = (dir.path().join("real"), dir.path().join("link"));
    write(&real, &log(20), 20);
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    assert!(open(&link).expect_err("a link").starts_with("symlink: "));
    let refused = VectorWriter::open_or_create(&link, RECORD, EMBEDDER, DIMENSIONS).expect_err("a link");
    assert_eq!(refused.code(), Code::SymlinkRefused);
    let mode = |path: &Path| std::fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    assert_eq!(mode(&real), 0o700);
    assert!(files(&real).iter().all(|path| mode(path) == 0o600));
}

#[test]
fn the_segment_of_another_time_is_refused() {
    let log = log(60);
    let (dir, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    write(dir.path(), &log, 60);
    write(other.path(), &log[..50], 60);
    std::fs::copy(segment_of(other.path()), segment_of(dir.path())).expect("a copy");
    assert!(open(dir.path()).expect_err("an older segment").starts_with("damaged: "));
}

#[test]
fn a_newer_format_is_refused_by_name() {
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), &log(20), 20);
    std::fs::write(dir.path().join(MANIFEST), br#"{"format": 3, "shards": {}}"#).expect("a write");
    assert!(open(dir.path()).expect_err("a newer format").starts_with("newer: "));
}

#[test]
fn a_damaged_body_is_found_by_verify_and_never_merged_or_a_panic() {
    let log = log(80);
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), &log, 80);
    let path = segment_of(dir.path());
    let good = std::fs::read(&path).expect("a segment");
    for at in [1024, 1200, 3000, good.len() / 2, good.len() - 40] {
        let mut bytes = good.clone();
        bytes[at..at + 32].fill(0xff);
        std::fs::write(&path, bytes).expect("a write");
        let index = open(dir.path()).expect("the header is whole");
        assert!(index.verify().expect_err("damage").starts_with("damaged: "));
        let found = search(Some(&index), &VectorTail::new(DIMENSIONS), &Source(3).vector(), &everything(), 50, Deadline::NEVER);
        assert!(found.hits.iter().all(|hit| hit.cosine.is_finite()));
    }
    let mut writer = writer(dir.path());
    for (number, units) in &log {
        writer.replace(*number, &borrowed(units)).expect("room");
    }
    assert_eq!(writer.commit(81).expect_err("damage").code(), Code::Storage);
    assert!(open(dir.path()).expect_err("taken away").starts_with("missing: "));
}

#[test]
fn a_damaged_number_in_a_newer_segment_asks_for_no_memory() {
    let log = log(80);
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), &log, 80);
    let old = segment_of(dir.path());
    write(dir.path(), &[(500, log[0].1.clone())], 81);
    let newer = files(dir.path()).into_iter().find(|path| path.extension().is_some_and(|ext| ext == "vec") && *path != old);
    let newer = newer.expect("a second segment");
    let mut bytes = std::fs::read(&newer).expect("a segment");
    bytes[1024..1032].fill(0xff);
    std::fs::write(&newer, bytes).expect("a write");
    assert!(open(dir.path()).expect_err("damage").starts_with("damaged: "));
}

#[test]
fn a_commit_cut_off_anywhere_leaves_the_old_index_or_the_new_one() {
    let steps = [Step::SegmentBegun, Step::SegmentWritten, Step::SegmentDurable, Step::ManifestWritten, Step::ManifestSwapped, Step::SwapDurable, Step::Swept];
    let log = log(120);
    let query = Source(3).vector();
    let ask = |dir: &Path| {
        let index = open(dir).expect("an index");
        index.verify().expect("whole files");
        (index.sequence(), bits(&search(Some(&index), &VectorTail::new(DIMENSIONS), &query, &everything(), 20, Deadline::NEVER).hits))
    };
    let expected = |log: &[Change]| bits(&by_hand(&state(log), &query, &everything(), 20));
    for (nth, cut) in steps.into_iter().enumerate() {
        let dir = tempfile::tempdir().expect("a folder");
        write(dir.path(), &log[..100], 100);
        let mut writer = writer(dir.path());
        for (number, units) in &log[100..] {
            writer.replace(*number, &borrowed(units)).expect("room");
        }
        let killed = |step| if step == cut { Err(Error::new(Code::Storage, "killed")) } else { Ok(()) };
        writer.commit_in_steps(120, &mut { killed }).expect_err("the commit was cut off");
        drop(writer);
        let (sequence, hits) = ask(dir.path());
        assert_eq!(sequence, if nth < 4 { 100 } else { 120 }, "{cut:?}");
        assert_eq!(hits, expected(&log[..sequence as usize]), "{cut:?}");
        write(dir.path(), &log[100..], 120);
        assert_eq!(ask(dir.path()), (120, expected(&log)), "{cut:?}");
        let named = open(dir.path()).expect("an index").segments().len();
        assert_eq!(files(dir.path()).len(), named + 1, "{cut:?} left something over");
        assert!(!dir.path().join(NEXT_MANIFEST).exists());
    }
}

#[test]
fn what_exceeds_the_memory_of_a_writer_changes_no_bit() {
    let log = log(120);
    let query = Source(3).vector();
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), &log[..60], 60);
    let before = files(dir.path());
    let fill = |bytes| {
        let mut writer = writer(dir.path());
        writer.let_wait(bytes);
        for (number, units) in &log[60..] {
            writer.replace(*number, &borrowed(units)).expect("room");
        }
        writer
    };
    drop(fill(5_000));
    assert!(files(dir.path()).len() > before.len() + 2, "nothing was written before the commit");
    assert_eq!(open(dir.path()).expect("an index").sequence(), 60);
    drop(writer(dir.path()));
    assert_eq!(files(dir.path()), before, "what was left unfinished stays");
    for bytes in [0, 5_000, 20_000] {
        fill(bytes).commit(120).expect("a commit");
        let index = open(dir.path()).expect("an index");
        let found = search(Some(&index), &VectorTail::new(DIMENSIONS), &query, &everything(), 20, Deadline::NEVER);
        assert_eq!(bits(&found.hits), bits(&by_hand(&state(&log), &query, &everything(), 20)));
        assert_eq!(live(&index), state(&log).values().map(Vec::len).sum::<usize>());
    }
}

#[test]
fn a_reader_beside_a_busy_writer_always_finds_a_whole_index() {
    let log = log(200);
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), &log[..20], 20);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for border in 20..log.len() {
                write(dir.path(), &log[border..=border], border as u64 + 1);
            }
        });
        let mut last = 0;
        while !writing.is_finished() {
            let index = open(dir.path()).expect("a whole index");
            assert!(index.sequence() >= last);
            last = index.sequence();
            index.verify().expect("whole files");
        }
    });
}
