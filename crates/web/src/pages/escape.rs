//! Escapes values in HTML and XML templates; configured in `askama.toml`.

use std::fmt::{Result, Write};

use askama::filters::Escaper;

/// Escapes the five special characters of HTML with named entities, which are easier to read in a page's
/// source than the numeric ones of Askama's own escaper.
#[derive(Clone, Copy)]
pub struct NamedEntities;

impl Escaper for NamedEntities {
    fn write_escaped_str<W: Write>(&self, mut dest: W, text: &str) -> Result {
        let special = |letter| matches!(letter, '&' | '<' | '>' | '"' | '\'');
        for part in text.split_inclusive(special) {
            let plain = part.trim_end_matches(special);
            dest.write_str(plain)?;
            dest.write_str(match &part[plain.len()..] {
                "&" => "&amp;",
                "<" => "&lt;",
                ">" => "&gt;",
                "\"" => "&quot;",
                "'" => "&#39;",
                none => none,
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        let mut escaped = String::new();
        NamedEntities.write_escaped_str(&mut escaped, "<img onerror=\"x\"> & 'ü'").unwrap();
        assert_eq!(escaped, "&lt;img onerror=&quot;x&quot;&gt; &amp; &#39;ü&#39;");
    }
}
