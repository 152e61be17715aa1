//! What kept files from being whole skills, gathered into one warning a kind.

use std::collections::BTreeMap;

use crate::base::text::{cut, fold_space};

/// How long a warning grows by naming places, in bytes; it names one at least.
const LINE_BYTES: usize = 280;
/// Longest place in a warning, in characters.
const PLACE_CHARS: usize = 160;

/// What can be wrong with a skill or a folder of skills, in the order of the warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    NoFolder,
    Outside,
    Dangling,
    Unreadable,
    NoFile,
    TooMany,
    TooDeep,
    TooBroad,
    NotText,
    NoFrontMatter,
    Unclosed,
    NotYaml,
    NoName,
    LongName,
    NoDescription,
    TwiceInOne,
    SameName,
}

impl Fault {
    fn words(self) -> &'static str {
        match self {
            Self::NoFolder => "no such folder",
            Self::Outside => "leads out of the project and is not followed",
            Self::Dangling => "a link that leads nowhere",
            Self::Unreadable => "cannot be read",
            Self::NoFile => "no regular file",
            Self::TooMany => "too many folders, the rest is not searched",
            Self::TooDeep => "too deep, not searched",
            Self::TooBroad => "too many files in one folder, not searched",
            Self::NotText => "not UTF-8, what is no text is replaced",
            Self::NoFrontMatter => "no front matter, named after its folder",
            Self::Unclosed => "front matter that does not end, read line by line",
            Self::NotYaml => "front matter that is not YAML, read line by line",
            Self::NoName => "no name in the front matter, named after its folder",
            Self::LongName => "a name that is too long, cut",
            Self::NoDescription => "no description",
            Self::TwiceInOne => "a field that stands twice, the first is taken",
            Self::SameName => "the name of an earlier skill, not shown",
        }
    }
}

/// Faults with the places where they are.
#[derive(Debug, Default)]
pub(super) struct Faults(BTreeMap<Fault, Places>);

#[derive(Debug, Default)]
struct Places {
    named: String,
    more: usize,
}

impl Faults {
    pub(super) fn add(&mut self, fault: Fault, place: &str) {
        self.tell(fault, place, "");
    }

    /// Adds a fault with what is to be said of it there.
    pub(super) fn tell(&mut self, fault: Fault, place: &str, detail: &str) {
        let places = self.0.entry(fault).or_default();
        let place = if detail.is_empty() { fold_space(place) } else { format!("{} ({})", fold_space(place), fold_space(detail)) };
        let place = cut(&place, PLACE_CHARS);
        if places.named.is_empty() {
            places.named.push_str(place);
        } else if places.more == 0 && fault.words().len() + places.named.len() + place.len() < LINE_BYTES {
            places.named.push_str(", ");
            places.named.push_str(place);
        } else {
            places.more += 1;
        }
    }

    /// A line a kind, each with its places.
    pub(super) fn warnings(&self) -> Vec<String> {
        let more = |count: usize| if count == 0 { String::new() } else { format!(" and {count} more") };
        self.0.iter().map(|(fault, places)| format!("{}: {}{}", fault.words(), places.named, more(places.more))).collect()
    }
}
