//! Verbs of a retriever.

use std::time::Duration;

use stele_core::{
    Category, Direction, Format, Kind, MethodologyOptions, NeighbourOptions, Point, ReadyOptions, RecallOptions, Relation, RetrieveOptions, RulesOptions,
    SearchMode, SearchOptions, State, TaskStatus, Timestamp, defaults,
};

use super::{texts, verbs, with};
use crate::parted::Retrieval;
use crate::results::{Conflict, ContainerProgress, HistoryItem, Hit, Methodology, Neighbour, Node, Obligations, RuleFeedback, Task, Why};

/// Each of a list as the result of its kind.
fn each<C, R: From<C>>(list: Vec<C>) -> Vec<R> {
    list.into_iter().map(Into::into).collect()
}

verbs! { Retriever(retriever: stele_core::Retriever)
    retrieve(
        prompt: String, session: Option<String>, deadline: Duration = defaults::DEADLINE, walk_budget: Duration = defaults::WALK_BUDGET,
        max_entries: usize = defaults::WINDOW_ENTRIES, max_tokens: Option<usize>, hops: u32 = defaults::HOPS, now: Option<Timestamp>, deliver: bool = false,
        format: Format = Format::Text
    ) -> Retrieval {
        let mut options = RetrieveOptions::new().deadline(deadline).walk_budget(walk_budget).max_entries(max_entries).hops(hops);
        options = with(options, session, RetrieveOptions::session);
        options = with(options, max_tokens, RetrieveOptions::max_tokens);
        options = with(options, now, RetrieveOptions::now);
        let found = retriever.retrieve(&prompt, &if deliver { options.deliver() } else { options })?;
        Ok(Retrieval { found, format })
    }
    search(
        query: String, mode: SearchMode = SearchMode::Hybrid, limit: usize = defaults::SEARCH_HITS, kinds: Option<Vec<Kind>>,
        categories: Option<Vec<Category>>, states: Option<Vec<State>>, tags: Option<Vec<String>>, component: Option<String>, since: Option<Timestamp>,
        until: Option<Timestamp>, deadline: Option<Duration>
    ) -> Vec<Hit> {
        let mut options = SearchOptions::new().mode(mode).limit(limit);
        options = with(options, kinds, SearchOptions::kinds);
        options = with(options, categories, SearchOptions::categories);
        options = with(options, states, SearchOptions::states);
        options = with(options, tags, SearchOptions::tags);
        options = with(options, component, SearchOptions::component);
        options = with(options, since, SearchOptions::since);
        options = with(options, until, SearchOptions::until);
        retriever.search(&query, &with(options, deadline, SearchOptions::deadline)).map(each)
    }
    recall(
        question: String, seeds: usize = defaults::USUAL_RECALL_SEEDS, depth: u32 = defaults::RECALL_DEPTH,
        max_entries: usize = defaults::USUAL_RECALL_ENTRIES, deadline: Duration = defaults::DEADLINE, now: Option<Timestamp>, format: Format = Format::Text
    ) -> Retrieval {
        let options = RecallOptions::new().seeds(seeds).depth(depth).max_entries(max_entries).deadline(deadline);
        let found = retriever.recall(&question, &with(options, now, RecallOptions::now))?;
        Ok(Retrieval { found, format })
    }
    get(id: String) -> Node { retriever.get(&id).map(Into::into) }
    neighbours(id: String, relations: Option<Vec<Relation>>, direction: Direction = Direction::Both, limit: usize = defaults::NEIGHBOURS) -> Vec<Neighbour> {
        let options = NeighbourOptions::new().direction(direction).limit(limit);
        retriever.neighbours(&id, &with(options, relations, NeighbourOptions::relations)).map(each)
    }
    history(id: String) -> Vec<HistoryItem> { retriever.history(&id).map(each) }
    why(id: String) -> Why { retriever.why(&id).map(Into::into) }
    ready(limit: usize = defaults::USUAL_READY_TASKS, tags: Vec<String>, component: Option<String>) -> Vec<Task> {
        retriever.ready(&with(ReadyOptions::new().limit(limit).tags(tags), component, ReadyOptions::component)).map(each)
    }
    tasks(holder: Option<String>, status: Option<TaskStatus>) -> Vec<Task> { retriever.tasks(holder.as_deref(), status).map(each) }
    progress(container: String) -> ContainerProgress { retriever.progress(&container).map(Into::into) }
    handoff(task: String) -> String { retriever.handoff(&task) }
    conflicts(ids: Option<Vec<String>>) -> Vec<Conflict> {
        let ids = ids.as_deref().map(texts);
        retriever.conflicts(ids.as_deref()).map(each)
    }
    rules(
        point: Point = Point::Prompt, mode: String = "work".to_owned(), text: String = String::new(), cap: usize = defaults::OBLIGATION_TOKENS,
        format: Format = Format::Text
    ) -> Obligations {
        let found = retriever.rules(&RulesOptions::new().point(point).mode(mode).text(text).cap(cap))?;
        Ok(Obligations::written(found, format))
    }
    methodology(
        mode: String, action: Option<String>, text: String = String::new(), max_tokens: usize = defaults::METHODOLOGY_TOKENS, format: Format = Format::Text
    ) -> Methodology {
        let options = MethodologyOptions::new(mode).text(text).max_tokens(max_tokens);
        let found = retriever.methodology(&with(options, action, MethodologyOptions::action))?;
        Ok(Methodology::written(found, format))
    }
    rule_feedback(rule: String) -> RuleFeedback { retriever.feedback(&rule).map(Into::into) }
}
