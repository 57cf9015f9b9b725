/** What the engines do without HTTP. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { ratios, spread } from '../harness/rounds.ts'
import { figure, type Row } from '../report/row.ts'
import type { EmbeddedFigures, EmbeddedRequest, EngineFigures } from './embedded-load.ts'
import { prepareBoth, withBoth } from './trees.ts'

const SQLITE = 'embedded sqlite'
const POSTGRES = 'embedded postgres'

const TITLES: Readonly<Record<keyof EngineFigures, string>> = {
  onePut: 'PUT leaf, one client, embedded',
  manyPuts: 'PUT leaf, 64 clients, embedded',
  coldGets: 'GET leaf cold, 64 at once, embedded',
}

export const embeddedPart: Part = {
  prepare: prepareBoth,
  variants: (workspace, { mixedSize: leaves, sliceMs, slices }) => [
    {
      name: 'embedded',
      compete: () =>
        withBoth(workspace, leaves, async (dataDir, url) => {
          const request: EmbeddedRequest = { dataDir, url, leaves, sliceMs, slices }
          const { sqlite, postgres } = await askChild<EmbeddedFigures>('postgres/embedded-load.ts', request)
          return { [SQLITE]: { ...sqlite }, [POSTGRES]: { ...postgres } }
        }),
    },
  ],
  rows: (samples, { mixedSize: size }) =>
    (Object.keys(TITLES) as (keyof EngineFigures)[]).map((what): Row => {
      const [ours, files] = [samples.get(POSTGRES, what), samples.get(SQLITE, what)]
      return {
        name: `${POSTGRES} ${what}`,
        operation: TITLES[what],
        size,
        measured: figure(ours, '/s'),
        limit: { title: 'SQLite', ...figure(files, '/s') },
        judged: spread(ratios(ours, files)),
        unit: 'x',
      }
    }),
}
