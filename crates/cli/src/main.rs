//! The `pi-brain` program: arguments in, sessions read or written, text out.

mod args;
mod brain;
mod commands;
mod describe;
mod failure;
mod locate;
mod mint;
mod open;
mod pager;
mod signals;
mod table;
mod thrift;
mod when;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Arguments, Command, SessionCommand};
use crate::commands::{
    analyze, ask, backup, brain_stats, branch, branches, brief, compact, config, context, cost,
    daemon, decisions, demo, doctor, dump, edges, errors, export, family, file, forest, forget,
    fork, graph, ingest, install, label, lessons, mcp, migrate, models, name, node, nodes,
    overview, patterns, projects, quirks, rebuild, redact, related, search, session_export,
    sessions, show, stats, tags, tree, up,
};
use crate::locate::Locations;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) => return print_answer(&answer),
    };
    arguments.color.apply();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if failure::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            failure::report(&error);
            failure::exit_code(&error)
        }
    }
}

/// Prints help, the version, or what is wrong with the arguments.
fn print_answer(answer: &clap::Error) -> ExitCode {
    match answer.print() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        _ => ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(2)),
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    let locations = || Locations::find(arguments.agent_dir, arguments.session_dir);
    match arguments.command {
        None => overview::run(&locations()?, false),
        Some(Command::Status(options)) => overview::run(&locations()?, options.json),
        Some(Command::Sessions(options)) => sessions::run(&locations()?, &options),
        Some(Command::Session(command)) => run_session(&locations()?, command),
        Some(Command::Forest(command)) => forest::run(&locations()?, command),
        Some(Command::Ingest(options)) => ingest::run(&locations()?, &options),
        Some(Command::Search(options)) => search::run(&locations()?, &options),
        Some(Command::Ask(options)) => ask::run(&locations()?, &options),
        Some(Command::Brief(options)) => brief::run(&locations()?, &options),
        Some(Command::Node(command)) => node::run(&locations()?, command),
        Some(Command::Nodes(options)) => nodes::run(&locations()?, options),
        Some(Command::Edges(command)) => edges::run(&locations()?, command),
        Some(Command::Forget(options)) => forget::run(&locations()?, &options),
        Some(Command::Backup(options)) => backup::run(&locations()?, &options),
        Some(Command::Doctor(options)) => doctor::run(&locations()?, &options),
        Some(Command::Errors(options)) => errors::run(&locations()?, &options),
        Some(Command::Patterns(options)) => patterns::run(&locations()?, &options),
        Some(Command::Lessons(options)) => lessons::run(&locations()?, &options),
        Some(Command::Decisions(options)) => decisions::run(&locations()?, &options),
        Some(Command::Quirks(options)) => quirks::run(&locations()?, &options),
        Some(Command::Related(options)) => related::run(&locations()?, &options),
        Some(Command::Export(options)) => export::run(&locations()?, &options),
        Some(Command::Redact(options)) => redact::run(&options),
        Some(Command::Models(options)) => models::run(&locations()?, &options),
        Some(Command::Projects(options)) => projects::run(&locations()?, &options),
        Some(Command::Tags(options)) => tags::run(&locations()?, &options),
        Some(Command::Cost(options)) => cost::run(&locations()?, &options),
        Some(Command::Stats(options)) => brain_stats::run(&locations()?, &options),
        Some(Command::File(options)) => file::run(&locations()?, &options),
        Some(Command::Graph(options)) => graph::run(&locations()?, &options),
        Some(Command::Rebuild(options)) => rebuild::run(&locations()?, &options),
        Some(Command::Analyze(options)) => analyze::run(&locations()?, &options),
        Some(Command::Config(command)) => config::run(&locations()?, &command),
        Some(Command::Up(options)) => up::run(locations()?, &options),
        Some(Command::Daemon(command)) => daemon::run(&locations()?, command),
        Some(Command::Mcp) => mcp::run(locations()?),
        Some(Command::Install(command)) => install::run(&locations()?, &command),
        Some(Command::Demo { folder }) => demo::run(folder),
        Some(Command::Completions { shell }) => args::print_completions(shell),
    }
}

fn run_session(locations: &Locations, command: SessionCommand) -> anyhow::Result<()> {
    match command {
        SessionCommand::Tree(options) => tree::run(locations, &options),
        SessionCommand::Show(options) => show::run(locations, &options),
        SessionCommand::Branches(options) => branches::run(locations, &options),
        SessionCommand::Family(options) => family::run(locations, &options),
        SessionCommand::Context(options) => context::run(locations, &options),
        SessionCommand::Stats(options) => stats::run(locations, &options),
        SessionCommand::Dump(options) => dump::run(locations, &options),
        SessionCommand::Export(options) => session_export::run(locations, &options),
        SessionCommand::Label(options) => label::run(locations, &options),
        SessionCommand::Name(options) => name::run(locations, &options),
        SessionCommand::Branch(options) => branch::run(locations, &options),
        SessionCommand::Fork(options) => fork::run(locations, &options),
        SessionCommand::Compact(options) => compact::run(locations, &options),
        SessionCommand::Migrate(options) => migrate::run(locations, &options),
    }
}
