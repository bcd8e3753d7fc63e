//! How the daemon is, what is set, and what the doctor finds.

use std::fs;

use serde_json::{Value, json};

use crate::home::Home;
use crate::http::{get, post, send};

#[test]
fn the_doctor_says_what_is_in_order_and_what_is_not() {
    let home = Home::new();
    home.session("one", &["albatross", "bullfinch"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let diagnosis = get(&daemon, "/api/v1/daemon/doctor");
    assert_eq!(diagnosis["inOrder"], true, "{diagnosis}");
    let source = &diagnosis["details"]["sources"][0];
    assert_eq!((&source["files"], &source["computer"]), (&json!(1), &json!("thismachine")));
    let text = diagnosis["findings"][0]["text"].as_str().unwrap();
    assert_eq!(text, "1 file in ~/pi/agent/sessions", "paths are shown from the home folder on");

    fs::write(home.data.join("config.toml"), "[daemon]\nworkers = 0\n").unwrap();
    let diagnosis = get(&daemon, "/api/v1/daemon/doctor");
    let finding = &diagnosis["findings"][0];
    assert_eq!((&diagnosis["inOrder"], &finding["area"]), (&json!(false), &json!("settings")));
    assert!(finding["text"].as_str().unwrap().contains("at least 1"), "{finding}");
    assert_eq!(diagnosis["details"], Value::Null);
}

#[test]
fn every_setting_is_told_with_what_it_means() {
    let home = Home::new();
    let daemon = home.start();
    let setting = |key: &str| {
        let all = get(&daemon, "/api/v1/config");
        all.as_array().unwrap().iter().find(|setting| setting["key"] == key).cloned().unwrap()
    };
    let workers = setting("daemon.workers");
    assert_eq!(
        (&workers["value"], &workers["default"], &workers["isSet"], &workers["isOpen"]),
        (&json!("2"), &json!("2"), &json!(false), &json!(true))
    );
    assert!(workers["about"].as_str().unwrap().starts_with("How many units of work"));
    post(&daemon, "/api/v1/config", &json!({ "key": "daemon.workers", "value": "3" }));
    let workers = setting("daemon.workers");
    assert_eq!((&workers["value"], &workers["isSet"]), (&json!("3"), &json!(true)));
    post(&daemon, "/api/v1/config", &json!({ "key": "daemon.workers", "value": null }));
    assert_eq!(setting("daemon.workers")["isSet"], false);
    let wrong = json!({ "key": "daemon.workers", "value": "0" });
    let refused = send(&daemon, "POST", "/api/v1/config", "", Some(&wrong)).json();
    assert_eq!(refused["error"]["message"], "daemon.workers: it has to be at least 1");
    let wrong = json!({ "key": "daemon.workers", "value": "many" });
    let refused = send(&daemon, "POST", "/api/v1/config", "", Some(&wrong)).json();
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("expected") && !message.contains("config.toml"), "{message}");
    let dollars = setting("budget.dollars_per_day");
    assert_eq!((&dollars["value"], &dollars["example"]), (&Value::Null, &json!("1.0")));
    for key in ["analysis.by", "analysis.pi.program", "analysis.openai.key_command", "sources"] {
        assert_eq!(setting(key)["isOpen"], false, "{key} is the terminal's");
    }
}

#[test]
fn what_models_took_is_told_day_by_day() {
    let home = Home::new();
    let daemon = home.start();
    let days = get(&daemon, "/api/v1/daemon/own-use");
    let days = days.as_array().unwrap();
    assert_eq!(days.len(), 30);
    assert!(days.iter().all(|day| day["runs"] == 0 && day["dollars"] == 0.0), "{days:?}");
    assert!(days.windows(2).all(|two| two[0]["day"].as_str() < two[1]["day"].as_str()));
}

#[test]
#[cfg(target_os = "linux")]
fn the_daemon_knows_how_much_memory_it_takes() {
    let home = Home::new();
    let daemon = home.start();
    let memory = get(&daemon, "/api/v1/daemon/status")["memory"].as_u64().unwrap();
    assert!((1 << 20..1 << 32).contains(&memory), "{memory}");
}
