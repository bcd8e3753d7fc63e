//! `pi-brain session name`: what to call a session.

use super::say;
use crate::args::NameOptions;
use crate::describe::one_line;
use crate::locate::Locations;

pub(crate) fn run(locations: &Locations, options: &NameOptions) -> anyhow::Result<()> {
    let (mut draft, _) = locations.open_to_write(&options.write.session, options.write.force)?;
    draft.writer.append_session_info(options.name.as_deref().unwrap_or_default())?;
    draft.remember();
    match draft.session().log().name() {
        Some(name) => say!("The session is now called “{}”", one_line(name)),
        None => say!("The session has no name any more"),
    }
}
