//! Tests of the filters.

use std::ops::Range;
use std::sync::mpsc;

use parking_lot::Mutex;
use platform::config::{Config, PiiPolicy, ProfanityPolicy, SecretPolicy};
use platform::tokens;
use text_filters::links::LinkPolicy;

use super::*;

/// A scanner that blocks while the lock is held.
struct BlockingScanner(Mutex<()>);

impl SecretScanner for BlockingScanner {
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let _guard = self.0.lock();
        std::iter::once(0..text.len()).collect()
    }
}

/// A thread that holds the lock of a scanner until it is released.
struct HeldScanner {
    release: mpsc::Sender<()>,
    thread: std::thread::JoinHandle<()>,
}

impl HeldScanner {
    fn hold(scanner: &Arc<BlockingScanner>) -> Self {
        let (locked_sender, locked_receiver) = mpsc::channel();
        let (release, release_receiver) = mpsc::channel::<()>();
        let scanner = scanner.clone();
        let thread = std::thread::spawn(move || {
            let guard = scanner.0.lock();
            locked_sender.send(()).unwrap();
            let _ = release_receiver.recv();
            drop(guard);
        });
        locked_receiver.recv().unwrap();
        Self { release, thread }
    }

    fn release(self) {
        drop(self.release);
        self.thread.join().unwrap();
    }
}

/// Returns filters with a scanner that blocks, and with short time limits.
fn blocking_filters() -> (Filters, Arc<BlockingScanner>) {
    let scanner = Arc::new(BlockingScanner(Mutex::new(())));
    let lookup = |name: &str| (name == "CARAPLACE_SECRETS_TIMEOUT_MS").then(|| "10".to_owned());
    let mut filters = Filters::new(&Config::read(lookup).unwrap().adjustable_values());
    filters.settings.write().set_scanner(scanner.clone());
    filters.scanner_workers.wait = Duration::from_millis(10);
    filters.compile_timeout = Duration::from_millis(10);
    (filters, scanner)
}

#[tokio::test]
async fn message_passes_when_the_scanner_hangs() {
    let (filters, scanner) = blocking_filters();
    filters.warm_up().await;
    let held = HeldScanner::hold(&scanner);
    let content = MessageContent::parse("a red dot", 280).unwrap();
    assert_eq!(filters.filter_message(&content, &[0; 32]).await.unwrap().text, "a red dot");
    let key = format!("a gp_{} dot", "a1B2".repeat(16));
    let filtered =
        filters.filter_message(&MessageContent::parse(&key, 280).unwrap(), &[0; 32]).await.unwrap();
    assert_eq!(filtered.text, "a [redacted] dot (content redacted)");
    held.release();
}

#[tokio::test]
async fn message_does_not_pass_while_the_scanner_is_cold() {
    let (filters, scanner) = blocking_filters();
    let held = HeldScanner::hold(&scanner);
    let content = MessageContent::parse("a red dot", 280).unwrap();
    let refused = filters.filter_message(&content, &[0; 32]).await;
    assert!(matches!(refused, Err(Refusal::Overloaded)), "its first search has no time limit yet");
    held.release();
    let filtered = filters.filter_message(&content, &[0; 32]).await.unwrap();
    assert_eq!(filtered.text, "[redacted] (content redacted)");
}

#[tokio::test]
async fn message_does_not_pass_while_no_thread_is_free() {
    let (filters, scanner) = blocking_filters();
    filters.warm_up().await;
    let held = HeldScanner::hold(&scanner);
    let content = MessageContent::parse("a red dot", 280).unwrap();
    let mut passed = 0;
    // Each message that passes leaves a thread behind that hangs.
    let refused = loop {
        match filters.filter_message(&content, &[0; 32]).await {
            Ok(_) => passed += 1,
            Err(refusal) => break refusal,
        }
    };
    assert!(matches!(refused, Refusal::Overloaded) && passed > 0, "{refused}");
    held.release();
    let filtered = filters.filter_message(&content, &[0; 32]).await.unwrap();
    assert_eq!(filtered.text, "[redacted] (content redacted)");
}

#[tokio::test]
async fn messages_wait_for_the_warm_up() {
    let (filters, scanner) = blocking_filters();
    let filters = Arc::new(filters.to_be_warmed_up());
    let held = HeldScanner::hold(&scanner);
    let warming = tokio::spawn({
        let filters = filters.clone();
        async move { filters.warm_up().await }
    });
    tokio::task::yield_now().await;
    let content = MessageContent::parse("a red dot", 280).unwrap();
    assert!(filters.is_warming_up());
    assert!(matches!(filters.filter_message(&content, &[0; 32]).await, Err(Refusal::Overloaded)));
    held.release();
    warming.await.unwrap();
    assert!(!filters.is_warming_up());
    let filtered = filters.filter_message(&content, &[0; 32]).await.unwrap();
    assert_eq!(filtered.text, "[redacted] (content redacted)");
}

#[tokio::test]
async fn messages_and_descriptions_are_filtered_alike() {
    // Patterns are compiled on first use, which takes long on a busy machine.
    let settings = [("CARAPLACE_SECRETS_TIMEOUT_MS", "10000"), ("CARAPLACE_PII", "mask")];
    let lookup = |name: &str| settings.iter().find(|(known, _)| *known == name).map(|(_, it)| (*it).into());
    let filters = Filters::new(&Config::read(lookup).unwrap().adjustable_values());
    for text in [
        "mail ada@example.com or call +49 170 1234567",
        "a red dot top left",
        "see example.com/shit?key=q8Zr4TnW1xYv7LbK9mCd, you fuck dot com",
        "shit.example.com and password: s3cret!fuck",
        "example dot com/cp_0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d",
    ] {
        let content = MessageContent::parse(text, 280).unwrap();
        let expected =
            filters.filter_message(&content, &[0; 32]).await.map(|filtered| filtered.text).unwrap();
        assert_eq!(filters.filter_description(text, 280).await.unwrap(), Some(expected), "{text}");
    }
}

#[tokio::test]
async fn updated_settings_apply_to_later_messages() {
    let mut live = Config::read(|_| None).unwrap().adjustable_values();
    let filters = Filters::new(&live);
    let filter_text = async |text: &str| {
        let filtered = filters.filter_message(&MessageContent::parse(text, 280).unwrap(), &[0; 32]).await;
        filtered.map(|filtered| filtered.text).ok()
    };
    assert_eq!(filter_text("a zorg at example.com").await.unwrap(), "a zorg at [link removed]");
    live.words = "+zorg".into();
    live.game.links = LinkPolicy::Allow;
    filters.update_settings(&live).await;
    assert_eq!(filter_text("a zorg at example.com").await.unwrap(), "a z*** at example.com");
    live.game.profanity = ProfanityPolicy::Reject;
    filters.update_settings(&live).await;
    assert_eq!(filter_text("a zorg").await, None);
    live.secret_rules = "+ acme ACME-[0-9]+".into();
    filters.update_settings(&live).await;
    assert_eq!(filter_text("ACME-0815").await.unwrap(), "[redacted] (content redacted)");
    live.game.secrets = SecretPolicy::Off;
    live.game.pii = PiiPolicy::Mask;
    filters.update_settings(&live).await;
    assert_eq!(filter_text("ACME-0815 to a@b.com").await.unwrap(), "ACME-0815 to [contact removed]");
}

#[tokio::test]
async fn own_key_is_removed_although_the_scanner_is_off() {
    let lookup = |name: &str| (name == "CARAPLACE_SECRETS").then(|| "off".to_owned());
    let filters = Filters::new(&Config::read(lookup).unwrap().adjustable_values());
    let key = format!("cp_{}", "a1".repeat(32));
    let content = MessageContent::parse(&format!("mine is {key}"), 280).unwrap();
    let filtered = filters.filter_message(&content, &tokens::hash(&key)).await.unwrap();
    assert_eq!(filtered.text, "mine is [redacted] (content redacted)");
    assert_eq!(filtered.changed, [ReplacedPart::Secret]);
}
