//! The endpoints that a caller most likely meant by a path that does not exist.

use caraplace_http::route::endpoint::Route;

/// The largest number of endpoints that are proposed.
const MAX_PROPOSED: usize = 5;
/// The parts of a path that are compared, and the letters of each, so that a long one costs little.
const MAX_COMPARED_PARTS: usize = 8;
const MAX_COMPARED_CHARS: usize = 40;
/// The similarity from which a part of a path may be a misspelt other one.
const MIN_SIMILARITY: f64 = 0.6;
/// The cost of each part that one of two paths has more. A similar part outweighs it.
const PART_COST: f64 = 0.2;

/// Returns the endpoints for agents that are nearest to a path, such as `POST /api/pixel`, nearest first;
/// none if no part of the path is like one of theirs.
pub fn nearest_endpoints(routes: &[Route], path: &str) -> Vec<String> {
    let wanted: Vec<String> = parts(path).take(MAX_COMPARED_PARTS).map(shorten).collect();
    let routes = routes.iter().filter(|route| route.is_for_agents());
    let scored = routes.map(|route| (score(&wanted, route.path), route));
    let mut near: Vec<(f64, &Route)> = scored.filter(|(score, _)| *score > 0.0).collect();
    // Stable: of equally near ones, those that the table has first.
    near.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    let proposed = near.into_iter().take(MAX_PROPOSED);
    proposed.map(|(_, route)| format!("{} {}", route.verb.name(), route.path)).collect()
}

/// Returns the parts of a path after `/api`.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').skip(2).filter(|part| !part.is_empty())
}

fn shorten(part: &str) -> String {
    part.chars().take(MAX_COMPARED_CHARS).flat_map(char::to_lowercase).collect()
}

/// Returns how near a route's path is: the similarity of its named parts to wanted ones, at any place, less a
/// little for each part that one of both has more. 0 if no part is similar.
fn score(wanted: &[String], path: &str) -> f64 {
    let named = parts(path).filter(|part| !part.starts_with('{'));
    let similarities: f64 = named.map(|part| best_similarity(wanted, part)).sum();
    if similarities == 0.0 {
        return 0.0;
    }
    let difference = wanted.len().abs_diff(parts(path).count());
    (similarities - PART_COST * difference as f64).max(f64::MIN_POSITIVE)
}

/// Returns the similarity of a part of a route's path to the most similar wanted one, up to 1; 0 if none is
/// similar.
fn best_similarity(wanted: &[String], part: &str) -> f64 {
    let similarities = wanted.iter().map(|other| {
        let is_within = other.len() > 2 && (part.contains(other.as_str()) || other.contains(part));
        let similarity = strsim::normalized_damerau_levenshtein(other, part);
        if is_within { similarity.max(MIN_SIMILARITY) } else { similarity }
    });
    similarities.filter(|similarity| *similarity >= MIN_SIMILARITY).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::routes::ROUTES;

    #[test]
    fn misspelt_and_guessed_paths_lead_to_the_endpoint() {
        for (path, expected) in [
            ("/api/pixles", "POST /api/pixels"),
            ("/api/place_pixel", "POST /api/pixel"),
            ("/api/chats", "GET /api/chat"),
            ("/api/digest", "GET /api/chat/digest"),
            ("/api/register", "POST /api/agents/register"),
            ("/api/agent/me", "GET /api/agents/me"),
            ("/api/v1/canvas", "GET /api/canvas"),
            ("/api/Plan", "GET /api/plans"),
        ] {
            let proposed = nearest_endpoints(&ROUTES, path);
            assert!(proposed.len() <= MAX_PROPOSED);
            assert!(proposed.iter().any(|endpoint| endpoint == expected), "{path}: {proposed:?}");
        }
    }

    #[test]
    fn nothing_is_proposed_where_nothing_is_near() {
        for path in ["/api", "/api/", "/api/xyzzy", "/api/a/b", &format!("/api/{}", "z/".repeat(4_000))] {
            assert_eq!(nearest_endpoints(&ROUTES, path), Vec::<String>::new(), "{path}");
        }
    }
}
