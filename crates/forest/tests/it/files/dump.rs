//! Everything that a store keeps, as one text: two stores are equal if their dumps are.

use std::fmt::Write;

use pi_brain_forest::{Place, Store, Which};

pub(crate) fn dump(store: &impl Store) -> String {
    let mut text = String::new();
    let mut line = |what: &dyn std::fmt::Debug| writeln!(text, "{what:?}").unwrap();
    line(&("next root", store.next_root().unwrap()));
    for root in store.roots().unwrap() {
        line(&root);
        line(&("next message", store.next_node(root.id).unwrap()));
        line(&children(store, root.id.into()));
        for node in store.nodes(root.id).unwrap() {
            line(&node);
            line(&store.message(node.id));
            line(&children(store, node.id.into()));
            line(&store.occurrences(node.id).unwrap());
            let found = store.find_children(&[(node.parent, node.key)], Which::All).unwrap();
            line(&("found as", found));
        }
    }
    line(&store.bookmarks().unwrap());
    line(&("current", store.current().unwrap()));
    line(&("next session", store.next_session().unwrap()));
    for session in store.sessions().unwrap() {
        line(&session);
        line(&store.session_text(session.no, 0..session.length).unwrap());
    }
    text
}

fn children(store: &impl Store, of: Place) -> Vec<String> {
    let children = store.children(of, Which::All).unwrap();
    children.iter().map(|node| node.id.to_string()).collect()
}
