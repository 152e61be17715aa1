//! A set of node numbers as a bitmap: the form in which every filter reaches a collector or a scan.

/// A growable set of node numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeSet {
    words: Vec<u64>,
}

impl NodeSet {
    /// An empty set.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The set of every number from 0 to `last`.
    pub(crate) fn up_to(last: u64) -> Self {
        let full = usize::try_from(last / 64 + 1).expect("node numbers fit the address space");
        Self { words: vec![u64::MAX; full] }
    }

    /// Adds a number.
    pub(crate) fn insert(&mut self, number: u64) {
        let word = usize::try_from(number / 64).expect("node numbers fit the address space");
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
    }

    /// Takes a number out.
    pub(crate) fn remove(&mut self, number: u64) {
        if let Some(word) = usize::try_from(number / 64).ok().and_then(|word| self.words.get_mut(word)) {
            *word &= !(1 << (number % 64));
        }
    }

    /// What no number in the set reaches, at most 64 above the largest.
    pub(crate) fn bound(&self) -> u64 {
        self.words.len() as u64 * 64
    }

    /// True if the number is in the set.
    #[inline]
    pub(crate) fn contains(&self, number: u64) -> bool {
        usize::try_from(number / 64).ok().and_then(|word| self.words.get(word)).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}

impl FromIterator<u64> for NodeSet {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        let mut set = Self::new();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_in_and_out() {
        let mut set: NodeSet = [1, 64, 1000].into_iter().collect();
        assert!(set.contains(64) && set.contains(1000) && !set.contains(63) && !set.contains(1 << 40));
        set.remove(64);
        assert!(!set.contains(64));
        assert!(NodeSet::up_to(70).contains(70));
        assert_eq!((NodeSet::new().bound(), NodeSet::up_to(70).bound()), (0, 128));
    }
}
