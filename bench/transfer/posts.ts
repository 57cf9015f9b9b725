import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'

const WORDS =
  'river stone open light garden window paper quiet morning letter market bridge winter harbour music silver road'.split(
    ' ',
  )
/** Text handed over at once, in UTF-16 code units. */
const PIECE_LENGTH = 1024 * 1024

/**
 * Writes an export of posts, each with its author, text, time, likes and tags, in the form and order of our own
 * exports. The same seed makes the same text.
 */
export async function writePosts(output: Writable, bytes: number, seed: number): Promise<void> {
  let state = seed
  const below = (count: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * count)
  }
  let written = 0
  let piece = '{"posts":{'
  for (let index = 0; written + piece.length < bytes; index++) {
    const body = Array.from({ length: 20 + below(100) }, () => WORDS[below(WORDS.length)]).join(' ')
    const post = {
      '.priority': index,
      author: `user${below(5000)}`,
      body,
      createdAt: 1_600_000_000_000 + index * 1000,
      likes: below(500),
      tags: { 0: WORDS[below(WORDS.length)], 1: WORDS[below(WORDS.length)] },
      title: `${WORDS[below(WORDS.length)]} ${index}`,
    }
    piece += `${index === 0 ? '' : ','}"-M${index.toString(36).padStart(18, '0')}":${JSON.stringify(post)}`
    if (piece.length < PIECE_LENGTH) continue
    written += piece.length
    if (!output.write(piece)) await once(output, 'drain')
    piece = ''
  }
  output.end(`${piece}}}`)
  await once(output, 'finish')
}

/** Most memory that a process has had so far, in MB. */
export function peakMemoryMb(pid: number): number {
  const [, kb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (Number(kb) * 1024) / 1_000_000
}
