//! `pi-brain install pi`: the package for pi, which this program carries with it.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::json;

use super::super::{print_json, say};
use crate::args::InstallPiOptions;
use crate::describe::{BOLD, DIM, one_line};
use crate::locate::Locations;

/// The files of the package, by where they stand in it.
const PACKAGE: [(&str, &str); 19] = [
    ("README.md", include_str!("../../../../../extension/README.md")),
    ("brain.ts", include_str!("../../../../../extension/brain.ts")),
    ("branches.ts", include_str!("../../../../../extension/branches.ts")),
    ("command.ts", include_str!("../../../../../extension/command.ts")),
    ("daemon.ts", include_str!("../../../../../extension/daemon.ts")),
    ("errors.ts", include_str!("../../../../../extension/errors.ts")),
    ("events.ts", include_str!("../../../../../extension/events.ts")),
    ("index.ts", include_str!("../../../../../extension/index.ts")),
    ("lessons.ts", include_str!("../../../../../extension/lessons.ts")),
    ("package.json", include_str!("../../../../../extension/package.json")),
    ("pi.ts", include_str!("../../../../../extension/pi.ts")),
    ("program.ts", include_str!("../../../../../extension/program.ts")),
    ("progress.ts", include_str!("../../../../../extension/progress.ts")),
    ("quote.ts", include_str!("../../../../../extension/quote.ts")),
    ("say.ts", include_str!("../../../../../extension/say.ts")),
    ("settings.ts", include_str!("../../../../../extension/settings.ts")),
    ("tool.ts", include_str!("../../../../../extension/tool.ts")),
    ("words.ts", include_str!("../../../../../extension/words.ts")),
    ("skills/brain/SKILL.md", include_str!("../../../../../extension/skills/brain/SKILL.md")),
];

pub(crate) fn run(locations: &Locations, options: &InstallPiOptions) -> anyhow::Result<()> {
    let folder = std::path::absolute(Locations::data_folder()?)?.join("pi-package");
    let changed = write_package(&folder)?;
    if options.files_only {
        if options.json {
            return print_json(&json!({ "package": folder, "changed": changed }));
        }
        return say!("{}", folder.display());
    }
    tell_pi(locations, options, &folder)?;
    if options.json {
        return print_json(&json!({ "package": folder, "changed": changed, "installed": true }));
    }
    say!("pi knows the package now: {}", locations.display(&folder))?;
    say!("In pi: {BOLD}/brain what did we decide about …{BOLD:#}, and agents ask by themselves.")?;
    say!("{DIM}`pi-brain daemon start` makes answers come faster; it works without, too{DIM:#}")
}

/// Writes the package, and takes away what an older one had besides. Returns whether anything was other than it should be.
fn write_package(folder: &Path) -> anyhow::Result<bool> {
    let mut changed = false;
    for (name, text) in PACKAGE {
        let path = folder.join(name);
        if fs::read_to_string(&path).is_ok_and(|known| known == text) {
            continue;
        }
        let parent = path.parent().unwrap_or(folder);
        DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        pi_brain_store::put_file(&path, text.as_bytes(), false)?;
        changed = true;
    }
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let is_code = path.extension().is_some_and(|ending| ending == "ts");
        let is_ours = |(name, _): &(&str, &str)| folder.join(name) == path;
        if is_code && !PACKAGE.iter().any(is_ours) {
            fs::remove_file(&path)?;
            changed = true;
        }
    }
    Ok(changed)
}

fn tell_pi(locations: &Locations, options: &InstallPiOptions, folder: &Path) -> anyhow::Result<()> {
    let mut command = Command::new(&options.pi);
    command.arg("install").arg(folder).stdin(Stdio::null());
    command.env("PI_CODING_AGENT_DIR", std::path::absolute(locations.agent())?);
    let program = one_line(&options.pi.to_string_lossy());
    let failed = || {
        format!(
            "{program} cannot be run; name it with --pi, or give it the package yourself: \
             `pi install {}`",
            locations.shell_word(folder)
        )
    };
    let output = command.output().with_context(failed)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim().lines().last().unwrap_or("it does not say why");
        bail!("{program} install failed: {}", one_line(said));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_program_carries_the_whole_package() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../extension");
        let mut found = BTreeSet::new();
        let mut open = vec![folder.clone()];
        while let Some(path) = open.pop() {
            for entry in fs::read_dir(path).unwrap().flatten() {
                match entry.path() {
                    path if path.is_dir() => open.push(path),
                    path => {
                        let name =
                            path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
                        found.insert(name);
                    }
                }
            }
        }
        // Only for those who work on it.
        found.remove("tsconfig.json");
        let carried: BTreeSet<String> =
            PACKAGE.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(carried, found);
    }
}
