//! How the GNU C library is to treat memory, which it only reads when a process starts. Elsewhere these settings mean nothing.
//!
//! By itself it keeps a pool for each thread: those of a large ingest hold more together than what is in use.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// For a process that lives long: one pool for all threads, and what is free goes back to the system. Otherwise most of what the
/// first ingest of thousands of sessions needed stays for as long as the daemon lives.
const FOR_GOOD: [(&str, &str); 3] = [
    ("MALLOC_ARENA_MAX", "1"),
    ("MALLOC_MMAP_THRESHOLD_", "65536"),
    ("MALLOC_TRIM_THRESHOLD_", "65536"),
];

/// For a large ingest: so many pools that threads do not wait for each other, and not more where there are many cores. With two,
/// it took a sixth longer. And what is large goes back to the system: otherwise the pool of the thread that wrote the index keeps
/// all that it needed for that, where nobody else can use it, while units of work are linked.
const FOR_NOW: [(&str, &str); 2] =
    [("MALLOC_ARENA_MAX", "8"), ("MALLOC_MMAP_THRESHOLD_", "524288")];

/// Makes this a process that may live long.
pub(crate) fn for_good() {
    begin_anew(&FOR_GOOD);
}

/// Makes this a process that may take in much.
pub(crate) fn for_now() {
    begin_anew(&FOR_NOW);
}

/// Begins anew, as the same process, unless it is as thrifty as it should be, or somebody has chosen otherwise.
fn begin_anew(settings: &[(&str, &str)]) {
    let is_set = |(name, _): &(&str, &str)| std::env::var_os(name).is_some();
    if cfg!(target_env = "gnu")
        && !settings.iter().any(is_set)
        && let Ok(program) = std::env::current_exe()
    {
        let settings = settings.iter().copied();
        // It only comes back if that fails; then there is more memory in use, and that is all.
        let _ = Command::new(program).args(std::env::args_os().skip(1)).envs(settings).exec();
    }
}
