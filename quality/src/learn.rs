//! Fits what the kind of work and its outcome are judged by to the sessions that people have labelled.
//!
//! For each label a sum over the traits of a unit of work that is 1 where the label is right, -1 where it is not, and between
//! them where only some readers would choose it, as nearly as small weights allow (ridge regression, by conjugate gradients).
//! How well it does with authors whom it has not read is told by leaving out each of them in turn.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context;
use pi_brain_brain::{
    Analysis, Cause, EntryFacts, Fitted, KINDS, OUTCOMES, Part, SegmentContext, SegmentRange,
    Traits, measure, read_exchange, short, word,
};
use pi_brain_session::{EntryId, Millis, Session};

use crate::ending::{self, Ending};
use crate::script::{Script, Step, Unit, World};
use crate::session::{self, Written};

/// Parts of the corpus that are learnt from.
const PARTS: [&str; 3] = ["tuned", "learnt", "fresh"];

/// Short texts by themselves, and short conversations, each with a label.
const REQUESTS: &str = "crates/brain/src/analysis/examples/requests.tsv";
const REPLIES: &str = "crates/brain/src/analysis/examples/replies.tsv";
const EXCHANGES: &str = "crates/brain/src/analysis/examples/exchanges.tsv";
const ENDINGS: &str = "quality/examples/endings";
const CONCLUSIONS: &str = "quality/examples/conclusions.tsv";
const LAST_WORDS: &str = "quality/examples/last-words.tsv";

/// So many examples must have a trait for it to tell anything.
const ENOUGH_EXAMPLES: usize = 3;

/// Where the weights go.
const FOLDER: &str = "crates/brain/src/analysis/judgement";

/// What is learnt: the labels, and how much each of the parts counts that tell of them.
struct Subject {
    file: &'static str,
    labels: Vec<String>,
    parts: [f32; Part::ALL.len()],
    /// How much small weights are worth against small mistakes: the more readers differ, the more.
    smallness: f32,
}

impl Subject {
    fn kinds() -> Self {
        Self {
            file: "kinds.bin",
            labels: KINDS.iter().map(word).collect(),
            parts: [1.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            smallness: 1.0,
        }
    }

    fn outcomes() -> Self {
        Self {
            file: "outcomes.bin",
            labels: OUTCOMES.iter().map(word).collect(),
            parts: [0.3, 0.7, 0.7, 1.5, 1.0, 1.0, 0.5, 0.5, 0.3, 1.0, 0.0, 0.0, 0.0, 0.0],
            smallness: 2.5,
        }
    }

    fn exchanges() -> Self {
        Self {
            file: "exchanges.bin",
            labels: vec![SETTLES.to_owned()],
            parts: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.5, 0.3, 0.3, 0.3],
            smallness: 2.5,
        }
    }
}

/// How much an ending and a short text count against a unit of work of a whole session.
const OF_ENDING: f32 = 0.6;
const OF_SHORT_TEXT: f32 = 0.15;

/// The label of an exchange in which something is decided; others have none.
const SETTLES: &str = "settles";

/// Something with a label.
struct Example {
    /// `None` if nobody is left out of it: a short text or conversation.
    author: Option<String>,
    /// How much it counts against a unit of work of a whole session.
    share: f32,
    traits: Traits,
    label: String,
    /// Labels that a reader could choose as well.
    also: Vec<String>,
}

impl Example {
    /// Returns how much it deserves a label, from -1 to 1.
    fn deserves(&self, label: &String) -> f32 {
        match label {
            _ if self.label == *label => 1.0,
            _ if self.also.contains(label) => 0.5,
            _ => -1.0,
        }
    }
}

/// Fits all judgements, writes them, and says how well each does with authors whom it has not read.
pub(crate) fn learn(corpus: &Path) -> anyhow::Result<String> {
    let examples = Examples::read(corpus)?;
    let mut page = String::new();
    let all = [
        (Subject::kinds(), examples.kinds),
        (Subject::outcomes(), examples.outcomes),
        (Subject::exchanges(), examples.exchanges),
    ];
    for (subject, examples) in all {
        let told = leave_out(&subject, &examples)?;
        writeln!(page, "{}, by authors left out: {told}", subject.file)?;
        let path = Path::new(FOLDER).join(subject.file);
        let fitted = fit(&subject, &examples);
        fs::write(&path, fitted.to_bytes()).with_context(|| path.display().to_string())?;
    }
    Ok(page)
}

/// What there is to learn from.
#[derive(Default)]
struct Examples {
    kinds: Vec<Example>,
    outcomes: Vec<Example>,
    exchanges: Vec<Example>,
}

impl Examples {
    fn read(corpus: &Path) -> anyhow::Result<Self> {
        let mut examples = Self::default();
        for part in PARTS {
            for world in World::read_all(&corpus.join(part))? {
                let folder = tempfile::tempdir()?;
                let written = session::write_all(&world.scripts, folder.path())?;
                for script in &world.scripts {
                    // Where authors share a folder, they are told apart by the hundreds of their numbers.
                    let author = format!("{part} {} {}", world.name, &script.name[..1]);
                    for unit in &script.units {
                        examples.add(&author, script, unit, &written[&script.name])?;
                    }
                }
            }
        }
        examples.add_endings()?;
        examples.add_short_texts()?;
        Ok(examples)
    }

    fn add(
        &mut self,
        author: &str,
        script: &Script,
        unit: &Unit,
        written: &Written,
    ) -> anyhow::Result<()> {
        let analysis = listen(script, unit, written)?;
        let example = |traits, label: &str, also: &[String]| Example {
            author: Some(author.to_owned()),
            share: 1.0,
            traits,
            label: label.to_owned(),
            also: also.to_vec(),
        };
        for (traits, label) in exchanges(&analysis, unit, written) {
            self.exchanges.push(example(traits, label, &[]));
        }
        let traits = analysis.into_traits();
        self.kinds.push(example(traits.clone(), &unit.node_type, &unit.also));
        self.outcomes.push(example(traits, &unit.outcome, &unit.also_outcome));
        Ok(())
    }

    fn add_endings(&mut self) -> anyhow::Result<()> {
        for Ending { script, is_read_again } in &ending::read_all(Path::new(ENDINGS))? {
            let written = session::write_alone(script)?;
            let unit = &script.units[0];
            let analysis = listen(script, unit, &written)?;
            let example = |traits, label: &str| Example {
                author: None,
                share: OF_ENDING,
                traits,
                label: label.to_owned(),
                also: Vec::new(),
            };
            if *is_read_again {
                for (traits, label) in exchanges(&analysis, unit, &written) {
                    self.exchanges.push(example(traits, label));
                }
            }
            let traits = analysis.into_traits();
            self.kinds.push(example(traits.clone(), &unit.node_type));
            self.outcomes.push(example(traits, &unit.outcome));
        }
        Ok(())
    }

    fn add_short_texts(&mut self) -> anyhow::Result<()> {
        let short = |traits, label: &str| Example {
            author: None,
            share: OF_SHORT_TEXT,
            traits,
            label: label.to_owned(),
            also: Vec::new(),
        };
        for (label, text) in lines(REQUESTS)? {
            self.kinds.push(short(Traits::of_request(&text), &label));
        }
        for (label, text) in lines(CONCLUSIONS)? {
            let label = match &*label {
                "done" => "success",
                "failed" => "failed",
                _ => "partial",
            };
            self.outcomes.push(short(Traits::of_conclusion(&text), label));
        }
        for (label, text) in lines(LAST_WORDS)? {
            let label = match &*label {
                "fine" => "success",
                "open" => "partial",
                "broken" => "failed",
                "dropped" => "abandoned",
                // Who wishes for more says nothing of what was done.
                _ => continue,
            };
            for are_unanswered in [true, false] {
                self.outcomes.push(short(Traits::of_last_words(&text, are_unanswered), label));
            }
        }
        for (label, text) in lines(REPLIES)? {
            let label = if label == "choice" { SETTLES } else { "" };
            self.exchanges.push(short(Traits::of_reply(&text), label));
        }
        let text = fs::read_to_string(EXCHANGES).with_context(|| EXCHANGES.to_owned())?;
        let exchanges = text.lines().filter_map(read_exchange);
        let label = |settles| if settles { SETTLES } else { "" };
        self.exchanges.extend(exchanges.map(|(settles, traits)| short(traits, label(settles))));
        Ok(())
    }
}

/// Returns the exchanges of a unit of work, each with whether something is settled in it.
fn exchanges(analysis: &Analysis, unit: &Unit, written: &Written) -> Vec<(Traits, &'static str)> {
    let decided = unit.decisions.iter().filter_map(|decided| decided.at);
    let settled: BTreeSet<&String> = decided
        .chain(unit.settled.iter().copied())
        .filter_map(|step| written.entries.get(step.checked_sub(1)?)?.as_ref())
        .collect();
    let labelled = |(reply, traits)| (traits, if settled.contains(&reply) { SETTLES } else { "" });
    analysis.exchanges().into_iter().map(labelled).collect()
}

/// Reads lines that are a label, a tab and a text.
fn lines(path: &str) -> anyhow::Result<Vec<(String, String)>> {
    let text = fs::read_to_string(path).with_context(|| path.to_owned())?;
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    Ok(lines.map(|(label, text)| (label.to_owned(), text.to_owned())).collect())
}

/// Listens to a unit of work as an ingest does.
fn listen(script: &Script, unit: &Unit, written: &Written) -> anyhow::Result<Analysis> {
    let session = Session::from_bytes(written.to_bytes())?;
    let wanted: BTreeSet<&str> =
        written.entries[unit.from - 1..unit.to].iter().flatten().map(String::as_str).collect();
    let mut analysis = Analysis::new(SegmentContext {
        node_id: "0000000000000000".parse()?,
        session_file: script.name.clone(),
        session_id: script.name.clone(),
        parent_session: None,
        computer: "desk".to_owned(),
        project: script.project.clone(),
        is_new_project: false,
        segment: SegmentRange {
            start_entry_id: String::new(),
            end_entry_id: String::new(),
            entry_count: 0,
        },
        opened_by: script.steps[unit.from - 1].handoff.as_ref().map(|_| Cause::Handoff),
        ended_by: script.steps.get(unit.to).and_then(cause),
        started: Millis(0),
        now: Millis(0),
    });
    for (at, entry) in session.log().entries().iter().enumerate() {
        let Some(id) = entry.id.as_ref().map(EntryId::as_str) else { continue };
        if wanted.contains(id) {
            let text = session.entry_raw(at)?;
            let (time, raw) = (entry.timestamp, text.raw());
            analysis.hear(EntryFacts { id, time, entry, raw, counted: None });
        }
    }
    Ok(analysis)
}

/// Returns what a step cuts by.
fn cause(step: &Step) -> Option<Cause> {
    match step {
        Step { compaction: Some(_), .. } => Some(Cause::Compaction),
        Step { branch_summary: Some(_), .. } => Some(Cause::Branch),
        Step { jump: Some(_), .. } => Some(Cause::TreeJump),
        Step { handoff: Some(_), .. } => Some(Cause::Handoff),
        Step { wait_minutes: Some(_), .. } => Some(Cause::Resume),
        _ => None,
    }
}

/// What an example measures, by the number of the trait.
type Row = Vec<(usize, f32)>;

/// Examples as numbers.
struct Table {
    /// The traits, shortened, with their numbers; the number after the last stands for what is there in any case.
    numbers: BTreeMap<u64, usize>,
    rows: Vec<Row>,
}

impl Table {
    /// Traits that hardly any example has are left out: they say who wrote it, and nothing else.
    fn of(subject: &Subject, examples: &[Example]) -> Self {
        let mut seen: HashMap<u64, usize> = HashMap::new();
        let counts = |part: Part| subject.parts[part as usize] > 0.0;
        for example in examples {
            for (_, all) in example.traits.parts().filter(|(part, _)| counts(*part)) {
                for known in all {
                    *seen.entry(short(*known)).or_default() += 1;
                }
            }
        }
        let kept: BTreeSet<u64> = seen
            .into_iter()
            .filter(|(_, count)| *count >= ENOUGH_EXAMPLES)
            .map(|(known, _)| known)
            .collect();
        let numbers: BTreeMap<u64, usize> = kept.into_iter().zip(0..).collect();
        let row = |example: &Example| {
            let mut row = vec![(numbers.len(), 1.0)];
            for (part, all) in example.traits.parts() {
                let known: Vec<usize> =
                    all.iter().filter_map(|known| numbers.get(&short(*known)).copied()).collect();
                let measure = measure(subject.parts[part as usize], part, known.len());
                row.extend(known.into_iter().map(|number| (number, measure)));
            }
            row
        };
        let rows = examples.iter().map(row).collect();
        Self { numbers, rows }
    }

    /// Returns the weights of each label, fitted to some of the examples.
    fn weights(&self, subject: &Subject, examples: &[Example], among: &[usize]) -> Vec<Vec<f32>> {
        let fit_label = |label: &String| {
            let wanted = |at: usize| examples[at].deserves(label);
            let rows: Vec<(&Row, f32, f32)> =
                among.iter().map(|&at| (&self.rows[at], examples[at].share, wanted(at))).collect();
            solve(&rows, self.numbers.len() + 1, subject.smallness)
        };
        subject.labels.iter().map(fit_label).collect()
    }
}

/// Says how many examples are judged right by what was learnt from other authors.
fn leave_out(subject: &Subject, examples: &[Example]) -> anyhow::Result<String> {
    let table = Table::of(subject, examples);
    let authors: BTreeSet<&String> = examples.iter().filter_map(|it| it.author.as_ref()).collect();
    let (mut right, mut all, mut any) = (0, 0, 0);
    let mut weighed: Vec<(f32, bool)> = Vec::new();
    for author in authors {
        let is_theirs = |at: &usize| examples[*at].author.as_ref() == Some(author);
        let (theirs, others): (Vec<usize>, Vec<usize>) = (0..examples.len()).partition(is_theirs);
        let weights = table.weights(subject, examples, &others);
        for at in theirs {
            let sums = weights.iter().map(|weights| sum(weights, &table.rows[at]));
            let best = sums.zip(&subject.labels).max_by(|one, other| one.0.total_cmp(&other.0));
            let Some((sum, label)) = best else { continue };
            let example = &examples[at];
            let is_right = *label == example.label;
            any += usize::from(is_right || example.also.contains(label));
            weighed.push((sum, is_right));
            right += usize::from(is_right);
            all += 1;
        }
    }
    if subject.labels.len() > 1 {
        return Ok(format!("{right} of {all} right, {any} by one of the readers"));
    }
    weighed.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut page = format!("{right} of {all} are such");
    for share in [40, 50, 60, 65, 70, 80] {
        let mut found = 0;
        let enough = weighed.iter().zip(1..).find(|((_, is_one), _)| {
            found += usize::from(*is_one);
            found * 100 >= right * share
        });
        if let Some(((sum, _), listed)) = enough {
            write!(page, "; {found} among the {listed} above {sum:.2}")?;
        }
    }
    Ok(page)
}

fn fit(subject: &Subject, examples: &[Example]) -> Fitted {
    let table = Table::of(subject, examples);
    let all: Vec<usize> = (0..examples.len()).collect();
    let weights = table.weights(subject, examples, &all);
    let of = |number: usize| weights.iter().map(|weights| weights[number]).collect::<Vec<f32>>();
    Fitted {
        bias: of(table.numbers.len()),
        parts: subject.parts,
        weights: table.numbers.iter().map(|(known, number)| (*known, of(*number))).collect(),
    }
}

/// Returns weights for which the sum over each row is about what is wanted of it. A row has a share in how much that matters.
fn solve(rows: &[(&Row, f32, f32)], length: usize, smallness: f32) -> Vec<f32> {
    const STEPS: usize = 60;
    let back = |mistakes: &dyn Fn(usize) -> f32, weights: &[f32]| {
        let mut found: Vec<f32> = weights.iter().map(|weight| smallness * weight).collect();
        for (at, (row, share, _)) in rows.iter().enumerate() {
            let mistake = share * mistakes(at);
            row.iter().for_each(|(number, measured)| found[*number] += mistake * measured);
        }
        found
    };
    let dot = |one: &[f32], other: &[f32]| {
        one.iter().zip(other).map(|(one, other)| f64::from(one * other)).sum::<f64>()
    };
    let mut weights = vec![0.0; length];
    let mut left = back(&|at| rows[at].2, &weights);
    let mut way = left.clone();
    let mut size = dot(&left, &left);
    for _ in 0..STEPS {
        let sums: Vec<f32> = rows.iter().map(|(row, _, _)| sum(&way, row)).collect();
        let bent = back(&|at| sums[at], &way);
        #[expect(clippy::cast_possible_truncation, reason = "a step need not be exact")]
        let step = (size / dot(&way, &bent).max(f64::MIN_POSITIVE)) as f32;
        for number in 0..length {
            weights[number] += step * way[number];
            left[number] -= step * bent[number];
        }
        let next = dot(&left, &left);
        #[expect(clippy::cast_possible_truncation, reason = "a step need not be exact")]
        let keep = (next / size.max(f64::MIN_POSITIVE)) as f32;
        size = next;
        way.iter_mut().zip(&left).for_each(|(way, left)| *way = left + keep * *way);
    }
    weights
}

fn sum(weights: &[f32], row: &Row) -> f32 {
    row.iter().map(|(number, measured)| weights[*number] * measured).sum()
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn weights_give_what_is_wanted_as_nearly_as_small_ones_can() {
        let rows: Vec<Vec<(usize, f32)>> = (0..200)
            .map(|at: usize| {
                if at.is_multiple_of(2) {
                    vec![(0, 1.0), (2, 1.0)]
                } else {
                    vec![(1, 1.0), (2, 1.0)]
                }
            })
            .collect();
        let wanted = |at: usize| if at.is_multiple_of(2) { 1.0 } else { -1.0 };
        let rows: Vec<_> =
            rows.iter().enumerate().map(|(at, row)| (row, 1.0, wanted(at))).collect();
        let weights = solve(&rows, 4, 1.0);
        assert!((weights[0] - 1.0).abs() < 0.05 && (weights[1] + 1.0).abs() < 0.05, "{weights:?}");
        assert!(weights[2].abs() < 0.05 && weights[3].abs() < f32::EPSILON, "{weights:?}");
    }
}
