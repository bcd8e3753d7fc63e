use super::*;

const NEWS: Outcome = Outcome { is_news: true, is_settled: false, close: None };
const NOTHING: Outcome = Outcome { is_news: false, is_settled: false, close: None };
const SETTLED: Outcome = Outcome { is_news: false, is_settled: true, close: None };

/// A schedule that has nothing to do, and the time.
fn idle() -> (Schedule, Instant) {
    let now = Instant::now();
    let mut schedule = Schedule::new(now);
    assert_eq!(schedule.next(), (now, Task::Settle));
    schedule.looked(now, now, SETTLED);
    assert_eq!(schedule.next(), (now + CHECK, Task::Check));
    (schedule, now)
}

#[test]
fn a_change_is_looked_at_after_a_moment() {
    let (mut schedule, now) = idle();
    schedule.noticed(now);
    schedule.noticed(now + DEBOUNCE / 2);
    assert_eq!(schedule.next(), (now + DEBOUNCE, Task::Look));
}

#[test]
fn what_was_taken_in_is_settled_when_it_is_quiet() {
    let (mut schedule, now) = idle();
    schedule.looked(now, now, NEWS);
    assert_eq!(schedule.next(), (now + QUIET, Task::Settle));
    let later = now + QUIET / 2;
    schedule.looked(later, later, NEWS);
    assert_eq!(schedule.next(), (later + QUIET, Task::Settle));
    schedule.looked(later, later, NOTHING);
    assert_eq!(schedule.next(), (later + QUIET, Task::Settle));
    schedule.looked(later, later, SETTLED);
    assert_eq!(schedule.next(), (later + CHECK, Task::Check));
}

#[test]
fn lines_that_keep_coming_do_not_put_it_off_for_ever() {
    let (mut schedule, start) = idle();
    let mut now = start;
    while now < start + UNSETTLED {
        schedule.looked(now, now, NEWS);
        now += QUIET / 2;
    }
    assert_eq!(schedule.next(), (start + UNSETTLED, Task::Settle));
}

#[test]
fn a_long_look_is_followed_by_a_rest() {
    let (mut schedule, began) = idle();
    let now = began + Duration::from_millis(100);
    schedule.looked(began, now, NOTHING);
    schedule.noticed(now);
    assert_eq!(schedule.next(), (now + Duration::from_millis(400), Task::Look));
}

#[test]
fn a_segment_is_closed_when_it_is_due() {
    let (mut schedule, now) = idle();
    let wait = Duration::from_secs(7);
    schedule.looked(now, now, Outcome { close: Some(wait), ..SETTLED });
    assert_eq!(schedule.next(), (now + wait, Task::Look));
    // One that cannot be closed does not keep us busy.
    schedule.looked(now, now, Outcome { close: Some(Duration::ZERO), ..SETTLED });
    assert_eq!(schedule.next(), (now + CHECK, Task::Check));
}

#[test]
fn failures_are_tried_again_less_and_less_often() {
    let (mut schedule, now) = idle();
    let mut waits = Vec::new();
    for _ in 0..8 {
        schedule.failed(now);
        let (due, task) = schedule.next();
        assert_eq!(task, Task::Look);
        waits.push((due - now).as_secs());
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    schedule.looked(now, now, NOTHING);
    schedule.failed(now);
    assert_eq!(schedule.next().0, now + RETRY);
}

#[test]
fn another_writer_is_waited_for() {
    let (mut schedule, now) = idle();
    schedule.found_busy(now);
    assert_eq!(schedule.next(), (now + BUSY, Task::Look));
}
