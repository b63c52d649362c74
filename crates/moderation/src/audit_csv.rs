//! The audit log as CSV (RFC 4180), for spreadsheets.

use std::borrow::Cow;

use chrono::SecondsFormat;

use super::AuditLine;

/// The largest number of entries in one file.
pub const MAX_CSV_ENTRIES: i64 = 10_000;
const HEADER: [&str; 8] = ["time", "operator", "act", "subject", "subject_name", "reason", "before", "after"];
/// The characters with which spreadsheets begin a formula, or skip to one.
const FORMULA_STARTS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];
/// The characters that end a cell for spreadsheets whose language has the semicolon between cells: for them
/// the quotation marks of a cell in the middle of a row mean nothing.
const CELL_ENDS: [char; 2] = [';', '\n'];

/// Returns a header and a row for each entry.
pub fn render(entries: &[AuditLine]) -> String {
    let mut csv = String::new();
    push_row(&mut csv, HEADER);
    for entry in entries {
        push_row(
            &mut csv,
            [
                &entry.at.to_rfc3339_opts(SecondsFormat::Micros, true),
                &entry.operator,
                &entry.act,
                &entry.subject,
                entry.subject_name.as_deref().unwrap_or_default(),
                &entry.reason,
                &entry.before.to_string(),
                &entry.after.to_string(),
            ],
        );
    }
    csv
}

fn push_row(csv: &mut String, cells: [&str; 8]) {
    csv.push_str(&cells.map(format_cell).join(","));
    csv.push_str("\r\n");
}

/// Returns a cell that spreadsheets show as this text: apostrophes keep them from computing it, and quotation
/// marks surround what would otherwise end the cell.
fn format_cell(text: &str) -> Cow<'_, str> {
    let marked = mark_formulas(text);
    if text.contains(['"', ',', '\r', '\n']) {
        Cow::Owned(format!("\"{}\"", marked.replace('"', "\"\"")))
    } else {
        marked
    }
}

/// Returns a text with an apostrophe before each character that could begin a formula.
fn mark_formulas(text: &str) -> Cow<'_, str> {
    if !text.contains(FORMULA_STARTS) {
        return Cow::Borrowed(text);
    }
    let mut marked = String::new();
    let mut is_cell_start = true;
    for c in text.chars() {
        if is_cell_start && FORMULA_STARTS.contains(&c) {
            marked.push('\'');
        }
        marked.push(c);
        is_cell_start = CELL_ENDS.contains(&c);
    }
    Cow::Owned(marked)
}

#[cfg(test)]
mod tests {
    use caraplace_log::audit_entry::AuditActorKind;
    use chrono::{DateTime, Utc};
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_quoted_only_if_needed() {
        for (text, cell) in [
            ("", ""),
            ("plain text; with 'marks'", "plain text; with 'marks'"),
            ("one, two", "\"one, two\""),
            ("say \"no\"", "\"say \"\"no\"\"\""),
            ("two\nlines", "\"two\nlines\""),
        ] {
            assert_eq!(format_cell(text), cell);
        }
    }

    #[test]
    fn spreadsheets_compute_no_cell() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("\n=1", "\"'\n'=1\""),
            ("=A1,\"b\"", "\"'=A1,\"\"b\"\"\""),
            ("rude;=1+1", "rude;'=1+1"),
            ("rude\n=1", "\"rude\n'=1\""),
            ("1=1", "1=1"),
        ] {
            assert_eq!(format_cell(text), cell);
        }
    }

    #[test]
    fn entries_are_rows_below_a_header() {
        let at: DateTime<Utc> = "2026-01-31T08:30:00.5Z".parse().unwrap();
        let entry = AuditLine {
            no: 1,
            at,
            operator: "command line".to_owned(),
            act: "rename".to_owned(),
            subject: "agent_1".to_owned(),
            subject_name: None,
            reason: "-1, rude".to_owned(),
            before: json!(null),
            after: json!({"name": "Eve"}),
            actor_kind: AuditActorKind::Operator,
            draft_id: None,
        };
        let expected = "time,operator,act,subject,subject_name,reason,before,after\r\n\
            2026-01-31T08:30:00.500000Z,command line,rename,agent_1,,\"'-1, rude\",null,\
            \"{\"\"name\"\":\"\"Eve\"\"}\"\r\n";
        assert_eq!(render(&[entry]), expected);
    }
}
