//! What a retrieval reads is counted, not timed: more work than is committed here is a regression, less is to be kept.

#[test]
fn retrievals_do_the_work_that_is_written_down() {
    let (found, written) = (stele_bench::work::counted(), include_str!("work.txt"));
    for (found, written) in found.lines().zip(written.lines()) {
        assert_eq!(found, written, "if that is meant: cargo run -p stele-bench --bin work > benches/tests/work.txt");
    }
    assert_eq!(found.lines().count(), written.lines().count());
}
