//! The addresses of the page's scripts, style sheets and catalogues of texts: bundled with a hash in their
//! names, or as they are written in `public`, for development. `scripts/bundle-page` makes the bundle.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;

use super::public_files;

/// The folder of the bundled files.
pub const BUNDLE_FOLDER: &str = "assets";

/// The length of the hash in the name of a bundled file.
const HASH_LENGTH: usize = 8;

/// A bundled script, style sheet or catalogue.
#[derive(Deserialize)]
struct BundledFile {
    file: String,
    /// The files that a module imports.
    imports: Vec<String>,
}

static BUNDLE: LazyLock<BTreeMap<String, BundledFile>> = LazyLock::new(|| {
    let manifest = public_files::read_text(&format!("{BUNDLE_FOLDER}/manifest.json"));
    serde_json::from_str(&manifest)
        .inspect_err(|error| tracing::error!(%error, "the manifest of the page's files cannot be read"))
        .unwrap_or_default()
});

/// True if the pages of this process use the sources.
static USES_SOURCES: AtomicBool = AtomicBool::new(false);

/// Makes the pages of this process use the modules and style sheets as they are written.
pub fn use_sources() {
    USES_SOURCES.store(true, Ordering::Relaxed);
}

/// Returns true if the pages use the sources, whose early scripts are modules.
pub fn uses_sources() -> bool {
    USES_SOURCES.load(Ordering::Relaxed)
}

/// Returns the address of a style sheet of `public/css`, by its name without the ending.
pub fn style(name: &str) -> String {
    address(&format!("css/{name}.css"))
}

/// Returns the address of a script of `public/js`, by its path without the ending.
pub fn script(name: &str) -> String {
    address(&format!("js/{name}.js"))
}

/// Returns the address of the texts in a language, by its code.
pub fn catalogue(language: &str) -> String {
    address(&catalogue_path(language))
}

/// Returns the path of the texts in a language below `public`.
pub fn catalogue_path(language: &str) -> String {
    format!("words/{language}.json")
}

/// Returns the addresses of the files that a module imports, which browsers load at once if the page names
/// them.
pub fn imports(name: &str) -> Vec<String> {
    let bundled = bundled(&format!("js/{name}.js"));
    bundled.map_or_else(Vec::new, |bundled| bundled.imports.iter().map(|file| bundle_address(file)).collect())
}

/// Returns the path of the file that has the name of another version's bundle, but for the hash. `None` if
/// there is none.
pub fn own_version(path: &str) -> Option<String> {
    let (wanted, ending) = split_name(path.strip_prefix(BUNDLE_FOLDER)?.strip_prefix('/')?)?;
    let files = BUNDLE.values().flat_map(|bundled| bundled.imports.iter().chain([&bundled.file]));
    let own = files.into_iter().find(|file| split_name(file) == Some((wanted, ending)))?;
    Some(format!("{BUNDLE_FOLDER}/{own}"))
}

/// Splits `NAME-HASH.ENDING` into name and ending.
fn split_name(file: &str) -> Option<(&str, &str)> {
    let (stem, ending) = file.rsplit_once('.')?;
    let name = stem.get(..stem.len().checked_sub(HASH_LENGTH)?)?.strip_suffix('-')?;
    Some((name, ending))
}

fn bundled(path: &str) -> Option<&'static BundledFile> {
    if uses_sources() { None } else { BUNDLE.get(path) }
}

fn address(path: &str) -> String {
    bundled(path).map_or_else(|| format!("/{path}"), |bundled| bundle_address(&bundled.file))
}

fn bundle_address(file: &str) -> String {
    format!("/{BUNDLE_FOLDER}/{file}")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn bundled_files_exist_and_unknown_ones_are_sources() {
        for bundled in BUNDLE.values() {
            for file in bundled.imports.iter().chain([&bundled.file]) {
                assert!(
                    !public_files::read_text(&format!("{BUNDLE_FOLDER}/{file}")).is_empty(),
                    "{file} is missing"
                );
            }
        }
        assert!(
            script("main").starts_with("/assets/main-") && style("canvas").starts_with("/assets/canvas-")
        );
        assert!(catalogue("de").starts_with("/assets/words-de-"));
        assert_eq!(script("shared/dom"), "/js/shared/dom.js");
    }

    #[test]
    fn file_of_another_version_is_found_by_its_name() {
        assert_eq!(own_version("assets/main-01234567.js"), Some(script("main")[1..].to_owned()));
        assert_eq!(own_version("assets/later-_-abc-_9.css"), Some(style("later")[1..].to_owned()));
        assert_eq!(own_version("assets/words-de-01234567.json"), Some(catalogue("de")[1..].to_owned()));
        for unknown in ["assets/main.js", "assets/x-01234567.js", "assets/é.js", "js/main-01234567.js"] {
            assert_eq!(own_version(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn every_file_that_a_template_names_is_bundled() {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates");
        let folders = ["", "pages", "gallery", "messages", "oauth", "console", "docs"];
        let files = folders
            .iter()
            .flat_map(|folder| std::fs::read_dir(top.join(folder)).unwrap())
            .map(|entry| entry.unwrap().path());
        let texts: String =
            files.filter(|path| path.is_file()).map(|path| std::fs::read_to_string(path).unwrap()).collect();
        let mut names = 0;
        for (macro_name, kind) in
            [("style", "css"), ("module", "js"), ("early_script", "js"), ("page_files::script", "js")]
        {
            for rest in texts.split(&format!("{macro_name}(\"")).skip(1) {
                let name = rest.split('"').next().unwrap();
                assert!(BUNDLE.contains_key(&format!("{kind}/{name}.{kind}")), "{name} is not bundled");
                names += 1;
            }
        }
        assert!(names > 20, "only {names} names were found");
    }
}
