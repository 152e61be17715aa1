//! One short-lived process, as a hook is one: `cold empty`, `cold retrieve DIR PROMPT`, `cold floor DIR PROMPT`,
//! `cold add DIR`.

use std::path::Path;

use stele_bench::floor::{Floor, Terms};
use stele_core::{Category, Format, Record, RetrieveOptions};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["retrieve", dir, prompt] => {
            let record = Record::options().create(false).open(dir).expect("a record");
            let found = record.retriever().retrieve(prompt, &RetrieveOptions::new()).expect("a window");
            assert!(!found.render(Format::Text).is_empty(), "something was found");
        }
        ["floor", dir, prompt] => {
            let found = Floor::open(Path::new(dir)).look_up(prompt, Terms::Telling);
            assert!(!found.seeds.is_empty(), "something was found");
        }
        ["add", dir] => {
            let record = Record::options().create(false).open(dir).expect("a record");
            record.recorder("bench").expect("a recorder").fact(Category::Fyi, "a process adds this fact").record().expect("a fact");
        }
        _ => {}
    }
}
