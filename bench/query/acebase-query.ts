/** The same queries asked of AceBase, in a process of its own. */
import type { AceBase } from 'acebase'
import type { QuerySpec } from '../../src/query/query.ts'
import { answer, requestOf } from '../harness/child.ts'
import { medianMicroseconds, type SliceOptions, timeInTurns } from '../harness/slices.ts'
import { CHOSEN, nameAt, type Place } from '../stock/places.ts'
import { type Question, questions, spotOf } from '../stock/questions.ts'
import { ACEBASE_LIST, openAcebase } from './acebase-file.ts'

export interface AcebaseQueryRequest extends SliceOptions {
  readonly dataDir: string
  readonly children: number
}

/** Questions that AceBase can answer too; it has no text to give, only values. */
export const ACEBASE_QUESTIONS = ['firstParsed', 'fromParsed', 'equalParsed'] as const

/** Microseconds each. */
export type AcebaseQueryFigures = Readonly<Record<(typeof ACEBASE_QUESTIONS)[number], number>>

async function measureQueries({ dataDir, children, ...slices }: AcebaseQueryRequest): Promise<AcebaseQueryFigures> {
  const database = await openAcebase(dataDir)
  const asked = ACEBASE_QUESTIONS.map((name): Question => questions[name])
  for (const question of asked) await check(database, question.spec(spotOf(1), children), children)
  const timed = await timeInTurns(
    asked.map((question) => (index) => ask(database, question.spec(spotOf(index), children))),
    slices,
  )
  const figures = timed.map((each, position) => [ACEBASE_QUESTIONS[position], medianMicroseconds(each)])
  return Object.fromEntries(figures) as AcebaseQueryFigures
}

/** The query as the documentation of AceBase writes it. */
async function ask(database: AceBase, spec: QuerySpec): Promise<readonly Place[]> {
  const { orderBy, startAt, equalTo, limitToFirst } = spec
  const query = database.query(ACEBASE_LIST)
  if (equalTo !== undefined) query.filter(orderBy, '==', equalTo)
  if (startAt !== undefined) query.filter(orderBy, '>=', startAt)
  if (limitToFirst !== undefined) query.sort(orderBy).take(limitToFirst)
  const found = await query.get<Place>()
  return found.getValues()
}

/** @throws unless it answers what dhole answers */
async function check(database: AceBase, spec: QuerySpec, children: number): Promise<void> {
  const places = await ask(database, spec)
  const isRight =
    spec.equalTo === undefined
      ? places[0]?.name === (spec.startAt ?? nameAt(0, children))
      : places.every(({ district }) => district === spec.equalTo)
  if (places.length !== CHOSEN || !isRight) {
    throw new Error(`AceBase answers ${JSON.stringify(places)} to ${JSON.stringify(spec)}`)
  }
}

if (import.meta.main) answer(await measureQueries(requestOf<AcebaseQueryRequest>()))
