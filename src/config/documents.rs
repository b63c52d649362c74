//! What is written about the settings: `--help`, and the documents, which a test compares.

use std::fmt::Write as _;

use super::declare::SettingDeclaration;
use super::table::SETTINGS;

/// Returns the settings' part of `--help`.
pub fn help() -> String {
    let mut text = String::from("Settings (environment variables):\n");
    for section in sections() {
        let _ = writeln!(text, "\n {}:", section[0].section);
        for setting in section {
            let default = match (setting.default, setting.example) {
                ("", "") => "unset".to_owned(),
                ("", example) => format!("unset; as in {example}"),
                (default, _) => default.to_owned(),
            };
            let _ =
                writeln!(text, "  {:<40} {} [{default}]", setting.name, setting.full_help().replace('`', ""));
        }
    }
    text
}

/// Yields the settings section by section, in the order of the table.
fn sections() -> impl Iterator<Item = &'static [SettingDeclaration]> {
    SETTINGS.chunk_by(|one, next| one.section == next.section)
}

impl SettingDeclaration {
    /// Returns the help and what a value must be.
    fn full_help(&self) -> String {
        let secret = if (self.is_secret)() { " Secret." } else { "" };
        format!("{}. Must be {}.{secret}", self.help.trim(), (self.expected)())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::ADJUSTABLE_SETTINGS;

    const MARKDOWN_HEADER: &str = "\
# Settings

Written from `src/config/table.rs` by `UPDATE_DOCUMENTS=1 cargo test --lib documents`; edit there.

All settings are environment variables; `caraplace --help` lists them, too, and `.env.example` is a template. An empty variable is
an unset one. A value that a setting cannot have stops the start with a sentence that names the setting. A variable that begins
with `CARAPLACE_` and is no setting is warned of at the start. The values of secret settings are never printed.

A setting with a name in the column \"while running\" can be changed without a restart, on all instances at once: in the console
under `/admin/settings`, by `POST /api/admin/settings`, or by `caraplace admin set`.
";
    const TEMPLATE_HEADER: &str = "\
# Settings of Caraplace, with their defaults. The server reads its environment, not this file:
#   cp .env.example .env      then uncomment what you change
#   set -a; . ./.env; set +a; make run
#   docker run --env-file .env …
#
# Written from src/config/table.rs by UPDATE_DOCUMENTS=1 cargo test --lib documents; edit there.
";

    fn markdown() -> String {
        let mut text = MARKDOWN_HEADER.to_owned();
        for section in sections() {
            let _ = writeln!(text, "\n## {}\n", section[0].section);
            text.push_str(
                "| setting | default | must be | while running | meaning |\n|---|---|---|---|---|\n",
            );
            for setting in section {
                let code = |text: &str| format!("`{text}`");
                let adjustable = ADJUSTABLE_SETTINGS.iter().find(|live| live.variable == setting.name);
                let live = adjustable.map_or_else(String::new, |live| code(live.name));
                let default = Some(setting.default).filter(|default| !default.is_empty());
                let default = default.map_or_else(|| "unset".to_owned(), code);
                let secret = if (setting.is_secret)() { " (secret)" } else { "" };
                let (name, expected, help) = (setting.name, (setting.expected)(), setting.help.trim());
                let _ = writeln!(text, "| `{name}` | {default} | {expected}{secret} | {live} | {help} |");
            }
        }
        text
    }

    fn template() -> String {
        let mut text = TEMPLATE_HEADER.to_owned();
        for section in sections() {
            let _ = writeln!(text, "\n# --- {} ---", section[0].section);
            for setting in section {
                let _ = write!(text, "\n{}", comment(&setting.full_help().replace('`', "")));
                let value = if setting.example.is_empty() { setting.default } else { setting.example };
                let _ = writeln!(text, "#{}={value}", setting.name);
            }
        }
        text
    }

    /// Breaks a text into lines of a comment.
    fn comment(text: &str) -> String {
        let mut lines = vec!["#".to_owned()];
        for word in text.split(' ') {
            match lines.last_mut() {
                Some(line) if line.chars().count() + word.chars().count() < 120 => {
                    *line += &format!(" {word}");
                }
                _ => lines.push(format!("# {word}")),
            }
        }
        lines.join("\n") + "\n"
    }

    #[test]
    fn documents_match_the_table() {
        for (file, expected) in [("docs/CONFIGURATION.md", markdown()), (".env.example", template())] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            if std::env::var_os("UPDATE_DOCUMENTS").is_some() {
                std::fs::write(&path, &expected).unwrap();
            }
            let written = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(written == expected, "{file} is old: run UPDATE_DOCUMENTS=1 cargo test --lib documents");
        }
    }
}
