//! Every device pixel of the canvas has the server's colour at any device pixel ratio: cells are sharp and in
//! their places.

use std::io::Cursor;

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::fixtures::UNLIMITED;
use super::page::Page;
use super::support::Server;

const COLUMNS: usize = 120;
const ROWS: usize = 80;
const SIZE: [(&str, &str); 2] = [("CARAPLACE_CANVAS_WIDTH", "120"), ("CARAPLACE_CANVAS_HEIGHT", "80")];
/// A fractional ratio as on Windows, and one of a high-density screen. Each needs a Chromium of its own.
const RATIOS: [f64; 2] = [1.25, 2.0];
/// A zoomed view in which the canvas is larger than its frame and has no grid yet.
const ZOOMED_VIEW: (usize, usize, f64) = (57, 37, 10.0);

#[tokio::test]
async fn every_device_pixel_has_the_servers_color_at_every_ratio() {
    let server = Server::start_with(&[&UNLIMITED[..], &SIZE[..]].concat()).await;
    paint_all(&server).await;
    let colors = CanvasColors::fetch(&server).await;
    for ratio in RATIOS {
        let page = Page { chrome: Chrome::with_device_pixel_ratio(ratio, Screen::Desktop).await };
        page.chrome.set_color_scheme("dark").await;
        check_whole_canvas(&page, &server, &colors, ratio).await;
        check_zoomed_view(&page, &server, &colors, ratio).await;
    }
}

async fn check_whole_canvas(page: &Page, server: &Server, colors: &CanvasColors, ratio: f64) {
    page.visit(&server.url("/")).await;
    let area = CanvasArea::measure(page).await;
    assert_eq!((area.width % COLUMNS, area.height % ROWS), (0, 0), "whole pixels per cell at {ratio}");
    let part_size = (area.width, area.height);
    Screenshot::take(page).await.assert_shows(colors, &area, part_size, (0, 0, area.width / COLUMNS), ratio);
}

/// Compares the quarter opposite to the minimap.
async fn check_zoomed_view(page: &Page, server: &Server, colors: &CanvasColors, ratio: f64) {
    let (x, y, zoom) = ZOOMED_VIEW;
    page.visit(&server.url(&format!("/#x={x}&y={y}&z={zoom}"))).await;
    page.wait_until("shown('#minimap')").await;
    let area = CanvasArea::measure(page).await;
    let cell = (zoom * ratio).round() as usize;
    let canvas_offset = |size: usize, at: usize| ((at * 2 + 1) * cell - size) / 2;
    let origin = (canvas_offset(area.width, x), canvas_offset(area.height, y), cell);
    Screenshot::take(page).await.assert_shows(
        colors,
        &area,
        (area.width / 2, area.height / 2),
        origin,
        ratio,
    );
}

/// Paints all colours in an irregular order, so that a shift would be visible.
async fn paint_all(server: &Server) {
    let agent = server.register_agent("Brushtail").await;
    let digest = server.digest().await;
    for rows in (0..ROWS).collect::<Vec<_>>().chunks(2) {
        let cells = rows.iter().flat_map(|y| (0..COLUMNS).map(move |x| (x, *y)));
        let pixels: Vec<_> =
            cells.map(|(x, y)| json!({"x": x, "y": y, "color": (x * 7 + y * 11 + x * y) % 16})).collect();
        let reply = agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
    }
}

/// The server's colour of each cell.
struct CanvasColors(Vec<Vec<[u8; 3]>>);

impl CanvasColors {
    async fn fetch(server: &Server) -> Self {
        let canvas = server.get("/api/canvas").await.body;
        let parse_color = |digit: char| {
            let hex = canvas["palette"][digit.to_digit(16).unwrap() as usize]["hex"].as_str().unwrap();
            [1, 3, 5].map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        };
        let rows = canvas["rows"].as_array().unwrap();
        Self(rows.iter().map(|row| row.as_str().unwrap().chars().map(parse_color).collect()).collect())
    }

    fn color_at(&self, x: usize, y: usize) -> [u8; 3] {
        self.0[y][x]
    }
}

/// The position of the canvas on the screen, in device pixels.
struct CanvasArea {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl CanvasArea {
    async fn measure(page: &Page) -> Self {
        page.wait_for_paint().await;
        let sizes = "(({left, top, width, height}) => [left, top, width, height].map((size) => size * devicePixelRatio))\
                    (one('#pixels').getBoundingClientRect())";
        let sizes: Vec<f64> = serde_json::from_value(page.evaluate(sizes).await).unwrap();
        // Layout uses units of 1/64 CSS pixel.
        assert!(sizes.iter().all(|size| (size - size.round()).abs() < 0.1), "between pixels: {sizes:?}");
        let rounded = |at: usize| sizes[at].round() as usize;
        Self { left: rounded(0), top: rounded(1), width: rounded(2), height: rounded(3) }
    }
}

/// A screenshot.
struct Screenshot {
    width: usize,
    samples: usize,
    bytes: Vec<u8>,
}

impl Screenshot {
    async fn take(page: &Page) -> Self {
        let mut reader = png::Decoder::new(Cursor::new(page.chrome.screenshot().await)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        Self { width: info.width as usize, samples: info.color_type.samples(), bytes }
    }

    /// Compares a part of the window that starts this number of device pixels from the canvas' corner.
    fn assert_shows(
        &self,
        colors: &CanvasColors,
        area: &CanvasArea,
        (width, height): (usize, usize),
        (left, top, cell): (usize, usize, usize),
        ratio: f64,
    ) {
        for y in 0..height {
            let expected: Vec<_> =
                (0..width).map(|x| colors.color_at((left + x) / cell, (top + y) / cell)).collect();
            let start = ((area.top + y) * self.width + area.left) * self.samples;
            let row = &self.bytes[start..start + width * self.samples];
            let actual: Vec<_> =
                row.chunks_exact(self.samples).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
            let first_wrong = (0..width).find(|x| actual[*x] != expected[*x]);
            assert_eq!(
                first_wrong, None,
                "the first wrong pixel of row {y}, {cell} pixels a cell, ratio {ratio}"
            );
        }
    }
}
