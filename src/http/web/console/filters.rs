//! Filters of the console's templates: values as plain text, which the templates escape.
#![allow(
    clippy::inline_always,
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "askama prescribes the signature and generates the rest"
)]

use askama::{Result, Values, filter_fn};
use chrono::{DateTime, TimeDelta, Utc};
use rules::rights::FOR_EVER;
use serde_json::Value;

use crate::http::web::pages::words;

/// The most entries of a queue that the overview counts.
pub const MAX_COUNTED: usize = 100;

/// Returns a whole number in groups of three digits.
#[filter_fn]
pub fn count(number: &i64, _: &dyn Values) -> Result<String> {
    Ok(words::count(*number))
}

/// Returns how long ago a time was, as of `now`.
#[filter_fn]
pub fn age(at: &DateTime<Utc>, _: &dyn Values, now: &DateTime<Utc>) -> Result<String> {
    Ok(words::age(at, now))
}

/// Returns whether an end stands for never.
#[filter_fn]
pub fn is_endless(at: &DateTime<Utc>, _: &dyn Values) -> Result<bool> {
    // Ends are told as of the day before the last: a clock may be a little off.
    Ok(*at > FOR_EVER - TimeDelta::days(1))
}

/// Returns the number of entries that wait in a queue, with what they are.
#[filter_fn]
pub fn waiting(number: &usize, _: &dyn Values, noun: &str) -> Result<String> {
    Ok(match *number {
        1 => format!("1 {noun}"),
        MAX_COUNTED => format!("{MAX_COUNTED} {noun}s or more"),
        number => format!("{number} {noun}s"),
    })
}

/// Returns the address of the page about the subject of an act.
#[filter_fn]
pub fn subject_path(id: &str, _: &dyn Values) -> Result<String> {
    Ok(match id.split('_').next().unwrap_or_default() {
        "agent" | "viewer" => format!("/admin/agents/{id}"),
        "report" => format!("/admin/reports/{id}"),
        "rollback" => format!("/admin/rollbacks/{id}"),
        _ => format!("/admin/audit?subject={id}"),
    })
}

/// Returns a setting's value as it is typed.
#[filter_fn]
pub fn typed(value: &Value, _: &dyn Values) -> Result<String> {
    Ok(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}
