//! Which places of a project an anchor means: globs, folders and symbols. Knows no file system.

/// True if a path of an anchor stands for many.
pub(crate) fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// The folder that everything a glob matches lies in; empty for the project itself.
pub(crate) fn glob_folder(glob: &str) -> &str {
    let sure = &glob[..glob.find(['*', '?', '[', '{']).unwrap_or(glob.len())];
    sure.rfind('/').map_or("", |end| &sure[..end])
}

/// The folders above a path, the nearest first; the last is the project itself, the empty path.
pub(crate) fn folders(path: &str) -> Vec<&str> {
    let mut found: Vec<&str> = path.match_indices('/').map(|(end, _)| &path[..end]).collect();
    found.reverse();
    found.push("");
    found
}

/// True if two names mean one symbol: equal, or one the end of the other after `::`, `.`, `#` or `/`, parentheses aside.
pub(crate) fn same_symbol(one: &str, other: &str) -> bool {
    let bare = |name: &str| name.trim().trim_end_matches("()").to_owned();
    let (one, other) = (bare(one), bare(other));
    let ends = |long: &str, short: &str| {
        !short.is_empty() && long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with([':', '.', '#', '/']))
    };
    ends(&one, &other) || ends(&other, &one)
}

/// Most alternatives that the braces of a glob make.
const MOST_ALTERNATIVES: usize = 64;

/// True if a glob means a path.
///
/// `*` and `?` stay inside one part of the path, `**` spans parts, `[a-z]` and `[!a]` are sets, `{a,b}` alternatives. A
/// glob without a slash means file names in every folder. A path that is written exactly so is meant, too.
pub(crate) fn glob_matches(glob: &str, path: &str) -> bool {
    if glob == path {
        return true;
    }
    let parts: Vec<&str> = path.split('/').collect();
    alternatives(glob).iter().any(|glob| {
        let globs: Vec<&str> = glob.split('/').collect();
        if let [only] = globs.as_slice()
            && *only != "**"
        {
            return parts.last().is_some_and(|name| part_matches(only, name));
        }
        parts_match(&globs, &parts)
    })
}

/// A glob with its braces written out.
fn alternatives(glob: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![glob.to_owned()];
    while let Some(glob) = open.pop() {
        let group = glob.rfind('{').and_then(|start| glob[start..].find('}').map(|end| (start, start + end)));
        match group {
            Some((start, end)) if done.len() + open.len() < MOST_ALTERNATIVES => {
                open.extend(glob[start + 1..end].split(',').map(|inner| format!("{}{inner}{}", &glob[..start], &glob[end + 1..])));
            }
            _ => done.push(glob),
        }
    }
    done
}

/// True if the parts of a glob match the parts of a path, in time linear in the product of their numbers.
fn parts_match(globs: &[&str], parts: &[&str]) -> bool {
    // Which beginnings of the path the globs so far match.
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    for glob in globs {
        let mut next = vec![false; parts.len() + 1];
        if *glob == "**" {
            let mut any = false;
            for (place, reached) in reached.iter().enumerate() {
                any |= reached;
                next[place] = any;
            }
        } else {
            for (place, part) in parts.iter().enumerate() {
                next[place + 1] = reached[place] && part_matches(glob, part);
            }
        }
        reached = next;
    }
    reached[parts.len()]
}

/// True if one part of a glob matches one part of a path.
fn part_matches(glob: &str, part: &str) -> bool {
    let (glob, part): (Vec<char>, Vec<char>) = (glob.chars().collect(), part.chars().collect());
    let (mut at, mut to) = (0, 0);
    // Where to go on if what follows the last star does not fit.
    let mut star: Option<(usize, usize)> = None;
    while to < part.len() {
        let step = match glob.get(at) {
            Some('*') => {
                star = Some((at, to));
                at += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => set_matches(&glob[at..], part[to]),
            Some(c) => (*c == part[to]).then_some(1),
            None => None,
        };
        match (step, star) {
            (Some(step), _) => (at, to) = (at + step, to + 1),
            (None, Some((from, taken))) => {
                star = Some((from, taken + 1));
                (at, to) = (from + 1, taken + 1);
            }
            (None, None) => return false,
        }
    }
    glob[at..].iter().all(|c| *c == '*')
}

/// How long the set at the beginning of a glob is, if it holds the character; one that is not closed is a bracket.
fn set_matches(glob: &[char], c: char) -> Option<usize> {
    let negated = matches!(glob.get(1), Some('!' | '^'));
    let start = 1 + usize::from(negated);
    let Some(end) = glob.iter().skip(start + 1).position(|c| *c == ']').map(|end| end + start + 1) else {
        return (glob[0] == c).then_some(1);
    };
    let set = &glob[start..end];
    let mut held = false;
    let mut at = 0;
    while at < set.len() {
        if at + 2 < set.len() && set[at + 1] == '-' {
            held |= (set[at]..=set[at + 2]).contains(&c);
            at += 3;
        } else {
            held |= set[at] == c;
            at += 1;
        }
    }
    (held != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_mean_paths() {
        for (glob, path) in [
            ("src/*.rs", "src/a.rs"),
            ("src/**/*.rs", "src/a.rs"),
            ("src/**/*.rs", "src/a/b/c.rs"),
            ("src/**", "src/a/b"),
            ("**/mod.rs", "mod.rs"),
            ("**/mod.rs", "a/b/mod.rs"),
            ("*.sql", "db/x/1.sql"),
            ("src/[a-c]?.rs", "src/bx.rs"),
            ("src/[!a]*", "src/b"),
            ("app/[id]/page.tsx", "app/[id]/page.tsx"),
            ("app/{x,y/z}/*.{ts,tsx}", "app/y/z/a.tsx"),
            ("a*b*c", "axxbyyc"),
            ("**", "a/b"),
            ("src/[x", "src/[x"),
        ] {
            assert!(glob_matches(glob, path), "{glob} {path}");
        }
        for (glob, path) in [
            ("src/*.rs", "src/a/b.rs"),
            ("src/**/*.rs", "lib/a.rs"),
            ("src/[!a]*", "src/a"),
            ("*.sql", "db/x/1.sqlite"),
            ("a/**/b", "a/bb"),
            ("a*b*c", "axxbyy"),
            ("src/?", "src/"),
            ("{a,b}.rs", "c.rs"),
        ] {
            assert!(!glob_matches(glob, path), "{glob} {path}");
        }
    }

    #[test]
    fn a_glob_begins_in_a_folder_and_a_path_lies_in_many() {
        assert_eq!((glob_folder("src/a/*.rs"), glob_folder("*.rs"), glob_folder("src/a*/x")), ("src/a", "", "src"));
        assert_eq!(folders("a/b/c.rs"), ["a/b", "a", ""]);
        assert_eq!(folders("c.rs"), [""]);
    }

    #[test]
    fn many_stars_and_braces_take_no_time() {
        assert!(!glob_matches(&format!("{}b", "*a".repeat(200)), &"a".repeat(4_000)));
        assert!(!glob_matches(&"{a,b}".repeat(60), "c"));
        assert!(!glob_matches(&format!("{}b", "**/".repeat(200)), &"a/".repeat(500)));
    }

    #[test]
    fn symbols_are_one_by_their_last_parts() {
        for (one, other) in [("Limiter", "Limiter"), ("auth::Limiter", "Limiter"), ("check()", "Limiter.check"), ("Limiter#check", "check")] {
            assert!(same_symbol(one, other) && same_symbol(other, one), "{one} {other}");
        }
        for (one, other) in [("Limiter", "RateLimiter"), ("", "x"), ("check", "checks")] {
            assert!(!same_symbol(one, other), "{one} {other}");
        }
    }
}
