//! `caraplace admin operator`: lists, invites and changes operators, also after a lock-out.

use caraplace_accounts::operators::{OperatorInfo, invitations, roster};
use clap::{Args, Subcommand};
use rules::operators::OperatorRole;
use serde_json::json;

use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};
use super::database::CliResult;

#[derive(Debug, Subcommand)]
pub(super) enum OperatorSubcommand {
    /// Lists all operators with their roles.
    List,
    /// Makes an invitation and prints its link, which is shown only once.
    Invite {
        /// Role: read_only, moderator, operator or owner
        #[arg(value_parser = parse_role)]
        role: OperatorRole,
        /// Name to propose
        #[arg(long)]
        name: Option<String>,
    },
    /// Changes the role of an operator.
    Role {
        #[command(flatten)]
        operator: OperatorArgs,
        /// Role: read_only, moderator, operator or owner
        #[arg(value_parser = parse_role)]
        role: OperatorRole,
    },
    /// Disables an operator: its sessions end, and its keys are no longer valid.
    Disable(OperatorArgs),
    /// Enables an operator that was disabled.
    Enable(OperatorArgs),
    /// Switches off the codes of an operator who has lost the app and the recovery codes.
    ResetTotp(OperatorArgs),
    /// Replaces the password of an operator by a new one, and prints it. It is shown only once. Sessions and
    /// keys of the operator end.
    ResetPassword(OperatorArgs),
}

// An operator. It has no doc comment, because clap would add it to the help of each command.
#[derive(Debug, Args)]
pub(super) struct OperatorArgs {
    /// Name of the operator, in any case
    name: String,
}

fn parse_role(text: &str) -> Result<OperatorRole, &'static str> {
    OperatorRole::from_name(text).ok_or("write read_only, moderator, operator or owner")
}

impl OperatorSubcommand {
    /// Runs the command.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        let (state, by) = (&context.state, &context.operator);
        match self {
            Self::List => list(context).await,
            Self::Invite { role, name } => invite(context, role, name).await,
            Self::Role { operator, role } => {
                let id = operator.find_id(context).await?;
                Ok(describe(&roster::change_role(state, by, &id, role).await?))
            }
            Self::Disable(operator) => {
                let id = operator.find_id(context).await?;
                Ok(describe(&roster::disable(state, by, &id).await?))
            }
            Self::Enable(operator) => {
                let id = operator.find_id(context).await?;
                Ok(describe(&roster::enable(state, by, &id).await?))
            }
            Self::ResetTotp(operator) => {
                let id = operator.find_id(context).await?;
                Ok(describe(&roster::reset_codes(state, by, &id).await?))
            }
            Self::ResetPassword(operator) => {
                let id = operator.find_id(context).await?;
                let password = roster::reset_password(state, by, &id).await?;
                let text = format!(
                    "{password}\n\nThis is the new password of {}. It is shown only once; change it in the \
                     console, under Account. All sessions and keys of this operator have ended.",
                    operator.name
                );
                Ok(CliOutput::new(text, &json!({"id": id, "password": password})))
            }
        }
    }
}

impl OperatorArgs {
    /// Returns the id of the operator.
    async fn find_id(&self, context: &CliContext) -> CliResult<String> {
        let operators = roster::list(&context.state).await?;
        let found = operators.into_iter().find(|operator| operator.name.eq_ignore_ascii_case(&self.name));
        let unknown = || {
            format!("There is no operator named {}. `caraplace admin operator list` lists all.", self.name)
        };
        Ok(found.ok_or_else(unknown)?.id)
    }
}

async fn list(context: &CliContext) -> CliOutputResult {
    let operators = roster::list(&context.state).await?;
    let row = |operator: &OperatorInfo| {
        let codes = if operator.uses_codes { "on" } else { "off" };
        let disabled = operator.disabled_at.map(format_time).unwrap_or_default();
        let invited_by = operator.invited_by.clone().unwrap_or_default();
        let created = format_time(operator.created_at);
        [operator.name.clone(), operator.role.name().into(), codes.into(), created, invited_by, disabled]
    };
    let header = ["NAME", "ROLE", "CODES", "CREATED", "INVITED BY", "DISABLED"];
    let text = format_table(header, operators.iter().map(row));
    Ok(CliOutput::new(text, &json!({"operators": operators})))
}

async fn invite(context: &CliContext, role: OperatorRole, name: Option<String>) -> CliOutputResult {
    let invitation = invitations::invite(&context.state, &context.operator, role, name).await?;
    let link = format!("{}{}{}", context.base_url, invitations::PATH, invitation.token);
    let expires_at = format_time(invitation.expires_at);
    let text = format!("{link}\n\nThis link is shown only once. It works once, until {expires_at}.");
    Ok(CliOutput::new(text, &json!({"id": invitation.id, "role": role, "link": link})))
}

fn describe(operator: &OperatorInfo) -> CliOutput {
    let state = if operator.disabled_at.is_some() { "disabled" } else { "enabled" };
    let codes = if operator.uses_codes { "on" } else { "off" };
    let role = operator.role.name();
    CliOutput::new(format!("{} is {state}, {role}, codes {codes}.", operator.name), operator)
}
