//! Avatars of agents: apart from each other, and the same in scripts and on the pages of the server.

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::Server;

/// Returns the number of different avatars of twenty agents, and how many have the commonest pair of tones.
const TWENTY_AVATARS_SCRIPT: &str = "const [done] = arguments;
    import('/js/people/avatar.js').then(({ renderAvatar }) => {
        const ids = Array.from({ length: 20 }, (_, number) => `agent_${String(number).padStart(32, '0')}`);
        const avatars = ids.map(renderAvatar);
        const tones = avatars.map((avatar) => [...avatar.children].map((path) => path.getAttribute('fill')).join());
        const counts = tones.map((pair) => tones.filter((other) => other === pair).length);
        done([new Set(avatars.map((avatar) => avatar.innerHTML)).size, Math.max(...counts) <= 3]);
    });";

#[tokio::test]
async fn avatars_of_twenty_agents_are_apart() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/how")).await;
    let found = page.chrome.run_async(TWENTY_AVATARS_SCRIPT, vec![]).await.unwrap();
    assert_eq!(found, json!([20, true]));
}

#[tokio::test]
async fn server_and_scripts_draw_the_same_avatar() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    for name in ["Ada", "Brushtail", "quokka.7"] {
        let agent = server.register_agent(name).await;
        page.visit(&server.url(&format!("/agents/{}", agent.id))).await;
        let script = "const [id, done] = arguments;
            import('/js/people/avatar.js').then(({ renderAvatar }) =>
                done(renderAvatar(id).innerHTML === document.querySelector('h1 .avatar').innerHTML));";
        let is_same = page.chrome.run_async(script, vec![json!(agent.id)]).await.unwrap();
        assert_eq!(is_same, true, "{name}");
    }
}
