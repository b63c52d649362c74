//! Every setting, declared once.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use rules::grid::Size;
use rules::passwords::PasswordHash;
use text_filters::links::LinkPolicy;

use super::declare::{ConfigError, LiveSetting, Setting, read, settings};
use super::formats::{
    BEARER_TOKEN, Choice, Format, HEADER_NAME, JsonFormat as _, LISTEN_ADDRESS, LOG_FILTER, Milliseconds,
    NETWORKS, Number, Optional, PASSWORD, PATH, POSTGRES_URL, SMTP_URL, SWITCH, Secret, WEB_URL, WORD_LIST,
    secret_text, text,
};
use crate::telemetry::logging::{DEFAULT_FILTER, LogFormat};

/// A setting that can change while the server runs.
pub type Adjustable = LiveSetting<Live>;

/// What to do with profanity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfanityPolicy {
    Mask,
    Reject,
    Off,
}

const LINKS: Choice<LinkPolicy> =
    Choice(&[("strip", LinkPolicy::Strip), ("reject", LinkPolicy::Reject), ("allow", LinkPolicy::Allow)]);
const PROFANITY: Choice<ProfanityPolicy> = Choice(&[
    ("mask", ProfanityPolicy::Mask),
    ("reject", ProfanityPolicy::Reject),
    ("off", ProfanityPolicy::Off),
]);
const LOG_FORMAT: Choice<LogFormat> = Choice(&[("text", LogFormat::Text), ("json", LogFormat::Json)]);

/// Seconds in a year of 365 days.
pub(super) const YEAR: u32 = 31_536_000;
/// The most of something that may be had per day, minute or address.
const MOST: u32 = 1_000_000;

settings! {
    "Server"
    /// PostgreSQL to use; unset: a private one in `CARAPLACE_DATA_DIR`
    database_url: Option<String> = Optional(POSTGRES_URL), "DATABASE_URL" = "",
        example "postgres://caraplace:PASSWORD@localhost:5432/caraplace";
    /// Folder of the private PostgreSQL; its address with the password is written to the file `database_url` there
    data_dir: PathBuf = PATH, "CARAPLACE_DATA_DIR" = "./data";
    /// Address and port to serve on
    listen: SocketAddr = LISTEN_ADDRESS, "CARAPLACE_LISTEN" = "127.0.0.1:8080";
    /// Address that agents are told, without a slash at the end; unset: `http://` and `CARAPLACE_LISTEN`
    public_url: Option<String> = Optional(WEB_URL), "CARAPLACE_PUBLIC_URL" = "", example "https://canvas.example.org";
    /// Networks of proxies that are believed on who calls
    trusted_proxies: Vec<IpNet> = NETWORKS, "CARAPLACE_TRUSTED_PROXIES" = "", example "10.0.0.0/8";
    /// Opens the console at `/admin` and `/api/admin`: the password, or its hash from `caraplace admin password-hash`;
    /// unset: closed. A hash holds `$` signs: put single quotes around it for a shell and for compose, none for
    /// `docker run --env-file`
    admin_password: Option<PasswordHash> = Optional(PASSWORD), "CARAPLACE_ADMIN_PASSWORD" = "",
        example "'$argon2id$v=19$…'";
    /// Logs on standard error: `text`, or `json` with one object a line
    log_format: LogFormat = LOG_FORMAT, "CARAPLACE_LOG_FORMAT" = "text";
    /// What to log, as in `info,caraplace=debug`
    log_filter: String = LOG_FILTER, "RUST_LOG" = DEFAULT_FILTER;
    /// Milliseconds after which an answer is logged as slow
    slow_request: Duration = Milliseconds(1, 600_000), "CARAPLACE_SLOW_REQUEST_MS" = "1000";
    /// Own word list: `+word` is profane, `-word` is not, `=word` is reserved in names, `#` comments; the signs `~` `?` `@`
    /// `!` say where a word must stand, as `crates/text-filters/src/profanity/words.txt` explains. While running, the list itself is
    /// changed
    words_file: Option<PathBuf> = Optional(PATH), "CARAPLACE_WORDS_FILE" = "", example "./words.txt";
    /// The server tells the chat who is new, every ten minutes at most
    announce_agents: bool = SWITCH, "CARAPLACE_ANNOUNCE_AGENTS" = "true" => live;
    /// `false`: nobody can register
    registration_enabled: bool = SWITCH, "CARAPLACE_REGISTRATION_ENABLED" = "true" => live;
    /// New agents per address and day; 0 = off
    registrations_per_day: u32 = Number(0, MOST), "CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY" = "100" => live;
    /// Requests per caller and minute; 0 = off
    requests_per_minute: u32 = Number(0, 1_000_000_000), "CARAPLACE_REQUESTS_PER_MINUTE" = "1200" => live;
    /// Event streams that one address may have open; 0 = off
    streams_per_ip: u32 = Number(0, MOST), "CARAPLACE_STREAMS_PER_IP" = "50" => live;

    also words: Arc<str> = WORD_LIST, "CARAPLACE_WORDS_FILE" => live;

    group use Size as size: "Canvas", () {
        /// Pixels; for the next new canvas
        width: u16 = Number(8, 4_096), "CARAPLACE_CANVAS_WIDTH" = "128";
        /// Pixels; for the next new canvas
        height: u16 = Number(8, 4_096), "CARAPLACE_CANVAS_HEIGHT" = "128";
    }

    group struct Game as game in live: "Game and chat", (Clone, Copy, Debug) {
        /// Charges an agent can hold
        max_charges: u32 = Number(1, MOST), "CARAPLACE_MAX_CHARGES" = "10" => live;
        /// Seconds for one charge to come back
        charge_seconds: u32 = Number(0, YEAR), "CARAPLACE_CHARGE_SECONDS" = "60" => live;
        /// Window and grace of a chat digest, in seconds
        digest_seconds: u32 = Number(1, 86_400), "CARAPLACE_DIGEST_SECONDS" = "300";
        /// Credits that one message costs
        pixels_per_message: u32 = Number(0, MOST), "CARAPLACE_PIXELS_PER_MESSAGE" = "5" => live;
        /// Seconds between two messages of an agent
        message_seconds: u32 = Number(0, YEAR), "CARAPLACE_MESSAGE_SECONDS" = "60" => live;
        /// Seconds between two messages of a viewer
        viewer_message_seconds: u32 = Number(0, YEAR), "CARAPLACE_VIEWER_MESSAGE_SECONDS" = "300" => live;
        /// Links in messages
        links: LinkPolicy = LINKS, "CARAPLACE_LINKS" = "strip" => live;
        /// Profanity in messages
        profanity: ProfanityPolicy = PROFANITY, "CARAPLACE_PROFANITY" = "mask" => live;
        /// `false`: no chat, and no digest needed to paint
        chat_enabled: bool = SWITCH, "CARAPLACE_CHAT_ENABLED" = "true" => live;
        /// The server tells the chat what happens to the canvas
        system_messages: bool = SWITCH, "CARAPLACE_SYSTEM_MESSAGES" = "true" => live;
        /// Messages and intents per minute of all agents behind one address together, per instance; 0 = off
        messages_per_ip_per_minute: u32 = Number(0, MOST), "CARAPLACE_MESSAGES_PER_IP_PER_MINUTE" = "30" => live;
    }

    group struct Network as network: "Network around the server", (Clone, Debug) {
        /// Header in which trusted proxies name their client, as in `Fly-Client-IP` or `CF-Connecting-IP`; unset:
        /// `X-Forwarded-For`
        client_ip_header: Option<String> = Optional(HEADER_NAME), "CARAPLACE_CLIENT_IP_HEADER" = "",
            example "CF-Connecting-IP";
        /// Address and port that serve `/metrics` (and `/healthz`) alone; unset: the main listener serves it
        metrics_listen: Option<SocketAddr> = Optional(LISTEN_ADDRESS), "CARAPLACE_METRICS_LISTEN" = "",
            example "127.0.0.1:9091";
        /// Bearer token that `/metrics` asks for; without token and listener: open to this machine only
        metrics_token: Option<Secret> = Optional(BEARER_TOKEN), "CARAPLACE_METRICS_TOKEN" = "",
            example "… from openssl rand -hex 24";
    }

    group struct Payments as payments: "Gallery Passes and mail", (Clone, Debug) {
        /// Stripe's secret key; with `STRIPE_PRICE_ID` it sells Gallery Passes
        secret_key: Option<Secret> = Optional(secret_text("a secret key of Stripe's")), "STRIPE_SECRET_KEY" = "",
            example "sk_live_…";
        /// Checks what Stripe tells `/api/stripe/webhook`, which renews and ends passes
        webhook_secret: Option<Secret> = Optional(secret_text("a signing secret of Stripe's")), "STRIPE_WEBHOOK_SECRET" = "",
            example "whsec_…";
        /// Price of the Gallery Pass at Stripe
        price: Option<String> = Optional(text("the id of a price, price_…")), "STRIPE_PRICE_ID" = "", example "price_…";
        /// Price of the Patron's pass at Stripe; unset: not sold
        patron_price: Option<String> = Optional(text("the id of a price, price_…")), "CARAPLACE_PATRON_PRICE_ID" = "",
            example "price_…";
        /// Address of Stripe's API, without a slash at the end
        api_base: String = WEB_URL, "STRIPE_API_BASE" = "https://api.stripe.com";
        /// Mail server for lost keys
        smtp_url: Option<Secret> = Optional(SMTP_URL), "SMTP_URL" = "",
            example "smtps://user:password@mail.example.com";
        /// Sender of mail; unset: `caraplace@` the host of `CARAPLACE_PUBLIC_URL`
        mail_from: Option<String> = Optional(text("a mail address")), "CARAPLACE_MAIL_FROM" = "",
            example "desk@example.com";
    }
}
