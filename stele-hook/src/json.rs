//! Where the values of a JSON text stand in it: what belongs to somebody else is changed in places, and every other byte of
//! it stays, however it is laid out and whatever numbers it holds.

use serde::de::{DeserializeOwned, IgnoredAny};
use stele_kit::read_json;

/// A value, from its first byte to the one after its last.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) inner: Inner,
}

#[derive(Debug)]
pub(crate) enum Inner {
    /// Null, a truth value, a number, a text; or whatever lies deeper than was asked for.
    Plain,
    List(Vec<Spot>),
    Map(Vec<Member>),
}

/// A member of a map; `from` is where its name begins.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) from: usize,
    pub(crate) value: Spot,
}

impl Spot {
    /// Finds the value that is a text, and those within it down to a depth.
    ///
    /// # Errors
    /// What is no JSON.
    pub(crate) fn of(text: &str, depth: usize) -> serde_json::Result<Self> {
        read_json::<IgnoredAny>(text)?;
        Ok(Looking { bytes: text.as_bytes(), text, at: 0 }.value(depth))
    }

    /// A member of a map by its name: the last, as every reader of such files takes it.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        let Inner::Map(members) = &self.inner else { return None };
        members.iter().rfind(|member| member.name == name).map(|member| &member.value)
    }

    pub(crate) fn list(&self) -> Option<&[Self]> {
        if let Inner::List(members) = &self.inner { Some(members) } else { None }
    }

    /// What it says, if it is of that type.
    pub(crate) fn read<T: DeserializeOwned>(&self, text: &str) -> Option<T> {
        read_json(&text[self.from..self.to]).ok()
    }

    /// Where its members begin and end.
    pub(crate) fn members(&self) -> Vec<(usize, usize)> {
        match &self.inner {
            Inner::Plain => Vec::new(),
            Inner::List(members) => members.iter().map(|member| (member.from, member.to)).collect(),
            Inner::Map(members) => members.iter().map(|member| (member.from, member.value.to)).collect(),
        }
    }
}

/// Goes through a text that is known to be JSON.
struct Looking<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl Looking<'_> {
    fn value(&mut self, depth: usize) -> Spot {
        self.space();
        let from = self.at;
        let inner = match self.here() {
            b'[' if depth > 0 => Inner::List(self.members(|looking| looking.value(depth - 1))),
            b'{' if depth > 0 => Inner::Map(self.members(|looking| looking.member(depth - 1))),
            b'[' | b'{' => {
                self.skip_nest();
                Inner::Plain
            }
            b'"' => {
                self.skip_text();
                Inner::Plain
            }
            _ => {
                while !matches!(self.here(), b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n' | 0) {
                    self.at += 1;
                }
                Inner::Plain
            }
        };
        Spot { from, to: self.at, inner }
    }

    fn member(&mut self, depth: usize) -> Member {
        self.space();
        let from = self.at;
        self.skip_text();
        let name = read_json(&self.text[from..self.at]).unwrap_or_default();
        self.space();
        self.at += 1; // the colon
        Member { name, from, value: self.value(depth) }
    }

    /// What stands between a bracket and the one that closes it.
    fn members<T>(&mut self, mut next: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut all = Vec::new();
        self.at += 1;
        self.space();
        while !matches!(self.here(), b']' | b'}' | 0) {
            all.push(next(self));
            self.space();
            if self.here() == b',' {
                self.at += 1;
            }
            self.space();
        }
        self.at += 1;
        all
    }

    fn skip_nest(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.here() {
                b'"' => {
                    self.skip_text();
                    continue;
                }
                b'[' | b'{' => open += 1,
                b']' | b'}' => open -= 1,
                0 => return,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return;
            }
        }
    }

    fn skip_text(&mut self) {
        self.at += 1;
        while !matches!(self.here(), b'"' | 0) {
            self.at += if self.here() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }

    fn space(&mut self) {
        while matches!(self.here(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// The byte at hand; 0, which no JSON holds, at the end.
    fn here(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }
}
