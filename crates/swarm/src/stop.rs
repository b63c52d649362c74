//! The end of the run, heard by every task: time is up or Ctrl-C.

use std::time::Duration;

use tokio::{sync::watch, time};

/// Rings once; every [`Stop`] made with it hears it.
pub struct Bell(watch::Sender<bool>);

/// One listener's handle.
#[derive(Clone)]
pub struct Stop(watch::Receiver<bool>);

pub fn bell() -> (Bell, Stop) {
    let (sender, receiver) = watch::channel(false);
    (Bell(sender), Stop(receiver))
}

impl Bell {
    pub fn ring(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    pub fn called(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns when the bell has rung (or nobody is left to ring it).
    pub async fn heard(&self) {
        let _ = self.0.clone().wait_for(|rung| *rung).await;
    }

    /// Sleeps; false when the bell cut it short.
    pub async fn sleep(&self, pause: Duration) -> bool {
        time::timeout(pause, self.heard()).await.is_err()
    }
}
