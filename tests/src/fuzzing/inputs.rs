//! Inputs for the targets that are made from a seed, where no fuzzer is at hand.

/// Numbers that look random and are the same on every run.
pub struct Dice(pub u64);

impl Dice {
    /// The next number, below 2^31.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Bytes with runs of text among them, more short inputs than long ones.
    pub fn input(&mut self) -> Vec<u8> {
        const WORDS: [&str; 10] = ["barometer", "KNOW-3", "TS2769", "\"", "a AND (b", "用户", "🦀", "{\"kind\":\"fyi\",\"title\":\"x\"}\n", "\0", "\\"];
        let length = 4 << (self.roll() % 9);
        let mut bytes = Vec::new();
        while bytes.len() < length {
            if self.roll().is_multiple_of(8) {
                bytes.extend_from_slice(WORDS[self.roll() as usize % WORDS.len()].as_bytes());
            } else {
                bytes.push(self.roll() as u8);
            }
        }
        bytes
    }
}

/// The input of a seed.
#[must_use]
pub fn input_of(seed: u64) -> Vec<u8> {
    Dice(seed.wrapping_mul(7_919).wrapping_add(11)).input()
}
