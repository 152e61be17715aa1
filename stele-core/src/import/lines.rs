//! Lines of a source, each bounded in length, checked to be text, and numbered from 1.

use std::io::{self, BufRead};

use crate::base::error::{Code, Error, Result};

/// The longest line that is read, in bytes.
pub(crate) const LINE_BYTES: usize = 8 * 1024 * 1024;

/// Reads lines into one buffer that is used again.
pub(crate) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    line: u64,
    bytes: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, buffer: Vec::new(), line: 0, bytes: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line with its number: its text without line end and byte order mark, or what is wrong with it.
    ///
    /// # Errors
    /// What reading the source fails with.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, Result<&str>)>> {
        self.buffer.clear();
        let mut length = 0usize;
        loop {
            let piece = match self.source.fill_buf() {
                Ok(piece) => piece,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
                Err(cause) => return Err(cause),
            };
            let end = piece.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(piece.len(), |at| at + 1);
            if length + taken <= LINE_BYTES {
                self.buffer.extend_from_slice(&piece[..taken]);
            }
            let over = piece.is_empty();
            length += taken;
            self.bytes += taken as u64;
            self.source.consume(taken);
            if end.is_some() || over {
                break;
            }
        }
        if length == 0 {
            return Ok(None);
        }
        self.line += 1;
        Ok(Some((self.line, text_of(&self.buffer, length, self.line))))
    }
}

fn text_of(buffer: &[u8], length: usize, line: u64) -> Result<&str> {
    if length > LINE_BYTES {
        return Err(Error::new(Code::TooLarge, format!("read line {line}: {length} bytes, the limit is {LINE_BYTES}")).with("limit", LINE_BYTES));
    }
    let mut bytes = buffer.strip_suffix(b"\n").unwrap_or(buffer);
    bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if line == 1 {
        bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    }
    let text = std::str::from_utf8(bytes).map_err(|cause| {
        Error::new(Code::BadText, format!("read line {line}: no UTF-8 from byte {}", cause.valid_up_to())).with("offset", cause.valid_up_to())
    })?;
    match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => Err(Error::new(Code::BadText, format!("read line {line}: a NUL character at byte {at}")).with("offset", at)),
        None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &[u8]) -> Vec<(u64, std::result::Result<String, Code>)> {
        let mut lines = Lines::new(io::BufReader::with_capacity(7, source));
        let mut found = Vec::new();
        while let Some((line, text)) = lines.next().expect("memory can be read") {
            found.push((line, text.map(str::to_owned).map_err(|error| error.code())));
        }
        found
    }

    #[test]
    fn marks_line_ends_and_a_missing_last_end_are_no_part_of_a_line() {
        assert_eq!(read(b"\xef\xbb\xbfone\r\n\ntwo"), [(1, Ok("one".into())), (2, Ok(String::new())), (3, Ok("two".into()))]);
        assert_eq!(read(b""), []);
    }

    #[test]
    fn what_is_no_text_is_told_by_line_and_the_next_line_is_read() {
        assert_eq!(read(b"a\xff\nb\0\nc\n"), [(1, Err(Code::BadText)), (2, Err(Code::BadText)), (3, Ok("c".into()))]);
    }

    #[test]
    fn a_line_over_the_limit_is_passed_over_without_being_kept() {
        let mut source = vec![b'x'; LINE_BYTES + 1];
        source.extend_from_slice(b"\nafter\n");
        let mut lines = Lines::new(&source[..]);
        assert_eq!(lines.next().expect("read").map(|(line, text)| (line, text.map_err(|e| e.code()).map(str::len))), Some((1, Err(Code::TooLarge))));
        assert!(lines.buffer.capacity() <= 2 * LINE_BYTES);
        assert_eq!(lines.next().expect("read").map(|(line, text)| (line, text.ok())), Some((2, Some("after"))));
    }
}
