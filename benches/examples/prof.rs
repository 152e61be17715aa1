//! Scratch.
use stele_core::{Record, RetrieveOptions};
use stele_bench::floor::Floor;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[2].parse().unwrap();
    let what = a.get(3).map(String::as_str).unwrap_or("both");
    let dir = stele_bench::corpus(a[1].parse().unwrap());
    let record = Record::options().create(false).open(&dir).unwrap();
    let floor = Floor::open(&dir);
    let r = record.retriever();
    let prompts = stele_bench::prompts(50);
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    let mut sums = (0,0,0,0,0,0);
    let mut b = (0,0);
    for i in 0..n {
        let p = &prompts[i % 50];
        if what != "floor" {
            let t = std::time::Instant::now();
            let w = r.retrieve(p, &RetrieveOptions::new()).unwrap();
            ours.push(t.elapsed().as_secs_f64() * 1e3);
            let s = &w.stats;
            sums.0 += s.nodes; sums.1 += s.edges; sums.2 += s.postings; sums.3 += s.vectors; sums.4 += w.entries.len(); sums.5 += w.callouts.len() + w.callout_lines.len();
        }
        if what != "ours" {
            let t = std::time::Instant::now();
            let w = floor.look_up(p);
            bare.push(t.elapsed().as_secs_f64() * 1e3);
            b.0 += w.edges; b.1 += w.bytes;
        }
    }
    let med = |v: &mut Vec<f64>| { v.sort_by(f64::total_cmp); v.get(v.len()/2).copied().unwrap_or(0.0) };
    let (o, f) = (med(&mut ours), med(&mut bare));
    println!("ours {o:.3} floor {f:.3} ratio {:.2} {sums:?} {b:?}", o / f);
}
