//! What reached a session, as a text that a host keeps until it can say so: for doors whose results are no objects.

use std::fmt;

use super::session::Delivered;
use crate::base::error::{Code, Error, Result};

impl Delivered {
    /// Reads what [`Delivered`] writes itself out as.
    ///
    /// # Errors
    /// `bad_argument` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let unfit = |cause| Error::new(Code::BadArgument, "read a delivery: the text is none that stele gave").with("field", "delivery").because(cause);
        serde_json::from_str(text).map(|(delivery, head, turn)| Self { delivery, head, turn }).map_err(unfit)
    }
}

impl fmt::Display for Delivered {
    /// Writes a text for [`Delivered::parse`]; its form is nobody else's business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(&(&self.delivery, self.head, self.turn)).map_err(|_| fmt::Error)?)
    }
}
