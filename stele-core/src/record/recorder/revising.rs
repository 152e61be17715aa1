//! What is said of a revision: the same advice as of a new node, where it says something else than before.

use super::{Compared, Recorded, Recorder};
use crate::base::error::Result;
use crate::base::text::fold_space;
use crate::base::time::Deadline;
use crate::record::advice::advise;
use crate::record::draft::Revision;
use crate::record::node::Content;
use crate::record::reader::Snapshot;
use crate::record::settle::{check_new_secrets, settle_content};

impl Recorder<'_> {
    /// Changes what a node says. The old text stays in its history; a change of nothing writes nothing. Where its title or
    /// body changes, there is advice as for a new node.
    ///
    /// # Errors
    /// As for recording; `unknown_node`.
    pub fn revise(&self, id: &str, revision: Revision) -> Result<Recorded> {
        // Before the lock is taken, as for a new node; whatever is wrong with the text is told by the verb itself.
        let compared = self.compare_revised(id, &revision).ok().flatten().unwrap_or_default();
        self.run(|write| {
            let before = write.views().resolve(id)?.map_or(Ok(None), |found| write.views().content(found.id.number))?;
            let id = write.revise(id, &revision)?;
            let Some((content, _)) = write.views().content(id.number)? else { return Ok(Recorded { id, advice: Vec::new() }) };
            if before.is_some_and(|(before, _)| before.title == content.title && before.body == content.body) {
                return Ok(Recorded { id, advice: Vec::new() });
            }
            if let Some((embedder, hash, vector)) = &compared.vector {
                write.keep_vector(embedder, hash, vector)?;
            }
            Ok(Recorded { id, advice: advise(write.views(), id, &content, &compared.near)? })
        })
    }

    /// What is near to the text that a node is about to have; nothing where that stays or is refused.
    fn compare_revised(&self, id: &str, revision: &Revision) -> Result<Option<Compared>> {
        if self.within.is_some() || (revision.title.is_none() && revision.body.is_none()) {
            return Ok(None);
        }
        let views = Snapshot::open(&self.writing.database, None, self.writing.clock.now(), Deadline::NEVER)?;
        let number = views.require(id)?.id.number;
        let Some((old, _)) = views.content(number)? else { return Ok(None) };
        drop(views);
        let mut content = Content { title: revision.title.as_deref().map_or_else(|| old.title.clone(), fold_space), ..old.clone() };
        if let Some(body) = &revision.body {
            content.body.clone_from(body);
        }
        settle_content(&mut content)?;
        if !revision.allow_secrets && !self.allow_secrets {
            check_new_secrets(&old, &content)?;
        }
        let changed = old.title != content.title || old.body != content.body;
        Ok(changed.then(|| self.compare(&content)))
    }
}
