//! A timetable from a recording: rows of `ts,user,x,y,color`, as other canvases have published them.
//!
//! Columns are found by their names in the first line, in any order. Coordinates are two columns, or one that
//! contains `"x,y"`. Colours are indices of the palette or `#RRGGBB`, which becomes the nearest colour.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use chrono::{DateTime, NaiveDateTime, Utc};
use tokio::sync::mpsc;

use super::job::{Job, JobKind};
use crate::{api_types::PixelInput, picture::Palette};

/// The indices of the columns.
#[derive(Debug, PartialEq, Eq)]
struct Columns {
    time: usize,
    user: usize,
    color: usize,
    x: usize,
    /// `None` if `x` contains both coordinates.
    y: Option<usize>,
}

/// A valid row.
#[derive(Debug, PartialEq, Eq)]
struct RecordedPlacement<'a> {
    time: DateTime<Utc>,
    user: &'a str,
    x: u32,
    y: u32,
    color: u8,
}

/// An opened recording.
pub struct Recording {
    lines: std::io::Lines<BufReader<File>>,
    columns: Columns,
}

/// Opens a recording and reads its column names.
pub fn open(path: &Path) -> Result<Recording> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = BufReader::new(file).lines();
    let head = lines.next().with_context(|| format!("{} is empty", path.display()))??;
    let columns = Columns::parse(&head).with_context(|| path.display().to_string())?;
    Ok(Recording { lines, columns })
}

/// Prepares jobs until the end of the recording or until the receiver is closed. Returns the number of lines
/// that could not be used.
pub fn generate_jobs(
    recording: Recording,
    palette: &Palette,
    size: (u32, u32),
    agents: usize,
    speed: f64,
    jobs: &mpsc::Sender<Job>,
) -> Result<u64> {
    let Recording { lines, columns } = recording;
    let (mut users, mut skipped) = (HashMap::new(), 0);
    let (mut first, mut due) = (None, Duration::ZERO);
    for line in lines {
        let line = line.context("the recording cannot be read")?;
        let Some(row) = columns.parse_row(&line, palette).filter(|row| row.x < size.0 && row.y < size.1)
        else {
            skipped += 1;
            continue;
        };
        let elapsed = row.time - *first.get_or_insert(row.time);
        // Recordings are not always in order. A late line is sent together with its neighbours.
        due = due.max(elapsed.to_std().unwrap_or_default().div_f64(speed));
        let next_agent = users.len();
        let agent = *users.entry(row.user.to_owned()).or_insert(next_agent) % agents.max(1);
        let pixel = PixelInput { x: row.x, y: row.y, color: row.color, expected_color: None };
        if jobs.blocking_send(Job { due, agent, kind: JobKind::Paint(vec![pixel]) }).is_err() {
            break;
        }
    }
    Ok(skipped)
}

impl Columns {
    fn parse(head: &str) -> Result<Self> {
        let names: Vec<String> = split_fields(head).iter().map(|name| name.trim().to_lowercase()).collect();
        let find_column = |accepted: &[&str]| names.iter().position(|name| accepted.contains(&name.as_str()));
        let require = |description: &str, accepted: &[&str]| {
            find_column(accepted)
                .with_context(|| format!("no column {description} (one of {})", accepted.join(" ")))
        };
        let coordinate = find_column(&["coordinate", "coordinates"]);
        let y = find_column(&["y", "y_coordinate"]);
        if coordinate.is_none() && y.is_none() {
            bail!("no columns x and y, and none named coordinate");
        }
        Ok(Columns {
            time: require("of times", &["ts", "timestamp", "time"])?,
            user: require("of users", &["user", "user_id", "user_hash"])?,
            color: require("of colours", &["color", "colour", "pixel_color"])?,
            x: coordinate.map_or_else(|| require("x", &["x", "x_coordinate"]), Ok)?,
            y: if coordinate.is_some() { None } else { y },
        })
    }

    fn parse_row<'a>(&self, line: &'a str, palette: &Palette) -> Option<RecordedPlacement<'a>> {
        let fields = split_fields(line);
        let (x, y) = match self.y {
            Some(y) => (*fields.get(self.x)?, *fields.get(y)?),
            None => fields.get(self.x)?.split_once(',')?,
        };
        Some(RecordedPlacement {
            time: parse_time(fields.get(self.time)?)?,
            user: fields.get(self.user)?,
            x: x.trim().parse().ok()?,
            y: y.trim().parse().ok()?,
            color: palette.parse_color(fields.get(self.color)?.trim())?,
        })
    }
}

/// Returns a line's fields. Quoted fields may contain commas; no field of a recording contains a quote.
fn split_fields(line: &str) -> Vec<&str> {
    let mut fields = Vec::new();
    let mut rest = line.trim_end();
    loop {
        let (field, after) = match rest.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            Some((field, after)) => (field, after.strip_prefix(',')),
            None => match rest.split_once(',') {
                Some((field, after)) => (field, Some(after)),
                None => (rest, None),
            },
        };
        fields.push(field);
        match after {
            Some(after) => rest = after,
            None => return fields,
        }
    }
}

/// Parses `2022-04-04 00:53:51.577 UTC`, RFC 3339, or seconds or milliseconds since 1970.
fn parse_time(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i64>() {
        let is_milliseconds = number > 100_000_000_000;
        return if is_milliseconds {
            DateTime::from_timestamp_millis(number)
        } else {
            DateTime::from_timestamp(number, 0)
        };
    }
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    let without_zone = text.trim_end_matches("UTC").trim_end();
    NaiveDateTime::parse_from_str(without_zone, "%Y-%m-%d %H:%M:%S%.f").ok().map(|time| time.and_utc())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::api_types::Swatch;

    fn palette() -> Palette {
        let colors = ["#FFFFFF", "#222222", "#E50000", "#0083C7"];
        let swatch = |(index, hex): (u8, &&str)| Swatch { index, hex: (*hex).into(), name: String::new() };
        Palette::parse(&(0..).zip(&colors).map(swatch).collect::<Vec<_>>()).unwrap()
    }

    fn parse_line(head: &str, line: &str) -> Option<(i64, String, u32, u32, u8)> {
        let row = Columns::parse(head).unwrap().parse_row(line, &palette())?;
        Some((row.time.timestamp_millis(), row.user.to_owned(), row.x, row.y, row.color))
    }

    #[test]
    fn the_export_of_2022_is_read() {
        let head = "timestamp,user_id,pixel_color,coordinate";
        let line = "2022-04-04 00:53:51.577 UTC,ovTZk4GyTS1mDQ+u6w/4XN8==,#00CCC0,\"826,1048\"";
        let expected = (1_649_033_631_577, "ovTZk4GyTS1mDQ+u6w/4XN8==".to_owned(), 826, 1_048, 3);
        assert_eq!(parse_line(head, line), Some(expected));
        let whole_seconds = "2022-04-04 00:53:53 UTC,a,#FFFFFF,\"1,2\"";
        assert_eq!(parse_line(head, whole_seconds), Some((1_649_033_633_000, "a".to_owned(), 1, 2, 0)));
        let moderated_rectangle = "2022-04-04 00:53:53 UTC,a,#FFFFFF,\"1,2,30,40\"";
        assert_eq!(parse_line(head, moderated_rectangle), None, "what moderators cleared is no placement");
    }

    #[test]
    fn plain_columns_are_read() {
        let row = Some((1_491_000_000_000, "h".to_owned(), 5, 6, 2));
        assert_eq!(parse_line("ts,user,x,y,color", "2017-03-31 22:40:00.000 UTC,h,5,6,2"), row);
        assert_eq!(parse_line("ts,user_hash,x_coordinate,y_coordinate,color", "1491000000000,h,5,6,2"), row);
        assert_eq!(parse_line("color,y,x,user,time", "#EE0000,6,5,h,2017-03-31T22:40:00Z"), row);
        assert_eq!(parse_line("ts,user,x,y,color", "1491000000,h,5,6,9"), None, "no such colour");
        assert_eq!(parse_line("ts,user,x,y,color", "soon,h,5,6,1"), None);
    }

    #[test]
    fn rejects_recording_without_required_column() {
        let error_text = |head| format!("{:#}", Columns::parse(head).unwrap_err());
        assert!(error_text("ts,user,color").contains("coordinate"));
        assert!(error_text("user,x,y,color").contains("times"));
    }

    #[test]
    fn the_pace_is_that_of_the_recording_times_the_speed() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write!(file, "ts,user,x,y,color\n10,a,1,1,1\n30,b,2,2,2\n20,a,3,3,3\n40,c,900,2,1\n").unwrap();
        let (sender, mut jobs) = mpsc::channel(9);
        let recording = open(file.path()).unwrap();
        assert_eq!(generate_jobs(recording, &palette(), (8, 8), 10, 10.0, &sender).unwrap(), 1);
        let mut scheduled = Vec::new();
        while let Ok(job) = jobs.try_recv() {
            scheduled.push((job.due.as_millis(), job.agent));
        }
        assert_eq!(scheduled, [(0, 0), (2_000, 1), (2_000, 0)]);
    }
}
