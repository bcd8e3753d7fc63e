//! How to go on with a session in pi.

use std::path::Path;

use crate::paths::shell_path;

/// No path lies in this folder: paths are written in full, since the command may be pasted where `~` is somebody else's.
const NO_HOME: &str = "\0";

/// Returns what to type in a shell to go on with a session, in its working directory if that is there.
pub fn resume_command(file: &Path, cwd: Option<&str>) -> String {
    let word = |path: &Path| shell_path(path, Path::new(NO_HOME));
    let cwd = cwd.map(Path::new).filter(|cwd| cwd.is_dir());
    let go_there = cwd.map(|cwd| format!("cd {} && ", word(cwd))).unwrap_or_default();
    format!("{go_there}pi --session {}", word(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_whatever_it_holds() {
        let command = |file: &str| resume_command(Path::new(file), Some("/not/there"));
        assert_eq!(command("/a/b_c-1.jsonl"), "pi --session /a/b_c-1.jsonl");
        assert_eq!(command("/it's here/x;y"), r"pi --session '/it'\''s here/x;y'");
        assert_eq!(resume_command(Path::new("/a"), Some("/")), "cd / && pi --session /a");
    }
}
