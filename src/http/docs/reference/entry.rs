//! One address on the page: what it takes, what it gives, how it refuses, and a command to try.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::schema::{Field, fields, kind};
use super::{breakable, operation, sample};
use crate::http::routes::endpoint::{Right, Route};
use crate::http::web::markup::{escape, prose};

/// The entry of a line of the URL table.
pub fn entry(document: &Value, route: &Route, base_url: &str) -> String {
    let operation = operation(document, route);
    let id = operation["operationId"].as_str().unwrap_or_default();
    let verb = route.verb.name();
    let mut text = format!(
        "<article id=\"{id}\"><h3><a href=\"#{id}\"><span class=\"verb\" data-verb=\"{verb}\">{verb}</span> <code>{}</code></a>\
         <small>{}</small></h3><p>{}</p>",
        breakable(route.path),
        who(route.right),
        prose(operation["summary"].as_str().unwrap_or_default()),
    );
    if let Some(more) = operation["description"].as_str() {
        let _ = write!(text, "<p>{}</p>", prose(more));
    }
    text.push_str(&parameters(operation));
    text.push_str(&takes(document, operation));
    let command = sample::command(document, route, base_url);
    let _ = write!(text, "<pre class=\"command\"><code>{}</code></pre>", escape(&command));
    text.push_str(&gives(document, operation));
    text.push_str(&refuses(route));
    text.push_str("</article>");
    text
}

fn who(right: Right) -> &'static str {
    match right {
        Right::Anyone => "for anyone",
        Right::Agent => "with an agent’s key",
        Right::Viewer => "with a viewer’s key, or signed in",
        Right::AgentOrViewer => "with an agent’s key, or a viewer’s",
        Right::Operator => "with an operator’s key",
    }
}

fn parameters(operation: &Value) -> String {
    let place = |param: &Value| match param["in"].as_str() {
        Some("header") => "header, ",
        Some("path") => "in the path, ",
        _ => "",
    };
    let field = |param: &Value| Field {
        name: param["name"].as_str().unwrap_or_default().to_owned(),
        kind: format!("{}{}", place(param), kind(&Value::Null, &param["schema"])),
        required: param["required"] == true,
        help: param["description"].as_str().unwrap_or_default().to_owned(),
    };
    let params = operation["parameters"].as_array().into_iter().flatten();
    table("Parameters", &params.map(field).collect::<Vec<_>>(), true)
}

fn takes(document: &Value, operation: &Value) -> String {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    if schema.is_null() {
        return String::new();
    }
    table("Body", &fields(document, schema), true)
}

fn gives(document: &Value, operation: &Value) -> String {
    let responses = operation["responses"].as_object();
    let success = responses.into_iter().flatten().find(|(status, _)| status.starts_with('2'));
    let Some((status, answer)) = success else { return String::new() };
    let Some((media_type, content)) = answer["content"].as_object().and_then(|content| content.iter().next())
    else {
        return format!("<h4>Answer</h4><p><code>{status}</code></p>");
    };
    let mut text = format!("<h4>Answer</h4><p><code>{status}</code> <code>{}</code></p>", escape(media_type));
    let schema = &content["schema"];
    let fields = fields(document, schema);
    if fields.is_empty() {
        return text;
    }
    let example = sample::of(document, schema, "");
    let example = serde_json::to_string_pretty(&example).unwrap_or_default();
    let _ = write!(
        text,
        "<details><summary>Its {} fields, and an example</summary>{}<pre><code>{}</code></pre></details>",
        fields.len(),
        table("", &fields, false),
        escape(&example),
    );
    text
}

fn refuses(route: &Route) -> String {
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in route.codes() {
        by_status.entry(code.line().status).or_default().push(code.line().code);
    }
    let link = |code: &&str| format!("<a href=\"/errors#{code}\"><code>{code}</code></a> ");
    let row = |(status, codes): (&u16, &Vec<&str>)| {
        format!("<div><dt>{status}</dt><dd>{}</dd></div>", codes.iter().map(link).collect::<String>())
    };
    format!("<h4>Refusals</h4><dl class=\"refusals\">{}</dl>", by_status.iter().map(row).collect::<String>())
}

/// Says of each field whether it is needed where that is the caller's business.
fn table(title: &str, fields: &[Field], tells_needed: bool) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let title = if title.is_empty() { String::new() } else { format!("<h4>{title}</h4>") };
    let row = |field: &Field| {
        let needed = if tells_needed && field.required { " <em>needed</em>" } else { "" };
        format!(
            "<tr><th scope=\"row\"><code>{}</code>{needed}</th><td>{}</td><td>{}</td></tr>",
            escape(&field.name),
            escape(&field.kind),
            prose(&field.help),
        )
    };
    format!("{title}<table><tbody>{}</tbody></table>", fields.iter().map(row).collect::<String>())
}
