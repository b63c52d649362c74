//! Serves the static files: embedded in the binary, or read from disk in debug builds, and compressed once.

use std::borrow::Cow;

use actix_web::HttpRequest;
use actix_web::web::{Bytes, Data, Path};
use rust_embed::RustEmbed;

use crate::cache::Cache;
use crate::content_coding::ContentCoding;
use crate::http::HandlerResult;
use crate::http::response::codes::Code;
use crate::http::response::negotiate::{cacheable, if_none_match, preferred_coding};
use crate::http::response::problem::Problem;
use crate::refusal::{Refusal, internal};

#[derive(RustEmbed)]
#[folder = "public/"]
struct PublicFiles;

/// The canvas page's style sheets; later ones override earlier ones. They are served as one file, because a
/// dozen responses with their headers would delay the first paint.
const CANVAS_STYLE_SHEETS: [&str; 12] = [
    "tokens",
    "base",
    "site",
    "layout",
    "canvas-area",
    "toolbar",
    "status",
    "title-card",
    "chat",
    "message",
    "bottom-sheet",
    "time",
];

/// The `Cache-Control` of static files: revalidated before each use. The shortest form, because the first view
/// repeats it in each of its sixty responses.
const FILE_CACHE_CONTROL: &str = "no-cache";
/// The `Cache-Control` of fonts, whose names change with their content.
const FONT_CACHE_CONTROL: &str = "public, max-age=31536000, immutable";
/// The size of the cache of compressed files.
const MAX_CACHED_BYTES: u32 = 32 << 20;

/// A static file with its hash.
struct AssetFile {
    data: Cow<'static, [u8]>,
    hash: [u8; 32],
}

impl AssetFile {
    fn find(path: &str) -> Option<Self> {
        if path == "css/canvas.css" {
            return Some(Self::canvas_style_sheet());
        }
        PublicFiles::get(path).map(|file| Self { data: file.data, hash: file.metadata.sha256_hash() })
    }

    fn canvas_style_sheet() -> Self {
        let sheets = CANVAS_STYLE_SHEETS.iter().map(|name| read_text(&format!("css/{name}.css")));
        let joined = sheets.collect::<String>().into_bytes();
        Self { hash: *blake3::hash(&joined).as_bytes(), data: joined.into() }
    }
}

/// The cache of compressed files, by the hash of their content.
pub struct Assets(Cache<([u8; 32], ContentCoding), Bytes>);

impl Default for Assets {
    fn default() -> Self {
        Self(Cache::new("assets", MAX_CACHED_BYTES, None, Bytes::len))
    }
}

impl Assets {
    async fn compressed_body(&self, file: &AssetFile, coding: ContentCoding) -> Result<Bytes, Refusal> {
        let compress = async {
            let body = coding.encode_tightly(file.data.to_vec());
            Ok(body.map_err(internal("compressing a file"))?.into())
        };
        self.0.get_or_compute((file.hash, coding), |_| true, compress).await
    }
}

/// `GET /css/{file}`, `/js/{file}`, `/icons/{file}` and `/fonts/{file}`.
pub async fn file(request: HttpRequest, assets: Data<Assets>, name: Path<String>) -> HandlerResult {
    // An encoded slash could escape the folder.
    if name.contains(['/', '\\']) {
        return Err(file_not_found());
    }
    let folder = request.path().split('/').nth(1).unwrap_or_default();
    serve(&request, &assets, &format!("{folder}/{name}")).await
}

/// Serves a module from a folder of `js`.
pub async fn module(
    request: HttpRequest,
    assets: Data<Assets>,
    path: Path<(String, String)>,
) -> HandlerResult {
    let (folder, name) = path.into_inner();
    // A dot or an encoded slash would lead out of the folder.
    if folder.contains(['/', '\\', '.']) || name.contains(['/', '\\']) {
        return Err(file_not_found());
    }
    serve(&request, &assets, &format!("js/{folder}/{name}")).await
}

/// Serves a file that browsers expect at the root, such as `/favicon.ico`.
pub async fn root_file(request: HttpRequest, assets: Data<Assets>) -> HandlerResult {
    serve(&request, &assets, request.path().trim_start_matches('/')).await
}

/// Returns the text of a static file; empty if it does not exist.
pub fn read_text(name: &str) -> String {
    let file = PublicFiles::get(name).map(|file| file.data.to_vec()).unwrap_or_default();
    String::from_utf8(file).unwrap_or_default()
}

fn file_not_found() -> Problem {
    Problem::new(Code::NotFound, "There is no such file.")
}

async fn serve(request: &HttpRequest, assets: &Assets, path: &str) -> HandlerResult {
    let file = AssetFile::find(path).ok_or_else(file_not_found)?;
    let coding = preferred_coding(request);
    let hash: String = file.hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let etag = format!("\"{hash}-{}\"", coding.name());
    let body = if if_none_match(request, &etag) {
        Bytes::new()
    } else {
        assets.compressed_body(&file, coding).await?
    };
    let cache_control = if path.starts_with("fonts/") { FONT_CACHE_CONTROL } else { FILE_CACHE_CONTROL };
    Ok(cacheable(request, &etag, coding, cache_control, |response| {
        response.content_type(media_type(path)).body(body)
    }))
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
