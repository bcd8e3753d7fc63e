//! What happens, for those who keep a WebSocket open: they say which channels they want, and are told.
//!
//! Events have numbers. Who was away says the last one it has heard of, and is told what came after, as far as that is
//! remembered. Nobody is waited for: whoever falls too far behind is let go, and can come back.

mod tail;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use pi_brain_daemon::Told;
use pi_brain_session::Millis;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::sync::broadcast::error::RecvError;

use crate::brains::Effort;
use crate::desk::Desk;
use crate::failure::{Answered, Failure};
use tail::Tail;

/// How many sockets may be open at once.
const MOST: u32 = 128;

/// What is spoken, for those who want it named.
const PROTOCOL: &str = "pi-brain";

/// How long those who are told that the daemon ends may take to hear it.
const FAREWELL: Duration = Duration::from_secs(2);

/// The longest thing that a client has to say.
const LARGEST: usize = 64 * 1024;

/// How many sessions one client may follow.
const MOST_TAILS: usize = 32;

/// How long a client may take to take a message. Then it is too slow.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often somebody who is told nothing is asked whether it is still there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(25);

/// What a client says.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
enum Wish {
    /// It wants to be told of these.
    Subscribe {
        channels: Vec<String>,
        /// What it has heard of last.
        after: Option<LastHeard>,
    },
    /// It does not want to be told of these any more.
    Unsubscribe { channels: Vec<String> },
}

/// The last event that a client has heard of.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LastHeard {
    /// When the daemon was started that told of it: another counts anew.
    since: Millis,
    /// Its number.
    number: u64,
}

/// Returns the seats for all sockets.
pub(crate) fn seats() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(MOST as usize))
}

/// Waits until everybody has left, though not for long.
pub(crate) async fn all_have_left(desk: &Desk) {
    let _ = tokio::time::timeout(FAREWELL, desk.sockets.acquire_many(MOST)).await;
}

/// Opens a socket.
pub(crate) async fn open(
    State(desk): State<Arc<Desk>>,
    upgrade: WebSocketUpgrade,
) -> Answered<Response> {
    let seat = Arc::clone(&desk.sockets).try_acquire_owned();
    let seat = seat.map_err(|_| Failure::busy("too many sockets are open"))?;
    // A browser that asks for protocols, to say the token among them, has to be granted one.
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(LARGEST);
    Ok(upgrade.on_upgrade(|socket| async move {
        let _open = (desk.meter.socket_opened(), seat);
        let mut client =
            Client { socket, desk, channels: BTreeSet::new(), tails: BTreeMap::new(), heard: 0 };
        let reason = client.serve().await;
        let _ = tokio::time::timeout(PATIENCE, client.close(&reason)).await;
    }))
}

/// Why a connection ends.
enum Ended {
    /// The client has gone, or cannot be reached.
    Gone,
    /// It did not keep up.
    TooSlow,
    /// The daemon ends.
    Stopping,
}

struct Client {
    socket: WebSocket,
    desk: Arc<Desk>,
    channels: BTreeSet<String>,
    /// The sessions that are followed, by what they were called.
    tails: BTreeMap<String, Tail>,
    /// The last event that was looked at.
    heard: u64,
}

impl Client {
    async fn serve(&mut self) -> Ended {
        let (past, mut events) = self.desk.daemon.listen_since(0);
        self.heard = past.last().map_or(0, |told| told.number);
        let hello = json!({
            "type": "hello",
            "since": self.desk.daemon.announcement().since,
            "number": self.heard,
        });
        if let Err(ended) = self.send(hello).await {
            return ended;
        }
        loop {
            let desk = Arc::clone(&self.desk);
            let done = tokio::select! {
                // What was told before the end is passed on before the end.
                biased;
                told = events.recv() => match told {
                    Ok(told) => self.tell(&told).await,
                    Err(RecvError::Lagged(_)) => Err(Ended::TooSlow),
                    Err(RecvError::Closed) => Err(Ended::Stopping),
                },
                said = self.socket.recv() => self.listen(said).await,
                () = tokio::time::sleep(SIGN_OF_LIFE) => self.write(Message::Ping(Vec::new().into())).await,
                () = desk.daemon.ended() => Err(Ended::Stopping),
            };
            if let Err(ended) = done {
                return ended;
            }
        }
    }

    async fn listen(&mut self, said: Option<Result<Message, axum::Error>>) -> Result<(), Ended> {
        let text = match said {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => return Ok(()),
            Some(Ok(Message::Binary(_))) => {
                return self.refuse("what is said has to be text").await;
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Ended::Gone),
        };
        match serde_json::from_str(&text) {
            Ok(Wish::Subscribe { channels, after }) => self.subscribe(channels, after).await,
            Ok(Wish::Unsubscribe { channels }) => {
                for channel in &channels {
                    self.channels.remove(channel);
                    self.tails.remove(channel);
                }
                self.confirm().await
            }
            Err(error) => self.refuse(&error.to_string()).await,
        }
    }

    async fn subscribe(
        &mut self,
        channels: Vec<String>,
        after: Option<LastHeard>,
    ) -> Result<(), Ended> {
        for channel in channels {
            if CHANNELS.contains(&&*channel) {
                self.channels.insert(channel);
            } else if let Some(session) = channel.strip_prefix("session:") {
                if self.tails.len() >= MOST_TAILS && !self.tails.contains_key(&channel) {
                    let most = format!("at most {MOST_TAILS} sessions can be followed at once");
                    self.refuse(&most).await?;
                    continue;
                }
                match Tail::open(&self.desk, session).await {
                    Ok(tail) => drop(self.tails.insert(channel, tail)),
                    Err(failure) => self.refuse(&failure.problem().message).await?,
                }
            } else {
                let known = CHANNELS.join(", ");
                let text =
                    format!("there is no channel {channel:?}; there are {known} and session:ID");
                self.refuse(&text).await?;
            }
        }
        self.confirm().await?;
        match after {
            Some(after) => self.resume(&after).await,
            None => Ok(()),
        }
    }

    /// Tells what has happened since, or that not all of it is remembered.
    async fn resume(&mut self, after: &LastHeard) -> Result<(), Ended> {
        let (past, _) = self.desk.daemon.listen_since(after.number);
        let is_same = self.desk.daemon.announcement().since == after.since;
        let is_whole = match past.first() {
            Some(first) => first.number == after.number + 1,
            None => after.number <= self.heard,
        };
        if !is_same || !is_whole {
            return self.send(json!({ "type": "missed" })).await;
        }
        let heard = self.heard;
        for told in past.iter().filter(|told| told.number <= heard) {
            self.pass_on(told).await?;
        }
        Ok(())
    }

    async fn tell(&mut self, told: &Told) -> Result<(), Ended> {
        if told.number <= self.heard {
            return Ok(());
        }
        self.heard = told.number;
        if told.name == "looked" {
            return self.follow().await;
        }
        self.pass_on(told).await
    }

    async fn pass_on(&mut self, told: &Told) -> Result<(), Ended> {
        let channel = channel_of(told.name);
        if !self.channels.contains(channel) {
            return Ok(());
        }
        self.send(json!({
            "type": "event",
            "number": told.number,
            "channel": channel,
            "event": told.name,
            "data": &*told.data,
        }))
        .await
    }

    /// Sends what was written to the sessions that are followed.
    async fn follow(&mut self) -> Result<(), Ended> {
        let mut messages = Vec::new();
        for (channel, tail) in &mut self.tails {
            messages.extend(tail.read(channel).await);
        }
        for message in messages {
            self.send(message).await?;
        }
        Ok(())
    }

    async fn confirm(&mut self) -> Result<(), Ended> {
        let channels: Vec<&String> = self.channels.iter().chain(self.tails.keys()).collect();
        self.send(json!({ "type": "subscribed", "channels": channels })).await
    }

    async fn refuse(&mut self, message: &str) -> Result<(), Ended> {
        let error = json!({
            "code": "bad_request",
            "message": message,
            "hint": "docs/http.md shows what to send",
        });
        self.send(json!({ "type": "error", "error": error })).await
    }

    async fn send(&mut self, message: Value) -> Result<(), Ended> {
        self.write(Message::Text(message.to_string().into())).await
    }

    async fn write(&mut self, message: Message) -> Result<(), Ended> {
        match tokio::time::timeout(PATIENCE, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Ended::Gone),
            Err(_) => Err(Ended::TooSlow),
        }
    }

    async fn close(&mut self, ended: &Ended) {
        let (code, reason) = match ended {
            Ended::Gone => return,
            Ended::TooSlow => {
                (close_code::AGAIN, "too slow; come back and say what you have heard")
            }
            Ended::Stopping => (close_code::AWAY, "the daemon is about to end"),
        };
        let frame = CloseFrame { code, reason: reason.into() };
        // It may have gone by now.
        let _ = self.socket.send(Message::Close(Some(frame))).await;
    }
}

/// What can be told, besides what is written to a session.
const CHANNELS: [&str; 5] = ["ingest", "nodes", "analysis", "queue", "daemon"];

/// Returns the channel that an event belongs to.
fn channel_of(event: &str) -> &'static str {
    match event {
        "ingest_begun" | "ingest_progress" | "ingest_finished" => "ingest",
        "nodes" => "nodes",
        "analysed" | "analysis_progress" | "analysis_failed" | "budget_reached" => "analysis",
        "queue" => "queue",
        _ => "daemon",
    }
}

/// Finds the file of a session that is known.
async fn file_of(desk: &Arc<Desk>, session: &str) -> Answered<std::path::PathBuf> {
    let session = session.to_owned();
    desk.brains
        .ask(Effort::Short, move |brain| {
            let found = brain.app.store().sessions_called(&session)?.pop();
            let missing = || pi_brain_store::StoreError::SessionNotFound(session.clone());
            Ok(found.ok_or_else(missing)?.path.into())
        })
        .await
}
