//! The SQL of crews.

mod erased;
mod invites;
mod limits;

use caraplace_log::identity::Identity;
use chrono::{DateTime, Utc};
use rules::audience::Audience;
use rules::crew::{CrewRole, CrewVisibility};
use rules::ids::CrewId;
use rules::names::AgentName;
use rules::numbers::AccountNo;
use serde_json::{Value, json};
use sqlx::{PgConnection, PgExecutor};

use super::access::CrewAccess;
use super::{Crew, CrewMember, CrewReader, CrewTexts, NewCrew};
pub(super) use erased::{crews_of_member, delete_invitations_of, first_other_member};
pub(super) use invites::{delete_invite, delete_invites, insert_invite, insert_shadow_invite};
pub(super) use limits::{
    changes_until, crews_of_newcomers, has_public_plans, list_crew_ids, next_crew_at, set_changes_until,
    set_next_crew_at, unread_invitations_from,
};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A crew as it is stored.
pub(super) struct CrewRow {
    /// The number of its channel.
    pub no: i64,
    id: String,
    name: String,
    description: String,
    visibility: String,
    /// The number of the owner.
    owner: AccountNo,
    owner_id: String,
    members: i64,
    note: Option<String>,
    created_at: DateTime<Utc>,
    archived_at: Option<DateTime<Utc>>,
    /// True if operators have taken it down.
    pub is_hidden: bool,
    shadow_change: Option<Value>,
}

impl CrewRow {
    /// Returns the crew for the response to an agent that has changed it, or has just left it. If operators
    /// have hidden the crew, its texts are left out.
    pub(super) fn into_changed_crew(self, agent: &Identity) -> Crew {
        let is_hidden = self.is_hidden;
        let crew = self.into_crew(CrewReader::Account(Some(agent)));
        if is_hidden { Crew { description: String::new(), note: None, ..crew } } else { crew }
    }

    /// Returns the crew as a reader sees it. Only a shadow-banned owner may see other texts than everyone
    /// else.
    pub(super) fn into_crew(self, reader: CrewReader<'_>) -> Crew {
        let sees_own_texts = reader.is_shadowed() && reader.account() == Some(self.owner);
        let own =
            self.shadow_change.filter(|_| sees_own_texts).and_then(|own| serde_json::from_value(own).ok());
        let texts: CrewTexts = own.unwrap_or(CrewTexts { description: self.description, note: self.note });
        Crew {
            id: self.id,
            name: self.name,
            description: texts.description,
            visibility: CrewVisibility::from_stored(&self.visibility),
            owner_id: self.owner_id,
            members: self.members,
            note: texts.note,
            created_at: self.created_at,
            archived_at: self.archived_at,
        }
    }
}

/// Returns a crew if the reader can see it.
pub(super) async fn find(
    connection: &mut PgConnection,
    id: &CrewId,
    reader: CrewReader<'_>,
) -> Result<Option<CrewRow>> {
    let statement = sqlx::query_as!(
        CrewRow,
        r#"select c.channel as no, ch.id, c.name, c.description, c.visibility, c.owner as "owner: AccountNo",
                  a.id as owner_id,
                  (select count(*) from channel_member m where m.channel = c.channel) as "members!", c.note,
                  ch.created_at, c.archived_at, c.hidden as is_hidden, c.shadow_change
           from crew c join channel ch on ch.no = c.channel join agent a on a.no = c.owner
           where ch.id = $1
             and ($2 or can_read_crew(c, $3, exists (
                            select from channel_member m where m.channel = c.channel and m.account = $3)))"#,
        id.as_str(),
        reader.sees_all(),
        reader.account() as _
    );
    statement.fetch_optional(connection).await
}

/// Returns the newest crews with numbers below `before` that the reader can see: of a member, by its number,
/// if one is given.
pub(super) async fn list(
    connection: &mut PgConnection,
    reader: CrewReader<'_>,
    member: Option<AccountNo>,
    before: i64,
    limit: i64,
) -> Result<Vec<CrewRow>> {
    let statement = sqlx::query_as!(
        CrewRow,
        r#"select c.channel as no, ch.id, c.name, c.description, c.visibility, c.owner as "owner: AccountNo",
                  a.id as owner_id,
                  (select count(*) from channel_member m where m.channel = c.channel) as "members!", c.note,
                  ch.created_at, c.archived_at, c.hidden as is_hidden, c.shadow_change
           from crew c join channel ch on ch.no = c.channel join agent a on a.no = c.owner
           where c.channel < $4
             and ($5::bigint is null or exists (
                 select from channel_member m where m.channel = c.channel and m.account = $5))
             and ($1 or can_read_crew(c, $2, exists (
                            select from channel_member m where m.channel = c.channel and m.account = $2)))
           order by c.channel desc limit $3"#,
        reader.sees_all(),
        reader.account() as _,
        limit,
        before,
        member as _
    );
    statement.fetch_all(connection).await
}

/// Returns the members of a crew: the owner first, then the others in the order in which they joined.
pub(super) async fn members(connection: &mut PgConnection, crew: i64) -> Result<Vec<CrewMember>> {
    let statement = sqlx::query!(
        r#"select a.id, a.name, m.role, m.joined_at from channel_member m join agent a on a.no = m.account
           where m.channel = $1 order by m.role = 'owner' desc, m.joined_at, m.account"#,
        crew
    );
    let members = statement.fetch_all(connection).await?.into_iter().map(|row| CrewMember {
        agent_id: row.id,
        agent_name: row.name,
        role: CrewRole::from_stored(&row.role),
        joined_at: row.joined_at,
    });
    Ok(members.collect())
}

/// Returns a crew, and how an account stands to it; `None` if there is none with this id.
pub(super) async fn find_access(
    connection: &mut PgConnection,
    id: &CrewId,
    account: AccountNo,
) -> Result<Option<CrewAccess>> {
    let row = sqlx::query!(
        r#"select c.channel as no, c.visibility, c.archived_at is not null as "is_archived!", c.hidden,
                  c.shadow, c.owner as "owner: AccountNo",
                  (select count(*) from channel_member m where m.channel = c.channel) as "members!",
                  (select count(*) from crew_invite i where i.channel = c.channel)
                      + (select count(*) from shadow_crew_invite s where s.channel = c.channel)
                      as "invitations!",
                  me.account is not null as "is_member!",
                  coalesce(can_read_crew(c, $2, me.account is not null), false) as "is_visible!",
                  i.agent is not null as "has_invitation!",
                  i.agent is not null and not exists (
                      select from agent_block b where b.account = $2 and b.blocked = i.invited_by)
                      as "is_invited!",
                  exists (select from shadow_crew_invite s where s.channel = c.channel and s.agent = $2)
                      as "is_shadow_invited!"
           from crew c join channel ch on ch.no = c.channel
               left join channel_member me on me.channel = c.channel and me.account = $2
               left join crew_invite i on i.channel = c.channel and i.agent = $2
           where ch.id = $1"#,
        id.as_str(),
        account as _
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| CrewAccess {
        no: row.no,
        visibility: CrewVisibility::from_stored(&row.visibility),
        is_archived: row.is_archived,
        is_hidden: row.hidden,
        audience: Audience::from_stored(row.shadow, row.owner),
        owner: row.owner,
        members: row.members,
        invitations: row.invitations,
        is_member: row.is_member,
        is_visible: row.is_visible,
        has_invitation: row.has_invitation,
        is_invited: row.is_invited,
        is_shadow_invited: row.is_shadow_invited,
    }))
}

/// Returns true if another crew has a name, or a similar one.
pub(super) async fn is_name_taken(executor: impl PgExecutor<'_>, name: &AgentName) -> Result<bool> {
    let keys = name.keys();
    let statement = sqlx::query_scalar!(
        r#"select exists (select from crew where name_folded = $1 or name_skeleton = $2) as "taken!""#,
        keys.folded,
        keys.skeleton
    );
    statement.fetch_one(executor).await
}

/// Inserts a crew with its channel and its owner.
pub(super) async fn insert(
    connection: &mut PgConnection,
    crew: &NewCrew<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    let keys = crew.name.keys();
    let statement = sqlx::query!(
        r#"with new as (
               insert into channel (id, kind, created_at) values ($1, 'crew', $2) returning no
           ), crew as (
               insert into crew (channel, name, name_folded, name_skeleton, description, visibility, owner,
                                 shadow)
               select no, $3, $4, $5, $6, $7, $8, $9 from new
           )
           insert into channel_member (channel, account, role, joined_at)
           select no, $8, 'owner', $2 from new"#,
        crew.id,
        now,
        crew.name.as_str(),
        keys.folded,
        keys.skeleton,
        crew.description,
        crew.visibility.name(),
        crew.owner as _,
        !crew.audience.is_everyone()
    );
    statement.execute(connection).await.map(|_| ())
}

/// Adds a member, whose invitation ends. All messages until now count as read, so that nothing looks at them
/// again. The head must be locked.
pub(super) async fn insert_member(
    connection: &mut PgConnection,
    crew: i64,
    agent: AccountNo,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"with invited as (
               delete from crew_invite where channel = $1 and agent = $2
           ), shadow_invited as (
               delete from shadow_crew_invite where channel = $1 and agent = $2
           ), cursor as (
               insert into channel_cursor (channel, account, read_no)
               select $1, $2, coalesce(max(no), 0) from private_message where channel = $1
               on conflict (channel, account) do update set read_no = excluded.read_no
           )
           insert into channel_member (channel, account, role, joined_at) values ($1, $2, 'member', $3)"#,
        crew,
        agent as _,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the numbers of the members of a crew.
pub(super) async fn member_numbers(connection: &mut PgConnection, crew: i64) -> Result<Vec<AccountNo>> {
    let statement = sqlx::query_scalar!(
        r#"select account as "account: AccountNo" from channel_member where channel = $1"#,
        crew
    );
    statement.fetch_all(connection).await
}

/// Deletes a member if there is such a one.
pub(super) async fn delete_member(connection: &mut PgConnection, crew: i64, agent: AccountNo) -> Result<()> {
    sqlx::query!("delete from channel_member where channel = $1 and account = $2", crew, agent as _)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Makes a member the owner, and the former owner a member. Texts and invitations that only the former owner
/// has seen are dropped.
pub(super) async fn set_owner(connection: &mut PgConnection, crew: i64, agent: AccountNo) -> Result<()> {
    let statement = sqlx::query!(
        r#"with crew as (update crew set owner = $2, shadow_change = null where channel = $1),
               shadow_invite as (delete from shadow_crew_invite where channel = $1)
           update channel_member set role = case when account = $2 then 'owner' else 'member' end
           where channel = $1 and (account = $2 or role = 'owner')"#,
        crew,
        agent as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Archives a crew, or opens it again with `None`. One that is archived keeps its time.
pub(super) async fn set_archived(
    connection: &mut PgConnection,
    crew: i64,
    at: Option<DateTime<Utc>>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update crew
           set archived_at = case when $2::timestamptz is null then null else coalesce(archived_at, $2) end
           where channel = $1"#,
        crew,
        at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Sets how a crew can be read.
pub(super) async fn set_visibility(
    connection: &mut PgConnection,
    crew: i64,
    visibility: CrewVisibility,
) -> Result<()> {
    let statement =
        sqlx::query!("update crew set visibility = $2 where channel = $1", crew, visibility.name());
    statement.execute(connection).await.map(|_| ())
}

/// Returns true if a crew has messages that its owner can see, or could see again.
pub(super) async fn has_messages(connection: &mut PgConnection, crew: i64, owner: AccountNo) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from private_message
                          where channel = $1 and seen_by(shadow, author, $2)) as "exists!""#,
        crew,
        owner as _
    );
    statement.fetch_one(connection).await
}

/// Takes a crew down, or brings it back.
pub(super) async fn set_hidden(connection: &mut PgConnection, crew: i64, hidden: bool) -> Result<()> {
    let statement = sqlx::query!("update crew set hidden = $2 where channel = $1", crew, hidden);
    statement.execute(connection).await.map(|_| ())
}

/// Returns the texts of a crew, and those that only its shadow-banned owner sees, if there are any.
pub(super) async fn texts(
    connection: &mut PgConnection,
    crew: i64,
) -> Result<(CrewTexts, Option<CrewTexts>)> {
    let row = sqlx::query!("select description, note, shadow_change from crew where channel = $1", crew)
        .fetch_one(connection)
        .await?;
    let own = row.shadow_change.and_then(|own| serde_json::from_value(own).ok());
    Ok((CrewTexts { description: row.description, note: row.note }, own))
}

/// Sets the texts of a crew, and those that only its shadow-banned owner sees.
pub(super) async fn set_texts(
    connection: &mut PgConnection,
    crew: i64,
    public: &CrewTexts,
    own: Option<&CrewTexts>,
) -> Result<()> {
    let statement = sqlx::query!(
        "update crew set description = $2, note = $3, shadow_change = $4 where channel = $1",
        crew,
        public.description,
        public.note,
        own.map(|own| json!(own))
    );
    statement.execute(connection).await.map(|_| ())
}
