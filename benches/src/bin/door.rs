//! What a retrieval takes without a door, so that a door can be compared in one run: `door record FACTS` prints the folder of
//! a record, `door prompts COUNT` prints prompts, and `door time DIR` answers each prompt on standard input with the
//! nanoseconds that retrieving it took.
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a program that measures and tells")]

use std::hint::black_box;
use std::io::{BufRead, stdin};
use std::time::Instant;

use stele_bench::{corpus, prompts};
use stele_core::{Record, RetrieveOptions};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse().expect("a number");
    match words.as_slice() {
        ["record", facts] => println!("{}", corpus(number(facts)).display()),
        ["prompts", count] => prompts(number(count)).iter().for_each(|prompt| println!("{prompt}")),
        ["time", dir] => {
            let record = Record::options().create(false).read_only(true).open(dir).expect("a record");
            let retriever = record.retriever();
            for prompt in stdin().lock().lines() {
                let prompt = prompt.expect("a prompt");
                let began = Instant::now();
                let found = black_box(retriever.retrieve(&prompt, &RetrieveOptions::new()).expect("a window"));
                println!("{}", began.elapsed().as_nanos());
                drop(found);
            }
        }
        _ => println!("door record FACTS | door prompts COUNT | door time DIR"),
    }
}
