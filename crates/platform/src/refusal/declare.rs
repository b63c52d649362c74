//! The declaration of a noun's refusals, which says everything about each of them in one place.

use chrono::{DateTime, TimeDelta, Utc};

/// The time of the examples, in seconds since 1970: 08:30.
const EXAMPLE_SECONDS: i64 = 1_769_848_200;
/// The time to wait in examples.
pub(super) const EXAMPLE_WAIT: TimeDelta = TimeDelta::seconds(42);

/// Returns the time of the examples.
pub(super) fn example_time() -> DateTime<Utc> {
    DateTime::from_timestamp(EXAMPLE_SECONDS, 0).unwrap_or_default()
}

/// Declares an enum of refusals. Each variant has its sentence, the values of its fields in the example, and
/// the advice on it, in which the fields are references. A variant of one unnamed value may have several
/// examples, or none if they stand beside the type of the value.
macro_rules! refusals {
    (
        $(#[$about:meta])*
        $visibility:vis enum $Name:ident {
            $($(#[$of_variant:meta])* $Variant:ident
                $(($(#[$of_value:meta])* $value:ident: $Value:ty $(= $($value_example:expr),+ $(,)?)?))?
                $({ $($(#[$of_field:meta])* $field:ident: $Type:ty = $example:expr),+ $(,)? })?
                => $advice:expr;)+
        }
    ) => {
        $(#[$about])*
        ///
        /// Declared by `refusals!`.
        $visibility enum $Name {
            $($(#[$of_variant])* $Variant
                $(($(#[$of_value])* $Value))?
                $({ $($(#[$of_field])* $field: $Type),+ })?),+
        }

        impl $Name {
            /// Returns the code of the refusal, and what helps the client.
            #[allow(unused_variables, reason = "some advice needs no field")]
            pub fn advice(&self) -> $crate::refusal::Advice {
                match self {
                    $(Self::$Variant $(($value))? $({ $($field),+ })? => $advice),+
                }
            }
        }

        /// Returns examples of each refusal.
        pub(super) fn examples() -> Vec<$crate::refusal::Refusal> {
            [$(refusals!(@examples $Name $Variant
                $(($($($value_example),+)?))?
                $({ $($field: $example),+ })?)),+].concat()
        }
    };
    (@examples $Name:ident $Variant:ident) => { vec![$crate::refusal::Refusal::from($Name::$Variant)] };
    (@examples $Name:ident $Variant:ident ($($example:expr),*)) => {
        vec![$($crate::refusal::Refusal::from($Name::$Variant($example))),*]
    };
    (@examples $Name:ident $Variant:ident { $($fields:tt)+ }) => {
        vec![$crate::refusal::Refusal::from($Name::$Variant { $($fields)+ })]
    };
}
pub(super) use refusals;
