/** What a write costs on PostgreSQL when rules decide that read three places of the tree, beside the same on SQLite. */
import type { Part } from '../harness/part.ts'
import { type Contestant, compareRate, loadInTurns } from '../load/https.ts'
import type { Goal, Row } from '../report/row.ts'
import { putRules, SHOWN_IN_URL } from '../rules/load.ts'
import { CLUB_RULES, fillClub, MEMBERS, SECRET } from '../stock/club.ts'
import { dholeServer } from '../targets/dhole.ts'
import { alternating } from './trees.ts'

const SQLITE = 'ruled put sqlite'
const POSTGRES = 'ruled put postgres'
const STOCK = 'club'
const GOAL: Goal = { kind: 'at least', bound: 0.6 }

export const ruledPart: Part = {
  async prepare(workspace) {
    await workspace.build('club', [MEMBERS])
    const postgres = await workspace.postgres()
    await postgres.build(STOCK, { app: (database) => fillClub(database, MEMBERS) })
  },
  variants(workspace, settings) {
    const { certificate } = workspace
    const order = alternating<Contestant>()
    const compete = async () => {
      const postgres = await workspace.postgres()
      return workspace.withCopy(workspace.club(MEMBERS), (dataDir) =>
        postgres.withCopies([STOCK], ([url = '']) => {
          const load = {
            operation: 'putDraft',
            size: MEMBERS,
            credential: SHOWN_IN_URL,
            before: (running: { readonly url: string }) => putRules(running.url, CLUB_RULES),
          } as const
          const shared = { certificate, secret: SECRET }
          const database = { url, insecure: true }
          const contestants: Contestant[] = [
            { ...load, name: SQLITE, target: dholeServer({ ...shared, dataDir }) },
            { ...load, name: POSTGRES, target: dholeServer({ ...shared, database }) },
          ]
          return loadInTurns(order(contestants), settings)
        }),
      )
    }
    return [{ name: 'PUT 1 KB by rules', compete }]
  },
  rows: (samples): Row[] => [
    {
      name: POSTGRES,
      operation: 'PUT 1 KB by rules that read three places, 64 clients, HTTPS',
      size: undefined,
      ...compareRate(samples, POSTGRES, SQLITE, 'SQLite'),
      goal: GOAL,
    },
  ],
}
