//! What every importer makes of its source: nodes and edges, checked as far as that needs no record.

use serde::{Deserialize, Serialize};

use super::fields::Excerpt;
use super::report::Place;
use crate::base::config::FIELD_BYTES;
use crate::base::error::{Code, Error, Result};
use crate::base::id::{ALIAS_BYTES, NodeId};
use crate::base::text::{check_filled, check_text};
use crate::base::time::Timestamp;
use crate::record::draft::Draft;
use crate::record::edge::Relation;
use crate::record::node::Content;
use crate::record::settle::{check_secret, content_of};

/// Which parts of a node a source speaks of. In a node that is there already, the others stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Given(u32);

impl Given {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const BODY: Self = Self(1);
    pub(crate) const TAGS: Self = Self(1 << 1);
    pub(crate) const SOURCE: Self = Self(1 << 2);
    pub(crate) const ANCHORS: Self = Self(1 << 3);
    pub(crate) const EXPIRES_AT: Self = Self(1 << 4);
    pub(crate) const REVIEW_AT: Self = Self(1 << 5);
    pub(crate) const TASK_TYPE: Self = Self(1 << 6);
    pub(crate) const PRIORITY: Self = Self(1 << 7);
    pub(crate) const CRITERIA: Self = Self(1 << 8);
    pub(crate) const STATUS: Self = Self(1 << 9);
    pub(crate) const TRIGGER: Self = Self(1 << 10);
    pub(crate) const MANDATORY: Self = Self(1 << 11);
    pub(crate) const ALWAYS_ON: Self = Self(1 << 12);
    pub(crate) const FORBIDDEN: Self = Self(1 << 13);
    pub(crate) const INSTEAD: Self = Self(1 << 14);
    pub(crate) const DOMAIN: Self = Self(1 << 15);
    pub(crate) const SEVERITY: Self = Self(1 << 16);
    pub(crate) const POINTS: Self = Self(1 << 17);
    pub(crate) const KEYWORDS: Self = Self(1 << 18);
    pub(crate) const FLOOR_MODES: Self = Self(1 << 19);
    pub(crate) const ACTION_TRIGGERS: Self = Self(1 << 20);
    pub(crate) const METHODOLOGY: Self = Self(1 << 21);
    /// The source says that it sits under no component.
    pub(crate) const NO_COMPONENT: Self = Self(1 << 22);
    /// The source says that it hangs on no task.
    pub(crate) const NO_TASK: Self = Self(1 << 23);

    pub(crate) fn and(self, other: Self, given: bool) -> Self {
        if given { Self(self.0 | other.0) } else { self }
    }

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A node to be imported.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NodeItem {
    pub(crate) place: Place,
    /// The number by which the source's own edges name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u64>,
    pub(crate) aliases: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) created_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) component: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resolves_with: Option<String>,
    /// Why it is put away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) archived: Option<String>,
    pub(crate) given: Given,
    pub(crate) content: Content,
}

impl NodeItem {
    /// Checks a draft and makes an item of it.
    ///
    /// # Errors
    /// As for recording.
    pub(crate) fn of(place: Place, draft: Draft, given: Given) -> Result<Self> {
        let content = content_of(&draft)?;
        for (field, reference) in [("component", &draft.component), ("resolves_with", &draft.resolves_with)] {
            if let Some(reference) = reference {
                check_filled(field, reference, ALIAS_BYTES)?;
            }
        }
        Ok(Self {
            place,
            number: None,
            aliases: draft.aliases,
            created_at: draft.created_at,
            component: draft.component,
            resolves_with: draft.resolves_with,
            archived: None,
            given,
            content,
        })
    }

    /// Says that it is put away, and why.
    pub(crate) fn put_away(&mut self, why: String, allow_secrets: bool) -> Result<()> {
        check_filled("archived", &why, FIELD_BYTES)?;
        if !allow_secrets {
            check_secret("archived", &why)?;
        }
        self.archived = Some(why);
        Ok(())
    }
}

/// What to do with an edge where it does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Strictness {
    /// Report a fault.
    #[default]
    Exact,
    /// Pass it over if an end is nowhere, for a source that may name what it does not hold.
    Loose,
    /// A child and its parent: as `Loose`; `blocks` into a container, as long as it closes no cycle, else `fulfills`.
    Child,
}

/// An edge to be imported.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EdgeItem {
    pub(crate) place: Place,
    pub(crate) from: String,
    pub(crate) relation: Relation,
    pub(crate) to: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) evidence: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source_text: Option<Excerpt>,
    #[serde(default)]
    pub(crate) strictness: Strictness,
}

impl EdgeItem {
    /// Checks what can be checked without the record.
    ///
    /// # Errors
    /// `empty_field`, `too_large`, `bad_text`, `secret`, `bad_line`.
    pub(crate) fn checked(self, allow_secrets: bool) -> Result<Self> {
        check_filled("from", &self.from, ALIAS_BYTES)?;
        check_filled("to", &self.to, ALIAS_BYTES)?;
        let (mut text, mut uri, mut revision) = ("", "", "");
        if let Some(excerpt) = &self.source_text {
            text = &excerpt.text;
            uri = excerpt.uri.as_deref().unwrap_or("");
            revision = excerpt.revision.as_deref().unwrap_or("");
            if let Some(hash) = &excerpt.sha256
                && (hash.len() != 64 || !hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
            {
                return Err(
                    Error::new(Code::BadLine, "read source_text.sha256: it is not 64 lower-case hexadecimal digits").with("field", "source_text.sha256")
                );
            }
        }
        let texts = [
            ("reason", self.reason.as_str(), FIELD_BYTES),
            ("evidence", &self.evidence, FIELD_BYTES),
            ("source_text", text, crate::base::config::DOCUMENT_BYTES),
            ("source_text.uri", uri, 2_000),
            ("source_text.revision", revision, 200),
        ];
        for (field, text, limit) in texts {
            check_text(field, text, limit)?;
            if !allow_secrets {
                check_secret(field, text)?;
            }
        }
        Ok(self)
    }
}

/// A node or an edge.
#[derive(Debug)]
pub(crate) enum Item {
    Node(Box<NodeItem>),
    Edge(Box<EdgeItem>),
}

/// The number of an id, if a text has the form of one.
pub(crate) fn id_number(text: &str) -> Option<u64> {
    NodeId::parse(text.trim()).map(|id| id.number)
}
