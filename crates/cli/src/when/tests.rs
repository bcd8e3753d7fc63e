use super::*;

fn start(text: &str) -> String {
    let now: Zoned = "2026-11-15T12:30:00[UTC]".parse().unwrap();
    text.parse::<Day>().map_or_else(|error| error, |day| day.start(&now).to_string())
}

#[test]
fn days_begin_at_midnight() {
    assert_eq!(start("2026-11-01"), "2026-11-01T00:00:00.000Z");
    assert_eq!(start("today"), "2026-11-15T00:00:00.000Z");
    assert_eq!(start("yesterday"), "2026-11-14T00:00:00.000Z");
    assert_eq!(start("2w"), "2026-11-01T00:00:00.000Z");
    assert_eq!(start("3h"), "2026-11-15T09:30:00.000Z");
}

#[test]
fn nonsense_is_explained() {
    for nonsense in ["", "soon", "-3d", "2026-13-01", "w", "99999999999w", "ü"] {
        assert!(start(nonsense).starts_with("say a date"), "{nonsense}");
    }
}

#[test]
fn ages_are_short() {
    let now = Millis(1_000_000_000_000);
    let before = |seconds: i64| ago(Millis(now.0 - seconds * 1000), now);
    assert_eq!(before(5), "just now");
    assert_eq!(before(150), "2 min ago");
    assert_eq!(before(7200), "2 h ago");
    assert_eq!(before(200_000), "2 d ago");
}
