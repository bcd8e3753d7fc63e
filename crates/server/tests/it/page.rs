//! The page that is embedded, and what it is given. `make web` builds it.

use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::api::{get, send};
use crate::home::Home;

const OF_THE_PAGE: &str = "Sec-Fetch-Site: same-origin\r\n";

#[test]
fn every_view_is_the_page_and_its_files_never_change() {
    let home = Home::new();
    let daemon = home.start();
    let page = get(&daemon, "/");
    assert_eq!((page.status, page.header("cache-control")), (200, Some("no-cache")));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    let text = String::from_utf8(page.body.clone()).unwrap();
    let script = text.split('"').find(|part| part.starts_with("/assets/")).unwrap();
    let script = get(&daemon, script);
    assert_eq!(script.status, 200);
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert!(script.header("cache-control").unwrap().contains("immutable"));
    for view in ["/sessions/abc?at=def", "/nodes/0123456789abcdef-v2", "/nothing/like/that"] {
        let answer = get(&daemon, view);
        assert!(answer.status == 200 && answer.body == page.body, "{view}");
    }
    for nothing in ["/assets/none.js", "/../Cargo.toml", "/api/none", "/api", "/.gitkeep"] {
        assert_eq!(get(&daemon, nothing).status, 404, "{nothing}");
    }
    daemon.stop();
}

#[test]
fn only_the_page_is_given_the_token() {
    let home = Home::new();
    let daemon = home.start();
    let given = send(&daemon, "GET", "/api/page", OF_THE_PAGE, "").json();
    assert_eq!(given["token"], *daemon.announcement.token);
    for headers in ["", "Sec-Fetch-Site: none\r\n", "Sec-Fetch-Site: same-site\r\n"] {
        assert_eq!(send(&daemon, "GET", "/api/page", headers, "").status, 403, "{headers}");
    }
    let foreign = format!("{OF_THE_PAGE}Origin: http://evil.example\r\n");
    assert_eq!(send(&daemon, "GET", "/api/page", &foreign, "").status, 403);
    daemon.stop();
}

#[test]
fn programs_of_other_users_are_not_the_page() {
    const NOBODY: u32 = 65534;
    let home = Home::new();
    let daemon = home.start();
    let address = daemon.client.address();
    let ask = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{}; printf 'GET /api/page HTTP/1.1\\r\\nHost: {address}\\r\\n\
         Sec-Fetch-Site: same-origin\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3",
        address.port()
    );
    let told = |command: &mut Command| {
        let output = command.arg("-c").arg(&ask).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(told(&mut Command::new("bash")).starts_with("HTTP/1.1 200"));
    // Only root can be somebody else. Others are tried by what the kernel would say, in the tests of `neighbours`.
    if rustix::process::getuid().is_root() {
        let answer = told(Command::new("bash").uid(NOBODY).gid(NOBODY));
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    }
    daemon.stop();
}
