//! Serves the static files, compressed once.

use std::borrow::Cow;

use actix_web::HttpRequest;
use actix_web::web::{Bytes, Data, Path};
use caraplace_http::HandlerResult;
use caraplace_http::api::history::IMMUTABLE_CACHE_CONTROL;
use caraplace_http::response::negotiate::{cacheable, if_none_match, preferred_coding};
use caraplace_http::response::problem::Problem;
use platform::cache::Cache;
use platform::concurrency::run_blocking;
use platform::content_coding::ContentCoding;
use platform::refusal::Refusal;
use platform::refusal::codes::Code;

use super::page_files::{self, BUNDLE_FOLDER};
use super::public_files::PublicFiles;

/// The `Cache-Control` of static files: revalidated before each use.
const FILE_CACHE_CONTROL: &str = "no-cache";
/// The `Cache-Control` of icons and of the manifest, which rarely change: a day without revalidation.
const ICON_CACHE_CONTROL: &str = "public, max-age=86400";
/// The size of the cache of compressed files.
const MAX_CACHED_BYTES: u32 = 32 << 20;

/// A static file with its hash.
struct AssetFile {
    data: Cow<'static, [u8]>,
    hash: [u8; 32],
    /// The file compressed with Brotli, as bundled files are kept beside the others.
    brotli: Option<Cow<'static, [u8]>>,
}

impl AssetFile {
    fn find(path: &str) -> Option<Self> {
        let file = PublicFiles::get(path)?;
        let brotli =
            path.starts_with(BUNDLE_FOLDER).then(|| PublicFiles::get(&format!("{path}.br"))).flatten();
        let brotli = brotli.map(|file| file.data);
        Some(Self { data: file.data, hash: file.metadata.sha256_hash(), brotli })
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
        if coding == ContentCoding::Brotli
            && let Some(body) = &file.brotli
        {
            return Ok(Bytes::copy_from_slice(body));
        }
        let compress = async {
            let data = file.data.to_vec();
            let body = run_blocking("compressing a file", move || coding.encode_tightly(data));
            Ok(body.await?.into())
        };
        self.0.get_or_compute((file.hash, coding), |_| true, compress).await
    }
}

/// `GET /assets/{file}`, `/css/{file}`, `/js/{file}`, `/words/{file}`, `/icons/{file}` and `/fonts/{file}`.
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

fn file_not_found() -> Problem {
    Problem::new(Code::NotFound, "There is no such file.")
}

async fn serve(request: &HttpRequest, assets: &Assets, path: &str) -> HandlerResult {
    let found = AssetFile::find(path).map(|file| (file, cache_control(path)));
    // Another version of the server has named the file: that of this one does the same, but must not be kept
    // under its name.
    let other = || page_files::own_version(path).and_then(|own| AssetFile::find(&own));
    let found = found.or_else(|| other().map(|file| (file, FILE_CACHE_CONTROL)));
    let (file, cache_control) = found.ok_or_else(file_not_found)?;
    let coding = preferred_coding(request);
    let hash: String = file.hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let etag = format!("\"{hash}-{}\"", coding.name());
    let body = if if_none_match(request, &etag) {
        Bytes::new()
    } else {
        assets.compressed_body(&file, coding).await?
    };
    Ok(cacheable(request, &etag, coding, cache_control, |response| {
        response.content_type(media_type(path)).body(body)
    }))
}

fn cache_control(path: &str) -> &'static str {
    let ending = path.rsplit('.').next().unwrap_or_default();
    match path.split_once('/') {
        // Their names change with their content.
        Some((BUNDLE_FOLDER | "fonts", _)) => IMMUTABLE_CACHE_CONTROL,
        _ if matches!(ending, "svg" | "png" | "ico" | "webmanifest") => ICON_CACHE_CONTROL,
        _ => FILE_CACHE_CONTROL,
    }
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
