//! The description of the interface, for programs that make clients of it: `OpenAPI` 3.1, from the types that answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::failure::Told;
use crate::params::Params;

/// A question, as it is described.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    method: &'static str,
    path: &'static str,
    about: &'static str,
    media: &'static [&'static str],
    is_open: bool,
    parameters: fn(&mut SchemaGenerator) -> Vec<Schema>,
    body: fn(&mut SchemaGenerator) -> Option<Schema>,
    answer: fn(&mut SchemaGenerator) -> Schema,
}

impl Operation {
    /// Describes a question by what it may say, what its body may be, and what comes back.
    pub(crate) fn of<Q: Params, B: JsonSchema, T: JsonSchema>(
        method: &'static str,
        path: &'static str,
        about: &'static str,
    ) -> Self {
        Self {
            method,
            path,
            about,
            media: &["application/json"],
            is_open: method == "get",
            parameters: Q::schemas,
            body: |generator| {
                let is_nothing = B::schema_id() == <()>::schema_id();
                (!is_nothing).then(|| generator.subschema_for::<B>())
            },
            answer: |generator| generator.subschema_for::<T>(),
        }
    }

    pub(crate) fn method(self) -> &'static str {
        self.method
    }

    pub(crate) fn path(self) -> &'static str {
        self.path
    }

    /// Returns whether it may change something.
    pub(crate) fn is_change(self) -> bool {
        self.method != "get"
    }

    /// Says that no token is needed although it is no mere look.
    pub(crate) fn open(self) -> Self {
        Self { is_open: true, ..self }
    }

    /// Says that something else than JSON comes back, of one of these kinds.
    pub(crate) fn media(self, media: &'static [&'static str]) -> Self {
        Self { media, ..self }
    }
}

/// The description, while it grows.
pub(crate) struct Document {
    generator: SchemaGenerator,
    paths: BTreeMap<&'static str, Map<String, Value>>,
}

impl Default for Document {
    fn default() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        Self { generator: settings.into_generator(), paths: BTreeMap::new() }
    }
}

impl Document {
    /// Returns the names of all parameters.
    pub(crate) fn parameters<Q: Params>() -> Arc<[String]> {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        let schemas = Q::schemas(&mut generator);
        schemas.iter().flat_map(properties).map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn add(&mut self, operation: &Operation) {
        let described = self.describe(operation);
        self.paths
            .entry(operation.path)
            .or_default()
            .insert(operation.method.to_owned(), described);
    }

    fn describe(&mut self, operation: &Operation) -> Value {
        let Operation { method, path, about, media, is_open, .. } = *operation;
        let mut parameters = Vec::new();
        for schema in (operation.parameters)(&mut self.generator) {
            let required = required(&schema);
            for (name, schema) in properties(&schema) {
                let is_in_path = path.contains(&format!("{{{name}}}"));
                let mut schema = schema.clone();
                let about = take_description(&mut schema);
                parameters.push(json!({
                    "name": name,
                    "in": if is_in_path { "path" } else { "query" },
                    "required": is_in_path || required.contains(name),
                    "description": about,
                    "schema": without_null(schema),
                }));
            }
        }
        let answer = (operation.answer)(&mut self.generator);
        let answers: Map<String, Value> =
            media.iter().map(|&media| (media.to_owned(), json!({ "schema": answer }))).collect();
        let failure = self.generator.subschema_for::<Told>();
        let failure = json!({
            "description": "refused, or failed",
            "content": { "application/json": { "schema": failure } },
        });
        let mut described = json!({
            "operationId": operation_id(method, path),
            "summary": about,
            "tags": [tag(path)],
            "parameters": parameters,
            "responses": {
                "200": { "description": "the answer", "content": answers },
                "default": failure,
            },
        });
        if let Some(body) = (operation.body)(&mut self.generator) {
            let content = json!({ "application/json": { "schema": body } });
            described["requestBody"] = json!({ "required": true, "content": content });
        }
        if !is_open {
            described["security"] = json!([{ "token": [] }]);
        }
        described
    }

    /// Returns the document.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let schemas = self.generator.take_definitions(true);
        let document = json!({
            "openapi": "3.1.0",
            "info": {
                "title": "pi-brain",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "What was said, decided and learnt in sessions of the pi coding agent. Everything is on this machine, \
                    and is answered to this machine only.",
            },
            "paths": self.paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": { "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "the token in daemon.json in the data folder; whatever changes something needs it",
                } },
            },
        });
        document.to_string().into_bytes()
    }
}

fn properties(schema: &Schema) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn required(schema: &Schema) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn take_description(schema: &mut Value) -> Option<Value> {
    schema.as_object_mut()?.remove("description")
}

/// A parameter that is not there is left out; it cannot be `null`.
fn without_null(mut schema: Value) -> Value {
    if let Some(kinds) = schema["type"].as_array() {
        let kinds: Vec<&Value> = kinds.iter().filter(|kind| **kind != "null").collect();
        if let [kind] = &*kinds {
            schema["type"] = (*kind).clone();
        }
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let some: Vec<&Value> = any.iter().filter(|one| one["type"] != "null").collect();
        if let [one] = &*some {
            return (*one).clone();
        }
    }
    if let Some(values) = schema["enum"].as_array_mut() {
        values.retain(|value| !value.is_null());
    }
    if let Some(members) = schema.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    schema
}

/// Names a question as programs would: `getNodesByIdVersions`.
fn operation_id(method: &str, path: &str) -> String {
    let mut name = method.to_owned();
    let path = path.trim_start_matches("/api/v1/").trim_start_matches("/api/");
    for part in path.split(['/', '.', '-']).filter(|part| !part.is_empty()) {
        let (by, part) = match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(part) => ("By", part),
            None => ("", part),
        };
        let mut letters = part.chars();
        name += by;
        name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        name += letters.as_str();
    }
    name
}

/// Questions about the same kind of thing belong together.
fn tag(path: &str) -> &str {
    let path = path.strip_prefix("/api/v1/").or_else(|| path.strip_prefix("/api/"));
    path.and_then(|path| path.split('/').next()).unwrap_or("daemon")
}
