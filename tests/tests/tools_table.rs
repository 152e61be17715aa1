//! What the tools are called, take and cost, and that what they ask for is what they accept.

use stele_core::{Tier, tokens};
use stele_tests::TestRecord;

#[test]
fn tools_that_read_and_write_fit_into_2500_tokens() {
    let test = TestRecord::new();
    let costs: Vec<(usize, &str)> =
        test.record.tools(Tier::Write).iter().map(|tool| (tokens(&format!("{}\n{}\n{}", tool.name, tool.description, tool.input_schema)), tool.name)).collect();
    let sum: usize = costs.iter().map(|(cost, _)| cost).sum();
    println!("{sum} tokens for {} tools: {costs:?}", costs.len());
    assert!(sum <= 2_500, "{sum} tokens: {costs:?}");
}
