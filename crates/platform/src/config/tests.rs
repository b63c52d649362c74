//! Tests of accepted and refused values.

use proptest::prelude::*;
use rules::grid::Size;
use serde_json::{Value, json};
use text_filters::links::LinkPolicy;

use super::api_shape::ApiShape;
use super::table::{SECONDS_PER_YEAR, SETTINGS};
use super::*;

const ADMIN_PASSWORD: &str = "CARAPLACE_ADMIN_PASSWORD";
const CLIENT_IP_HEADER: &str = "CARAPLACE_CLIENT_IP_HEADER";
const METRICS_LISTEN: &str = "CARAPLACE_METRICS_LISTEN";
const METRICS_TOKEN: &str = "CARAPLACE_METRICS_TOKEN";

fn config_with(name: &str, value: &str) -> Result<Config, ConfigError> {
    Config::read(|requested| (requested == name).then(|| value.to_owned()))
}

fn refusal(name: &str, value: &str) -> String {
    config_with(name, value).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn defaults_match_the_contract() {
    let config = Config::read(|_| None).unwrap();
    assert_eq!(config.size, Size { width: 128, height: 128 });
    assert_eq!(config.game.max_charges, 10);
    assert_eq!(config.game.charge_seconds, 60);
    assert_eq!(config.game.digest_seconds, 300);
    assert_eq!(config.game.pixels_per_message, 5);
    assert_eq!(config.game.message_seconds, 60);
    assert_eq!(config.streams_per_ip, 50);
    assert_eq!(config.game.messages_per_ip_per_minute, 30);
    assert!(config.database_url.is_none() && config.game.chat_enabled);
}

#[test]
fn refusal_of_value_out_of_range_names_the_setting() {
    for (name, value) in [
        ("CARAPLACE_CANVAS_WIDTH", "7"),
        ("CARAPLACE_CANVAS_HEIGHT", "4097"),
        ("CARAPLACE_MAX_CHARGES", "0"),
        ("CARAPLACE_MAX_CHARGES", "1000001"),
        ("CARAPLACE_DIGEST_SECONDS", "0"),
        ("CARAPLACE_CHARGE_SECONDS", "-1"),
        ("CARAPLACE_MESSAGE_SECONDS", "1.5"),
        ("CARAPLACE_STREAMS_PER_IP", "-1"),
        ("CARAPLACE_STREAMS_PER_IP", "1000001"),
        ("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE", "1000001"),
        ("CARAPLACE_LINKS", "sometimes"),
        ("CARAPLACE_PROFANITY", "yes"),
        ("CARAPLACE_CHAT_ENABLED", "maybe"),
        ("CARAPLACE_TRUSTED_PROXIES", "10.0.0.0/8, here"),
        ("CARAPLACE_LISTEN", "localhost"),
        ("CARAPLACE_LOG_FORMAT", "xml"),
        ("CARAPLACE_SLOW_REQUEST_MS", "0"),
        ("CARAPLACE_PUBLIC_URL", "ftp://example.com"),
        ("CARAPLACE_PUBLIC_URL", "http://$(reboot)"),
    ] {
        let sentence = refusal(name, value);
        assert!(sentence.contains(name) && sentence.contains(value), "{sentence}");
    }
}

#[test]
fn refusal_of_other_database_hides_its_password() {
    let sentence = refusal("DATABASE_URL", "mysql://me:hunter2@db/x");
    assert!(sentence.contains("DATABASE_URL") && !sentence.contains("hunter2"), "{sentence}");
}

#[test]
fn password_is_stored_as_hash_and_never_printed() {
    let hash = |value: &str| config_with(ADMIN_PASSWORD, value).map(|config| config.admin_password);
    let plain = hash(" correct horse ").unwrap().unwrap();
    assert!(plain.verify(" correct horse ") && !plain.verify("correct horse"));
    assert_eq!(hash(" correct horse ").unwrap(), Some(plain.clone()), "all instances have the same");
    assert_ne!(hash("correct house").unwrap(), Some(plain.clone()));
    assert_eq!(hash(plain.as_str()).unwrap(), Some(plain));
    assert_eq!(hash("").unwrap(), None);
    let sentence = hash("$argon2id$hunter2").unwrap_err().to_string();
    assert!(sentence.contains(ADMIN_PASSWORD) && !sentence.contains("hunter2"), "{sentence}");
}

#[test]
fn short_password_is_refused_with_advice_and_hash_is_accepted() {
    for short in ["hunter2", "elevenchars", "éééééééééé"] {
        let sentence = refusal(ADMIN_PASSWORD, short);
        assert!(sentence.starts_with(ADMIN_PASSWORD) && !sentence.contains(short), "{sentence}");
        assert!(
            sentence.contains("at least 12 characters") && sentence.contains("choose a longer"),
            "{sentence}"
        );
    }
    assert!(config_with(ADMIN_PASSWORD, "twelve chars").unwrap().admin_password.is_some());
    let hash = "$argon2id$v=19$m=19456,t=2,p=1$AQEBAQEBAQEBAQEBAQEBAQ$\
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    assert!(config_with(ADMIN_PASSWORD, hash).unwrap().admin_password.is_some());
}

#[test]
fn guide_needs_a_model_and_its_key_is_never_printed() {
    let guide = Config::read(|_| None).unwrap().guide;
    assert!(guide.model.is_none() && guide.api_key.is_none());
    assert_eq!((guide.api_shape, guide.api_base.as_str()), (ApiShape::Messages, "https://api.anthropic.com"));
    assert_eq!((guide.turn_tokens, guide.turns_per_day, guide.cents_per_day), (60_000, 20, 500));
    let config = config_with("GUIDE_API_KEY", "sk-hunter2").unwrap();
    assert_eq!(config.guide.api_key.as_ref().map(Secret::expose), Some("sk-hunter2"));
    assert!(!format!("{config:?}").contains("hunter2"));
    let sentence = refusal("CARAPLACE_GUIDE_API_SHAPE", "soap");
    assert!(sentence.contains("messages or completions"), "{sentence}");
}

#[test]
fn zero_disables_limits() {
    assert_eq!(config_with("CARAPLACE_CHARGE_SECONDS", "0").unwrap().game.charge_seconds, 0);
    assert_eq!(config_with("CARAPLACE_REQUESTS_PER_MINUTE", "0").unwrap().requests_per_minute, 0);
    assert_eq!(config_with("CARAPLACE_STREAMS_PER_IP", "0").unwrap().streams_per_ip, 0);
}

#[test]
fn networks_may_be_single_addresses() {
    let config = config_with("CARAPLACE_TRUSTED_PROXIES", "10.0.0.0/8, ::1").unwrap();
    assert_eq!(config.trusted_proxies.len(), 2);
}

#[test]
fn help_names_every_setting_with_its_default() {
    let help = help();
    for setting in SETTINGS {
        assert!(help.contains(setting.name) && help.contains(setting.default));
    }
}

#[test]
fn header_name_ignores_case_and_list_headers_are_refused() {
    let header = |value| config_with(CLIENT_IP_HEADER, value).map(|config| config.network.client_ip_header);
    assert_eq!(header("Fly-Client-IP").unwrap().as_deref(), Some("fly-client-ip"));
    assert_eq!(header("").unwrap(), None);
    let long = "x".repeat(65);
    for wrong in ["X-Forwarded-For", "forwarded", "two words", "a:b", "é", long.as_str()] {
        let sentence = header(wrong).unwrap_err().to_string();
        assert!(sentence.starts_with(CLIENT_IP_HEADER) && sentence.contains(wrong), "{sentence}");
    }
}

#[test]
fn metrics_listener_needs_an_address_with_port() {
    let listen = |value| config_with(METRICS_LISTEN, value).map(|config| config.network.metrics_listen);
    assert_eq!(listen("0.0.0.0:9091").unwrap(), Some("0.0.0.0:9091".parse().unwrap()));
    assert_eq!(listen("").unwrap(), None);
    for wrong in ["9091", ":9091", "localhost:9091", "0.0.0.0:99999"] {
        let sentence = listen(wrong).unwrap_err().to_string();
        assert!(sentence.starts_with(METRICS_LISTEN) && sentence.contains(wrong), "{sentence}");
    }
}

#[test]
fn short_token_is_refused_and_token_is_never_printed() {
    let good = "hunter2-hunter2-hunter2";
    let config = config_with(METRICS_TOKEN, good).unwrap();
    assert_eq!(config.network.metrics_token.as_ref().map(Secret::expose), Some(good));
    assert!(!format!("{config:?}").contains("hunter2"));
    let long = "hunter2".repeat(37);
    for wrong in ["hunter2", "hunter2 hunter2 hunter2", "hunter2-hunter2-é", long.as_str()] {
        let sentence = refusal(METRICS_TOKEN, wrong);
        assert!(sentence.starts_with(METRICS_TOKEN) && !sentence.contains("hunter2"), "{sentence}");
    }
}

#[test]
fn secrets_are_never_printed() {
    for name in ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "SMTP_URL"] {
        let printed = format!("{:?}", config_with(name, "smtp://u:hunter2@host").unwrap());
        assert!(!printed.contains("hunter2") && !format!("{:?}", config_with(name, "")).contains("hunter2"));
    }
    let sentence = refusal("SMTP_URL", "http://u:hunter2@host");
    assert!(sentence.contains("SMTP_URL") && !sentence.contains("hunter2"), "{sentence}");
}

#[test]
fn every_secret_setting_can_be_read_from_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let read_with = |content: &str, variables: &[(String, &str)]| {
        std::fs::write(file.path(), content).unwrap();
        let lookup = |requested: &str| {
            let (_, value) = variables.iter().find(|(name, _)| name == requested)?;
            Some((*value).to_owned())
        };
        Config::read(lookup).map(|_| ()).map_err(|error| error.to_string())
    };
    let secrets: Vec<_> = SETTINGS.iter().filter(|setting| (setting.is_secret)()).collect();
    assert!(secrets.len() >= 8, "there are fewer secrets than there were");
    for setting in secrets {
        let name = setting.name;
        let in_file = format!("{}_FILE", setting.name);
        assert_eq!(unknown_variables([in_file.clone()].into_iter()), []);
        let empty = read_with("\n", &[(in_file.clone(), path)]).unwrap_err();
        assert!(empty.starts_with(&in_file) && empty.contains("is empty"), "{empty}");
        let missing = read_with("", &[(in_file.clone(), "/does/not/exist")]).unwrap_err();
        assert!(missing.starts_with(&in_file) && missing.contains("cannot be read"), "{missing}");
        let twice = read_with("x\n", &[(in_file.clone(), path), (name.to_owned(), "hunter2")]).unwrap_err();
        assert_eq!(twice, format!("{name} and {in_file} are both set. Remove one of them."));
    }
    let config = |content: &str| {
        std::fs::write(file.path(), content).unwrap();
        config_with("DATABASE_URL_FILE", path).map(|config| config.database_url)
    };
    let address = "postgres://caraplace:hunter2@localhost/caraplace";
    assert_eq!(config(&format!("{address}\r\n")).unwrap().as_deref(), Some(address));
    let wrong = config("mysql://caraplace:hunter2@localhost/x").unwrap_err().to_string();
    assert!(wrong.starts_with("DATABASE_URL") && !wrong.contains("hunter2"), "{wrong}");
    assert_eq!(unknown_variables(["CARAPLACE_LINKS_FILE".to_owned()].into_iter()).len(), 1);
    let public = config_with("CARAPLACE_LINKS_FILE", path).unwrap();
    assert_eq!(public.game.links, LinkPolicy::Strip, "only secrets are read from files");
}

#[test]
fn stripe_address_has_a_default_and_can_be_set() {
    assert_eq!(Config::read(|_| None).unwrap().payments.api_base, "https://api.stripe.com");
    assert_eq!(
        config_with("STRIPE_API_BASE", "http://127.0.0.1:1/").unwrap().payments.api_base,
        "http://127.0.0.1:1"
    );
    assert!(config_with("STRIPE_API_BASE", "stripe").is_err());
}

/// Returns the least and the most that a number may be, or `None` for a setting that is none.
fn bounds(setting: &AdjustableSetting) -> Option<(u32, u32)> {
    let expected = setting.expected();
    let (least, most) = expected.strip_prefix("a whole number from ")?.split_once(" to ")?;
    Some((least.parse().unwrap(), most.parse().unwrap()))
}

#[test]
fn adjustable_settings_accept_only_valid_json() {
    let start = Config::read(|_| None).unwrap().adjustable_values();
    for setting in ADJUSTABLE_SETTINGS {
        let (good, bad): (Value, [Value; 4]) = match (bounds(setting), setting.name) {
            (Some((least, most)), _) => (
                json!(most),
                [json!(u64::from(most) + 1), json!(i64::from(least) - 1), json!("1"), json!(1.5)],
            ),
            (_, "links") => (json!("reject"), [json!("mask"), json!(true), json!(""), json!(null)]),
            (_, "profanity") => (json!("off"), [json!("allow"), json!(false), json!("Mask"), json!({})]),
            (_, "secrets") => (json!("off"), [json!("on"), json!(true), json!("Redact"), json!(null)]),
            (_, "duplicates") => (json!("allow"), [json!("off"), json!(false), json!(""), json!(null)]),
            (_, "pii") => (json!("mask"), [json!("on"), json!(true), json!("strip"), json!(null)]),
            (_, "registration") => (json!("slow"), [json!("off"), json!(true), json!("Open"), json!(null)]),
            (_, "words") => {
                (json!("+zorg\n"), [json!(7), json!(null), json!("\0"), json!("x".repeat(65_537))])
            }
            (_, "secret_rules") => (
                json!("+ acme ACME-[0-9]+\n"),
                [json!(7), json!(null), json!("+ acme ("), json!("#".repeat(65_537))],
            ),
            _ => (json!(false), [json!("false"), json!(0), json!(null), json!([])]),
        };
        let mut live = start.clone();
        assert_eq!(setting.set(&mut live, &good), Some(()), "{}", setting.name);
        assert_eq!(setting.get(&live), good, "{}", setting.name);
        for value in bad {
            assert_eq!(setting.set(&mut live, &value), None, "{} {value}", setting.name);
            assert_eq!(setting.get(&live), good, "{}", setting.name);
        }
        let initial = setting.get(&start);
        let same = setting.set(&mut live, &setting.get(&start));
        assert_eq!((same, setting.get(&live)), (Some(()), initial), "{}", setting.name);
    }
}

#[test]
fn environment_accepts_the_same_values_as_json() {
    for setting in
        ADJUSTABLE_SETTINGS.iter().filter(|setting| !["words", "secret_rules"].contains(&setting.name))
    {
        let values: Vec<Value> = match (bounds(setting), setting.name) {
            (Some((least, most)), _) => vec![json!(least), json!(most)],
            (_, "links") => ["strip", "reject", "allow"].map(|word| json!(word)).to_vec(),
            (_, "profanity") => ["mask", "reject", "off"].map(|word| json!(word)).to_vec(),
            (_, "secrets") => ["redact", "off"].map(|word| json!(word)).to_vec(),
            (_, "duplicates") => ["reject", "allow"].map(|word| json!(word)).to_vec(),
            (_, "pii") => ["off", "mask"].map(|word| json!(word)).to_vec(),
            (_, "registration") => {
                ["open", "slow", "approval", "invitation"].map(|word| json!(word)).to_vec()
            }
            _ => vec![json!(true), json!(false)],
        };
        for value in values {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let config = config_with(setting.variable, &text).unwrap();
            assert_eq!(setting.get(&config.adjustable_values()), value, "{}", setting.variable);
        }
        let sentence = refusal(setting.variable, "?");
        assert!(sentence.ends_with(&format!("must be {}.", setting.expected())), "{sentence}");
    }
}

#[test]
fn text_is_read_in_the_format_of_the_setting() {
    let read = |name: &str, text: &str| AdjustableSetting::find(name).unwrap().read(text);
    assert_eq!(read("max_charges", " 20 "), json!(20));
    assert_eq!(read("chat_enabled", "false"), json!(false));
    assert_eq!(read("links", "allow"), json!("allow"));
    assert_eq!(read("words", "7"), json!("7"));
    assert_eq!(read("max_charges", "many"), json!("many"));
}

#[test]
fn an_unknown_variable_is_listed_with_the_nearest_setting() {
    let listed = |names: &[&str]| unknown_variables(names.iter().map(|name| (*name).to_owned()));
    for (name, nearest) in [
        ("CARAPLACE_MAX_CHARGE", "CARAPLACE_MAX_CHARGES"),
        ("CARAPLACE_CHAT_ENABELD", "CARAPLACE_CHAT_ENABLED"),
        ("CARAPLACE_METRICS_PORT", "CARAPLACE_METRICS_TOKEN"),
    ] {
        assert_eq!(listed(&[name, "HOME"]), [(name.to_owned(), Some(nearest))]);
    }
    for (name, nearest) in [
        ("CARAPLACE_STRIPE_SECRET_KEY", "STRIPE_SECRET_KEY"),
        ("CARAPLACE_GUIDE_MODEL", "GUIDE_MODEL"),
        ("GUIDE_CENTS_PER_DAY", "CARAPLACE_GUIDE_CENTS_PER_DAY"),
    ] {
        assert_eq!(listed(&[name]), [(name.to_owned(), Some(nearest))], "the prefix is wrong");
    }
    assert_eq!(listed(&["MAX_CHARGES", "GUIDE_LANGUAGE"]), [], "they are of other programs");
    assert_eq!(listed(&["CARAPLACE_X"]), [("CARAPLACE_X".to_owned(), None)]);
    assert_eq!(listed(&["PATH", "CARAPLACE_LINKS", "RUST_LOG", "caraplace_links"]), []);
}

#[test]
fn log_filter_that_would_silence_the_server_is_refused_with_advice() {
    for good in ["debug", "info,caraplace=debug", "caraplace", "sqlx=debug", "off", "info,sqlx", "TRACE", "3"]
    {
        assert_eq!(config_with("RUST_LOG", good).unwrap().log_filter, good);
    }
    for wrong in ["verbose", "inof", "caraplace=loud", "a=b=c", "sqlx,hyper"] {
        let sentence = refusal("RUST_LOG", wrong);
        assert!(sentence.contains(wrong) && sentence.contains("info,caraplace=debug"), "{sentence}");
    }
}

proptest! {
    #[test]
    fn any_value_is_accepted_or_refused_by_name(
        index in 0..SETTINGS.len(),
        value in "\\PC{0,20}|-?[0-9]{1,20}|[a-z]{2,6}",
    ) {
        let name = SETTINGS[index].name;
        if let Err(error) = config_with(name, &value) {
            prop_assert!(error.to_string().starts_with(name), "{error}");
        }
    }

    #[test]
    fn numbers_are_accepted_unchanged_or_refused(number in prop_oneof![any::<i64>(), -5_i64..2_000_000]) {
        let text = number.to_string();
        let is_right = |name, least, most, read: fn(Config) -> u32| match config_with(name, &text) {
            Ok(config) => i64::from(read(config)) == number && (least..=most).contains(&number),
            Err(_) => !(least..=most).contains(&number),
        };
        let seconds = SECONDS_PER_YEAR.into();
        for (name, is_right) in [
            ("width", is_right("CARAPLACE_CANVAS_WIDTH", 8, 4_096, |config| config.size.width.into())),
            ("charges", is_right("CARAPLACE_MAX_CHARGES", 1, 1_000_000, |config| config.game.max_charges)),
            ("refill", is_right("CARAPLACE_CHARGE_SECONDS", 0, seconds, |config| config.game.charge_seconds)),
            ("digest", is_right("CARAPLACE_DIGEST_SECONDS", 1, 86_400, |config| config.game.digest_seconds)),
            ("requests", is_right("CARAPLACE_REQUESTS_PER_MINUTE", 0, 1_000_000_000, |config| {
                config.requests_per_minute
            })),
        ] {
            prop_assert!(is_right, "{name}: {text}");
        }
    }
}

#[test]
fn wrong_secret_rules_are_refused_with_their_line() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let read_file = || {
        let config = config_with("CARAPLACE_SECRET_RULES_FILE", file.path().to_str().unwrap()).unwrap();
        config.with_files().map(|config| config.secret_rules).map_err(|error| error.to_string())
    };
    std::fs::write(file.path(), "# ours\n+ acme ACME-[0-9]+\n").unwrap();
    assert_eq!(read_file().unwrap().as_ref(), "# ours\n+ acme ACME-[0-9]+\n");
    std::fs::write(file.path(), "# ours\n+ acme ACME-(\n").unwrap();
    let sentence = read_file().unwrap_err();
    assert!(sentence.contains("wrong in line 2: the regex of acme is invalid: unclosed group"), "{sentence}");
    let missing = config_with("CARAPLACE_SECRET_RULES_FILE", "/does/not/exist").unwrap().with_files();
    assert!(missing.unwrap_err().to_string().ends_with("Check CARAPLACE_SECRET_RULES_FILE."));
}
