use super::{Views, counts_failures, is_compiler_error, only_shows};
use crate::analysis::heard::Call;

fn views(command: &str) -> Views {
    let command = Some(command.to_owned());
    Views::of(&Call { tool: "bash".to_owned(), command, ..Call::default() })
}

/// Checks by which sign trouble is found in what a command printed; empty if there is none.
fn check(command: &str, output: &str, sign: &str) {
    let found = views(command).trouble(output).map(|trouble| trouble.sign);
    assert_eq!(found.as_deref().unwrap_or_default(), sign, "{command}: {output}");
}

#[test]
fn what_a_sign_means_depends_on_what_is_looked_at() {
    check("kubectl get pods", "worker-1  0/1  CrashLoopBackOff  9", "crashloopbackoff");
    check("kubectl get pods", "worker-1  1/1  Running  0", "");
    check("cat docs/pods.md", "worker-1  0/1  CrashLoopBackOff  9", "");
    check("zpool status tank", " state: DEGRADED", "degraded");
    check("grep -n DEGRADED src/pool.rs", "12: DEGRADED", "");
    check("docker ps -a", "web  Exited (1) 2 minutes ago", "exited (");
    check("docker ps -a", "job  Exited (0) 2 minutes ago", "");
    check("systemctl status api", "Main PID: 7 (code=exited, status=1/FAILURE)", "code=exited");
    check("systemctl status api", "Main PID: 7 (code=exited, status=0/SUCCESS)", "");
    check("curl -sI localhost", "HTTP/1.1 502 Bad Gateway", "502 bad gateway");
    check("curl -sI localhost", "HTTP/1.1 200 OK", "");
    check("curl -sI localhost", "HTTP/1.1 502.3 Bad Gateway", " 5");
    check("tail dev.log", "POST /api/hooks 401 in 12ms", "post /api/hooks 401 in 12ms");
    check("tail dev.log", "POST /api/hooks 200 in 12ms", "");
    check("adb logcat -d", "F libc: Fatal signal 11 (SIGSEGV)", "fatal signal");
    check("gh run view --log-failed", "ERROR: no archive", "error: no archive");
    check("gh run view --log-failed", "1) a.spec.ts:40 applies", "failed");
    check("gh run view 12", "1) a.spec.ts:40 applies", "");
    check("gh run list -L1", "completed\tfailure\tci\tmain", "completed\tfailure");
    check("gh run list -L1", "completed\tsuccess\tfailure modes\tmain", "");
    check("gh run view --log-failed", r#"{"status":403,"message":"no"}"#, "status");
    check("curl -s localhost/x", r#"{"error":{"message":"Invalid id"}}"#, "\"error\":{");
    check("curl -s localhost/x", r#"{"status":200}"#, "");
    check("aws ecs describe-services", "was unable to place a task", "unable to");
    check("sqlite3 a.db 'pragma integrity_check'", "*** in database main ***", "error");
    // A run that crashes in the same way says that too.
    check("tail crash.txt", "received signal SIGSEGV, Segmentation fault.", "segmentation fault");
    check("./stokes", "Program received signal SIGFPE: x", "sigfpe");
    check("./test_ekf", "test cases: 5 | 4 passed | 1 failed", "failed");
    check("sqlplus -s a @x", "ORA-20005: object statistics are locked", "error");
    check("psql shop -f a.sql", "psql:a.sql:3: ERROR:  relation does not exist", "error");
}

#[test]
fn logs_are_looked_at_and_other_files_are_not() {
    check("tail -n 3 /var/log/app.log", "12:01 ERROR no route", "error");
    check("tail -n 3 app.log.1", "12:01 ERROR no route", "error");
    check("kubectl logs worker-1", "java.io.IOException: stream is closed", "ioexception");
    check("tail crash.txt", "wgpu error: no adapter", "wgpu error: no adapter");
    check("fly logs --no-tail", "[error] Out of memory: Killed 331", "[error]");
    check("docker compose logs", "a-1  | FTL Unsupported database", "error");
    check("docker compose logs", "a-1 exited with code 14", "a-1 exited with code 14");
    check("docker compose logs", "a-1 exited with code 0", "");
    check("tail mail.log", "said: 421 4.7.28 Our system", "said: 421 4.7.28 our system");
    check("tail mail.log", "421 messages in 4.7.28", "");
    check("tail klippy.log", "Lost communication with MCU 'a'", "lost communication");
    check(r"pwsh -c 'Get-WinEvent -Max 1'", "it ended (0x80070532)", "it ended (0x80070532)");
    check("cat notes.txt", "12:01 ERROR no route", "");
    check("cat src/errors.rs", "12:01 ERROR no route", "");
    check("grep -rn console.log src", "ERROR no route", "");
}

#[test]
fn what_runs_elsewhere_is_looked_at_like_what_runs_here() {
    check("ssh nas 'zpool status'", " state: DEGRADED", "degraded");
    check("docker exec web tail /srv/logs/a.txt", "level=error msg=late", "level=error");
}

#[test]
fn a_program_that_ends_well_had_no_trouble_on_its_way() {
    let panics = "thread 'a' panicked at src/a.rs:3:1";
    check("./target/debug/serve", panics, "panicked at");
    check(
        "./serve",
        "2026-01-02T03:04:05Z serve[7]: thread 'a' panicked at src/a.rs:3:1",
        "panicked at",
    );
    check("./serve", "what to do if thread 'a' panicked at src/a.rs:3:1", "");
    check("cargo test", &format!("{panics}\ntest result: ok. 3 passed; 0 failed"), "");
    check("python train.py", "step 300 loss nan", "nan");
    check("python train.py", "step 300 loss 0.2", "");
}

#[test]
fn trouble_of_a_program_is_its_own_and_that_of_a_state_is_not() {
    let trouble = |command: &str, output: &str| views(command).trouble(output).expect("trouble");
    assert!(trouble("./serve", "thread 'a' panicked at src/a.rs").is_own);
    assert!(!trouble("zpool status", "state: DEGRADED").is_own);
    assert!(!trouble("gdb -batch app", "Thread 1 received signal SIGABRT").is_own);
    let printed = format!("pool: tank\nstate: DEGRADED\n{}", "scan: none\n".repeat(100));
    assert!(trouble("zpool status", &printed).text.starts_with("state: DEGRADED"));
    assert_eq!(trouble("zpool status", &printed).text.lines().count(), super::LINES);
}

#[test]
fn what_does_something_first_shows_something_new() {
    let shows = |command: &str| {
        let command = Some(command.to_owned());
        only_shows(&Call { tool: "bash".to_owned(), command, ..Call::default() })
    };
    assert!(shows("kubectl logs a | tail -3; df -h"));
    assert!(shows("ssh h 'journalctl -u a | grep b'"));
    assert!(!shows("./deploy.sh && sleep 9; tail app.log"));
    assert!(!shows("git push && gh run view --log-failed"));
    assert!(shows("pwsh -c 'Get-Content app.log -Tail 5'"));
    assert!(!shows("pwsh -c 'Restart-Service app; Get-Content app.log -Tail 5'"));
}

#[test]
fn what_runs_on_the_state_from_before_may_fail() {
    check("git stash; pytest -q; git stash pop", "5 failed, 1 passed", "");
    check("pytest -q", "5 failed, 1 passed", "failed");
}

#[test]
fn states_of_the_same_kind_are_compared_and_logs_are_not() {
    let same = |one, other| views(one).show_the_same(views(other));
    assert!(same("kubectl get pods", "kubectl describe pod a"));
    assert!(!same("kubectl get pods", "zpool status"));
    assert!(!same("tail /var/log/a.log", "tail /var/log/b.log"));
}

#[test]
fn failures_are_counted_unless_there_are_none() {
    for line in [
        "3 failed, 2 passed",
        "90% tests passed, 4 tests failed out of 40",
        "Tests run: 4, Failures: 1",
        "ok=3 failed=2",
        "ℹ fail 2",
    ] {
        assert!(counts_failures(line), "{line}");
    }
    for line in [
        "0 failed",
        "100% tests passed, 0 tests failed out of 40",
        "Failures: 0, Errors: 0",
        "ok=3 failed=0",
        "it failed 3 times",
    ] {
        assert!(!counts_failures(line), "{line}");
    }
}

#[test]
fn errors_of_compilers_have_a_place_or_a_number() {
    for line in
        ["src/a.c:3:5: error: no such field", "a.ts(3,5): error TS2345: no", "error[E0308]: no"]
    {
        assert!(is_compiler_error(line), "{line}");
    }
    for line in ["an error: nothing else", "test a: error"] {
        assert!(!is_compiler_error(line), "{line}");
    }
}
