//! The types of the route table: a row with its method, parameters, right, scope and error codes.

pub mod endpoint;
pub mod operator_need;
pub mod params;
mod paths;
pub mod route_codes;
pub mod scope;
pub mod verb;
