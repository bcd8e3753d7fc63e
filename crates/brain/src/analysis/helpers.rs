//! Skills that were read and subagents that were asked.

use super::heard::Call;

/// A skill or a subagent that took part.
#[derive(Clone, Debug)]
pub(super) struct Helper {
    pub(super) name: String,
    pub(super) is_skill: bool,
    /// The entry in which it was first used.
    pub(super) entry: String,
    /// How many calls failed after it was used.
    pub(super) failures: u64,
}

/// Collects skills and subagents.
#[derive(Debug, Default)]
pub(super) struct Helpers(Vec<Helper>);

/// So many are listed.
const MOST: usize = 50;

impl Helpers {
    pub(super) fn hear(&mut self, entry: &str, call: &Call, failed: bool) {
        for helper in self.0.iter_mut().filter(|helper| failed && helper.is_skill) {
            helper.failures += 1;
        }
        let skill = call.path.as_deref().filter(|_| call.reads()).and_then(skill_of);
        let (name, is_skill) = match (skill, &call.agent) {
            (Some(skill), _) => (skill, true),
            (None, Some(agent)) => (&**agent, false),
            (None, None) => return,
        };
        let known =
            self.0.iter_mut().find(|helper| helper.name == name && helper.is_skill == is_skill);
        match known {
            Some(helper) => helper.failures += u64::from(failed && !is_skill),
            None => {
                let (name, entry) = (name.to_owned(), entry.to_owned());
                self.0.push(Helper { name, is_skill, entry, failures: u64::from(failed) });
                self.0.truncate(MOST);
            }
        }
    }

    pub(super) fn finish(self) -> Vec<Helper> {
        self.0
    }
}

/// Returns the name of the skill that a file tells of.
fn skill_of(path: &str) -> Option<&str> {
    let folder = path.strip_suffix("/SKILL.md")?;
    folder.rsplit('/').next().filter(|name| !name.is_empty())
}
