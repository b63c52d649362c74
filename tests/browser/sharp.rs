//! Every device pixel of the canvas is the server's colour, whatever the screen's ratio: no cell is blurred, torn or beside its place.

use std::io::Cursor;

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::Server;
use super::world::FREE;

const COLUMNS: usize = 120;
const ROWS: usize = 80;
const SIZE: [(&str, &str); 2] = [("CARAPLACE_CANVAS_WIDTH", "120"), ("CARAPLACE_CANVAS_HEIGHT", "80")];
/// An uneven one, as Windows has them, and a fine screen's; each takes a Chromium of its own.
const RATIOS: [f64; 2] = [1.25, 2.0];
/// A view from near, where the canvas is larger than its frame and no grid is drawn yet.
const NEAR: (usize, usize, f64) = (57, 37, 10.0);

#[tokio::test]
async fn every_device_pixel_has_the_servers_color_at_every_ratio() {
    let server = Server::with(&[&FREE[..], &SIZE[..]].concat()).await;
    paint_all(&server).await;
    let colors = Colors::of(&server).await;
    for ratio in RATIOS {
        let page = Page { chrome: Chrome::at_ratio(ratio, Screen::Desk).await };
        page.chrome.prefer("dark").await;
        whole(&page, &server, &colors, ratio).await;
        near(&page, &server, &colors, ratio).await;
    }
}

async fn whole(page: &Page, server: &Server, colors: &Colors, ratio: f64) {
    page.visit(&server.url("/")).await;
    let window = Window::of(page).await;
    assert_eq!((window.width % COLUMNS, window.height % ROWS), (0, 0), "whole pixels per cell at {ratio}");
    let part = (window.width, window.height);
    Picture::of(page).await.holds(colors, &window, part, (0, 0, window.width / COLUMNS), ratio);
}

/// The minimap lies in a corner: the quarter across from it is compared.
async fn near(page: &Page, server: &Server, colors: &Colors, ratio: f64) {
    let (x, y, zoom) = NEAR;
    page.visit(&server.url(&format!("/#x={x}&y={y}&z={zoom}"))).await;
    page.until("shown('#minimap')").await;
    let window = Window::of(page).await;
    let cell = (zoom * ratio).round() as usize;
    let corner = |size: usize, at: usize| ((at * 2 + 1) * cell - size) / 2;
    let from = (corner(window.width, x), corner(window.height, y), cell);
    Picture::of(page).await.holds(colors, &window, (window.width / 2, window.height / 2), from, ratio);
}

/// All colours beside each other, in no order that a shift could hide.
async fn paint_all(server: &Server) {
    let agent = server.agent("Brushtail").await;
    let digest = server.digest().await;
    for rows in (0..ROWS).collect::<Vec<_>>().chunks(2) {
        let places = rows.iter().flat_map(|y| (0..COLUMNS).map(move |x| (x, *y)));
        let pixels: Vec<_> =
            places.map(|(x, y)| json!({"x": x, "y": y, "color": (x * 7 + y * 11 + x * y) % 16})).collect();
        let reply = agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
    }
}

/// What the server says of each cell.
struct Colors(Vec<Vec<[u8; 3]>>);

impl Colors {
    async fn of(server: &Server) -> Self {
        let canvas = server.get("/api/canvas").await.body;
        let ink = |digit: char| {
            let hex = canvas["palette"][digit.to_digit(16).unwrap() as usize]["hex"].as_str().unwrap();
            [1, 3, 5].map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        };
        let rows = canvas["rows"].as_array().unwrap();
        Self(rows.iter().map(|row| row.as_str().unwrap().chars().map(ink).collect()).collect())
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.0[y][x]
    }
}

/// Where the canvas stands on the screen, in device pixels.
struct Window {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl Window {
    async fn of(page: &Page) -> Self {
        page.settle().await;
        let sizes = "(({left, top, width, height}) => [left, top, width, height].map((size) => size * devicePixelRatio))\
                    (one('#art').getBoundingClientRect())";
        let sizes: Vec<f64> = serde_json::from_value(page.ask(sizes).await).unwrap();
        // Layout counts in sixty-fourths of a CSS pixel.
        assert!(sizes.iter().all(|size| (size - size.round()).abs() < 0.1), "between pixels: {sizes:?}");
        let size = |at: usize| sizes[at].round() as usize;
        Self { left: size(0), top: size(1), width: size(2), height: size(3) }
    }
}

/// The screen as it is.
struct Picture {
    width: usize,
    samples: usize,
    bytes: Vec<u8>,
}

impl Picture {
    async fn of(page: &Page) -> Self {
        let mut reader = png::Decoder::new(Cursor::new(page.chrome.picture().await)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        Self { width: info.width as usize, samples: info.color_type.samples(), bytes }
    }

    /// A part of the window, which begins so many device pixels from the canvas' corner.
    fn holds(
        &self,
        colors: &Colors,
        window: &Window,
        (width, height): (usize, usize),
        (left, top, cell): (usize, usize, usize),
        ratio: f64,
    ) {
        for y in 0..height {
            let wanted: Vec<_> = (0..width).map(|x| colors.at((left + x) / cell, (top + y) / cell)).collect();
            let start = ((window.top + y) * self.width + window.left) * self.samples;
            let row = &self.bytes[start..start + width * self.samples];
            let seen: Vec<_> =
                row.chunks_exact(self.samples).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
            let wrong = (0..width).find(|x| seen[*x] != wanted[*x]);
            assert_eq!(wrong, None, "the first wrong pixel of row {y}, {cell} pixels a cell, ratio {ratio}");
        }
    }
}
