//! The pages on small and large screens, with letters of twice the size and in forced colours: no content is
//! cut off or lost.

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::fixtures::{UNLIMITED, populated_server};
use super::page::Page;
use super::pages::{PAGES, address};
use super::support::Server;

/// Width and height in CSS pixels, and true for a touch screen.
const SCREENS: [(u32, u32, bool); 6] = [
    (320, 568, true),
    (390, 844, true),
    (768, 1024, true),
    (1024, 768, false),
    (1440, 900, false),
    (2560, 1440, false),
];
/// Default font sizes in CSS pixels: normal and doubled.
const FONT_SIZES: [u32; 2] = [16, 32];

#[tokio::test]
async fn every_page_fits_every_screen() {
    let (server, ids) = populated_server().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.set_color_scheme("dark").await;
    let mut problems = Vec::new();
    for (name, path) in PAGES {
        page.visit(&server.url(&address(path, &ids))).await;
        for (width, height, is_touch) in SCREENS {
            page.chrome.emulate_screen(width, height, is_touch).await;
            for font_size in FONT_SIZES {
                problems.extend(
                    find_layout_problems(&page, font_size)
                        .await
                        .map(|problem| format!("{name}, {width}, letters of {font_size}: {problem}")),
                );
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Returns the layout problems of the current page with this font size.
async fn find_layout_problems(page: &Page, font_size: u32) -> impl Iterator<Item = String> {
    page.chrome.devtools("Page.setFontSizes", json!({"fontSizes": {"standard": font_size}})).await;
    page.wait_for_paint().await;
    let problems = page.evaluate("misfits()").await;
    let problems: Vec<String> = serde_json::from_value(problems).unwrap();
    problems.into_iter()
}

/// The colours that forced colours leave: that of a pressed button beside an unpressed one, and the line of
/// the playhead.
const FORCED_COLORS_SCRIPT: &str = "(() => {
    const color = (node) => getComputedStyle(node).backgroundColor;
    const sheets = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]);
    const forced = sheets.filter((rule) => rule.media?.mediaText === '(forced-colors: active)').flatMap(({ cssRules }) => [...cssRules]);
    return [color(one('#follow')) !== color(one('#search')), forced.some(({ selectorText }) => selectorText.includes('slider-thumb'))];
})()";

#[tokio::test]
async fn forced_colors_keep_pressed_buttons_and_the_playhead() {
    let (server, _) = populated_server().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    let features = json!([{"name": "forced-colors", "value": "active"}]);
    page.chrome.devtools("Emulation.setEmulatedMedia", json!({"features": features})).await;
    page.evaluate("one('#follow').click()").await;
    page.wait_until("one('#follow').ariaPressed === 'true'").await;
    assert_eq!(page.evaluate(FORCED_COLORS_SCRIPT).await, json!([true, true]));
}

#[tokio::test]
async fn rows_and_links_on_phones_are_large_enough_to_touch() {
    let (server, _) = populated_server().await;
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    page.wait_until("one('#painters button') && one('#pass')").await;
    page.evaluate("(one('#sheet-toggle[aria-expanded=false]')?.click(), one('#pass').open = true)").await;
    page.wait_until("shown('#pass p a')").await;
    let heights = page
        .evaluate("['#painters button', '#pass p a'].map((selector) => one(selector).getBoundingClientRect().height >= 44)")
        .await;
    assert_eq!(heights, json!([true, true]));
}

/// Screen widths of phones in CSS pixels, and true where the zoom level and the button that follows have
/// room.
const PHONES: [(u32, bool); 5] = [(320, false), (360, true), (375, true), (390, true), (430, true)];
/// True if the open menu has exactly the tools that the toolbar hides.
const MENU_HAS_HIDDEN_TOOLS: &str = "[...document.querySelectorAll('#more-tools [data-tool]')].every((item) => \
    item.checkVisibility() !== shown(`#${item.dataset.tool}`))";
const OUTLINES_ITEM: &str = "one('#more-tools [data-tool=plan-outlines]')";

#[tokio::test]
async fn phones_show_the_zoom_level_and_keep_every_tool() {
    let (server, _) = populated_server().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    for (width, has_room) in PHONES {
        page.chrome.emulate_screen(width, 800, true).await;
        page.visit(&server.url("/")).await;
        let is_shown = page.evaluate("['#zoom-level', '#follow'].map(shown)").await;
        assert_eq!(is_shown, json!([has_room, has_room]), "at {width}");
        assert_eq!(page.evaluate("misfits()").await, json!([]), "at {width}");
        // The lens with the longest name.
        page.evaluate("choose('#lens', 'painter')").await;
        page.wait_for_paint().await;
        let right = "getBoundingClientRect().right";
        let fits = format!("one('#more').{right} <= one('.toolbar').{right} + 1");
        assert_eq!(page.evaluate(&fits).await, true, "the icons at {width}");
        page.evaluate("one('#more').click()").await;
        page.wait_until("shown('#help')").await;
        assert_eq!(page.evaluate(MENU_HAS_HIDDEN_TOOLS).await, true, "the menu at {width}");
    }
}

#[tokio::test]
async fn hidden_tool_is_pressed_in_the_menu() {
    let (server, _) = populated_server().await;
    let page = Page::open(&server.url("/"), Screen::Phone).await;
    for (before, after) in [("true", "false"), ("false", "true")] {
        page.wait_until_with("one('#plan-outlines').ariaPressed === given", json!(before)).await;
        page.evaluate("one('#more').click()").await;
        page.wait_until_with(&format!("{OUTLINES_ITEM}.ariaPressed === given"), json!(before)).await;
        page.evaluate(&format!("{OUTLINES_ITEM}.click()")).await;
        page.wait_until_with("one('#plan-outlines').ariaPressed === given && !shown('#help')", json!(after))
            .await;
    }
}

#[tokio::test]
async fn card_with_letters_of_twice_the_size_leaves_the_header_and_shows_the_reason() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message("A lantern by the path.").await.status, 201);
    assert_eq!(ada.paint(64, 120, 5).await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.emulate_screen(1440, 900, false).await;
    page.chrome.devtools("Page.setFontSizes", json!({"fontSizes": {"standard": 32}})).await;
    page.visit(&server.url("/#pixel=64.120")).await;
    page.wait_until("shown('#inspect blockquote')").await;
    let (card, header) =
        ("one('#inspect').getBoundingClientRect()", "one('.site-header').getBoundingClientRect()");
    assert_eq!(page.evaluate(&format!("{card}.top >= {header}.bottom")).await, true);
    let reason = "one('#inspect blockquote').getBoundingClientRect()";
    assert_eq!(page.evaluate(&format!("{reason}.bottom <= {card}.bottom")).await, true);
}

#[tokio::test]
async fn card_on_a_phone_is_as_high_as_its_content_up_to_a_part_of_the_screen() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message(&"A lantern by the path. ".repeat(12)).await.status, 201);
    for color in 1..9 {
        assert_eq!(ada.paint(64, 64, color).await.status, 201);
    }
    let page = Page { chrome: Chrome::start(Screen::Phone).await };
    let card = "one('#inspect').getBoundingClientRect()";
    page.visit(&server.url("/#pixel=9.9")).await;
    page.wait_until("text('#inspect .card-agent') === 'Not painted yet'").await;
    let space_left = format!("{card}.bottom - one('#inspect > div').getBoundingClientRect().bottom < 24");
    assert_eq!(page.evaluate(&space_left).await, true);
    page.visit(&server.url("/#pixel=64.64")).await;
    page.wait_until("shown('#inspect blockquote')").await;
    assert_eq!(page.evaluate(&format!("{card}.height <= 0.4 * innerHeight + 1")).await, true);
    assert_eq!(page.evaluate("one('#inspect').scrollHeight > one('#inspect').clientHeight").await, true);
}

#[tokio::test]
async fn hint_and_legend_of_an_agent_are_never_cut() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Moonkoala-7").await;
    assert_eq!(agent.paint(64, 64, 5).await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    let is_whole = "(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth <= clientWidth)";
    for (width, height, is_touch) in SCREENS {
        page.chrome.emulate_screen(width, height, is_touch).await;
        page.visit(&server.url("/")).await;
        let hint = format!("{is_whole}(one('#pointer-hint'))");
        assert_eq!(page.evaluate(&hint).await, true, "the hint at {width}");
        page.visit(&server.url(&format!("/#agent={}", agent.id))).await;
        page.wait_until("shown('#legend .chip')").await;
        let name = format!("{is_whole}(one('#legend .chip .name'))");
        assert_eq!(page.evaluate(&name).await, true, "the name at {width}");
    }
}
