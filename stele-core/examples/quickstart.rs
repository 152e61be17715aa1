//! Two decisions, one of which ends the other, and a question that uses the words of the one that ended.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use stele_core::{Category, Format, Record, Result, RetrieveOptions};

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("stele-quickstart-{}", std::process::id()));
    let record = Record::open(folder.join(".stele"))?;

    let recorder = record.recorder("ana")?;
    recorder.fact(Category::Decision, "Keep sessions in DynamoDB").alias("ADR-1").body("The table is shared with billing.").record()?;
    recorder
        .fact(Category::Decision, "Keep sessions in PostgreSQL")
        .alias("ADR-7")
        .body("The DynamoDB table was deleted on 3 March, sessions live in PostgreSQL now.")
        .record()?;
    recorder.supersede("ADR-7", "ADR-1").reason("The table that held the sessions is gone").evidence("The DynamoDB table was deleted on 3 March").record()?;

    let found = record.retriever().retrieve("Which DynamoDB table holds our sessions?", &RetrieveOptions::new())?;
    println!("{}", found.render(Format::Text));

    record.close();
    std::fs::remove_dir_all(folder).expect("the folder was made above");
    Ok(())
}
