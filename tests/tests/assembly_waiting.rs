//! A host that has something else to look at waits for its providers in parts, and may leave them.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use stele_core::{AssembleOptions, Declaration, OutcomeKind, provider};
use stele_tests::TestRecord;

const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_plan_is_waited_for_in_parts_until_every_provider_has_answered() {
    let test = TestRecord::new();
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(released);
    let slow = provider(Declaration::new("slow").timeout(LONG), move |_| {
        let _ = released.lock().expect("one caller").recv_timeout(LONG);
        Ok("slow but well".into())
    });
    let mut plan = test.record.plan("is it slow?", &AssembleOptions::new().provider(slow).deadline(LONG)).expect("a plan");
    assert!(!plan.wait(Duration::from_millis(1)), "nobody let it go on");
    release.send(()).expect("it waits");
    assert!(plan.wait(LONG));
    assert!(plan.wait(Duration::ZERO), "nothing is left to wait for");
    let context = plan.finish().expect("a context");
    assert!(context.outcomes.iter().any(|outcome| outcome.provider == "slow" && outcome.result == OutcomeKind::Included));
}

#[test]
fn a_plan_that_is_dropped_tells_its_providers_that_nobody_waits() {
    let test = TestRecord::new();
    let (seen, told) = mpsc::channel();
    let seen = Mutex::new(seen);
    let (begun, began) = mpsc::channel();
    let begun = Mutex::new(begun);
    let looking = provider(Declaration::new("looking").timeout(LONG), move |request| {
        begun.lock().expect("one caller").send(()).expect("the test waits");
        while !request.cancelled() {
            std::thread::yield_now();
        }
        seen.lock().expect("one caller").send(()).expect("the test waits");
        Ok("nobody reads this".into())
    });
    let plan = test.record.plan("is it over?", &AssembleOptions::new().provider(Arc::clone(&looking)).deadline(LONG)).expect("a plan");
    began.recv_timeout(LONG).expect("it was called");
    drop(plan);
    told.recv_timeout(LONG).expect("it was told");
}
