//! Sessions that go.

use pi_brain_forest::{Matching, Message, NewMessage, Place, Role, Store};

use super::importing::{find, tree};
use super::notation::session;
use super::{NOW, forest_of, import, number_of};

#[test]
fn only_what_nobody_needs_goes() {
    let one = session("s", "a b:answer c d:answer").bytes();
    let other = session("s", "a b:answer e").bytes();
    let mut forest = forest_of(&[("/1", &one), ("/2", &other)]);
    assert_eq!(forest.remove_session(number_of(&forest, "/1"), NOW).unwrap(), 2);
    assert_eq!(tree(&forest), "a(b(e))");
    // What was read from the file that went is read from the other one.
    assert_eq!(forest.message(find(&forest, "a")).unwrap().joined_text(), "a");
    assert_eq!(forest.remove_session(number_of(&forest, "/2"), NOW).unwrap(), 3);
    assert!(forest.roots().unwrap().is_empty());
    let error =
        forest.remove_session(forest_of(&[("/1", &one)]).store().sessions().unwrap()[0].no, NOW);
    assert!(error.unwrap_err().to_string().contains("no session"));
}

#[test]
fn bookmarks_and_messages_by_hand_keep_what_leads_to_them() {
    let mut forest =
        forest_of(&[("/1", &session("s", "a b:answer c d:answer; b e f:answer").bytes())]);
    forest.bookmark(find(&forest, "c"), "c", NOW).unwrap();
    let e = find(&forest, "e");
    let mine = NewMessage::new(Message::text(Role::User, "mine"));
    forest.append(e.into(), vec![mine], Matching::Exact, NOW).unwrap();
    forest.go_to(find(&forest, "f").into()).unwrap();
    assert_eq!(forest.remove_session(number_of(&forest, "/1"), NOW).unwrap(), 2);
    assert_eq!(forest.check().unwrap(), []);
    assert_eq!(tree(&forest), "a(b(c e(mine)))");
    assert_eq!(forest.current().unwrap(), Some(Place::Node(e)), "one goes back to what is left");
    // The session finds its place again.
    let report = import(&mut forest, &[("/1", &session("s", "a b:answer c d:answer").bytes())]);
    assert_eq!(report.sessions[0].messages, 1);
    assert_eq!(tree(&forest), "a(b(c(d) e(mine)))");
    assert_eq!(find(&forest, "e"), e);
}

#[test]
fn a_message_is_as_old_as_the_sessions_that_are_left_say() {
    let early = session("s", "a c=x; a d").bytes();
    let late = session("s", "a e=x; a d").bytes();
    let mut forest = forest_of(&[("/1", &early), ("/2", &late)]);
    assert_eq!(tree(&forest), "a(x d)");
    forest.remove_session(number_of(&forest, "/1"), NOW).unwrap();
    assert_eq!(tree(&forest), "a(d x)");
}

#[test]
fn a_bookmark_keeps_what_a_rewritten_file_no_longer_says() {
    let mut forest = forest_of(&[("/1", &session("s", "a b:answer c").bytes())]);
    forest.bookmark(find(&forest, "c"), "c", NOW).unwrap();
    import(&mut forest, &[("/1", &session("s", "p=a b:answer d").bytes())]);
    // The words are gone with the old file, unless the store keeps a copy; the place is not.
    assert_eq!(forest.store().bookmarks().unwrap().len(), 1);
    assert!(tree(&forest).starts_with("a(b("), "{}", tree(&forest));
}
