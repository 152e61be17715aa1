//! Any text as a query, as a prompt, as a question and as an id: no error, and the same answer whether it comes from the
//! indexes or from the tail.

use std::fmt::Debug;

use stele_core::{
    Category, Durability, ErrorKind, Format, Hit, NeighbourOptions, NodeId, RecallOptions, Record, Result, Retrieval, RetrieveOptions, SearchMode,
    SearchOptions, Timestamp,
};

use super::bytes::Bytes;
use crate::TestRecord;

/// Longest snippet, in characters.
const SNIPPET_CHARS: usize = 200;

const FACTS: [(Category, &str, &str); 12] = [
    (Category::Lesson, "TS2769: No overload matches this call", "Pass the handler as a function, don't pass it by name."),
    (Category::Decision, "Rate limiter sits in front of auth", "`src/auth/mod.rs` calls it; see KNOW-1."),
    (Category::Decision, "Rate limiter sits behind auth", "It moved on 2025-11-03 after the outage."),
    (Category::Risk, "C++ build breaks with -O3 and -flto", "field:value^2 is parsed twice"),
    (Category::Fyi, "用户身份验证必须在限流之前", "限流之后不再验证。"),
    (Category::Fyi, "การยืนยันตัวตนต้องมาก่อน", "ユーザー認証はレート制限の前に行う"),
    (Category::Architecture, "The UI talks to the API by JSON", "read_write_lock, ReadWriteLock and read-write lock are one thing"),
    (Category::Goal, "Ship v2.0.1 by May", "a AND b, a OR b, NOT c"),
    (Category::Gap, "No tests for the retry queue", "It retries 5 times."),
    (Category::Opportunity, "naïve café façade", "résumé of the barometer"),
    (Category::Priority, "Fix E0277 before E0308", "in module_7.rs"),
    (Category::Lesson, "Emoji 🦀 in commit messages", "👩\u{200d}💻 breaks the pager"),
];

struct World {
    indexed: TestRecord,
    tail: TestRecord,
}

thread_local! {
    static WORLD: World = World { indexed: settled(true), tail: settled(false) };
}

fn settled(indexed: bool) -> TestRecord {
    let test = TestRecord::with(|options| options.durability(Durability::Normal));
    let recorder = test.recorder();
    for (category, title, body) in FACTS {
        recorder.fact(category, title).body(body).record().expect("a fact");
    }
    recorder.document("Handbook", "# Lamp\n\nThe lamp turns twice a minute.\n\n# Barometer\n\nRead the barometer at noon.").record().expect("a document");
    recorder.task("Repair the barometer").alias("JIRA-12").record().expect("a task");
    recorder.supersede("KNOW-3", "KNOW-2").reason("it moved").evidence("after the outage").record().expect("a retirement");
    recorder.contradicts("KNOW-5", "KNOW-3", "the order differs").expect("an edge");
    if indexed {
        crate::fuzzing::settle_indexes(&test.record);
    }
    test
}

/// The first byte chooses how is asked, the others are the text.
pub fn query(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let choice = bytes.byte();
    let text = bytes.text(usize::MAX);
    WORLD.with(|world| world.ask(usize::from(choice), &text));
}

impl World {
    fn ask(&self, choice: usize, text: &str) {
        let options = SearchOptions::new().mode(SearchMode::ALL[choice % SearchMode::ALL.len()]).limit(1 + choice / 8);
        let hits = self.both("search", |record| record.retriever().search(text, &options));
        check_hits(&hits, 1 + choice / 8);
        // What looks like a code is found whatever signs stand around it.
        let signs: String = text.chars().filter(|c| !c.is_alphanumeric()).take(200).collect();
        let hits = self.both("search with signs", |record| record.retriever().search(&format!("{signs} TS2769 {signs}"), &SearchOptions::new()));
        assert_eq!(hits.first().map(|hit| hit.id.number), Some(1), "{signs:?} hides a code: {hits:?}");

        let window = RetrieveOptions::new().hops(choice as u32 % 4).max_entries(1 + choice % 20);
        check_window(&self.both("retrieve", |record| record.retriever().retrieve(text, &window).map(without_stats)));
        check_window(&self.both("recall", |record| record.retriever().recall(text, &RecallOptions::new()).map(without_stats)));
        self.by_id(text);
        if let Some(id) = NodeId::parse(text) {
            assert_eq!(NodeId::parse(&id.to_string()), Some(id));
        }
        if let Ok(at) = Timestamp::parse(text) {
            assert_eq!(Timestamp::parse(&at.to_string()).expect("what is written can be read"), at);
        }
    }

    /// The answer of both records, which must be one.
    fn both<T: PartialEq + Debug>(&self, what: &str, ask: impl Fn(&Record) -> Result<T>) -> T {
        let [indexed, tail] = [&self.indexed, &self.tail].map(|test| ask(&test.record).unwrap_or_else(|error| panic!("{what}: {error}")));
        assert_eq!(indexed, tail, "{what}: the indexes change the answer");
        indexed
    }

    fn by_id(&self, text: &str) {
        let retriever = self.tail.record.retriever();
        let errors = [
            retriever.get(text).err(),
            retriever.history(text).err(),
            retriever.why(text).err(),
            retriever.neighbours(text, &NeighbourOptions::new()).err(),
            retriever.search("barometer", &SearchOptions::new().component(text)).err(),
        ];
        for error in errors.into_iter().flatten() {
            assert!(matches!(error.kind(), ErrorKind::Invalid | ErrorKind::NotFound), "{error}");
        }
    }
}

fn without_stats(mut found: Retrieval) -> Retrieval {
    found.stats = stele_core::Stats::default();
    found
}

fn check_hits(hits: &[Hit], limit: usize) {
    assert!(hits.len() <= limit, "{} hits of {limit}", hits.len());
    for (at, hit) in hits.iter().enumerate() {
        assert!(hits[..at].iter().all(|other| other.id != hit.id && other.score >= hit.score), "{hits:?}");
        assert!(hit.score.is_finite() && hit.snippet.chars().count() <= SNIPPET_CHARS, "{hit:?}");
    }
}

fn check_window(found: &Retrieval) {
    super::render::check(found, &found.render(Format::Text));
    super::render::check_json(found, &found.render(Format::Json));
}
