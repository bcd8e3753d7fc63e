//! The entries that the statements of a unit of work rest on.

use std::io::{self, Write};
use std::path::Path;

use pi_brain_app::NodeView;
use pi_brain_session::{Session, Tree, View};

use crate::describe::{DIM, describe, one_line};
use crate::locate::Locations;
use crate::table::{fit, room};

/// Quotes entries of the session that a unit of work came from.
pub(super) struct Quotes<'a> {
    view: &'a NodeView,
    session: Session,
    tree: Tree,
}

impl<'a> Quotes<'a> {
    /// Opens the session; `None` if it is gone, and nothing can be quoted.
    pub(super) fn open(locations: &Locations, view: &'a NodeView) -> anyhow::Result<Option<Self>> {
        let Some(file) = &view.session else { return Ok(None) };
        let (session, tree) = locations.read(Path::new(&file.path), View::Repaired)?;
        Ok(Some(Self { view, session, tree }))
    }

    /// Writes the entries that the statement at a path of the node rests on, a line each.
    pub(super) fn write(&self, out: &mut impl Write, path: &str) -> io::Result<()> {
        let entries = self.view.node.ext.iter().filter_map(|ext| ext.evidence.get(path)).flatten();
        for entry in entries {
            let id = one_line(entry);
            let Some(at) = self.tree.find(entry) else {
                writeln!(out, "    {DIM}{id}  is not in the session any more{DIM:#}")?;
                continue;
            };
            let described = describe(&self.session, at)?;
            let (who, style) = (described.who, described.style);
            let words = fit(&described.words, room(id.len() + 17));
            writeln!(out, "    {DIM}{id}{DIM:#}  {style}{who:<9}{style:#}  {words}")?;
        }
        Ok(())
    }
}
