//! The embedded canvas, as other sites frame it.

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::Server;

#[tokio::test]
async fn embed_shows_and_follows_the_live_canvas() {
    let server = Server::start().await;
    let agent = server.register_agent("Brushtail").await;
    assert_eq!(agent.paint(3, 4, 5).await.status, 201);
    let page = Page::open(&server.url("/embed?theme=light"), Screen::Phone).await;
    page.wait_until_with("same(given)", server.get("/api/canvas").await.body).await;
    assert_eq!(agent.paint(70, 80, 6).await.status, 201);
    page.wait_until_with("same(given)", server.get("/api/canvas").await.body).await;
    assert_eq!(page.evaluate("document.documentElement.dataset.theme").await, "light");
    assert_eq!(page.evaluate("document.documentElement.scrollHeight <= innerHeight").await, true);
    assert_eq!(
        page.evaluate("one('.embed-footer a').target === '_blank' && one('.embed-footer a').href").await,
        server.url("/")
    );
}

#[tokio::test]
async fn embed_can_show_a_region_and_says_when_it_is_not_live() {
    let mut server = Server::start().await;
    assert_eq!(server.register_agent("Brushtail").await.paint(8, 8, 5).await.status, 201);
    let page = Page::open(&server.url("/embed?region=0,0,15,15"), Screen::Phone).await;
    // The painted pixel's colour is only right of and below the middle of the region.
    let region_is_drawn = "(() => { const art = one('#pixels'); const at = (x, y) => [...art.getContext('2d').getImageData(\
               (x + 0.5) * art.width / 16, (y + 0.5) * art.height / 16, 1, 1).data].join(); \
               return at(8, 8) !== at(7, 8) && at(7, 8) === at(0, 0); })()";
    page.wait_until(region_is_drawn).await;
    assert_eq!(
        page.evaluate("getComputedStyle(one('#pixels')).touchAction").await,
        "auto",
        "the page around it scrolls"
    );
    server.restart().await;
    page.wait_until(
        "!live() && one('#canvas-area').hasAttribute('data-stale') && text('#status').includes('Not live')",
    )
    .await;
}

#[tokio::test]
async fn embed_says_in_its_frame_why_a_region_is_refused() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Phone).await };
    page.visit(&server.url("/embed?region=bad")).await;
    let words = page.evaluate("text('.embed-refusal p')").await;
    assert!(words.as_str().unwrap().contains("region must be x1,y1,x2,y2"), "{words}");
    assert_eq!(page.evaluate("shown('.site-header') || document.body.innerText.includes('`')").await, false);
    let script = "const [done] = arguments;
        fetch('/embed?region=bad', { headers: { Accept: 'text/html' } })
            .then(({ headers }) => done(headers.get('Content-Security-Policy').includes('frame-ancestors *')));";
    assert_eq!(page.chrome.run_async(script, vec![]).await.unwrap(), true);
}
