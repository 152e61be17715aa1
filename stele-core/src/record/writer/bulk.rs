//! What is different in long transactions: no bound in time and more pages in memory; in an import all names at hand, too.

use rusqlite::Connection;

use super::Write;
use crate::base::error::Result;
use crate::base::id::NodeId;
use crate::record::database::{Trouble, number_out};
use crate::record::drawn_edges::DrawnEdges;
use crate::record::known_names::KnownNames;
use crate::record::node::Class;
use crate::record::sealing::Sealing;

/// The pages that an import keeps in memory, in KiB. Those that do not fit are written and read again, over and over.
const CACHE_KIB: u32 = 256 * 1024;
/// The largest import for which all names are read into memory; each takes some 100 bytes.
const NAMED_NODES: u64 = 2_000_000;
/// A record is read whole for its names if it has at most so many nodes for each that is imported.
const NODES_READ: u64 = 4;

impl Write {
    /// Makes ready for about so many nodes: as [`Self::begin_bulk`], and puts off what nobody reads before the commit.
    pub(crate) fn begin_import(&mut self, nodes: u64) -> Result<()> {
        self.begin_bulk()?;
        self.importing = true;
        // The import moves the pages into the record itself, after the lock is given back.
        self.views().conn().execute_batch("PRAGMA wal_autocheckpoint = 0").map_err(Trouble::during("begin an import"))?;
        let last_number = self.views().last_number()?;
        self.drawn = Some(DrawnEdges::after(last_number));
        self.sealing = Sealing::begin();
        if nodes <= NAMED_NODES && last_number <= nodes.saturating_mul(NODES_READ) {
            self.names = Some(KnownNames::read(self.views().conn(), last_number)?);
        }
        Ok(())
    }

    /// Lets the transaction keep more pages in memory.
    pub(crate) fn begin_bulk(&mut self) -> Result<()> {
        self.bulk = true;
        self.views().conn().execute_batch(&format!("PRAGMA cache_size = -{CACHE_KIB}")).map_err(Trouble::during("begin a long transaction"))
    }

    /// The number of the newest node, counting those of this transaction.
    pub(super) fn last_number(&self) -> Result<u64> {
        match number_out(self.kept.deferred.tally().last_number) {
            0 => self.views().last_number(),
            made => Ok(made),
        }
    }

    /// What an id or alias stands for.
    pub(crate) fn find(&self, reference: &str) -> Result<Option<NodeId>> {
        let Some(names) = &self.names else { return Ok(self.views().resolve(reference)?.map(|found| found.id)) };
        let reference = reference.trim();
        let number = NodeId::parse(reference).map(|id| id.number).or_else(|| names.number(reference));
        let Some(number) = number else { return Ok(None) };
        let end = self.kept.ends.of(self.views().conn(), number)?;
        let class = end.and_then(|end| u8::try_from(end.class).ok()).and_then(Class::from_number);
        Ok(class.map(|class| NodeId { kind: class.kind(), number }))
    }
}

/// Gives the memory of an import back.
pub(super) fn end(conn: &Connection) {
    let _ = conn.execute_batch("PRAGMA cache_size = -2000; PRAGMA wal_autocheckpoint = 1000; PRAGMA shrink_memory");
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::base::error::Result;
    use crate::base::time::Timestamp;
    use crate::record::database::{Database, Durability, Opening};
    use crate::record::draft::{Draft, Revision};
    use crate::record::edge::Relation;
    use crate::record::log::Hand;
    use crate::record::node::Category;
    use crate::record::replay::{dump, verify_views};
    use crate::record::settle::content_of;

    #[derive(Clone, Debug)]
    enum Verb {
        Create {
            alias: Option<u8>,
            names: Vec<(bool, u8)>,
            category: u8,
        },
        Retell {
            node: u8,
            names: Vec<(bool, u8)>,
            category: u8,
        },
        Rename {
            node: u8,
            alias: u8,
        },
        Link {
            from: u8,
            relation: u8,
            to: u8,
        },
        Archive {
            node: u8,
        },
        /// Verbs that are undone together.
        Undone(Vec<Verb>),
    }

    fn alias(nth: u8) -> String {
        format!("Part-{nth}")
    }

    fn text(names: &[(bool, u8)]) -> String {
        names.iter().map(|(by_alias, nth)| if *by_alias { alias(*nth) } else { format!("see know-{nth}") }).collect::<Vec<_>>().join(", ")
    }

    fn category(nth: u8) -> Category {
        if nth.is_multiple_of(2) { Category::Fyi } else { Category::Risk }
    }

    fn run(write: &mut Write, verb: &Verb) -> Result<()> {
        let id = |nth: u8| format!("KNOW-{nth}");
        match verb {
            Verb::Create { alias: own, names, category: nth } => {
                let mut draft = Draft::fact(category(*nth), "a fact");
                draft.body = text(names);
                draft.aliases.extend(own.map(alias));
                write.create_settled(content_of(&draft)?, &draft).map(drop)
            }
            Verb::Retell { node, names, category: nth } => {
                let mut revision = Revision::new().body(text(names));
                revision.category = Some(category(*nth));
                write.step(|write| write.revise(&id(*node), &revision)).map(drop)
            }
            Verb::Rename { node, alias: nth } => write.alias(&id(*node), &alias(*nth)).map(drop),
            Verb::Link { from, relation, to } => {
                let relation = [Relation::RelatesTo, Relation::Blocks, Relation::Contradicts, Relation::Mentions][usize::from(relation % 4)];
                write.link(&id(*from), relation, &id(*to), "as stated", "", true)
            }
            Verb::Archive { node } => write.archive(&id(*node), "over").map(drop),
            Verb::Undone(verbs) => {
                let mark = write.mark()?;
                verbs.iter().for_each(|verb| drop(run(write, verb)));
                write.undo(mark);
                Ok(())
            }
        }
    }

    /// The views and the outcomes of some verbs, in a transaction of an import or in a plain one.
    fn outcome(verbs: &[Verb], bulk: bool) -> (String, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        let opening = Opening { create: true, read_only: false, durability: Durability::Normal, busy_timeout: Duration::from_secs(1) };
        let database = Arc::new(Database::open(&folder.path().join(".stele"), opening).expect("a record"));
        let hand = Hand { at: Timestamp::from_unix_ms(1_000), actor: "a", session: None };
        let mut said = Vec::new();
        // The second transaction begins with what the first one left.
        for part in verbs.chunks(verbs.len().div_ceil(2).max(1)) {
            let mut write = Write::begin(&database, &hand, Duration::from_secs(1)).expect("a transaction");
            if bulk {
                write.begin_import(1_000).expect("an import");
            }
            said.extend(part.iter().map(|verb| run(&mut write, verb).err().map(|error| error.to_string()).unwrap_or_default()));
            write.commit().expect("a commit");
        }
        let conn = database.reader().expect("a reader");
        assert_eq!(crate::record::log::verify(&conn).expect("a whole log"), crate::record::log::head(&conn).expect("a head"));
        verify_views(&conn).expect("what the log says");
        (dump(&conn).expect("the views"), said)
    }

    fn verb() -> impl Strategy<Value = Verb> {
        let names = || prop::collection::vec((any::<bool>(), 0..9u8), 0..3);
        let single = prop_oneof![
            4 => (prop::option::of(0..9u8), names(), 0..2u8).prop_map(|(alias, names, category)| Verb::Create { alias, names, category }),
            2 => (1..9u8, names(), 0..2u8).prop_map(|(node, names, category)| Verb::Retell { node, names, category }),
            1 => (1..9u8, 0..9u8).prop_map(|(node, alias)| Verb::Rename { node, alias }),
            3 => (1..9u8, 0..4u8, 1..9u8).prop_map(|(from, relation, to)| Verb::Link { from, relation, to }),
            1 => (1..9u8).prop_map(|node| Verb::Archive { node }),
        ];
        single.prop_recursive(2, 8, 4, |inner| prop::collection::vec(inner, 1..4).prop_map(Verb::Undone))
    }

    #[test]
    fn edges_that_an_import_draws_twice_and_parts_between_its_nodes_leave_what_single_operations_leave() {
        let node = || Verb::Create { alias: None, names: Vec::new(), category: 0 };
        let link = |from, relation, to| Verb::Link { from, relation, to };
        let retell = |node| Verb::Retell { node, names: vec![(false, 1)], category: 0 };
        let first = [node(), node(), node(), link(1, 0, 2), link(1, 0, 2), node(), retell(3), Verb::Undone(vec![node(), retell(2)])];
        let second = [node(), link(5, 0, 1), link(5, 0, 1), node(), link(1, 2, 5), link(5, 2, 1), retell(5), node()];
        let verbs = [first, second].concat();
        let (views, said) = outcome(&verbs, true);
        assert_eq!(said.iter().filter(|said| said.contains("that edge is there")).count(), 3, "{said:?}");
        assert_eq!((views, said), outcome(&verbs, false));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn an_import_leaves_the_views_that_single_operations_leave(verbs in prop::collection::vec(verb(), 1..16)) {
            prop_assert_eq!(outcome(&verbs, true), outcome(&verbs, false));
        }
    }
}
