//! Words of which corpora are made, the commoner first.

pub(crate) const SMALL: &[&str] = &["the", "of", "and", "to", "in", "is", "for", "that", "on", "with", "not", "by", "as", "at", "from", "when", "because", "until", "after", "only"];

pub(crate) const VERBS: &[&str] = &[
    "use", "keep", "move", "check", "send", "read", "write", "call", "store", "limit", "retry", "cache", "split", "merge", "reject", "accept", "validate", "measure", "rotate", "flush",
    "replay", "index", "encode", "decode", "schedule", "throttle", "migrate", "sample", "compress", "encrypt", "sign", "verify", "lock", "release", "renew", "expire", "evict", "shard",
    "replicate", "snapshot", "restore", "batch", "stream", "poll", "debounce", "route", "proxy", "resolve", "register", "discover", "probe", "trace", "audit", "redact", "tokenise", "normalise",
];

pub(crate) const PARTS: &[&str] = &[
    "auth", "session", "token", "gateway", "queue", "worker", "cache", "database", "index", "parser", "renderer", "scheduler", "limiter", "router", "logger", "metrics", "billing", "invoice",
    "payment", "webhook", "upload", "download", "search", "export", "import", "report", "dashboard", "notification", "email", "template", "profile", "account", "tenant", "permission", "policy",
    "secret", "certificate", "deploy", "pipeline", "container", "cluster", "node", "replica", "backup", "archive", "ledger", "order", "shipment", "catalogue", "inventory", "pricing", "discount",
    "checkout", "basket", "customer", "support", "ticket", "chat", "video", "image", "thumbnail", "transcoder", "playlist", "geocoder", "weather", "sensor", "firmware", "telemetry", "calibration",
];

pub(crate) const THINGS: &[&str] = &[
    "request", "response", "header", "timeout", "error", "result", "record", "field", "value", "key", "table", "column", "row", "page", "buffer", "thread", "process", "socket", "connection",
    "transaction", "version", "schema", "format", "encoding", "charset", "locale", "timezone", "deadline", "interval", "window", "threshold", "quota", "budget", "priority", "weight", "score",
    "ranking", "filter", "cursor", "offset", "batch", "chunk", "segment", "partition", "bucket", "digest", "signature", "nonce", "salt", "lease", "heartbeat", "leader", "follower", "quorum",
    "election", "snapshot", "checkpoint", "journal", "rollback", "conflict", "duplicate", "latency", "throughput", "jitter", "backoff", "fallback", "fixture", "mock", "canary", "rollout",
];
