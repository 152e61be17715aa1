//! Verbs of the record itself.

use serde_json::Value;
use stele_core::{AssembleOptions, ExportForm, HealthOptions, ImportOptions, RankingTable, SessionOptions, Tier, ToolCall, TranscriptItem, Verdict, defaults};

use super::{verbs, with};
use crate::assembling::Assembling;
use crate::importing;
use crate::parted::Context;
use crate::results::{ExportReport, Health, ImportReport, Resumed, Retirement, SessionState, Sweep, Tool};
use crate::values::{Import, Judged, Lines, Object};

/// JSON that the core wrote.
fn written(json: &str) -> Value {
    serde_json::from_str(json).expect("invariant: the core writes JSON")
}

verbs! { Record(record: stele_core::Record)
    path() -> String { Ok(record.path().to_string_lossy().into_owned()) }
    read_only() -> bool { Ok(record.read_only()) }
    head() -> u64 { record.head() }
    head_hash() -> String { record.head_hash() }
    session(name: String, mode: Option<String>, token_budget: Option<u64>, actor: Option<String>, root: Option<String>) -> SessionState {
        let mut options = with(record.session(&name), mode, SessionOptions::mode);
        options = with(options, token_budget, SessionOptions::token_budget);
        options = with(options, actor, SessionOptions::actor);
        SessionState::of(&with(options, root, SessionOptions::root).open()?)
    }
    assemble(prompt: String, session: Option<String>, assembling: Assembling, root: Option<String>, deliver: bool = false) -> Context {
        assembling.run(root, deliver, |options| record.plan(&prompt, &with(options, session, AssembleOptions::session))).map(Into::into)
    }
    resume(session: String, turn: u64, transcript: Vec<TranscriptItem>) -> Resumed { record.resume(&session, turn, &transcript).map(Into::into) }
    health(full: bool = false, files: Option<Vec<String>>) -> Health {
        record.health_with(&with(HealthOptions::new().full(full), files, HealthOptions::files)).map(Into::into)
    }
    retirements() -> Vec<Retirement> {
        let mut found = Vec::new();
        record.sweep_with(&mut |retirement| {
            found.push(retirement.clone().into());
            Verdict::Unsure
        })?;
        Ok(found)
    }
    sweep(verdicts: Option<Vec<Judged>>, apply: bool = false, actor: Option<String>) -> Sweep {
        let mut sweep = match verdicts {
            None => record.sweep()?,
            // What was retired since the host looked is left.
            Some(verdicts) => record.sweep_with(&mut |of| {
                let said = verdicts.iter().find(|said| said.newer == of.newer.id.to_string() && said.older == of.older.id.to_string());
                said.map_or(Verdict::Unsure, |said| said.verdict)
            })?,
        };
        if apply {
            record.apply_sweep(&mut sweep, &actor.unwrap_or_default())?;
        }
        Ok(sweep.into())
    }
    import_jsonl(path_or_lines: Lines, import: Import) -> ImportReport { importing::jsonl(record, path_or_lines, import, ImportOptions::new()) }
    import_adr(folder: String, import: Import, prefix: Option<String>) -> ImportReport {
        importing::adr(record, folder, import, prefix, ImportOptions::new())
    }
    import_beads(path: String, import: Import) -> ImportReport { importing::beads(record, path, import, ImportOptions::new()) }
    import_log(path: String) -> u64 { record.import_log(path) }
    export_jsonl(path: String, log: bool = false) -> ExportReport {
        record.export_jsonl(path, if log { ExportForm::Log } else { ExportForm::Interchange }).map(Into::into)
    }
    export_graph() -> Value { record.export_graph().map(|graph| written(&graph)) }
    backup(path: String) -> () { record.backup(path) }
    compact() -> bool { record.compact() }
    catch_up() -> bool { record.catch_up() }
    rebuild_indexes(reembed: bool = false) -> () { if reembed { record.reembed() } else { record.rebuild_indexes() } }
    verify_log() -> u64 { record.verify_log() }
    verify_views() -> u64 { record.verify_views() }
    ranking() -> RankingTable { Ok(record.ranking()) }
    set_ranking(table: RankingTable) -> () {
        record.set_ranking(table);
        Ok(())
    }
    defaults() -> Value {
        let number = |number| match number {
            defaults::Number::Whole(count) => count.into(),
            defaults::Number::Decimal(number) => number.into(),
            _ => Value::Null,
        };
        Ok(defaults::all().into_iter().map(|(name, value)| (name, number(value))).collect::<serde_json::Map<_, _>>().into())
    }
    tools(tier: Tier = Tier::Write) -> Vec<Tool> { Ok(record.tools(tier).into_iter().map(Into::into).collect()) }
    call_tool(name: String, arguments: Object, actor: String, session: Option<String>, tier: Tier = Tier::Write) -> Value {
        let by = with(ToolCall::new(actor).tier(tier), session, ToolCall::session);
        record.call_tool(&name, &arguments.0.to_string(), &by).map(|said| written(&said))
    }
    tokens(text: String) -> usize { Ok(stele_core::tokens(&text)) }
}
