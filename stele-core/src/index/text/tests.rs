use std::collections::BTreeMap;
use std::time::Duration;

use tantivy::DocSet;
use tantivy::postings::Postings;

use super::most::{Lengths, Most};
use super::search::{B, K1};
use super::*;
use crate::base::node_set::NodeSet;
use crate::base::terms::{QUERY_TERMS, query_terms, unit_length};
use crate::base::time::Deadline;

const RECORD: &str = "record-1";

/// The text of a node by passage; none once it was removed.
type State = BTreeMap<u64, Vec<(String, String)>>;

fn units(number: u64, passages: &[(String, String)]) -> Vec<Unit<'_>> {
    (0..).zip(passages).map(|(ordinal, (title, body))| Unit { number, ordinal, title, body }).collect()
}

fn statistics(state: &State) -> Statistics {
    let all = || state.values().flatten();
    Statistics { units: all().count() as u64, terms: all().map(|(title, body)| unit_length(title, body)).sum() }
}

fn tail_of(state: &State) -> Tail {
    let mut tail = Tail::default();
    for (number, passages) in state {
        tail.replace(*number, &units(*number, passages));
    }
    tail
}

fn write(dir: &Path, state: &State, sequence: u64) {
    let mut writer = TextWriter::open_or_create(dir, RECORD, 0).expect("a writer");
    for (number, passages) in state {
        writer.replace(*number, &units(*number, passages)).expect("written");
    }
    writer.commit(sequence).expect("committed");
    writer.close().expect("closed");
}

fn facts(texts: &[&str]) -> State {
    (1..).zip(texts).map(|(number, text)| (number, vec![((*text).to_owned(), String::new())])).collect()
}

fn find(index: Option<&TextIndex>, tail: &Tail, state: &State, prompt: &str, allowed: &NodeSet) -> TextHits {
    let query = TextQuery { terms: query_terms(prompt, QUERY_TERMS), limit: 5 };
    search(index, tail, &statistics(state), &query, allowed, Deadline::NEVER).expect("a sound index")
}

/// What must not depend on where a unit is held: everything but the work.
fn essence(hits: &TextHits) -> impl PartialEq + std::fmt::Debug + use<> {
    let bits = |hit: &TextHit| (hit.number, hit.ordinal, hit.score.to_bits(), hit.rare, hit.coverage.to_bits());
    (hits.hits.iter().map(bits).collect::<Vec<_>>(), hits.complete, hits.coverage.to_bits(), hits.mass.to_bits(), hits.known.to_bits())
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn text(&mut self, words: u64) -> String {
        const WORDS: [&str; 24] = [
            "the",
            "the",
            "the",
            "limiter",
            "rateLimiter",
            "auth",
            "auth",
            "TS2769",
            "postgres",
            "DynamoDB",
            "queue",
            "cache",
            "retry",
            "src/auth/mod.rs",
            "用户身份",
            "deploys",
            "deploy",
            "index",
            "risk",
            "outage",
            "token_path",
            "walk",
            "seed",
            "don't",
        ];
        (0..self.below(words) + 1).map(|_| WORDS[usize::try_from(self.below(24)).expect("small")]).collect::<Vec<_>>().join(" ")
    }
}

/// A history: each operation writes a node anew or takes it out.
fn history(random: &mut Random, operations: usize) -> Vec<(u64, Vec<(String, String)>)> {
    let mut history = Vec::new();
    for _ in 0..operations {
        let number = random.below(30) + 1;
        let passages = if random.below(5) == 0 { 0 } else { random.below(3) + 1 };
        history.push((number, (0..passages).map(|_| (random.text(4), random.text(30))).collect()));
    }
    history
}

#[test]
fn hits_do_not_depend_on_how_far_the_index_has_come() {
    for seed in 0..2 {
        let mut random = Random(seed);
        let history = history(&mut random, 36);
        let mut state = State::new();
        for (number, passages) in &history {
            state.insert(*number, passages.clone());
        }
        state.retain(|_, passages| !passages.is_empty());
        let whole = tail_of(&state);
        let questions: Vec<(String, NodeSet)> = (0..12)
            .map(|turn| (random.text(8), if turn % 3 == 0 { (1..=30).filter(|_| random.below(2) == 0).collect() } else { NodeSet::up_to(30) }))
            .collect();
        let expected: Vec<_> = questions.iter().map(|(prompt, allowed)| essence(&find(None, &whole, &state, prompt, allowed))).collect();

        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = TextWriter::open_or_create(folder.path(), RECORD, 0).expect("a writer");
        for covered in 0..=history.len() {
            if covered > 0 {
                let (number, passages) = &history[covered - 1];
                writer.replace(*number, &units(*number, passages)).expect("written");
            }
            if covered % 11 == 7 {
                // Another writer carries on, once merges are done.
                writer.commit(covered as u64).expect("committed");
                writer.close().expect("closed");
                writer = TextWriter::open_or_create(folder.path(), RECORD, 0).expect("a writer");
                assert_eq!(writer.sequence(), covered as u64);
            } else {
                writer.commit(covered as u64).expect("committed");
            }
            let index = TextIndex::open(folder.path(), RECORD).expect("a sound index");
            assert_eq!(index.sequence(), covered as u64);
            let mut tail = Tail::default();
            for (number, _) in &history[covered..] {
                match state.get(number) {
                    Some(passages) => tail.replace(*number, &units(*number, passages)),
                    None => tail.remove(*number),
                }
            }
            for ((prompt, allowed), expected) in questions.iter().zip(&expected) {
                let found = essence(&find(Some(&index), &tail, &state, prompt, allowed));
                assert_eq!(&found, expected, "seed {seed}, index at {covered} of {}, {prompt:?}", history.len());
            }
        }
    }
}

/// Facts of very different lengths.
fn uneven(random: &mut Random, numbers: std::ops::RangeInclusive<u64>) -> State {
    numbers.map(|number| (number, vec![(random.text(4), random.text(if number % 7 == 0 { 120 } else { 12 }))])).collect()
}

#[test]
fn no_unit_gains_more_than_its_block_says_whatever_the_average_length() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &uneven(&mut Random(3), 1..=3_000), 3_000);
    let index = TextIndex::open(folder.path(), RECORD).expect("a sound index");
    let (mut compared, mut telling) = (0, 0);
    for (segment, average) in index.segments.iter().flat_map(|segment| [4.0, 30.0, 200.0].map(|average| (segment, average))) {
        let lengths = Lengths::of(segment, average);
        for word in ["the", "auth", "queue", "cach", "limit", "walk", "postgr"] {
            let info = segment.terms.terms().get(word).expect("a readable index").expect("a word of the facts");
            let mut most = Most::of(segment, &info, &lengths).expect("a readable index");
            let mut postings = segment.terms.read_postings_from_terminfo(&info, IndexRecordOption::WithFreqs).expect("postings");
            while postings.doc() != tantivy::TERMINATED {
                let (doc, count) = (postings.doc(), postings.term_freq() as f32);
                let length = FieldNormReader::id_to_fieldnorm(segment.norms()[doc as usize]) as f32;
                let gain = count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length / average));
                let most = most.between(doc, doc + 1);
                assert!(gain <= most * (1.0 + 1e-6), "{word} in {doc}: {gain} above {most}");
                (compared, telling) = (compared + 1, telling + u32::from(most < 2.4));
                postings.advance();
            }
        }
    }
    assert!(telling * 4 > compared, "{telling} of {compared}");
}

#[test]
fn hits_among_many_units_are_those_of_a_search_that_leaves_nothing_out() {
    let mut random = Random(5);
    let state = uneven(&mut random, 1..=4_500);
    let (indexed, changed): (State, State) = state.clone().into_iter().partition(|(number, _)| number % 5 > 0);
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &indexed, 1);
    let index = TextIndex::open(folder.path(), RECORD).expect("a sound index");
    let (tail, whole, all) = (tail_of(&changed), tail_of(&state), NodeSet::up_to(4_500));
    let mut visited = (0, 0);
    for _ in 0..12 {
        let prompt = random.text(9);
        let (found, plain) = (find(Some(&index), &tail, &state, &prompt, &all), find(None, &whole, &state, &prompt, &all));
        assert_eq!(essence(&found), essence(&plain), "{prompt:?}");
        visited = (visited.0 + found.visited, visited.1 + plain.visited);
    }
    assert!(visited.0 < visited.1, "{visited:?}");
}

#[test]
fn what_an_error_message_holds_is_found_and_no_query_is_wrong() {
    let state = facts(&[
        "The compiler said TS2769: No overload matches this call",
        "Overloads of the call operator",
        "We don't cache C++ builds",
        "No match for field values",
    ]);
    let tail = tail_of(&state);
    let all = NodeSet::up_to(9);
    for prompt in ["TS2769: No overload", "ts2769", "\0 TS2769 \u{1f680} \\ \"unclosed a AND (b field:value^2 -x"] {
        assert_eq!(find(None, &tail, &state, prompt, &all).hits[0].number, 1, "{prompt:?}");
    }
    for prompt in ["don't", "C++"] {
        assert_eq!(find(None, &tail, &state, prompt, &all).hits[0].number, 3, "{prompt:?}");
    }
    for prompt in ["a AND (b", "\"unclosed", "\\", "\0", "\u{1f680}", "", "-", "*:*"] {
        assert!(find(None, &tail, &state, prompt, &all).complete, "{prompt:?}");
    }
}

#[test]
fn a_question_finds_the_decision_it_asks_for() {
    let state = facts(&["Rate limiter sits in front of auth", "We remember sessions in a cookie", "The front page goes to the CDN", "Where the money goes"]);
    let found = find(None, &tail_of(&state), &state, "do you remember what we decided about where the rate limiter goes?", &NodeSet::up_to(9));
    assert_eq!(found.hits[0].number, 1);
    assert!(found.hits[0].rare);
}

#[test]
fn text_without_spaces_is_found_by_a_piece_of_it() {
    let state = facts(&[
        "用户身份验证必须在限流之前",
        "レート制限は認証の前に置く",
        "ตัวจำกัดอัตราอยู่หน้าการยืนยันตัวตน",
        "레이트 리미터는 인증 앞에 있다",
        "Nothing of the kind",
    ]);
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &state, 5);
    let index = TextIndex::open(folder.path(), RECORD).expect("a sound index");
    for (number, prompt) in [(1, "用户身份"), (2, "認証"), (3, "ยืนยัน"), (4, "리미터")] {
        let found = find(Some(&index), &Tail::default(), &state, prompt, &NodeSet::up_to(9));
        assert_eq!(found.hits.iter().map(|hit| hit.number).collect::<Vec<_>>(), [number], "{prompt}");
    }
}

#[test]
fn a_node_is_found_by_its_best_unit_and_ties_by_number() {
    let mut state = facts(&["walk the graph", "walk the graph", "walk"]);
    state.insert(4, vec![("guide".into(), "about seeds".into()), ("guide".into(), "walk graph".into()), ("guide".into(), "walk graph".into())]);
    let found = find(None, &tail_of(&state), &state, "graph walk", &NodeSet::up_to(9));
    assert_eq!(found.hits.iter().map(|hit| (hit.number, hit.ordinal)).collect::<Vec<_>>(), [(1, 0), (2, 0), (4, 1), (3, 0)]);
    assert_eq!(found.hits[0].score.to_bits(), found.hits[1].score.to_bits());
    assert!(found.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score) && (0.0..=1.0).contains(&hit.coverage)));
}

#[test]
fn a_filter_leaves_scores_as_they_are() {
    let state = facts(&["walk the graph", "walk", "graph", "seed"]);
    let tail = tail_of(&state);
    let all = find(None, &tail, &state, "graph walk", &NodeSet::up_to(9));
    let some = find(None, &tail, &state, "graph walk", &[2, 3].into_iter().collect());
    let expected: Vec<_> = all.hits.into_iter().filter(|hit| hit.number != 1).collect();
    assert_eq!(some.hits, expected);
}

#[test]
fn a_word_of_most_units_finds_nothing_beside_a_telling_one() {
    let mut texts = vec!["server retries"];
    texts.extend(["server"; 19]);
    let state = facts(&texts);
    let tail = tail_of(&state);
    let numbers = |prompt: &str| find(None, &tail, &state, prompt, &NodeSet::up_to(99)).hits.iter().map(|hit| (hit.number, hit.rare)).collect::<Vec<_>>();
    assert_eq!(numbers("server retries"), [(1, true)]);
    assert_eq!(find(None, &tail, &state, "server retries", &NodeSet::up_to(99)).coverage, 1.0, "but it adds to what the other found");
    assert_eq!(numbers("server").len(), 5);
    assert!(numbers("server").iter().all(|(_, rare)| !rare));
}

#[test]
fn an_unknown_word_lowers_the_score_and_an_unknown_whole_does_not() {
    let state = facts(&["rate of the limiter", "another fact"]);
    let tail = tail_of(&state);
    let score = |prompt: &str| find(None, &tail, &state, prompt, &NodeSet::up_to(9)).hits[0].score;
    assert_eq!(score("rate limiter").to_bits(), score("rateLimiter").to_bits());
    assert!(score("rate limiter zebra") < score("rate limiter"));
}

#[test]
fn a_passed_deadline_is_a_partial_result() {
    let state = facts(&["walk the graph"]);
    let query = TextQuery { terms: query_terms("walk", QUERY_TERMS), limit: 5 };
    let found = search(None, &tail_of(&state), &statistics(&state), &query, &NodeSet::up_to(9), Deadline::after(Duration::ZERO)).expect("no error");
    assert!(!found.complete);
}

#[test]
fn a_commit_replaces_the_view_and_many_leave_few_segments() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut state = State::new();
    let mut writer = TextWriter::open_or_create(folder.path(), RECORD, 0).expect("a writer");
    for turn in 1..=40 {
        state.insert(turn, vec![(format!("fact{turn}"), "walk the graph".into())]);
        writer.replace(turn, &units(turn, &state[&turn])).expect("written");
        writer.commit(turn).expect("committed");
    }
    let before = TextIndex::open(folder.path(), RECORD).expect("a sound index");
    writer.close().expect("closed");
    write(folder.path(), &facts(&["other words"]), 41);
    assert!(!before.is_current());
    assert_eq!(find(Some(&before), &Tail::default(), &state, "fact1", &NodeSet::up_to(99)).hits[0].number, 1, "an open view keeps serving");
    let after = TextIndex::open(folder.path(), RECORD).expect("a sound index");
    assert!(after.is_current() && after.segments.len() <= 4, "{} segments", after.segments.len());
    after.verify().expect("sound");
}

#[test]
fn a_node_that_is_replaced_twice_before_a_commit_is_held_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (before, after) = (facts(&["walk"]), facts(&["graph"]));
    let mut writer = TextWriter::open_or_create(folder.path(), RECORD, 0).expect("a writer");
    writer.replace(1, &units(1, &before[&1])).expect("written");
    writer.replace(1, &units(1, &after[&1])).expect("written");
    writer.commit(2).expect("committed");
    let index = TextIndex::open(folder.path(), RECORD).expect("a sound index");
    let hits = |prompt: &str| find(Some(&index), &Tail::default(), &after, prompt, &NodeSet::up_to(9)).hits.len();
    assert_eq!((hits("walk"), hits("graph")), (0, 1));
}

#[test]
fn files_that_a_forked_process_has_locked_keep_no_writer_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &facts(&["walk"]), 1);
    let inherited = [".tantivy-writer.lock", ".tantivy-meta.lock"].map(|name| {
        let file = fs::File::create(folder.path().join(name)).expect("a file");
        file.try_lock().expect("nobody has it");
        file
    });
    write(folder.path(), &facts(&["walk", "graph"]), 2);
    drop(inherited);
    assert_eq!(TextIndex::open(folder.path(), RECORD).expect("a sound index").sequence(), 2);
}

#[test]
fn what_is_not_committed_is_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &facts(&["walk"]), 1);
    let mut writer = TextWriter::open_or_create(folder.path(), RECORD, 0).expect("a writer");
    writer.remove(1).expect("taken out");
    drop(writer);
    let index = TextIndex::open(folder.path(), RECORD).expect("a sound index");
    assert_eq!(find(Some(&index), &Tail::default(), &facts(&["walk"]), "walk", &NodeSet::up_to(9)).hits.len(), 1);
}

#[test]
fn what_a_killed_commit_wrote_stands_in_the_way_of_nobody_and_is_swept() {
    let dir = tempfile::tempdir().expect("a folder");
    // So many that one replaced is no reason to merge: whoever is forgotten below does nothing further.
    let (first, second) = (facts(&["walk"; 10]), facts(&["barometer"]));
    let replaced = |sequence| {
        let mut writer = TextWriter::open_or_create(dir.path(), RECORD, 0).expect("a writer");
        writer.replace(1, &units(1, &second[&1])).expect("written");
        writer.commit(sequence).expect("committed");
        writer
    };
    let segments = || {
        let paths = fs::read_dir(dir.path()).expect("a folder").map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "store")).collect::<Vec<_>>()
    };
    write(dir.path(), &first, 1);
    let known = segments();
    // A process that ends when all of a commit is there but its lists: the lists are the former ones.
    let lists = [META, ".managed.json"].map(|name| (dir.path().join(name), fs::read(dir.path().join(name)).expect("a list")));
    std::mem::forget(replaced(2));
    lists.into_iter().for_each(|(path, bytes)| fs::write(path, bytes).expect("written"));
    let left: Vec<PathBuf> = segments().into_iter().filter(|path| !known.contains(path)).collect();
    assert!(!left.is_empty());
    replaced(2).close().expect("closed");
    assert_eq!(TextIndex::open(dir.path(), RECORD).expect("a sound index").sequence(), 2);
    assert!(left.iter().all(|path| !path.exists()), "{left:?}");
}

#[test]
fn what_the_library_left_of_a_list_goes_with_the_next_writer() {
    let dir = tempfile::tempdir().expect("a folder");
    let [left, other] = [".tmpAbC123", ".tmp-of-mine"].map(|name| dir.path().join(name));
    for path in [&left, &other] {
        std::fs::write(path, "x").expect("written");
    }
    write(dir.path(), &facts(&["barometer"]), 1);
    assert!(!left.exists() && other.exists());
}

#[test]
fn an_index_of_another_record_or_format_is_refused_and_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(TextIndex::open(folder.path(), RECORD).is_err(), "missing");
    write(folder.path(), &facts(&["walk"]), 7);
    assert!(TextIndex::open(folder.path(), "record-2").is_err(), "foreign");
    let meta = fs::read_to_string(folder.path().join(META)).expect("meta.json");
    fs::write(folder.path().join(META), meta.replace("\\\"format\\\":1", "\\\"format\\\":999")).expect("written");
    assert!(TextIndex::open(folder.path(), RECORD).is_err_and(|reason| reason.contains("999")), "another format");
    let writer = TextWriter::open_or_create(folder.path(), RECORD, 0).expect("starts anew");
    assert_eq!(writer.sequence(), 0);
    assert!(TextIndex::open(folder.path(), RECORD).is_err(), "nothing was committed");
}

/// Bytes of each file of a folder by name.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path()).map(|path| (path.clone(), fs::read(&path).expect("a file"))).collect()
}

#[test]
fn reading_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = facts(&["walk the graph", "seed"]);
    write(folder.path(), &state, 2);
    for (path, _) in contents(folder.path()) {
        if path.extension().is_some_and(|extension| extension == "lock") {
            fs::remove_file(path).expect("a lock that no one holds");
        }
    }
    let before = contents(folder.path());
    let index = TextIndex::open(folder.path(), RECORD).expect("a sound index");
    assert_eq!(find(Some(&index), &tail_of(&facts(&["walk"])), &state, "graph walk", &NodeSet::up_to(9)).hits.len(), 1);
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn a_damaged_index_is_refused_or_right_and_can_be_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(9);
    let state: State = (1..=200).map(|number| (number, vec![(random.text(4), random.text(30))])).collect();
    write(folder.path(), &state, 200);
    let mut revised = state.clone();
    revised.insert(3, vec![("postgres".into(), "queue".into())]);
    let mut writer = TextWriter::open_or_create(folder.path(), RECORD, 0).expect("a writer");
    writer.replace(3, &units(3, &revised[&3])).expect("written");
    writer.commit(201).expect("committed");
    writer.close().expect("closed");
    let other = tempfile::tempdir().expect("a folder");
    write(other.path(), &facts(&["walk", "graph", "seed"]), 200);

    let whole = tail_of(&revised);
    let prompts: Vec<String> = (0..6).map(|_| random.text(6)).collect();
    let all = NodeSet::up_to(200);
    let expected: Vec<_> = prompts.iter().map(|prompt| essence(&find(None, &whole, &revised, prompt, &all))).collect();
    let files = contents(folder.path());
    let foreign = contents(other.path());
    let mut refused = 0;
    for (path, bytes) in files.iter().filter(|(path, _)| path.extension().is_none_or(|extension| extension != "lock")) {
        let mut damages: Vec<Option<Vec<u8>>> =
            vec![None, Some(Vec::new()), Some(bytes[..bytes.len() / 2].to_vec()), Some(bytes[bytes.len() / 2..].to_vec()), Some(vec![0; bytes.len()])];
        for place in (0..bytes.len()).step_by(bytes.len() / 8 + 1) {
            let mut flipped = bytes.clone();
            flipped[place] ^= 0x10;
            damages.push(Some(flipped));
        }
        let mut hollow = bytes.clone();
        hollow[..bytes.len() / 2].fill(0);
        damages.push(Some(hollow));
        damages.extend(foreign.iter().filter(|(other, _)| other.extension() == path.extension()).map(|(_, bytes)| Some(bytes.clone())));
        for damage in damages {
            match &damage {
                None => fs::remove_file(path).expect("taken away"),
                Some(bytes) => fs::write(path, bytes).expect("written"),
            }
            match TextIndex::open(folder.path(), RECORD) {
                Err(_) => refused += 1,
                Ok(index) => {
                    for (prompt, expected) in prompts.iter().zip(&expected) {
                        let query = TextQuery { terms: query_terms(prompt, QUERY_TERMS), limit: 5 };
                        if let Ok(found) = search(Some(&index), &Tail::default(), &statistics(&revised), &query, &all, Deadline::NEVER) {
                            assert_eq!(&essence(&found), expected, "{} damaged to {:?} bytes", path.display(), damage.as_ref().map(Vec::len));
                        }
                    }
                }
            }
            fs::write(path, bytes).expect("put back");
        }
    }
    assert!(refused > 40, "{refused}");

    fs::write(folder.path().join(META), b"{").expect("written");
    fs::write(folder.path().join("notes.txt"), b"not ours").expect("written");
    write(folder.path(), &revised, 201);
    let index = TextIndex::open(folder.path(), RECORD).expect("replaced");
    assert_eq!(essence(&find(Some(&index), &Tail::default(), &revised, &prompts[0], &all)), expected[0]);
    assert!(folder.path().join("notes.txt").exists());
}
