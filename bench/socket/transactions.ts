/** Clients that count together: transactions of Firebase's SDK on one node. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, spread } from '../harness/rounds.ts'
import { withServer } from '../load/https.ts'
import { figure, type Goal } from '../report/row.ts'
import { dholeSockets } from '../targets/dhole-sockets.ts'
import type { ContenderFigures, ContenderRequest } from './contender.ts'
import { COUNTER_PATH } from './room.ts'

const NONE: Goal = { kind: 'at most', bound: 0 }
const CLIENTS = 8
/** The certificate of a run is its own. */
const SDK_ENV = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' }
const NAME = 'contended transactions'

export const transactionsPart: Part = {
  quick: true,
  variants: (workspace, { transactions }) => [
    {
      name: NAME,
      run: () =>
        workspace.withScratch((dataDir) => {
          const { certificate } = workspace
          return withServer(dholeSockets({ certificate, dataDir }), ({ url }) => contend(url, transactions))
        }),
    },
  ],
  rows(samples, { transactions }) {
    const get = (what: string) => samples.get(NAME, what)
    return [
      {
        name: NAME,
        operation: `transactions of ${CLIENTS} clients on one node that end in maxretry, of ${CLIENTS * transactions}`,
        size: CLIENTS,
        measured: { ...figure(get('maxRetry'), 'ended so'), beside: figure(get('attempts'), 'attempts each') },
        limit: undefined,
        judged: spread(get('maxRetry')),
        unit: 'of them',
        goal: NONE,
      },
      {
        name: `${NAME} rate`,
        operation: `transactions of ${CLIENTS} clients on one node`,
        size: CLIENTS,
        measured: figure(get('perSecond'), '/s'),
        limit: undefined,
        judged: undefined,
        unit: '/s',
      },
    ]
  },
}

/** @throws unless every transaction that has not ended in `maxretry` has counted once */
async function contend(url: string, transactions: number): Promise<Figures> {
  const start = performance.now()
  const clients = Array.from({ length: CLIENTS }, () => {
    const request: ContenderRequest = { url, transactions }
    return askChild<ContenderFigures>('socket/contender.ts', request, SDK_ENV)
  })
  const figures = await Promise.all(clients)
  const seconds = (performance.now() - start) / 1000
  const sum = (of: (one: ContenderFigures) => number) => figures.reduce((total, one) => total + of(one), 0)
  const [all, maxRetry, failed] = [CLIENTS * transactions, sum((one) => one.maxRetry), sum((one) => one.failed)]
  const response = await fetch(`${url}${COUNTER_PATH}.json`, { tls: { rejectUnauthorized: false } })
  const counted = await response.json()
  if (failed > 0 || counted !== all - maxRetry) {
    throw new Error(`${counted} of ${all} were counted, ${maxRetry} have ended in maxretry, ${failed} have failed`)
  }
  return { maxRetry, attempts: sum((one) => one.attempts) / all, perSecond: all / seconds }
}
