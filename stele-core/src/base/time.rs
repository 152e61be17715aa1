//! Wall-clock instants, the host's clock, and deadlines. The only module that reads a clock.
//!
//! One rule for written times: RFC 3339 with an offset is that instant; a date alone is its midnight in UTC; a date and
//! time without an offset is in UTC. Years run from -9999 to 9999.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;

use super::error::{Code, Error, Result};

#[cfg(test)]
pub(crate) mod looks;

/// The date and time in UTC from which instants are counted.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
/// Offsets from UTC are shorter (RFC 3339, 5.6).
const DAY_SECONDS: i32 = 86_400;

/// An instant in milliseconds since 1970-01-01T00:00:00Z, from the beginning of year -9999 to the end of year 9999.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest instant there is: -9999-01-01T00:00:00Z.
    pub const MIN: Self = Self(-377_705_116_800_000);
    /// The latest instant there is: 9999-12-31T23:59:59.999Z.
    pub const MAX: Self = Self(253_402_300_799_999);

    /// The instant that many milliseconds after (or before) 1970; [`Self::MIN`] or [`Self::MAX`] for one beyond them.
    #[must_use]
    pub const fn from_unix_ms(ms: i64) -> Self {
        // What is written down must be readable again, so no instant is outside the years that can be written.
        if ms < Self::MIN.0 {
            Self::MIN
        } else if ms > Self::MAX.0 {
            Self::MAX
        } else {
            Self(ms)
        }
    }

    /// Milliseconds since 1970, negative before it.
    #[must_use]
    pub const fn unix_ms(self) -> i64 {
        self.0
    }

    /// Reads `2026-05-06`, `2026-05-06T15:00:00`, `2026-05-06T15:00:00Z` or one with an offset.
    ///
    /// # Errors
    /// `bad_time` if the text is none of these.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let bad = || Error::new(Code::BadTime, format!("read a time: {text:?} is no date and no instant"));
        let pieces = Pieces::parse(text).map_err(|cause| bad().because(cause))?;
        let offset = pieces.to_numeric_offset();
        if pieces.time_zone_annotation().is_some() && offset.is_none() {
            return Err(bad());
        }
        let local = pieces.date().to_datetime(pieces.time().unwrap_or_default());
        let offset = offset.map_or(0, jiff::tz::Offset::seconds);
        if offset.abs() >= DAY_SECONDS {
            return Err(bad());
        }
        // What is finer than a millisecond is dropped towards the past, before 1970 as after it.
        let ms = local.duration_since(EPOCH).as_nanos().div_euclid(1_000_000) - i128::from(offset) * 1_000;
        i64::try_from(ms).ok().filter(|ms| (Self::MIN.0..=Self::MAX.0).contains(ms)).map(Self).ok_or_else(bad)
    }

    /// The date and time in UTC.
    fn civil(self) -> DateTime {
        EPOCH.checked_add(SignedDuration::from_millis(self.0)).expect("an instant lies between MIN and MAX")
    }

    /// This instant `duration` later, at most the largest one.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self::from_unix_ms(self.0.saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }

    /// How long after `earlier` this is; zero if it is before.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The month and year, such as `Nov 2025`.
    #[must_use]
    pub fn month(self) -> String {
        self.civil().strftime("%b %Y").to_string()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Z", self.civil())
    }
}

impl serde::Serialize for Timestamp {
    /// Milliseconds since 1970 in a form that nobody reads.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_i64(self.0) }
    }
}

impl<'de> serde::Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Where the time of an operation comes from; a host may pass its own.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;
}

/// The operating system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this module is where the clock is read")]
    fn now(&self) -> Timestamp {
        let now = std::time::SystemTime::now();
        let ms = match now.duration_since(std::time::UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
        };
        Timestamp::from_unix_ms(ms)
    }
}

/// A clock shared by the parts of one record.
pub(crate) type SharedClock = Arc<dyn Clock>;

/// The monotonic present, for measuring and for deadlines.
#[expect(clippy::disallowed_methods, reason = "this module is where the clock is read")]
pub(crate) fn monotonic() -> Instant {
    Instant::now()
}

/// A moment on the monotonic clock after which work stops and what there is is returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    at: Option<Instant>,
    /// The clock of a test that counts looks.
    #[cfg(test)]
    looks: Option<&'static looks::Looks>,
}

impl Deadline {
    /// No deadline.
    pub(crate) const NEVER: Self = Self {
        at: None,
        #[cfg(test)]
        looks: None,
    };

    /// The moment `duration` from now; a duration too long for the clock is no deadline.
    pub(crate) fn after(duration: Duration) -> Self {
        #[cfg(test)]
        if let Some(looks) = looks::current() {
            return Self { at: looks.now().checked_add(duration), looks: Some(looks) };
        }
        let mut deadline = Self::NEVER;
        deadline.at = monotonic().checked_add(duration);
        deadline
    }

    /// True once the moment has passed.
    #[inline]
    pub(crate) fn expired(self) -> bool {
        let expired = self.at.is_some_and(|at| self.look() >= at);
        #[cfg(test)]
        if let Some(looks) = self.looks.filter(|_| expired) {
            looks.note_late();
        }
        expired
    }

    /// The earlier of two deadlines.
    pub(crate) fn or_sooner(self, other: Self) -> Self {
        match (self.at, other.at) {
            (Some(a), Some(b)) if b < a => other,
            (None, Some(_)) => other,
            _ => self,
        }
    }

    /// The moment at which that share of what is left will be over, in quarters.
    pub(crate) fn quarters(self, quarters: u32) -> Self {
        self.remaining().map_or(self, |left| Self::after(left / 4 * quarters))
    }

    /// How much is left; `None` without a deadline, zero once it passed.
    pub(crate) fn remaining(self) -> Option<Duration> {
        self.at.map(|at| at.saturating_duration_since(self.look()))
    }

    fn look(self) -> Instant {
        #[cfg(test)]
        if let Some(looks) = self.looks {
            return looks.look();
        }
        monotonic()
    }
}

/// Waits without holding anything.
#[expect(clippy::disallowed_methods, reason = "this module is where the clock is read")]
pub(crate) fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instant_rule_for_every_written_form() {
        let day = Timestamp::parse("2026-05-06").expect("a date");
        assert_eq!(day, Timestamp::parse("2026-05-06T00:00:00Z").expect("an instant"));
        assert_eq!(day, Timestamp::parse("2026-05-06T09:00:00+09:00").expect("an offset"));
        assert_eq!(day, Timestamp::parse("2026-05-06T00:00:00").expect("no offset is UTC"));
    }

    #[test]
    fn far_and_early_instants_round_trip() {
        for text in ["9999-12-31T23:59:59.999Z", "9999-12-30T00:00:00Z", "1931-02-03T04:05:06Z", "1969-12-31T23:59:59.999Z", "-009999-01-01T00:00:00Z"] {
            let at = Timestamp::parse(text).expect("in range");
            assert_eq!(at.to_string(), text);
            assert_eq!(Timestamp::from_unix_ms(at.unix_ms()), at);
        }
    }

    #[test]
    fn an_offset_is_less_than_a_day() {
        assert_eq!(Timestamp::parse("1970-01-02T00:00:00+23:59").expect("an instant").unix_ms(), 60_000);
        assert!(Timestamp::parse("1970-01-02T00:00:00+24:00").is_err() && Timestamp::parse("1970-01-02T00:00:00-25:00").is_err());
    }

    #[test]
    fn what_is_finer_than_a_millisecond_is_dropped_towards_the_past_on_both_sides_of_1970() {
        for (fine, kept) in [("1969-12-31T23:59:59.9999Z", -1), ("1970-01-01T00:00:00.0009Z", 0), ("1969-12-31T15:59:59.9981-08:00", -2)] {
            assert_eq!(Timestamp::parse(fine).expect("an instant").unix_ms(), kept);
        }
    }

    #[test]
    fn no_instant_lies_outside_what_can_be_written_and_read() {
        for at in [Timestamp::from_unix_ms(i64::MAX), Timestamp::from_unix_ms(i64::MIN), Timestamp::MAX.after(Duration::MAX), Timestamp::MIN, Timestamp::MAX] {
            assert_eq!(Timestamp::parse(&at.to_string()).expect("in range"), at);
            assert!(!at.month().is_empty());
        }
        assert_eq!(Timestamp::parse("9999-12-31T23:59:59-01:00").expect_err("after the last").code(), Code::BadTime);
    }

    #[test]
    fn what_is_no_time_is_refused_with_a_remedy() {
        for text in ["", "yesterday", "2026-13-01", "12:00", "2026-05-06T15:00:00[Europe/Paris]"] {
            assert_eq!(Timestamp::parse(text).expect_err("no time").code(), Code::BadTime, "{text}");
        }
    }
}
