//! What the answer to a placement must say, whoever asked.

use crate::wire::{Dot, Placed};

/// An acknowledgement names what was asked for, in its order, with consecutive numbers.
pub fn broken(dots: &[Dot], placed: &Placed) -> Option<String> {
    let asked = dots.iter().map(|d| (d.x, d.y, d.color));
    if !placed.all().map(|p| (p.x, p.y, p.color)).eq(asked) {
        return Some(format!("the answer to {} pixels names others", dots.len()));
    }
    let seqs: Vec<u64> = placed.all().map(|p| p.seq).collect();
    let hole = seqs.windows(2).find(|pair| matches!(pair, [a, b] if a + 1 != *b))?;
    Some(format!("the numbers of one batch are not consecutive: {hole:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::PlacedPixel;

    fn placed(seqs: &[u64]) -> Placed {
        let pixel = |(x, seq): (u32, &u64)| PlacedPixel { x, y: 0, color: 1, seq: *seq };
        let pixels = (0..).zip(seqs).map(pixel).collect();
        Placed { pixel: None, pixels, charges: 0, next_charge_at: None, chat_credits: 0 }
    }

    #[test]
    fn response_must_match_its_request() {
        let dots: Vec<Dot> = (0..3).map(|x| Dot { x, y: 0, color: 1, expected_color: None }).collect();
        assert_eq!(broken(&dots, &placed(&[5, 6, 7])), None);
        assert!(broken(&dots, &placed(&[5, 6, 8])).unwrap().contains("[6, 8]"));
        assert!(broken(&dots, &placed(&[5, 6])).is_some());
    }
}
