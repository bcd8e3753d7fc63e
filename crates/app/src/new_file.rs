//! Session files that are new.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use pi_brain_session::SessionError;

/// Writes a file that is not there yet; if that fails, it is taken away again. Returns its length.
pub fn write_new(path: &Path, text: &mut impl Read) -> Result<u64, SessionError> {
    let fail = |source| SessionError::Write { path: path.to_owned(), source };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(fail)?;
    let written = io::copy(text, &mut file).and_then(|length| file.sync_all().map(|()| length));
    written.map_err(|error| {
        // What is left of a file that is only ours is of no use to anybody.
        let _ = fs::remove_file(path);
        fail(error)
    })
}
