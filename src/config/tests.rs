//! What the settings take and what they refuse.

use super::*;
use proptest::prelude::*;

fn with(name: &str, value: &str) -> Result<Config, ConfigError> {
    Config::read(|asked| (asked == name).then(|| value.to_owned()))
}

#[test]
fn defaults_are_the_contract() {
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
fn values_out_of_range_are_refused_by_name() {
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
        let sentence = with(name, value).map(|_| ()).unwrap_err().to_string();
        assert!(sentence.contains(name) && sentence.contains(value), "{sentence}");
    }
}

#[test]
fn a_database_of_another_kind_is_refused_without_repeating_its_password() {
    let sentence = with("DATABASE_URL", "mysql://me:hunter2@db/x").map(|_| ()).unwrap_err().to_string();
    assert!(sentence.contains("DATABASE_URL") && !sentence.contains("hunter2"), "{sentence}");
}

#[test]
fn a_password_is_kept_as_a_hash_and_never_repeated() {
    let hash = |value: &str| with(ADMIN_PASSWORD, value).map(|config| config.admin_password);
    let plain = hash(" correct horse ").unwrap().unwrap();
    assert!(plain.fits(" correct horse ") && !plain.fits("correct horse"));
    assert_eq!(hash(" correct horse ").unwrap(), Some(plain.clone()), "all instances have the same");
    assert_ne!(hash("correct house").unwrap(), Some(plain.clone()));
    assert_eq!(hash(plain.as_str()).unwrap(), Some(plain));
    assert_eq!(hash("").unwrap(), None);
    let sentence = hash("$argon2id$hunter2").unwrap_err().to_string();
    assert!(sentence.contains(ADMIN_PASSWORD) && !sentence.contains("hunter2"), "{sentence}");
}

#[test]
fn a_short_password_is_refused_with_what_to_do_and_a_hash_is_not_judged() {
    for short in ["hunter2", "elevenchars", "éééééééééé"] {
        let sentence = with(ADMIN_PASSWORD, short).map(|_| ()).unwrap_err().to_string();
        assert!(sentence.starts_with(ADMIN_PASSWORD) && !sentence.contains(short), "{sentence}");
        assert!(
            sentence.contains("at least 12 characters") && sentence.contains("choose a longer"),
            "{sentence}"
        );
    }
    assert!(with(ADMIN_PASSWORD, "twelve chars").unwrap().admin_password.is_some());
    let hash = "$argon2id$v=19$m=19456,t=2,p=1$AQEBAQEBAQEBAQEBAQEBAQ$\
                AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    assert!(with(ADMIN_PASSWORD, hash).unwrap().admin_password.is_some());
}

#[test]
fn zero_switches_limits_off() {
    assert_eq!(with("CARAPLACE_CHARGE_SECONDS", "0").unwrap().game.charge_seconds, 0);
    assert_eq!(with("CARAPLACE_REQUESTS_PER_MINUTE", "0").unwrap().requests_per_minute, 0);
    assert_eq!(with("CARAPLACE_STREAMS_PER_IP", "0").unwrap().streams_per_ip, 0);
}

#[test]
fn networks_may_be_single_addresses() {
    let config = with("CARAPLACE_TRUSTED_PROXIES", "10.0.0.0/8, ::1").unwrap();
    assert_eq!(config.trusted_proxies.len(), 2);
}

#[test]
fn help_names_every_setting_with_its_default() {
    let help = help();
    for setting in SETTINGS {
        assert!(help.contains(setting.name) && help.contains(setting.default));
    }
}

proptest! {
    #[test]
    fn any_value_is_taken_or_refused_by_name(which in 0..SETTINGS.len(), value in "\\PC{0,20}|-?[0-9]{1,20}|[a-z]{2,6}") {
        let name = SETTINGS[which].name;
        if let Err(error) = with(name, &value) {
            prop_assert!(error.to_string().starts_with(name), "{error}");
        }
    }

    #[test]
    fn a_number_is_never_bent(number in prop_oneof![any::<i64>(), -5_i64..2_000_000]) {
        let text = number.to_string();
        let taken = |name, least, most, read: fn(Config) -> u32| match with(name, &text) {
            Ok(config) => i64::from(read(config)) == number && (least..=most).contains(&number),
            Err(_) => !(least..=most).contains(&number),
        };
        prop_assert!(taken("CARAPLACE_CANVAS_WIDTH", 8, 4_096, |config| config.size.width.into()));
        prop_assert!(taken("CARAPLACE_MAX_CHARGES", 1, 1_000_000, |config| config.game.max_charges));
        prop_assert!(taken("CARAPLACE_CHARGE_SECONDS", 0, YEAR.into(), |config| config.game.charge_seconds));
        prop_assert!(taken("CARAPLACE_DIGEST_SECONDS", 1, 86_400, |config| config.game.digest_seconds));
        prop_assert!(taken("CARAPLACE_REQUESTS_PER_MINUTE", 0, 1_000_000_000, |config| config.requests_per_minute));
    }
}
