//! One macro for enumerations that are words outside and small numbers inside.

/// Defines a public enumeration whose members have a fixed word and a fixed number, with `ALL`, `as_str`, `parse`,
/// `number` and `from_number`, and serde by word.
macro_rules! named_enum {
    ($(#[$meta:meta])* $name:ident, $code:ident, $what:literal { $($(#[$doc:meta])* $member:ident = $number:literal $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $member = $number),* }

        impl $name {
            /// Every member, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$member),*];

            /// The word that stands for it at every door and on disk.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$member => $word),* } }

            /// The fixed number that stands for it on disk and in C.
            #[must_use]
            pub const fn number(self) -> u8 { self as u8 }

            /// The member with that number.
            #[must_use]
            pub const fn from_number(number: u8) -> Option<Self> { match number { $($number => Some(Self::$member),)* _ => None } }

            /// Reads the word.
            ///
            /// # Errors
            /// Invalid, naming the words there are.
            pub fn parse(word: &str) -> $crate::base::error::Result<Self> {
                match word {
                    $($word => Ok(Self::$member),)*
                    _ => Err($crate::base::error::Error::new(
                        $crate::base::error::Code::$code,
                        format!(concat!("read a ", $what, ": {:?} is none of {}"), $crate::base::text::cut(word, 40), [$($word),*].join(", ")),
                    ).with("field", $what)),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.pad(self.as_str()) }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> { serializer.serialize_str(self.as_str()) }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                let word = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
                Self::parse(&word).map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use named_enum;
