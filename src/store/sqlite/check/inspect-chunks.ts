import { type JsonText, parseStored } from '../../../tree/json/print.ts'
import { leafOf } from '../../../tree/value.ts'
import { chunkKey, frameOf } from '../../rows/chunked-text.ts'
import { Trait } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { MAX_REPORTED, type Problem, problem, violations } from './problem.ts'

interface TextRow {
  readonly id: number
  /** Stored text of the beginning. */
  readonly value: string
}

interface ChunkRow {
  readonly id: number
  readonly text: JsonText
}

const TEXTS =
  'SELECT i.id, n.value FROM interior i JOIN node n ON n.parent_id = i.parent_id AND n.key = i.key AND n.id = i.id ' +
  `WHERE i.traits & ${Trait.chunks} AND i.id NOT IN gone AND n.value IS NOT NULL`

/** Inconsistencies of texts in chunks. Needs the temporary table `gone` of `treeProblems`. */
export function* chunkProblems({ client }: Connection): Generator<Problem, void> {
  yield* violations(client, [
    [
      'a chunk has no text',
      `SELECT id FROM text_chunk WHERE id / ${chunkKey(1, 0)} NOT IN (SELECT id FROM interior WHERE traits & ${Trait.chunks})`,
    ],
  ])
  const chunks = client.prepare<ChunkRow, [number, number]>(
    'SELECT id, text FROM text_chunk WHERE id >= ? AND id < ? ORDER BY id',
  )
  let reported = 0
  for (const { id, value } of client.prepare<TextRow, []>(TEXTS).iterate()) {
    const fault = faultOf(id, value, chunks.iterate(chunkKey(id, 0), chunkKey(id + 1, 0)))
    if (fault === undefined) continue
    yield problem('a text does not fit its chunks', { id, fault, value: value.slice(0, 60) })
    if (++reported === MAX_REPORTED) return
  }
}

/** What is wrong with the chunks of a text; `undefined` when nothing is. */
function faultOf(text: number, head: JsonText, chunks: Iterable<ChunkRow>): string | undefined {
  const leaf = parseStored(head)
  const beginning = leafOf(leaf)
  if (typeof beginning !== 'string') return 'no string'
  const [before, behind] = frameOf(leaf)
  let read = ''
  let number = 0
  let last: JsonText | undefined
  for (const chunk of chunks) {
    if (chunk.id !== chunkKey(text, number)) return `chunk ${number} is missing`
    if (number === 0 && chunk.text !== before) return 'the first chunk'
    if (number > 1 && last !== undefined) {
      const characters = parsed(last)
      if (characters === undefined) return `chunk ${number - 1}`
      if (read.length < beginning.length) read += characters
    }
    last = chunk.text
    number++
  }
  if (number < 3 || last !== behind) return 'the last chunk'
  return read.startsWith(beginning) ? undefined : 'the beginning'
}

function parsed(chunk: JsonText): string | undefined {
  try {
    return JSON.parse(`"${chunk}"`)
  } catch {
    return undefined
  }
}
