//! The score: one table of weights, and the sum over it. Every weight of the sum stands here.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::result::Score;
use crate::base::error::{Code, Error, Result};
use crate::record::edge::Relation;
use crate::record::node::{Category, Class};

/// The weights that order a window: `class + relation − distance × hops`.
///
/// A host may read it, change it and set it. Components always score 0 and have no weight. Serialised as
/// `{"classes": {"decision": 3, …}, "relations": {"blocks": 3, …}, "match": 3, "distance": 0.5}`.
#[derive(Clone, Debug, PartialEq)]
pub struct RankingTable {
    classes: [f32; CLASSES],
    relations: [f32; RELATIONS],
    matched: f32,
    distance: f32,
}

/// Classes with a weight: all but the component, which has the highest number.
const CLASSES: usize = 14;
const RELATIONS: usize = 9;
/// Largest size of a weight.
const MOST: f32 = 1_000.0;

impl Default for RankingTable {
    fn default() -> Self {
        let class = |class: Class| match class {
            Class::Knowledge(Category::Decision | Category::Architecture) => 3.0,
            Class::Knowledge(Category::Goal | Category::Risk | Category::Lesson | Category::Priority) => 2.0,
            Class::Knowledge(Category::Gap | Category::Fyi | Category::Opportunity) | Class::Task | Class::Rule | Class::Document | Class::Diagram => 1.0,
            Class::Container => -3.0,
            Class::Component => 0.0,
        };
        let relation = |relation: Relation| match relation {
            Relation::Fulfills | Relation::Blocks | Relation::Supersedes => 3.0,
            Relation::CausedBy | Relation::Contradicts => 2.0,
            Relation::RelatesTo | Relation::Mentions | Relation::Embeds | Relation::ExpiresOn => 1.0,
        };
        Self {
            classes: std::array::from_fn(|at| class(Class::ALL[at])),
            relations: std::array::from_fn(|at| relation(Relation::ALL[at])),
            matched: 3.0,
            distance: 0.5,
        }
    }
}

impl RankingTable {
    /// The weight of a class; 0 for components.
    #[must_use]
    pub fn class(&self, class: Class) -> f32 {
        self.classes.get(usize::from(class.number())).copied().unwrap_or(0.0)
    }

    /// The weight of a relation.
    #[must_use]
    pub fn relation(&self, relation: Relation) -> f32 {
        self.relations[usize::from(relation.number())]
    }

    /// What takes the relation's place for a node that was found or named itself.
    #[must_use]
    pub fn matched(&self) -> f32 {
        self.matched
    }

    /// What each hop takes away.
    #[must_use]
    pub fn distance(&self) -> f32 {
        self.distance
    }

    /// Sets the weight of a class, from -1,000 to 1,000; components keep 0.
    ///
    /// # Errors
    /// `out_of_range`.
    pub fn set_class(&mut self, class: Class, weight: f32) -> Result<()> {
        check("classes", weight)?;
        if let Some(held) = self.classes.get_mut(usize::from(class.number())) {
            *held = plain(weight);
        }
        Ok(())
    }

    /// Sets the weight of a relation, from -1,000 to 1,000.
    ///
    /// # Errors
    /// `out_of_range`.
    pub fn set_relation(&mut self, relation: Relation, weight: f32) -> Result<()> {
        check("relations", weight)?;
        self.relations[usize::from(relation.number())] = plain(weight);
        Ok(())
    }

    /// Sets what takes the relation's place for a node that was found or named itself, from -1,000 to 1,000.
    ///
    /// # Errors
    /// `out_of_range`.
    pub fn set_matched(&mut self, weight: f32) -> Result<()> {
        check("match", weight)?;
        self.matched = plain(weight);
        Ok(())
    }

    /// Sets what each hop takes away, from 0 to 1,000.
    ///
    /// # Errors
    /// `out_of_range`.
    pub fn set_distance(&mut self, weight: f32) -> Result<()> {
        check("distance", weight)?;
        if weight < 0.0 {
            return Err(Error::new(Code::OutOfRange, format!("set a weight: distance {weight} is below 0")).with("field", "distance").with("limit", 0));
        }
        self.distance = plain(weight);
        Ok(())
    }

    /// The score of a node that was reached by an edge, or found or named itself.
    pub(crate) fn score(&self, class: Class, via: Option<Relation>, hops: u32) -> Score {
        if class == Class::Component {
            return Score::default();
        }
        #[expect(clippy::cast_precision_loss, reason = "hops are few")]
        let distance = self.distance * hops as f32;
        Score { category: self.class(class), relation: via.map_or(self.matched, |relation| self.relation(relation)), distance }
    }
}

fn check(field: &'static str, weight: f32) -> Result<()> {
    if weight.abs() <= MOST {
        return Ok(());
    }
    Err(Error::new(Code::OutOfRange, format!("set a weight: {field} {weight} is not between -{MOST} and {MOST}")).with("field", field).with("limit", MOST))
}

/// Zero without a sign: two sums that are zero are equal, and are written alike.
fn plain(weight: f32) -> f32 {
    weight + 0.0
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    #[serde(default)]
    classes: BTreeMap<String, f32>,
    #[serde(default)]
    relations: BTreeMap<String, f32>,
    #[serde(rename = "match")]
    matched: Option<f32>,
    distance: Option<f32>,
}

impl Serialize for RankingTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        Form {
            classes: Class::ALL[..CLASSES].iter().map(|class| (class.as_str().to_owned(), self.class(*class))).collect(),
            relations: Relation::ALL.iter().map(|relation| (relation.as_str().to_owned(), self.relation(*relation))).collect(),
            matched: Some(self.matched),
            distance: Some(self.distance),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RankingTable {
    /// Weights that are not given keep their defaults.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let form = Form::deserialize(deserializer)?;
        let mut table = Self::default();
        for (name, weight) in form.classes {
            let class =
                Class::ALL[..CLASSES].iter().find(|class| class.as_str() == name).ok_or_else(|| D::Error::custom(format!("no class has the name {name:?}")))?;
            table.set_class(*class, weight).map_err(D::Error::custom)?;
        }
        for (name, weight) in form.relations {
            table.set_relation(Relation::parse(&name).map_err(D::Error::custom)?, weight).map_err(D::Error::custom)?;
        }
        form.matched.map_or(Ok(()), |weight| table.set_matched(weight)).map_err(D::Error::custom)?;
        form.distance.map_or(Ok(()), |weight| table.set_distance(weight)).map_err(D::Error::custom)?;
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_table_gives_the_sums_of_the_rules() {
        let table = RankingTable::default();
        let total = |class, via, hops| table.score(class, via, hops).total();
        let decision = Class::Knowledge(Category::Decision);
        assert_eq!(total(decision, None, 0), 6.0);
        assert_eq!(total(decision, Some(Relation::CausedBy), 1), 4.5);
        assert_eq!(total(Class::Knowledge(Category::Risk), Some(Relation::Mentions), 2), 2.0);
        assert_eq!(total(Class::Knowledge(Category::Fyi), None, 0), 4.0);
        assert_eq!(total(Class::Container, Some(Relation::Blocks), 1), -0.5);
        assert_eq!(total(Class::Component, Some(Relation::Blocks), 1), 0.0);
        assert_eq!(total(Class::Component, None, 0), 0.0);
        assert_eq!(total(Class::Rule, Some(Relation::Embeds), 1), 1.5);
    }

    #[test]
    fn a_table_survives_its_written_form_and_strange_weights_are_refused() {
        let mut table = RankingTable::default();
        table.set_class(Class::Task, 2.25).expect("in range");
        let text = serde_json::to_string(&table).expect("a table is written");
        assert_eq!(serde_json::from_str::<RankingTable>(&text).expect("a table is read"), table);
        assert!(!text.contains("component"));
        assert_eq!(serde_json::from_str::<RankingTable>(r#"{"classes":{"task":2.25}}"#).expect("the rest stays"), table);
        for weight in [f32::NAN, f32::INFINITY, -2_000.0] {
            assert_eq!(table.set_class(Class::Task, weight).expect_err("out of range").code(), Code::OutOfRange);
        }
        assert!(table.set_distance(-1.0).is_err());
        table.set_class(Class::Task, -0.0).and_then(|()| table.set_relation(Relation::Blocks, -0.0)).expect("in range");
        assert!(table.score(Class::Task, Some(Relation::Blocks), 0).total().is_sign_positive(), "no zero is less than another");
        assert!(serde_json::from_str::<RankingTable>(r#"{"classes":{"dream":1},"relations":{},"match":3,"distance":0.5}"#).is_err());
    }
}
