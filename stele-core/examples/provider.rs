//! A provider of the host: the incidents of a service, from a source that may be slow or away.
#![expect(clippy::print_stdout, reason = "an example shows what it assembled")]

use std::sync::Arc;
use std::time::Duration;

use stele_core::{
    AssembleOptions, Declaration, Provider, ProviderCategory, ProviderEntry, ProviderFault, ProviderRequest, Record, Result, Source, Supply, Timestamp,
    TurnPolicy,
};

/// An incident as the host knows it.
struct Incident {
    number: u32,
    service: &'static str,
    text: &'static str,
    since: Timestamp,
}

/// Gives the incidents that are open.
struct Incidents(Vec<Incident>);

impl Provider for Incidents {
    fn declaration(&self) -> Declaration {
        Declaration::new("incidents")
            .category(ProviderCategory::Memory)
            .turns(TurnPolicy::All)
            .requires("network")
            .timeout(Duration::from_millis(500))
            .token_budget(400)
            .position(-1)
    }

    fn fetch(&self, request: &ProviderRequest) -> Result<Supply, ProviderFault> {
        let mut supply = Supply::default();
        for incident in &self.0 {
            // Looked at between two steps that may be slow: once nobody waits any more, nothing is lost by stopping.
            if request.cancelled() {
                return Err(ProviderFault::new("the list was not read to its end"));
            }
            supply.entries.push(ProviderEntry {
                source: Some(Source { uri: format!("incidents/{}", incident.number), ..Source::default() }),
                fetched_at: Some(incident.since),
                review_at: Some(incident.since.after(Duration::from_secs(3_600))),
                applies_to: Some(incident.service.to_owned()),
                ..ProviderEntry::new(incident.text)
            });
        }
        if self.0.is_empty() {
            supply.warnings.push("the list of incidents is empty; it never was before".to_owned());
        }
        Ok(supply)
    }
}

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("stele-provider-{}", std::process::id()));
    let record = Record::open(folder.join(".stele"))?;

    let since = Timestamp::parse("2026-03-02T09:00:00Z")?;
    let incident = |number, service, text| Incident { number, service, text, since };
    let incidents =
        Incidents(vec![incident(7, "billing", "Invoices are sent twice: do not rerun the export."), incident(8, "search", "The index of names is a day old.")]);

    let options = AssembleOptions::new().provider(Arc::new(incidents)).capability("network").about("billing").now(since.after(Duration::from_secs(7_200)));
    let context = record.assemble("Rerun the export of yesterday's invoices", &options)?;
    print!("{}", context.text);
    for outcome in context.outcomes.iter().filter(|outcome| outcome.provider == "incidents") {
        println!("{}: {} shown, {} cut, {} about something else", outcome.result, outcome.entries, outcome.cut, outcome.elsewhere);
    }

    record.close();
    std::fs::remove_dir_all(folder).expect("the folder was made above");
    Ok(())
}
