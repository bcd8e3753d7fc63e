//! Who else is on this machine: whose program listens on a port, and whose is at the other end of a connection.
//!
//! The kernel tells it where there is `/proc`. Elsewhere nobody knows.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

/// A connection, or a port that is listened on, as a table of the kernel has it.
struct Socket {
    local_port: u16,
    remote_port: u16,
    state: State,
    /// Whose it is, by the number of the user.
    owner: u32,
    inode: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Connected,
    Listening,
    Other,
}

/// Returns the name and the number of the process that listens on a port.
pub(crate) fn holder_of(port: u16) -> Option<String> {
    let is_it = |socket: &Socket| socket.state == State::Listening && socket.local_port == port;
    let wanted = format!("socket:[{}]", sockets().find(is_it)?.inode);
    let processes = fs::read_dir("/proc").ok()?;
    processes.flatten().map(|process| process.path()).find_map(|process| {
        let files = fs::read_dir(process.join("fd")).ok()?;
        let is_it =
            |file: &Path| fs::read_link(file).is_ok_and(|target| target.as_os_str() == &*wanted);
        files.flatten().any(|file| is_it(&file.path())).then(|| name(&process)).flatten()
    })
}

/// Returns whether the program at the other end of a connection to `port` may belong to another user than this one.
pub(crate) fn is_of_another_user(peer: SocketAddr, port: u16) -> bool {
    let own = rustix::process::getuid().as_raw();
    let is_it = |socket: &Socket| {
        socket.state == State::Connected
            && (socket.local_port, socket.remote_port) == (peer.port(), port)
    };
    sockets().filter(is_it).any(|socket| socket.owner != own)
}

fn sockets() -> impl Iterator<Item = Socket> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].into_iter();
    let tables = tables.filter_map(|table| fs::read_to_string(table).ok());
    tables.flat_map(|table| table.lines().filter_map(parse).collect::<Vec<_>>())
}

/// Reads a line of such a table: addresses of both ends in the second and third column, the state in the fourth, the user in the
/// eighth, the number of the socket in the tenth.
fn parse(line: &str) -> Option<Socket> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let port =
        |column: usize| u16::from_str_radix(columns.get(column)?.rsplit_once(':')?.1, 16).ok();
    Some(Socket {
        local_port: port(1)?,
        remote_port: port(2)?,
        state: match *columns.get(3)? {
            "01" => State::Connected,
            "0A" => State::Listening,
            _ => State::Other,
        },
        owner: columns.get(7)?.parse().ok()?,
        inode: (*columns.get(9)?).to_owned(),
    })
}

fn name(process: &Path) -> Option<String> {
    let name = fs::read_to_string(process.join("comm")).ok()?;
    Some(format!("{} (process {})", name.trim(), process.file_name()?.to_str()?))
}
