//! The entries of ours in the settings of an agent: put in, found again, taken out. Every other byte of the file stays.

#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::agents::Wiring;
use crate::json::{Inner, Spot};

/// Names of our program; `stele hook`, as a module of Python, is one as well.
const PROGRAMS: [&str; 4] = ["stele-hook", "stele-hook.js", "stele-hook.exe", "stele-hook.cmd"];
/// How deep a call lies: settings, `hooks`, event, entry, `hooks`, call, its words.
const DEPTH: usize = 6;

/// What a file without settings is taken for.
pub(crate) const NONE: &str = "{}\n";

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'a str>,
    hooks: [Call<'a>; 1],
}

#[derive(Serialize)]
struct Call<'a> {
    r#type: &'a str,
    command: &'a str,
    timeout: u64,
}

/// Settings with an entry for each event, in place of older ones of ours; none if all of that stands there as it should.
///
/// # Errors
/// A line that says what is not of the form that the agent documents.
pub(crate) fn add(text: &str, wiring: &Wiring, command: &str) -> Result<Option<String>, String> {
    let wanted = |tools: &Option<&'static str>| Entry { matcher: *tools, hooks: [Call { r#type: "command", command, timeout: wiring.timeout }] };
    let all: Vec<(&str, Entry<'_>)> = wiring.events.iter().map(|(event, tools)| (*event, wanted(tools))).collect();
    if stand(text, &all)? {
        return Ok(None);
    }
    let mut changed = remove(text)?.unwrap_or_else(|| text.to_owned());
    for (event, entry) in &all {
        changed = put(&changed, event, entry)?;
    }
    Ok(Some(changed))
}

/// Settings without any call of ours, and without what is empty then; none if there was no call. What others left empty stays.
///
/// # Errors
/// As [`add`].
pub(crate) fn remove(text: &str) -> Result<Option<String>, String> {
    let settings = read(text)?;
    let Some(hooks) = settings.member("hooks") else { return Ok(None) };
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    let mut emptied = Vec::new();
    for (at, event) in events(hooks)?.enumerate() {
        let (entries, mut gone) = (event?, Vec::new());
        for (nth, entry) in entries.list().unwrap_or_default().iter().enumerate() {
            let calls = entry.member("hooks").filter(|calls| calls.list().is_some());
            let ours: Vec<usize> = calls.map(|calls| places(calls, |call| is_ours(call, text))).unwrap_or_default();
            match calls {
                Some(calls) if !ours.is_empty() && ours.len() < calls.members().len() => cut(calls, &ours, &mut cuts),
                Some(_) if !ours.is_empty() => gone.push(nth),
                _ => {}
            }
        }
        match gone.len() {
            0 => {}
            all if all == entries.members().len() => emptied.push(at),
            _ => cut(entries, &gone, &mut cuts),
        }
    }
    if !emptied.is_empty() && emptied.len() == hooks.members().len() {
        let Inner::Map(members) = &settings.inner else { return Ok(None) };
        let named: Vec<usize> = members.iter().enumerate().filter(|(_, member)| std::ptr::eq(&raw const member.value, hooks)).map(|(at, _)| at).collect();
        cut(&settings, &named, &mut cuts);
    } else {
        cut(hooks, &emptied, &mut cuts);
    }
    if cuts.is_empty() {
        return Ok(None);
    }
    cuts.sort_unstable();
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to) in cuts {
        left.push_str(&text[at..from]);
        at = to;
    }
    Ok(Some(left + &text[at..]))
}

fn read(text: &str) -> Result<Spot, String> {
    let settings = Spot::of(text, DEPTH).map_err(|cause| format!("it is not the JSON that can be changed safely ({cause})"))?;
    let Inner::Map(members) = &settings.inner else { return Err("the settings are no object".to_owned()) };
    // Of two the last counts, and were it taken away, the other would.
    if members.iter().filter(|member| member.name == "hooks").count() > 1 {
        return Err("its `hooks` stands there twice".to_owned());
    }
    Ok(settings)
}

/// The lists of entries, event by event.
fn events(hooks: &Spot) -> Result<impl Iterator<Item = Result<&Spot, String>>, String> {
    let Inner::Map(events) = &hooks.inner else { return Err("its `hooks` is no object".to_owned()) };
    Ok(events.iter().enumerate().map(|(at, event)| match event.value.list() {
        _ if events[..at].iter().any(|other| other.name == event.name) => Err(format!("its `hooks.{}` stands there twice", event.name)),
        Some(_) => Ok(&event.value),
        None => Err(format!("its `hooks.{}` is no list", event.name)),
    }))
}

/// True if each event has the one entry of ours that it should have, and no other event has one.
fn stand(text: &str, all: &[(&str, Entry<'_>)]) -> Result<bool, String> {
    let settings = read(text)?;
    let Some(hooks) = settings.member("hooks") else { return Ok(false) };
    let mut found = 0;
    for event in events(hooks)? {
        for entry in event?.list().unwrap_or_default() {
            let calls = entry.member("hooks");
            found += calls.map_or(0, |calls| places(calls, |call| is_ours(call, text)).len());
        }
    }
    let stands = |(event, entry): &(&str, Entry<'_>)| {
        let wanted = serde_json::to_value(entry).ok();
        let entries = hooks.member(event).and_then(Spot::list).unwrap_or_default();
        entries.iter().filter(|held| held.read::<serde_json::Value>(text) == wanted).count() == 1
    };
    Ok(found == all.len() && all.iter().all(stands))
}

/// Settings with one more entry for an event.
fn put(text: &str, event: &str, entry: &Entry<'_>) -> Result<String, String> {
    let settings = read(text)?;
    let layout = Layout::of(text, &settings);
    let (hooks, name) = (settings.member("hooks"), |name: &str, value: &str| format!("{}{}{value}", layout.written(&name, 0), layout.colon()));
    let entries = hooks.and_then(|hooks| hooks.member(event));
    Ok(match (hooks, entries) {
        (_, Some(entries)) => layout.push(text, entries, 2, &layout.written(entry, 3)),
        (Some(hooks), None) => layout.push(text, hooks, 1, &name(event, &layout.written(&[entry], 2))),
        (None, None) => layout.push(text, &settings, 0, &name("hooks", &layout.written(&std::collections::BTreeMap::from([(event, [entry])]), 1))),
    })
}

/// How a file is laid out.
struct Layout<'a> {
    /// What a level is indented by; none if all stands in one line.
    indent: Option<&'a str>,
    line: &'static str,
}

impl<'a> Layout<'a> {
    /// As the first member of the settings stands; two blanks where there is none.
    fn of(text: &'a str, settings: &Spot) -> Self {
        let indent = match settings.members().first() {
            None => Some("  "),
            Some((from, _)) => text[settings.from + 1..*from].rsplit_once('\n').map(|(_, indent)| indent).filter(|indent| indent.trim().is_empty()),
        };
        Self { indent, line: if text.contains("\r\n") { "\r\n" } else { "\n" } }
    }

    fn colon(&self) -> &'static str {
        if self.indent.is_some() { ": " } else { ":" }
    }

    /// A line break, and the indentation of a level.
    fn break_to(&self, level: usize) -> String {
        self.indent.map_or_else(String::new, |indent| format!("{}{}", self.line, indent.repeat(level)))
    }

    /// A value of ours as it stands at a level.
    fn written(&self, value: &(impl Serialize + ?Sized), level: usize) -> String {
        let Some(indent) = self.indent else { return serde_json::to_string(value).expect("invariant: texts and numbers are JSON") };
        let mut out = Vec::new();
        let mut writing = Serializer::with_formatter(&mut out, PrettyFormatter::with_indent(indent.as_bytes()));
        value.serialize(&mut writing).expect("invariant: texts and numbers are JSON");
        // No text of JSON holds a bare line break.
        String::from_utf8(out).expect("invariant: JSON is UTF-8").replace('\n', &self.break_to(level))
    }

    /// The text with a member more at the end of a list or map that stands at a level.
    fn push(&self, text: &str, into: &Spot, level: usize, member: &str) -> String {
        let members = into.members();
        let (end, put) = match members.last() {
            // As the one before it stands.
            Some((from, to)) => {
                let before = members.len().checked_sub(2).map_or(into.from + 1, |at| members[at].1);
                let between = &text[before..*from];
                (*to, format!(",{}{member}", &between[between.trim_end().len()..]))
            }
            None => (into.to - 1, format!("{}{member}{}", self.break_to(level + 1), self.break_to(level))),
        };
        let begin = if members.is_empty() { into.from + 1 } else { end };
        format!("{}{put}{}", &text[..begin], &text[end..])
    }
}

/// The places of the members of a list that are of a kind.
fn places(list: &Spot, is: impl Fn(&Spot) -> bool) -> Vec<usize> {
    list.list().unwrap_or_default().iter().enumerate().filter(|(_, member)| is(member)).map(|(at, _)| at).collect()
}

/// Notes what has to be cut out for some members of a list or map to be gone.
fn cut(of: &Spot, gone: &[usize], cuts: &mut Vec<(usize, usize)>) {
    let members = of.members();
    if gone.len() == members.len() && !gone.is_empty() {
        cuts.push((of.from + 1, of.to - 1));
        return;
    }
    for at in gone {
        let first_kept = (0..members.len()).find(|at| !gone.contains(at)).expect("invariant: fewer are gone than there are");
        cuts.push(if *at > first_kept { (members[at - 1].1, members[*at].1) } else { (members[*at].0, members[at + 1].0) });
    }
}

/// True for a call that starts our program for an agent, whatever a user put around that.
fn is_ours(call: &Spot, text: &str) -> bool {
    call.member("command").and_then(|command| command.read::<String>(text)).is_some_and(|command| starts_ours(&command))
}

fn starts_ours(command: &str) -> bool {
    let words: Vec<&str> = command.split(|c: char| c.is_whitespace() || "'\";&|()".contains(c)).filter(|word| !word.is_empty()).collect();
    let is_program = |word: &&str| word.rsplit(['/', '\\']).next().is_some_and(|name| PROGRAMS.contains(&name));
    let starts = words.iter().any(is_program) || words.windows(2).any(|pair| pair == ["stele", "hook"]);
    starts && words.iter().any(|word| word.starts_with("--agent"))
}
