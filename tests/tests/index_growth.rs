//! A record that is written a fact at a time for a long time keeps few index files, and answers from them as from new ones.

use std::path::Path;

use stele_core::{Category, Durability, Record, SearchOptions};

/// How many times the indexes are brought up to date.
const CATCH_UPS: usize = 600;

/// A folder in memory where the system has one: what is counted does not depend on the disk, and it is written some
/// ten thousand times.
fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder")
}

fn files(dir: &Path) -> usize {
    std::fs::read_dir(dir).expect("a folder").count()
}

#[test]
fn a_catch_up_after_every_fact_leaves_few_files_and_the_same_answers() {
    let folder = folder();
    let dir = folder.path().join(".stele");
    let record = Record::options().durability(Durability::Normal).open(&dir).expect("a record");
    let recorder = record.recorder("hub").expect("a recorder");
    let (mut most_text, mut most_vectors) = (0, 0);
    for number in 0..CATCH_UPS {
        let body = format!("queue {} is drained by gateway {}", number % 83, number % 19);
        recorder.fact(Category::Fyi, format!("what is known of part {number}")).body(body).record().expect("a fact");
        while !record.catch_up().expect("a catch-up") {}
        most_text = most_text.max(files(&dir.join("text")));
        most_vectors = most_vectors.max(files(&dir.join("vectors")));
    }
    // Segments of vectors double in size; a segment of text is six files and one for what was deleted.
    assert!(most_vectors <= 2 + CATCH_UPS.ilog2() as usize, "{most_vectors} files of vectors");
    assert!(most_text <= 120, "{most_text} files of text");
    let found = |record: &Record| record.retriever().search("which gateway drains queue 41", &SearchOptions::new()).expect("hits");
    let before = found(&record);
    record.rebuild_indexes().expect("the indexes are made anew");
    assert_eq!(before, found(&record));
}
