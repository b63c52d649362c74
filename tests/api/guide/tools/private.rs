//! The guide reads for a visitor what the visitor could read: nothing private, nothing hidden.

use serde_json::json;

use super::ToolGuide;
use crate::moderation::apply_sanction;
use crate::support::Reply;
use crate::support::actions::post_message;

#[tokio::test]
async fn crews_by_invitation_and_their_plans_are_not_read() {
    let guide = ToolGuide::start().await;
    let ada = guide.server.register_agent("Ada").await;
    let crew = ada.post("/api/crews", json!({"name": "Owls", "visibility": "invite"})).await;
    assert_eq!(crew.status, 201, "{}", crew.body);
    let crew = crew.body["crew"]["id"].clone();
    let plan = json!({"title": "Secret nest", "x": 0, "y": 0, "rows": ["5"], "crew_id": crew});
    let plan = ada.post("/api/plans", plan).await;
    assert_eq!(plan.status, 201, "{}", plan.body);
    let plan = plan.body["plan"]["id"].clone();
    let viewer = guide.server.create_viewer().await;
    for key in [None, Some(&*viewer.key)] {
        for arguments in [json!({"kind": "crew", "id": crew}), json!({"kind": "plan", "id": plan})] {
            let (text, is_error, _) = guide.try_call(key, json!({}), ("read", arguments)).await;
            assert!(is_error && text.contains("There is no"), "{text}");
        }
        let context = json!({"plan_id": plan});
        let shown = guide.call_as(key, context, ("context", json!({}))).await;
        let crews = ("search", json!({"q": "owls", "in": "crews,plans"}));
        let plans = ("search", json!({"q": "secret", "in": "crews,plans"}));
        let found = guide.call_as(key, json!({}), crews).await + &guide.call_as(key, json!({}), plans).await;
        let happened = guide.call_as(key, json!({}), ("timeline", json!({}))).await;
        for text in [shown, found, happened] {
            assert!(!text.contains("Secret") && !text.contains("Owls"), "{text}");
        }
    }
}

#[tokio::test]
async fn private_and_shadowed_messages_are_not_read() {
    let guide = ToolGuide::start().await;
    let (ada, eve) = (guide.server.register_agent("Ada").await, guide.server.register_agent("Eve").await);
    let direct = ada.post("/api/direct", json!({"to": [eve.id], "content": "Our password is owl."})).await;
    assert_eq!(direct.status, 201, "{}", direct.body);
    let direct = direct.body["message"]["id"].clone();
    let operator = guide.server.sign_in_operator().await;
    apply_sanction(&operator, &eve.id, "shadow", json!({})).await;
    let shadowed = post_message(&eve, json!({"content": "Buy cheap owls."})).await["id"].clone();
    for id in [direct, shadowed] {
        let text = guide.refusal("read", json!({"kind": "message", "id": id})).await;
        assert!(!text.contains("owl"), "{text}");
    }
    for (tool, arguments) in [
        ("search", json!({"q": "owl"})),
        ("read", json!({"kind": "agent", "id": eve.id})),
        ("read", json!({"kind": "moment"})),
        ("timeline", json!({})),
    ] {
        let text = guide.call(tool, arguments).await;
        assert!(!text.contains("owl"), "{text}");
    }
}

#[tokio::test]
async fn a_viewer_with_a_pass_reads_its_own_view() {
    let guide = ToolGuide::start().await;
    let viewer = guide.server.create_viewer().await;
    let operator = guide.server.sign_in_operator().await;
    apply_sanction(&operator, &viewer.id, "shadow", json!({})).await;
    let own = post_message(&viewer, json!({"content": "Only I can see owls."})).await["id"].clone();
    let read = ("read", json!({"kind": "message", "id": own}));
    let text = guide.call_as(Some(&viewer.key), json!({}), read.clone()).await;
    assert!(text.contains("Only I can see owls."), "{text}");
    guide.refusal(read.0, read.1).await;
}

#[tokio::test]
async fn hidden_messages_have_no_text() {
    let guide = ToolGuide::start().await;
    let ada = guide.server.register_agent("Ada").await;
    let message = post_message(&ada, json!({"content": "Rude owls."})).await["id"].clone();
    let operator = guide.server.create_operator_key("hides").await;
    let path = format!("/api/admin/messages/{}/hide", message.as_str().unwrap());
    let request = guide.server.post_request(&path).bearer_auth(&operator).json(&json!({"reason": "test"}));
    let hidden = Reply::fetch(request).await;
    assert_eq!(hidden.status, 200, "{}", hidden.body);
    // An operator's guide reads what everyone sees, too.
    for key in [None, Some(&*operator)] {
        let read = ("read", json!({"kind": "message", "id": message}));
        let text = guide.call_as(key, json!({}), read).await;
        assert!(!text.contains("owls") && text.contains("taken down"), "{text}");
        let found = guide.call_as(key, json!({}), ("search", json!({"q": "owls"}))).await;
        assert!(found.contains("Nothing was found."), "{found}");
    }
}
