//! A query, as terms of the index: what is looked up, and what each find is worth.

use std::collections::{HashMap, HashSet};

use tantivy::Term;
use tantivy::query::{
    AllQuery, Bm25StatisticsProvider, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, Occur,
    PhraseQuery, Query as TantivyQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use crate::query::{DocumentKind, Query, Wanted};
use crate::schema::FIELDS;
use crate::snapshot::Snapshot;
use crate::tail::HotTail;

/// How much the two fields of text count.
const BODY: f32 = 1.0;
const DETAIL: f32 = 0.6;
/// How much another form of a word counts, and the parts of an identifier against the whole.
const VARIANT: f32 = 0.5;
const PARTS: f32 = 0.9;

/// What one look into the index can answer.
#[derive(Clone, Debug)]
pub(crate) enum Leaf {
    Term(Term),
    /// Terms in a row, with their positions.
    Phrase(Vec<(usize, Term)>),
    /// Terms of the field whose positions the index does not know: a document has all of them, and whether they stand in a
    /// row only its text tells.
    Together(Vec<(usize, Term)>),
}

impl Leaf {
    pub(crate) fn new(field: Field, parts: &[(usize, String)]) -> Self {
        let term = |text: &str| Term::from_field_text(field, text);
        match parts {
            // No token is empty: this finds nothing.
            [] => Self::Term(term("")),
            [(_, part)] => Self::Term(term(part)),
            parts => {
                let terms = parts.iter().map(|(at, part)| (*at, term(part))).collect();
                if field == FIELDS.detail { Self::Together(terms) } else { Self::Phrase(terms) }
            }
        }
    }

    /// Returns whether a document that has what the index knows of may still lack what is meant.
    pub(crate) fn is_doubtful(&self) -> bool {
        matches!(self, Self::Together(_))
    }

    pub(crate) fn terms(&self) -> impl Iterator<Item = &Term> {
        let (one, many) = match self {
            Self::Term(term) => (Some(term), &[][..]),
            Self::Phrase(terms) | Self::Together(terms) => (None, &terms[..]),
        };
        one.into_iter().chain(many.iter().map(|(_, term)| term))
    }

    pub(crate) fn query(&self) -> Box<dyn TantivyQuery> {
        match self {
            Self::Term(term) => term_query(term),
            Self::Phrase(terms) => Box::new(PhraseQuery::new_with_offset(terms.clone())),
            Self::Together(_) => {
                Box::new(BooleanQuery::intersection(self.terms().map(term_query).collect()))
            }
        }
    }

    /// Returns queries whose scores add up to that of the leaf in a document that has them all.
    ///
    /// An intersection adds up in an order of its own, and the last digits of a sum depend on the order.
    pub(crate) fn addends(&self) -> Vec<Box<dyn TantivyQuery>> {
        match self {
            Self::Term(_) | Self::Phrase(_) => vec![self.query()],
            Self::Together(_) => self.terms().map(term_query).collect(),
        }
    }
}

fn term_query(term: &Term) -> Box<dyn TantivyQuery> {
    Box::new(TermQuery::new(term.clone(), IndexRecordOption::WithFreqs))
}

/// One way to write what is wanted, in each field of text.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) leaves: Vec<(Leaf, f32)>,
}

impl Form {
    fn new(parts: &[(usize, String)], weight: f32) -> Self {
        let leaf = |field, counts: f32| (Leaf::new(field, parts), counts * weight);
        Self { leaves: vec![leaf(FIELDS.body, BODY), leaf(FIELDS.detail, DETAIL)] }
    }
}

/// A word or phrase, with all its forms.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) forms: Vec<Form>,
    pub(crate) is_required: bool,
}

impl Group {
    fn new(wanted: &Wanted, is_required: bool) -> Self {
        let alone = |text: &String| [(0, text.clone())];
        let mut forms = Vec::new();
        if let Some(whole) = &wanted.whole {
            forms.push(Form::new(&alone(whole), 1.0));
            forms.push(Form::new(&wanted.parts, PARTS));
        } else {
            forms.push(Form::new(&wanted.parts, 1.0));
        }
        forms.extend(wanted.variants.iter().map(|form| Form::new(&alone(form), VARIANT)));
        Self { forms, is_required }
    }

    fn leaves(&self) -> impl Iterator<Item = &(Leaf, f32)> {
        self.forms.iter().flat_map(|form| &form.leaves)
    }

    /// Returns the leaves by which documents are counted. What may not be there is left out where something certain is
    /// looked for in the same field, as the whole of an identifier is beside its parts.
    fn counted(&self) -> impl Iterator<Item = &(Leaf, f32)> {
        let field = |leaf: &Leaf| leaf.terms().next().map(Term::field);
        let is_certain_in = move |wanted: Option<Field>| {
            self.leaves().any(|(leaf, _)| !leaf.is_doubtful() && field(leaf) == wanted)
        };
        self.leaves().filter(move |(leaf, _)| !leaf.is_doubtful() || !is_certain_in(field(leaf)))
    }
}

/// Everything that is looked up for a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Words and phrases. Without required ones, one of them must be there.
    pub(crate) groups: Vec<Group>,
    /// All words in a row: not needed, but worth something.
    pub(crate) in_a_row: Option<Form>,
    /// Of each list, one must be there.
    pub(crate) filters: Vec<Vec<Leaf>>,
    pub(crate) excluded: Vec<Leaf>,
    /// The project that the user is in.
    pub(crate) project: Option<Leaf>,
}

impl Plan {
    /// Plans a query. With `judges_messages`, the caller knows of which node a message is a part, and filters for nodes
    /// let messages pass; without, they let none pass.
    pub(crate) fn new(query: &Query, project: Option<&str>, judges_messages: bool) -> Self {
        let words = query.words.iter().map(|word| Group::new(word, false));
        let phrases = query.phrases.iter().map(|phrase| Group::new(phrase, true));
        Self {
            groups: phrases.chain(words).collect(),
            in_a_row: in_a_row(&query.words),
            filters: filters(query, judges_messages),
            excluded: query.excluded.iter().flat_map(excluded).collect(),
            project: project.and_then(|project| filter(FIELDS.project, project)),
        }
    }

    /// Leaves out what no document holds, so that it is not looked for again and again.
    pub(crate) fn prune(&mut self, statistics: &Statistics) {
        let groups = self.groups.iter_mut().flat_map(|group| &mut group.forms);
        for form in groups.chain(&mut self.in_a_row) {
            form.leaves.retain(|(leaf, _)| leaf.terms().all(|term| statistics.is_there(term)));
        }
        for group in &mut self.groups {
            group.forms.retain(|form| !form.leaves.is_empty());
        }
    }

    /// Returns the leaves that give scores, in the order of groups and forms, those for words in a row last.
    pub(crate) fn scored(&self) -> impl Iterator<Item = &(Leaf, f32)> {
        let in_a_row = self.in_a_row.iter().flat_map(|form| &form.leaves);
        self.groups.iter().flat_map(Group::leaves).chain(in_a_row)
    }

    /// Returns whether the text of a document may have to be looked at to know whether it is found.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.scored().any(|(leaf, _)| leaf.is_doubtful())
            || self.excluded.iter().any(Leaf::is_doubtful)
    }

    /// Returns the query that finds the candidates on disk.
    pub(crate) fn query(&self) -> Box<dyn TantivyQuery> {
        self.query_for(|group| group.leaves().map(boosted).collect())
    }

    /// Returns the query that counts what is found on disk.
    pub(crate) fn counting_query(&self) -> Box<dyn TantivyQuery> {
        self.query_for(|group| group.counted().map(boosted).collect())
    }

    fn query_for(
        &self,
        any: impl Fn(&Group) -> Vec<Box<dyn TantivyQuery>>,
    ) -> Box<dyn TantivyQuery> {
        if self.is_hopeless() {
            return Box::new(EmptyQuery);
        }
        let mut clauses: Vec<(Occur, Box<dyn TantivyQuery>)> = Vec::new();
        let (required, optional): (Vec<&Group>, Vec<&Group>) =
            self.groups.iter().partition(|group| group.is_required);
        for group in &required {
            clauses.push((Occur::Must, Box::new(BooleanQuery::union(any(group)))));
        }
        let optional: Vec<Box<dyn TantivyQuery>> = optional.into_iter().flat_map(any).collect();
        let is_plain = self.filters.is_empty() && self.excluded.is_empty();
        if !required.is_empty() {
            clauses.extend(optional.into_iter().map(|query| (Occur::Should, query)));
        } else if is_plain && !optional.is_empty() {
            // A union of terms and nothing else is what tantivy can skip through.
            return Box::new(BooleanQuery::union(optional));
        } else if !optional.is_empty() {
            clauses.push((Occur::Must, Box::new(BooleanQuery::union(optional))));
        }
        for leaves in &self.filters {
            let any = BooleanQuery::union(leaves.iter().map(Leaf::query).collect());
            clauses.push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(any), 0.0))));
        }
        if clauses.is_empty() {
            clauses.push((Occur::Must, Box::new(AllQuery)));
        }
        let certain = self.excluded.iter().filter(|leaf| !leaf.is_doubtful());
        clauses.extend(certain.map(|leaf| (Occur::MustNot, leaf.query())));
        Box::new(BooleanQuery::new(clauses))
    }

    /// Returns whether words are asked for that no document holds.
    fn is_hopeless(&self) -> bool {
        let is_gone = |group: &Group| group.forms.is_empty();
        self.groups.iter().any(|group| group.is_required && is_gone(group))
            || (!self.groups.is_empty() && self.groups.iter().all(is_gone))
    }
}

fn boosted((leaf, weight): &(Leaf, f32)) -> Box<dyn TantivyQuery> {
    Box::new(BoostQuery::new(leaf.query(), *weight))
}

/// Two words or more, as they were written, make a phrase that nobody asked for in so many words.
fn in_a_row(words: &[Wanted]) -> Option<Form> {
    let mut parts = Vec::new();
    for word in words {
        let start = parts.len();
        parts.extend(
            word.parts.iter().enumerate().map(|(at, (_, part))| (start + at, part.clone())),
        );
    }
    // In what tools print it would have to be looked up in the text, for every two words that anybody looks for.
    let leaf = || (Leaf::new(FIELDS.body, &parts), BODY);
    (parts.len() > 1 && words.len() > 1).then(|| Form { leaves: vec![leaf()] })
}

fn excluded(wanted: &Wanted) -> Vec<Leaf> {
    [FIELDS.body, FIELDS.detail].map(|field| Leaf::new(field, &wanted.parts)).into()
}

/// A filter looks for its value as a phrase; a value without any token filters nothing.
fn filter(field: Field, value: &str) -> Option<Leaf> {
    Some(Leaf::new(field, &Wanted::new(value)?.parts))
}

fn filters(query: &Query, judges_messages: bool) -> Vec<Vec<Leaf>> {
    let filters = &query.filters;
    let any = |field: Field, values: &[String]| -> Vec<Leaf> {
        values.iter().filter_map(|value| filter(field, value)).collect()
    };
    let kind = |word: &str| Leaf::Term(Term::from_field_text(FIELDS.kind, word));
    let mut all = vec![
        any(FIELDS.project, &filters.projects),
        any(FIELDS.files, &filters.files),
        any(FIELDS.tools, &filters.tools),
        any(FIELDS.model, &filters.models),
        filters.kind.iter().map(|is| kind(is.as_str())).collect(),
        filters.speakers.iter().map(|speaker| kind(speaker.as_str())).collect(),
    ];
    for (field, values) in [(FIELDS.node_type, &filters.types), (FIELDS.outcome, &filters.outcomes)]
    {
        let mut leaves = any(field, values);
        if judges_messages && !leaves.is_empty() {
            leaves.push(kind(DocumentKind::Message.as_str()));
        }
        all.push(leaves);
    }
    all.retain(|leaves| !leaves.is_empty());
    all
}

/// How common words are, in the index and the hot tail taken together, so that it does not matter where a document is.
pub(crate) struct Statistics {
    documents: u64,
    tokens: HashMap<Field, u64>,
    documents_with: HashMap<Term, u64>,
    /// The terms that any document holds.
    there: HashSet<Term>,
}

impl Statistics {
    pub(crate) fn new(plan: &Plan, snapshot: &Snapshot, tail: &HotTail) -> tantivy::Result<Self> {
        let searcher = &snapshot.searcher;
        let documents = searcher.total_num_docs()? + tail.document_count() as u64;
        let fields = [FIELDS.body, FIELDS.detail].into_iter().zip(snapshot.tokens()?);
        let tokens = fields.map(|(field, tokens)| (field, tokens + tail.tokens(field))).collect();
        let mut documents_with = HashMap::new();
        for term in plan.scored().flat_map(|(leaf, _)| leaf.terms()) {
            if !documents_with.contains_key(term) {
                let count = searcher.doc_freq(term)? + tail.documents_with(term);
                documents_with.insert(term.clone(), count);
            }
        }
        let there = documents_with.iter().filter(|(_, count)| **count > 0);
        let there = there.map(|(term, _)| term.clone()).collect();
        // A rare form of a common word is no better find than the word itself: all forms count as the most common.
        for group in plan.groups.iter().filter(|group| group.forms.len() > 1) {
            for field in [FIELDS.body, FIELDS.detail] {
                let alone = group.leaves().filter_map(|(leaf, _)| match leaf {
                    Leaf::Term(term) if term.field() == field => Some(term),
                    _ => None,
                });
                let terms: Vec<&Term> = alone.collect();
                let most = terms.iter().map(|term| documents_with[*term]).max().unwrap_or(0);
                for term in terms {
                    documents_with.insert(term.clone(), most);
                }
            }
        }
        Ok(Self { documents, tokens, documents_with, there })
    }

    /// Returns how many documents there are.
    pub(crate) fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns about how many documents have what a plan looks for: as many as have the most common form of it.
    pub(crate) fn most(&self, plan: &Plan) -> u64 {
        let with = |leaf: &Leaf| leaf.terms().map(|term| self.documents_with[term]).min();
        let forms = plan.groups.iter().flat_map(Group::leaves);
        forms.filter_map(|(leaf, _)| with(leaf)).max().unwrap_or(0)
    }

    fn is_there(&self, term: &Term) -> bool {
        self.there.contains(term)
    }
}

impl Bm25StatisticsProvider for Statistics {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        Ok(self.tokens.get(&field).copied().unwrap_or(0))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.documents)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        Ok(self.documents_with.get(term).copied().unwrap_or(0))
    }
}
