//! The verbs, one file for each handle. A row names the verb, its arguments with their defaults, and what it gives.

pub(crate) mod record;
pub(crate) mod recorder;
pub(crate) mod retriever;
pub(crate) mod session;

/// A builder with a value set, or as it is without one: what is left out keeps the core's default.
pub(crate) fn with<B, V>(built: B, value: Option<V>, set: impl FnOnce(B, V) -> B) -> B {
    match value {
        Some(value) => set(built, value),
        None => built,
    }
}

/// The words of a list, as verbs take them.
pub(crate) fn texts(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// Declares the verbs of one handle: a table, and for each verb a function that takes its arguments and runs it.
macro_rules! verbs {
    ($owner:ident($handle:ident: $type:ty) $($name:ident($($argument:ident: $form:ty $(= $default:expr)?),* $(,)?) -> $result:ty $body:block)*) => {
        pub(crate) const VERBS: &[$crate::table::Verb] = &[$($crate::table::Verb {
            name: $crate::table::plain(stringify!($name)),
            owner: $crate::table::Owner::$owner,
            result: stringify!($result),
            arguments: || {
                #[allow(unused_mut, reason = "a verb may take nothing")]
                let mut list = Vec::new();
                $(<$form as $crate::arguments::Field>::list(stringify!($argument), $crate::arguments::default!($($default)?), &mut list);)*
                list
            },
            run: $crate::table::Run::$owner($name),
        }),*];

        $(
            #[allow(unused_variables, reason = "a verb may take nothing, or need no record")]
            fn $name(fields: &mut $crate::arguments::Fields, $handle: &$type, answer: &mut $crate::notation::Answer<'_>) -> stele_core::Result<()> {
                $(let $argument = <$form as $crate::arguments::Field>::take(fields, stringify!($argument), $crate::arguments::default!($($default)?))?;)*
                let run = || -> stele_core::Result<$result> { $body };
                $crate::notation::Given::give(run()?, answer)
            }
        )*
    };
}
pub(crate) use verbs;
