//! The C door. `include/stele.h` is made from these files by `cargo xtask header`; its laws stand in `laws.txt`.
//!
//! Every export is one call of a guard (`guard::status` or `guard::value`), which catches panics and turns errors into
//! statuses. Nothing here decides anything: verbs are the core's, JSON calls are the kit's.
#![allow(unsafe_code, reason = "this is the crate in which pointers of a host are read and written")]
#![deny(unsafe_op_in_unsafe_fn)]
#![allow(non_camel_case_types, reason = "types are called what the header calls them")]
#![allow(clippy::missing_safety_doc, reason = "the laws of the header hold for every function")]

mod assembly;
mod call;
mod context;
mod errors;
mod guard;
mod host;
mod import;
mod plan;
mod record;
mod recorder;
mod retrieval;
mod retriever;
mod session;
mod sized;
mod sweep;
mod text;
mod version;

pub use assembly::*;
pub use call::*;
pub use context::*;
pub use errors::*;
pub use host::*;
pub use import::*;
pub use plan::*;
pub use record::*;
pub use recorder::*;
pub use retrieval::*;
pub use retriever::*;
pub use session::*;
pub use sweep::*;
pub use text::*;
pub use version::*;
