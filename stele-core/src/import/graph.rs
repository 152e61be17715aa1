//! The record as one graph in JSON, in the node-link form that graph libraries read.

use serde::Serialize;

use crate::base::error::{Code, Error, Result};
use crate::base::id::{Kind, NodeId};
use crate::base::time::Timestamp;
use crate::record::edge::Relation;
use crate::record::node::{Category, Node, State, TaskStatus};
use crate::record::reader::Snapshot;

#[derive(Serialize)]
struct Graph {
    directed: bool,
    multigraph: bool,
    graph: About,
    nodes: Vec<Vertex>,
    edges: Vec<Line>,
}

#[derive(Serialize)]
struct About {
    head: u64,
}

#[derive(Serialize)]
struct Vertex {
    id: NodeId,
    aliases: Vec<String>,
    kind: Kind,
    category: Option<Category>,
    state: State,
    status: Option<TaskStatus>,
    title: String,
    tags: Vec<String>,
    component: Option<NodeId>,
    created_at: Timestamp,
}

impl From<Node> for Vertex {
    fn from(node: Node) -> Self {
        let category = node.category();
        let Node { id, aliases, state, status, title, tags, component, created_at, .. } = node;
        Self { id, aliases, kind: id.kind, category, state, status, title, tags, component, created_at }
    }
}

#[derive(Serialize)]
struct Line {
    source: NodeId,
    target: NodeId,
    key: Relation,
    reason: String,
    evidence: Option<String>,
    at: Timestamp,
    automatic: bool,
}

/// Nodes in the order of their numbers, edges by where they start, then by relation and end.
pub(crate) fn export_graph(views: &Snapshot) -> Result<String> {
    let mut graph = Graph { directed: true, multigraph: true, graph: About { head: views.head() }, nodes: Vec::new(), edges: Vec::new() };
    for number in views.all_numbers()? {
        let Some(node) = views.node(number)? else { continue };
        graph.nodes.push(node.into());
        let mut steps = views.steps(number, usize::MAX >> 1)?;
        steps.retain(|step| step.outgoing);
        steps.sort_by_key(|step| (step.relation, step.neighbour, step.edge));
        for step in steps {
            let edge = views.edge(step.edge)?;
            let evidence = edge.evidence.map(|evidence| evidence.quote);
            graph.edges.push(Line {
                source: edge.from,
                target: edge.to,
                key: edge.relation,
                reason: edge.reason,
                evidence,
                at: edge.at,
                automatic: edge.automatic,
            });
        }
    }
    serde_json::to_string(&graph).map_err(|cause| Error::new(Code::Internal, "write the graph").because(cause))
}
