//! Files that are sent piece by piece, so that nobody has to hold them.

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use tokio::sync::{Semaphore, mpsc};

use crate::failure::{Answered, Failure};

/// How many are sent at once. Whoever takes a file slowly keeps a thread waiting.
static ROOM: Semaphore = Semaphore::const_new(8);

/// How long somebody may wait for their turn.
const PATIENCE: Duration = Duration::from_secs(30);

/// How much is read before it is sent on, in bytes.
const PIECE: usize = 64 * 1024;

/// How many pieces may wait to be taken.
const PIECES: usize = 4;

/// The kind of a file with a JSON value on each line.
pub(crate) const LINES: &str = "application/x-ndjson";

/// A file that is ready to be sent.
pub(crate) struct Download {
    name: String,
    media: &'static str,
    write: WriteOut,
}

type WriteOut = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + Send>;

impl Download {
    /// Prepares a file. Its name is made of letters, digits and a few marks, whatever it is called.
    pub(crate) fn new(
        name: &str,
        media: &'static str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
    ) -> Self {
        Self { name: safe_name(name), media, write: Box::new(write) }
    }

    /// Sends it, from a thread of its own. If it cannot be read to its end, the connection breaks, so that nobody takes a part
    /// for the whole.
    pub(crate) async fn send(self) -> Answered<Response> {
        let Self { name, media, write } = self;
        let turn = tokio::time::timeout(PATIENCE, ROOM.acquire()).await;
        let Ok(Ok(turn)) = turn else { return Err(Failure::busy("too much is being sent")) };
        let (sender, receiver) = mpsc::channel(PIECES);
        std::thread::spawn(move || {
            let _turn = turn;
            let mut out = BufWriter::with_capacity(PIECE, Pieces(sender));
            let written = write(&mut out).and_then(|()| out.flush());
            if let Err(error) = written {
                let (pieces, _) = out.into_parts();
                // Whoever has gone does not want to hear of it.
                let _ = pieces.0.blocking_send(Err(error));
            }
        });
        let pieces = stream::unfold(receiver, |mut receiver| async move {
            Some((receiver.recv().await?, receiver))
        });
        // Whoever compresses it looks behind its end.
        let mut response = Body::from_stream(pieces.fuse()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
        if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
            headers.insert(header::CONTENT_DISPOSITION, value);
        }
        Ok(response)
    }
}

/// Pieces on their way to whoever asked.
struct Pieces(mpsc::Sender<io::Result<Bytes>>);

impl Write for Pieces {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Ok(Bytes::copy_from_slice(piece))).map_err(gone)?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes out of a name whatever a header or a file system could take for something else.
fn safe_name(name: &str) -> String {
    const LONGEST: usize = 120;
    let safe = |letter: char| {
        let is_plain = letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        if is_plain { letter } else { '_' }
    };
    let name: String = name.chars().map(safe).collect();
    let name = name.trim_start_matches('.');
    // The end says what kind of file it is.
    let start = name.len().saturating_sub(LONGEST);
    name[start..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::safe_name;

    #[test]
    fn a_name_is_only_a_name() {
        for (name, safe) in [
            ("a1b2.jsonl", "a1b2.jsonl"),
            ("../../etc/passwd", "_.._etc_passwd"),
            ("a\"; x=\"b\r\nSet-Cookie: c.md", "a___x__b__Set-Cookie__c.md"),
            ("Ωmega.md", "_mega.md"),
        ] {
            assert_eq!(safe_name(name), safe);
        }
        assert_eq!(safe_name(&format!("{}.jsonl", "x".repeat(500))).len(), 120);
    }
}
