//! The HTTP interface, asked at random for everything that its own description says.

use std::path::Path;
use std::process::Command;

#[test]
fn every_answer_is_as_the_description_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let tester = root.join(".tools/schemathesis/bin/schemathesis");
    assert!(tester.exists(), "schemathesis is missing: run `make tools`");
    let seconds = std::env::var("SECONDS").unwrap_or_else(|_| "45".to_owned());
    let output = Command::new("sh")
        .arg(root.join("tests/api/check.sh"))
        .arg(assert_cmd::cargo::cargo_bin("pi-brain"))
        .arg(tester)
        .arg(seconds)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let count =
        said.lines().find_map(|line| line.trim().strip_suffix(" passed")).unwrap_or_default();
    let count = count.split(' ').next().and_then(|count| count.parse::<usize>().ok());
    assert!(count.is_some_and(|count| count > 500), "too little was asked:\n{said}");
}
