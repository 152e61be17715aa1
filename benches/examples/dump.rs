//! Scratch.
use stele_core::{Format, RecallOptions, Record, RetrieveOptions, SearchMode, SearchOptions, Timestamp};
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let record = Record::options().create(false).open(&dir).unwrap();
    let r = record.retriever();
    let mut prompts = stele_bench::prompts(120);
    prompts.push("KNOW-17 and F-30 what about them, F-99, F-48".into());
    prompts.push("what is E0423 in src/auth".into());
    prompts.push("the the of and why".into());
    prompts.push("cache".repeat(10));
    let now: Timestamp = Timestamp::from_unix_ms(1_796_000_000_000);
    for p in &prompts {
        for hops in 0..3 {
            for t in [None, Some(400), Some(2000)] {
                let mut o = RetrieveOptions::new().hops(hops).now(now);
                if let Some(t) = t { o = o.max_tokens(t); }
                let mut w = r.retrieve(p, &o).unwrap();
                w.stats = Default::default();
                println!("{}\n{}\n{:?}", w.render(Format::Text), w.render(Format::Json), w);
            }
        }
        let mut w = r.recall(p, &RecallOptions::new().now(now)).unwrap();
        w.stats = Default::default();
        println!("{}\n{:?}", w.render(Format::Text), w);
        for mode in [SearchMode::Text, SearchMode::Semantic, SearchMode::Hybrid] {
            println!("{:?}", r.search(p, &SearchOptions::new().mode(mode).limit(30)).unwrap());
        }
    }
}
