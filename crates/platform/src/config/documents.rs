//! The texts about the settings: `--help`, and the documents, which a test compares with them.

use std::fmt::Write as _;

use super::declare::SettingDeclaration;
use super::table::SETTINGS;

/// Returns the section about settings for `--help`.
pub fn help() -> String {
    let mut text = String::from("Settings (environment variables, or names in the file of --config):\n");
    for section in sections() {
        let _ = writeln!(text, "\n {}:", section[0].section);
        for setting in section {
            let default = match (setting.default, setting.example) {
                ("", "") => "unset".to_owned(),
                ("", example) => format!("unset; for example {example}"),
                (default, _) => default.to_owned(),
            };
            let _ =
                writeln!(text, "  {:<40} {} [{default}]", setting.name, setting.full_help().replace('`', ""));
        }
    }
    text
}

/// Returns the settings section by section, in the order of the table.
fn sections() -> impl Iterator<Item = &'static [SettingDeclaration]> {
    SETTINGS.chunk_by(|one, next| one.section == next.section)
}

impl SettingDeclaration {
    /// Returns the help text and the allowed values.
    fn full_help(&self) -> String {
        let secret = if self.is_secret() { " Secret: NAME_FILE may name a file with the value." } else { "" };
        format!("{} Must be {}.{secret}", self.explanation(), self.expected())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::ADJUSTABLE_SETTINGS;

    const MARKDOWN_HEADER: &str = "\
# Settings

Generated from `crates/platform/src/config/table.rs` by `UPDATE_DOCUMENTS=1 cargo test --workspace --lib documents`; edit there.

All settings are environment variables; `caraplace --help` lists them, too, and `.env.example` is a template. An empty variable counts
as unset. If a value is invalid, the server does not start and names the setting. At the start the server logs a warning for a
variable that begins with `CARAPLACE_` but is not a setting. The values of secret settings are never printed.

Each secret setting can be read from a file, such as a mounted secret, that the variable with `_FILE` at its end names:
`CARAPLACE_ADMIN_PASSWORD_FILE=/run/secrets/admin_password`, `DATABASE_URL_FILE`, `STRIPE_SECRET_KEY_FILE` and so on. A line break
at the end of the file is not part of the value. The file is read at the start; the variable and its file cannot both be set.

`caraplace --config FILE` reads settings from a JSON file, too, also for `caraplace check` and `caraplace admin`:

```json
{\"CARAPLACE_MAX_CHARGES\": 20, \"CARAPLACE_CHAT_ENABLED\": false, \"CARAPLACE_ADMIN_PASSWORD_FILE\": \"/run/secrets/admin_password\"}
```

The names are those of the variables, and values are texts, numbers, true or false. A variable of the environment overrides the file; a
secret in either form overrides both forms in the file. The server does not start with a name that is no setting or with an invalid value,
and says file, name and what is allowed. The console shows at `/admin/settings` from where each value comes, and so does
`GET /api/admin/settings`.

If the column \"while running\" contains a name, the setting can be changed without a restart, on all instances at once: in the console
under `/admin/settings`, by `POST /api/admin/settings`, or by `caraplace admin set`.

Some limits are part of the contract with agents, and no settings: a digest is six bytes and covers the newest 50 messages, so that every
instance computes the same one, and `CARAPLACE_DIGEST_SECONDS` cannot change while agents hold digests; how many messages one answer has
at most is for each reader to choose (`limit`); a request has at most 256 pixels; descriptions, notes and appeals have at most 280 characters,
which the descriptions of the API promise.
";
    const TEMPLATE_HEADER: &str = "\
# Settings of Caraplace, with their defaults. The server reads its environment, not this file:
#   cp .env.example .env      then uncomment what you change
#   set -a; . ./.env; set +a; make run
#   docker run --env-file .env …
#
# Generated from crates/platform/src/config/table.rs by UPDATE_DOCUMENTS=1 cargo test --workspace --lib documents; edit there.
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
                let name = setting.name;
                let expected = (setting.expected)();
                let help = setting.help.trim();
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

    /// Breaks a text into comment lines of at most 120 columns.
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
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
            if std::env::var_os("UPDATE_DOCUMENTS").is_some() {
                std::fs::write(&path, &expected).unwrap();
            }
            let written = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                written == expected,
                "{file} is old: run UPDATE_DOCUMENTS=1 cargo test --workspace --lib documents"
            );
        }
    }
}
