//! What every other layer stands on: errors, ids, time, defaults, text shaping. Imports nothing of the crate.

pub mod config;
pub(crate) mod digest;
pub(crate) mod erase;
pub(crate) mod error;
pub(crate) mod fail_points;
pub(crate) mod file_lock;
pub(crate) mod frame;
pub(crate) mod id;
pub(crate) mod keywords;
pub(crate) mod leaving;
pub(crate) mod names;
pub(crate) mod node_set;
pub(crate) mod number_map;
pub(crate) mod passages;
pub(crate) mod path;
pub(crate) mod places;
pub(crate) mod secrets;
pub(crate) mod terms;
pub(crate) mod text;
pub(crate) mod time;
pub(crate) mod tokens;
pub(crate) mod triggers;
pub(crate) mod unseen;
pub(crate) mod whole_characters;
