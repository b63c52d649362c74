//! The baselines: the bare framework, the framework with our middleware, and one plain statement per request.

use std::collections::HashMap;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::web::{self, Bytes, Data, Json, Path};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, middleware};
use anyhow::{Result, bail};
use caraplace::server::response_headers::add_response_headers;
use caraplace_canvas::Placement;
use caraplace_canvas::placement_request::PlacePixelBody;
use caraplace_canvas::placement_response::{PixelOutcome, PlacePixelResponse, RemainingQuota};
use caraplace_http::transport::lifecycle;
use parking_lot::RwLock;
use platform::clock::Clock;
use rules::numbers::Seq;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::server::free_port;

const LISTEN_VARIABLE: &str = "BENCH_BARE_LISTEN";
const DATABASE_URL_VARIABLE: &str = "BENCH_BARE_DATABASE_URL";
/// Size of the connection pool for plain statements.
const POOL_CONNECTIONS: u32 = 8;
/// Headers that are set by our middleware, which is measured, and by the framework itself.
const EXCLUDED_HEADERS: [&str; 12] = [
    "x-request-id",
    "x-skill-version",
    "x-content-type-options",
    "referrer-policy",
    "content-security-policy",
    "ratelimit-policy",
    "ratelimit",
    "date",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
];

/// The process that serves baselines. It ends when this is dropped.
pub struct BaselineServer {
    /// The address without a slash at the end.
    pub url: String,
    process: Child,
}

/// A response that is sent repeatedly.
#[derive(Clone)]
struct CannedResponse {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

#[derive(Clone, Default)]
struct CannedResponses(Arc<RwLock<HashMap<String, CannedResponse>>>);

impl BaselineServer {
    /// Starts the process. With a database it also serves the plain statement.
    pub async fn start(database_url: Option<&str>) -> Result<Self> {
        let address = format!("127.0.0.1:{}", free_port()?);
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--bare").env(LISTEN_VARIABLE, &address).stdin(Stdio::null());
        command.env(DATABASE_URL_VARIABLE, database_url.unwrap_or_default());
        let server = Self { url: format!("http://{address}"), process: command.spawn()? };
        let client = https_client::builder()?.build()?;
        for _ in 0..1_000 {
            let response = client.get(format!("{}/hello", server.url)).send().await;
            if response.is_ok_and(|response| response.status().is_success()) {
                return Ok(server);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        bail!("the baselines' server did not become ready")
    }

    /// Stores a response of the real server, including its headers, under a name.
    pub async fn record_response(&self, name: &str, url: &str, headers: &[(&str, &str)]) -> Result<()> {
        let client = https_client::builder()?.build()?;
        let request =
            headers.iter().fold(client.get(url), |request, (name, value)| request.header(*name, *value));
        let response = request.send().await?;
        let mut upload = client.post(format!("{}/keep/{name}/{}", self.url, response.status().as_u16()));
        for (name, value) in response.headers() {
            if !EXCLUDED_HEADERS.contains(&name.as_str()) {
                upload = upload.header(format!("kept-{name}"), value);
            }
        }
        upload.body(response.bytes().await?).send().await?.error_for_status()?;
        Ok(())
    }
}

impl Drop for BaselineServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs the baselines' server.
pub fn serve_baselines() -> Result<()> {
    actix_web::rt::System::new().block_on(async {
        let database = std::env::var(DATABASE_URL_VARIABLE).unwrap_or_default();
        let pool = match database.as_str() {
            "" => None,
            url => Some(PgPoolOptions::new().max_connections(POOL_CONNECTIONS).connect(url).await?),
        };
        let responses = CannedResponses::default();
        let app = move || {
            App::new()
                .app_data(Data::new(responses.clone()))
                .app_data(Data::new(pool.clone()))
                .app_data(web::PayloadConfig::new(1 << 28))
                .route("/hello", web::get().to(|| async { "Hello, world!" }))
                .route("/pixel", web::post().to(respond_only))
                .route("/statement", web::post().to(one_statement))
                .route("/keep/{name}/{status}", web::post().to(store_response))
                .route("/bare/{name}", web::get().to(canned_response))
                .service(
                    web::scope("/dressed")
                        .wrap(middleware::from_fn(add_response_headers))
                        .wrap(middleware::from_fn(lifecycle::track_lifecycle))
                        .route("/{name}", web::get().to(canned_response)),
                )
        };
        Ok(HttpServer::new(app).bind(std::env::var(LISTEN_VARIABLE)?)?.run().await?)
    })
}

/// Returns the same body for each request, and does nothing else.
async fn respond_only(pixel: Json<PlacePixelBody>) -> HttpResponse {
    HttpResponse::Created().json(placement_response(&pixel, Seq(1_000_000)))
}

async fn one_statement(pixel: Json<PlacePixelBody>, pool: Data<Option<PgPool>>) -> HttpResponse {
    let Some(pool) = pool.get_ref() else { return HttpResponse::NotImplemented().finish() };
    let statement = "insert into plain_placement (x, y, color, agent, placed_at)
                     values ($1, $2, $3, $4, now()) returning seq";
    let insert = sqlx::query_scalar::<_, Seq>(statement)
        .bind(pixel.x as i16)
        .bind(pixel.y as i16)
        .bind(pixel.color as i16)
        .bind(1_i64);
    match insert.fetch_one(pool).await {
        Ok(seq) => HttpResponse::Created().json(placement_response(&pixel, seq)),
        Err(_) => HttpResponse::ServiceUnavailable().finish(),
    }
}

fn placement_response(pixel: &PlacePixelBody, seq: Seq) -> PlacePixelResponse {
    let pixel = Placement {
        seq,
        x: pixel.x as u16,
        y: pixel.y as u16,
        color: pixel.color as u8,
        agent_id: "agent_0123456789abcdef0123456789abcdef".into(),
        agent_name: "Bench 500".into(),
        placed_at: Clock::default().now(),
    };
    let quota = RemainingQuota {
        charges: 1_000_000,
        max_charges: 1_000_000,
        next_charge_at: None,
        chat_credits: 1_000,
        pixels_until_next_message: 0,
    };
    PlacePixelResponse {
        success: true,
        pixel: PixelOutcome::Placed(pixel),
        already: Vec::new(),
        notes: None,
        remaining_quota: quota,
    }
}

async fn store_response(
    request: HttpRequest,
    path: Path<(String, u16)>,
    body: Bytes,
    responses: Data<CannedResponses>,
) -> HttpResponse {
    let (name, status) = path.into_inner();
    let headers = request.headers().iter().filter_map(|(name, value)| {
        let name = name.as_str().strip_prefix("kept-")?;
        Some((HeaderName::from_bytes(name.as_bytes()).ok()?, value.clone()))
    });
    let status = StatusCode::from_u16(status).unwrap_or_default();
    responses.0.write().insert(name, CannedResponse { status, headers: headers.collect(), body });
    HttpResponse::NoContent().finish()
}

async fn canned_response(name: Path<String>, responses: Data<CannedResponses>) -> HttpResponse {
    let Some(canned) = responses.0.read().get(name.as_str()).cloned() else {
        return HttpResponse::NotFound().finish();
    };
    let mut response = HttpResponse::build(canned.status);
    canned.headers.into_iter().for_each(|header| {
        response.insert_header(header);
    });
    response.body(canned.body)
}
