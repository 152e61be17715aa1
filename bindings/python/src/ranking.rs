//! The weights that order a window, and the table of defaults.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use stele_core::{Class, Code, Error, Relation, Result, defaults as numbers};

use crate::arguments::text;
use crate::doorway::checked;
use crate::results::{decimal, shown};

/// The weights that order a window: category plus relation minus distance times hops.
///
/// What is not given has its default. Components always score 0 and have no weight.
#[pyclass(frozen, eq, module = "stele")]
#[derive(PartialEq)]
pub(crate) struct RankingTable(stele_core::RankingTable);

/// Weights by name.
type Weights = BTreeMap<String, f32>;

impl RankingTable {
    pub(crate) fn of(table: stele_core::RankingTable) -> Self {
        Self(table)
    }

    pub(crate) fn core(&self) -> &stele_core::RankingTable {
        &self.0
    }

    fn with(&self, classes: Option<Weights>, relations: Option<Weights>, matched: Option<f32>, distance: Option<f32>) -> Result<Self> {
        let mut table = self.0.clone();
        for (name, weight) in classes.unwrap_or_default() {
            table.set_class(class(&name)?, weight)?;
        }
        for (name, weight) in relations.unwrap_or_default() {
            table.set_relation(Relation::parse(&name)?, weight)?;
        }
        matched.map_or(Ok(()), |weight| table.set_matched(weight))?;
        distance.map_or(Ok(()), |weight| table.set_distance(weight))?;
        Ok(Self(table))
    }
}

/// The classes that have a weight.
fn classes() -> impl Iterator<Item = Class> {
    Class::ALL.into_iter().filter(|class| *class != Class::Component)
}

fn class(name: &str) -> Result<Class> {
    let known = || classes().map(|class| class.as_str()).collect::<Vec<_>>().join(", ");
    classes()
        .find(|class| class.as_str() == name)
        .ok_or_else(|| Error::new(Code::UnknownValue, format!("set a weight: no class {name:?}, there are {}", known())).with("field", "classes"))
}

#[pymethods]
impl RankingTable {
    #[new]
    #[pyo3(signature = (*, classes=None, relations=None, r#match=None, distance=None))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = text)] classes: Option<Weights>,
        #[pyo3(from_py_with = text)] relations: Option<Weights>,
        r#match: Option<f32>,
        distance: Option<f32>,
    ) -> PyResult<Self> {
        checked(py, Self(stele_core::RankingTable::default()).with(classes, relations, r#match, distance))
    }

    /// The same table with other weights where they are given.
    #[pyo3(signature = (*, classes=None, relations=None, r#match=None, distance=None))]
    fn replace(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = text)] classes: Option<Weights>,
        #[pyo3(from_py_with = text)] relations: Option<Weights>,
        r#match: Option<f32>,
        distance: Option<f32>,
    ) -> PyResult<Self> {
        checked(py, self.with(classes, relations, r#match, distance))
    }

    /// The weight of each category and kind; a fresh dictionary at every look.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let weights = PyDict::new(py);
        classes().try_for_each(|class| weights.set_item(class.as_str(), decimal(self.0.class(class))))?;
        Ok(weights)
    }

    /// The weight of each relation; a fresh dictionary at every look.
    #[getter]
    fn relations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let weights = PyDict::new(py);
        Relation::ALL.iter().try_for_each(|relation| weights.set_item(relation.as_str(), decimal(self.0.relation(*relation))))?;
        Ok(weights)
    }

    /// What takes the relation's place for a node that was found or named itself.
    #[getter]
    fn r#match(&self) -> f64 {
        decimal(self.0.matched())
    }

    /// What each hop takes away.
    #[getter]
    fn distance(&self) -> f64 {
        decimal(self.0.distance())
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        shown(slf.as_any(), "RankingTable", &["classes", "relations", "match", "distance"])
    }
}

/// Every default by its name: whole numbers and shares, lengths of time in seconds.
pub(crate) fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for (name, number) in numbers::all() {
        match number {
            numbers::Number::Whole(count) => all.set_item(name, count)?,
            numbers::Number::Decimal(share) => all.set_item(name, share)?,
            other => all.set_item(name, format!("{other:?}"))?,
        }
    }
    Ok(all)
}
