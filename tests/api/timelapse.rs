//! `/api/timelapse.gif` and `.png`: every frame equals a replay of the log.

use std::io::Cursor;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::select_all;

use crate::support::log_fixture::{self, TestPlacement, replay};
use crate::support::{Reply, Server};

const SMALL_CANVAS: [(&str, &str); 3] = [
    ("CARAPLACE_CANVAS_WIDTH", "9"),
    ("CARAPLACE_CANVAS_HEIGHT", "9"),
    ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
];
const AREA: usize = 81;
/// The number of frames of two seconds.
const FRAMES: usize = 21;

/// The frames as a viewer sees them: image pixels as palette indices, and the duration in hundredths of a
/// second.
type DecodedFrames = Vec<(Vec<u8>, u16)>;

/// Draws a rectangle over the previous frame.
fn draw_part(image: &mut [u8], side: usize, (left, top): (usize, usize), width: usize, part: &[u8]) {
    for (row, line) in part.chunks_exact(width).enumerate() {
        let start = (top + row) * side + left;
        for (seen, shown) in image[start..start + width].iter_mut().zip(line).filter(|(_, shown)| **shown > 0)
        {
            // The first colour is transparent and keeps the previous pixel.
            *seen = shown - 1;
        }
    }
}

/// Asserts that the palette follows the transparent colour.
fn assert_colors(found: &[u8]) {
    assert_eq!(found[3..51], rules::palette::rgb_colors().concat());
}

fn decode_gif(reply: &Reply, side: usize) -> DecodedFrames {
    assert_eq!((reply.status, reply.header("content-type")), (200, "image/gif"), "{}", reply.body);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = options.read_info(reply.bytes.as_slice()).unwrap();
    assert_eq!((usize::from(decoder.width()), usize::from(decoder.height())), (side, side));
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    assert_colors(decoder.global_palette().unwrap());
    let (mut image, mut frames) = (vec![99; side * side], DecodedFrames::new());
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        draw_part(&mut image, side, (frame.left.into(), frame.top.into()), frame.width.into(), &frame.buffer);
        assert_eq!(frame.transparent, Some(0));
        frames.push((image.clone(), frame.delay));
    }
    frames
}

fn decode_apng(reply: &Reply, side: usize) -> DecodedFrames {
    assert_eq!((reply.status, reply.header("content-type")), (200, "image/png"), "{}", reply.body);
    let mut reader = png::Decoder::new(Cursor::new(reply.bytes.as_slice())).read_info().unwrap();
    assert_colors(reader.info().palette.as_deref().unwrap());
    let animation = *reader.info().animation_control().unwrap();
    assert_eq!((animation.num_plays, reader.info().width as usize), (0, side));
    let (mut image, mut frames) = (vec![99; side * side], DecodedFrames::new());
    for _ in 0..animation.num_frames {
        let mut indices = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut indices).unwrap();
        let control = *reader.info().frame_control().unwrap();
        let (width, height) = (control.width as usize, control.height as usize);
        let part = &indices[..width * height];
        draw_part(&mut image, side, (control.x_offset as usize, control.y_offset as usize), width, part);
        assert_eq!((control.delay_den, control.blend_op), (100, png::BlendOp::Over));
        frames.push((image.clone(), control.delay_num));
    }
    frames
}

fn scaled(pixels: &[u8], scale: usize) -> Vec<u8> {
    let row =
        |row: &[u8]| -> Vec<u8> { row.iter().flat_map(|color| std::iter::repeat_n(*color, scale)).collect() };
    pixels.chunks_exact(9).flat_map(|line| std::iter::repeat_n(row(line), scale)).flatten().collect()
}

async fn start_server_with(count: i64) -> (Server, Vec<TestPlacement>) {
    let mut server = Server::start_with(&SMALL_CANVAS).await;
    let painted = log_fixture::insert_placements(&server, 9, count).await;
    server.advance_clock(3 * 3_600);
    server.restart().await;
    (server, painted)
}

/// Returns the expected frames: the first and the last are the ends, those between are at equal intervals.
fn expected_frames(painted: &[TestPlacement], first: i64, last: i64, scale: usize) -> Vec<Vec<u8>> {
    let at = |seq: i64| painted.iter().find(|one| one.seq == seq).unwrap().placed_at;
    let (from, to) = (at(first), at(last));
    let whole = (to - from).num_microseconds().unwrap();
    let number = |frame: usize| match frame {
        0 => first,
        frame if frame == FRAMES - 1 => last,
        frame => {
            let time = from + TimeDelta::microseconds(whole * frame as i64 / (FRAMES as i64 - 1));
            painted.iter().rfind(|one| one.placed_at <= time).unwrap().seq.clamp(first, last)
        }
    };
    (0..FRAMES).map(|frame| scaled(&replay(painted, AREA, number(frame)), scale)).collect()
}

fn assert_frames(seen: &DecodedFrames, expected: &[Vec<u8>]) {
    assert_eq!(seen.len(), expected.len());
    for (place, ((image, delay), expected)) in seen.iter().zip(expected).enumerate() {
        assert!(image == expected, "frame {place}");
        assert_eq!(*delay, if place == seen.len() - 1 { 200 } else { 10 });
    }
}

#[tokio::test]
async fn every_frame_matches_the_canvas_at_its_time() {
    let (server, painted) = start_server_with(20_000).await;
    for (first, last, scale) in [(2, 20_001, 3), (100, 1_000, 1), (777, 777, 2)] {
        let frames = expected_frames(&painted, first, last, scale);
        let query = format!("from={first}&to={last}&seconds=2&scale={scale}");
        let gif = server.get(&format!("/api/timelapse.gif?{query}")).await;
        assert_frames(&decode_gif(&gif, 9 * scale), &frames);
        let apng = server.get(&format!("/api/timelapse.png?{query}")).await;
        assert_frames(&decode_apng(&apng, 9 * scale), &frames);
        for (reply, ending) in [(gif, ".gif\""), (apng, ".png\"")] {
            assert_eq!(reply.header("cache-control"), "public, max-age=31536000, immutable");
            let name = reply.header("content-disposition");
            assert!(name.starts_with("inline; filename=\"caraplace-") && name.ends_with(ending), "{name}");
        }
    }
}

#[tokio::test]
async fn default_timelapse_shows_the_last_day_and_is_shared() {
    let (server, painted) = start_server_with(600).await;
    // At the start of a minute, so that all requests are within the same one.
    server.advance_clock(60 - server.clock.now().timestamp().rem_euclid(60));
    let reply = server.get("/api/timelapse.gif").await;
    let seen = decode_gif(&reply, 9 * 8);
    assert_eq!((seen.len(), seen.iter().map(|(_, delay)| u32::from(*delay)).sum::<u32>()), (201, 2_200));
    let minute: DateTime<Utc> = {
        let now = server.clock.now().timestamp();
        DateTime::from_timestamp(now - now.rem_euclid(60), 0).unwrap()
    };
    let newest = painted.iter().rfind(|one| one.placed_at <= minute).unwrap().seq;
    assert!(seen[200].0 == scaled(&replay(&painted, AREA, newest), 8));
    assert!(seen[0].0 == scaled(&replay(&painted, AREA, 3), 8), "the season's opening");
    assert_eq!(reply.header("cache-control"), "public, max-age=60");
    let known = ("if-none-match", reply.header("etag"));
    let again = server.get_with_headers("/api/timelapse.gif", &[known]).await;
    assert_eq!((again.status, again.header("etag")), (304, reply.header("etag")));
    server.advance_clock(60);
    let later = server.get("/api/timelapse.gif").await;
    assert_ne!(later.header("content-disposition"), reply.header("content-disposition"), "the next minute");
}

#[tokio::test]
async fn default_timelapse_is_served_under_load() {
    let (server, _) = start_server_with(600).await;
    let snapshot_lock = log_fixture::lock_snapshots(&server).await;
    let strange = |seconds| {
        let path = format!("/api/timelapse.gif?from=599&to=601&seconds={seconds}");
        let server = &server;
        Box::pin(async move { server.get(&path).await })
    };
    let (first, _, others) = select_all((1..=10).map(strange)).await;
    first.assert_refused(429, "too_many_requests");
    assert_eq!(server.get("/api/timelapse.gif").await.status, 200);
    drop(snapshot_lock);
    drop(others);
}

#[tokio::test]
async fn an_address_waits_behind_itself_and_others_go_on() {
    let (server, _) = start_server_with(600).await;
    let snapshot_lock = log_fixture::lock_snapshots(&server).await;
    let strange = |address: &'static str, seconds: u32| {
        let path = format!("/api/timelapse.gif?from=599&to=601&seconds={seconds}");
        let request = server.get_request(&path).header("X-Forwarded-For", address);
        Box::pin(async move { (address, Reply::fetch(request).await) })
    };
    let (greedy, other) = ("192.0.2.1", "192.0.2.2");
    let mut pending: Vec<_> = (1..=12).map(|seconds| strange(greedy, seconds)).collect();
    // One is rendered, and four wait.
    while pending.len() > 5 {
        let ((_, refused), _, rest) = select_all(pending).await;
        refused.assert_refused(429, "too_many_requests");
        assert!(refused.header("retry-after").parse::<u32>().unwrap() >= 1);
        pending = rest;
    }
    // All addresses together have nine places, so that one of five is refused when the other four have
    // theirs.
    pending.extend((21..=25).map(|seconds| strange(other, seconds)));
    let ((address, refused), _, rest) = select_all(pending).await;
    assert_eq!(address, other);
    refused.assert_refused(503, "overloaded");
    drop(snapshot_lock);
    let (mut pending, mut order) = (rest, Vec::new());
    while !pending.is_empty() {
        let ((address, reply), _, rest) = select_all(pending).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        order.push(address);
        pending = rest;
    }
    assert!(order[..3].contains(&other), "it does not wait for all that came before it: {order:?}");
}

#[tokio::test]
async fn invalid_or_too_expensive_requests_are_refused() {
    let server =
        Server::start_with(&[("CARAPLACE_CANVAS_WIDTH", "1000"), ("CARAPLACE_CANVAS_HEIGHT", "1000")]).await;
    let tomorrow = (server.clock.now() + TimeDelta::days(1)).format("%Y-%m-%dT%H:%M:%SZ");
    for query in [
        "seconds=0",
        "seconds=61",
        "scale=0",
        "scale=9",
        "from=1&to=0",
        "from=99",
        "to=99",
        "from=soon",
        &format!("to={tomorrow}"),
        "seconds=60&scale=2",
    ] {
        for ending in ["gif", "png"] {
            let reply = server.get(&format!("/api/timelapse.{ending}?{query}")).await;
            reply.assert_refused(400, "invalid_field");
            let hint = reply.body["hint"].as_str().unwrap();
            assert_eq!(query.starts_with("seconds=60&"), hint.contains("fewer"), "{query}");
        }
    }
}
