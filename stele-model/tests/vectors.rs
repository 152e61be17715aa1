//! The vectors against those of the reference implementation, kept in `vectors.jsonl`.
//!
//! Its texts are Python Enhancement Proposals (public domain or CC0), issues of the beads project
//! (MIT, Steve Yegge), and a few made up for their characters. Vectors have five decimals.

use serde_json::Value;

const CASES: &str = include_str!("vectors.jsonl");

#[test]
fn forty_texts_have_the_ids_and_the_directions_of_the_reference() {
    let mut seen = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).expect("a case is JSON");
        let text = case["text"].as_str().expect("a case has a text");
        let numbers = |field: &str| {
            let numbers = case[field].as_array().expect("a list");
            numbers.iter().map(|n| n.as_f64().expect("a number")).collect::<Vec<_>>()
        };

        let mut ids = Vec::new();
        stele_model::token_ids(text, &mut ids);
        let ids: Vec<f64> = ids.into_iter().map(f64::from).collect();
        assert_eq!(ids, numbers("ids"), "{text:?}");

        let ours: Vec<f64> = stele_model::embed(text).into_iter().map(f64::from).collect();
        let theirs = numbers("vector");
        assert_eq!(theirs.len(), stele_model::DIMENSIONS);
        if ids.is_empty() {
            assert_eq!(ours, theirs, "{text:?}");
        } else {
            let cosine = dot(&ours, &theirs) / (dot(&ours, &ours) * dot(&theirs, &theirs)).sqrt();
            assert!(cosine >= 0.99999, "{text:?}: cosine {cosine}");
            assert!((dot(&ours, &ours) - 1.0).abs() < 1e-5, "{text:?} is not one long");
        }
        seen += 1;
    }
    assert_eq!(seen, 40);
}

#[test]
fn vectors_keep_their_very_bits() {
    // A change here is a change of vectors that users have stored: it needs a new name.
    let plain = (stele_model::NAME, checksum(stele_model::embed));
    assert_eq!(plain, ("stele-static-256-1", 0xAF38_C5C0_57F3_9FC0));
    let weighted = (stele_model::WEIGHTED_NAME, checksum(stele_model::embed_weighted));
    assert_eq!(weighted, ("stele-static-256-1-weighted", 0xEF41_CE3E_9608_7C24));
}

/// FNV-1a over the bits of the vectors of all cases.
fn checksum(embed: impl Fn(&str) -> [f32; stele_model::DIMENSIONS]) -> u64 {
    let mut sum = 0xCBF2_9CE4_8422_2325_u64;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).expect("a case is JSON");
        for value in embed(case["text"].as_str().expect("a case has a text")) {
            for byte in value.to_bits().to_le_bytes() {
                sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
            }
        }
    }
    sum
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn the_weighted_vector_leans_to_the_start_of_a_text() {
    let cosine = |text: &str, other: &str| {
        let (a, b) = (stele_model::embed_weighted(text), stele_model::embed_weighted(other));
        a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>()
    };
    let filler = "the quick brown fox jumps over the lazy dog ".repeat(10);
    let leading = format!("rate limiter {filler}");
    let trailing = format!("{filler} rate limiter");
    let query = "where is the rate limiter";
    assert!(cosine(query, &leading) > cosine(query, &trailing) + 0.05);
}
