// Counts tokens for `cargo xtask tokens`: a text as JSON a line in, its counts by two vocabularies as JSON a line out.

import { createInterface } from "node:readline";
import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base";

// What looks like a special token is text like any other.
const plain = { disallowedSpecial: new Set() };

for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  console.log(JSON.stringify([o200k(text, plain).length, cl100k(text, plain).length]));
}
