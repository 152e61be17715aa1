use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    Tokeniser::new().each_term(text, &mut |term| terms.push(term.to_owned()));
    terms
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let (found, expected): (BTreeSet<_>, BTreeSet<_>) = (terms(text).into_iter().collect(), expected.iter().map(|term| (*term).to_owned()).collect());
    assert_eq!(found, expected, "terms of {text:?}");
}

#[test]
fn words_are_folded_and_stemmed() {
    check("Limits limiting LIMIT", &["limit"]);
    check("Café naïve ÜBER Straße", &["cafe", "naiv", "uber", "strass"]);
    check("cafe\u{301} ｃａｆé ﬁle", &["cafe", "file"]);
    check("İstanbul ΣΊΣΥΦΟΣ σίσυφος", &["istanbul", "σισυφοσ"]);
}

#[test]
fn identifiers_are_found_whole_and_by_part() {
    for text in ["rateLimiter", "rate_limiter", "rate-limiter", "RATE_LIMITER", "__rate__limiter__"] {
        check(text, &["ratelimit", "rate", "limit"]);
    }
    check("TS2769", &["ts2769", "ts", "2769"]);
    check("HTTPServer2", &["httpserver2", "http", "server", "2"]);
    check("URLs", &["url"]);
    check("getURLs", &["geturl", "get", "url"]);
    check("bd-a1b2", &["bda1b2", "bd", "a1b2", "1", "2"]);
    check("C++ C# c", &["c++", "c#", "c"]);
}

#[test]
fn a_letter_that_folds_to_nothing_divides_nothing() {
    // A point of Hebrew counts as a letter and is a mark, so that nothing is left of it.
    check("2\u{5c1}k", &["2k", "2"]);
    check("2\u{5c1} k_2\u{5c1}", &["2", "k2"]);
    check("שׁלום 2\u{5c1}", &["שלום", "2"]);
}

#[test]
fn paths_are_found_whole_by_component_and_by_part() {
    check("src/auth/mod.rs", &["src/auth/mod.rs", "mod.rs", "src", "auth", "mod", "rs"]);
    check("src\\auth\\mod.rs", &["src/auth/mod.rs", "mod.rs", "src", "auth", "mod", "rs"]);
    check("tokio::spawn.", &["tokio.spawn", "tokio", "spawn"]);
    check("./src/rate_limiter.rs", &["src/ratelimiter.rs", "ratelimiter.rs", "src", "ratelimit", "rate", "limit", "rs"]);
    check("v1.2.3", &["v1.2.3", "v1", "1", "2", "3"]);
    check("end. Start: field:value^2 -x", &["end", "start", "field", "valu", "2", "x"]);
}

#[test]
fn an_apostrophe_inside_a_word_is_left_out() {
    check("don't", &["dont"]);
    check("don\u{2019}t", &["dont"]);
    check("the user's 'quoted' word", &["the", "user", "quot", "word"]);
    check("l'architecture", &["larchitectur", "architectur"]);
}

#[test]
fn scripts_without_spaces_are_cut_into_pairs() {
    check("用户身份验证", &["用户", "户身", "身份", "份验", "验证"]);
    check("用", &["用"]);
    check("データ ﾃﾞｰﾀ", &["デー", "ータ"]);
    check("か\u{3099}き", &["がき"]);
    check("레이트", &["레이", "이트"]);
    check("\u{1105}\u{1166}\u{110b}\u{1175}\u{1110}\u{1173}", &["레이", "이트"]);
    check("ระบบ", &["ระ", "ะบ", "บบ"]);
    check("ລະບົບ", &["ລະ", "ະບ", "ບົ", "ົບ"]);
    check("用户ID验证", &["用户", "id", "验证"]);
}

#[test]
fn what_shows_nothing_changes_nothing() {
    check("rate\u{200c}\u{ad}Limiter\u{feff}", &["ratelimit", "rate", "limit"]);
    check("don\u{200b}'\u{200b}t", &["dont"]);
    check("\u{200b}\0\u{1f680}\\\"( \u{301}", &[]);
}

#[test]
fn hashes_and_blobs_stay_whole_and_short() {
    check("3f2a9c1b7d", &["3f2a9c1b7d"]);
    let blob = "aB3".repeat(100_000);
    let found = terms(&blob);
    assert_eq!(found.len(), 1);
    assert_eq!(found, terms(&blob.to_lowercase()));
    assert!(found[0].len() <= TERM_BYTES);
    assert_ne!(found, terms(&format!("{blob}x")));
}

#[test]
fn a_title_counts_twice() {
    assert_eq!(unit_length("two words", "three more words"), 7);
    assert_eq!(Tokeniser::new().spaced_terms("two", "more words"), "two two more word ");
}

#[test]
fn function_words_stand_as_the_tokeniser_emits_them() {
    assert!(FUNCTION_WORDS.is_sorted());
    for (word, term) in [("please", "pleas"), ("remember", "rememb"), ("does", "doe"), ("Why", "whi"), ("any", "ani"), ("doesn't", "doesnt"), ("what", "what")]
    {
        check(word, &[term]);
        assert!(is_function_word(term), "{word}");
    }
}

#[test]
fn a_question_keeps_its_subject() {
    let texts = |prompt: &str| query_terms(prompt, QUERY_TERMS).into_iter().map(|term| term.text).collect::<Vec<_>>();
    assert_eq!(texts("do you remember what we decided about where the rate limiter goes?"), ["decid", "rate", "limit", "goe"]);
    assert_eq!(texts("why is it so?"), ["whi", "is", "it", "so"]);
    let query = query_terms("rateLimiter limiter", QUERY_TERMS);
    assert_eq!(query[0], QueryTerm { text: "ratelimit".into(), count: 1, whole: true });
    assert_eq!(query[2], QueryTerm { text: "limit".into(), count: 2, whole: false });
}

#[test]
fn a_long_prompt_is_read_at_both_ends() {
    let prompt = format!("first question {} last question", "é filler ".repeat(1_000_000));
    let found: BTreeSet<_> = query_terms(&prompt, QUERY_TERMS).into_iter().map(|term| term.text).collect();
    assert!(found.contains("first") && found.contains("last"));
    let many: String = (0..5000).map(|n| format!("word{n} ")).collect();
    let found = query_terms(&many, 100);
    assert_eq!(found.len(), 100);
    assert!(found.iter().any(|term| term.text == "word0") && found.iter().any(|term| term.text == "word4999"));
}

proptest! {
    #[test]
    fn any_text_gives_short_terms_without_spaces(text in "\\PC{0,40}|[a-zA-Z0-9_./:'\\-\\\\ é用ก\u{301}\u{200b}\u{3099}]{0,60}") {
        for term in terms(&text) {
            prop_assert!(!term.is_empty() && term.len() <= TERM_BYTES && !term.contains(char::is_whitespace), "{term:?}");
        }
        query_terms(&text, 8);
    }

    #[test]
    fn a_kept_tokeniser_emits_what_a_new_one_does(texts in proptest::collection::vec("[a-zA-Z0-9_./:'\\- é用ก]{0,40}", 0..8)) {
        let mut kept = Tokeniser::new();
        for text in &texts {
            let mut found = Vec::new();
            kept.each_term(text, &mut |term| found.push(term.to_owned()));
            prop_assert_eq!(found, terms(text));
        }
    }
}
