//! What happens to a record around its rules, within one process: other handles, other files, damage, and handles that
//! may not write.

#[path = "store_hazards/files.rs"]
mod files;
#[path = "store_hazards/handles.rs"]
mod handles;
#[path = "store_hazards/indexes.rs"]
mod indexes;
#[path = "store_hazards/reading.rs"]
mod reading;
#[path = "store_hazards/world.rs"]
mod world;
