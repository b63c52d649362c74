//! Gallery Passes: purchase, webhooks, posting, loss and recovery, with a fake Stripe API and a mail server
//! of the test.

mod cancellations;
mod checkout_return;
mod customer_email;
mod duplicates;
mod fake_stripe;
mod grace;
mod magic_links;
pub mod mailbox;
mod moderation;
mod own_messages;
mod passes;
mod plans;
mod prices;
mod purchase;
mod refunds;
mod security;
mod session_reads;
pub mod viewer_browser;
mod viewer_rights;
mod webhooks;

use caraplace_accounts::gallery::Gallery;
use fake_stripe::FakeStripe;
use serde_json::Value;
use viewer_browser::ViewerBrowser;

use crate::support::Server;
use crate::support::waiting::wait_until;

/// A server that sells passes, with the fake Stripe API.
struct Shop {
    stripe: FakeStripe,
    server: Server,
}

impl Shop {
    async fn start() -> Self {
        Self::start_with(&[]).await
    }

    async fn start_with(settings: &[(&str, &str)]) -> Self {
        let stripe = FakeStripe::start().await;
        let base = stripe.url.clone();
        let server = Server::start_with(&[settings, &stripe_settings(&base)[..]].concat()).await;
        stripe.use_clock(&server.clock);
        Self { stripe, server }
    }

    fn new_browser(&self) -> ViewerBrowser<'_> {
        ViewerBrowser::new(&self.server)
    }

    /// Returns a viewer who has bought a pass in the browser, whether or not the webhooks have arrived.
    async fn viewer_with_pass(&self, email: &str) -> ViewerBrowser<'_> {
        let mut person = self.new_browser();
        let id = person.begin_checkout("gallery").await;
        self.stripe.pay(&id, email);
        person.return_from_checkout(&id).await;
        person
    }

    /// Returns a viewer who has bought a pass in the browser, after all webhooks have arrived.
    async fn viewer_with_reported_pass(&self, email: &str) -> ViewerBrowser<'_> {
        let mut person = self.new_browser();
        let id = person.begin_checkout("gallery").await;
        self.send_events(&self.stripe.pay(&id, email)).await;
        person.return_from_checkout(&id).await;
        person
    }

    /// Returns another gallery on the server's state, whose jobs run only when a test calls them.
    fn gallery(&self) -> Gallery {
        let settings = stripe_settings(&self.stripe.url);
        let find = |asked: &str| {
            settings.iter().find(|(name, _)| *name == asked).map(|(_, value)| (*value).to_owned())
        };
        let payments = platform::config::Config::read(find).unwrap().payments;
        Gallery::open(&self.server.running().state, &payments, "").unwrap()
    }

    /// Runs jobs at Stripe until a query returns true. The server's own worker may take some of them.
    async fn run_jobs_until(&self, condition: &'static str) {
        let gallery = self.gallery();
        let is_reached = async || {
            gallery.run_stripe_jobs(&self.server.running().state).await.unwrap();
            self.server.fetch_scalar::<bool>(condition).await
        };
        wait_until(is_reached, condition).await;
    }

    /// Runs all jobs at Stripe until they are done.
    async fn finish_jobs(&self) {
        self.run_jobs_until("select count(*) = 0 from gallery_stripe_job where done_at is null").await;
    }

    async fn send_events(&self, events: &[Value]) {
        for event in events {
            let reply = self.stripe.send_event(&self.server, event).await;
            assert_eq!(reply.status, 200, "{} {}", event["type"], reply.body);
        }
    }
}

fn stripe_settings(base: &str) -> [(&str, &str); 5] {
    [
        ("STRIPE_API_BASE", base),
        ("STRIPE_SECRET_KEY", fake_stripe::SECRET_KEY),
        ("STRIPE_WEBHOOK_SECRET", fake_stripe::WEBHOOK_SECRET),
        ("STRIPE_PRICE_ID", "price_gallery"),
        ("CARAPLACE_PATRON_PRICE_ID", "price_patron"),
    ]
}
