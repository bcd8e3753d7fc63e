//! Places inside a node, written as people write them: `lessons.model[0].tags`.

use std::fmt;

/// One step into a JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// The way to a value inside another. A key that is no plain word is written `["a.b"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(pub(crate) Vec<Step>);

impl Path {
    pub(crate) fn key(&self, key: &str) -> Self {
        self.with(Step::Key(key.to_owned()))
    }

    pub(crate) fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index))
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// Reads a path; `None` if the text is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix('[') {
                let step;
                (step, rest) = bracket(inside)?;
                steps.push(step);
                continue;
            }
            if !steps.is_empty() {
                rest = rest.strip_prefix('.')?;
            }
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (key, after) = rest.split_at(end);
            if !is_word(key) {
                return None;
            }
            steps.push(Step::Key(key.to_owned()));
            rest = after;
        }
        (!steps.is_empty()).then_some(Self(steps))
    }
}

/// Reads what stands after an opening bracket; returns what stands after the closing one, too.
fn bracket(inside: &str) -> Option<(Step, &str)> {
    if !inside.starts_with('"') {
        let (digits, rest) = inside.split_once(']')?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        return Some((Step::Index(plain.then(|| digits.parse().ok())??), rest));
    }
    let mut values = serde_json::Deserializer::from_str(inside).into_iter::<String>();
    let key = values.next()?.ok()?;
    let rest = inside[values.byte_offset()..].strip_prefix(']')?;
    Some((Step::Key(key), rest))
}

fn is_word(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(formatter, "[{index}]")?,
                Step::Key(key) if !is_word(key) => {
                    write!(formatter, "[{}]", pi_brain_session::quote(key))?;
                }
                Step::Key(key) if position == 0 => formatter.write_str(key)?,
                Step::Key(key) => write!(formatter, ".{key}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
