//! How other processes of the same user talk to a daemon.
//!
//! One request on one connection, on this machine, to a server of ours: that needs no library.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use pi_brain_brain::NodeId;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{DaemonError, Result};
use crate::folder::Announcement;
use crate::status::Status;

/// How long a daemon may take to say who it is.
const SOON: Duration = Duration::from_secs(2);

/// How long it may take to take everything in.
const PATIENCE: Duration = Duration::from_secs(600);

/// More than any answer has.
const LARGEST: u64 = 16 * 1024 * 1024;

/// A daemon that answers.
#[derive(Clone, Debug)]
pub struct Client {
    announcement: Announcement,
}

#[derive(Deserialize)]
struct Health {
    pid: u32,
}

#[derive(Deserialize)]
struct Refused {
    error: RefusedError,
}

#[derive(Deserialize)]
struct RefusedError {
    code: String,
    message: String,
}

impl Client {
    /// Finds the daemon of a data folder; `None` if none answers.
    ///
    /// The port that a daemon left behind may be another program's by now: who answers has to be the process that wrote
    /// down where it is.
    pub fn find(folder: &Path) -> Option<Self> {
        let client = Self { announcement: Announcement::read(folder)? };
        let health: Health = client.ask("/health", SOON).ok()?;
        (health.pid == client.announcement.pid).then_some(client)
    }

    /// Returns where it listens.
    pub fn address(&self) -> SocketAddr {
        self.announcement.address
    }

    /// Returns the process.
    pub fn pid(&self) -> u32 {
        self.announcement.pid
    }

    /// Asks how it is.
    pub fn status(&self) -> Result<Status> {
        self.ask("/api/v1/daemon/status", SOON)
    }

    /// Asks it to end. It finishes first what it is at.
    pub fn stop(&self) -> Result<()> {
        self.send::<Value>("/api/v1/daemon/stop", &json!({}), SOON).map(drop)
    }

    /// Asks it to take everything in, and waits until that is done.
    pub fn refresh(&self, wants_links: bool) -> Result<()> {
        let body = json!({ "links": wants_links });
        self.send::<Value>("/api/v1/daemon/refresh", &body, PATIENCE).map(drop)
    }

    /// Asks it to give nodes to a model before all others. Returns how many were put into the queue.
    pub fn analyse(&self, nodes: &[NodeId]) -> Result<u64> {
        let answer: Value =
            self.send("/api/v1/daemon/analyse", &json!({ "nodes": nodes }), PATIENCE)?;
        Ok(answer["queued"].as_u64().unwrap_or_default())
    }

    /// Asks it to try jobs again that were given up: these, or all. Returns how many there are.
    pub fn retry(&self, jobs: Option<&[i64]>) -> Result<u64> {
        let answer: Value =
            self.send("/api/v1/daemon/retry", &json!({ "jobs": jobs }), PATIENCE)?;
        Ok(answer["retried"].as_u64().unwrap_or_default())
    }

    /// Tells it that the last unit of work of a session is over.
    pub fn announce_end(&self, session: &str) -> Result<()> {
        let body = json!({ "session": session });
        self.send::<Value>("/api/v1/daemon/boundary", &body, PATIENCE).map(drop)
    }

    fn ask<T: for<'a> Deserialize<'a>>(&self, path: &str, wait: Duration) -> Result<T> {
        self.talk("GET", path, "", wait)
    }

    fn send<T: for<'a> Deserialize<'a>>(
        &self,
        path: &str,
        body: &Value,
        wait: Duration,
    ) -> Result<T> {
        self.talk("POST", path, &body.to_string(), wait)
    }

    fn talk<T: for<'a> Deserialize<'a>>(
        &self,
        method: &str,
        path: &str,
        body: &str,
        wait: Duration,
    ) -> Result<T> {
        let (status, body) =
            self.exchange(method, path, body, wait).map_err(DaemonError::Silent)?;
        if !(200..300).contains(&status) {
            return Err(match serde_json::from_slice::<Refused>(&body) {
                Ok(Refused { error }) => {
                    DaemonError::Refused { code: error.code, message: error.message }
                }
                Err(error) => DaemonError::Silent(error.into()),
            });
        }
        serde_json::from_slice(&body).map_err(|error| DaemonError::Silent(error.into()))
    }

    fn exchange(
        &self,
        method: &str,
        path: &str,
        body: &str,
        wait: Duration,
    ) -> io::Result<(u16, Vec<u8>)> {
        let Announcement { address, token, .. } = &self.announcement;
        let mut stream = TcpStream::connect_timeout(address, SOON)?;
        stream.set_read_timeout(Some(wait))?;
        stream.set_write_timeout(Some(SOON))?;
        // Who only listens has no use for the token, and may not be who we think.
        let token = if method == "GET" {
            String::new()
        } else {
            format!(
                "Authorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
                body.len()
            )
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{token}Connection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.take(LARGEST).read_to_end(&mut answer)?;
        parse(&answer).ok_or_else(|| io::Error::other("this is no answer of a daemon"))
    }
}

/// Reads the status and the body of an answer that ends with the connection.
fn parse(answer: &[u8]) -> Option<(u16, Vec<u8>)> {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    Some((status, answer[end + 4..].to_vec()))
}
