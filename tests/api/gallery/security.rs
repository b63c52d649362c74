//! Attacks that must fail: session fixation, foreign pages, open redirects, guessed keys.

use caraplace_accounts::key_cache::KeyCache;
use futures_util::stream::{self, StreamExt as _};
use platform::tokens::hash;
use reqwest::RequestBuilder;

use super::viewer_browser::find_shown_key;
use super::{Shop, ViewerBrowser, stripe_settings};
use crate::support::{Reply, Server, with_form_body};

/// The paths of all forms that change something.
const FORM_NAMES: [&str; 8] = ["checkout", "portal", "sign-in", "sign-out", "name", "key", "lost", "link"];

#[tokio::test]
async fn cookies_are_http_only_and_same_site() {
    let shop = Shop::start().await;
    let mut person = shop.new_browser();
    let page = person.get("/gallery").await;
    let cookie = page.header("set-cookie");
    assert!(cookie.contains("; HttpOnly; SameSite=Lax") && cookie.contains("; Path=/;"), "{cookie}");
    assert!(!cookie.contains("Secure"), "{cookie}");
    let id = person.begin_checkout("gallery").await;
    shop.stripe.pay(&id, "ada@example.com");
    let back = person.return_from_checkout(&id).await;
    let cookie = back.header("set-cookie");
    assert!(cookie.starts_with("caraplace_viewer=") && !cookie.contains("Domain"), "{cookie}");
    assert!(cookie.contains("; HttpOnly; SameSite=Lax"), "{cookie}");
}

#[tokio::test]
async fn behind_tls_cookies_are_secure_and_bound_to_the_host() {
    let public = ("CARAPLACE_PUBLIC_URL", "https://paint.example");
    let settings = [&stripe_settings("http://127.0.0.1:9")[..], &[public]].concat();
    let server = Server::start_with(&settings).await;
    let page = server.get("/gallery").await;
    let cookie = page.header("set-cookie");
    assert!(cookie.starts_with("__Host-caraplace_form=") && cookie.ends_with("; Secure"), "{cookie}");
}

#[tokio::test]
async fn each_sign_in_starts_a_new_session_and_ends_the_old_one() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let (key, first) = (person.key.clone().unwrap(), person.session().unwrap().to_owned());
    let reply = person.submit("/gallery/sign-in", &[("key", &key)]).await;
    assert_eq!((reply.status, reply.header("location")), (303, "/gallery"));
    assert_ne!(person.session().unwrap(), first);
    let mut thief = shop.new_browser();
    thief.cookies.insert("caraplace_viewer".into(), first);
    assert_eq!(thief.me().await.status, 401);
    // A session that an attacker has planted is not used.
    let mut victim = shop.new_browser();
    let planted = "ab".repeat(32);
    victim.cookies.insert("caraplace_viewer".into(), planted.clone());
    victim.submit("/gallery/sign-in", &[("key", &key)]).await;
    assert_ne!(victim.session(), Some(planted.as_str()));
    thief.cookies.insert("caraplace_viewer".into(), planted);
    assert_eq!(thief.me().await.status, 401);
}

#[tokio::test]
async fn sessions_end_on_sign_out_and_expiry() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let session = person.session().unwrap().to_owned();
    assert_eq!(person.submit("/gallery/sign-out", &[]).await.status, 303);
    assert_eq!(person.session(), None);
    person.cookies.insert("caraplace_viewer".into(), session);
    assert_eq!(person.me().await.status, 401);
    let other = shop.viewer_with_pass("bob@example.com").await;
    shop.server.advance_clock(90 * 86_400);
    assert_eq!(other.me().await.status, 401);
    other.post_message("hello").await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn refuses_forms_without_a_valid_token_or_origin() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let (token, before) = (person.fetch_form_token().await, person.me().await.body);
    let mut stranger = shop.new_browser();
    let foreign = stranger.fetch_form_token().await;
    for path in FORM_NAMES.map(|name| format!("/gallery/{name}")) {
        let send = |token: &str, headers: &[(&str, &str)]| {
            let fields =
                [("token", token), ("name", "Eve"), ("tier", "gallery"), ("key", "gp_1"), ("email", "a@b.c")];
            let request: RequestBuilder = person.with_browser_headers(shop.server.post_request(&path));
            let add = |request: RequestBuilder, (name, value): &(&str, &str)| request.header(*name, *value);
            with_form_body(headers.iter().fold(request, add), &fields)
        };
        for (token, headers) in [
            ("", &[][..]),
            (foreign.as_str(), &[]),
            (token.as_str(), &[("Origin", "https://evil.example")]),
            (token.as_str(), &[("Origin", "null")]),
            (token.as_str(), &[("Sec-Fetch-Site", "cross-site")]),
            (token.as_str(), &[("Sec-Fetch-Site", "same-site")]),
        ] {
            let reply = Reply::fetch(send(token, headers)).await;
            assert_eq!(reply.status, 403, "{path} {headers:?}: {}", reply.text());
            assert_eq!(find_shown_key(&reply), None, "{path} {headers:?}: {}", reply.text());
        }
    }
    assert_eq!(person.me().await.body, before);
}

#[tokio::test]
async fn cookie_posts_only_from_same_origin() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    for (name, value) in [
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "none"),
        ("X-Nothing", "said"),
    ] {
        let request = person.message_request("hello").header(name, value);
        Reply::fetch(request).await.assert_refused(403, "forbidden");
    }
    let origin = shop.server.url("");
    assert_eq!(Reply::fetch(person.message_request("hello").header("Origin", origin)).await.status, 201);
}

#[tokio::test]
async fn ignores_redirect_targets_from_forms() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let key = person.key.clone().unwrap();
    // A viewer with a pass cannot buy another.
    shop.server.advance_clock(34 * 86_400);
    for next in ["https://evil.example", "//evil.example", "/\\evil.example"] {
        let fields = [("key", key.as_str()), ("next", next), ("return_url", next), ("success_url", next)];
        for path in ["/gallery/sign-in", "/gallery/sign-out"] {
            let reply = person.submit(path, &fields).await;
            assert_eq!((reply.status, reply.header("location")), (303, "/gallery"), "{path}");
        }
        let reply = person.submit("/gallery/checkout", &[&fields[..], &[("tier", "gallery")]].concat()).await;
        assert!(reply.header("location").starts_with(&shop.stripe.url));
        let welcome = person.get(&format!("/gallery/welcome?session_id=cs_1&next={next}")).await;
        assert!(!welcome.headers.contains_key("location") && !welcome.text().contains("evil.example"));
    }
    let books = shop.stripe.state.lock();
    let mut values = books.forms.iter().flat_map(|(_, form)| form.values());
    assert!(!values.any(|value| value.contains("evil")));
}

#[tokio::test]
async fn sign_in_requires_a_viewer_key_and_limits_guesses() {
    let shop = Shop::start().await;
    let ada = shop.server.register_agent("Ada").await;
    let mut person = shop.new_browser();
    let wrong = format!("gp_{}", "0".repeat(64));
    for (key, status) in [("", 401), ("gp_", 401), (wrong.as_str(), 401), (ada.key.as_str(), 403)] {
        let reply = person.submit("/gallery/sign-in", &[("key", key)]).await;
        assert_eq!((reply.status, person.session()), (status, None), "{key}");
    }
    let token = person.fetch_form_token().await;
    let fields = [("token", token.as_str()), ("key", &wrong)];
    let guess = || person.form_request("/gallery/sign-in", &fields);
    let guesses = stream::iter(0..600).map(|_| Reply::fetch(guess()));
    let answers: Vec<u16> = guesses.buffer_unordered(20).map(|reply| reply.status).collect().await;
    assert!(answers.contains(&503), "continued guessing is not limited: {answers:?}");
}

#[tokio::test]
async fn wrong_keys_from_the_same_address_do_not_block_sessions() {
    let mut shop = Shop::start().await;
    let cookies = shop.viewer_with_pass("ada@example.com").await.cookies;
    // The restart clears all caches.
    shop.server.restart().await;
    let mut person = shop.new_browser();
    person.cookies = cookies;
    for (name, value) in [("Authorization", "Bearer gp_"), ("Cookie", "caraplace_viewer=")] {
        let guesses = stream::iter(0..800).map(|number| {
            let request = shop.server.get_request("/api/viewers/me");
            Reply::fetch(request.header(name, format!("{value}{number:064x}")))
        });
        let answers: Vec<u16> = guesses.buffer_unordered(20).map(|reply| reply.status).collect().await;
        assert!(answers.contains(&503), "continued guessing is not limited: {answers:?}");
        assert_eq!(person.me().await.status, 200, "{name}");
    }
}

#[tokio::test]
async fn session_over_its_limit_is_refused_without_a_query() {
    let mut shop = Shop::start().await;
    let cookies = shop.viewer_with_pass("ada@example.com").await.cookies;
    shop.server.restart_with("CARAPLACE_REQUESTS_PER_MINUTE", "6").await;
    let mut person = shop.new_browser();
    person.cookies = cookies;
    // The limit permits another request every ten seconds, so a slow run needs some more.
    let mut statuses = Vec::new();
    while statuses.last() != Some(&429) && statuses.len() < 60 {
        statuses.push(person.me().await.status);
    }
    assert_eq!((statuses[0], statuses.last()), (200, Some(&429)), "{statuses:?}");
    let mut transaction = shop.server.pool.begin().await.unwrap();
    let lock = "lock table gallery_session in access exclusive mode";
    sqlx::query(lock).execute(&mut *transaction).await.unwrap();
    person.me().await.assert_refused(429, "too_many_requests");
}

#[tokio::test]
async fn new_key_replaces_the_old_one_on_every_instance() {
    let shop = Shop::start().await;
    let second = shop.server.start_instance(&stripe_settings(&shop.stripe.url)).await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let old = person.key.clone().unwrap();
    let me = async |server: &Server, key: &str| server.client_with_key(key).get("/api/viewers/me").await;
    assert_eq!(me(&second, &old).await.status, 200);
    let mut thief = shop.new_browser();
    thief.submit("/gallery/sign-in", &[("key", &old)]).await;
    assert_eq!(thief.me().await.status, 200);
    let page = person.submit("/gallery/key", &[]).await;
    let new = find_shown_key(&page).unwrap();
    assert_eq!(person.me().await.status, 200, "the browser stays signed in");
    assert_eq!(thief.me().await.status, 401, "no other browser is signed in");
    for server in [&shop.server, &second] {
        server.client_with_key(&old).post_message("old").await.assert_refused(401, "key_invalid");
        assert_eq!(me(server, &new).await.status, 200);
    }
}

#[tokio::test]
async fn replaced_key_opens_no_session_while_still_cached() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let key = person.key.clone().unwrap();
    let mut thief = shop.new_browser();
    let state = &shop.server.running().state;
    state.log.refresh().await.unwrap();
    // The follower may just be applying the entry of the pass once more, and forget the key.
    for _ in 0..20 {
        assert_eq!(thief.submit("/gallery/sign-in", &[("key", &key)]).await.status, 303);
        if KeyCache::of(state).find(&hash(&key), state.clock.now()).is_some() {
            break;
        }
    }
    assert!(KeyCache::of(state).find(&hash(&key), state.clock.now()).is_some());
    // As another instance would change it, before its notification arrives.
    shop.server.execute("update agent set key_generation = key_generation + 1 where kind = 'viewer'").await;
    let mut again = shop.new_browser();
    let reply = again.submit("/gallery/sign-in", &[("key", &key)]).await;
    assert_eq!((reply.status, again.session()), (401, None));
}

#[tokio::test]
async fn old_key_is_refused_while_it_is_being_replaced() {
    let shop = Shop::start().await;
    let owner = shop.viewer_with_pass("ada@example.com").await;
    let key = owner.key.clone().unwrap();
    let (mut thief, mut guest) = (shop.new_browser(), shop.new_browser());
    thief.submit("/gallery/sign-in", &[("key", &key)]).await;
    let (own, foreign) = (thief.fetch_form_token().await, guest.fetch_form_token().await);
    let mut change = shop.server.pool.begin().await.unwrap();
    for step in [
        "select from gallery_viewer for update",
        "update agent set key_generation = key_generation + 1 where kind = 'viewer'",
        "delete from gallery_session",
    ] {
        sqlx::query(step).execute(&mut *change).await.unwrap();
    }
    let entering = [
        guest.form_request("/gallery/sign-in", &[("token", &foreign), ("key", &key)]),
        thief.form_request("/gallery/key", &[("token", &own)]),
        thief.form_request("/gallery/name", &[("token", &own), ("name", "Eve")]),
    ]
    .map(|form| tokio::spawn(Reply::fetch(form)));
    while !entering.iter().any(tokio::task::JoinHandle::is_finished) {
        if shop.server.count_lock_waits().await == 3 {
            break;
        }
    }
    change.commit().await.unwrap();
    for reply in entering {
        let reply = reply.await.unwrap();
        assert_eq!((reply.status, find_shown_key(&reply)), (401, None), "{}", reply.text());
    }
    assert_eq!(shop.server.count_rows("gallery_session").await, 0);
}

#[tokio::test]
async fn escapes_user_input_on_pages() {
    let shop = Shop::start().await;
    let mut person: ViewerBrowser<'_> = shop.new_browser();
    let page = person.get("/gallery/link?token=%22%3E%3Cimg%20onerror=x%3E").await;
    assert!(!page.text().contains("<img"), "{}", page.text());
}

#[tokio::test]
async fn page_escapes_the_viewer_name() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let attack = "\"><script>alert('x')</script>\u{202e}end";
    let rename = sqlx::query("update agent set name = $1 where kind = 'viewer'").bind(attack);
    rename.execute(&shop.server.pool).await.unwrap();
    let page = person.get("/gallery").await.text().to_owned();
    let name = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\u{202e}end";
    assert!(!page.contains("<script>"), "{page}");
    assert!(page.contains(&format!("You are signed in as <bdi class=\"name\">{name}</bdi>.")), "{page}");
    assert!(page.contains(&format!("name=\"name\" value=\"{name}\"")), "{page}");
}
