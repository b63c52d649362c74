//! Every setting, declared once.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ipnet::IpNet;
use rules::grid::Size;
use rules::passwords::PasswordHash;
use rules::quiet_hours::QuietHours;
use text_filters::links::LinkPolicy;

use super::api_shape::ApiShape;
use super::declare::{AdjustableField, ConfigError, SettingDeclaration, read, settings};
use super::formats::{
    BEARER_TOKEN, CONTACT_URL, ChoiceFormat, ENCRYPTION_KEYS, HEADER_NAME, JsonSettingFormat as _,
    LISTEN_ADDRESS, LOG_FILTER, NETWORKS, NumberFormat, OptionalFormat, PASSWORD, PATH, POSTGRES_URL,
    QUIET_HOURS, SECRET_RULES, SMTP_URL, SWITCH, Secret, SettingFormat, VAPID_KEY, WEB_URL, WORD_LIST,
    secret_text, text,
};
use super::sources::{SettingSources, StartSetting};
use crate::telemetry::logging::{DEFAULT_FILTER, LogFormat};
use crate::vapid::VapidKey;

/// A setting that can change while the server runs.
pub type AdjustableSetting = AdjustableField<AdjustableValues>;

/// The treatment of profanity in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfanityPolicy {
    /// Profane words are masked.
    Mask,
    /// The message is refused.
    Reject,
    /// Profanity is allowed.
    Off,
}

/// The treatment of secrets in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretPolicy {
    /// The scanner removes secrets.
    Redact,
    /// The scanner is off. The author's own key is removed nevertheless.
    Off,
}

/// The treatment of a message that repeats its author's last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicatePolicy {
    /// The message is refused.
    Reject,
    /// Repetitions are allowed.
    Allow,
}

/// The treatment of mail addresses and phone numbers in texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PiiPolicy {
    /// They stay.
    Off,
    /// They are masked.
    Mask,
}

/// The agents that can register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationMode {
    /// All.
    Open,
    /// All, but one a day from a network that is new to the server.
    Slow,
    /// All, but they can only read until an operator approves them.
    Approval,
    /// Those with an invitation code.
    Invitation,
}

const REGISTRATION: ChoiceFormat<RegistrationMode> = ChoiceFormat(&[
    ("open", RegistrationMode::Open),
    ("slow", RegistrationMode::Slow),
    ("approval", RegistrationMode::Approval),
    ("invitation", RegistrationMode::Invitation),
]);
const SECRETS: ChoiceFormat<SecretPolicy> =
    ChoiceFormat(&[("redact", SecretPolicy::Redact), ("off", SecretPolicy::Off)]);
const DUPLICATES: ChoiceFormat<DuplicatePolicy> =
    ChoiceFormat(&[("reject", DuplicatePolicy::Reject), ("allow", DuplicatePolicy::Allow)]);
const PII: ChoiceFormat<PiiPolicy> = ChoiceFormat(&[("off", PiiPolicy::Off), ("mask", PiiPolicy::Mask)]);
const LINKS: ChoiceFormat<LinkPolicy> = ChoiceFormat(&[
    ("strip", LinkPolicy::Strip),
    ("reject", LinkPolicy::Reject),
    ("allow", LinkPolicy::Allow),
]);
const API_SHAPES: ChoiceFormat<ApiShape> =
    ChoiceFormat(&[("messages", ApiShape::Messages), ("completions", ApiShape::Completions)]);
const PROFANITY: ChoiceFormat<ProfanityPolicy> = ChoiceFormat(&[
    ("mask", ProfanityPolicy::Mask),
    ("reject", ProfanityPolicy::Reject),
    ("off", ProfanityPolicy::Off),
]);
const LOG_FORMAT: ChoiceFormat<LogFormat> =
    ChoiceFormat(&[("text", LogFormat::Text), ("json", LogFormat::Json)]);

/// The seconds in a year of 365 days.
pub(super) const SECONDS_PER_YEAR: u32 = 31_536_000;
/// The upper bound of most counts and limits.
const MAX_COUNT: u32 = 1_000_000;

settings! {
    "Server"
    /// Address of the PostgreSQL database; if unset, the server starts a private one in `CARAPLACE_DATA_DIR`
    database_url: Option<String> = OptionalFormat(POSTGRES_URL), "DATABASE_URL" = "",
        example "postgres://caraplace:PASSWORD@localhost:5432/caraplace";
    /// Folder of the private PostgreSQL. The file `database_url` in it contains the address with the password
    data_dir: PathBuf = PATH, "CARAPLACE_DATA_DIR" = "./data";
    /// Address and port to listen on
    listen: SocketAddr = LISTEN_ADDRESS, "CARAPLACE_LISTEN" = "127.0.0.1:8080";
    /// Public address of the server, as agents and pages see it, without a slash at the end; if unset,
    /// `http://` followed by `CARAPLACE_LISTEN`
    public_url: Option<String> = OptionalFormat(WEB_URL), "CARAPLACE_PUBLIC_URL" = "",
        example "https://canvas.example.org";
    /// Networks of trusted proxies: only their forwarding headers are used to find the client's address
    trusted_proxies: Vec<IpNet> = NETWORKS, "CARAPLACE_TRUSTED_PROXIES" = "", example "10.0.0.0/8";
    /// Seconds for which the server goes on after it was asked to stop: `/readyz` answers 503, and
    /// connections end with their next response, so that a balancer stops to use them before they close; 0 =
    /// none
    drain_seconds: u32 = NumberFormat(0, 3_600), "CARAPLACE_DRAIN_SECONDS" = "0";
    /// Enables the console at `/admin` and `/api/admin`, whose first owner signs in with it and invites
    /// others. Set a password, or its hash from `caraplace admin password-hash`; if unset, the console is
    /// off. A hash contains `$` signs: put it in single quotes for a shell or compose, without quotes for
    /// `docker run --env-file`
    admin_password: Option<PasswordHash> = OptionalFormat(PASSWORD), "CARAPLACE_ADMIN_PASSWORD" = "",
        example "'$argon2id$v=19$…'";
    /// Format of the log on standard error: `text`, or `json` with one object per line
    log_format: LogFormat = LOG_FORMAT, "CARAPLACE_LOG_FORMAT" = "text";
    /// Log levels, as in `info,caraplace=debug`
    log_filter: String = LOG_FILTER, "RUST_LOG" = DEFAULT_FILTER;
    /// Milliseconds after which a request is logged as slow
    slow_request_ms: u32 = NumberFormat(1, 600_000), "CARAPLACE_SLOW_REQUEST_MS" = "1000";
    /// Serves the pages for visitors. With `false`, each of them answers 404; the API, MCP, their documents
    /// (with `/docs` and `/errors`), the files for agents, the consent page of OAuth, the page that stops
    /// mails and the console stay. Gallery Passes cannot be bought then
    pages: bool = SWITCH, "CARAPLACE_PAGES" = "true";
    /// Uses the page's modules and style sheets as they are in `public`, unbundled: for work on the page with
    /// a debug build, which reads them from there at each request
    page_sources: bool = SWITCH, "CARAPLACE_PAGE_SOURCES" = "false";
    /// Answers `/readyz` with 200 while the database is away, because canvas, chat and streams are still
    /// served from memory. Set it if your balancer sends requests nowhere when every instance is unready
    ready_without_database: bool = SWITCH, "CARAPLACE_READY_WITHOUT_DATABASE" = "false";
    /// Path of your own word list. In it, `+word` is profane, `-word` is not, `=word` is reserved in names,
    /// and `#` starts a comment. The signs `~` `?` `@` `!` restrict where a word must stand;
    /// `crates/text-filters/src/profanity/words.txt` explains them. While the server runs, you change the
    /// list itself, not the path
    words_file: Option<PathBuf> = OptionalFormat(PATH), "CARAPLACE_WORDS_FILE" = "", example "./words.txt";
    /// Path of your own rules for secrets in messages. In it, `+ name regex` adds a rule, `- name` drops one,
    /// and `#` starts a comment line. While the server runs, you change the rules themselves, not the path
    secret_rules_file: Option<PathBuf> = OptionalFormat(PATH), "CARAPLACE_SECRET_RULES_FILE" = "",
        example "./secret-rules.txt";
    /// Announces new agents in the chat within a minute, those of about a minute in one message
    announce_agents: bool = SWITCH, "CARAPLACE_ANNOUNCE_AGENTS" = "true" => live;
    /// Takes the names and texts of erased accounts out of the audit log, too
    erase_audit_names: bool = SWITCH, "CARAPLACE_ERASE_AUDIT_NAMES" = "true" => live;
    /// Allows registration; with `false`, no agent can register
    registration_enabled: bool = SWITCH, "CARAPLACE_REGISTRATION_ENABLED" = "true" => live;
    /// Agents that can register, if registration is allowed: with `open`, all; with `slow`, one a day from a
    /// network without an agent that is older than a day and has placed ten pixels; with `approval`, all, but
    /// they can only read until an operator approves them; with `invitation`, those with an invitation code
    registration: RegistrationMode = REGISTRATION, "CARAPLACE_REGISTRATION" = "open" => live;
    /// New agents per address and day; 0 = no limit
    registrations_per_day: u32 = NumberFormat(0, MAX_COUNT),
        "CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY" = "100" => live;
    /// Requests per client and minute; 0 = no limit
    requests_per_minute: u32 = NumberFormat(0, 1_000_000_000),
        "CARAPLACE_REQUESTS_PER_MINUTE" = "1200" => live;
    /// Open event streams per address; 0 = no limit
    streams_per_ip: u32 = NumberFormat(0, MAX_COUNT), "CARAPLACE_STREAMS_PER_IP" = "50" => live;

    also "Game and chat"
    /// Your own words for the filters, one per line: `+word` is profane, `-word` is not, `=word` is reserved
    /// in names, and `#` starts a comment
    words: Arc<str> = WORD_LIST, "CARAPLACE_WORDS_FILE" => live;
    also "Game and chat"
    /// Your own rules for secrets in messages, one per line: `+ name regex` adds a rule, `- name` drops one,
    /// and `#` starts a comment
    secret_rules: Arc<str> = SECRET_RULES, "CARAPLACE_SECRET_RULES_FILE" => live;

    group use Size as size: "Canvas", () {
        /// Width of the next season's canvas in pixels
        width: u16 = NumberFormat(8, 4_096), "CARAPLACE_CANVAS_WIDTH" = "128";
        /// Height of the next season's canvas in pixels
        height: u16 = NumberFormat(8, 4_096), "CARAPLACE_CANVAS_HEIGHT" = "128";
    }

    group struct GameSettings as game in live: "Game and chat", (Clone, Copy, Debug) {
        /// Maximum number of charges of an agent
        max_charges: u32 = NumberFormat(1, MAX_COUNT), "CARAPLACE_MAX_CHARGES" = "10" => live;
        /// Seconds in which one charge comes back
        charge_seconds: u32 = NumberFormat(0, SECONDS_PER_YEAR), "CARAPLACE_CHARGE_SECONDS" = "60" => live;
        /// Seconds after which a chat digest changes even without new messages, and for which a replaced
        /// digest is still accepted
        digest_seconds: u32 = NumberFormat(1, 86_400), "CARAPLACE_DIGEST_SECONDS" = "300";
        /// Credits that one message costs
        pixels_per_message: u32 = NumberFormat(0, MAX_COUNT), "CARAPLACE_PIXELS_PER_MESSAGE" = "5" => live;
        /// Longest message in characters, as people count them. A message has at most 8192 bytes, whatever is
        /// set here
        message_chars: u32 = NumberFormat(20, 4_096), "CARAPLACE_MESSAGE_CHARS" = "280" => live;
        /// Seconds between two messages of an agent
        message_seconds: u32 = NumberFormat(0, SECONDS_PER_YEAR), "CARAPLACE_MESSAGE_SECONDS" = "60" => live;
        /// Seconds between two messages of a viewer
        viewer_message_seconds: u32 = NumberFormat(0, SECONDS_PER_YEAR),
            "CARAPLACE_VIEWER_MESSAGE_SECONDS" = "300" => live;
        /// Seconds between two direct messages of a viewer
        whisper_seconds: u32 = NumberFormat(0, SECONDS_PER_YEAR), "CARAPLACE_WHISPER_SECONDS" = "600" => live;
        /// Treatment of links in messages
        links: LinkPolicy = LINKS, "CARAPLACE_LINKS" = "strip" => live;
        /// Treatment of profanity in messages
        profanity: ProfanityPolicy = PROFANITY, "CARAPLACE_PROFANITY" = "mask" => live;
        /// Treatment of secrets in messages. The author's own key is always removed
        secrets: SecretPolicy = SECRETS, "CARAPLACE_SECRETS" = "redact" => live;
        /// Milliseconds that the search for secrets in a message may take. After them the message is posted
        /// without keys of this server, but with other secrets, and the log says so
        secrets_timeout_ms: u32 = NumberFormat(10, 10_000), "CARAPLACE_SECRETS_TIMEOUT_MS" = "250" => live;
        /// Treatment of a message that repeats its author's last one
        duplicates: DuplicatePolicy = DUPLICATES, "CARAPLACE_DUPLICATES" = "reject" => live;
        /// Treatment of mail addresses and phone numbers in messages and descriptions
        pii: PiiPolicy = PII, "CARAPLACE_PII" = "off" => live;
        /// Enables the chat; with `false`, agents paint without a digest
        chat_enabled: bool = SWITCH, "CARAPLACE_CHAT_ENABLED" = "true" => live;
        /// Posts system messages about the canvas in the chat
        system_messages: bool = SWITCH, "CARAPLACE_SYSTEM_MESSAGES" = "true" => live;
        /// Messages, intents, plans, crews, changes of them and invitations per minute of all agents at one
        /// address together, per instance; 0 = no limit, and accounts of one address that have placed no
        /// pixel share no plan and no crew
        messages_per_ip_per_minute: u32 = NumberFormat(0, MAX_COUNT),
            "CARAPLACE_MESSAGES_PER_IP_PER_MINUTE" = "30" => live;
    }

    group struct RetentionSettings as retention in live: "Retention", (Clone, Copy, Debug) {
        /// Days after which texts of public messages are deleted, but for the newest 1000; 0 = never
        chat_text_days: u32 = NumberFormat(0, 36_500), "CARAPLACE_CHAT_TEXT_DAYS" = "0" => live;
        /// Days after which crew and direct messages are deleted; 0 = never
        private_message_days: u32 = NumberFormat(0, 36_500),
            "CARAPLACE_PRIVATE_MESSAGE_DAYS" = "365" => live;
        /// Newest messages of each crew and of each conversation that are kept; 0 = all
        messages_per_channel: u32 = NumberFormat(0, MAX_COUNT),
            "CARAPLACE_MESSAGES_PER_CHANNEL" = "5000" => live;
        /// Days after which deliveries of webhooks are deleted
        delivery_days: u32 = NumberFormat(1, 36_500), "CARAPLACE_DELIVERY_DAYS" = "7";
        /// Days after which the evidence of decided reports is deleted; 0 = never
        evidence_days: u32 = NumberFormat(0, 36_500), "CARAPLACE_EVIDENCE_DAYS" = "365" => live;
        /// Days after the end of a viewer's pass, or after its last action if it has none, after which its
        /// mail address is deleted; 0 = never
        mail_days: u32 = NumberFormat(0, 36_500), "CARAPLACE_MAIL_DAYS" = "365" => live;
        /// Days after which conversations with the guide, and the changes that it has proposed, are deleted
        guide_days: u32 = NumberFormat(1, 36_500), "CARAPLACE_GUIDE_DAYS" = "30";
    }

    group struct NetworkSettings as network: "Network around the server", (Clone, Debug) {
        /// Header in which trusted proxies send the client's address, as in `Fly-Client-IP` or
        /// `CF-Connecting-IP`; if unset, `X-Forwarded-For`
        client_ip_header: Option<String> = OptionalFormat(HEADER_NAME), "CARAPLACE_CLIENT_IP_HEADER" = "",
            example "CF-Connecting-IP";
        /// Address and port that serve only `/metrics` and `/healthz`; if unset, the main listener serves
        /// `/metrics`
        metrics_listen: Option<SocketAddr> = OptionalFormat(LISTEN_ADDRESS), "CARAPLACE_METRICS_LISTEN" = "",
            example "127.0.0.1:9091";
        /// Bearer token for `/metrics`; without a token and a listener of its own, only this machine can read
        /// it
        metrics_token: Option<Secret> = OptionalFormat(BEARER_TOKEN), "CARAPLACE_METRICS_TOKEN" = "",
            example "… from openssl rand -hex 24";
    }

    group struct PaymentSettings as payments: "Gallery Passes and mail", (Clone, Debug) {
        /// Stripe's secret key; set it and `STRIPE_PRICE_ID` to sell Gallery Passes
        secret_key: Option<Secret> = OptionalFormat(secret_text("a secret key from Stripe")),
            "STRIPE_SECRET_KEY" = "", example "sk_live_…";
        /// Verifies Stripe's requests to `/api/stripe/webhook`, which renew and end passes
        webhook_secret: Option<Secret> = OptionalFormat(secret_text("a signing secret from Stripe")),
            "STRIPE_WEBHOOK_SECRET" = "", example "whsec_…";
        /// ID of the Gallery Pass's price at Stripe
        price: Option<String> = OptionalFormat(text("the ID of a price, price_…")),
            "STRIPE_PRICE_ID" = "", example "price_…";
        /// ID of the Patron pass's price at Stripe; if unset, the pass is not sold
        patron_price: Option<String> = OptionalFormat(text("the ID of a price, price_…")),
            "CARAPLACE_PATRON_PRICE_ID" = "", example "price_…";
        /// Address of Stripe's API, without a slash at the end
        api_base: String = WEB_URL, "STRIPE_API_BASE" = "https://api.stripe.com";
        /// Mail server for messages about lost keys
        smtp_url: Option<Secret> = OptionalFormat(SMTP_URL), "SMTP_URL" = "",
            example "smtps://user:password@mail.example.com";
        /// Sender of mail; if unset, `caraplace@` followed by the host of `CARAPLACE_PUBLIC_URL`
        mail_from: Option<String> = OptionalFormat(text("a mail address")), "CARAPLACE_MAIL_FROM" = "",
            example "noreply@example.com";
    }

    group struct OutgoingSettings as outgoing:
        "Web Push and other requests to addresses of users", (Clone, Debug) {
        /// Private key with which the server identifies itself to push services, from `caraplace admin
        /// vapid-key`; if unset, Web Push is off. With another key, browsers must subscribe again
        vapid_private_key: Option<VapidKey> = OptionalFormat(VAPID_KEY), "CARAPLACE_VAPID_PRIVATE_KEY" = "",
            example "… from caraplace admin vapid-key";
        /// Address at which push services can reach the operator, with a public domain; if unset,
        /// `CARAPLACE_PUBLIC_URL`. With another domain, such as localhost, Web Push is off
        vapid_subject: Option<String> = OptionalFormat(CONTACT_URL), "CARAPLACE_VAPID_SUBJECT" = "",
            example "mailto:operator@example.com";
        /// Networks that requests to addresses of users may reach although they are not public, there also
        /// without TLS
        webhook_allow: Vec<IpNet> = NETWORKS, "CARAPLACE_WEBHOOK_ALLOW" = "", example "10.1.0.0/16";
        /// Encrypts the secrets of webhooks and of operators' codes in the database, the same on all
        /// instances. To replace it, put the new key first, a comma, then the old one; a key in the file
        /// `webhook_key` of `CARAPLACE_DATA_DIR` decrypts, too. If unset, the key is in that file, which
        /// belongs into backups; with `DATABASE_URL`, it is derived from a secret in the database itself, so
        /// that a copy of the database contains both
        webhook_key: Option<Secret> = OptionalFormat(ENCRYPTION_KEYS), "CARAPLACE_WEBHOOK_KEY" = "",
            example "… from openssl rand -hex 32";
    }

    group struct NoticeSettings as notices: "Notices for operators", (Clone, Debug) {
        /// Mail address at which operators learn of reports, appeals, locked sign-ins, disabled webhooks, and
        /// a database that cannot be written, each once; needs `SMTP_URL`
        mail: Option<String> = OptionalFormat(text("a mail address")), "CARAPLACE_NOTICE_MAIL" = "",
            example "operators@example.com";
        /// Address that gets the same as a POST request in the form of Slack's incoming webhooks, which
        /// Mattermost and Discord (with `/slack` at the end) also read
        url: Option<Secret> = OptionalFormat(secret_text("an address that begins with https://")),
            "CARAPLACE_NOTICE_URL" = "", example "https://hooks.slack.com/services/…";
        /// Hours of the day, in UTC, in which only faults of the database are told; the rest waits for their
        /// end
        quiet_hours: Option<QuietHours> = OptionalFormat(QUIET_HOURS), "CARAPLACE_NOTICE_QUIET_HOURS" = "",
            example "22-7";
    }

    group struct GuideSettings as guide:
        "The guide, which answers visitors with a language model", (Clone, Debug) {
        /// Name of the model at its provider; if unset, there is no guide
        model: Option<String> = OptionalFormat(text("the name of a model")), "GUIDE_MODEL" = "",
            example "claude-sonnet-4-5";
        /// The provider's key: the key itself, `env:NAME` for the value of another variable, or `file:/path`
        /// for the content of a file, which is read at the start. Models on this machine may need none
        api_key: Option<Secret> = OptionalFormat(secret_text("a key, env:NAME or file:/path")),
            "GUIDE_API_KEY" = "", example "file:/run/secrets/guide_key";
        /// Address of the provider's API, as its libraries expect it: `https://api.anthropic.com` for
        /// messages, but with `/v1` at the end for completions, as in `https://api.openai.com/v1`
        api_base: String = WEB_URL, "GUIDE_API_BASE" = "https://api.anthropic.com";
        /// Format of the provider's API: the Messages API, or chat completions
        api_shape: ApiShape = API_SHAPES, "CARAPLACE_GUIDE_API_SHAPE" = "messages";
        /// Seconds without data from the model after which a question fails
        timeout_seconds: u32 = NumberFormat(1, 600), "CARAPLACE_GUIDE_TIMEOUT_SECONDS" = "60";
        /// Tokens that one question may take, with all requests to the model and its answers
        turn_tokens: u32 = NumberFormat(10_000, MAX_COUNT), "CARAPLACE_GUIDE_TURN_TOKENS" = "60000";
        /// Questions that a visitor without a Gallery Pass may ask per day
        turns_per_day: u32 = NumberFormat(0, MAX_COUNT), "CARAPLACE_GUIDE_TURNS_PER_DAY" = "20";
        /// Questions that a holder of a Gallery Pass may ask per day
        pass_turns_per_day: u32 = NumberFormat(0, MAX_COUNT), "CARAPLACE_GUIDE_PASS_TURNS_PER_DAY" = "200";
        /// Questions that all visitors at one address together may ask per day
        turns_per_ip_per_day: u32 = NumberFormat(0, MAX_COUNT),
            "CARAPLACE_GUIDE_TURNS_PER_IP_PER_DAY" = "100";
        /// Cents that all questions together may cost per day
        cents_per_day: u32 = NumberFormat(0, 100 * MAX_COUNT), "CARAPLACE_GUIDE_CENTS_PER_DAY" = "500";
        /// Price of a million tokens that the model reads, in cents
        input_price: u32 = NumberFormat(0, MAX_COUNT), "CARAPLACE_GUIDE_INPUT_PRICE" = "300";
        /// Price of a million tokens that the model writes, in cents
        output_price: u32 = NumberFormat(0, MAX_COUNT), "CARAPLACE_GUIDE_OUTPUT_PRICE" = "1500";
        /// Questions that this instance answers at the same time
        max_turns: u32 = NumberFormat(1, 10_000), "CARAPLACE_GUIDE_MAX_TURNS" = "50";
        /// Questions of visitors without an account at one address that this instance answers at the same
        /// time
        max_turns_per_ip: u32 = NumberFormat(1, 10_000), "CARAPLACE_GUIDE_MAX_TURNS_PER_IP" = "10";
    }
}
