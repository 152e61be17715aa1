//! Numbered points of every path that writes, at which a test may end its own process. Without the feature
//! `fail-points`, which no release has, a point is nothing at all.

/// Marks a point by its name in [`FailPoint`].
macro_rules! fail_point {
    ($point:ident) => {{
        #[cfg(feature = "fail-points")]
        $crate::base::fail_points::reach($crate::base::fail_points::FailPoint::$point);
    }};
}
pub(crate) use fail_point;

#[cfg(feature = "fail-points")]
pub(crate) use points::reach;
#[cfg(feature = "fail-points")]
pub use points::{FailPoint, on_fail_point};

#[cfg(feature = "fail-points")]
mod points {
    use std::sync::OnceLock;

    crate::base::names::named_enum! {
        /// A point of a path that writes.
        FailPoint, UnknownValue, "fail point" {
            /// The folder of a new record is there.
            FolderMade = 1 "folder-made",
            /// The file of a new record is there, under another name.
            RecordBegun = 2 "record-begun",
            /// Its tables are made and not committed.
            TablesMade = 3 "tables-made",
            /// Its tables are committed.
            TablesCommitted = 4 "tables-committed",
            /// Its write-ahead log is taken in.
            TablesClosed = 5 "tables-closed",
            /// It has its own name and the other.
            RecordLinked = 6 "record-linked",
            /// It has its own name only.
            RecordMade = 7 "record-made",
            /// Before a write takes the lock.
            WriteWanted = 10 "write-wanted",
            /// It has the lock.
            WriteBegun = 11 "write-begun",
            /// An operation stands in the log.
            OperationLogged = 12 "operation-logged",
            /// It is applied to the views.
            OperationApplied = 13 "operation-applied",
            /// A vector is kept beside the log.
            VectorKept = 14 "vector-kept",
            /// Before the commit.
            CommitWanted = 15 "commit-wanted",
            /// After it, before the caller hears of it.
            Committed = 16 "committed",
            /// A write beside the log is done and not committed.
            OutsideWritten = 17 "outside-written",
            /// It is committed.
            OutsideCommitted = 18 "outside-committed",
            /// Before the write-ahead log is taken into the record.
            WalLong = 19 "wal-long",
            /// Its pages are taken in, the file is as long as before.
            WalMoved = 20 "wal-moved",
            /// It is cut to nothing.
            WalCut = 21 "wal-cut",
            /// The staging files of an import are there.
            StagingMade = 30 "staging-made",
            /// An item is staged.
            ItemStaged = 31 "item-staged",
            /// The mark of an import stands.
            ImportMarked = 32 "import-marked",
            /// All of an import is appended and not committed.
            ImportAppended = 33 "import-appended",
            /// An import is committed; mark and staging files stand.
            ImportCommitted = 34 "import-committed",
            /// An export is written under another name.
            ExportWritten = 35 "export-written",
            /// It has its own.
            ExportPlaced = 36 "export-placed",
            /// The text index is open for writing.
            TextBegun = 40 "text-begun",
            /// A node is written to it and not committed.
            TextWritten = 41 "text-written",
            /// Its segments are written, no list names them.
            TextPrepared = 42 "text-prepared",
            /// The list names them.
            TextCommitted = 43 "text-committed",
            /// Merging is over.
            TextMerged = 44 "text-merged",
            /// An index of another history has lost its list.
            ListDiscarded = 45 "list-discarded",
            /// The folder of an index has made way for the one made anew.
            IndexCleared = 46 "index-cleared",
            /// That has taken its place.
            IndexPlaced = 47 "index-placed",
            /// The file of a segment of vectors is there.
            SegmentBegun = 50 "segment-begun",
            /// Its bytes are written.
            SegmentWritten = 51 "segment-written",
            /// They are durable.
            SegmentDurable = 52 "segment-durable",
            /// The next manifest is written and durable.
            ManifestWritten = 53 "manifest-written",
            /// It has taken the place of the one before.
            ManifestSwapped = 54 "manifest-swapped",
            /// The swap is durable.
            SwapDurable = 55 "swap-durable",
            /// What no manifest names is unlinked.
            SegmentsSwept = 56 "segments-swept",
            /// The file of sessions is there and empty.
            SessionsMade = 60 "sessions-made",
            /// A session is written and not committed.
            SessionWritten = 61 "session-written",
            /// It is committed.
            SessionCommitted = 62 "session-committed",
            /// A file of sessions that cannot be read is put aside.
            SessionsPutAside = 63 "sessions-put-aside",
            /// What a turn was given is written and not committed.
            TurnWritten = 64 "turn-written",
            /// The obligations that were read are kept.
            ObligationsKept = 65 "obligations-kept",
            /// A migration has the lock.
            MigrationBegun = 70 "migration-begun",
            /// The views are gone, in a migration, a purge or the import of a log.
            ViewsDropped = 71 "views-dropped",
            /// Empty ones stand in their place.
            ViewsMade = 72 "views-made",
            /// An operation is applied to them.
            OperationReplayed = 73 "operation-replayed",
            /// The format is set and nothing committed.
            FormatSet = 74 "format-set",
            /// The migration is committed.
            Migrated = 75 "migrated",
            /// The operations that a purge takes text out of have lost it, nothing is committed.
            OperationsErased = 80 "operations-erased",
            /// A purge is committed, other files still hold the text.
            PurgeCommitted = 81 "purge-committed",
            /// The sessions no longer do.
            SessionsForgotten = 82 "sessions-forgotten",
            /// The record's file is written anew, into the write-ahead log.
            FileRewritten = 83 "file-rewritten",
            /// A backup is written under another name.
            BackupWritten = 84 "backup-written",
            /// It has its own.
            BackupPlaced = 85 "backup-placed",
        }
    }

    static HOOK: OnceLock<fn(FailPoint)> = OnceLock::new();

    /// Sets what is called at every point that this process reaches from now on; the first call decides.
    pub fn on_fail_point(hook: fn(FailPoint)) {
        let _ = HOOK.set(hook);
    }

    /// Tells the hook, if there is one.
    pub(crate) fn reach(point: FailPoint) {
        if let Some(hook) = HOOK.get() {
            hook(point);
        }
    }
}
