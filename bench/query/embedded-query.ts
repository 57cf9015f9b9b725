/** Ordered queries without HTTP, in a process of its own. */
import { join } from 'node:path'
import type { Database } from '../../src/database/database.ts'
import { openTree } from '../../src/open-tree.ts'
import type { QuerySpec } from '../../src/query/query.ts'
import type { Awaitable } from '../../src/scheduling/awaitable.ts'
import { answer, requestOf } from '../harness/child.ts'
import { RawTable } from '../harness/limits.ts'
import { medianMicroseconds, type SliceOptions, timeInTurns } from '../harness/slices.ts'
import { databaseFile } from '../stock/blogs.ts'
import { CHOSEN, COVERING_INDEXES, MAX_INDEX_ENTRIES, place, placeKey, scattered } from '../stock/places.ts'
import { type Question, type QuestionName, questions, SPOTS, spotOf } from '../stock/questions.ts'

export interface EmbeddedQueryRequest extends SliceOptions {
  readonly dataDir: string
  /** An empty directory on the same disk. */
  readonly scratchDir: string
  readonly children: number
  readonly asked: readonly QuestionName[]
  /** Whether the indexes of the list cover. */
  readonly covering: boolean
}

/** Microseconds each; of the questions that were asked. */
export type EmbeddedQueryFigures = Readonly<Partial<Record<QuestionName | 'raw', number>>>

/** Rows of the table that is the limit, read in a scattered order. */
const RAW_ROWS = 10_000

async function measureQueries(request: EmbeddedQueryRequest): Promise<EmbeddedQueryFigures> {
  const { children } = request
  // Without the cache of finished answers: it would be all that is measured.
  const storage = { cacheLength: 0, maxIndexEntries: MAX_INDEX_ENTRIES }
  await using database = openTree({ file: databaseFile(request.dataDir), storage })
  const rows = scattered(RAW_ROWS, RAW_ROWS).map((index) => {
    return [placeKey(index), JSON.stringify(place(index, children))] as const
  })
  using raw = new RawTable(join(request.scratchDir, 'raw.sqlite'), rows)
  if (request.covering) await database.declareIndexes(COVERING_INDEXES)
  const asked = request.asked.map((name) => {
    const question: Question = questions[name]
    const { spots = SPOTS } = question
    const specs = Array.from({ length: spots }, (_, index) => question.spec(spotOf(index, spots), children))
    return { name, question, specs }
  })
  for (const { question, specs } of asked) await check(database, question, specs, children)
  const timed = await timeInTurns(
    [
      (index) => raw.text(rows[index % RAW_ROWS]?.[0] ?? '').length,
      ...asked.map(({ question, specs }) => {
        return (index: number) => ask(database, question, specs[index % specs.length] ?? { orderBy: '' })
      }),
    ],
    request,
  )
  const names = ['raw', ...asked.map(({ name }) => name)]
  const figures = timed.map((each, position) => [names[position], medianMicroseconds(each)])
  return Object.fromEntries(figures) as EmbeddedQueryFigures
}

/** The query is checked anew each time, as that of a caller who does not keep it. */
function ask(database: Database, { list, takes }: Question, spec: QuerySpec): Awaitable<number> {
  switch (takes) {
    case 'count':
      return database.count(list, spec)
    case 'children':
      return database.query(list, spec).then((found) => found.children.length)
    case 'text': {
      const found = database.select(list, spec)
      return found instanceof Promise ? found.then((later) => later?.plain.length ?? 0) : (found?.plain.length ?? 0)
    }
    default:
      return takes satisfies never
  }
}

/** @throws unless every spec chooses as many children as it should */
async function check(
  database: Database,
  question: Question,
  specs: readonly QuerySpec[],
  children: number,
): Promise<void> {
  const expected = question.whole ? children : CHOSEN
  for (const spec of specs) {
    const chosen =
      question.takes === 'text'
        ? (await database.query(question.list, spec)).children.length
        : await ask(database, question, spec)
    if (chosen !== expected) throw new Error(`${JSON.stringify(spec)} chose ${chosen} children, not ${expected}`)
  }
}

if (import.meta.main) answer(await measureQueries(requestOf<EmbeddedQueryRequest>()))
