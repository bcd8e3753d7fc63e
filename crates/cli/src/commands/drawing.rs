//! Trees, drawn: the trunk runs straight down the left side; other branches are drawn beside it, each at the
//! point where it left. Long runs, and crowds of branches, without anything special in them are folded.

use std::io::Write;

use crate::describe::DIM;
use crate::table::how_many;

/// A tree that can be drawn. Its members are numbered from 0.
pub(super) trait Drawable {
    /// What its members are called: one, and several.
    const MEMBERS: (&'static str, &'static str);

    /// How many members there are.
    fn len(&self) -> usize;

    /// The members that follow nothing.
    fn tops(&self) -> &[usize];

    /// What follows a member.
    fn children(&self, at: usize) -> &[usize];

    /// Whether a member lies on the way to where the reader is.
    fn is_trunk(&self, at: usize) -> bool;

    /// Whether a member gets a line at all.
    fn shows(&self, at: usize) -> anyhow::Result<bool>;

    /// Whether a member is worth a line even in the middle of a long run.
    fn is_special(&self, at: usize) -> bool;

    /// Draws the line of a member; `lead` leads to it, and before it so many were not shown.
    fn draw_line(
        &self,
        out: &mut impl Write,
        at: usize,
        lead: &str,
        not_shown: usize,
    ) -> anyhow::Result<()>;
}

/// Draws a tree; `full` leaves nothing folded.
pub(super) fn draw(out: &mut impl Write, tree: &impl Drawable, full: bool) -> anyhow::Result<()> {
    let pen = Pen { tree, full };
    let mut columns: Vec<Column> =
        tree.tops().iter().rev().map(|&start| Column::Branch { start, level: 0 }).collect();
    let crowds = pen.find_special_branches();
    while let Some(column) = columns.pop() {
        let (start, level) = match column {
            Column::Branch { start, level } => (start, level),
            Column::Folded { branches, level } => {
                let more = how_many(branches, "more branch", "more branches");
                writeln!(out, "{DIM}{}┊ {more}{DIM:#}", bars(level))?;
                continue;
            }
        };
        let (run, next) = pen.run_from(start);
        pen.draw_run(out, &run, level)?;
        // The newest branch (or the trunk) goes on below; the others come first.
        let mut order = next.to_vec();
        order.sort_by_key(|&at| tree.is_trunk(at));
        if let Some((&last, others)) = order.split_last() {
            columns.push(Column::Branch { start: last, level });
            columns.extend(pen.fold_crowd(others, &crowds, level + 1).into_iter().rev());
        }
    }
    Ok(())
}

/// What is drawn next, and how far it is set in.
enum Column {
    Branch { start: usize, level: usize },
    Folded { branches: usize, level: usize },
}

/// One line of a run.
enum Line {
    Member { at: usize, not_shown: usize },
    Folded(usize),
}

struct Pen<'a, T> {
    tree: &'a T,
    full: bool,
}

impl<T: Drawable> Pen<'_, T> {
    /// Follows a branch until it splits or ends; returns its members, and where it goes on.
    fn run_from(&self, start: usize) -> (Vec<usize>, &[usize]) {
        let mut run = vec![start];
        loop {
            match self.tree.children(run[run.len() - 1]) {
                [only] => run.push(*only),
                next => return (run, next),
            }
        }
    }

    fn draw_run(&self, out: &mut impl Write, run: &[usize], level: usize) -> anyhow::Result<()> {
        let bars = bars(level);
        let (before, corner) = match bars.strip_suffix("│  ") {
            Some(before) => (before, "├─ "),
            None => ("", ""),
        };
        for (number, line) in self.fold_run(run)?.into_iter().enumerate() {
            let lead = if number == 0 { format!("{before}{corner}") } else { bars.clone() };
            match line {
                Line::Member { at, not_shown } => {
                    self.tree.draw_line(out, at, &lead, not_shown)?;
                }
                Line::Folded(hidden) => {
                    let (one, several) = T::MEMBERS;
                    let more = how_many(hidden, one, several).replacen(' ', " more ", 1);
                    writeln!(out, "{DIM}{lead}┊ {more}{DIM:#}")?;
                }
            }
        }
        Ok(())
    }

    /// Leaves out what gets no line, and the middle of long runs.
    fn fold_run(&self, run: &[usize]) -> anyhow::Result<Vec<Line>> {
        const LONGEST: usize = 6;
        const KEPT_AT_EACH_END: usize = 2;
        let mut lines = Vec::new();
        let mut plain: Vec<(usize, usize)> = Vec::new();
        let flush = |plain: &mut Vec<(usize, usize)>, lines: &mut Vec<Line>| {
            let folds = plain.len() > LONGEST && !self.full;
            let count = plain.len();
            for (number, (at, not_shown)) in plain.drain(..).enumerate() {
                let at_an_end = number < KEPT_AT_EACH_END || number + KEPT_AT_EACH_END >= count;
                if !folds || at_an_end {
                    lines.push(Line::Member { at, not_shown });
                } else if number == KEPT_AT_EACH_END {
                    lines.push(Line::Folded(count - 2 * KEPT_AT_EACH_END));
                }
            }
        };
        let mut not_shown = 0;
        for &at in run {
            if !self.tree.shows(at)? {
                not_shown += 1;
                continue;
            }
            if self.tree.is_special(at) {
                flush(&mut plain, &mut lines);
                lines.push(Line::Member { at, not_shown });
            } else {
                plain.push((at, not_shown));
            }
            not_shown = 0;
        }
        flush(&mut plain, &mut lines);
        Ok(lines)
    }

    /// Finds the members that are special themselves or have something special after them.
    fn find_special_branches(&self) -> Vec<bool> {
        let mut before_children: Vec<usize> = Vec::with_capacity(self.tree.len());
        let mut open = self.tree.tops().to_vec();
        while let Some(at) = open.pop() {
            before_children.push(at);
            open.extend(self.tree.children(at));
        }
        let mut special = vec![false; self.tree.len()];
        for &at in before_children.iter().rev() {
            special[at] = self.tree.is_special(at)
                || self.tree.children(at).iter().any(|&child| special[child]);
        }
        special
    }

    /// Leaves out the middle of a crowd of branches, but for those that have something special.
    fn fold_crowd(&self, branches: &[usize], special: &[bool], level: usize) -> Vec<Column> {
        const LARGEST: usize = 12;
        const KEPT_AT_EACH_END: usize = 3;
        let folds = branches.len() > LARGEST && !self.full;
        let mut columns = Vec::new();
        for (number, &start) in branches.iter().enumerate() {
            let at_an_end =
                number < KEPT_AT_EACH_END || number + KEPT_AT_EACH_END >= branches.len();
            if !folds || at_an_end || special[start] {
                columns.push(Column::Branch { start, level });
            } else if let Some(Column::Folded { branches, .. }) = columns.last_mut() {
                *branches += 1;
            } else {
                columns.push(Column::Folded { branches: 1, level });
            }
        }
        columns
    }
}

fn bars(level: usize) -> String {
    const DEEPEST: usize = 20;
    "│  ".repeat(level.min(DEEPEST))
}
