//! The declaration of a noun's refusals, which says everything about each of them in one place.

use chrono::TimeDelta;

/// The time to wait in examples.
pub(super) const EXAMPLE_WAIT: TimeDelta = TimeDelta::seconds(42);

/// Declares the enum of a noun's refusals. Each variant has its sentence, the values that its fields have in
/// the example, and the advice on it, in which the fields are references.
macro_rules! refusals {
    (
        $(#[$about:meta])*
        pub enum $Name:ident {
            $($(#[$of_variant:meta])* $Variant:ident
                $({ $($(#[$of_field:meta])* $field:ident: $Type:ty = $example:expr),+ $(,)? })?
                => $advice:expr;)+
        }
    ) => {
        $(#[$about])*
        ///
        /// Declared by `refusals!`.
        pub enum $Name {
            $($(#[$of_variant])* $Variant $({ $($(#[$of_field])* $field: $Type),+ })?),+
        }

        impl $Name {
            /// Returns the code, the next step, and additional fields.
            #[allow(unused_variables, reason = "some advice needs no field")]
            pub(super) fn advice(&self) -> $crate::refusal::Advice {
                match self {
                    $(Self::$Variant $({ $($field),+ })? => $advice),+
                }
            }
        }

        /// Returns an example of each refusal.
        pub(super) fn examples() -> Vec<$crate::refusal::Refusal> {
            vec![$($Name::$Variant $({ $($field: $example),+ })?.into()),+]
        }
    };
}
pub(super) use refusals;
