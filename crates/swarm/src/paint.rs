//! Painting: as many strokes as there are charges, each acknowledged one written down.

use std::time::Duration;

use rand::RngExt;
use tokio::time::Instant;

use crate::{
    agent::Agent,
    client::{Answer, Call},
    failure::Failure,
    route::Route,
    wire::{Canvas, Dot, Placed},
};

/// How often an agent that is done looks whether its share still stands.
const LOOK_EVERY: Duration = Duration::from_secs(10);

impl Agent {
    pub(crate) async fn paint(&mut self) -> Result<(), Failure> {
        if self.share.is_done() {
            self.look_again().await?;
        }
        let dots = self.next_strokes();
        if dots.is_empty() {
            return Ok(());
        }
        match self.place(&dots).await {
            Err(failure) => self.cope(failure, dots.len()).await,
            Ok(()) => Ok(()),
        }
    }

    /// A third of the visits are single placements; the others use what charges there are.
    fn next_strokes(&mut self) -> Vec<Dot> {
        let most = self.purse.available(Instant::now()).min(self.world.args.batch) as usize;
        let single = self.rng.random_ratio(1, 3);
        let mut dots = self.share.upcoming(if single { most.min(1) } else { most });
        if !self.polite {
            dots.iter_mut().for_each(|dot| dot.expected_color = None);
        }
        dots
    }

    async fn place(&mut self, dots: &[Dot]) -> Result<(), Failure> {
        let call = Call::placement(dots, self.reading.digest())?;
        let call = call.key(&self.account.api_key).idempotency(self.next_key());
        let answer = self.world.place(self.index, &self.account, &call, dots).await?;
        self.settle(dots.len(), &answer);
        self.maybe_replay(&call, &answer.body).await
    }

    fn settle(&mut self, strokes: usize, answer: &Answer<Placed>) {
        let placed = &answer.body;
        self.purse.set(placed.charges, placed.next_charge_at.map(|at| answer.received + answer.until(at)));
        self.credits = placed.chat_credits;
        self.unannounced = self.unannounced.saturating_add(strokes);
        let fresh = self.share.strike(strokes);
        self.world.ledger.painted_new(fresh);
    }

    /// The same request once more, as if its answer had been lost: it must tell the same story for free.
    async fn maybe_replay(&mut self, call: &Call, first: &Placed) -> Result<(), Failure> {
        if !self.chance(self.world.args.replays) {
            return Ok(());
        }
        let again = self.world.client.patiently::<Placed>(call, &self.world.stop).await?;
        if !first.all().map(|p| p.seq).eq(again.body.all().map(|p| p.seq)) {
            let name = &self.account.name;
            self.world.ledger.fault(format!("{name}: the same Idempotency-Key painted twice"));
        }
        Ok(())
    }

    async fn cope(&mut self, failure: Failure, strokes: usize) -> Result<(), Failure> {
        match failure.code() {
            "digest_stale" | "digest_invalid" | "digest_missing" => return self.refresh_digest().await,
            "no_charges" => self.purse.emptied(Instant::now() + failure.wait()),
            "pixel_changed" => self.share.forget_seen(strokes),
            _ if failure.is_final() || failure.is_passing() => return Err(failure),
            // The server will never take these; insisting would help nobody.
            _ => drop(self.share.strike(strokes)),
        }
        Ok(())
    }

    async fn look_again(&mut self) -> Result<(), Failure> {
        if self.world.args.tireless {
            self.share.restart();
            return Ok(());
        }
        let rested = self.looked_at.is_none_or(|at| at.elapsed() >= LOOK_EVERY);
        let Some(r) = self.share.region().filter(|_| rested) else { return Ok(()) };
        let query = format!("?x1={}&y1={}&x2={}&y2={}", r.x1, r.y1, r.x2, r.y2);
        let view = self.ask::<Canvas>(Call::new(Route::Region).query(query)).await?;
        self.looked_at = Some(Instant::now());
        self.share.mend(&view.body);
        Ok(())
    }
}
