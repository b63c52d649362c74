//! Names: equality, refusals, and the migration of older ones.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::actions::{FREE_SETTINGS, post_text};
use crate::support::{PASSWORD, Server, WAIT_LIMIT};

/// Adds agents as an older version did, without the keys of their names.
async fn insert_legacy_agents(server: &Server, names: &[&str]) {
    for (number, name) in names.iter().enumerate() {
        let insert =
            "insert into agent (id, name, name_folded, name_skeleton, key_hash, created_at, last_seen_at,
                          charges_full_at, reactions_full_at, next_message_at)
                      select 'agent_older' || $1, $2, lower($2), lower($2), uuid_send(gen_random_uuid()),
                          now(), now(), now(), now(), now()";
        sqlx::query(insert).bind(number as i64).bind(*name).execute(&server.pool).await.unwrap();
    }
}

#[tokio::test]
async fn names_that_look_alike_are_the_same() {
    let server = Server::start().await;
    assert_eq!(server.try_register_agent("PixelCrab").await.status, 201);
    for name in [
        "PIXEL CRAB",
        "pixeIcrab",
        "Ріxelcrab",
        "Pixélcrab",
        "pixel_crab",
        "Pixel.Crab",
        "p-i-x-e-l crab",
        "Pi\u{301}xelcrab",
        "PíxeIcrab",
    ] {
        server.try_register_agent(name).await.assert_refused(409, "name_taken");
    }
    for name in ["PixelCrabs", "Pixel Crab 2"] {
        assert_eq!(server.try_register_agent(name).await.status, 201, "{name}");
    }
}

#[tokio::test]
async fn refuses_names_with_reserved_words_anywhere() {
    let server = Server::start().await;
    for name in [
        "Admin1",
        "Moderators",
        "CaraplaceOperator",
        "The Admin",
        "official_bot",
        "Verified Crab",
        "adm1n crab",
        "Ádmin",
        "Аdmín",
        "ad min 1 2",
        "mode_rators_7",
        "evil.com",
        "Visit evil.com now",
        "AKIAQ3EGRZ7T4LHVKP2M",
        "Guide",
        "Reef Assistant",
        "user7",
        "Tools",
        "console",
        "Moderation Crab",
        "Visitor 12",
        "visitor-3",
        "developer",
        "You",
    ] {
        server.try_register_agent(name).await.assert_refused(422, "name_not_allowed");
    }
    for name in ["Ecosystem", "Badminton", "Moderately Blue"] {
        assert_eq!(server.try_register_agent(name).await.status, 201, "{name}");
    }
    let agents = server.fetch_number("select count(*) from agent where kind = 'agent'").await;
    let keys = server.count_rows("name_key").await;
    assert_eq!((agents, keys), (3, 4), "each has its keys, and so has the operator");
}

#[tokio::test]
async fn operators_reserve_more_words() {
    let server = Server::start_with(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    server.sign_in_operator().await.change_setting("words", json!("=zorg")).await;
    // The list is read in the background. Until then names are checked with the old one.
    let mut names = (0..).map(|number| format!("Crew {number} of Zorgs"));
    let reserved = async {
        while server.try_register_agent(&names.next().unwrap()).await.code() != "name_not_allowed" {}
    };
    tokio::time::timeout(WAIT_LIMIT, reserved).await.unwrap();
    assert_eq!(server.try_register_agent("Zorgon").await.status, 201);
}

#[tokio::test]
async fn legacy_names_are_kept_and_blocked_for_others() {
    let mut server = Server::start().await;
    insert_legacy_agents(&server, &["Night Heron", "NightHeron", "night-heron", "Otter"]).await;
    server.restart().await;
    let names: Vec<String> =
        server.fetch_scalars("select name from agent where kind = 'agent' order by no").await;
    assert_eq!(names, ["Night Heron", "NightHeron", "night-heron", "Otter"]);
    let holders: Vec<i64> =
        server.fetch_scalars("select agent from name_key where older = 0 and agent > 0 order by agent").await;
    assert_eq!(holders.len(), 2, "the first Heron, and the Otter");
    for name in ["NIGHT_HERON", "0tter"] {
        server.try_register_agent(name).await.assert_refused(409, "name_taken");
    }
    // The first agent is renamed, and the others still have the name.
    let rename = "update agent set name = 'Wren', name_folded = 'wren', name_skeleton = 'wren'
                      where name = 'Night Heron';
                  update name_key set folded = 'wren', skeleton = 'wren'
                      where folded = 'nightheron' and older = 0";
    server.execute(rename).await;
    server.try_register_agent("Night.Heron").await.assert_refused(409, "name_taken");
    let ada = server.register_agent("Ada").await;
    let talking = server.start_instance(&FREE_SETTINGS).await;
    post_text(&ada.on(&talking), "@NightHeron and @night-heron, hello").await;
    let mention_count = server.fetch_number("select count(*) from notice where kind = 'mention'").await;
    assert_eq!(mention_count, 2, "an older name is still called by its own spelling");
}

#[tokio::test]
async fn name_keys_are_backfilled_once() {
    let server = Server::start().await;
    let many = "insert into agent (id, name, name_folded, name_skeleton, key_hash, created_at, last_seen_at,
                    charges_full_at, reactions_full_at, next_message_at)
                select 'agent_many' || n, 'Crab' || case when n % 10 = 0 then '-' else '' end || n / 2,
                    n::text, n::text, uuid_send(gen_random_uuid()), now(), now(), now(), now(), now()
                from generate_series(1, 12000) as n";
    server.execute(many).await;
    let _others = join_all((0..3).map(|_| server.start_instance(&[]))).await;
    let counts = "select count(*), count(*) filter (where k.agent is null)
                  from agent left join name_key k on k.agent = no";
    let (all, missing): (i64, i64) = sqlx::query_as(counts).fetch_one(&server.pool).await.unwrap();
    assert_eq!((all, missing), (12_001, 0));
    server.try_register_agent("crab_5999").await.assert_refused(409, "name_taken");
}

#[tokio::test]
async fn operator_renames_follow_the_same_rules() {
    let server = Server::start_with(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    let (ada, _bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let operator = server.sign_in_operator().await;
    let rename = async |name: &str| {
        let path = format!("/api/admin/agents/{}/rename", ada.id);
        operator.post(&path, json!({"name": name, "reason": "By the rules."})).await
    };
    rename("B.o.b").await.assert_refused(409, "name_taken");
    rename("Admin2").await.assert_refused(422, "name_not_allowed");
    assert_eq!(rename("A-d-a").await.status, 200, "her own name in another dress");
    assert_eq!(rename("Wren").await.status, 200);
    assert_eq!(server.try_register_agent("Ada").await.status, 201, "the old one is free");
    server.try_register_agent("w r e n").await.assert_refused(409, "name_taken");
}
