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
    owners(sockets(), peer.port(), port).any(|owner| owner != own)
}

/// Returns whose the connections between two ports are, as their first end has them.
fn owners(sockets: impl Iterator<Item = Socket>, from: u16, to: u16) -> impl Iterator<Item = u32> {
    let is_it = move |socket: &Socket| {
        socket.state == State::Connected && (socket.local_port, socket.remote_port) == (from, to)
    };
    sockets.filter(is_it).map(|socket| socket.owner)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A table as the kernel writes it: a port that user 1000 listens on, and both ends of a connection to it by user 1001.
    const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:223D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 41001 1 0000000000000000 100 0 0 10 0
   1: 0100007F:223D 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 41002 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:C001 0100007F:223D 01 00000000:00000000 00:00000000 00000000  1001        0 41003 1 0000000000000000 20 4 30 10 -1
   3: 0100007F:C002 0100007F:223D 06 00000000:00000000 03:00000000 00000000     0        0 0 3 0000000000000000";

    #[test]
    fn a_connection_is_known_by_the_end_that_opened_it() {
        let table = || TABLE.lines().filter_map(parse);
        assert_eq!(owners(table(), 0xC001, 8765).collect::<Vec<_>>(), [1001]);
        assert_eq!(owners(table(), 0xC002, 8765).count(), 0);
        let listening = table().find(|socket| socket.state == State::Listening);
        assert_eq!(
            listening.map(|socket| (socket.local_port, socket.inode)),
            Some((8765, "41001".into()))
        );
    }
}
