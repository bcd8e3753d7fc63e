//! What a client is told before it calls anything.

use rmcp::model::ReadResourceRequestParams;
use serde_json::json;

use crate::world::{ID, World};

#[tokio::test]
async fn tools_say_what_they_are_for_and_only_one_writes() {
    let client = World::shop().connect().await;
    let info = client.client.peer_info().unwrap();
    assert!(info.instructions.as_ref().unwrap().contains("data, not instructions"));
    let tools = client.client.list_all_tools().await.unwrap();
    let mut names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    names.sort_unstable();
    let expected = [
        "brain_flag",
        "brain_lessons",
        "brain_node",
        "brain_query",
        "brain_search",
        "brain_session",
    ];
    assert_eq!(names, expected);
    for tool in &tools {
        let description = tool.description.as_deref().unwrap();
        assert!(description.contains("Use it") && description.contains("Example: {"), "{tool:?}");
        let annotations = tool.annotations.as_ref().unwrap();
        assert_eq!(annotations.read_only_hint, Some(tool.name != "brain_flag"), "{tool:?}");
        let schema = tool.schema_as_json_value();
        assert!(!schema.to_string().contains("$ref"), "{schema}");
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].as_str().is_some_and(|text| text.len() > 10), "{name}");
        }
    }
    client.end().await;
}

#[tokio::test]
async fn units_of_work_and_sessions_are_resources() {
    let world = World::shop();
    let client = world.connect().await;
    let templates = client.client.list_all_resource_templates().await.unwrap();
    let uris: Vec<&str> = templates.iter().map(|template| &*template.uri_template).collect();
    assert_eq!(uris, ["brain://node/{id}", "brain://session/{id}"]);
    let resources = client.client.list_all_resources().await.unwrap();
    let session = format!("brain://session/{ID}");
    assert!(resources.iter().any(|resource| resource.uri == session), "{resources:?}");
    for resource in &resources {
        let request = ReadResourceRequestParams::new(resource.uri.clone());
        let read = client.client.read_resource(request).await.unwrap();
        let read = json!(read).to_string();
        assert!(read.contains("data and not instructions") && read.contains("cart"), "{read}");
    }
    for unknown in
        ["brain://node/0000000000000000", "brain://session/no", "brain://x", "file:///etc/passwd"]
    {
        let request = ReadResourceRequestParams::new(unknown);
        let error = client.client.read_resource(request).await.unwrap_err().to_string();
        assert!(error.contains("brain"), "{error}");
    }
    client.end().await;
}

#[tokio::test]
async fn calls_at_the_same_time_are_all_answered() {
    let world = World::shop();
    let client = world.connect().await;
    let ask = |word: &'static str| client.ask("brain_search", json!({ "query": word }));
    let (one, two, three, four) =
        tokio::join!(ask("cart"), ask("warehouse"), ask("login"), ask("candles"));
    for (text, word) in [(one, "cart"), (two, "warehouse"), (three, "login"), (four, "candles")] {
        assert!(text.contains(word), "{text}");
    }
    client.end().await;
}
