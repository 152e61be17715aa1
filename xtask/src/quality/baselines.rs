//! Measured baselines on the same sets, to stand beside ours: nDCG@10 and recall@20.
//!
//! bm25x is BM25 with split identifiers, a doubled title, stemming and without question words; "+ table" fuses the
//! static 256-dimensional table, "+ MiniLM" the model it was distilled from. Some sets were measured with a few more
//! queries than stand in them now, so small differences say nothing.

/// nDCG@10 and recall@20.
pub(crate) type Pair = (f64, f64);

/// What the baselines scored on one kind of query of one set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Baseline {
    pub(crate) set: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) bm25x: Pair,
    pub(crate) with_table: Pair,
    pub(crate) with_minilm: Pair,
}

const fn row(set: &'static str, kind: &'static str, bm25x: Pair, with_table: Pair, with_minilm: Pair) -> Baseline {
    Baseline { set, kind, bm25x, with_table, with_minilm }
}

const ROWS: [Baseline; 15] = [
    row("adr", "control", (0.990, 1.000), (0.948, 1.000), (0.892, 1.000)),
    row("adr", "supersession", (0.399, 0.875), (0.446, 0.875), (0.466, 0.917)),
    row("peps", "control", (0.947, 1.000), (0.941, 1.000), (0.898, 1.000)),
    row("peps", "neighbour", (0.261, 0.524), (0.263, 0.524), (0.279, 0.524)),
    row("peps", "supersession", (0.448, 0.861), (0.460, 0.861), (0.469, 0.861)),
    row("xeps", "control", (0.967, 1.000), (0.944, 1.000), (0.921, 1.000)),
    row("xeps", "neighbour", (0.130, 0.330), (0.146, 0.329), (0.150, 0.346)),
    row("xeps", "supersession", (0.418, 0.896), (0.430, 0.917), (0.414, 0.938)),
    row("proposals", "control", (0.977, 1.000), (0.955, 1.000), (0.936, 1.000)),
    row("proposals", "neighbour", (0.172, 0.476), (0.174, 0.499), (0.206, 0.533)),
    row("proposals", "supersession", (0.362, 0.794), (0.414, 0.824), (0.459, 0.882)),
    row("beads", "neighbour", (0.229, 0.622), (0.231, 0.635), (0.209, 0.601)),
    row("beads", "task", (0.871, 0.946), (0.860, 0.946), (0.861, 0.953)),
    row("cosqa", "code", (0.396, 0.670), (0.444, 0.752), (0.553, 0.878)),
    row("skills", "skill", (0.867, 0.979), (0.809, 0.986), (0.880, 0.986)),
];

/// The baseline for a kind of query of a set, if it was measured.
pub(crate) fn of(set: &str, kind: &str) -> Option<Baseline> {
    ROWS.iter().find(|row| row.set == set && row.kind == kind).copied()
}
