//! What can be typed to look after the daemon.

use clap::{Args, Subcommand};

pub(super) const DAEMON_HELP: &str = "\
A daemon takes sessions in as they are written, so that other commands have nothing to wait for. Nothing needs one.

Examples:
  pi-brain daemon start
  pi-brain daemon status
  pi-brain daemon logs --follow
  pi-brain daemon queue                what a model is to read
  pi-brain daemon install --print      what would be written, to start it whenever you log in";

#[derive(Subcommand)]
pub(crate) enum DaemonCommand {
    /// Starts it in the background, and waits until it answers
    Start(PortOptions),
    /// Lets it finish what it is at, and ends it
    Stop,
    /// Shows whether it runs, what it is doing, and what went wrong; exit code 3 if none runs
    Status(DaemonStatusOptions),
    /// Stops it and starts it again, on the same port unless you say otherwise
    Restart(PortOptions),
    /// Prints the end of its log
    Logs(LogsOptions),
    /// Lists what is to be given to a model, what is being read, and what was given up
    Queue(DaemonStatusOptions),
    /// Tries again what was given up
    Retry(RetryOptions),
    /// Has it started whenever you log in: writes a systemd user unit, or a launchd agent
    Install(InstallOptions),
}

#[derive(Args)]
pub(crate) struct PortOptions {
    /// The port on 127.0.0.1; 0 takes any [default: `daemon.port` in config.toml, else 8765]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
}

#[derive(Args)]
pub(crate) struct UpOptions {
    #[command(flatten)]
    pub(crate) port: PortOptions,
    /// Where to listen; anything but this machine itself needs --token-file
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) bind: std::net::IpAddr,
    /// A file that only you can read, with the token that programs have to know [default: a new one each time]
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<std::path::PathBuf>,
    /// Leave the terminal that it was started from
    #[arg(long, hide = true)]
    pub(crate) detached: bool,
}

#[derive(Args)]
pub(crate) struct DaemonStatusOptions {
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct RetryOptions {
    /// The numbers of the jobs, as `pi-brain daemon queue` lists them [default: all]
    #[arg(value_name = "JOB")]
    pub(crate) jobs: Vec<i64>,
}

#[derive(Args)]
pub(crate) struct LogsOptions {
    /// How many lines
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    pub(crate) lines: usize,
    /// Wait for more, until Ctrl-C
    #[arg(long, short)]
    pub(crate) follow: bool,
}

#[derive(Args)]
pub(crate) struct InstallOptions {
    #[command(flatten)]
    pub(crate) port: PortOptions,
    /// Only print what would be written
    #[arg(long)]
    pub(crate) print: bool,
}
