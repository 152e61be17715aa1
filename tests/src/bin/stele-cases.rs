//! Runs the scenarios of `cases/` through doors that are processes of their own, and compares what they give with what Rust gives:
//! `stele-cases NAME=PROGRAM [ARGUMENT ...] [-- NAME=PROGRAM ...]`. Then they all write to one record at once.
//!
//! A door reads a line at a time, its parts parted by tabs, and writes one for each: `open HANDLE FOLDER OPTIONS`, the options
//! being words of `read_only`, `no_create` and `no_embedder`; `call HANDLE VERB ARGUMENTS` with the arguments as JSON; `close
//! HANDLE`. It answers `ok RESULT`, in JSON, or `error ERROR`: JSON with kind, code, retryable, message and details; where there
//! is a remedy beside, it is what the message ends with.
#![expect(clippy::print_stdout, reason = "a command line program that talks to its user")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};

use serde_json::Value;
use stele_tests::cases::{self, Core, Door, Failure, Given, Opening};

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
            ["error", error] => Err(failure(error).unwrap_or_else(|cause| panic!("{} failed with {error:?}: {cause}", self.name))),
            _ => panic!("{} answered {answer:?} to {parts:?}", self.name),
        }
    }
}

/// An error as a door tells it.
fn failure(text: &str) -> serde_json::Result<Failure> {
    let mut error: Value = serde_json::from_str(text)?;
    if let Some(remedy) = error.get("remedy").and_then(Value::as_str) {
        error["message"] = format!("{}; {remedy}", error["message"].as_str().unwrap_or_default()).into();
    }
    serde_json::from_value(error)
}

impl Door for Process {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn typed(&self) -> bool {
        self.name != "c"
    }

    fn open(&mut self, handle: &str, how: &Opening) -> Given {
        let options = [(how.read_only, "read_only"), (how.no_create, "no_create"), (how.no_embedder, "no_embedder")];
        let options: Vec<&str> = options.into_iter().filter_map(|(on, word)| on.then_some(word)).collect();
        self.ask(&["open", handle, &how.path, &options.join(" ")])
    }

    fn call(&mut self, handle: &str, verb: &str, arguments: &Value) -> Given {
        self.ask(&["call", handle, verb, &arguments.to_string()])
    }

    fn close(&mut self, handle: &str) -> Given {
        self.ask(&["close", handle])
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
    let mut rust = Core::default();
    let mut all: Vec<&mut (dyn Door + Send)> = vec![&mut rust];
    all.extend(doors.iter_mut().map(|door| door as &mut (dyn Door + Send)));
    wrong.extend(cases::together(&mut all));
    for what in &wrong {
        println!("{what}");
    }
    let names: Vec<String> = doors.iter().map(Door::name).collect();
    println!("cases: {} through rust, {}; {} differences", cases.len(), names.join(", "), wrong.len());
    ExitCode::from(u8::from(!wrong.is_empty()))
}
