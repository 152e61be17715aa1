//! What calls give back: frozen classes that outlive the record. Lists are fresh copies at every look.

pub(crate) mod nodes;
pub(crate) mod reports;
pub(crate) mod retrieval;
pub(crate) mod rules;
pub(crate) mod session;
pub(crate) mod sweeps;
pub(crate) mod tasks;

use pyo3::prelude::*;
use stele_core::NodeId;

/// Defines a frozen class with a read-only attribute for each field and a repr that shows them all.
macro_rules! result {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[pyo3::pyclass(frozen, get_all, module = "stele")]
        pub(crate) struct $name { $($(#[$field_doc])* pub(crate) $field: $type),* }

        #[pyo3::pymethods]
        impl $name {
            fn __repr__(slf: &pyo3::Bound<'_, Self>) -> pyo3::PyResult<String> {
                $crate::results::shown(slf.as_any(), stringify!($name), &[$(stringify!($field)),*])
            }
        }
    };
}
pub(crate) use result;

/// `Name(field=value, …)`.
pub(crate) fn shown(object: &Bound<'_, PyAny>, name: &str, fields: &[&str]) -> PyResult<String> {
    let mut parts = Vec::with_capacity(fields.len());
    for field in fields.iter().map(|field| field.trim_start_matches("r#")) {
        parts.push(format!("{field}={}", object.getattr(field)?.repr()?.to_string_lossy()));
    }
    Ok(format!("{name}({})", parts.join(", ")))
}

/// Each member as a Python object.
pub(crate) fn each<T, U: pyo3::PyClass + Into<pyo3::PyClassInitializer<U>>>(
    py: Python<'_>,
    from: impl IntoIterator<Item = T>,
    make: impl Fn(Python<'_>, T) -> PyResult<U>,
) -> PyResult<Vec<Py<U>>> {
    from.into_iter().map(|member| Py::new(py, make(py, member)?)).collect()
}

/// One member, if there is one, as a Python object.
pub(crate) fn one<T, U: pyo3::PyClass + Into<pyo3::PyClassInitializer<U>>>(
    py: Python<'_>,
    from: Option<T>,
    make: impl Fn(Python<'_>, T) -> PyResult<U>,
) -> PyResult<Option<Py<U>>> {
    from.map(|member| Py::new(py, make(py, member)?)).transpose()
}

pub(crate) fn ids(ids: &[NodeId]) -> Vec<String> {
    ids.iter().map(NodeId::to_string).collect()
}

/// The number that a reader sees: the shortest decimal that is that single, not its long double.
pub(crate) fn decimal(single: f32) -> f64 {
    single.to_string().parse().unwrap_or_else(|_| f64::from(single))
}
