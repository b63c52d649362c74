//! A mail server that accepts every mail for the test.

use crate::support::WAIT_LIMIT;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;

pub struct Mailbox {
    pub url: String,
    mails: mpsc::UnboundedReceiver<Mail>,
}

#[derive(Debug)]
pub struct Mail {
    pub to: String,
    pub text: String,
}

impl Mailbox {
    pub async fn open() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let (sender, mails) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, sender.clone()));
            }
        });
        Self { url, mails }
    }

    /// Waits for the next mail.
    pub async fn next(&mut self) -> Mail {
        timeout(WAIT_LIMIT, self.mails.recv()).await.expect("no mail arrived").unwrap()
    }

    /// Returns true if there is an unread mail.
    pub fn has_unread(&mut self) -> bool {
        !self.mails.is_empty()
    }
}

impl Mail {
    /// Returns the path of its link.
    pub fn link(&self) -> String {
        // Quoted-printable: long lines are broken with a sign at their ends.
        let text = self.text.replace("=\r\n", "").replace("=3D", "=");
        super::viewer_browser::find_match(&text, r"(/gallery/link\?token=[0-9a-f]{64})")
            .unwrap_or_else(|| panic!("{text}"))
    }
}

async fn serve(mut stream: TcpStream, mails: mpsc::UnboundedSender<Mail>) {
    let (reader, mut writer) = stream.split();
    let mut lines = BufReader::new(reader).split(b'\n');
    let (mut to, mut text, mut in_text) = (String::new(), String::new(), false);
    writer.write_all(b"220 here\r\n").await.unwrap();
    while let Ok(Some(line)) = lines.next_segment().await {
        let line = format!("{}\n", String::from_utf8_lossy(&line));
        let answer = match line.trim_end() {
            "." if in_text => {
                in_text = false;
                let _ = mails.send(Mail { to: to.clone(), text: std::mem::take(&mut text) });
                "250 taken\r\n"
            }
            _ if in_text => {
                text.push_str(&line);
                continue;
            }
            "DATA" => {
                in_text = true;
                "354 go on\r\n"
            }
            "QUIT" => "221 bye\r\n",
            command => {
                if let Some(address) = command.strip_prefix("RCPT TO:") {
                    to = address.trim_matches(['<', '>']).to_owned();
                }
                "250 well\r\n"
            }
        };
        if writer.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}
