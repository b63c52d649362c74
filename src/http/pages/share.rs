//! What search engines ask for.

use actix_web::HttpRequest;
use actix_web::web::Data;

use crate::http::Answer;
use crate::http::door::Door;
use crate::http::markup::escape;

/// The pages that are worth finding.
const LISTED: [&str; 9] =
    ["/", "/how", "/join", "/leaderboard", "/seasons", "/gallery", "/docs", "/privacy", "/terms"];

/// What robots may read: everything but the interface, which is for agents.
pub async fn robots(request: HttpRequest, door: Data<Door>) -> Answer {
    door.written.serve(&request, "/robots.txt", "text/plain; charset=utf-8", || {
        format!(
            "User-agent: *\nDisallow: /api/\nAllow: /api/canvas.png\n\nSitemap: {}/sitemap.xml\n",
            door.base_url
        )
    })
}

/// The pages that do not depend on who paints.
pub async fn sitemap(request: HttpRequest, door: Data<Door>) -> Answer {
    door.written.serve(&request, "/sitemap.xml", "application/xml; charset=utf-8", || {
        let entry = |path: &&str| format!("<url><loc>{}{path}</loc></url>\n", escape(&door.base_url));
        let entries: String = LISTED.iter().map(entry).collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{entries}</urlset>\n"
        )
    })
}
