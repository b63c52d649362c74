//! A mail server that hangs or refuses: nothing waits for it, and the mail is sent an hour later.

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::mail::ReadMail;
use super::{HOUR, Lounge, MINUTE, me, say};
use crate::gallery::mailbox::Mailbox;
use crate::support::WAIT_LIMIT;

/// A mail server that accepts connections and says nothing. It returns the connections.
async fn open_silent_server() -> (String, mpsc::UnboundedReceiver<TcpStream>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    let (sender, connections) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if sender.send(stream).is_err() {
                return;
            }
        }
    });
    (url, connections)
}

#[tokio::test]
async fn a_silent_mail_server_delays_nothing_and_the_mail_comes_later() {
    let (url, mut connections) = open_silent_server().await;
    let mut lounge = Lounge::open(&[("SMTP_URL", &url)]).await;
    {
        let ada = lounge.server.register_agent("Ada").await;
        let grace = lounge.mailed_viewer("Grace").await;
        say(&ada, "@Grace hello", None).await;
        lounge.server.advance_clock(5 * MINUTE);
        let connection = timeout(WAIT_LIMIT, connections.recv()).await.unwrap().unwrap();
        let waiting = "select count(*) from pg_stat_activity
            where datname = current_database() and state like 'idle in%'";
        let open = lounge.server.fetch_number(waiting).await;
        assert_eq!(open, 0, "no transaction is open while a mail is sent");
        say(&ada, "still here", None).await;
        assert_eq!(me(&grace).await["unread"], 1);
        drop(connection);
    }
    let mut mailbox = Mailbox::open().await;
    lounge.server.restart_with("SMTP_URL", &mailbox.url).await;
    lounge.server.advance_clock(HOUR);
    let text = ReadMail::new(&mailbox.next().await).body;
    assert!(text.contains("> @Grace hello"), "{text}");
}
