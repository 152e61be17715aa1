//! What a person or a helper looks up, on a handle that cannot write.

use std::fmt::Write as _;

use stele_core::{Format, RecallOptions, Record};

use crate::World;
use crate::place;

fn open(world: &World) -> Result<Record, String> {
    let folders = [Some(world.folder.as_path()), world.project.as_deref()];
    let place = folders
        .into_iter()
        .flatten()
        .find_map(|folder| place::find(folder, world))
        .ok_or("there is no record here or above: `python -m stele init` makes one")?;
    Record::options().create(false).read_only(true).open(place.record).map_err(|error| error.to_string())
}

pub(crate) fn search(question: &str, world: &World) -> Result<String, String> {
    let found = open(world)?.retriever().recall(question, &RecallOptions::new()).map_err(|error| error.to_string())?;
    let text = found.render(Format::Text);
    Ok(if text.is_empty() { "nothing in the record bears on that\n".to_owned() } else { text })
}

pub(crate) fn show(ids: &[String], world: &World) -> Result<String, String> {
    let record = open(world)?;
    let mut out = String::new();
    for id in ids {
        // A retrieval that names a node shows it whole, and what it replaced or what replaced it.
        let node = record.retriever().get(id).map_err(|error| error.to_string())?;
        let found = record.retriever().retrieve(&node.id.to_string(), &stele_core::RetrieveOptions::new().hops(0)).map_err(|error| error.to_string())?;
        let _ = out.write_str(&found.render(Format::Text));
    }
    Ok(out)
}
