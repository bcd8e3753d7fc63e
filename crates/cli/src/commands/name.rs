//! `pi-brain session name`: what to call a session.

use super::say;
use crate::args::NameOptions;
use crate::describe::clean;
use crate::locate::Locations;

pub(crate) fn run(locations: &Locations, options: &NameOptions) -> anyhow::Result<()> {
    let mut writer = locations.open_to_write(&options.write.session, options.write.force)?;
    writer.append_session_info(options.name.as_deref().unwrap_or_default())?;
    match writer.session().log().name() {
        Some(name) => say!("The session is now called “{}”", clean(name)),
        None => say!("The session has no name any more"),
    }
}
