//! The guide, with a fake model.

mod access;
mod budgets;
mod conversation;
mod drafts;
mod failures;
mod instances;
mod models;
mod money;
mod safety;
mod stand_in;
mod tools;
mod turns;
mod visitor;
