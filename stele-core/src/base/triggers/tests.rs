use proptest::prelude::*;

use super::*;

fn texts(text: &str) -> Vec<&str> {
    literals(text).into_iter().map(|literal| literal.text).collect()
}

fn tells(text: &str) -> bool {
    !cues(text).is_empty()
}

/// True if a telling literal of `lesson` stands in `output`.
fn fires(lesson: &str, output: &str) -> bool {
    let printed = Printed::read(output);
    cues(lesson).into_iter().any(|cue| printed.cues(cue.first, cue.words).contains(&cue) && printed.holds(lesson, cue))
}

#[test]
fn literals_are_told_from_prose() {
    for (text, found) in [
        ("run `make`", vec!["make"]),
        ("it prints \"no such file\" twice", vec!["no such file"]),
        ("in src/auth/mod.rs, then", vec!["src/auth/mod.rs"]),
        ("TS2769 again", vec!["TS2769"]),
        ("rateLimiter hangs", vec!["rateLimiter"]),
        ("see config.toml.", vec!["config.toml"]),
        ("it ends with ENOENT or SIGSEGV", vec!["ENOENT", "SIGSEGV"]),
        ("``a `b` c`` and “d e”", vec!["a `b` c", "d e"]),
        ("before\n```text\nerror: x y\n```\nafter `z`", vec!["error: x y", "z"]),
        ("„an end“ and „another”, «a third»", vec!["an end", "another", "a third"]),
        ("「限流器已关闭」、『設定がありません』", vec!["限流器已关闭", "設定がありません"]),
        ("「open and a_b", vec!["a_b"]),
        ("an \"open quote and a_b", vec!["a_b"]),
        ("one \"quote\n\nanother\" paragraph", vec![]),
        ("Changing the order here has broken production once.", vec![]),
        ("never do this, e.g. on Friday", vec![]),
        ("EVERY ERROR is an EXAMPLE", vec![]),
    ] {
        assert_eq!(texts(text), found, "{text}");
    }
}

#[test]
fn what_most_tools_print_tells_nothing() {
    for text in ["`main`", "`a`", "src/main.rs", "package.json", "README.md", "`cargo test`", "and/or", "GitHub", "`error`", "JSON5x `i32`", "x86_64", "`2024`"]
    {
        let wanted = text.contains("JSON5x");
        assert_eq!(tells(text), wanted, "{text}");
    }
    for text in ["src/auth/mod.rs", "TS2769", "rateLimiter", "ENOENT", "\"no such file\"", "`segfault`", "limiter_test", "`--frozen-lockfile`", "foo::bar"] {
        assert!(tells(text), "{text}");
    }
}

#[test]
fn words_that_are_commonplace_stand_in_order() {
    assert!(COMMONPLACE.is_sorted());
}

#[test]
fn a_literal_fires_where_it_stands_letter_by_letter() {
    for (lesson, output) in [
        ("it prints \"no such file\"", "cat: x: No such file or directory"),
        ("it prints \"No Such\n  File\"", "no such\tfile"),
        ("`error[E0432]: unresolved import`", "\u{1b}[1m\u{1b}[31merror[E0432]\u{1b}[0m: unresolved import `x`"),
        ("on TS2769", "src/a.ts(3,1): error TS2769: No overload"),
        ("with `--frozen-lockfile`", "npm install --frozen-lockfile"),
        ("`foo_bar()`", "in foo_bar() at 3"),
        ("in src\\auth\\mod.rs", "at SRC\\AUTH\\MOD.RS:3"),
        ("`用户身份`", "失败用户身份验证"),
        ("エラー「接続が拒否されました」と出る", "エラー: 接続が拒否されました。"),
    ] {
        assert!(fires(lesson, output), "{lesson} / {output}");
    }
    for (lesson, output) in [
        ("on TS2769", "error TS27691"),
        ("on TS2769", "error XTS2769"),
        ("with `--frozen-lockfile`", "the frozen-lockfile"),
        ("`foo_bar()`", "foo_bar"),
        ("\"no such file\"", "no such, file"),
        ("`main`", "fn main() {}"),
        ("no literal at all", "no literal at all"),
    ] {
        assert!(!fires(lesson, output), "{lesson} / {output}");
    }
}

#[test]
fn a_long_literal_is_compared_at_its_beginning() {
    let long = (0..60).map(|number| format!("word{number}")).collect::<Vec<_>>().join(" ");
    assert!(fires(&format!("`{long}`"), &format!("x {} y", &long[..long.len() - 30])));
    assert!(!fires(&format!("`{long}`"), &long[..100]));
}

#[test]
fn of_a_giant_output_the_ends_are_read() {
    let output = format!("TS2769 {} TS2345 {} TS7006", "filler ".repeat(100), "filler ".repeat(100));
    let printed = Printed::read_ends(&output, 100);
    let held = |code: &str| cues(code).into_iter().any(|cue| printed.cues(cue.first, cue.words).contains(&cue));
    assert_eq!(["TS2769", "TS2345", "TS7006"].map(held), [true, false, true]);
}

proptest! {
    #[test]
    fn what_a_lesson_quotes_fires_in_any_output_that_holds_it(phrase in "[a-zA-Z0-9_:./ é用-]{8,60}", before in "(\\PC{0,20}[ \n])?", after in "([ \n]\\PC{0,20})?") {
        let lesson = format!("see `{phrase}` there");
        prop_assume!(tells(&lesson));
        let output = format!("{before}{phrase}{after}");
        prop_assert!(fires(&lesson, &output), "{:?} in {:?}", lesson, output);
    }

    #[test]
    fn any_text_has_literals_and_any_output_is_read(text in "(\\PC|[`\"\n]){0,200}", output in "\\PC{0,100}") {
        fires(&text, &output);
        for literal in literals(&text) {
            prop_assert!(text.contains(literal.text));
        }
    }
}
