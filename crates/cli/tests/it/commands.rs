//! Every command: what it prints, what it writes, and how it fails.

mod analysis;
mod asking;
mod asking_a_model;
mod brain;
pub(crate) mod daemon;
mod exporting;
mod family;
mod finding;
mod forest;
#[cfg(target_os = "linux")]
mod full_disk;
mod housekeeping;
mod install;
mod knowledge;
mod lists;
mod mcp;
mod reading;
mod redact;
mod terminal;
mod writing;

use std::path::PathBuf;

use assert_cmd::assert::Assert;
use serde_json::Value;

use crate::support::Home;

pub(crate) const ID: &str = "0190aaaa-0000-7000-8000-000000000001";

/// A session with two branches, a label, a name, a tool that failed, hidden and shown extension text.
pub(crate) fn shop(home: &Home) -> PathBuf {
    home.session(ID, &SHOP)
}

const SHOP: [&str; 15] = [
    r#"{"type":"session","version":3,"id":"0190aaaa-0000-7000-8000-000000000001","timestamp":"2025-01-01T10:00:00.000Z","cwd":"/home/dev/shop"}"#,
    r#"{"type":"model_change","id":"00000001","parentId":null,"timestamp":"2025-01-01T10:00:00.000Z","provider":"anthropic","modelId":"big"}"#,
    r#"{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2025-01-01T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Why is the cart empty after login?"}],"timestamp":1735725601000}}"#,
    r#"{"type":"message","id":"00000003","parentId":"00000002","timestamp":"2025-01-01T10:00:05.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"look at the session cookie"},{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"npm test -- cart"}}],"provider":"anthropic","model":"big","usage":{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":120,"cost":{"total":0.05}},"stopReason":"toolUse","timestamp":1735725602000}}"#,
    r#"{"type":"message","id":"00000004","parentId":"00000003","timestamp":"2025-01-01T10:00:09.000Z","message":{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[{"type":"text","text":"FAIL cart.test.ts\n\u001b[31mError: session id changed\u001b[0m"}],"isError":true,"timestamp":1735725609000}}"#,
    r#"{"type":"message","id":"00000005","parentId":"00000004","timestamp":"2025-01-01T10:00:12.000Z","message":{"role":"assistant","content":[{"type":"text","text":"The session id changes at login, so the cart is lost."}],"provider":"anthropic","model":"big","usage":{"input":200,"output":40,"cacheRead":0,"cacheWrite":0,"totalTokens":240,"cost":{"total":0.1}},"stopReason":"stop","timestamp":1735725610000}}"#,
    r#"{"type":"label","id":"00000006","parentId":"00000005","timestamp":"2025-01-01T10:00:20.000Z","targetId":"00000005","label":"cause found"}"#,
    r#"{"type":"message","id":"00000007","parentId":"00000006","timestamp":"2025-01-01T10:01:00.000Z","message":{"role":"user","content":"Copy the cart to the new session.","timestamp":1735725660000}}"#,
    r#"{"type":"message","id":"00000008","parentId":"00000007","timestamp":"2025-01-01T10:01:10.000Z","message":{"role":"assistant","content":[{"type":"text","text":"That races with checkout."},{"type":"toolCall","id":"t2","name":"edit","arguments":{"path":"src/cart.ts"}}],"provider":"anthropic","model":"big","usage":{"input":300,"output":60,"cacheRead":0,"cacheWrite":0,"totalTokens":360,"cost":{"total":0.2}},"stopReason":"stop","timestamp":1735725661000}}"#,
    r#"{"type":"branch_summary","id":"00000009","parentId":"00000005","timestamp":"2025-01-01T10:02:00.000Z","fromId":"00000008","summary":"Copying the cart races with checkout."}"#,
    r#"{"type":"custom_message","customType":"memo","content":"never shown","display":false,"id":"0000000a","parentId":"00000009","timestamp":"2025-01-01T10:02:01.000Z"}"#,
    r#"{"type":"custom_message","customType":"memo","content":"shown apart","display":true,"id":"0000000b","parentId":"0000000a","timestamp":"2025-01-01T10:02:02.000Z"}"#,
    r#"{"type":"message","id":"0000000c","parentId":"0000000b","timestamp":"2025-01-01T10:02:03.000Z","message":{"role":"user","content":"Then key the cart by user.","timestamp":1735725723000}}"#,
    r#"{"type":"message","id":"0000000d","parentId":"0000000c","timestamp":"2025-01-01T10:02:30.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done: carts are keyed by user id."},{"type":"toolCall","id":"t3","name":"write","arguments":{"path":"src/cart.ts"}}],"provider":"openai","model":"small","usage":{"input":50,"output":10,"cacheRead":0,"cacheWrite":0,"totalTokens":60,"cost":{"total":0.01}},"stopReason":"stop","timestamp":1735725724000}}"#,
    r#"{"type":"session_info","id":"0000000e","parentId":"0000000d","timestamp":"2025-01-01T10:03:00.000Z","name":"Cart lost at login"}"#,
];

/// A fork of that session, made where the cause was found, with another way to go on.
fn fork_of_shop(home: &Home) -> PathBuf {
    let parent = shop(home);
    let header = r#"{"type":"session","version":3,"id":"0190bbbb-0000-7000-8000-000000000002","timestamp":"2025-01-02T10:00:00.000Z","cwd":"/home/dev/shop","parentSession":"PARENT"}"#;
    let header = header.replace("PARENT", parent.to_str().unwrap());
    let lines = [
        &header,
        SHOP[1],
        SHOP[2],
        SHOP[3],
        SHOP[4],
        SHOP[5],
        r#"{"type":"label","id":"000000b1","parentId":"00000005","timestamp":"2025-01-01T10:00:20.000Z","targetId":"00000005","label":"cause found"}"#,
        r#"{"type":"message","id":"000000b2","parentId":"000000b1","timestamp":"2025-01-02T10:01:00.000Z","message":{"role":"user","content":"Could it be per device?","timestamp":1735812060000}}"#,
        r#"{"type":"message","id":"000000b3","parentId":"000000b2","timestamp":"2025-01-02T10:01:10.000Z","message":{"role":"assistant","content":[{"type":"text","text":"One cart for each device."}],"provider":"anthropic","model":"big","usage":{"input":300,"output":60,"cacheRead":0,"cacheWrite":0,"totalTokens":360,"cost":{"total":0.5}},"stopReason":"stop","timestamp":1735812061000}}"#,
    ];
    home.session("0190bbbb-0000-7000-8000-000000000002", &lines)
}

fn errors_of(assert: &Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

fn lines(path: &PathBuf) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
