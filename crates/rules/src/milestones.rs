//! When the server tells the chat how full the canvas is.

const MILESTONE_PERCENTAGES: [usize; 4] = [25, 50, 75, 100];

/// The share of the canvas, in percent, that was first reached between two counts of painted pixels.
pub fn reached(before: usize, after: usize, area: usize) -> Option<usize> {
    let reaches = |count: usize, percent: usize| count * 100 >= area * percent;
    let crossed = |percent: &usize| !reaches(before, *percent) && reaches(after, *percent);
    MILESTONE_PERCENTAGES.into_iter().rev().find(crossed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_share_is_reached_once() {
        assert_eq!(reached(15, 16, 64), Some(25));
        assert_eq!(reached(16, 17, 64), None);
        assert_eq!(reached(63, 64, 64), Some(100));
        assert_eq!(reached(0, 40, 64), Some(50));
    }
}
