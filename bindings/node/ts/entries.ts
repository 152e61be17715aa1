/** The entries of a window come as lists of their values, in the order of their fields: reading the names of each would take longest. */

import type { Entry } from './results'

/** An entry of its values. */
export function entry(row: any[]): Entry {
  return {
    id: row[0],
    aliases: row[1],
    kind: row[2],
    category: row[3],
    container: row[4],
    state: row[5],
    status: row[6],
    title: row[7],
    body: row[8],
    passage: row[9],
    detail: row[10],
    cutChars: row[11],
    role: row[12],
    score: row[13],
    scoreParts: row[14],
    explain: row[15],
    hops: row[16],
    via: row[17],
    from: row[18],
    seedRank: row[19],
    replaces: row[20],
    replacedBy: row[21],
    reason: row[22],
    evidence: row[23],
    conflicts: row[24],
    folded: row[25],
    claim: row[26] === null ? null : { ...row[26], since: date(row[26].since), until: when(row[26].until) },
    tokens: row[27],
    revision: row[28],
    createdAt: date(row[29]),
    source: row[30],
    reviewAt: when(row[31]),
    verifiedAt: when(row[32]),
    anchors: row[33],
  }
}

function date(time: number): Date {
  return new Date(time)
}

function when(time: number | null): Date | null {
  return time === null ? null : date(time)
}
