//! `pi-brain daemon install`: has the daemon started whenever the user logs in.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::super::say;
use crate::args::InstallOptions;
use crate::locate::{Locations, absolute_variables};

/// What has to be run, and with which environment.
struct Service {
    command: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

pub(super) fn run(locations: &Locations, options: &InstallOptions) -> anyhow::Result<()> {
    let service = Service::find(locations, options.port.port)?;
    let is_mac = cfg!(target_os = "macos");
    let text = if is_mac { service.launchd_agent() } else { service.systemd_unit() };
    if options.print {
        return say!("{}", text.trim_end());
    }
    let path = if is_mac {
        locations.expand(Path::new("~/Library/LaunchAgents/pi-brain.plist"))
    } else {
        let variable = std::env::var_os("XDG_CONFIG_HOME").filter(|value| !value.is_empty());
        let folder = variable.map(PathBuf::from);
        let folder = folder.unwrap_or_else(|| locations.expand(Path::new("~/.config")));
        folder.join("systemd/user/pi-brain.service")
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("could not make {}", folder.display()))?;
    }
    fs::write(&path, text).with_context(|| format!("could not write {}", path.display()))?;
    say!("written: {}", locations.display(&path))?;
    say!("now run:")?;
    if is_mac {
        say!("  launchctl bootstrap gui/$(id -u) {}", locations.shell_word(&path))
    } else {
        say!("  systemctl --user daemon-reload && systemctl --user enable --now pi-brain")
    }
}

impl Service {
    fn find(locations: &Locations, port: Option<u16>) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("this program cannot be found again")?;
        let mut command = vec![program.into_os_string()];
        command.extend(locations.arguments()?);
        command.push("up".into());
        if let Some(port) = port {
            command.extend(["--port".into(), OsString::from(port.to_string())]);
        }
        let command = command.into_iter().map(plain).collect::<anyhow::Result<_>>()?;
        let variables = absolute_variables()?.into_iter();
        let variables = variables.map(|(name, value)| Ok((name, plain(value.into_os_string())?)));
        Ok(Self { command, variables: variables.collect::<anyhow::Result<_>>()? })
    }

    fn systemd_unit(&self) -> String {
        let words: Vec<String> =
            self.command.iter().map(|word| quoted(&word.replace('$', "$$"))).collect();
        let variables = self.variables.iter();
        let variables = variables
            .map(|(name, value)| format!("Environment={}\n", quoted(&format!("{name}={value}"))));
        format!(
            "[Unit]\n\
             Description=pi-brain: takes pi sessions in as they are written\n\
             \n\
             [Service]\n\
             ExecStart={}\n\
             {}\
             Restart=on-failure\n\
             RestartSec=5\n\
             Nice=10\n\
             UMask=0077\n\
             NoNewPrivileges=yes\n\
             \n\
             [Install]\n\
             WantedBy=default.target\n",
            words.join(" "),
            variables.collect::<String>()
        )
    }

    fn launchd_agent(&self) -> String {
        let string = |text: &str| format!("    <string>{}</string>\n", escaped(text));
        let words: String = self.command.iter().map(|word| string(word)).collect();
        let variables = self.variables.iter();
        let variables =
            variables.map(|(name, value)| format!("    <key>{name}</key>\n{}", string(value)));
        let variables = variables.collect::<Vec<_>>().concat();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
             \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
             <plist version=\"1.0\">\n\
             <dict>\n\
             \x20 <key>Label</key>\n\
             \x20 <string>pi-brain</string>\n\
             \x20 <key>ProgramArguments</key>\n\
             \x20 <array>\n{words}\x20 </array>\n\
             \x20 <key>EnvironmentVariables</key>\n\
             \x20 <dict>\n{variables}\x20 </dict>\n\
             \x20 <key>RunAtLoad</key>\n\
             \x20 <true/>\n\
             \x20 <key>KeepAlive</key>\n\
             \x20 <dict>\n\
             \x20   <key>SuccessfulExit</key>\n\
             \x20   <false/>\n\
             \x20 </dict>\n\
             \x20 <key>ProcessType</key>\n\
             \x20 <string>Background</string>\n\
             </dict>\n\
             </plist>\n"
        )
    }
}

/// Returns a word that can stand in a file of one setting a line.
fn plain(word: OsString) -> anyhow::Result<String> {
    match word.into_string() {
        Ok(word) if !word.contains(char::is_control) => Ok(word),
        Ok(word) => bail!("{word:?} cannot be written down for the system"),
        Err(word) => bail!("{} cannot be written down for the system", word.display()),
    }
}

/// Quotes a word for systemd, to which `%` means something, too.
fn quoted(word: &str) -> String {
    let word = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{word}\"")
}

/// Writes text for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
