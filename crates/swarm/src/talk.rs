//! Company: announcing, asking, answering and reacting, always within what the rules allow.
//!
//! What others say decides whom to answer and in what tone, never what is painted.

use std::time::Duration;

use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use tokio::time::Instant;

use crate::{
    agent::Agent,
    client::Call,
    failure::Failure,
    route::Route,
    voice::{self, Scene, Topic},
    wire::{Me, Message, Reacted, Rect, Speech},
};

/// How many strokes ahead an intent announces, and after how many the next one is due.
const OUTLOOK: usize = 40;
/// An agent asks after its credits at most this often.
const PATIENCE: Duration = Duration::from_secs(3);
/// Reactions allowed per minute are few; nobody uses them all at once.
const BETWEEN_REACTIONS: Duration = Duration::from_secs(7);
const REACTIONS_REMEMBERED: usize = 64;

impl Agent {
    pub(crate) async fn read_when_due(&mut self) -> Result<(), Failure> {
        let every = Duration::from_millis(self.world.args.reread_ms);
        if !self.reading.is_due(Instant::now(), every) {
            return Ok(());
        }
        match self.ask(Call::new(Route::Chat).query("?limit=20".to_owned())).await {
            Ok(chat) => self.reading.take_chat(chat),
            Err(failure) if failure.code() == "chat_disabled" => self.reading.close(),
            Err(failure) => return Err(failure),
        }
        Ok(())
    }

    /// The light way to a digest, for when only the digest was wrong.
    pub(crate) async fn refresh_digest(&mut self) -> Result<(), Failure> {
        self.reading.spoil();
        let fresh = self.ask(Call::new(Route::Digest)).await?;
        self.reading.take_digest(fresh);
        Ok(())
    }

    pub(crate) async fn mingle(&mut self) -> Result<(), Failure> {
        if self.reading.is_closed() {
            return Ok(());
        }
        let chatty = self.world.args.chatty;
        if self.chance(chatty / 2) {
            self.react().await?;
        }
        let hopeful = self.credits >= self.message_price && Instant::now() >= self.quiet_until;
        if hopeful && self.chance(chatty) && self.may_speak().await? {
            self.speak().await?;
        }
        Ok(())
    }

    async fn react(&mut self) -> Result<(), Failure> {
        let Some(target) = self.someone_elses(|agent, m| !agent.reacted.contains(&m.id)) else {
            return Ok(());
        };
        if Instant::now() < self.no_reaction_until {
            return Ok(());
        }
        self.no_reaction_until = Instant::now() + BETWEEN_REACTIONS;
        self.remember_reaction(target.id.clone());
        let content = voice::emoji(&mut self.rng);
        let speech = Speech { content, kind: "reaction", reply_to: Some(&target.id), ..Speech::default() };
        let call = self.utterance(Route::React, &speech)?;
        match self.world.client.patiently::<Reacted>(&call, &self.world.last_call).await {
            Err(failure) => self.take_no(failure, Instant::now() + BETWEEN_REACTIONS),
            Ok(_) => Ok(()),
        }
    }

    /// The same reaction again would take it back.
    fn remember_reaction(&mut self, id: String) {
        self.reacted.push_back(id);
        if self.reacted.len() > REACTIONS_REMEMBERED {
            self.reacted.pop_front();
        }
    }

    /// Asks the server, which counts credits and the time since the last message.
    async fn may_speak(&mut self) -> Result<bool, Failure> {
        let me = self.ask::<Me>(Call::new(Route::Me)).await?;
        let wait = me.body.next_message_at.map_or(Duration::ZERO, |at| me.until(at));
        let rich = me.body.messages_available.is_none_or(|messages| messages > 0);
        self.quiet_until = me.received + if rich { wait } else { wait.max(PATIENCE) };
        Ok(rich && wait.is_zero())
    }

    async fn speak(&mut self) -> Result<(), Failure> {
        let target = self.someone_elses(|_, _| true);
        let topic = self.topic(target.as_ref());
        let outlook = self.share.outlook(OUTLOOK);
        let scene = self.scene(outlook.as_ref(), target.as_ref());
        let content = self.voice.say(topic, &scene, &mut self.rng);
        let mut speech = Speech { content: &content, kind: "message", ..Speech::default() };
        match (topic, &target, &outlook) {
            (Topic::Intent, _, Some((region, colors))) => {
                self.unannounced = 0;
                speech =
                    Speech { kind: "intent", region: Some(*region), color_palette: Some(colors), ..speech };
            }
            (Topic::Welcome | Topic::Answer | Topic::Nod | Topic::Thanks, Some(message), _) => {
                speech.reply_to = Some(&message.id);
            }
            _ => {}
        }
        let call = self.utterance(Route::Say, &speech)?;
        match self.world.say(self.index, &call).await {
            Err(failure) => self.take_no(failure, Instant::now() + PATIENCE),
            Ok(said) => {
                self.credits = said.chat_credits;
                self.reading.renew(said.new_digest);
                Ok(())
            }
        }
    }

    fn utterance(&mut self, route: Route, speech: &Speech<'_>) -> Result<Call, Failure> {
        Call::new(route).key(&self.account.api_key).idempotency(self.next_key()).body(speech)
    }

    /// A refused word is no reason to stop painting: be quiet for a while.
    fn take_no(&mut self, failure: Failure, until: Instant) -> Result<(), Failure> {
        if failure.is_final() {
            return Err(failure);
        }
        let until = until.max(Instant::now() + failure.wait());
        self.quiet_until = self.quiet_until.max(until);
        self.no_reaction_until = self.no_reaction_until.max(until);
        Ok(())
    }

    /// A recent message to respond to, newer ones more likely.
    fn someone_elses(&mut self, fits: impl Fn(&Agent, &Message) -> bool) -> Option<Message> {
        let mine = Some(&self.account.id);
        let others = self.reading.messages.iter().rev();
        let others =
            others.filter(|m| m.agent_id.is_some() && m.agent_id.as_ref() != mine && m.content.is_some());
        let recent: Vec<Message> = others.filter(|m| fits(self, m)).take(8).cloned().collect();
        let [a, b] = [0, 1].map(|_| self.rng.random_range(0..recent.len().max(1)));
        recent.get(a.min(b)).cloned()
    }

    fn topic(&mut self, target: Option<&Message>) -> Topic {
        if self.unannounced >= OUTLOOK && !self.share.is_done() {
            return Topic::Intent;
        }
        match target {
            Some(message) if self.rng.random_bool(0.55) => reply_topic(message, &mut self.rng),
            _ => *[Topic::Ask, Topic::Progress, Topic::Progress, Topic::Musing]
                .choose(&mut self.rng)
                .unwrap_or(&Topic::Progress),
        }
    }

    fn scene(&mut self, outlook: Option<&(Rect, Vec<u8>)>, target: Option<&Message>) -> Scene {
        let world = self.world.clone();
        let region = outlook.map(|(region, _)| *region).or(self.share.region());
        let next = self.share.upcoming(1);
        let colors: Vec<&str> = outlook
            .iter()
            .flat_map(|(_, colors)| colors)
            .filter_map(|index| world.color_name(*index))
            .collect();
        let mut color = || colors.choose(&mut self.rng).copied().unwrap_or("last colour").to_owned();
        let (color, mut other) = (color(), color());
        if other == color {
            other = world.any_color(&color, &mut self.rng);
        }
        Scene {
            place: region.map_or("the canvas", |r| voice::place(r, world.canvas.width, world.canvas.height)),
            color,
            other,
            spot: next.first().map(|d| (d.x, d.y)).or(region.map(|r| (r.x2, r.y2))).unwrap_or_default(),
            percent: self.share.percent(),
            left: self.share.left(),
            name: target.and_then(|m| m.agent_name.clone()),
        }
    }
}

fn reply_topic(message: &Message, rng: &mut StdRng) -> Topic {
    let asks = message.content.as_deref().is_some_and(|content| content.contains('?'));
    match message.kind.as_str() {
        _ if asks => Topic::Answer,
        "intent" => Topic::Welcome,
        _ if rng.random_bool(0.4) => Topic::Thanks,
        _ => Topic::Nod,
    }
}
