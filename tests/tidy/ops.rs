//! The files for operators in `ops/` agree with one another and with the documents.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use regex::Regex;
use serde_json::Value;

use super::{assert_empty, read_files_below, root};

/// The faults that were tried. Tests of the alerts begin with their names.
const FAULTS: [&str; 8] =
    ["kill", "full disk", "read-only", "head lock", "clock", "dead instance", "guessing", "waiting reports"];

fn read_file(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Returns the rules of the alerts by name.
fn read_alerts() -> BTreeMap<String, String> {
    let rules = read_file("ops/alerts.yml");
    let alerts = rules.split("- alert: ").skip(1).filter_map(|alert| alert.split_once('\n'));
    let alerts: BTreeMap<_, _> = alerts.map(|(name, rule)| (name.to_owned(), rule.to_owned())).collect();
    assert!(alerts.len() > 20, "too few alerts were found");
    alerts
}

/// Returns the first groups of all matches.
fn find_all(pattern: &str, text: &str) -> BTreeSet<String> {
    let pattern = Regex::new(pattern).unwrap();
    pattern.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

#[test]
fn every_alert_keeps_its_instance_and_has_a_severity() {
    for (name, rule) in read_alerts() {
        let has_severity = |word: &&str| rule.contains(&format!("{{severity: {word}}}"));
        assert!(["page", "ticket"].iter().any(has_severity), "{name}");
        assert!(!rule.contains("sum(") && !rule.contains("absent("), "{name}");
        let aggregates = rule.matches("sum by").count();
        assert_eq!(aggregates, rule.matches("sum by (instance").count(), "{name}");
    }
}

#[test]
fn every_alert_has_its_section_in_the_runbook() {
    let alerts = read_alerts();
    let runbook = read_file("docs/RUNBOOK.md");
    let sections = runbook.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'));
    let sections: BTreeMap<&str, &str> = sections.collect();
    assert_eq!(sections.keys().copied().collect::<Vec<_>>(), alerts.keys().collect::<Vec<_>>());
    let mut found = Vec::new();
    for (name, rule) in &alerts {
        let anchor = format!("runbook: docs/RUNBOOK.md#{}\n", name.to_lowercase());
        if !rule.contains(&anchor) {
            found.push(format!("{name} lacks {anchor}"));
        }
        let parts = ["**Cause.** ", "**Look.** ", "**Mend.** "];
        let missing = parts.iter().filter(|part| !sections[name.as_str()].contains(**part));
        found.extend(missing.map(|part| format!("{name} lacks {part}")));
    }
    let links = find_all(r"\]\(#([a-z]+)\)", &runbook);
    let is_section = |link: &String| alerts.keys().any(|name| name.to_lowercase() == *link);
    found.extend(links.into_iter().filter(|link| !is_section(link)));
    assert_empty(found);
}

#[test]
fn every_alert_is_tested_raised_and_not_raised() {
    let tests = read_file("ops/alerts_test.yml");
    let alerts: BTreeSet<String> = read_alerts().into_keys().collect();
    assert_eq!(find_all(r"alertname: (\w+)\n +exp_alerts:\n", &tests), alerts);
    assert_eq!(find_all(r"alertname: (\w+), exp_alerts: \[\]", &tests), alerts);
    let raises = |fault: &&str| {
        let title = format!("{fault}: ");
        tests.split("- name: \"").any(|test| test.starts_with(&title) && test.contains("exp_alerts:\n"))
    };
    let untested = FAULTS.into_iter().filter(|fault| !raises(fault));
    assert_empty(untested.map(str::to_owned).collect());
}

#[test]
fn dashboard_has_its_rows_and_unique_panels() {
    let dashboard: Value = serde_json::from_str(&read_file("ops/dashboard.json")).unwrap();
    assert_eq!(dashboard["templating"]["list"][0]["type"], "datasource");
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len(), "two panels have the same id");
    let (rows, charts): (Vec<_>, Vec<_>) = panels.iter().partition(|panel| panel["type"] == "row");
    let titles: Vec<&str> = rows.iter().map(|row| row["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Game", "Writer phases", "HTTP", "Database", "Streams", "Moderation", "Process"]);
    for chart in charts {
        let targets = chart["targets"].as_array().unwrap();
        assert!(!targets.is_empty(), "{}", chart["title"]);
        for part in targets.iter().chain([chart]) {
            assert_eq!(part["datasource"]["uid"], "${datasource}", "{}", chart["title"]);
        }
    }
}

/// Returns what the text of a unit names that does not exist.
fn find_missing(text: &str) -> Vec<String> {
    let backup = read_file("ops/backup");
    let guide = read_file("docs/DEPLOYING.md");
    let configuration = read_file("docs/CONFIGURATION.md");
    let mut missing = Vec::new();
    for line in find_all(r"(?m)^ExecStart=(.+)$", text) {
        let (program, command) = line.split_once(' ').unwrap();
        let is_command = match program {
            "/usr/local/bin/caraplace" => command == "serve",
            _ => backup.contains(&format!("\n  {command})\n")),
        };
        if !is_command || !guide.contains(&format!("{program}\n")) {
            missing.push(line);
        }
    }
    let settings = find_all(r"(?m)^Environment=(\w+)=", text).into_iter();
    let is_setting = |name: &String| {
        configuration.contains(&format!("`{name}`")) || backup.contains(&format!("${{{name}:"))
    };
    missing.extend(settings.filter(|name| !is_setting(name)));
    let units = find_all(r"\b(caraplace[\w-]*\.(?:service|timer))\b", text).into_iter();
    missing.extend(units.filter(|name| !root().join("ops").join(name).is_file()));
    let files = find_all(r"(?m)^EnvironmentFile=(.+)$", text).into_iter();
    missing.extend(files.filter(|file| !guide.contains(file.as_str())));
    missing
}

#[test]
fn units_name_programs_settings_and_files_that_exist() {
    let units = read_files_below(vec![root().join("ops")], &["service", "timer"]);
    assert_eq!(units.len(), 4, "the units were not found");
    let missing = units.iter().map(|(unit, text)| (unit, find_missing(text)));
    let missing = missing.filter(|(_, missing)| !missing.is_empty());
    assert_empty(missing.map(|(unit, missing)| format!("{unit}: {}", missing.join(", "))).collect());
}
