/** What it costs to tell more and more subscribers of one node. */
import type { Part } from '../harness/part.ts'
import { BUSY_PATH, busyStreams, deliveryOf, type StreamContestant, streamInTurns } from '../load/streams.ts'
import { growthOf } from '../report/growth.ts'
import { figure, type Row } from '../report/row.ts'
import { dholeStreams } from '../targets/dhole-streams.ts'
import { sizeRow } from './size-row.ts'

const variantOf = (subscribers: number) => `growth subscribers ${subscribers}`

export const subscribersPart: Part = {
  prepare: (workspace, { growthSizes }) => workspace.build('tree', growthSizes.slice(0, 1)),
  variants: (workspace, settings) => [
    {
      name: 'growth subscribers',
      compete: () => {
        const { certificate } = workspace
        const counts = settings.growthSubscribers
        const originals = counts.map(() => workspace.tree(settings.growthSizes[0] ?? 0))
        return workspace.withCopies(originals, (dataDirs) => {
          const contestants = counts.map((subscribers, index): StreamContestant => {
            const target = dholeStreams({ certificate, dataDir: dataDirs[index] ?? '', path: BUSY_PATH })
            return { name: variantOf(subscribers), target, streams: busyStreams(subscribers), inFlight: 1 }
          })
          return streamInTurns(contestants, settings)
        })
      },
    },
  ],
  rows(samples, { growthSubscribers }) {
    const delivery = (count: number) => ({ count, values: samples.get(variantOf(count), 'deliveryUs') })
    const [fewest, most] = [growthSubscribers[0] ?? 0, growthSubscribers.at(-1) ?? 0]
    return [
      ...growthSubscribers.flatMap((subscribers): Row[] => {
        const variant = variantOf(subscribers)
        const { values } = delivery(subscribers)
        const publish = samples.get(variant, 'publishUs')
        const [one, all] = ['delivery to one subscriber', 'write and all its deliveries']
        return [
          sizeRow(variant, one, subscribers, deliveryOf(samples, variant), values),
          sizeRow(`growth message ${subscribers}`, all, subscribers, figure(publish, 'us CPU'), publish),
        ]
      }),
      {
        name: 'growth subscribers',
        operation: 'growth of delivery to one subscriber',
        ...growthOf(delivery(fewest), delivery(most), 'us CPU'),
      },
    ]
  },
}
