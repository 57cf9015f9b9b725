import type { Case } from '../interpreter.ts'
import { queryAnswers } from './answers.ts'
import { cursorQueries } from './cursors.ts'
import { queryExamples } from './examples.ts'
import { orderQueries } from './orders.ts'
import { sortedQueries } from './sorted.ts'
import { queryTags } from './tags.ts'
import { valueQueries } from './values.ts'
import { queryWrites } from './writes.ts'

/** Section 3, answered to clients of the Wilddog family. */
export const queries: readonly Case[] = [
  ...queryExamples,
  ...valueQueries,
  ...orderQueries,
  ...cursorQueries,
  ...sortedQueries,
  ...queryAnswers,
  ...queryTags,
  ...queryWrites,
]
