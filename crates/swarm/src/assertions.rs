//! Checks of the response to a placement.

use crate::api_types::{PixelInput, PlacementResponse};

/// Returns the fault unless the response has the requested pixels, in order and with consecutive numbers.
/// Only pixels with an expected colour may be missing, and only those that the response names.
pub fn find_violation(pixels: &[PixelInput], response: &PlacementResponse) -> Option<String> {
    let is_conditional = |position: &usize| pixels.get(*position).is_some_and(|d| d.expected_color.is_some());
    let mut left_out =
        response.already.iter().copied().chain(response.skipped.iter().map(|pixel| pixel.index));
    if let Some(position) = left_out.find(|position| !is_conditional(position)) {
        return Some(format!("pixel {position} without an expected colour was not placed"));
    }
    let is_left_out = |position: &usize| {
        response.already.contains(position) || response.skipped.iter().any(|pixel| pixel.index == *position)
    };
    let expected = pixels.iter().enumerate().filter(|(position, _)| !is_left_out(position));
    let expected = expected.map(|(_, d)| (d.x, d.y, d.color));
    if !response.placements().map(|p| (p.x, p.y, p.color)).eq(expected) {
        return Some(format!("the response to {} pixels has other pixels", pixels.len()));
    }
    let Some(seqs) = response.placements().map(|p| p.seq).collect::<Option<Vec<u64>>>() else {
        return Some("a placement has no number".to_owned());
    };
    let gap = seqs.windows(2).find(|pair| matches!(pair, [a, b] if a + 1 != *b))?;
    Some(format!("the numbers of one batch are not consecutive: {gap:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api_types::{Placement, SkippedPixel};

    fn response_with(seqs: &[u64]) -> PlacementResponse {
        let pixel = |(x, seq): (u32, &u64)| Placement { x, y: 0, color: 1, seq: Some(*seq) };
        let pixels = (0..).zip(seqs).map(pixel).collect();
        PlacementResponse {
            pixel: None,
            pixels,
            already: Vec::new(),
            skipped: Vec::new(),
            charges: 0,
            next_charge_at: None,
            waiting: Vec::new(),
            chat_credits: 0,
        }
    }

    #[test]
    fn response_must_match_its_request() {
        let pixels: Vec<PixelInput> =
            (0..3).map(|x| PixelInput { x, y: 0, color: 1, expected_color: None }).collect();
        assert_eq!(find_violation(&pixels, &response_with(&[5, 6, 7])), None);
        assert!(find_violation(&pixels, &response_with(&[5, 6, 8])).unwrap().contains("[6, 8]"));
        assert!(find_violation(&pixels, &response_with(&[5, 6])).is_some());
    }

    #[test]
    fn only_named_conditional_pixels_may_be_missing() {
        let mut pixels: Vec<PixelInput> =
            (0..3).map(|x| PixelInput { x, y: 0, color: 1, expected_color: None }).collect();
        let response = PlacementResponse { already: vec![2], ..response_with(&[5, 6]) };
        assert!(find_violation(&pixels, &response).unwrap().contains("pixel 2"));
        pixels[2].expected_color = Some(0);
        assert_eq!(find_violation(&pixels, &response), None);
        let response = PlacementResponse { already: vec![2], ..response_with(&[5, 6, 7]) };
        assert!(find_violation(&pixels, &response).is_some());
    }

    #[test]
    fn only_conditional_pixels_may_be_skipped() {
        let pixel = |x, expected_color| PixelInput { x, y: 0, color: 1, expected_color };
        let response = PlacementResponse { skipped: vec![SkippedPixel { index: 1 }], ..response_with(&[5]) };
        assert_eq!(find_violation(&[pixel(0, None), pixel(1, Some(0))], &response), None);
        assert!(find_violation(&[pixel(0, None), pixel(1, None)], &response).is_some());
    }

    #[test]
    fn a_single_pixel_that_was_left_as_it_is_is_no_placement() {
        let pixels = [PixelInput { x: 4, y: 0, color: 1, expected_color: Some(0) }];
        let pixel = Some(Placement { x: 4, y: 0, color: 1, seq: Some(3) });
        let left = PlacementResponse { pixel, already: vec![0], ..response_with(&[]) };
        assert_eq!((left.placements().count(), find_violation(&pixels, &left)), (0, None));
        let placed = PlacementResponse { pixel, ..response_with(&[]) };
        assert_eq!((placed.placements().count(), find_violation(&pixels, &placed)), (1, None));
        let pixel = pixel.map(|pixel| Placement { seq: None, ..pixel });
        assert!(find_violation(&pixels, &PlacementResponse { pixel, ..response_with(&[]) }).is_some());
    }
}
