//! What the doors of stele share: every verb as a call with a JSON object of arguments, its result with the same fields in
//! every door, and both as one table. It translates; every rule is the core's.
//!
//! A verb of a recorder, a retriever or a session takes beside its own arguments what such a handle is bound to: `actor` and
//! `session`; `as_of`; `session`, `actor` and `root`.

mod arguments;
mod assembling;
mod importing;
mod json;
mod notation;
mod parted;
pub mod results;
mod table;
mod values;
mod verbs;
mod words;

pub use assembling::{assemble_options, context_json, declaration, supply};
pub use importing::import_text;
pub use json::read_json;
pub use notation::{Notation, written};
pub use parted::{Part, Parted, Window, context_parted};
pub use table::{Argument, Owner, Verb, call, call_parted, call_text, call_within, read_arguments, verbs};
pub use words::{Enumeration, enumerations};
