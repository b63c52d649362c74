//! The modules of a crate and the paths between them, read from its sources.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::without_tests;

/// The most re-exports that lead from a path to what it names.
const MAX_RE_EXPORTS: usize = 5;

static LITERALS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r##"(?s)//[^\n]*|'(?:\\.|[^'\\])'|r#".*?"#|r?"(?:\\.|[^"\\])*""##).unwrap());
static IMPORTS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);").unwrap());
static PATHS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?:^|[^:\w])(\w+(?:::\w+)+)").unwrap());

/// A path from the root of its crate.
pub type ModulePath = Vec<String>;

/// The modules of a crate, by their paths.
pub struct Modules(BTreeMap<String, PathsOfModule>);

/// The paths into its own crate that a module names.
#[derive(Default)]
struct PathsOfModule {
    uses: BTreeSet<ModulePath>,
    /// The paths that it offers under names of its own.
    re_exports: BTreeMap<String, ModulePath>,
}

impl Modules {
    /// Reads the modules in these files, given with their texts.
    pub fn read(files: &[(&String, &String)]) -> Self {
        let names = files.iter().map(|(file, _)| (module_of(file).join("::"), PathsOfModule::default()));
        let mut modules = Self(names.collect());
        for (file, text) in files {
            let module = module_of(file);
            let paths = modules.paths_of(&module, text);
            modules.0.insert(module.join("::"), paths);
        }
        modules
    }

    /// Returns each module with the modules that it uses, re-exports followed. A module may use what stands
    /// in its parents.
    pub fn graph(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let uses_of = |name: &str, paths: &PathsOfModule| {
            let targets: BTreeSet<&str> =
                paths.uses.iter().filter_map(|path| self.find(path, MAX_RE_EXPORTS)).collect();
            let is_other = |target: &&str| *target != name && !name.starts_with(&format!("{target}::"));
            targets.into_iter().filter(is_other).collect()
        };
        self.0.iter().map(|(name, paths)| (name.as_str(), uses_of(name, paths))).collect()
    }

    fn paths_of(&self, module: &[&str], text: &str) -> PathsOfModule {
        let text = LITERALS.replace_all(without_tests(text), "");
        let mut paths = PathsOfModule::default();
        let mut imported_modules = BTreeMap::new();
        for import in IMPORTS.captures_iter(&text) {
            let mut tree = Vec::new();
            expand(&import[2], "", &mut tree);
            for path in tree.iter().filter_map(|path| self.resolve(module, path)) {
                let name = path.last().cloned().unwrap_or_default();
                if import.get(1).is_some() {
                    paths.re_exports.insert(name, path);
                } else {
                    if self.0.contains_key(&path.join("::")) {
                        imported_modules.insert(name, path.clone());
                    }
                    paths.uses.insert(path);
                }
            }
        }
        for path in PATHS.captures_iter(&IMPORTS.replace_all(&text, "")) {
            let (first, rest) = path[1].split_once("::").unwrap();
            let imported = imported_modules.get(first);
            paths.uses.extend(match imported {
                Some(start) => {
                    Some(start.iter().cloned().chain(rest.split("::").map(str::to_owned)).collect())
                }
                None => self.resolve(module, &path[1]),
            });
        }
        paths
    }

    /// Returns a path from the crate's root. `None` for a path into another crate.
    fn resolve(&self, module: &[&str], path: &str) -> Option<ModulePath> {
        let mut here = module.to_vec();
        let mut parts = path.split("::").map(str::trim).peekable();
        match *parts.peek()? {
            "crate" => {
                here.clear();
                parts.next();
            }
            "self" | "super" => {
                while let Some(part) = parts.next_if(|part| matches!(*part, "self" | "super")) {
                    if part == "super" {
                        here.pop();
                    }
                }
            }
            child => {
                let child: Vec<&str> = here.iter().copied().chain([child]).collect();
                self.0.get(&child.join("::"))?;
            }
        }
        Some(here.into_iter().chain(parts).map(str::to_owned).collect())
    }

    /// Returns the module in which what a path names stands.
    fn find(&self, path: &[String], max_re_exports: usize) -> Option<&str> {
        let (length, (name, paths)) = (1..=path.len())
            .rev()
            .find_map(|length| Some((length, self.0.get_key_value(&path[..length].join("::"))?)))?;
        let re_exported = path.get(length).and_then(|item| paths.re_exports.get(item));
        match re_exported.filter(|_| max_re_exports > 0) {
            Some(origin) => self.find(&[origin, &path[length + 1..]].concat(), max_re_exports - 1),
            None => Some(name),
        }
    }
}

/// Adds the paths of a tree of imports.
fn expand(tree: &str, prefix: &str, paths: &mut Vec<String>) {
    let Some((start, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree).trim();
        return paths.push(format!("{prefix}{path}"));
    };
    let inner = rest.trim_end().strip_suffix('}').unwrap_or(rest);
    let prefix = format!("{prefix}{}", start.trim());
    let mut depth = 0;
    let branches = inner.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    for branch in branches.map(str::trim).filter(|branch| !branch.is_empty()) {
        match branch {
            "self" => paths.push(prefix.trim_end_matches("::").to_owned()),
            _ => expand(branch, &prefix, paths),
        }
    }
}

/// Returns the path of the module in a file below a crate's `src`.
fn module_of(file: &str) -> Vec<&str> {
    let path = file.rsplit_once("src/").map_or(file, |(_, path)| path).trim_end_matches(".rs");
    let mut parts: Vec<_> = path.split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib" | "main"))) {
        parts.pop();
    }
    parts
}
