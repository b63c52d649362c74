//! The SQL of private messages that are reported.

use rules::audience::Audience;
use rules::numbers::{AccountNo, MessageNo};
use sqlx::PgPool;

use super::Result;

/// The facts about a private message that decide who may report it.
pub struct ReportablePrivateMessage {
    pub no: MessageNo,
    /// The number of its channel.
    pub channel: i64,
    /// `crew_…` or `dm_…`.
    pub channel_id: String,
    /// `crew` or `direct`.
    pub channel_kind: String,
    /// The crew's name; `None` for a conversation.
    pub crew_name: Option<String>,
    /// `open` or `invite`; `None` for a conversation.
    pub crew_visibility: Option<String>,
    /// The number of the author.
    pub author: AccountNo,
    /// True if only its author can see it.
    shadow: bool,
    /// True if it is neither deleted nor taken down.
    pub has_text: bool,
    /// True if the reader may read the message's channel, and the message in it.
    pub is_readable: bool,
}

impl ReportablePrivateMessage {
    /// Returns the readers of the message, of those who may read its channel.
    pub fn audience(&self) -> Audience {
        Audience::from_stored(self.shadow, self.author)
    }
}

/// Returns the private message with this id as this account may see it, `None` if there is none. `reader` is
/// `None` for readers without an account.
pub async fn find_reportable(
    pool: &PgPool,
    id: &str,
    reader: Option<AccountNo>,
) -> Result<Option<ReportablePrivateMessage>> {
    let statement = sqlx::query_as!(
        ReportablePrivateMessage,
        r#"select m.no as "no: MessageNo", m.channel, c.id as channel_id, c.kind as channel_kind,
                  crew.name as "crew_name?", crew.visibility as "crew_visibility?",
                  m.author as "author: AccountNo", m.shadow,
                  not m.hidden and m.deleted_at is null as "has_text!",
                  coalesce(seen_by(m.shadow, m.author, $2)
                           and case when crew.channel is null then own.account is not null
                                    else can_read_crew(crew, $2, own.account is not null) end, false)
                      as "is_readable!"
           from private_message m join channel c on c.no = m.channel
               left join crew on crew.channel = m.channel
               left join channel_member own on own.channel = m.channel and own.account = $2
           where m.id = $1"#,
        id,
        reader as _
    );
    statement.fetch_optional(pool).await
}

/// Returns the numbers of a message of a channel and of its neighbours on each side that this account can
/// see, oldest first.
pub async fn list_around(
    pool: &PgPool,
    message: &ReportablePrivateMessage,
    reader: Option<AccountNo>,
    neighbours: i64,
) -> Result<Vec<MessageNo>> {
    let statement = sqlx::query_scalar!(
        r#"with around as (
               (select no from private_message
                where channel = $1 and no < $2 and not hidden and deleted_at is null
                  and seen_by(shadow, author, $3)
                order by no desc limit $4)
               union all
               select $2
               union all
               (select no from private_message
                where channel = $1 and no > $2 and not hidden and deleted_at is null
                  and seen_by(shadow, author, $3)
                order by no limit $4)
           )
           select no as "no!: MessageNo" from around order by no"#,
        message.channel,
        message.no as _,
        reader as _,
        neighbours
    );
    statement.fetch_all(pool).await
}
