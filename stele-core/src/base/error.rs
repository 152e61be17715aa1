//! The one error type and the table of its codes.
//!
//! A kind exists only where a caller would act differently; a code is stable; the message is free to change.
//! `docs/errors.md` is generated from the table in this file.

use std::fmt;
use std::sync::Arc;

/// The result of every fallible call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a caller should do next; at most a dozen, with fixed numbers that the C door uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum ErrorKind {
    /// The call itself is wrong: change it.
    Invalid = 1,
    /// Nothing by that name: use another id or path.
    NotFound = 2,
    /// The record does not allow it as it stands: read again and decide.
    Conflict = 3,
    /// Somebody else is writing: try again.
    Busy = 4,
    /// The handle is closed: open again.
    Closed = 5,
    /// The operating system refused: look at disk, rights, space.
    Io = 6,
    /// The log is damaged: stop and restore a backup.
    Corrupt = 7,
    /// Written by a newer release: upgrade.
    Incompatible = 8,
    /// A provider failed in a strict assembly: the cause is attached.
    Provider = 9,
    /// A fault of the library: report it.
    Internal = 10,
}

impl ErrorKind {
    /// Every kind, in numeric order.
    pub const ALL: [Self; 10] =
        [Self::Invalid, Self::NotFound, Self::Conflict, Self::Busy, Self::Closed, Self::Io, Self::Corrupt, Self::Incompatible, Self::Provider, Self::Internal];

    /// The stable name, as the doors spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::Busy => "busy",
            Self::Closed => "closed",
            Self::Io => "io",
            Self::Corrupt => "corrupt",
            Self::Incompatible => "incompatible",
            Self::Provider => "provider",
            Self::Internal => "internal",
        }
    }

    /// What the caller should do, in a few words.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Invalid => "change the call",
            Self::NotFound => "use another id or path",
            Self::Conflict => "read again and decide",
            Self::Busy => "try again",
            Self::Closed => "open again",
            Self::Io => "look at disk, rights and space",
            Self::Corrupt => "stop and restore a backup",
            Self::Incompatible => "upgrade",
            Self::Provider => "look at the attached cause",
            Self::Internal => "report it",
        }
    }
}

macro_rules! codes {
    ($($name:ident $kind:ident $text:literal $remedy:literal;)*) => {
        /// A stable word for one way to fail, with its kind and its remedy.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $remedy] $name),* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable word.
            #[must_use]
            pub fn as_str(self) -> &'static str { match self { $(Self::$name => $text),* } }

            /// The kind that the code belongs to.
            #[must_use]
            pub fn kind(self) -> ErrorKind { match self { $(Self::$name => ErrorKind::$kind),* } }

            /// What to do about it; part of every message.
            #[must_use]
            pub fn remedy(self) -> &'static str { match self { $(Self::$name => $remedy),* } }
        }
    };
}

codes! {
    EmptyTitle Invalid "empty_title" "give a title of 1 to 500 characters";
    EmptyField Invalid "empty_field" "give the named field a value that is not blank";
    TooLarge Invalid "too_large" "shorten the named field to its limit or split it";
    BadText Invalid "bad_text" "send UTF-8 without NUL characters";
    Secret Invalid "secret" "leave the credential out, or pass allow_secrets if it is none";
    UnknownRelation Invalid "unknown_relation" "use one of fulfills, blocks, supersedes, caused-by, contradicts, relates-to, mentions, embeds, expires-on";
    UnknownCategory Invalid "unknown_category" "use one of decision, architecture, goal, risk, lesson, priority, gap, fyi, opportunity";
    UnknownValue Invalid "unknown_value" "use one of the values that the message lists";
    OutOfRange Invalid "out_of_range" "stay inside the limits that the message gives";
    BadTime Invalid "bad_time" "write a time as 2026-05-06 or 2026-05-06T15:00:00Z";
    BadAlias Invalid "bad_alias" "use letters, digits and - _ . / : # @ + without spaces, not of the form of an id, without .. parts";
    BadPath Invalid "bad_path" "give another path: what is anchored, edited or listed lies inside the project, a backup or an export outside the record's folder";
    BadLine Invalid "bad_line" "mend the line that the message names";
    ImportFaults Invalid "import_faults" "mend the listed lines, or import with partial";
    EvidenceMissing Invalid "evidence_missing" "say which standing state ended and quote the line that shows it; relates-to connects without claiming that";
    EvidenceNotFound Invalid "evidence_not_found" "quote a line that stands in either node, in its source, or in a source text passed with the call; relates-to connects without claiming that";
    SelfEdge Invalid "self_edge" "join two different nodes";
    WrongKind Invalid "wrong_kind" "name a node of the kind that the message asks for";
    BadArgument Invalid "bad_argument" "send the arguments that the tool's schema asks for";
    BadConfig Invalid "bad_config" "change the option that the message names";
    UnknownNode NotFound "unknown_node" "use an id or alias that the record holds";
    UnknownEdge NotFound "unknown_edge" "name an edge that the record holds";
    NoRecord NotFound "no_record" "open with create, or give the folder that holds the record";
    NoSuchPath NotFound "no_such_path" "give a path that exists and can be read";
    Cycle Conflict "cycle" "leave out one edge of the path that the message names";
    AliasTaken Conflict "alias_taken" "use another alias, or revise the node that has it";
    EdgeExists Conflict "edge_exists" "take it away first, with unlink or for supersedes with demote, or leave it as it is";
    NotHolder Conflict "not_holder" "ask the holder, or take the task over with a reason";
    WrongState Conflict "wrong_state" "read again what the message names: as it stands, it does not allow this";
    ClockSuspect Conflict "clock_suspect" "set the clock right; if it is right and the record was only quiet, write something else first or release the task by force";
    NotPermitted Invalid "not_permitted" "ask the host for that right";
    ReadOnly Invalid "read_only" "open the record for writing";
    Busy Busy "busy" "try again, or wait longer with busy_timeout";
    TransactionTimeout Busy "transaction_timeout" "make the transaction shorter and run it again";
    Closed Closed "closed" "open the record again";
    Forked Closed "forked" "open the record in the child process itself";
    Storage Io "storage" "look at the disk, its rights and its free space, and at how many files may be open; what was acknowledged is kept";
    DiskFull Io "disk_full" "make room on the disk and call again; nothing of this call was written";
    SymlinkRefused Io "symlink_refused" "put a real file or folder in place of the symbolic link";
    WalNeedsWriter Io "wal_needs_writer" "let the process write to the folder, or put a backup there, which has no write-ahead log";
    Gone Io "gone" "put the record's folder back where it was, then open again";
    Damaged Corrupt "damaged" "stop writing and restore a backup; keep the damaged files for inspection";
    ChainBroken Corrupt "chain_broken" "stop writing and restore a backup; keep the damaged files for inspection";
    NewerFormat Incompatible "newer_format" "use a release of stele that knows this format";
    OlderFormat Incompatible "older_format" "let the owner of the record migrate it, once, with `Record::migrate`";
    ProviderFailed Provider "provider_failed" "look at the attached cause";
    Internal Internal "internal" "report it with the message";
}

/// What went wrong: a kind to act on, a stable code, a message, and details by name.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    code: Code,
    what: String,
    details: Vec<(&'static str, String)>,
    cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Code {
    /// The code of an error of the file system that is about a file which should be there.
    pub(crate) fn of_file_error(kind: std::io::ErrorKind) -> Self {
        match kind {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Storage,
        }
    }
}

impl Error {
    /// Makes an error whose message is `what` followed by the remedy of `code`.
    #[must_use]
    pub fn new(code: Code, what: impl Into<String>) -> Self {
        Self(Box::new(Inner { code, what: what.into(), details: Vec::new(), cause: None }))
    }

    /// Adds a named detail.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.0.details.push((name, value.to_string()));
        self
    }

    /// Attaches the error that led to this one.
    #[must_use]
    pub fn because(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.cause = Some(Arc::new(cause));
        self
    }

    /// What the caller should do next.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.code.kind()
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// True if the same call may succeed later without a change by the caller.
    #[must_use]
    pub fn retryable(&self) -> bool {
        self.kind() == ErrorKind::Busy || self.0.code == Code::DiskFull
    }

    /// The details by name, such as `field`, `limit`, `ids`, in the order they were added.
    #[must_use]
    pub fn details(&self) -> &[(&'static str, String)] {
        &self.0.details
    }

    /// The error as a JSON object for a program or a model: kind, code, message, remedy, details.
    #[must_use]
    pub fn json(&self) -> String {
        struct Details<'e>(&'e [(&'static str, String)]);
        impl serde::Serialize for Details<'_> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
            }
        }
        #[derive(serde::Serialize)]
        struct Form<'e> {
            kind: &'static str,
            code: &'static str,
            message: &'e str,
            remedy: &'static str,
            #[serde(skip_serializing_if = "details_are_none")]
            details: Details<'e>,
        }
        fn details_are_none(details: &Details<'_>) -> bool {
            details.0.is_empty()
        }
        let (code, details) = (self.0.code, Details(&self.0.details));
        let form = Form { kind: code.kind().as_str(), code: code.as_str(), message: &self.0.what, remedy: code.remedy(), details };
        serde_json::to_string(&form).expect("invariant: every key is a string and no value can fail")
    }

    /// One detail by name.
    #[must_use]
    pub fn detail(&self, name: &str) -> Option<&str> {
        self.0.details.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.0.what, self.0.code.remedy())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Error");
        out.field("kind", &self.kind().as_str()).field("code", &self.0.code.as_str()).field("what", &self.0.what);
        if !self.0.details.is_empty() {
            out.field("details", &self.0.details);
        }
        if let Some(cause) = &self.0.cause {
            out.field("cause", &cause.to_string());
        }
        out.finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_never_suggest_deleting() {
        let mut seen = std::collections::BTreeSet::new();
        for code in Code::ALL {
            assert!(seen.insert(code.as_str()), "{} stands twice", code.as_str());
            for word in ["delete", "remove", " rm ", "erase"] {
                assert!(!code.remedy().contains(word), "{} suggests to {word}", code.as_str());
            }
        }
    }

    #[test]
    fn a_message_names_what_happened_and_what_to_do() {
        let error = Error::new(Code::TooLarge, "record a fact: body has 70000 bytes, the limit is 65536").with("field", "body");
        assert_eq!(error.to_string(), "record a fact: body has 70000 bytes, the limit is 65536; shorten the named field to its limit or split it");
        assert_eq!(error.detail("field"), Some("body"));
    }
}
