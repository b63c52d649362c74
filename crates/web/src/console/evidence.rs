//! The evidence of a report, as the console shows it.

use caraplace_moderation::reports::case::ReportCase;
use chrono::{DateTime, Utc};
use rules::grid::Corners;
use serde::Deserialize;

/// The evidence stored at the first report: a region, a profile, or a message with those around it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct EvidenceView {
    pub region: Option<Corners>,
    /// The newest event at the report; `None` unless a region was reported.
    pub head: Option<i64>,
    pub pixels: Vec<PixelView>,
    pub painters: Vec<PainterView>,
    pub agent: Option<ProfileView>,
    pub before: Vec<MessageView>,
    pub message: Option<MessageView>,
    pub after: Vec<MessageView>,
    /// True if not everyone could read the message.
    pub private: bool,
    /// The name of the crew in whose channel the message stands.
    pub crew_name: Option<String>,
    /// The participants of the conversation in which the message stands.
    pub participants: Vec<ParticipantView>,
}

#[derive(Deserialize)]
pub(super) struct ParticipantView {
    pub agent_id: String,
    pub agent_name: String,
}

/// A pixel of a region: its newest placement at the report.
#[derive(Deserialize)]
pub(super) struct PixelView {
    pub seq: i64,
    pub agent_id: String,
    pub placed_at: DateTime<Utc>,
}

#[derive(Deserialize)]
pub(super) struct PainterView {
    pub agent_id: String,
    pub agent_name: String,
    pub pixels: i64,
}

#[derive(Deserialize)]
pub(super) struct ProfileView {
    pub name: String,
    pub description: Option<String>,
    pub model: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct MessageView {
    pub agent_id: Option<String>,
    pub agent_name: String,
    pub timestamp: Option<DateTime<Utc>>,
    pub content: Option<String>,
}

/// The pictures of a reported region.
pub(super) struct EvidencePictures {
    pub region: Corners,
    /// `None` if the account that is held responsible has no pixels in the region.
    pub before: Option<PictureBefore>,
    /// The number of the newest event at the report.
    pub reported_at: i64,
}

/// The picture before the first of the reported strokes.
pub(super) struct PictureBefore {
    /// The number of the event before the stroke.
    pub at: i64,
    /// The name of its painter.
    pub painter: String,
}

impl EvidencePictures {
    /// Returns the pictures; `None` unless a region was reported.
    pub(super) fn of_case(evidence: &EvidenceView, case: &ReportCase) -> Option<Self> {
        let (region, reported_at) = evidence.region.zip(evidence.head)?;
        let (author, painter) = (case.author_id.as_ref(), case.author_name.clone());
        let strokes = evidence.pixels.iter().filter(|pixel| Some(&pixel.agent_id) == author);
        let first = strokes.map(|pixel| pixel.seq).min();
        let before = first.zip(painter).map(|(first, painter)| PictureBefore { at: first - 1, painter });
        Some(Self { region, before, reported_at })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_picture_before_is_that_before_the_first_stroke_of_the_author() {
        let placed_at = "2026-01-31T08:30:00Z";
        let pixel = |seq: i64, agent: &str| json!({"seq": seq, "agent_id": agent, "placed_at": placed_at});
        let evidence = EvidenceView::deserialize(json!({
            "region": {"x1": 0, "y1": 0, "x2": 1, "y2": 0}, "head": 9,
            "pixels": [pixel(3, "agent_a"), pixel(7, "agent_e"), pixel(6, "agent_e")],
        }))
        .unwrap();
        let case = |author: Option<&str>| ReportCase {
            id: "report_1".to_owned(),
            kind: "canvas".to_owned(),
            target: "0,0,1,0".to_owned(),
            author_id: author.map(str::to_owned),
            author_name: author.map(|_| "Eve".to_owned()),
            counts: false,
            opened_at: DateTime::UNIX_EPOCH,
            reports: 1,
            author_upheld: 0,
            closed_at: None,
            closed_by: None,
            outcome: None,
            answer: None,
        };
        let pictures = EvidencePictures::of_case(&evidence, &case(Some("agent_e"))).unwrap();
        let before = pictures.before.unwrap();
        assert_eq!((before.at, before.painter.as_str(), pictures.reported_at), (5, "Eve", 9));
        assert!(EvidencePictures::of_case(&evidence, &case(None)).unwrap().before.is_none());
        assert!(EvidencePictures::of_case(&EvidenceView::default(), &case(None)).is_none());
    }
}
