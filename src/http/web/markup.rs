//! Text as HTML.

/// Text as text, wherever it stands in HTML.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// Text with code between backticks.
pub fn prose(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for (place, part) in text.split('`').enumerate() {
        let part = escape(part);
        if place % 2 == 1 {
            html.push_str(&format!("<code>{part}</code>"));
        } else {
            html.push_str(&part);
        }
    }
    html
}

/// Puts values, HTML each, where a template names them in double braces. What is put in is not looked at again.
pub fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut parts = template.split("{{");
    let mut html = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or(("", part));
        html.push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
        html.push_str(rest);
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(prose("a < `b<c>` & d"), "a &lt; <code>b&lt;c&gt;</code> &amp; d");
        assert_eq!(escape("<img onerror=\"x\">"), "&lt;img onerror=&quot;x&quot;&gt;");
    }

    #[test]
    fn values_are_put_in_once() {
        let values = [("one", "{{two}}".to_owned()), ("two", "2".to_owned())];
        assert_eq!(fill("a {{one}} b {{two}} {{none}}c", &values), "a {{two}} b 2 c");
    }
}
