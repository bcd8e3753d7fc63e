//! Connections: how many there may be, and how long each may take for what it does.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::sync::{Semaphore, watch};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

/// How many connections there may be at once. Those beyond wait until one ends.
const MOST: u32 = 512;

/// How long somebody may take to say what they want.
const HEAD: Duration = Duration::from_secs(10);

/// How long somebody may take to send or to take a piece of what is sent. What is answered piece by piece sends signs of life
/// more often.
const PIECE: Duration = Duration::from_secs(30);

/// How long those who are still being answered may keep the server from ending.
const FAREWELL: Duration = Duration::from_secs(2);

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Answers connections until `over`.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    over: impl Future<Output = ()>,
) -> io::Result<()> {
    const AFTER_TROUBLE: Duration = Duration::from_millis(50);
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let room = Arc::new(Semaphore::new(MOST as usize));
    let (closing, is_closing) = watch::channel(false);
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let mut over = std::pin::pin!(over);
    loop {
        let seat = tokio::select! {
            Ok(seat) = Arc::clone(&room).acquire_owned() => seat,
            () = &mut over => break,
        };
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // Out of files, or the other end has gone: others may do better in a moment.
                Err(_) => {
                    tokio::time::sleep(AFTER_TROUBLE).await;
                    continue;
                }
            },
            () = &mut over => break,
        };
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(PIECE));
        let service = router.clone().map_request(move |request: hyper::Request<_>| {
            let mut request: Request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(Peer(peer));
            request
        });
        let service = TowerToHyperService::new(service);
        let connection =
            server.serve_connection(TokioIo::new(Box::pin(stream)), service).with_upgrades();
        let mut is_closing = is_closing.clone();
        tokio::spawn(async move {
            let mut connection = std::pin::pin!(connection);
            // Whoever has gone does not want to hear of it.
            let is_open = tokio::select! {
                _ = connection.as_mut() => false,
                _ = is_closing.wait_for(|&is_closing| is_closing) => true,
            };
            if is_open {
                connection.as_mut().graceful_shutdown();
                let _ = connection.await;
            }
            drop(seat);
        });
    }
    drop(listener);
    let _ = closing.send(true);
    // All seats are free when everybody has gone.
    let _ = tokio::time::timeout(FAREWELL, room.acquire_many(MOST)).await;
    Ok(())
}
