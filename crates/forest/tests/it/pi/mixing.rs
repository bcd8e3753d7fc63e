//! People change trees while sessions come, grow, change and go.

use std::collections::BTreeSet;

use pi_brain_forest::{
    Deletion, Forest, Matching, MemoryStore, Message, NewMessage, NodeId, Reading, Role, Store,
};
use pi_brain_session::Millis;
use proptest::prelude::*;
use proptest::sample::Index;

use super::NOW;
use super::world::{Act, World, any_act, cases};

/// What somebody does.
#[derive(Clone, Debug)]
enum Deed {
    /// Something happens in pi.
    Act(Act),
    /// A file is imported as it is now.
    Import(Index),
    /// A session is forgotten.
    Remove(Index),
    /// Something is said by hand, in words that sessions use or in others.
    Append(Index, bool),
    Delete(Index),
    Restore(Index),
    Bookmark(Index),
    Go(Index),
}

fn any_deed() -> impl Strategy<Value = Deed> {
    let at = any::<Index>;
    prop_oneof![
        8 => prop_oneof![12 => any_act(), 1 => Just(Act::Begin)].prop_map(Deed::Act),
        6 => at().prop_map(Deed::Import),
        1 => at().prop_map(Deed::Remove),
        2 => (at(), any::<bool>()).prop_map(|(at, own)| Deed::Append(at, own)),
        1 => at().prop_map(Deed::Delete),
        1 => at().prop_map(Deed::Restore),
        1 => at().prop_map(Deed::Bookmark),
        1 => at().prop_map(Deed::Go),
    ]
}

struct Life {
    world: World,
    forest: Forest<MemoryStore>,
    clock: i64,
    /// What was said by hand, in words that nobody else uses.
    by_hand: BTreeSet<String>,
}

impl Life {
    fn pick(&self, at: Index) -> Option<NodeId> {
        let roots = self.forest.roots().unwrap();
        let nodes =
            roots.iter().flat_map(|root| self.forest.subtree(root.id.into(), None).unwrap());
        let messages: Vec<NodeId> = nodes.map(|node| node.id).collect();
        (!messages.is_empty()).then(|| messages[at.index(messages.len())])
    }

    fn live(&mut self, deed: &Deed) {
        self.clock += 1;
        let now = Millis(NOW.0 + self.clock);
        match deed {
            Deed::Act(act) => self.world.act(act),
            Deed::Import(at) => {
                let file = &self.world.files[at.index(self.world.files.len())];
                let reading = Reading::from_bytes(&file.name, file.bytes()).unwrap();
                self.forest.import(vec![reading], now).unwrap();
            }
            Deed::Remove(at) => {
                let sessions = self.forest.store().sessions().unwrap();
                if !sessions.is_empty() {
                    let no = sessions[at.index(sessions.len())].no;
                    self.forest.remove_session(no, now).unwrap();
                }
            }
            Deed::Append(at, own) => {
                let text =
                    if *own { format!("by hand {}", self.clock) } else { "continue".to_owned() };
                if let Some(node) = self.pick(*at) {
                    let message = NewMessage::new(Message::text(Role::User, &text));
                    self.forest.append(node.into(), vec![message], Matching::Exact, now).unwrap();
                    self.by_hand.extend(own.then_some(text));
                }
            }
            Deed::Delete(at) => {
                if let Some(node) = self.pick(*at) {
                    self.forest.delete(&[node.into()], Deletion::Cascade, true, now).unwrap();
                }
            }
            Deed::Restore(at) => {
                let deleted = self.forest.deleted().unwrap();
                if !deleted.is_empty() {
                    // Not while what it follows is deleted, too.
                    let _ = self.forest.restore(deleted[at.index(deleted.len())].id, now);
                }
            }
            Deed::Bookmark(at) => {
                if let Some(node) = self.pick(*at) {
                    self.forest.bookmark(node, &format!("mark {}", self.clock), now).unwrap();
                }
            }
            Deed::Go(at) => {
                if let Some(node) = self.pick(*at) {
                    self.forest.go_to(node.into()).unwrap();
                }
            }
        }
    }

    /// Returns everything that was ever said by hand and is still kept, deleted or not.
    fn kept_by_hand(&self) -> BTreeSet<String> {
        let store = self.forest.store();
        let roots = store.roots().unwrap();
        let nodes = roots.iter().flat_map(|root| store.nodes(root.id).unwrap());
        let texts = nodes.map(|node| store.message(node.id).unwrap().joined_text());
        texts.filter(|text| text.starts_with("by hand")).collect()
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn nothing_gets_lost_between_people_and_sessions(deeds in prop::collection::vec(any_deed(), 1..60)) {
        let world = World::default().play(&[]);
        let forest = Forest::new(MemoryStore::new());
        let mut life = Life { world, forest, clock: 0, by_hand: BTreeSet::new() };
        for deed in &deeds {
            let bookmarks = life.forest.bookmarks().unwrap().len();
            life.live(deed);
            prop_assert_eq!(life.forest.check().unwrap(), [], "after {:?}", deed);
            if let Deed::Import(_) | Deed::Remove(_) = deed {
                // A bookmark goes only where everything before it was deleted.
                let left = life.forest.bookmarks().unwrap().len();
                let deletes = deeds.iter().any(|deed| matches!(deed, Deed::Delete(_)));
                prop_assert!(left == bookmarks || deletes && left < bookmarks, "after {:?}", deed);
            }
        }
        prop_assert_eq!(life.kept_by_hand(), life.by_hand);
        for record in life.forest.store().sessions().unwrap() {
            let bytes = life.forest.export_session(record.no).unwrap();
            let whole = life.world.files.iter().find(|file| file.name == record.file).unwrap().bytes();
            prop_assert!(whole.starts_with(&bytes), "what was imported comes out");
        }
    }
}
