//! What a server with much in it makes of many who ask at once.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::corpus::word_pairs;
use crate::daemon::{Daemon, Place};
use crate::floors::RESULTS;
use crate::memory::memory_of;
use crate::race::Outcome;

/// What to measure on.
#[derive(Clone, Copy, Debug)]
pub struct ServePlan<'a> {
    /// The real `pi-brain`.
    pub program: &'a Path,
    /// The agent folder of the sessions.
    pub agent: &'a Path,
    /// A folder for what is derived; what is there is used again.
    pub work: &'a Path,
    /// How many ask at once.
    pub clients: usize,
    /// For how long.
    pub time: Duration,
    /// How many pairs of words are looked for by one client alone, before.
    pub pairs: usize,
}

/// What was measured.
#[derive(Debug)]
pub struct ServeFigures {
    /// How many messages there are.
    pub messages: u64,
    /// One client alone, which looks for two words.
    pub alone: Outcome,
    /// How many asked at once.
    pub clients: usize,
    /// For how long.
    pub time: Duration,
    /// Each kind of question.
    pub kinds: Vec<Outcome>,
    /// How many answers there were that were none.
    pub errors: usize,
    /// Anonymous memory of the server, in bytes: idle before, and the most it had.
    pub memory: (u64, u64),
}

/// The kinds of questions, and how many of ten are of each.
const KINDS: [(&str, usize); 4] = [("search", 7), ("ask", 1), ("nodes", 1), ("node", 1)];

/// Words that are looked for come from here.
const SEED: u64 = 11;

/// Measures everything.
pub fn measure_serving(plan: &ServePlan<'_>) -> anyhow::Result<ServeFigures> {
    std::fs::create_dir_all(plan.work)?;
    let daemon =
        Daemon::start(&Place { program: plan.program, agent: plan.agent, work: plan.work })?;
    let address = daemon.address();
    let mut connection = Connection::open(address)?;
    let stats: Value = serde_json::from_slice(&connection.get("/api/v1/stats")?)?;
    let nodes: Value = serde_json::from_slice(&connection.get("/api/v1/nodes?limit=200")?)?;
    let nodes: Vec<String> = nodes["items"]
        .as_array()
        .context("there are no nodes")?
        .iter()
        .filter_map(|node| node["id"].as_str().map(str::to_owned))
        .collect();
    let pid = daemon.pid().to_string();
    let pairs = word_pairs(plan.pairs, SEED);
    let mut times = Vec::with_capacity(pairs.len());
    for pair in &pairs {
        let start = Instant::now();
        connection.get(&path("search", pair, &nodes, 0))?;
        times.push(start.elapsed());
    }
    let alone = Outcome::new("search, one client", times)?;
    let before = memory_of(&pid)?;
    let (answers, errors, most) = let_all_ask(plan, address, &pairs, &nodes, &pid)?;
    daemon.stop()?;
    let kinds: anyhow::Result<Vec<Outcome>> =
        answers.into_iter().map(|(kind, times)| Outcome::new(kind, times)).collect();
    Ok(ServeFigures {
        messages: stats["messages"].as_u64().unwrap_or_default(),
        alone,
        clients: plan.clients,
        time: plan.time,
        kinds: kinds?,
        errors,
        memory: (before, most),
    })
}

type Times = BTreeMap<&'static str, Vec<Duration>>;

fn let_all_ask(
    plan: &ServePlan<'_>,
    address: SocketAddr,
    pairs: &[String],
    nodes: &[String],
    pid: &str,
) -> anyhow::Result<(Times, usize, u64)> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..plan.clients)
            .map(|number| {
                // They begin in different places.
                let (start, is_over) = (number * 7, &is_over);
                scope.spawn(move || ask(address, start, pairs, nodes, is_over))
            })
            .collect();
        let (began, mut most) = (Instant::now(), 0);
        while began.elapsed() < plan.time {
            thread::sleep(Duration::from_millis(200));
            most = most.max(memory_of(pid)?);
        }
        is_over.store(true, Ordering::Relaxed);
        let (mut all, mut errors) = (Times::new(), 0);
        for client in clients {
            let (times, failed) = client.join().map_err(|_| anyhow::anyhow!("a client failed"))?;
            errors += failed;
            for (kind, mut more) in times {
                all.entry(kind).or_default().append(&mut more);
            }
        }
        Ok((all, errors, most))
    })
}

/// Asks one question after the other.
fn ask(
    address: SocketAddr,
    start: usize,
    pairs: &[String],
    nodes: &[String],
    is_over: &AtomicBool,
) -> (Times, usize) {
    let (mut times, mut errors, mut number) = (Times::new(), 0, start);
    let mut connection = Connection::open(address).ok();
    while !is_over.load(Ordering::Relaxed) {
        number += 1;
        let kind = kind_of(number);
        let path = path(kind, &pairs[number % pairs.len()], nodes, number);
        let start = Instant::now();
        match connection.as_mut().map(|connection| connection.get(&path)) {
            Some(Ok(_)) => times.entry(kind).or_default().push(start.elapsed()),
            _ => {
                errors += 1;
                connection = Connection::open(address).ok();
            }
        }
    }
    (times, errors)
}

fn kind_of(number: usize) -> &'static str {
    let mut rest = number % 10;
    for (kind, share) in KINDS {
        if rest < share {
            return kind;
        }
        rest -= share;
    }
    KINDS[0].0
}

fn path(kind: &str, words: &str, nodes: &[String], number: usize) -> String {
    let words = words.replace(' ', "%20");
    match kind {
        "search" => format!("/api/v1/search?limit={RESULTS}&q={words}"),
        "ask" => format!("/api/v1/ask?q=what%20about%20{words}"),
        "nodes" => "/api/v1/nodes?limit=50".to_owned(),
        _ => {
            format!("/api/v1/nodes/{}", nodes.get(number % nodes.len().max(1)).map_or("", |id| id))
        }
    }
}

/// A connection that stays.
struct Connection {
    stream: BufReader<TcpStream>,
    host: SocketAddr,
}

impl Connection {
    fn open(host: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self { stream: BufReader::new(stream), host })
    }

    fn get(&mut self, path: &str) -> anyhow::Result<Vec<u8>> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host);
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut line, mut length, mut status) = (String::new(), 0, String::new());
        loop {
            line.clear();
            ensure!(self.stream.read_line(&mut line)? > 0, "the server has gone");
            let text = line.trim_end();
            if text.is_empty() {
                break;
            }
            if status.is_empty() {
                text.clone_into(&mut status);
            }
            if let Some((name, value)) = text.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        ensure!(status.contains(" 200 "), "{path}: {status}");
        Ok(body)
    }
}
