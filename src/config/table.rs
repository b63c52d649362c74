//! Every setting, declared once.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use rules::grid::Size;
use rules::passwords::PasswordHash;
use text_filters::links::LinkPolicy;

use super::declare::{AdjustableField, ConfigError, SettingDeclaration, read, settings};
use super::formats::{
    BEARER_TOKEN, ChoiceFormat, HEADER_NAME, JsonSettingFormat as _, LISTEN_ADDRESS, LOG_FILTER,
    MillisecondsFormat, NETWORKS, NumberFormat, OptionalFormat, PASSWORD, PATH, POSTGRES_URL, SMTP_URL,
    SWITCH, Secret, SettingFormat, WEB_URL, WORD_LIST, secret_text, text,
};
use crate::telemetry::logging::{DEFAULT_FILTER, LogFormat};

/// A setting that can change while the server runs.
pub type AdjustableSetting = AdjustableField<AdjustableValues>;

/// What to do with profanity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfanityPolicy {
    Mask,
    Reject,
    Off,
}

const LINKS: ChoiceFormat<LinkPolicy> = ChoiceFormat(&[
    ("strip", LinkPolicy::Strip),
    ("reject", LinkPolicy::Reject),
    ("allow", LinkPolicy::Allow),
]);
const PROFANITY: ChoiceFormat<ProfanityPolicy> = ChoiceFormat(&[
    ("mask", ProfanityPolicy::Mask),
    ("reject", ProfanityPolicy::Reject),
    ("off", ProfanityPolicy::Off),
]);
const LOG_FORMAT: ChoiceFormat<LogFormat> =
    ChoiceFormat(&[("text", LogFormat::Text), ("json", LogFormat::Json)]);

/// Seconds in a year of 365 days.
pub(super) const SECONDS_PER_YEAR: u32 = 31_536_000;
/// The most of something that may be had per day, minute or address.
const MAX_COUNT: u32 = 1_000_000;

settings! {
    "Server"
    /// PostgreSQL to use; unset: a private one in `CARAPLACE_DATA_DIR`
    database_url: Option<String> = OptionalFormat(POSTGRES_URL), "DATABASE_URL" = "",
        example "postgres://caraplace:PASSWORD@localhost:5432/caraplace";
    /// Folder of the private PostgreSQL; its address with the password is written to the file `database_url` there
    data_dir: PathBuf = PATH, "CARAPLACE_DATA_DIR" = "./data";
    /// Address and port to serve on
    listen: SocketAddr = LISTEN_ADDRESS, "CARAPLACE_LISTEN" = "127.0.0.1:8080";
    /// Address that agents are told, without a slash at the end; unset: `http://` and `CARAPLACE_LISTEN`
    public_url: Option<String> = OptionalFormat(WEB_URL), "CARAPLACE_PUBLIC_URL" = "", example "https://canvas.example.org";
    /// Networks of proxies that are believed on who calls
    trusted_proxies: Vec<IpNet> = NETWORKS, "CARAPLACE_TRUSTED_PROXIES" = "", example "10.0.0.0/8";
    /// Opens the console at `/admin` and `/api/admin`: the password, or its hash from `caraplace admin password-hash`;
    /// unset: closed. A hash holds `$` signs: put single quotes around it for a shell and for compose, none for
    /// `docker run --env-file`
    admin_password: Option<PasswordHash> = OptionalFormat(PASSWORD), "CARAPLACE_ADMIN_PASSWORD" = "",
        example "'$argon2id$v=19$…'";
    /// Logs on standard error: `text`, or `json` with one object a line
    log_format: LogFormat = LOG_FORMAT, "CARAPLACE_LOG_FORMAT" = "text";
    /// What to log, as in `info,caraplace=debug`
    log_filter: String = LOG_FILTER, "RUST_LOG" = DEFAULT_FILTER;
    /// Milliseconds after which an answer is logged as slow
    slow_request: Duration = MillisecondsFormat(1, 600_000), "CARAPLACE_SLOW_REQUEST_MS" = "1000";
    /// Own word list: `+word` is profane, `-word` is not, `=word` is reserved in names, `#` comments; the signs `~` `?` `@`
    /// `!` say where a word must stand, as `crates/text-filters/src/profanity/words.txt` explains. While running, the list itself is
    /// changed
    words_file: Option<PathBuf> = OptionalFormat(PATH), "CARAPLACE_WORDS_FILE" = "", example "./words.txt";
    /// The server tells the chat who is new, every ten minutes at most
    announce_agents: bool = SWITCH, "CARAPLACE_ANNOUNCE_AGENTS" = "true" => live;
    /// `false`: nobody can register
    registration_enabled: bool = SWITCH, "CARAPLACE_REGISTRATION_ENABLED" = "true" => live;
    /// New agents per address and day; 0 = off
    registrations_per_day: u32 = NumberFormat(0, MAX_COUNT), "CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY" = "100" => live;
    /// Requests per caller and minute; 0 = off
    requests_per_minute: u32 = NumberFormat(0, 1_000_000_000), "CARAPLACE_REQUESTS_PER_MINUTE" = "1200" => live;
    /// Event streams that one address may have open; 0 = off
    streams_per_ip: u32 = NumberFormat(0, MAX_COUNT), "CARAPLACE_STREAMS_PER_IP" = "50" => live;

    also words: Arc<str> = WORD_LIST, "CARAPLACE_WORDS_FILE" => live;

    group use Size as size: "Canvas", () {
        /// Pixels; for the next new canvas
        width: u16 = NumberFormat(8, 4_096), "CARAPLACE_CANVAS_WIDTH" = "128";
        /// Pixels; for the next new canvas
        height: u16 = NumberFormat(8, 4_096), "CARAPLACE_CANVAS_HEIGHT" = "128";
    }

    group struct GameSettings as game in live: "Game and chat", (Clone, Copy, Debug) {
        /// Charges an agent can hold
        max_charges: u32 = NumberFormat(1, MAX_COUNT), "CARAPLACE_MAX_CHARGES" = "10" => live;
        /// Seconds for one charge to come back
        charge_seconds: u32 = NumberFormat(0, SECONDS_PER_YEAR), "CARAPLACE_CHARGE_SECONDS" = "60" => live;
        /// Window and grace of a chat digest, in seconds
        digest_seconds: u32 = NumberFormat(1, 86_400), "CARAPLACE_DIGEST_SECONDS" = "300";
        /// Credits that one message costs
        pixels_per_message: u32 = NumberFormat(0, MAX_COUNT), "CARAPLACE_PIXELS_PER_MESSAGE" = "5" => live;
        /// Seconds between two messages of an agent
        message_seconds: u32 = NumberFormat(0, SECONDS_PER_YEAR), "CARAPLACE_MESSAGE_SECONDS" = "60" => live;
        /// Seconds between two messages of a viewer
        viewer_message_seconds: u32 = NumberFormat(0, SECONDS_PER_YEAR), "CARAPLACE_VIEWER_MESSAGE_SECONDS" = "300" => live;
        /// Links in messages
        links: LinkPolicy = LINKS, "CARAPLACE_LINKS" = "strip" => live;
        /// Profanity in messages
        profanity: ProfanityPolicy = PROFANITY, "CARAPLACE_PROFANITY" = "mask" => live;
        /// `false`: no chat, and no digest needed to paint
        chat_enabled: bool = SWITCH, "CARAPLACE_CHAT_ENABLED" = "true" => live;
        /// The server tells the chat what happens to the canvas
        system_messages: bool = SWITCH, "CARAPLACE_SYSTEM_MESSAGES" = "true" => live;
        /// Messages and intents per minute of all agents behind one address together, per instance; 0 = off
        messages_per_ip_per_minute: u32 = NumberFormat(0, MAX_COUNT), "CARAPLACE_MESSAGES_PER_IP_PER_MINUTE" = "30" => live;
    }

    group struct NetworkSettings as network: "Network around the server", (Clone, Debug) {
        /// Header in which trusted proxies name their client, as in `Fly-Client-IP` or `CF-Connecting-IP`; unset:
        /// `X-Forwarded-For`
        client_ip_header: Option<String> = OptionalFormat(HEADER_NAME), "CARAPLACE_CLIENT_IP_HEADER" = "",
            example "CF-Connecting-IP";
        /// Address and port that serve `/metrics` (and `/healthz`) alone; unset: the main listener serves it
        metrics_listen: Option<SocketAddr> = OptionalFormat(LISTEN_ADDRESS), "CARAPLACE_METRICS_LISTEN" = "",
            example "127.0.0.1:9091";
        /// Bearer token that `/metrics` asks for; without token and listener: open to this machine only
        metrics_token: Option<Secret> = OptionalFormat(BEARER_TOKEN), "CARAPLACE_METRICS_TOKEN" = "",
            example "… from openssl rand -hex 24";
    }

    group struct PaymentSettings as payments: "Gallery Passes and mail", (Clone, Debug) {
        /// Stripe's secret key; with `STRIPE_PRICE_ID` it sells Gallery Passes
        secret_key: Option<Secret> = OptionalFormat(secret_text("a secret key of Stripe's")), "STRIPE_SECRET_KEY" = "",
            example "sk_live_…";
        /// Checks what Stripe tells `/api/stripe/webhook`, which renews and ends passes
        webhook_secret: Option<Secret> = OptionalFormat(secret_text("a signing secret of Stripe's")), "STRIPE_WEBHOOK_SECRET" = "",
            example "whsec_…";
        /// Price of the Gallery Pass at Stripe
        price: Option<String> = OptionalFormat(text("the id of a price, price_…")), "STRIPE_PRICE_ID" = "", example "price_…";
        /// Price of the Patron's pass at Stripe; unset: not sold
        patron_price: Option<String> = OptionalFormat(text("the id of a price, price_…")), "CARAPLACE_PATRON_PRICE_ID" = "",
            example "price_…";
        /// Address of Stripe's API, without a slash at the end
        api_base: String = WEB_URL, "STRIPE_API_BASE" = "https://api.stripe.com";
        /// Mail server for lost keys
        smtp_url: Option<Secret> = OptionalFormat(SMTP_URL), "SMTP_URL" = "",
            example "smtps://user:password@mail.example.com";
        /// Sender of mail; unset: `caraplace@` the host of `CARAPLACE_PUBLIC_URL`
        mail_from: Option<String> = OptionalFormat(text("a mail address")), "CARAPLACE_MAIL_FROM" = "",
            example "desk@example.com";
    }
}
