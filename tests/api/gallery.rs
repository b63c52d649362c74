//! The Gallery Pass: bought, told of by webhooks, spoken with, lost and found again, against a stand-in that speaks Stripe's
//! API and a mail server of the test's own.

mod decency;
mod doors;
mod letters;
mod mailbox;
mod passes;
mod person;
mod purchase;
mod returning;
mod speaking;
mod stripe;
mod webhooks;

use person::Person;
use serde_json::Value;
use stripe::Stripe;

use crate::support::Server;

/// A server that sells passes, and where they are paid.
struct Shop {
    stripe: Stripe,
    server: Server,
}

impl Shop {
    async fn open() -> Self {
        Self::with(&[]).await
    }

    async fn with(settings: &[(&str, &str)]) -> Self {
        let stripe = Stripe::start().await;
        let base = stripe.url.clone();
        let all = [settings, &stripe_settings(&base)[..]].concat();
        let server = Server::with(&all).await;
        stripe.go_by(&server.clock);
        Self { stripe, server }
    }

    fn person(&self) -> Person<'_> {
        Person::new(&self.server)
    }

    /// Somebody who has bought a pass in the browser and came back, whether or not the webhooks have come.
    async fn holder(&self, email: &str) -> Person<'_> {
        let mut person = self.person();
        let id = person.begin_checkout("gallery").await;
        self.stripe.pay(&id, email);
        person.come_back(&id).await;
        person
    }

    async fn tell(&self, events: &[Value]) {
        for event in events {
            let reply = self.stripe.tell(&self.server, event).await;
            assert_eq!(reply.status, 200, "{} {}", event["type"], reply.body);
        }
    }
}

fn stripe_settings(base: &str) -> [(&str, &str); 5] {
    [
        ("STRIPE_API_BASE", base),
        ("STRIPE_SECRET_KEY", stripe::KEY),
        ("STRIPE_WEBHOOK_SECRET", stripe::WEBHOOK_SECRET),
        ("STRIPE_PRICE_ID", "price_gallery"),
        ("CARAPLACE_PATRON_PRICE_ID", "price_patron"),
    ]
}
