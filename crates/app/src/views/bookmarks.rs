//! Names of messages in a forest.

use pi_brain_forest::{Forest, NodeId, Place, Result, Store};
use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::Serialize;

use crate::gist::Gist;

/// A bookmark, or a label of imported sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BookmarkView {
    /// Its name.
    pub title: String,
    /// Where it is.
    pub node: Place,
    /// Which of the two it is.
    pub kind: BookmarkKind,
    /// The sessions that have the label; a bookmark is nobody's.
    pub sessions: Vec<String>,
    /// When it was made.
    pub created: Option<Millis>,
    /// How the message begins.
    pub words: String,
}

/// What gives a message a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BookmarkKind {
    /// Somebody put it on a message of the forest.
    Bookmark,
    /// It came with sessions of pi.
    Label,
}

impl BookmarkView {
    /// Lists all bookmarks, then the labels of imported sessions.
    pub fn all<S: Store>(forest: &Forest<S>) -> Result<Vec<Self>> {
        let words = |node: NodeId| -> Result<String> {
            Ok(Gist::of_message(&*forest.store().message(node)?).words)
        };
        let mut views: Vec<Self> = Vec::new();
        for bookmark in forest.bookmarks()? {
            views.push(Self {
                words: words(bookmark.node)?,
                title: bookmark.title,
                node: bookmark.node.into(),
                kind: BookmarkKind::Bookmark,
                sessions: Vec::new(),
                created: Some(bookmark.created),
            });
        }
        for session in forest.store().sessions()? {
            for label in &session.labels {
                let Ok(place) = forest.place(label.place) else { continue };
                // A fork has the labels of the session that it came from.
                let is_same = |view: &&mut Self| {
                    view.kind == BookmarkKind::Label
                        && view.node == place
                        && view.title == label.text
                };
                if let Some(view) = views.iter_mut().find(is_same) {
                    view.sessions.push(session.id.clone());
                    continue;
                }
                views.push(Self {
                    title: label.text.clone(),
                    node: place,
                    kind: BookmarkKind::Label,
                    sessions: vec![session.id.clone()],
                    created: label.time.as_deref().and_then(Millis::parse),
                    words: place.node().map_or_else(|| Ok(String::new()), words)?,
                });
            }
        }
        Ok(views)
    }
}
