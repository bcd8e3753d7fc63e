//! What can be typed, and the help that explains it.

mod analysis;
mod brain;
mod daemon;
mod forest;
mod install;
mod knowledge;
mod lists;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

pub(crate) use analysis::*;
pub(crate) use brain::*;
pub(crate) use daemon::*;
pub(crate) use forest::*;
pub(crate) use install::*;
pub(crate) use knowledge::*;
pub(crate) use lists::*;

use crate::when::Day;

/// Finds again what you and pi did: takes in and searches pi sessions, cuts them into units of work; lists, shows,
/// labels, branches, forks and compacts them, and keeps them as trees.
#[derive(Parser)]
#[command(name = "pi-brain", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// pi's own folder [default: `$PI_CODING_AGENT_DIR`, else ~/.pi/agent]
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL)]
    pub(crate) agent_dir: Option<PathBuf>,

    /// A folder of session files [default: `$PI_CODING_AGENT_SESSION_DIR`, else pi's settings, else `sessions` in pi's own folder]
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL)]
    pub(crate) session_dir: Option<PathBuf>,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = GLOBAL)]
    pub(crate) color: Color,
}

const GLOBAL: &str = "Options of all commands";

const EXAMPLES: &str = "\
Examples:
  pi-brain                                  what is there, and what was done last
  pi-brain sessions --project shop --since 2w
  pi-brain search why did we drop redis     any message or unit of work
  pi-brain nodes --project shop             units of work
  pi-brain session show latest              read the session written last
  pi-brain session tree 01a1e054            its branches, labels and leaf
  pi-brain session fork latest              choose a message to start again from
  pi-brain session family latest            a session and all its forks as one tree

SESSION is a file, a session id or the beginning of one, or `latest` for the file written last.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 not readable as a session or forest.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Lists sessions, newest first
    #[command(after_help = "\
Examples:
  pi-brain sessions --project shop --since 2w
  pi-brain sessions --sort cost --limit 5
  pi-brain sessions --json | jq '.[].firstMessage'")]
    Sessions(SessionsOptions),
    /// Reads, labels, branches, forks and compacts one session
    #[command(subcommand)]
    Session(SessionCommand),
    /// Keeps conversations as trees, each message once: imports sessions, shows, edits and exports them
    #[command(subcommand, after_help = forest::FOREST_HELP)]
    Forest(ForestCommand),
    /// Takes all sessions in: what is new in them, and what has changed
    #[command(after_help = brain::INGEST_HELP)]
    Ingest(IngestOptions),
    /// Finds messages and units of work
    #[command(after_help = brain::SEARCH_HELP)]
    Search(SearchOptions),
    /// Answers a question with sentences from sessions, each with its source
    #[command(after_help = brain::ASK_HELP)]
    Ask(AskOptions),
    /// Tells in short what is known about a project: lessons, decisions, what was done last
    #[command(after_help = brain::BRIEF_HELP)]
    Brief(BriefOptions),
    /// Shows, corrects, notes and hides one unit of work
    #[command(subcommand, after_help = brain::NODE_HELP)]
    Node(NodeCommand),
    /// Lists units of work, newest first
    #[command(after_help = brain::NODES_HELP)]
    Nodes(NodesOptions),
    /// Lists, adds and removes links between units of work
    #[command(subcommand, after_help = brain::EDGES_HELP)]
    Edges(EdgesCommand),
    /// Leaves sessions out from now on, and deletes what was made of them
    #[command(after_help = brain::FORGET_HELP)]
    Forget(ForgetOptions),
    /// Copies what cannot be derived again
    #[command(after_help = brain::BACKUP_HELP)]
    Backup(BackupOptions),
    /// Looks whether everything is in order, and says what to do where it is not
    Doctor(DoctorOptions),
    /// Lists what went wrong, equal errors as one
    #[command(after_help = lists::ERRORS_HELP)]
    Errors(ErrorsOptions),
    /// Lists what goes wrong again and again, and how it was put right
    #[command(after_help = knowledge::PATTERNS_HELP)]
    Patterns(PatternsOptions),
    /// Lists what was learnt, lessons in other words as one
    #[command(after_help = knowledge::LESSONS_HELP)]
    Lessons(LessonsOptions),
    /// Lists what was decided, and why
    #[command(after_help = knowledge::DECISIONS_HELP)]
    Decisions(DecisionsOptions),
    /// Lists odd behaviour of models, and how to live with it
    #[command(after_help = knowledge::QUIRKS_HELP)]
    Quirks(QuirksOptions),
    /// Lists the units of work that one has to do with, and why
    #[command(after_help = knowledge::RELATED_HELP)]
    Related(RelatedOptions),
    /// Writes a unit of work or a project as a page to read
    #[command(after_help = knowledge::EXPORT_HELP)]
    Export(PageOptions),
    /// Shows which secrets would be taken out of a text, and where they stand
    #[command(after_help = knowledge::REDACT_HELP)]
    Redact(RedactOptions),
    /// Lists the models that answered, with tokens, cost and failed tool calls
    Models(ModelsOptions),
    /// Lists the projects that were worked on
    Projects(ProjectsOptions),
    /// Lists tags and topics of units of work
    Tags(TagsOptions),
    /// Adds up what was spent, by day, week, month, project, model or session
    #[command(after_help = lists::COST_HELP)]
    Cost(CostOptions),
    /// Shows what is there, what was done last, and what models take for pi-brain; as bare `pi-brain`
    Status(StatusOptions),
    /// Shows everything in numbers: sessions, units of work, tools, hours, disk
    Stats(StatsOptions),
    /// Tells which units of work touched a file, and why
    #[command(after_help = lists::FILE_HELP)]
    File(FileOptions),
    /// Prints units of work and the links between them, for Graphviz or as JSON
    #[command(after_help = lists::GRAPH_HELP)]
    Graph(GraphOptions),
    /// Throws away what can be derived, and derives it again
    #[command(after_help = brain::REBUILD_HELP)]
    Rebuild(IngestOptions),
    /// Has a model read units of work, within a budget
    #[command(after_help = analysis::ANALYZE_HELP)]
    Analyze(AnalyzeOptions),
    /// Shows and changes settings
    #[command(subcommand, after_help = analysis::CONFIG_HELP)]
    Config(ConfigCommand),
    /// Watches sessions and takes them in as they are written, until Ctrl-C
    Up(UpOptions),
    /// Does the same in the background: starts, stops and shows the daemon
    #[command(subcommand, after_help = daemon::DAEMON_HELP)]
    Daemon(DaemonCommand),
    /// Gives agents tools to ask with, over MCP: they start this, people do not
    #[command(after_help = install::MCP_HELP)]
    Mcp,
    /// Tells other programs of pi-brain
    #[command(subcommand, after_help = install::INSTALL_HELP)]
    Install(InstallCommand),
    /// Makes a small set of sessions to try things on, takes it in and searches it
    Demo {
        /// Where to put it [default: `$PI_BRAIN_HOME/demo`, else ~/.pi-brain/demo]
        folder: Option<PathBuf>,
    },
    /// Prints completions for a shell
    #[command(after_help = "Example:\n  pi-brain completions zsh > ~/.zfunc/_pi-brain")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Args)]
pub(crate) struct SessionsOptions {
    /// Only sessions whose working directory contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Only sessions used since then: 2026-11-01, today, yesterday, 12h, 3d, 2w
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Day>,
    /// Only sessions last used before then
    #[arg(long, value_name = "WHEN")]
    pub(crate) before: Option<Day>,
    /// What to sort by
    #[arg(long, value_name = "FIELD", default_value = "modified")]
    pub(crate) sort: SortField,
    /// The other way round
    #[arg(long)]
    pub(crate) reverse: bool,
    /// At most so many
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SortField {
    Modified,
    Created,
    Messages,
    Branches,
    Cost,
    Size,
    Project,
    Title,
}

#[derive(Subcommand)]
pub(crate) enum SessionCommand {
    /// Draws the tree, with labels, branches and the leaf
    Tree(TreeOptions),
    /// Prints the conversation of the current branch, or of another
    #[command(after_help = "\
Examples:
  pi-brain session show latest
  pi-brain session show 01a1e054 --at 8c1f2a90     open at an entry
  pi-brain session show 01a1e054 --leaf 5d0be7aa   another branch, up to there")]
    Show(ShowOptions),
    /// Lists branch points and the ends of branches
    Branches(ReadOptions),
    /// Shows a session together with its forks as one tree, and what they cost
    #[command(after_help = "\
Forks and clones repeat what they were made from; here each message stands once, and each answer \
is paid once. Nothing is written. `pi-brain forest import SESSION --family` keeps the tree.")]
    Family(FamilyOptions),
    /// Shows what a model would be given, and how large it is
    Context(ContextOptions),
    /// Counts messages, tools, models, tokens, cost and time
    Stats(ReadOptions),
    /// Prints everything as one JSON object, in pi's own shapes
    Dump(ReadOptions),
    /// Writes it as one file of HTML, to be read, searched and printed in any browser
    #[command(after_help = "\
The file needs nothing else: the whole tree, every branch, and what shows them. Nothing in it is sent anywhere.

Examples:
  pi-brain session export latest
  pi-brain session export 01a1e054 -o review.html --redact
  pi-brain session export 01a1e054 --leaf 5d0be7aa   opens on another branch")]
    Export(SessionExportOptions),
    /// Labels an entry, or clears its label
    #[command(after_help = "\
Examples:
  pi-brain session label latest 8c1f2a90 \"before the rewrite\"
  pi-brain session label latest 8c1f2a90 --clear")]
    Label(LabelOptions),
    /// Names the session, or clears its name
    Name(NameOptions),
    /// Moves the leaf to another entry for good, so that pi continues from there
    #[command(after_help = "\
Without a summary, a small entry that no model sees makes the move last.

Examples:
  pi-brain session branch latest --at 8c1f2a90 --auto --reason \"too slow\"
  pi-brain session branch latest --at 8c1f2a90 --summary \"Tried sqlite; locks were the problem.\"")]
    Branch(BranchOptions),
    /// Copies a path into a new session file that pi can continue
    #[command(after_help = "\
At a user message the new session ends before it, so that you can say it differently; at any other
entry it ends with that entry.

Examples:
  pi-brain session fork latest                  list the messages to choose from
  pi-brain session fork latest --at 8c1f2a90
  pi-brain session fork latest --clone")]
    Fork(ForkOptions),
    /// Puts a summary in place of the older part of the conversation (the built-in one, unless you say otherwise)
    #[command(after_help = "\
Examples:
  pi-brain session compact latest --dry-run
  pi-brain session compact latest --instructions \"keep the decisions about the schema\"
  pi-brain session compact latest --summary-command 'pi -p --no-session'")]
    Compact(CompactOptions),
    /// Rewrites a file of version 1 or 2 as version 3; the original is kept beside it
    Migrate(MigrateOptions),
}

#[derive(Args)]
pub(crate) struct ReadOptions {
    /// A file, an id or the beginning of one, or `latest` for the file written last
    pub(crate) session: OsString,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct TreeOptions {
    #[command(flatten)]
    pub(crate) read: ReadOptions,
    /// Which entries to show
    #[arg(long, value_name = "WHICH", default_value = "default")]
    pub(crate) filter: Filter,
    /// Show every entry of long runs without branches
    #[arg(long)]
    pub(crate) full: bool,
}

/// The filters of pi's own tree.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Filter {
    /// What was said and done
    Default,
    /// The same without tool results
    NoTools,
    /// Only what you said
    UserOnly,
    /// Only entries with a label
    LabeledOnly,
    /// Every line of the file
    All,
}

#[derive(Args)]
pub(crate) struct ShowOptions {
    #[command(flatten)]
    pub(crate) read: ReadOptions,
    /// Show the way to this entry, and stop there, instead of the current branch
    #[arg(long, value_name = "ENTRY")]
    pub(crate) leaf: Option<String>,
    /// Open at this entry; on another branch, that one is shown to its end
    #[arg(long, value_name = "ENTRY")]
    pub(crate) at: Option<String>,
    /// Tool output in full length
    #[arg(long)]
    pub(crate) full: bool,
    /// Also what the model thought
    #[arg(long)]
    pub(crate) thinking: bool,
    /// Print at once, also on a terminal
    #[arg(long)]
    pub(crate) no_pager: bool,
}

#[derive(Args)]
pub(crate) struct FamilyOptions {
    #[command(flatten)]
    pub(crate) read: ReadOptions,
    /// Show every message
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Args)]
pub(crate) struct ContextOptions {
    #[command(flatten)]
    pub(crate) read: ReadOptions,
    /// At this entry instead of the current leaf
    #[arg(long, value_name = "ENTRY")]
    pub(crate) leaf: Option<String>,
}

#[derive(Args)]
pub(crate) struct WriteOptions {
    /// A file, an id or the beginning of one, or `latest` for the file written last
    pub(crate) session: OsString,
    /// Write although pi may have the session open
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct LabelOptions {
    #[command(flatten)]
    pub(crate) write: WriteOptions,
    /// The entry: its id, the beginning of it, or its present label
    pub(crate) entry: String,
    /// The label
    #[arg(required_unless_present = "clear")]
    pub(crate) text: Option<String>,
    /// Take the label away
    #[arg(long, conflicts_with = "text")]
    pub(crate) clear: bool,
}

#[derive(Args)]
pub(crate) struct NameOptions {
    #[command(flatten)]
    pub(crate) write: WriteOptions,
    /// The name
    #[arg(required_unless_present = "clear")]
    pub(crate) name: Option<String>,
    /// Take the name away
    #[arg(long, conflicts_with = "name")]
    pub(crate) clear: bool,
}

/// Where the text of a summary comes from.
#[derive(Args)]
#[group(multiple = false)]
pub(crate) struct SummaryOptions {
    /// Your own words (`-` reads them from standard input)
    #[arg(long, value_name = "TEXT")]
    pub(crate) summary: Option<String>,
    /// Made from the conversation, without a model
    #[arg(long)]
    pub(crate) auto: bool,
    /// Made by a program, such as a model: it gets the conversation on standard input and prints the summary
    #[arg(long, value_name = "COMMAND")]
    pub(crate) summary_command: Option<String>,
}

impl SummaryOptions {
    pub(crate) fn is_given(&self) -> bool {
        self.summary.is_some() || self.auto || self.summary_command.is_some()
    }
}

#[derive(Args)]
pub(crate) struct BranchOptions {
    #[command(flatten)]
    pub(crate) write: WriteOptions,
    /// The entry that the next one shall follow
    #[arg(long, value_name = "ENTRY")]
    pub(crate) at: String,
    #[command(flatten)]
    pub(crate) summary: SummaryOptions,
    /// Why the branch was left
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Args)]
pub(crate) struct ForkOptions {
    #[command(flatten)]
    pub(crate) read: ReadOptions,
    /// Start again from this entry
    #[arg(long, value_name = "ENTRY")]
    pub(crate) at: Option<String>,
    /// Copy the whole current path
    #[arg(long, conflicts_with = "at")]
    pub(crate) clone: bool,
}

#[derive(Args)]
pub(crate) struct SessionExportOptions {
    /// A file, an id or the beginning of one, or `latest` for the file written last
    pub(crate) session: OsString,
    /// Where to write it; `-` is standard output [default: `pi-session-ID.html` in this folder]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Open it on the path to this entry
    #[arg(long, value_name = "ENTRY")]
    pub(crate) leaf: Option<String>,
    /// Take secrets out
    #[arg(long)]
    pub(crate) redact: bool,
}

#[derive(Args)]
pub(crate) struct CompactOptions {
    #[command(flatten)]
    pub(crate) write: WriteOptions,
    #[command(flatten)]
    pub(crate) summary: SummaryOptions,
    /// What the summary should look at
    #[arg(long, value_name = "TEXT")]
    pub(crate) instructions: Option<String>,
    /// How many tokens of the newest messages to keep [default: pi's settings, else 20000]
    #[arg(long, value_name = "N")]
    pub(crate) keep_tokens: Option<u64>,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args)]
pub(crate) struct MigrateOptions {
    #[command(flatten)]
    pub(crate) write: WriteOptions,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => {}
            Self::Always => anstream::ColorChoice::Always.write_global(),
            Self::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}

pub(crate) fn print_completions(shell: clap_complete::Shell) -> anyhow::Result<()> {
    // clap_complete panics where it cannot write, so it writes to memory.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "pi-brain", &mut text);
    let mut out = std::io::stdout().lock();
    out.write_all(&text)?;
    Ok(out.flush()?)
}
