//! The scenarios of `cases/`, through the core.

use std::path::Path;

use serde_json::Value;
use stele_core::Record;
use stele_tests::cases::{self, Door, Failure, Given};

/// Rust, by way of the verbs that the other doors share.
struct Core(Option<Record>);

impl Door for Core {
    fn name(&self) -> String {
        "rust".to_owned()
    }

    fn open(&mut self, dir: &Path) {
        self.0 = Some(Record::open(dir).expect("a record"));
    }

    fn call(&mut self, verb: &str, arguments: &Value) -> Given {
        let record = self.0.as_ref().expect("it is open");
        stele_kit::call(record, verb, arguments).map_err(|error| Failure { kind: error.kind().as_str().to_owned(), code: error.code().as_str().to_owned() })
    }

    fn close(&mut self) {
        self.0.take().expect("it is open").close();
    }
}

#[test]
fn every_case_holds() {
    let wrong: Vec<String> =
        cases::all().iter().flat_map(|(file, case)| case.run(&mut Core(None)).1.into_iter().map(move |what| format!("{file}: {what}"))).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
