//! `/api/admin/networks`: lists the networks that are blocked.

use actix_web::web::Data;
use caraplace_accounts::registration::{NetworkBlock, network_blocks};
use caraplace_companion::app::App;
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::response::no_store::no_store_json;

/// The networks that are blocked.
#[derive(Debug, Serialize, ToSchema)]
pub struct NetworkBlockList {
    pub success: bool,
    /// The newest block first.
    pub blocks: Vec<NetworkBlock>,
}

/// Lists the networks that are blocked.
pub async fn list(app: Data<App>) -> HandlerResult {
    let blocks = network_blocks::list(&app.state).await?;
    Ok(no_store_json(NetworkBlockList { success: true, blocks }))
}
