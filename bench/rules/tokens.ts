/** What a token costs that was not shown before, and one that was. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { CLUB_RULES, MEMBERS } from '../stock/club.ts'
import type { EmbeddedTokenFigures, EmbeddedTokenRequest } from './embedded-tokens.ts'
import { clubContest, clubRow } from './load.ts'
import { ruledNote } from './read.ts'

/** A signature takes more than ten times as long. */
const REMEMBERED: Goal = { kind: 'at most', bound: 0.1 }

const NEW = 'rules getNote ruled new tokens'
const EMBEDDED = 'embedded tokens'

export const rulesTokensPart: Part = {
  prepare: (workspace) => workspace.build('club', [MEMBERS]),
  variants: (workspace, settings) => [
    clubContest(
      NEW,
      [{ name: NEW, operation: 'getNote', rules: CLUB_RULES, credential: { carrier: 'url', tokens: 'new' } }],
      workspace,
      settings,
    ),
    { name: EMBEDDED, run: () => measure(settings) },
  ],
  rows: (samples) => [
    clubRow(samples, {
      name: NEW,
      operation: 'GET leaf by rule, each with a token never shown before, HTTPS',
      subject: NEW,
      limit: ruledNote,
      limitTitle: 'token shown before',
      by: 'time',
    }),
    firstRow(samples),
    laterRow(samples),
  ],
}

async function measure({ sliceMs, slices }: Settings): Promise<Figures> {
  const request: EmbeddedTokenRequest = { sliceMs, slices }
  return { ...(await askChild<EmbeddedTokenFigures>('rules/embedded-tokens.ts', request)) }
}

function firstRow(samples: Samples): Row {
  const [first, hmac] = [samples.get(EMBEDDED, 'first'), samples.get(EMBEDDED, 'hmac')]
  return {
    name: `${EMBEDDED} first`,
    operation: 'judge a token never shown before, embedded, time over limit',
    size: undefined,
    measured: figure(first, 'us CPU'),
    limit: { title: 'HMAC-SHA256 of WebCrypto', ...figure(hmac, 'us CPU') },
    judged: spread(ratios(first, hmac)),
    unit: 'x',
  }
}

function laterRow(samples: Samples): Row {
  const [later, first] = [samples.get(EMBEDDED, 'later'), samples.get(EMBEDDED, 'first')]
  return {
    name: `${EMBEDDED} later`,
    operation: 'judge a token shown before, embedded, time over limit',
    size: undefined,
    measured: figure(later, 'us CPU'),
    limit: { title: 'never shown before', ...figure(first, 'us CPU') },
    judged: spread(ratios(later, first)),
    unit: 'x',
    goal: REMEMBERED,
  }
}
