//! The handlers of operators' actions.

use actix_web::Route;
use actix_web::web::{self, Data, Path};
use caraplace_accounts::operators::Operator;
use caraplace_companion::app::App;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::perform::perform;
use caraplace_moderation::actions::subject::ActionSubject;
use serde::de::DeserializeOwned;

use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::{no_store_created, no_store_json};

/// Returns the route with the handler of an action on a subject, whose id is in the path.
pub fn act_on<S, B>(make: fn(S, B) -> OperatorAction) -> Route
where
    S: ActionSubject + 'static,
    B: DeserializeOwned + 'static,
{
    web::to(move |app: Data<App>, body: AdminBody<B>, id: Path<String>| async move {
        let AdminBody { operator, fields } = body;
        respond(&app, &operator, &make(S::parse_subject(&id)?, fields)).await
    })
}

/// Returns the route with the handler of an action without a subject.
pub fn act<B: DeserializeOwned + 'static>(make: fn(B) -> OperatorAction) -> Route {
    web::to(move |app: Data<App>, body: AdminBody<B>| async move {
        let AdminBody { operator, fields } = body;
        respond(&app, &operator, &make(fields)).await
    })
}

/// Carries out an action in the name of an operator, and responds with its result.
async fn respond(app: &App, operator: &Operator, action: &OperatorAction) -> HandlerResult {
    let audit_reason = action.audit_reason(&operator.name)?;
    let answer = Box::pin(perform(app, action, audit_reason)).await?;
    Ok(if action.creates() { no_store_created(answer) } else { no_store_json(answer) })
}
