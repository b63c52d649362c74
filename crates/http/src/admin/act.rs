//! The handlers of operators' actions.

use actix_web::Route;
use actix_web::web::{self, Data, Path};
use caraplace_accounts::operators::Operator;
use caraplace_companion::app::App;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::answer::ActionAnswer;
use caraplace_moderation::actions::perform::perform;
use caraplace_moderation::actions::subject::ActionSubject;
use serde::de::DeserializeOwned;

use crate::request::auth_operator::AdminBody;
use crate::response::no_store::{no_store_created, no_store_json};
use crate::response::problem::Problem;

/// Returns the route with the handler of an action on a subject, whose id is in the path.
pub fn act_on<S, B>(to_action: fn(S, B) -> OperatorAction) -> Route
where
    S: ActionSubject + 'static,
    B: DeserializeOwned + 'static,
{
    web::to(move |app: Data<App>, body: AdminBody<B>, id: Path<String>| async move {
        let AdminBody { operator, fields } = body;
        let action = to_action(S::parse_subject(&id)?, fields);
        Ok::<_, Problem>(no_store_json(carry_out(&app, &operator, &action).await?))
    })
}

/// Returns the route with the handler of an action without a subject.
pub fn act<B: DeserializeOwned + 'static>(to_action: fn(B) -> OperatorAction) -> Route {
    web::to(move |app: Data<App>, body: AdminBody<B>| async move {
        let AdminBody { operator, fields } = body;
        Ok::<_, Problem>(no_store_json(carry_out(&app, &operator, &to_action(fields)).await?))
    })
}

/// Returns the route with the handler of an action that makes something: the status of the response is 201.
pub fn create<B: DeserializeOwned + 'static>(to_action: fn(B) -> OperatorAction) -> Route {
    web::to(move |app: Data<App>, body: AdminBody<B>| async move {
        let AdminBody { operator, fields } = body;
        Ok::<_, Problem>(no_store_created(carry_out(&app, &operator, &to_action(fields)).await?))
    })
}

/// Carries out an action in the name of an operator.
async fn carry_out(app: &App, operator: &Operator, action: &OperatorAction) -> Result<ActionAnswer, Problem> {
    let audit_reason = action.audit_reason(&operator.name)?;
    Ok(Box::pin(perform(app, action, audit_reason)).await?)
}
