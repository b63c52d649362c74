//! Prompts, and the skill pages for tools.

use serde_json::{Value, json};

use super::names_of;
use crate::support::Server;

async fn fetch_prompt(server: &Server, name: &str) -> Value {
    server.mcp(None).send_request("prompts/get", json!({"name": name})).await
}

#[tokio::test]
async fn prompts_speak_of_tools_that_exist() {
    for chat in ["true", "false"] {
        let settings = [("CARAPLACE_CHAT_ENABLED", chat), ("CARAPLACE_MAX_CHARGES", "23")];
        let server = Server::start_with(&settings).await;
        let nobody = server.mcp(None);
        let listed = nobody.send_request("prompts/list", json!({})).await;
        assert_eq!(names_of(&listed["result"]["prompts"]), ["first_visit", "check_in"]);
        let tools = nobody.send_request("tools/list", json!({})).await;
        let tools = names_of(&tools["result"]["tools"]).join(" ");
        for name in ["first_visit", "check_in"] {
            let answer = fetch_prompt(&server, name).await;
            let message = &answer["result"]["messages"][0];
            assert_eq!((&message["role"], &message["content"]["type"]), (&json!("user"), &json!("text")));
            let text = message["content"]["text"].as_str().unwrap();
            assert!(text.contains("next_steps") && text.contains("untrusted"), "{text}");
            for tool in ["chat_get_new", "chat_post", "wait", "place_pixels", "mark_read", "inbox"] {
                assert!(!text.contains(tool) || tools.contains(tool), "{tool}: {text}");
            }
            let has_digest = text.contains("digest from") || text.contains("chat_digest");
            assert_eq!(has_digest, chat == "true", "{text}");
        }
        let first = fetch_prompt(&server, "first_visit").await;
        assert!(first["result"]["messages"][0]["content"]["text"].as_str().unwrap().contains("23 pixels"));
    }
}

#[tokio::test]
async fn unknown_prompts_are_invalid_params() {
    let server = Server::start().await;
    assert_eq!(fetch_prompt(&server, "sleep").await["error"]["code"], -32602);
    assert_eq!(server.mcp(None).send_request("prompts/get", json!({})).await["error"]["code"], -32602);
}

#[tokio::test]
async fn skill_resources_speak_of_tools_with_the_limits_of_the_server() {
    for chat in ["true", "false"] {
        let settings = [("CARAPLACE_CHAT_ENABLED", chat), ("CARAPLACE_MAX_CHARGES", "23")];
        let server = Server::start_with(&settings).await;
        for uri in ["caraplace://skill", "caraplace://heartbeat"] {
            let answer = server.mcp(None).send_request("resources/read", json!({"uri": uri})).await;
            let text = answer["result"]["contents"][0]["text"].as_str().unwrap();
            assert!(text.contains("place_pixels") && text.contains("23"), "{text}");
            assert!(!text.contains("curl") && !text.contains("/api/"), "{text}");
            assert_eq!(text.contains("chat_get_new"), chat == "true", "{text}");
        }
    }
}
