//! The searches by words and by meaning, one after the other and both at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use super::world::{LONG, World, ids, prompts, says_late};
use crate::base::time::Timestamp;
use crate::base::time::looks::{TICK, counted};
use crate::index::embed::Embedder;
use crate::retrieve::at_once::tests::{began, from};
use crate::retrieve::options::{RecallOptions, RetrieveOptions, SearchOptions};
use crate::retrieve::result::{Format, GapKind, Retrieval};

/// What an embedder does when it is called with a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Panic,
    Error,
    Hang,
}

/// An embedder that counts letters, until it is told to fail.
struct Letters {
    fault: Mutex<Fault>,
    cheap: bool,
    let_go: Arc<(Mutex<bool>, Condvar)>,
    hanging: AtomicBool,
    called: AtomicUsize,
}

impl Letters {
    fn new(cheap: bool) -> Arc<Self> {
        Arc::new(Self { fault: Mutex::new(Fault::None), cheap, let_go: Arc::default(), hanging: AtomicBool::new(false), called: AtomicUsize::new(0) })
    }

    fn set(&self, fault: Fault) {
        *self.fault.lock().expect("no panic under it") = fault;
    }

    fn end(&self) {
        *self.let_go.0.lock().expect("no panic under it") = true;
        self.let_go.1.notify_all();
    }
}

impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> usize {
        32
    }

    fn cheap(&self) -> bool {
        self.cheap
    }

    fn embed(&self, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, Box<dyn std::error::Error + Send + Sync>> {
        self.called.fetch_add(1, Ordering::SeqCst);
        let fault = *self.fault.lock().expect("no panic under it");
        match fault {
            Fault::None => {}
            Fault::Panic => std::panic::resume_unwind(Box::new("the embedder panics")),
            Fault::Error => return Err("the embedder fails".into()),
            Fault::Hang => {
                self.hanging.store(true, Ordering::SeqCst);
                let mut ended = self.let_go.0.lock().expect("no panic under it");
                while !*ended {
                    ended = self.let_go.1.wait(ended).expect("no panic under it");
                }
            }
        }
        let count = |text: &&str| {
            let mut counts = vec![1.0; 32];
            text.bytes().for_each(|byte| counts[usize::from(byte % 32)] += 1.0);
            counts
        };
        Ok(texts.iter().map(count).collect())
    }
}

/// Everything that a host sees of the three calls.
fn answers(world: &World, prompt: &str, deadline: std::time::Duration) -> String {
    let retriever = world.record.retriever();
    let window = retriever.retrieve(prompt, &RetrieveOptions::new().deadline(deadline).now(Timestamp::default())).expect("a window");
    let briefing = retriever.recall(prompt, &RecallOptions::new().deadline(deadline).now(Timestamp::default())).expect("a briefing");
    let hits = retriever.search(prompt, &SearchOptions::new().deadline(deadline)).expect("hits");
    let written = |found: &Retrieval| format!("{}\n{:?}\n{}", found.render(Format::Text), found.stats, found.render(Format::Json));
    format!("{}\n{}\n{hits:?}", written(&window), written(&briefing))
}

/// Where two texts part, for a message that can be read.
fn first_difference(a: &str, b: &str) -> String {
    let at = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let from = |text: &str| text.chars().skip(text[..text.floor_char_boundary(at)].chars().count().saturating_sub(40)).take(80).collect::<String>();
    format!("{:?} and {:?}", from(a), from(b))
}

#[test]
fn both_at_once_give_the_bytes_that_they_give_one_after_the_other() {
    let world = World::new();
    for prompt in prompts() {
        let one_after_the_other = from(u64::MAX, || answers(&world, &prompt, LONG));
        let before = began();
        let at_once = from(0, || answers(&world, &prompt, LONG));
        assert!(began() >= before + 3, "no search ran beside the other");
        assert!(at_once == one_after_the_other, "{}", first_difference(&at_once, &one_after_the_other));
    }
}

#[test]
fn wherever_time_ends_while_both_run_the_answer_is_whole_or_says_what_is_missing() {
    let world = World::new();
    let mut missing = [0, 0];
    for prompt in prompts() {
        let ask = |deadline| world.record.retriever().retrieve(&prompt, &RetrieveOptions::new().deadline(deadline)).expect("no error for want of time");
        let (whole, looks) = from(0, || counted(|| ask(LONG)));
        // Every look of the searches, which come first, and some of the others.
        let all = looks.looked();
        for nth in (1..40.min(all)).chain((40..all).step_by(20)) {
            let (part, _) = from(0, || counted(|| ask(TICK * u32::try_from(nth).expect("few looks"))));
            assert!(says_late(&part) || ids(&part) == ids(&whole), "look {nth}: {:?} of {:?}", ids(&part), ids(&whole));
            for (count, kind) in missing.iter_mut().zip([GapKind::Text, GapKind::Meaning]) {
                *count += usize::from(part.gaps.iter().any(|gap| gap.kind == kind));
            }
        }
    }
    assert!(missing.iter().all(|count| *count > 0), "a search was never cut off: {missing:?}");
}

#[test]
fn an_embedder_that_panics_or_fails_leaves_the_same_answer_both_ways() {
    for cheap in [true, false] {
        let embedder = Letters::new(cheap);
        let world = World::with(|options| options.embedder(Arc::clone(&embedder) as _));
        for fault in [Fault::Panic, Fault::Error, Fault::None] {
            embedder.set(fault);
            let called = embedder.called.load(Ordering::SeqCst);
            let one_after_the_other = from(u64::MAX, || answers(&world, &prompts()[0], LONG));
            let at_once = from(0, || answers(&world, &prompts()[0], LONG));
            assert!(at_once == one_after_the_other, "{fault:?}: {}", first_difference(&at_once, &one_after_the_other));
            assert!(embedder.called.load(Ordering::SeqCst) >= called + 6, "it was called for each");
            let window = world.record.retriever().retrieve(&prompts()[0], &RetrieveOptions::new()).expect("a window");
            assert_eq!(window.gaps.iter().any(|gap| gap.kind == GapKind::Meaning), fault != Fault::None, "{fault:?}: {:?}", window.gaps);
        }
    }
}

#[test]
fn an_embedder_that_hangs_holds_nobody_up_and_is_not_called_again_meanwhile() {
    let embedder = Letters::new(false);
    let world = World::with(|options| options.embedder(Arc::clone(&embedder) as _));
    embedder.set(Fault::Hang);
    let short = std::time::Duration::from_millis(30);
    let first = from(0, || world.record.retriever().retrieve(&prompts()[0], &RetrieveOptions::new().deadline(short)).expect("a window"));
    assert!(first.gaps.iter().any(|gap| gap.kind == GapKind::Meaning), "{:?}", first.gaps);
    let called = embedder.called.load(Ordering::SeqCst);
    let one_after_the_other = from(u64::MAX, || answers(&world, &prompts()[0], LONG));
    let at_once = from(0, || answers(&world, &prompts()[0], LONG));
    assert!(at_once == one_after_the_other, "{}", first_difference(&at_once, &one_after_the_other));
    assert!(embedder.hanging.load(Ordering::SeqCst));
    assert_eq!(embedder.called.load(Ordering::SeqCst), called);
    embedder.end();
}
