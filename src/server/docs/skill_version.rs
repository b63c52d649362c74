//! The version of the files that agents read. It changes whenever one of them does.

use actix_web::http::header::HeaderValue;
use caraplace_log::season::Season;
use caraplace_log::state::AppState;
use parking_lot::RwLock;
use platform::config::AdjustableValues;

use super::SkillInputs;
use super::skill::{SkillFiles, VERSION};

/// The number of hex digits of the hash in the version.
const HASH_DIGITS: usize = 8;

/// Returns the version of the files: that of the program, and a hash of their texts with the version left
/// blank. It is the same on all instances with the same settings and season, and after a restart.
pub fn compute(live: &AdjustableValues, season: &Season, configured_url: &str, has_pages: bool) -> String {
    let inputs = SkillInputs { live, season, base_url: configured_url, version: "", has_pages };
    let files = SkillFiles::render(inputs);
    let mut hasher = blake3::Hasher::new();
    for text in files.texts() {
        // No text contains a zero byte, so the boundaries count, too.
        hasher.update(text.as_bytes()).update(&[0]);
    }
    format!("{VERSION}+{}", &hasher.finalize().to_hex()[..HASH_DIGITS])
}

/// The value of `X-Skill-Version`, computed again when the season or a setting changes.
#[derive(Default)]
pub struct SkillVersionHeader {
    /// The last value, with the revision of the state that it was computed for.
    last: RwLock<Option<(i64, HeaderValue)>>,
}

impl SkillVersionHeader {
    /// Returns the current value on a server with this configured URL, with or without pages for visitors.
    pub fn current(&self, state: &AppState, configured_url: &str, has_pages: bool) -> HeaderValue {
        let revision = state.revision();
        if let Some((_, value)) = self.last.read().as_ref().filter(|(known, _)| *known == revision) {
            return value.clone();
        }
        let settings = state.settings.current();
        let season = state.read_world(|world| world.season.clone());
        let version = compute(&settings.values, &season, configured_url, has_pages);
        let value = HeaderValue::from_maybe_shared(version).unwrap_or(HeaderValue::from_static(VERSION));
        *self.last.write() = Some((settings.control_head + season.seq.0, value.clone()));
        value
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use regex::Regex;
    use rules::numbers::Seq;

    use super::*;
    use platform::config::Config;

    fn version(variable: &str, value: &str, title: &str, configured_url: &str) -> String {
        let config = Config::read(|name| (name == variable).then(|| value.to_owned())).unwrap();
        let season = Season {
            id: "season_a".into(),
            title: title.into(),
            size: config.size,
            seq: Seq(1),
            opened_at: DateTime::UNIX_EPOCH,
        };
        compute(&config.adjustable_values(), &season, configured_url, config.pages)
    }

    #[test]
    fn changes_with_every_input_of_the_files() {
        let first = version("CARAPLACE_MAX_CHARGES", "10", "Season 1", "https://canvas.example");
        assert!(Regex::new(r"^\d+\.\d+\.\d+\+[0-9a-f]{8}$").unwrap().is_match(&first), "{first}");
        assert_eq!(version("CARAPLACE_MAX_CHARGES", "10", "Season 1", "https://canvas.example"), first);
        for other in [
            version("CARAPLACE_MAX_CHARGES", "11", "Season 1", "https://canvas.example"),
            version("CARAPLACE_REQUESTS_PER_MINUTE", "77", "Season 1", "https://canvas.example"),
            version("CARAPLACE_PAGES", "false", "Season 1", "https://canvas.example"),
            version("CARAPLACE_MAX_CHARGES", "10", "Season 2", "https://canvas.example"),
            version("CARAPLACE_MAX_CHARGES", "10", "Season 1", "https://other.example"),
        ] {
            assert_ne!(other, first);
        }
    }
}
