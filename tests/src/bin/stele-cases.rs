//! Runs the scenarios of `cases/` through doors that are processes of their own, and compares what they give with what Rust gives:
//! `stele-cases NAME=PROGRAM [ARGUMENT ...] [-- NAME=PROGRAM ...]`.
//!
//! A door reads a line at a time, its parts parted by tabs, and writes one for each: `open FOLDER`, `call VERB ARGUMENTS` with
//! the arguments as JSON, `close`; answered by `ok RESULT`, in JSON, or `error KIND CODE`.
#![expect(clippy::print_stdout, reason = "a command line program that talks to its user")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};

use serde_json::Value;
use stele_tests::cases::{self, Core, Door, Failure, Given};

/// A door behind a pipe.
struct Process {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(words: &[String]) -> Self {
        let (name, program) = words[0].split_once('=').expect("NAME=PROGRAM");
        let mut child = Command::new(program).args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the door starts");
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { name: name.to_owned(), child, input, output }
    }

    fn ask(&mut self, parts: &[&str]) -> Given {
        writeln!(self.input, "{}", parts.join("\t")).expect("the door listens");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("the door answers");
        match *answer.trim_end_matches('\n').split('\t').collect::<Vec<_>>() {
            ["ok", result] => Ok(serde_json::from_str(result).unwrap_or_else(|cause| panic!("{} gave {result:?}: {cause}", self.name))),
            ["error", kind, code] => Err(Failure { kind: kind.to_owned(), code: code.to_owned() }),
            _ => panic!("{} answered {answer:?} to {parts:?}", self.name),
        }
    }
}

impl Door for Process {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn typed(&self) -> bool {
        self.name != "c"
    }

    fn open(&mut self, dir: &Path) {
        self.ask(&["open", dir.to_str().expect("a path in UTF-8")]).expect("a record opens");
    }

    fn call(&mut self, verb: &str, arguments: &Value) -> Given {
        self.ask(&["call", verb, &arguments.to_string()])
    }

    fn close(&mut self) {
        self.ask(&["close"]).expect("a record closes");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut doors: Vec<Process> = words.split(|word| word == "--").filter(|words| !words.is_empty()).map(Process::start).collect();
    let cases = cases::all();
    let mut wrong = Vec::new();
    for (file, case) in &cases {
        let (first, unlike) = case.run(&mut Core::default());
        wrong.extend(unlike.into_iter().map(|what| format!("rust: {file}: {what}")));
        for door in &mut doors {
            let (name, (given, unlike)) = (door.name(), case.run(door));
            wrong.extend(unlike.into_iter().map(|what| format!("{name}: {file}: {what}")));
            wrong.extend(cases::differences(&first, &given).into_iter().map(|what| format!("{name}: {file}: {}: {what}", case.name)));
        }
    }
    for what in &wrong {
        println!("{what}");
    }
    let names: Vec<String> = doors.iter().map(Door::name).collect();
    println!("cases: {} through rust, {}; {} differences", cases.len(), names.join(", "), wrong.len());
    ExitCode::from(u8::from(!wrong.is_empty()))
}
