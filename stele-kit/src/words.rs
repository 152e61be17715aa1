//! The enumerations that doors speak: words outside, fixed numbers in C.

use stele_core::{
    AdviceKind, Aggressiveness, Category, Channel, Direction, Durability, ErrorKind, Format, GapKind, Helpfulness, ImportPhase, Kind, Known, MomentKind,
    OutcomeKind, Point, ProviderCategory, RefusalReason, Relation, ResumeAction, Role, SearchMode, Severity, Shown, State, Status, TaskStatus, TaskType, Tier,
    TurnPolicy, Verdict, Weight,
};

/// One enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Enumeration {
    /// Its name, in lower case with underscores.
    pub name: &'static str,
    /// Its words with their numbers, which are never given to another word.
    pub words: Vec<(&'static str, i32)>,
}

/// Every enumeration, by name.
#[must_use]
pub fn enumerations() -> Vec<Enumeration> {
    macro_rules! listed {
        ($($name:literal $type:ty;)*) => {
            vec![$(Enumeration { name: $name, words: <$type>::ALL.iter().map(|member| (member.as_str(), i32::from(member.number()))).collect() }),*]
        };
    }
    let mut all = listed! {
        "advice_kind" AdviceKind;
        "aggressiveness" Aggressiveness;
        "category" Category;
        "channel" Channel;
        "detail" Shown;
        "direction" Direction;
        "durability" Durability;
        "feedback" Helpfulness;
        "format" Format;
        "gap_kind" GapKind;
        "import_phase" ImportPhase;
        "kind" Kind;
        "known" Known;
        "moment_kind" MomentKind;
        "outcome" OutcomeKind;
        "point" Point;
        "provider_category" ProviderCategory;
        "refusal_reason" RefusalReason;
        "relation" Relation;
        "resume_action" ResumeAction;
        "role" Role;
        "rule_severity" Severity;
        "search_mode" SearchMode;
        "severity" Weight;
        "state" State;
        "status" Status;
        "task_status" TaskStatus;
        "task_type" TaskType;
        "tier" Tier;
        "turn_policy" TurnPolicy;
        "verdict" Verdict;
    };
    all.push(Enumeration { name: "error_kind", words: ErrorKind::ALL.iter().map(|kind| (kind.as_str(), *kind as i32)).collect() });
    all.sort_by_key(|enumeration| enumeration.name);
    all
}
