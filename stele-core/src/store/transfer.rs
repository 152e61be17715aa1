//! What the record takes in and gives out in bulk.

use std::io::BufRead;
use std::path::Path;

use super::Record;
use crate::base::error::Result;
use crate::import::export::{self, ExportForm, ExportReport};
use crate::import::graph;
use crate::import::report::{ImportOptions, ImportReport};
use crate::import::{adr, beads, jsonl, log};

impl Record {
    /// Imports a file of JSON Lines: nodes and edges in any order, all of it or nothing, again and again with the same
    /// outcome. Faults are reported by line and leave the record as it was, unless the options say `partial`.
    ///
    /// # Errors
    /// `no_such_path`, `read_only`, `busy`, `closed`, `storage`, `disk_full` and their like. A faulty line is no error.
    pub fn import_jsonl(&self, path: impl AsRef<Path>, actor: &str, options: ImportOptions<'_>) -> Result<ImportReport> {
        jsonl::import_jsonl(&self.writing()?, path.as_ref(), actor, options)
    }

    /// Imports JSON Lines from a reader; as [`Self::import_jsonl`].
    ///
    /// # Errors
    /// As [`Self::import_jsonl`].
    pub fn import_lines(&self, mut lines: impl BufRead, actor: &str, options: ImportOptions<'_>) -> Result<ImportReport> {
        jsonl::import_lines(&self.writing()?, &mut lines, None, actor, options)
    }

    /// Imports a folder of architecture decision records in the form of Nygard or MADR.
    ///
    /// # Errors
    /// As [`Self::import_jsonl`]; `bad_alias` for a prefix that no alias may have.
    pub fn import_adr(&self, folder: impl AsRef<Path>, actor: &str, options: ImportOptions<'_>) -> Result<ImportReport> {
        adr::import_adr(&self.writing()?, folder.as_ref(), actor, options)
    }

    /// Imports an issue file of beads (`issues.jsonl`).
    ///
    /// # Errors
    /// As [`Self::import_jsonl`].
    pub fn import_beads(&self, path: impl AsRef<Path>, actor: &str, options: ImportOptions<'_>) -> Result<ImportReport> {
        beads::import_beads(&self.writing()?, path.as_ref(), actor, options)
    }

    /// Imports a file that [`Self::export_jsonl`] wrote with [`ExportForm::Log`] into this record, which must be empty: the
    /// same operations with the same ids, times, authors and hashes, and so the same history. Gives the head.
    ///
    /// # Errors
    /// `wrong_state` if the record holds an operation; `bad_line`, naming it; `chain_broken` if a hash does not fit;
    /// `newer_format`; `no_such_path`, `storage`, `busy` and their like. Then nothing is written.
    pub fn import_log(&self, path: impl AsRef<Path>) -> Result<u64> {
        let writing = self.writing()?;
        let head = log::import_log(&writing, path.as_ref())?;
        writing.follower.written(head);
        Ok(head)
    }

    /// Writes the record as it stands now into a new or empty folder, which is a record by itself, while others read and
    /// write. Its indexes are made when it is opened, its sessions begin anew.
    ///
    /// # Errors
    /// `bad_path` if the folder holds something or lies in the record's own; `storage`, `disk_full` and their like.
    pub fn backup(&self, folder: impl AsRef<Path>) -> Result<()> {
        self.shared.database.backup(folder.as_ref())
    }

    /// Writes the record to a file of JSON Lines that appears whole or not at all.
    ///
    /// # Errors
    /// `bad_path` for a path inside the record's folder; `no_such_path`, `storage`, `disk_full`; those of reading.
    pub fn export_jsonl(&self, path: impl AsRef<Path>, form: ExportForm) -> Result<ExportReport> {
        export::export_jsonl(&self.shared.database, path.as_ref(), form, self.shared.clock.now())
    }

    /// Gives the record as one graph in JSON, without bodies: `{"directed": true, "multigraph": true, "graph": {"head"},
    /// "nodes": [{"id", "aliases", "kind", "category", "state", "status", "title", "tags", "component", "created_at"}],
    /// "edges": [{"source", "target", "key", "reason", "evidence", "at", "automatic"}]}`. An edge goes from `source` to
    /// `target`, and its `key` is the relation.
    ///
    /// # Errors
    /// `closed`, `gone`, `damaged`, `storage` and its like.
    pub fn export_graph(&self) -> Result<String> {
        graph::export_graph(&self.snapshot()?)
    }
}
