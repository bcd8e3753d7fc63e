//! Processes that are killed, that run beside each other, and that the system refuses.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use pi_brain_app::{App, AppError, Silent};
use pi_brain_store::StoreError;

use crate::brain::{Home, files_in, settings};
use crate::picture::assert_same;
use crate::world::{LATER, World, put, world};

/// The others run this very test, as a process of its own, and name the folders that it is to work on.
#[test]
fn a_process_of_its_own_takes_sessions_in() {
    let (Some(sessions), Some(data)) =
        (std::env::var_os("VICTIM_SESSIONS"), std::env::var_os("VICTIM_DATA"))
    else {
        let world = world(10, 20);
        let home = Home::with(&world);
        let output = text(&start(&home).wait_with_output().unwrap());
        assert!(output.contains("done"), "{output}");
        return assert_same(&undisturbed(&world).picture(), &home.picture(), "in a process");
    };
    let (sessions, data) = (Path::new(&sessions), Path::new(&data));
    loop {
        let done = App::open(data, settings(sessions))
            .and_then(|mut app| app.ingest("ingest", LATER, &Silent).map(drop));
        match done {
            Ok(()) => return println!("done"),
            Err(AppError::Store(StoreError::Locked { holder, .. })) => {
                println!("waits for {holder}");
                thread::sleep(Duration::from_millis(2));
            }
            Err(error) => {
                println!("failed: {}", chain(&error));
                std::process::exit(1);
            }
        }
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn command(program: &Path, home: &Home) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", "processes::a_process_of_its_own_takes_sessions_in", "--nocapture"]);
    command.env("VICTIM_SESSIONS", &home.sessions).env("VICTIM_DATA", &home.data);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(home: &Home) -> Child {
    command(&std::env::current_exe().unwrap(), home).spawn().unwrap()
}

fn text(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Returns the first `percent` of each file, cut anywhere.
fn beginning_of(world: &World, home: &Home, percent: usize) {
    for file in &world.files {
        let text = file.text();
        put(&home.sessions, &file.name, &text.as_bytes()[..text.len() * percent / 100]);
    }
}

fn undisturbed(world: &World) -> Home {
    let home = Home::with(world);
    home.ingest();
    home
}

#[test]
fn a_killed_ingest_loses_nothing_and_doubles_nothing() {
    const KILLS_PER_FOLDER: u32 = 12;
    // The environment can ask for more.
    let kills = std::env::var("KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(36_u32);
    let world = world(11, 200);
    let calm = undisturbed(&world);
    let expected = calm.picture();
    let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
    // As long as most of the work takes, found out by trying: every moment of it should be hit at some time.
    let (mut longest, mut interrupted) = (Duration::from_millis(200), 0);
    for round in 0..kills.div_ceil(KILLS_PER_FOLDER) {
        let home = Home::new();
        for kill in 1..=KILLS_PER_FOLDER {
            // The sessions grow between two attempts, so that there is always something to do.
            beginning_of(&world, &home, (kill * 100 / KILLS_PER_FOLDER) as usize);
            let mut process = start(&home);
            noise = noise
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let share = f64::from(u32::try_from(noise >> 40).unwrap()) / f64::from(1 << 24);
            thread::sleep(longest.mul_f64(share));
            process.kill().unwrap();
            let output = process.wait_with_output().unwrap();
            let output = text(&output);
            assert!(!output.contains("failed:"), "round {round}, kill {kill}: {output}");
            let is_done = output.contains("done");
            interrupted += u32::from(!is_done);
            longest = longest.mul_f64(if is_done { 0.8 } else { 1.1 });
        }
        world.write(&home.sessions);
        let sessions = home.session_files();
        let report = home.ingest();
        assert_eq!(report.found, world.files.len());
        assert_same(&expected, &home.picture(), &format!("after the kills of round {round}"));
        let leftovers =
            files_in(&home.data).into_iter().filter(|path| path.ends_with("unfinished.tmp"));
        assert_eq!(leftovers.count(), 0, "no file is left half written");
        assert_eq!(home.ingest().versions, []);
        assert_eq!(home.session_files(), sessions);
    }
    println!("{kills} kills, {interrupted} of them in the middle of things");
    assert!(interrupted > kills / 4);
}

#[test]
fn two_ingests_at_once_end_well() {
    let world = world(12, 200);
    let expected = undisturbed(&world).picture();
    for _ in 0..2 {
        let home = Home::with(&world);
        let processes = [start(&home), start(&home), start(&home)];
        for process in processes {
            let output = process.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", text(&output));
        }
        assert_same(&expected, &home.picture(), "after three at once");
    }
}

#[test]
fn a_second_writer_is_told_who_the_first_is() {
    let home = Home::with(&world(13, 20));
    let folder = pi_brain_store::DataFolder::create(&home.data).unwrap();
    let lock = folder.lock("rebuild").unwrap();
    let mut app = home.open();
    let refused = app.ingest("ingest", LATER, &Silent).unwrap_err().to_string();
    assert!(
        refused.contains(&format!("pi-brain rebuild (process {})", std::process::id())),
        "{refused}"
    );
    assert_eq!(app.refresh(LATER, &Silent).unwrap(), None, "a reader does without");
    drop(lock);
    app.ingest("ingest", LATER, &Silent).unwrap();
}

#[test]
fn a_full_disk_is_an_error_that_one_can_read_and_costs_nothing() {
    let world = world(14, 200);
    let expected = undisturbed(&world).picture();
    let program = std::env::current_exe().unwrap();
    let home = Home::new();
    let mut failed = 0;
    // First nothing fits, then a little more each time; what was there before must not suffer.
    for (step, kilobytes) in [4, 24, 40, 64, 96, 128, 160, 200, 260, 320].into_iter().enumerate() {
        beginning_of(&world, &home, (step + 1) * 10);
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", 2 * kilobytes);
        let inner = command(&program, &home);
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(script).arg(&program).args(inner.get_args());
        shell.envs(inner.get_envs().filter_map(|(key, value)| Some((key, value?))));
        let output = shell.output().unwrap();
        let told = text(&output);
        if !output.status.success() {
            failed += 1;
            let cause = ["File too large", "disk is full", "disk I/O error", "os error 27"];
            assert!(cause.iter().any(|cause| told.contains(cause)), "{kilobytes} KB: {told}");
            assert!(!told.contains("panicked"), "{kilobytes} KB: {told}");
        }
    }
    assert!(failed > 2, "the disk was never full");
    world.write(&home.sessions);
    let sessions = home.session_files();
    home.ingest();
    assert_same(&expected, &home.picture(), "with space again");
    assert_eq!(home.session_files(), sessions);
}

#[test]
fn a_folder_without_write_permission_is_an_error_that_one_can_read() {
    let world = world(15, 100);
    let home = Home::new();
    beginning_of(&world, &home, 50);
    home.open().ingest("ingest", LATER, &Silent).unwrap();
    world.write(&home.sessions);
    let outside = home.data.parent().unwrap();
    let program = outside.join("victim");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    // The administrator may write everywhere, so somebody else has to try.
    let is_root = fs::metadata(&home.data).unwrap().uid() == 0;
    let nobody = 65534;
    let set = |writable: bool| {
        let mut open = vec![home.data.clone()];
        while let Some(path) = open.pop() {
            let is_folder = path.is_dir();
            if is_folder {
                open.extend(fs::read_dir(&path).unwrap().map(|item| item.unwrap().path()));
            }
            let mode = 0o400 | if writable { 0o200 } else { 0 } | if is_folder { 0o100 } else { 0 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            if is_root {
                let owner = Some(if writable { 0 } else { nobody });
                std::os::unix::fs::chown(&path, owner, owner).unwrap();
            }
        }
    };
    for path in files_in(&home.sessions) {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    }
    fs::set_permissions(outside, fs::Permissions::from_mode(0o711)).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    set(false);
    let contents =
        || files_in(&home.data).into_iter().map(|path| fs::read(path).unwrap()).collect::<Vec<_>>();
    let before = contents();
    let mut victim = command(&program, &home);
    if is_root {
        victim.uid(nobody).gid(nobody);
    }
    let output = victim.output().unwrap();
    let told = text(&output);
    assert!(!output.status.success(), "{told}");
    assert!(told.contains("readonly") || told.contains("Permission denied"), "{told}");
    assert!(!told.contains("panicked"), "{told}");
    assert_eq!(contents(), before);
    set(true);
    home.ingest();
    assert_same(&undisturbed(&world).picture(), &home.picture(), "with permission again");
}

#[test]
fn a_file_that_the_system_refuses_is_read_as_soon_as_it_does_not() {
    let world = world(10, 40);
    let home = Home::with(&world);
    let outside = home.data.parent().unwrap();
    let program = outside.join("victim");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::create_dir(&home.data).unwrap();
    fs::set_permissions(outside, fs::Permissions::from_mode(0o711)).unwrap();
    // The administrator may read everything, so somebody else has to try.
    let (is_root, nobody) = (fs::metadata(&home.data).unwrap().uid() == 0, 65534);
    if is_root {
        std::os::unix::fs::chown(&home.data, Some(nobody), Some(nobody)).unwrap();
    }
    let ingest = || {
        let mut victim = command(&program, &home);
        if is_root {
            victim.uid(nobody).gid(nobody);
        }
        let told = text(&victim.output().unwrap());
        assert!(told.contains("done"), "{told}");
    };
    let sessions =
        || home.database().query_row("SELECT COUNT(*) FROM session", [], |row| row.get(0));
    let files = files_in(&home.sessions);
    let all = i64::try_from(files.len()).unwrap();
    fs::set_permissions(&files[0], fs::Permissions::from_mode(0o000)).unwrap();
    for _ in 0..2 {
        ingest();
        assert_eq!(sessions(), Ok(all - 1));
    }
    // Neither its size nor its time tells that it can be read now.
    fs::set_permissions(&files[0], fs::Permissions::from_mode(0o644)).unwrap();
    ingest();
    assert_eq!(sessions(), Ok(all));
    assert_same(&undisturbed(&world).picture(), &home.picture(), "with permission");
}
