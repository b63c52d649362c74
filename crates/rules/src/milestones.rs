//! Milestones: shares of the painted canvas that the server announces in the chat.

const MILESTONE_PERCENTAGES: [usize; 4] = [25, 50, 75, 100];

/// Returns the milestone, in percent, that was crossed between two counts of painted pixels; `None` if none
/// was.
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
