//! What can be typed after `pi-brain forest`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, FromArgMatches, Subcommand};
use pi_brain_forest::Role;

pub(super) const FOREST_HELP: &str = "\
Examples:
  pi-brain forest import latest --family         bring in a session and all its forks
  pi-brain forest tree                           see where they part
  pi-brain forest diff 1/8 1/13                  what two branches did differently
  pi-brain forest root --system \"Be brief.\"      start a tree by hand
  pi-brain forest append --user \"Hello\"          and go on in it

PLACE is a message, root-1/node-5 or 1/5; a root, root-1 or 1; the title of a bookmark or a label; \
a session's id or the beginning of one, for where it ends; or @ for the current place, where the last \
change was made.
Nothing that was said is ever thrown away: `delete` hides, `restore` brings back, `edit` branches.";

#[derive(Subcommand)]
pub(crate) enum ForestCommand {
    /// Finds the tree with a system prompt, or starts it; prints its id
    #[command(after_help = "\
A tree is known by its system prompt: the same prompt is the same tree. No prompt is a prompt, too, \
and not the same as an empty one.

Examples:
  pi-brain forest root
  pi-brain forest root --system \"You are a careful reviewer.\"")]
    Root(RootOptions),
    /// Lists the trees
    Roots(RootsOptions),
    /// Draws a tree: where it branches, what is bookmarked, which sessions end where
    #[command(after_help = "\
Examples:
  pi-brain forest tree
  pi-brain forest tree 1/5          only what follows a message
  pi-brain forest tree 1 --full     nothing folded")]
    Tree(ForestTreeOptions),
    /// Prints the conversation that leads to a place
    #[command(after_help = "\
Examples:
  pi-brain forest path 1/8
  pi-brain forest path @ --from 1/5")]
    Path(PathOptions),
    /// Says something after a place; what was said there already is not said twice
    #[command(after_help = "\
Without PLACE it goes on at the current place. JSON messages are {\"role\": …, \"content\": …}: an \
array of them, or one after the other.

Examples:
  pi-brain forest append 1 --user \"Hello\" --assistant \"Hi!\"
  pi-brain forest append --user \"And now?\"
  pi-brain forest append 1/5 --file messages.json
  echo '{\"role\":\"user\",\"content\":\"Hello\"}' | pi-brain forest append 1")]
    Append(AppendOptions),
    /// Gives a message another text; where something follows the old one, the new one becomes a branch
    #[command(after_help = "\
Examples:
  pi-brain forest edit 1/5 \"What I meant to say\"
  pi-brain forest edit 1/5 < better.txt")]
    Edit(EditOptions),
    /// Cuts the text of a message in two
    #[command(after_help = "\
The second half keeps the name of the message and what follows; `forest join` undoes it.

Examples:
  pi-brain forest split 1/5 --before \"But then\"
  pi-brain forest split 1/5 --at 120")]
    Split(SplitOptions),
    /// Puts the halves of a split message together again
    Join(JoinOptions),
    /// Hides messages, with everything that follows them
    #[command(after_help = "\
Examples:
  pi-brain forest delete 1/5
  pi-brain forest delete 1/5 --keep-children   only this one: what follows takes its place
  pi-brain forest delete 1 --whole-tree
  pi-brain forest restore 1/5                  undo")]
    Delete(DeleteOptions),
    /// Brings back what was deleted; without PLACE, lists what can be brought back
    Restore(RestoreOptions),
    /// Lists bookmarks, or puts one on a message
    #[command(after_help = "\
Labels of imported sessions are listed too; they are changed with `pi-brain session label`.

Examples:
  pi-brain forest bookmark
  pi-brain forest bookmark 1/5 \"before the rewrite\"
  pi-brain forest bookmark --rename \"before the rewrite\" \"good state\"
  pi-brain forest bookmark --remove \"good state\"")]
    Bookmark(BookmarkOptions),
    /// Shows the title of a message, or gives it one
    Title(TitleOptions),
    /// Shows the tags of a message, or adds and removes some
    #[command(after_help = "\
Examples:
  pi-brain forest tag 1/5 decision schema
  pi-brain forest tag 1/5 --remove schema")]
    Tag(TagOptions),
    /// Shows the data kept with a message, or changes some of it
    #[command(after_help = "\
Examples:
  pi-brain forest data 1/5 score=7 'note=\"check again\"'
  pi-brain forest data 1/5 score=null               take it away")]
    Data(DataOptions),
    /// Shows two branches from where they part
    #[command(after_help = "\
Examples:
  pi-brain forest diff 1/8 1/13
  pi-brain forest diff \"plan A\" @ --full")]
    Diff(DiffOptions),
    /// Shows what a model would be given at a place
    Context(ForestContextOptions),
    /// Brings pi sessions in: forks and clones of one session share one tree, each message once
    #[command(after_help = "\
What is there already stays as it is; a session that has grown brings in what is new.

Examples:
  pi-brain forest import latest --family
  pi-brain forest import 01a1e054 01a1e0aa")]
    Import(ImportOptions),
    /// Writes a conversation as a session that pi continues, or sessions and families back
    #[command(after_help = "\
Examples:
  pi-brain forest export 1/8 --pi                              a new session in pi's own folder
  pi-brain forest export --session 01a1e054 --out back.jsonl   an imported session, byte for byte
  pi-brain forest export 1 --family --out all.jsonl            all branches of a tree in one session")]
    Export(ExportOptions),
    /// Verifies everything, and says what is wrong
    Check(JsonOption),
    /// Mends what can be mended, and says what it did
    Repair(JsonOption),
}

#[derive(Args)]
pub(crate) struct JsonOption {
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct RootOptions {
    /// The system prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) system: Option<String>,
    /// A file with the system prompt (`-` reads it from standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "system")]
    pub(crate) system_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct RootsOptions {
    /// Deleted ones, too
    #[arg(long)]
    pub(crate) deleted: bool,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct ForestTreeOptions {
    /// A root, or the message to start from [default: the only tree, else the current one]
    pub(crate) place: Option<String>,
    /// Show every message
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct PathOptions {
    /// Where the conversation ends [default: the current place]
    #[arg(default_value = "@", hide_default_value = true)]
    pub(crate) place: String,
    /// Where to begin
    #[arg(long, value_name = "PLACE")]
    pub(crate) from: Option<String>,
    /// Tool output in full length
    #[arg(long)]
    pub(crate) full: bool,
    /// Also what the model thought
    #[arg(long)]
    pub(crate) thinking: bool,
    /// Print at once, also on a terminal
    #[arg(long)]
    pub(crate) no_pager: bool,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct AppendOptions {
    /// What it follows [default: the current place]
    pub(crate) place: Option<String>,
    #[command(flatten)]
    pub(crate) said: Said,
    /// JSON messages from a file (`-`, or nothing at all, reads standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "said")]
    pub(crate) file: Option<PathBuf>,
    /// White space at the ends of texts does not make a difference
    #[arg(long)]
    pub(crate) trim: bool,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

/// What is said by whom, in the order in which it was typed.
pub(crate) struct Said(pub(crate) Vec<(Role, String)>);

impl Said {
    const SPEAKERS: [(&str, Role, &str); 2] = [
        ("user", Role::User, "What a person says; may be given several times"),
        ("assistant", Role::Assistant, "What a model says; may be given several times"),
    ];
}

impl Args for Said {
    fn augment_args(command: clap::Command) -> clap::Command {
        let group = ArgGroup::new("said").args(Self::SPEAKERS.map(|(name, ..)| name));
        let argument = |(name, _, help): (&'static str, Role, &'static str)| {
            let argument = Arg::new(name).long(name).value_name("TEXT").help(help);
            argument.action(ArgAction::Append).allow_hyphen_values(true)
        };
        command.args(Self::SPEAKERS.map(argument)).group(group.multiple(true))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Said {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut said: Vec<(usize, Role, String)> = Vec::new();
        for (name, role, _) in Self::SPEAKERS {
            let positions = matches.indices_of(name).into_iter().flatten();
            let texts = matches.get_many::<String>(name).into_iter().flatten();
            said.extend(positions.zip(texts).map(|(at, text)| (at, role, text.clone())));
        }
        said.sort_by_key(|(at, ..)| *at);
        Ok(Self(said.into_iter().map(|(_, role, text)| (role, text)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[derive(Args)]
pub(crate) struct EditOptions {
    /// The message
    pub(crate) node: String,
    /// The new text (`-`, or nothing at all, reads standard input)
    #[arg(allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// Leave bookmarks on the old text
    #[arg(long)]
    pub(crate) keep_bookmarks: bool,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
#[group(id = "cut", required = true, multiple = false, args = ["at", "before", "after"])]
pub(crate) struct SplitOptions {
    /// The message
    pub(crate) node: String,
    /// After so many characters
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) at: Option<CutPosition>,
    /// Before these words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) before: Option<String>,
    /// After these words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) after: Option<String>,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

/// How many characters the first half of a split message has.
#[derive(Clone, Copy)]
pub(crate) struct CutPosition(pub(crate) usize);

impl FromStr for CutPosition {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse::<usize>() {
            Ok(0) => Err("the first half would be empty; the first character is number 1"),
            Ok(position) => Ok(Self(position)),
            Err(_) => Err("say a whole number of characters, such as 120"),
        }
    }
}

#[derive(Args)]
pub(crate) struct JoinOptions {
    /// One of the halves
    pub(crate) node: String,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct DeleteOptions {
    /// The messages
    #[arg(required = true, value_name = "PLACE")]
    pub(crate) places: Vec<String>,
    /// Only these messages: what follows takes their place
    #[arg(long, conflicts_with = "whole_tree")]
    pub(crate) keep_children: bool,
    /// Although bookmarks, labels or data refer to them
    #[arg(long)]
    pub(crate) force: bool,
    /// Delete trees; every PLACE must be a root
    #[arg(long)]
    pub(crate) whole_tree: bool,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct RestoreOptions {
    /// What to bring back
    pub(crate) place: Option<String>,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct BookmarkOptions {
    /// The message
    #[arg(requires = "title")]
    pub(crate) node: Option<String>,
    /// The title of its bookmark
    pub(crate) title: Option<String>,
    /// Give a bookmark another title
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with_all = ["node", "remove"])]
    pub(crate) rename: Option<Vec<String>>,
    /// Take a bookmark away
    #[arg(long, value_name = "TITLE", conflicts_with = "node")]
    pub(crate) remove: Option<String>,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct TitleOptions {
    /// The message
    pub(crate) node: String,
    /// The title
    pub(crate) title: Option<String>,
    /// Take the title away
    #[arg(long, conflicts_with = "title")]
    pub(crate) clear: bool,
    /// Make one from the text; it counts where there is no other and nothing follows
    #[arg(long, conflicts_with_all = ["title", "clear"])]
    pub(crate) auto: bool,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct TagOptions {
    /// The message
    pub(crate) node: String,
    /// Tags to add
    #[arg(value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Take a tag away; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) remove: Vec<String>,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct DataOptions {
    /// The message
    pub(crate) node: String,
    /// What to change; KEY=null takes a key away
    #[arg(value_name = "KEY=JSON")]
    pub(crate) changes: Vec<DataChange>,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

/// One key of the data that is kept with a message, and its new value.
#[derive(Clone)]
pub(crate) struct DataChange {
    pub(crate) key: String,
    pub(crate) value: serde_json::Value,
}

impl FromStr for DataChange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, value) = text.split_once('=').ok_or("say KEY=JSON, such as score=7")?;
        if key.trim().is_empty() {
            return Err("the key is missing; say KEY=JSON, such as score=7".to_owned());
        }
        let value = serde_json::from_str(value)
            .map_err(|error| format!("not JSON ({error}); a text needs quotes: '{key}=\"…\"'"))?;
        Ok(Self { key: key.trim().to_owned(), value })
    }
}

#[derive(Args)]
pub(crate) struct DiffOptions {
    /// Where one branch ends
    #[arg(value_name = "A")]
    pub(crate) left: String,
    /// Where the other ends
    #[arg(value_name = "B")]
    pub(crate) right: String,
    /// Texts in full length
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct ForestContextOptions {
    /// The place [default: the current place]
    #[arg(default_value = "@", hide_default_value = true)]
    pub(crate) place: String,
    /// What to put between neighbouring texts of one speaker, which become one
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) separator: String,
    /// Exactly what pi would give, with its settings
    #[arg(long, conflicts_with = "separator")]
    pub(crate) pi: bool,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct ImportOptions {
    /// Files, ids or beginnings of them, or `latest` for the file written last
    #[arg(required = true, value_name = "SESSION")]
    pub(crate) sessions: Vec<OsString>,
    /// Also the sessions that they were forked from or into
    #[arg(long)]
    pub(crate) family: bool,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

#[derive(Args)]
pub(crate) struct ExportOptions {
    /// Where the conversation ends; with --family, the tree
    pub(crate) place: Option<String>,
    /// The conversation that leads to PLACE, as a new session that pi continues
    #[arg(long, requires = "place", conflicts_with = "family")]
    pub(crate) pi: bool,
    /// All branches of a tree, as one session
    #[arg(long, requires_all = ["place", "out"], conflicts_with = "session")]
    pub(crate) family: bool,
    /// The imported session to write back; with --pi, whose settings, labels and name to take along
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<OsString>,
    /// The file to write, which must not be there yet [default with --pi: a new one in pi's session folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The working directory of the new session [default: the session's, else this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}
