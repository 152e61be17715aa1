//! Bytes that are used up by choices.

/// What is left of an input. An empty one chooses 0 for ever.
pub(super) struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A number below `bound`, which is at most 65,536.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let mut number = usize::from(self.byte());
        if bound > 256 {
            number = number << 8 | usize::from(self.byte());
        }
        number % bound
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// True once in `count` times, and for an empty input.
    pub(super) fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(super) fn take(&mut self, count: usize) -> &'b [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// The next bytes as text, whatever they are.
    pub(super) fn text(&mut self, count: usize) -> String {
        String::from_utf8_lossy(self.take(count)).into_owned()
    }
}
