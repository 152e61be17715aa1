//! Seeded corpora for measuring stele: facts that read like a project's, the same on every machine.

mod dots;
pub mod floor;
mod words;
pub mod work;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use stele_core::{ImportOptions, Record};

/// A small generator of numbers: xorshift, the same everywhere.
pub struct Dice(u64);

impl Dice {
    /// A generator that begins with a seed other than zero.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % bound.max(1) as u64).expect("below a usize")
    }

    /// One of the words, the earlier ones far more often, as in prose.
    fn word<'w>(&mut self, words: &[&'w str]) -> &'w str {
        let bound = self.below(words.len()) + 1;
        words[self.below(bound)]
    }
}

/// A sentence of about `length` words about parts of a system.
fn sentence(dice: &mut Dice, length: usize) -> String {
    let mut text = String::new();
    for at in 0..length {
        let word = match at % 3 {
            0 => dice.word(words::VERBS).to_owned(),
            1 => dice.word(words::PARTS).to_owned(),
            _ if dice.below(4) == 0 => format!("{}_{}", dice.word(words::PARTS), dice.word(words::THINGS)),
            _ => dice.word(words::THINGS).to_owned(),
        };
        if at > 0 {
            text.push(' ');
        }
        text.push_str(&word);
        if dice.below(5) == 0 {
            text.push(' ');
            text.push_str(dice.word(words::SMALL));
        }
    }
    text
}

const CATEGORIES: [&str; 9] = ["decision", "architecture", "goal", "risk", "lesson", "priority", "gap", "fyi", "opportunity"];

/// Calls `each` with every line of a corpus of `facts` facts in the interchange form: some 68 tokens and three edges a
/// fact, every fiftieth retired by a later one.
pub fn lines(facts: usize, each: &mut dyn FnMut(&str)) {
    let mut dice = Dice::new(facts as u64 + 7);
    for number in 0..facts {
        let title = sentence(&mut dice, 7);
        let body = format!(
            "{}. {}. {} E{:04} in src/{}/{}.rs.",
            sentence(&mut dice, 16),
            sentence(&mut dice, 18),
            sentence(&mut dice, 5),
            dice.below(9000),
            dice.word(words::PARTS),
            dice.word(words::THINGS)
        );
        let category = CATEGORIES[dice.below(CATEGORIES.len())];
        each(&format!(r#"{{"type":"node","kind":"knowledge","category":"{category}","alias":"F-{number}","title":"{title}","body":"{body}"}}"#));
    }
    for number in 1..facts {
        for relation in ["relates-to", "caused-by"] {
            let to = dice.below(number);
            each(&format!(r#"{{"type":"edge","from":"F-{number}","relation":"{relation}","to":"F-{to}","reason":"seen together"}}"#));
        }
        if number % 50 == 0 {
            let older = number - 1 - dice.below(40);
            each(&format!(
                r#"{{"type":"edge","from":"F-{number}","relation":"supersedes","to":"F-{older}","reason":"the older way ended","evidence":"none"}}"#
            ));
        }
    }
}

/// Writes a corpus to a file.
///
/// # Errors
/// Those of the file system.
pub fn write_lines(facts: usize, path: &Path) -> std::io::Result<()> {
    write_some(facts, path, |_| true)
}

/// Writes the facts of a corpus to a file, without its edges.
///
/// # Errors
/// Those of the file system.
pub fn write_facts(facts: usize, path: &Path) -> std::io::Result<()> {
    write_some(facts, path, |line| line.starts_with(r#"{"type":"node""#))
}

fn write_some(facts: usize, path: &Path, wanted: impl Fn(&str) -> bool) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut written = Ok(());
    lines(facts, &mut |line| {
        if written.is_ok() && wanted(line) {
            written = writeln!(file, "{line}");
        }
    });
    written.and_then(|()| file.flush())
}

/// Edges of the node in [`hub`].
pub const HUB_EDGES: usize = 50_000;

/// A record of a corpus in a folder, indexed; built once and kept between runs in the build's own folder.
///
/// # Panics
/// If the record cannot be built.
#[must_use]
pub fn corpus(facts: usize) -> PathBuf {
    kept(&facts.to_string(), &|file| write_lines(facts, file))
}

/// A record as [`corpus`] gives it, in which every other fact is joined to the first one, `F-0`.
///
/// # Panics
/// If the record cannot be built.
#[must_use]
pub fn hub() -> PathBuf {
    kept("hub", &|file| {
        write_lines(HUB_EDGES + 1, file)?;
        let mut text = String::new();
        for number in 1..=HUB_EDGES {
            let _ = writeln!(text, r#"{{"type":"edge","from":"F-{number}","relation":"depends-on","to":"F-0","reason":"everything hangs on it"}}"#);
        }
        std::io::Write::write_all(&mut std::fs::OpenOptions::new().append(true).open(file)?, text.as_bytes())
    })
}

fn kept(name: &str, write: &dyn Fn(&Path) -> std::io::Result<()>) -> PathBuf {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/corpora").join(name);
    let (done, place) = (dir.join("done"), dir.join(".stele"));
    // One that another release made may be of another format, or its indexes.
    let made = done.exists()
        && Record::options().create(false).open(&place).is_ok_and(|record| {
            index(&record);
            true
        });
    if !made {
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a folder for the corpus");
        let file = dir.join("facts.jsonl");
        write(&file).expect("a written corpus");
        let record = Record::open(&place).expect("a new record");
        let report = record.import_jsonl(&file, "bench", ImportOptions::new().partial()).expect("an import");
        assert!(report.applied, "the corpus is imported");
        index(&record);
        std::fs::write(&done, "").expect("a mark");
    }
    place
}

/// Brings the indexes of a record up to its head.
pub(crate) fn index(record: &Record) {
    while !record.catch_up().expect("the indexes are brought up") {}
    record.close();
}

/// Copies a record, so that a measurement may write to it.
///
/// # Panics
/// If a file cannot be copied.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// Prompts such as an agent gets, made of the corpus's own words.
#[must_use]
pub fn prompts(count: usize) -> Vec<String> {
    let mut dice = Dice::new(99);
    (0..count).map(|_| format!("do you remember why we {} before the release?", sentence(&mut dice, 9))).collect()
}
