//! A stand-in for a language model: it says what a test wants it to say, and keeps what it was asked.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// What the model does with a request.
#[derive(Clone, Debug)]
pub enum Deed {
    /// Says this.
    Say(String),
    /// Says this, and is cut off at the longest length.
    SayCutOff(String),
    /// Calls a tool, with arguments in JSON.
    Call(&'static str, String),
    /// Says something, then calls a tool.
    SayAndCall(String, &'static str, String),
    /// Answers with an HTTP status and a message.
    Fail(u16, &'static str),
    /// Never answers.
    Hang,
    /// Begins to answer and breaks off.
    BreakOff,
    /// Says this much and breaks off, where it is asked to stream.
    SayAndBreakOff(String),
}

/// Says an object.
pub fn say(answer: &Value) -> Deed {
    Deed::Say(answer.to_string())
}

/// A request that came in.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The first line and the headers.
    pub headers: String,
    /// What was sent.
    pub body: Value,
}

impl Asked {
    /// Returns everything that was said in the request.
    pub fn text(&self) -> String {
        self.body["messages"].to_string()
    }
}

/// A scripted model on a free port of the loopback interface.
pub struct ScriptedModel {
    /// Where it listens, as clients are told.
    pub url: String,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    deeds: VecDeque<Deed>,
    asked: Vec<Asked>,
}

impl ScriptedModel {
    /// Does these things, one for each request, and the last of them from then on.
    pub fn new(deeds: impl IntoIterator<Item = Deed>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let shared = Shared { deeds: deeds.into_iter().collect(), asked: Vec::new() };
        let shared = Arc::new(Mutex::new(shared));
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serving = Arc::clone(&serving);
                thread::spawn(move || serve(stream, &serving));
            }
        });
        Self { url, shared }
    }

    /// Does this from now on.
    pub fn always(&self, deed: Deed) {
        self.shared.lock().unwrap().deeds = VecDeque::from([deed]);
    }

    /// Returns what was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.lock().unwrap().asked.clone()
    }
}

fn serve(stream: TcpStream, shared: &Mutex<Shared>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut headers = String::new();
    while !headers.ends_with("\r\n\r\n") {
        if reader.read_line(&mut headers).ok()? == 0 {
            return None;
        }
    }
    let length = headers.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    })?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let deed = {
        let mut shared = shared.lock().unwrap();
        shared.asked.push(Asked { headers, body: body.clone() });
        let deed = shared.deeds.pop_front().unwrap_or(Deed::Fail(500, "there is no script"));
        if shared.deeds.is_empty() {
            shared.deeds.push_back(deed.clone());
        }
        deed
    };
    answer(stream, &body, &deed)
}

fn answer(mut stream: TcpStream, asked: &Value, deed: &Deed) -> Option<()> {
    // pi's own client would wait for as long as it is told to.
    let wait = if asked["stream"] == true { 0 } else { 7 };
    let head = |status: u16, kind: &str| {
        format!(
            "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\nconnection: close\r\nretry-after: {wait}\r\n"
        )
    };
    let send_whole = |mut stream: TcpStream, status: u16, kind: &str, body: &str| {
        let head = head(status, kind);
        write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).ok()
    };
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120});
    match deed {
        Deed::Say(text) | Deed::SayCutOff(text) => {
            let finish = if matches!(deed, Deed::SayCutOff(_)) { "length" } else { "stop" };
            if asked["stream"] == true {
                // In two pieces, so that there is progress to be told.
                let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at));
                let (head, tail) = text.split_at(middle.unwrap());
                let deltas = [json!({"content": head}), json!({"content": tail})];
                return send_whole(stream, 200, STREAM, &events(&deltas, finish, &usage));
            }
            let message = json!({"role": "assistant", "content": text});
            let choice = json!({"index": 0, "message": message, "finish_reason": finish});
            let body = json!({"choices": [choice], "usage": usage}).to_string();
            send_whole(stream, 200, "application/json", &body)
        }
        Deed::Call(name, arguments) => {
            let deltas = [call(name, arguments)];
            send_whole(stream, 200, STREAM, &events(&deltas, "tool_calls", &usage))
        }
        Deed::SayAndCall(text, name, arguments) => {
            let deltas = [json!({"content": text}), call(name, arguments)];
            send_whole(stream, 200, STREAM, &events(&deltas, "tool_calls", &usage))
        }
        Deed::Fail(status, message) => {
            let body = json!({"error": {"message": message}}).to_string();
            send_whole(stream, *status, "application/json", &body)
        }
        Deed::Hang => {
            // Until the other side is gone.
            let _ = stream.set_read_timeout(Some(Duration::from_secs(120)));
            let _ = stream.read(&mut [0]);
            None
        }
        Deed::BreakOff => {
            let head = head(200, STREAM);
            write!(stream, "{head}content-length: 100000\r\n\r\ndata: {{\"cho").ok()
        }
        Deed::SayAndBreakOff(text) => {
            let events = events(&[json!({"content": text})], "stop", &usage);
            let first = events.split_inclusive("\n\n").next().unwrap();
            write!(stream, "{}content-length: 100000\r\n\r\n{first}", head(200, STREAM)).ok()
        }
    }
}

fn call(name: &str, arguments: &str) -> Value {
    let function = json!({"name": name, "arguments": arguments});
    let call = json!({"index": 0, "id": "call_1", "type": "function", "function": function});
    json!({"tool_calls": [call]})
}

const STREAM: &str = "text/event-stream";

fn events(deltas: &[Value], finish: &str, usage: &Value) -> String {
    let chunk = |choices: Value, usage: &Value| {
        let chunk = json!({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "stub-1",
            "choices": choices, "usage": usage});
        format!("data: {chunk}\n\n")
    };
    let choice = |delta: &Value, finish: Value| {
        chunk(json!([{"index": 0, "delta": delta, "finish_reason": finish}]), &Value::Null)
    };
    let pieces: String = deltas.iter().map(|delta| choice(delta, Value::Null)).collect();
    let end = choice(&json!({}), json!(finish));
    format!("{pieces}{end}{}data: [DONE]\n\n", chunk(json!([]), usage))
}
