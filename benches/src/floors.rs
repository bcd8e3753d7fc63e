//! The least that a text index can do: the same texts, given in memory, without sessions, families or nodes.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use pi_brain_forest::Reading;
use pi_brain_search::{Extent, entry_text};
use rayon::prelude::*;
use rusqlite::Connection;
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{Schema, TEXT};
use tantivy::{Index, TantivyDocument};

/// SQLite's own full-text search.
pub(crate) const FTS5: &str = "SQLite FTS5";
/// tantivy as it comes.
pub(crate) const TANTIVY: &str = "bare tantivy";

/// How many results are asked for, here and of pi-brain.
pub(crate) const RESULTS: usize = 10;

/// How much memory tantivy may fill before it writes.
const WRITER_MEMORY: usize = 100_000_000;

/// Reads what pi-brain would index of sessions: each entry once, however many files repeat it.
pub(crate) fn texts(files: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let read = |path: &PathBuf| {
        let mut texts = Vec::new();
        Reading::open_with(path, |entry, raw| {
            if let Some(text) = entry_text(entry, raw, Extent::default()) {
                let id = entry.id.as_ref().map(|id| id.as_str().to_owned());
                texts.push((id, [text.body, text.detail].join("\n")));
            }
        })?;
        anyhow::Ok(texts)
    };
    let by_file: Vec<_> = files.par_iter().map(read).collect::<anyhow::Result<_>>()?;
    let mut seen = HashSet::new();
    let is_new = |(id, text): (Option<String>, String)| seen.insert(id).then_some(text);
    Ok(by_file.into_iter().flatten().filter_map(is_new).collect())
}

/// Makes an FTS5 index. Neither keeps the texts: pi-brain does not, either.
pub(crate) fn index_with_fts5(path: &Path, texts: &[String]) -> anyhow::Result<()> {
    if path.exists() {
        fs::remove_file(path)?;
    }
    let mut connection = Connection::open(path)?;
    connection.pragma_update(None, "synchronous", "off")?;
    connection.execute_batch("CREATE VIRTUAL TABLE texts USING fts5 (text, content = '')")?;
    let transaction = connection.transaction()?;
    let mut put = transaction.prepare("INSERT INTO texts (rowid, text) VALUES (?1, ?2)")?;
    for (text, number) in texts.iter().zip(1_i64..) {
        put.execute((number, text))?;
    }
    drop(put);
    Ok(transaction.commit()?)
}

/// Makes a tantivy index with its own tokens, positions included.
pub(crate) fn index_with_tantivy(folder: &Path, texts: &[String]) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let mut schema = Schema::builder();
    let field = schema.add_text_field("text", TEXT);
    let index = Index::create_in_dir(folder, schema.build())?;
    let mut writer = index.writer(WRITER_MEMORY)?;
    for text in texts {
        let mut document = TantivyDocument::default();
        document.add_text(field, text);
        writer.add_document(document)?;
    }
    writer.commit()?;
    Ok(writer.wait_merging_threads()?)
}

/// Looks for pairs of words, either of which will do, the best first.
pub(crate) fn search_fts5(path: &Path, pairs: &[String]) -> anyhow::Result<Vec<Duration>> {
    let connection = Connection::open(path)?;
    let limit = RESULTS;
    let sql = format!("SELECT rowid FROM texts WHERE texts MATCH ?1 ORDER BY rank LIMIT {limit}");
    let mut statement = connection.prepare(&sql)?;
    let mut search = |pair: &String| {
        let query = pair.replace(' ', " OR ");
        let start = Instant::now();
        let rows = statement.query_map([query], |row| row.get::<_, i64>(0))?;
        rows.collect::<rusqlite::Result<Vec<i64>>>()?;
        Ok(start.elapsed())
    };
    pairs.iter().map(&mut search).collect()
}

/// Looks for pairs of words, either of which will do, the best first.
pub(crate) fn search_tantivy(folder: &Path, pairs: &[String]) -> anyhow::Result<Vec<Duration>> {
    let index = Index::open_in_dir(folder)?;
    let reader = index.reader()?;
    let field = index.schema().get_field("text").context("the index was made here")?;
    let parser = QueryParser::for_index(&index, vec![field]);
    let search = |pair: &String| {
        let start = Instant::now();
        let query = parser.parse_query(pair)?;
        reader.searcher().search(&query, &TopDocs::with_limit(RESULTS).order_by_score())?;
        Ok(start.elapsed())
    };
    pairs.iter().map(search).collect()
}
